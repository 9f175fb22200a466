"""What a text holds in base64: only what can be read of it, so that pictures give nothing."""

import re
from base64 import b64decode
from collections.abc import Iterator

# One run, on several lines too; what stands before the secret in it decides where its groups of four begin.
RUN = re.compile(r"[A-Za-z0-9+/_-]{24,}(?:\n[ \t>+]{0,4}[A-Za-z0-9+/_-]{4,})*")
BETWEEN_LINES = re.compile(r"\n[ \t>+]{0,4}")
URL_SAFE = str.maketrans("-_", "+/")
READABLE = re.compile(rb"[\t\n\r -~]{12,}")


def decoded(text: str) -> Iterator[tuple[int, str]]:
    """Give where each run of base64 begins, and what it says."""
    for run in RUN.finditer(text):
        plain = BETWEEN_LINES.sub("", run[0]).translate(URL_SAFE)
        for shift in range(4):
            whole = plain[shift : shift + (len(plain) - shift) // 4 * 4]
            left = plain[shift + len(whole) :]
            tail = left + "=" * (4 - len(left)) if len(left) > 1 else ""
            found = READABLE.findall(b64decode(whole + tail))
            if found:
                yield run.start(), b"\n".join(found).decode("ascii")
