"""The files a run may edit with the client's tools, by its role and the kind of path.

It is read before every edit of an agent: it imports nothing.
"""

WORKERS = ("implementer", "micro-delivery", "pr-comment-resolver")
READERS = ("planner", "qa")
# Of each kind of path: what it is, whose runs may edit it, and what the others are told.
WRITES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "git": ("git's own folder, or a record of baton's", (), "git's own folder is not yours to edit"),
    "outside": (
        "a path outside of the run's work tree", (), "that is outside of your own work tree",
    ),
    "story": (
        "the `story.md` of a story", (), "only the user changes a story: hand in what is wrong with it",
    ),
    "plan": (
        "the plan of the run's story", ("implementer",), "the plan is written by `baton hand-in` alone",
    ),
    "papers": (
        "anything else in the story's folder", (),
        "the story's folder is written by `baton hand-in` alone: hand it in",
    ),
    "tracked": (
        "a file that git tracks", WORKERS, "you change no file: say in what you hand in what is to be changed",
    ),
    "new": ("any other file", (*WORKERS, *READERS), "you edit no file"),
}  # fmt: skip


def why_not_write(role: str, kind: str) -> str:
    """Return the reason a run of a role may not edit a path of a kind; empty where it may."""
    _, who, why = WRITES[kind]
    return "" if role in who else why
