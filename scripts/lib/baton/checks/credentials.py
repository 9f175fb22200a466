"""Whether a command's output says that it lacks a credential, which is never supplied."""

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
PATTERN = re.compile("|".join(f"(?:{one})" for one in WANTED), re.MULTILINE)


def wants_credential(output: str) -> bool:
    """Whether the output of a command that failed asks for a credential or says that one is missing."""
    return PATTERN.search(output) is not None
