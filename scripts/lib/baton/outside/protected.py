"""Stub."""


def risky(path: str) -> bool:
    return path in (".baton.yaml", ".gitattributes") or path.startswith((".github/", ".claude/", ".husky/"))
