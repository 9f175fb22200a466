"""Whether a command's output says that it lacks a credential, which is never supplied, or the network.

What counts as a credential is in `secrets/`.
"""

import re

SECRET = r"\b[A-Z][A-Z0-9_]*(?:TOKEN|API_KEY|SECRET|PASSWORD|CREDENTIALS?|ACCESS_KEY)\b"
THING = rf"(?:{SECRET}|[Aa]ccess token|API (?:key|token)|[Cc]redentials?\b)"
# Each as the tool beside it says it.
WANTED = (
    r"could not read (?:Username|Password) for",  # git over HTTPS
    r"terminal prompts disabled",  # git that may not ask
    r"Permission denied \((?:publickey|password|keyboard-interactive)",  # ssh
    r"Host key verification failed",  # ssh
    r"\bENEEDAUTH\b|\bE401\b",  # npm
    r"(?:npm (?:ERR!|error)|curl:|fatal:|denied:).{0,80}(?:\b401\b|\b403\b|[Aa]uthenticat|[Aa]uthoriz)",
    r"[Aa]uthentication (?:is )?(?:required|failed)",  # docker, pip's indexes, git
    r"(?i:you are|you're) not (?:logged in|authenticated)",  # wrangler, gh, firebase
    r"(?i:please) (?:run|use) .{0,40}\b(?:login|auth)\b",  # npm, gcloud, az
    r"(?i:unable to locate credentials|NoCredentialProviders|could not load credentials)",  # AWS
    r"(?i:could not find default credentials|application default credentials)",  # Google
    rf"{SECRET}.{{0,60}}(?:not set|unset|missing|required|must be set|environment variable)",
    rf"(?:[Mm]issing|[Rr]equires?|[Ss]et (?:an?|the|your)) .{{0,30}}{THING}",
    r"^[ \t]*(?:(?i:username|password|passphrase)|Enter passphrase)[^:\n]{0,60}:[ \t]*$",  # nobody answered
    r"sudo: a (?:terminal|password) is required",
)
# What a registry, a proxy or a name server that is away looks like, each as the tools beside it say it. Where a
# program under test cannot reach what runs on this machine, that is a failure like any other.
AWAY = (
    r"[Cc]ould not resolve (?:host|proxy)|Temporary failure in name resolution|[Nn]etwork is unreachable",
    r"getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|ERR_PNPM_(?:META_FETCH_FAIL|NO_OFFLINE)",
    r"npm (?:ERR!|error) (?:network|code E(?:CONN|TIMEDOUT|NOTFOUND|NOTCACHED|AI_AGAIN))",
    r"trouble with your network connection",  # Yarn
    r"Could not fetch URL|\bpip\._vendor\.|\(from versions: none\)|Failed to fetch: `?https?://",  # pip, uv
    r"download of config\.json failed|failed to (?:download from|fetch|query replaced source registry) `",  # Cargo
    r"module lookup disabled by GOPROXY|proxyconnect tcp",
    r"dial tcp(?:: lookup| (?!127\.|\[::1?\]|0\.0\.0\.0)\S+: (?:i/o|connect))",  # Go, docker
    r"UnknownHostException: |Could not transfer artifact|Could not (?:GET|HEAD) '|for offline mode",  # Java
    r"Could not (?:reach host|fetch specs from)|Gem::RemoteFetcher::\w+Error|Bundler::HTTPError",  # Ruby
    r"external command [`'](?:git|curl)[`'] exited|could not download file from|error during download",  # Lean
    r"curl error \d+ while downloading",  # Composer
    r"could not read (?:Username|Password) for|terminal prompts disabled|Host key verification failed",  # git
    r"Permission denied \((?:publickey|password|keyboard-interactive)|\bENEEDAUTH\b|npm (?:ERR!|error) code E401",
)
OUT_OF_REACH = re.compile("|".join(f"(?:{pattern})" for pattern in AWAY))
# Lines of a test that has such words in its name or in what it expects.
OF_TESTS = re.compile(r"\s*(?:[✖✗✘●]|not ok\b|(?:--- )?FAIL)|.*\bFAILED$|(?i:.*\b(?:assert|expect))")
PATTERN = re.compile("|".join(f"(?:{pattern})" for pattern in WANTED), re.MULTILINE)


def wants_credential(output: str) -> bool:
    """Whether the output of a command that failed asks for a credential or says that one is missing."""
    return PATTERN.search(output) is not None


def was_out_of_reach(output: str) -> bool:
    """Whether a command that failed says that a registry, the network or its access was away."""
    lines = filter(OUT_OF_REACH.search, output.split("\n"))
    return any(not OF_TESTS.match(line) for line in lines)
