"""Whether shell commands can have changed what git keeps: read from their text, when in doubt they can."""

import re
import shlex

GIT = re.compile(r"(?<![\w.-])git\s+([^\n;|&()`]*)")
# Any other mention, as of `xargs git` at a line's end.
OTHER = re.compile(r"(?<![\w.-])git(?=[\s;|&)`'\"]|\Z)")
FOLDER = re.compile(r"\.git(?=/|[\s'\"]|\Z)")
IN_FOLDER = re.compile(r"\b(?:rm|mv|cp|tee|sed|truncate|dd|ln|find|python3?|perl)\b|>|--output")
ELSEWHERE = re.compile(r"\b(?:cd|pushd)\s|\s-C\s*\S|--git-dir|--work-tree|GIT_DIR|GIT_WORK_TREE")
READS = frozenset({
    "blame", "cat-file", "check-attr", "check-ignore", "cherry", "count-objects", "describe", "diff", "diff-files",
    "diff-index", "diff-tree", "for-each-ref", "grep", "help", "log", "ls-files", "ls-remote", "ls-tree",
    "merge-base", "name-rev", "range-diff", "restore", "rev-list", "rev-parse", "shortlog", "show", "show-branch",
    "show-ref", "status", "var", "version", "whatchanged",
})  # fmt: skip
# What only lists, by the verb that also changes: one of these must follow it, and nothing that deletes or moves.
LISTS = {
    "branch": ("-a", "-r", "-v", "-vv", "-l", "--all", "--contains", "--list", "--merged", "--no-merged",
               "--remotes", "--show-current"),
    "config": ("--get", "--get-all", "--list", "-l", "get", "list"),
    "notes": ("list", "show"),
    "reflog": ("", "show"),
    "remote": ("", "-v", "get-url", "show"),
    "stash": ("list", "show"),
    "submodule": ("", "status"),
    "tag": ("", "-l", "--list", "--contains", "--points-at"),
    "worktree": ("list",),
}  # fmt: skip
NO_LIST = re.compile(r"-[a-z]*[dDmMf]|--(?:delete|move|force)")
TAKES_A_WORD = ("-C", "-c", "--git-dir", "--work-tree")


def changes_git(command: str) -> bool:
    """Whether a shell command calls git for anything but plainly reading, or writes into its folder."""
    if any(not _only_reads(call[1]) for call in GIT.finditer(command)) or OTHER.search(GIT.sub("", command)):
        return True
    return bool(FOLDER.search(command) and IN_FOLDER.search(command))


def leaves_its_tree(command: str) -> bool:
    """Whether a command that changes git may do so in another work tree than its own."""
    return bool(ELSEWHERE.search(command))


def _only_reads(words: str) -> bool:
    try:
        given = shlex.split(words)
    except ValueError:
        given = words.split()
    while given and given[0].startswith("-"):
        given = given[2 if given[0] in TAKES_A_WORD else 1 :]
    verb, *more = given or ["help"]
    if verb == "branch" and not more:
        return True
    return verb in READS or (
        verb in LISTS and (more or [""])[0] in LISTS[verb] and not any(map(NO_LIST.match, more))
    )
