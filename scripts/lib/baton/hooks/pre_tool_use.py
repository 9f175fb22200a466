"""Answer the client's PreToolUse: most calls are let go before their input is even parsed.

This runs before every call of Bash and of a tool that edits: it imports next to nothing until a call is about
baton, or of one of its agents.
"""

import sys

LARGEST_INPUT = 1 << 24
# What a call that is about baton holds, once what a shell takes out is out; one of baton's agents names itself so.
ABOUT_BATON = (b"baton", b"launch.py")
SMALL_SCRIPTS = (b"validate-handoff", b"resume-context", b"cluster-brief")


def main() -> int:
    """Take the hook's input from stdin and print the decision, if any; give the exit code, always 0."""
    raw = sys.stdin.buffer.read(LARGEST_INPUT + 1)
    while len(raw) > LARGEST_INPUT and sys.stdin.buffer.read(LARGEST_INPUT):
        pass  # a client that is still writing must not meet a closed pipe
    if answer := decide(raw):
        print(answer)
    return 0


def decide(raw: bytes) -> str:
    """Take the hook's input; give the line to print, empty when the client is to decide by itself."""
    bare = raw.replace(b"\\\\\\n", b"").translate(None, b"'\"\\").lower()
    own = __file__.rsplit("/", 5)[0].encode(errors="surrogateescape").lower()
    if not any(script in bare for script in (*ABOUT_BATON, *SMALL_SCRIPTS, own)):
        return ""
    from baton.hooks.whose_call import (
        judge_input,
    )  # JSON alone takes as long to load as Python: few calls need it

    return judge_input(raw if len(raw) <= LARGEST_INPUT else b"", b'"agent_' in raw)
