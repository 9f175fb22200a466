"""The bots that tell how checks, coverage and deployments fared, a row each: feedback only when one failed."""

import re

from baton.feedback.bots.row import Bot, phrases

BAD = re.compile(r"❌|🔴|:x:|🚫|⛔|\bfail(?:ed|ure|ing)?\b|\berror(?:ed|s)?\b|status/error\.svg", re.I)
DEPLOYMENT = "deployment status"

SONAR = Bot(
    boilerplate=phrases((r"quality gate", "quality gate")),
    unless=re.compile(r"quality gate failed", re.I),
)
CODECOV = Bot(
    boilerplate=phrases((r"codecov|coverage|bundle", "coverage report")),
    unless=re.compile(r"❌|:x:|attention: patch coverage|tests? failed|missing coverage", re.I),
)
SECURITY = Bot(boilerplate=phrases((r"sets up github code scanning", "set-up notice")))
CODACY = Bot(
    boilerplate=phrases((r"up to standards|codacy.{1,8}s analysis summary|coverage summary", "analysis summary")),
    unless=re.compile(r"not up to standards|⛔|❌|:x:|\b[1-9]\d* new (?:\w+ )?issue", re.I),
)
DEEPSOURCE = Bot(
    boilerplate=phrases((r"code health analysis|analysis summary", "analysis summary")),
    unless=re.compile(r"❌|:x:|\bfail(?:ed|ure)\b", re.I),
)
VERCEL = Bot(boilerplate=phrases((r"^\[vc\]:|vercel for github", DEPLOYMENT)), unless=BAD)
NETLIFY = Bot(boilerplate=phrases((r"deploy preview|latest deploy log", DEPLOYMENT)), unless=BAD)
CLOUDFLARE = Bot(boilerplate=phrases((r"^#+ deploying\b", DEPLOYMENT)), unless=BAD)
DEPENDABOT = Bot(
    boilerplate=phrases((r"\w", "dependency notice")),
    unless=re.compile(r"\b(?:ca(?:n.{1,8}t|nnot)|could(?: not|n.{1,8}t)|unable|failed|error)\b", re.I),
)

SERVICES: dict[str, Bot] = {
    "sonarqubecloud": SONAR,
    "sonarcloud": SONAR,
    "codecov": CODECOV,
    "github-advanced-security": SECURITY,
    "codacy-production": CODACY,
    "deepsource-io": DEEPSOURCE,
    "vercel": VERCEL,
    "netlify": NETLIFY,
    "cloudflare-workers-and-pages": CLOUDFLARE,
    "dependabot": DEPENDABOT,
}
