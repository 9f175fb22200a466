"""The shapes of tokens: one table, for texts and for values of the environment. Standard library alone."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

EXAMPLE = re.compile(r"x{4}|\*{3}|\.{3}|…|example|placeholder|redacted|change[_-]?me|your[_-]|dummy", re.I)
CHANGE = re.compile("[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")
DIGIT = re.compile("[0-9]")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.I)
# What stands for a password where none is given away.
NOT_GIVEN = re.compile(r"(?:user(?:name)?|pass(?:word|wd)?|secret|token|pwd|x+|\W+|\$.*|<.*|%.*|\{.*)\Z", re.I)
FEWEST_LETTERS = 7  # different characters


def is_example(text: str) -> bool:
    """Whether a text is an example of a secret, as in documentation: few letters, the alphabet, `xxxx`."""
    steps = sum(ord(after) - ord(before) in (0, 1) for before, after in pairwise(text))
    return bool(EXAMPLE.search(text)) or len(set(text.lower())) < FEWEST_LETTERS or steps * 2 > len(text)


def is_random(text: str) -> bool:
    """Whether letters and digits are mixed as in no name: one in two cases changes with each word only."""
    changes = len(CHANGE.findall(text))
    enough = changes * 4 >= len(text) if DIGIT.search(text) else changes * 12 >= len(text) * 5
    return enough and not is_example(text)


def is_mixed(text: str) -> bool:
    """Whether the text after a mark that only secrets have could be one: no word, and no example."""
    return (any(map(str.isdigit, text)) or text.lower() != text != text.upper()) and not is_example(text)


def is_keyed(text: str) -> bool:
    """Whether the text after a mark that a word may end in, such as `sk-`, is random and no UUID."""
    return is_random(text) and not UUID.match(text)


def is_password(text: str, user: str = "") -> bool:
    """Whether the text in place of a password is one, and not `password`, `$DB_PASS` or the user's name."""
    return text != user and not NOT_GIVEN.match(text) and not EXAMPLE.search(text)


WORD, HEX, ANY = "A-Za-z0-9", "0-9a-fA-F", "A-Za-z0-9_-"


class Shape(NamedTuple):
    """A kind of secret.

    A text without one of its marks, in any case, is not looked at; the pattern has the random part in a group.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: str
    fits: Callable[[str], bool] = is_mixed


def _token(kind: str, starts: str, letters: str, fewest: int) -> Shape:
    """Return the shape of a token: one of `starts`, then at least `fewest` of `letters`."""
    first = "|".join(map(re.escape, starts.split()))
    return Shape(kind, _marks(starts), f"(?:{first})([{letters}]{{{fewest},255}})")


def _marks(words: str) -> tuple[str, ...]:
    """Return marks as they are looked for: in a text that was lowered."""
    return tuple(words.lower().split())


# Beside each row, the page for its form: the vendor's, or a rule of a scanner, these read on 28 November 2026:
# `gitleaks` (https://github.com/gitleaks/gitleaks, `config/gitleaks.toml` at b58d3f10), `noseyparker`
# (https://github.com/praetorian-inc/noseyparker, `builtin/rules` at 2e6e7f36), `kingfisher`
# (https://github.com/mongodb/kingfisher, `data/rules` at 1.10.0). "In code": no page was found that says it, and
# public code has such tokens.
TOKENS = (
    # https://github.blog/changelog/2021-03-31-authentication-token-format-updates-are-generally-available
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", WORD, 20),
    ("GitHub token", "github_pat_", "A-Za-z0-9_", 20),  # gitleaks: github-fine-grained-pat
    # gitleaks: gitlab-*
    ("GitLab token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- gloas-", "A-Za-z0-9_.-", 18),
    # kingfisher: bitbucket; gitleaks: atlassian-api-token; ATCTT3 in code
    ("Bitbucket or Atlassian token", "ATBB ATATT3 ATCTT3", "A-Za-z0-9_=-", 24),
    ("Anthropic key", "sk-ant-", ANY, 20),  # gitleaks: anthropic-api-key
    ("Groq key", "gsk_", WORD, 40),  # noseyparker: groq
    ("Hugging Face token", "hf_ api_org_", WORD, 30),  # gitleaks: huggingface-*
    ("Perplexity key", "pplx-", WORD, 40),  # gitleaks: perplexity-api-key
    ("Replicate token", "r8_", WORD, 37),  # kingfisher: replicate
    ("xAI key", "xai-", "A-Za-z0-9_", 60),  # kingfisher: xai
    ("Google key", "AIza", ANY, 30),  # gitleaks: gcp-api-key
    ("Google token", "ya29. GOCSPX-", ANY, 24),  # noseyparker: google
    ("Databricks token", "dapi", "0-9a-f", 32),  # gitleaks: databricks-api-token
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "0-9a-f", 40),  # gitleaks: digitalocean-*
    ("Docker token", "dckr_pat_ dckr_oat_", ANY, 20),  # noseyparker: dockerhub; dckr_oat_ in code
    ("Shopify token", "shpat_ shpca_ shppa_ shpss_", HEX, 32),  # gitleaks: shopify-*
    # gitleaks: stripe-access-token; https://docs.stripe.com/webhooks
    ("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", WORD, 16),
    ("Square token", "sq0atp- sq0csp-", ANY, 22),  # kingfisher: square
    ("SendGrid key", "SG.", "A-Za-z0-9_.-", 40),  # gitleaks: sendgrid-api-token
    ("Brevo key", "xkeysib- xsmtpsib-", "0-9a-zA-Z-", 40),  # gitleaks: sendinblue-api-token; xsmtpsib- in code
    # gitleaks: slack-*
    ("Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.xoxp- xoxe.xoxb-", "A-Za-z0-9-", 10),
    ("Vault token", "hvs. hvb. hvr.", ANY, 20),  # noseyparker: hashicorp
    ("Terraform token", ".atlasv1.", ANY, 40),  # gitleaks: hashicorp-tf-api-token
    ("Pulumi token", "pul-", "0-9a-f", 40),  # gitleaks: pulumi-api-token
    ("Linear key", "lin_api_ lin_oauth_", WORD, 30),  # gitleaks: linear-api-key; lin_oauth_ in code
    ("Notion token", "ntn_", WORD, 40),  # gitleaks: notion-api-token
    ("Figma token", "figd_", ANY, 30),  # kingfisher: figma
    ("Postman key", "PMAK-", "0-9a-f-", 40),  # gitleaks: postman-api-token
    ("New Relic key", "NRAK- NRJS- NRII-", "A-Z0-9a-z_-", 19),  # gitleaks: new-relic-*
    ("Grafana token", "glc_ glsa_", "A-Za-z0-9_+/=", 30),  # gitleaks: grafana-*
    ("Sentry token", "sntrys_ sntryu_", "A-Za-z0-9_+/=", 40),  # gitleaks: sentry-*
    ("Sonar token", "squ_ sqp_ sqa_", "0-9a-f", 40),  # gitleaks: sonar-api-token
    # https://docs.doppler.com/reference/auth-token-formats
    ("Doppler token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "A-Za-z0-9_.", 40),
    ("1Password token", "ops_eyJ", "A-Za-z0-9+/", 100),  # gitleaks: 1password-service-account-token
    ("Fly.io token", "fo1_ fm1a_ fm1r_ fm2_", "A-Za-z0-9_+/-", 40),  # gitleaks: flyio-access-token
    ("Heroku key", "HRKU-AA", ANY, 40),  # gitleaks: heroku-api-key-v2
    ("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "A-Za-z0-9_.=-", 32),  # gitleaks: planetscale-*
    # kingfisher: supabasetoken; https://supabase.com/docs/guides/getting-started/api-keys
    ("Supabase key", "sbp_ sb_secret_", "A-Za-z0-9_-", 31),
    ("Tailscale key", "tskey-", ANY, 20),  # https://tailscale.com/docs/reference/key-prefixes
    # gitleaks: dynatrace-api-token; https://docs.dynatrace.com/docs/shortlink/token
    ("Dynatrace token", "dt0c01. dt0s01.", "A-Z0-9.", 60),
    ("Alibaba key id", "LTAI", WORD, 16),  # gitleaks: alibaba-access-key-id
    ("npm token", "npm_", WORD, 30),  # gitleaks: npm-access-token
    ("RubyGems key", "rubygems_", "0-9a-f", 40),  # gitleaks: rubygems-api-token
    ("NuGet key", "oy2", "0-9a-z", 43),  # noseyparker: nuget
    ("Artifactory key", "AKCp cmVmdGtu", WORD, 40),  # gitleaks: artifactory-*
    ("age key", "AGE-SECRET-KEY-1", "A-Z0-9", 40),  # gitleaks: age-secret-key
)  # fmt: skip
OTHER_SHAPES = (
    # gitleaks: openai-api-key
    ("OpenAI key", "sk-", r"(?<![A-Za-z0-9])sk-(?!ant-)([A-Za-z0-9_-]{20,255})", is_keyed),
    ("PyPI token", "pypi-", r"pypi-([A-Za-z0-9_-]{40,255})", is_keyed),  # gitleaks: pypi-upload-token
    # gitleaks: aws-access-token
    ("AWS key id", "AKIA ASIA", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)([A-Z0-9]{16})(?![A-Za-z0-9])", is_mixed),
    # gitleaks: azure-ad-client-secret
    ("Azure secret", "Q~", r"(?<![\w~.-])([\w~.]{3}[0-9]Q~[\w~.-]{31,34})(?![\w~-])", is_mixed),
    # noseyparker: azure; https://learn.microsoft.com/rest/api/storageservices/create-service-sas
    ("Azure key", "accountkey= sharedaccesskey= sig=",
     r"(?i:AccountKey|SharedAccessKey|[?&;]sig)=([A-Za-z0-9+/%]{40,255})", is_mixed),
    # https://discord.com/developers/docs/reference#authentication
    ("Discord token", ".",
     r"(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6,7}\.([A-Za-z0-9_-]{27,40})(?![\w-])", is_keyed),
    # gitleaks: telegram-bot-api-token
    ("Telegram token", ":a", r"(?<![\w:])[0-9]{8,10}:(A[A-Za-z0-9_-]{34})(?![\w-])", is_mixed),
    ("Twilio key", "SK", r"(?<![A-Za-z0-9])SK([0-9a-f]{32})(?![A-Za-z0-9])", is_mixed),  # gitleaks: twilio-api-key
    # gitleaks: mailchimp-api-key
    ("Mailchimp key", "-us", r"(?<![0-9a-f])([0-9a-f]{32})-us[0-9]{1,2}(?![0-9])", is_mixed),
    # gitleaks: mailgun-private-api-token
    ("Mailgun key", "key-", r"(?<![\w-])key-([0-9a-f]{32})(?![\w-])", is_mixed),
    # kingfisher: mapbox; https://docs.mapbox.com/help/dive-deeper/access-tokens
    ("Mapbox token", "sk.eyj", r"(?<![\w.])sk\.eyJ[\w-]{8,400}\.([A-Za-z0-9_-]{16,255})", is_mixed),
    # gitleaks: slack-webhook-url
    ("webhook", "hooks.slack.com/",
     r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/]{20,200})", is_mixed),
    ("webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{5,25}/([\w-]{40,200})", is_mixed),  # kingfisher: discord
    # gitleaks: microsoft-teams-webhook
    ("webhook", "webhook.office.com/", r"webhook\.office\.com/webhookb2/([\w@/-]{60,400})", is_mixed),
    ("bearer token", "bearer", r"(?i:bearer)\s{1,4}([A-Za-z0-9._~+/=-]{20,255})", is_keyed),  # RFC 6750
    # RFC 6265
    ("cookie", "cookie",
     r"(?i:cookie)[\"']?\s{0,4}[:=,]\s{0,4}[\"']?[\w.-]{1,64}=([A-Za-z0-9%._~+/|:-]{16,400})", is_keyed),
    # gitleaks: jwt
    ("JSON web token", "eyj",
     r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,400}\.eyJ[A-Za-z0-9_-]{8,4000}\.([A-Za-z0-9_-]{16,255})", is_mixed),
    # gitleaks: private-key
    ("private key", "-----begin",
     r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=(?s:.{0,400}?)([A-Za-z0-9+/]{32,400}))", is_mixed),
    # PuTTY's manual, "PPK file format"
    ("private key", "private-lines:", r"Private-Lines: [0-9]{1,4}\s{1,4}([A-Za-z0-9+/]{32,400})", is_mixed),
)  # fmt: skip
SHAPES = (
    *(_token(*row) for row in TOKENS),
    *(Shape(kind, _marks(marks), pattern, fits) for kind, marks, pattern, fits in OTHER_SHAPES),
)


def shapes_in(text: str) -> Iterator[tuple[str, int]]:
    """Return the kind and the start of each token in a text."""
    lowered = text.lower()
    for shape in SHAPES:
        if any(mark in lowered for mark in shape.marks):
            matches = re.finditer(shape.pattern, text, re.A)
            yield from ((shape.kind, match.start()) for match in matches if shape.fits(match[1]))
