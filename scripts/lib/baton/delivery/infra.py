"""The words in a log which show that CI itself failed, and not the code that it ran."""

import re

ABSENT = r"(?:missing|undefined|required|not (?:been )?(?:set|found|configured|defined|provided))"
NAMED = r"(?-i:[A-Z0-9_]+_(?:TOKEN|SECRET|KEY|PASSWORD))"  # alone, any constant of the code's is called so
LACKS = rf"(?:secrets?|bindings?|api tokens?|(?:env(?:ironment)?(?: variables?)?|process\.env)\W{{1,3}}{NAMED})"
# What a runner's end and a lack of secrets or bindings look like in a log: as actions and tools are known to say
# it, else on a line that says error.
INFRA = re.compile(
    r"lost communication with the server|runner has received a shutdown signal|No space left on device"
    r"|Input required and not supplied: \S*(?:token|key|secret|password|credential|account)"
    r"|(?:##\[error\]|Error: )Username and password required|\bENEEDAUTH\b"
    r"|Could not load credentials from any providers|exactly one of .workload_identity_provider"
    r"|\bopts\.auth is required|HttpError: Bad credentials|Codecov token not found|: terminal prompts disabled"
    r"|secret \S+ is (?:required|not set)"
    rf"|necessary to set an? {NAMED}"
    rf"|(?:##\[error\]|\berror[:\]] ){NAMED} (?:is )?(?:not set|required|missing)\b(?! in\b)"
    rf"|\berror\b.*\b(?:(?:missing|no such) (?:required )?{LACKS}\b"
    rf"|{LACKS}\b.{{0,60}}\b{ABSENT})",
    re.I,
)
