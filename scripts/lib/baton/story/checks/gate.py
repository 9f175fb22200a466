"""The one gate before base: what a story would bring there that its user must know of, whoever put it there."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from baton.artifacts.file_name import is_git_folder, is_test
from baton.artifacts.findings import writable_name
from baton.git.listing import Listing, end_of, folders_above, name_twins
from baton.git.object_store import LINK, SUBMODULE
from baton.git.objects import read_object
from baton.git.paper_trees import Changes, changes_between
from baton.git.submodules import is_published
from baton.journal.events import Answered, Judged, QuestionAsked
from baton.project.protected_files import hooks_folder, risky_sort
from baton.secrets.scan import DIFF, added_lines, secrets_in
from baton.story.session.session import StorySession, papers_of
from baton.story.session.story_files import reported_files

# What the run that made it can put right itself: it is refused at its hand-in.
RUNS_FAULTS = ("secret", "link", "twin", "git-name")
# Over how many lines a secret of a kind may go on.
LONGEST = {"private key": 200, "bearer token": 5, "cookie": 9}


class Concern(NamedTuple):
    """Something the user must know of: its sort, in words, and a key by its content, so that it is asked once."""

    sort: str
    told: str
    key: str


def what_would_land(story: StorySession, base: str, tree: str, texts: Mapping[str, str]) -> list[Concern]:
    """Find what the user must know of in a tree and in named texts, but for what they allowed."""
    changed = changes_between(story.git, base, tree)
    code = {name: sides for name, sides in changed.items() if not papers_of(story).has(name)}
    old, new = Listing(story.git, base), Listing(story.git, tree)
    concerns = [
        *_secrets(story, base, tree, {**texts, **_names_of(changed)}),
        *_of_files(story, code),
        *_links(story, code, old, new),
        *_lost(story, code, new),
        *_twins(code, old, new),
    ]
    allowed, mentioned = _allowed(story)
    first = {concern.key: concern for concern in reversed(concerns)}
    asked = {concern.key: first[concern.key] for concern in concerns}.values()
    return [concern for concern in asked if concern.key not in allowed and f", {concern.told}, " not in mentioned]


def texts_of_commits(story: StorySession, base: str, tip: str) -> dict[str, str]:
    """Return the messages and added lines of the commits base lacks, also lines that later ones take out."""
    git, texts, span = story.git, dict[str, str](), f"{base}..{tip}"
    for commit in git.do("rev-list", span, "--").split():
        texts[f"the message of {commit[:12]}"] = read_object(git, commit).content.decode(errors="replace")
    if not texts:
        return texts
    diffs = [git.do("log", "--format=", "--no-show-signature", "--root", "--remerge-diff", *DIFF[1:], span, "--")]
    # Of a merge of three and more, that shows nothing.
    diffs += [
        git.do(*DIFF, f"{commit}^1", commit, "--")
        for commit in git.do("rev-list", "--min-parents=3", span, "--").split()
    ]
    for name, lines in [pair for diff in diffs for pair in added_lines(diff).items()]:
        what = f"a commit, of {_shown(name)}"
        texts[what] = "\n".join([*([texts[what]] if what in texts else []), *(text for _, text in lines)])
    names = git.do("log", "--format=", "--name-only", "--no-renames", "-m", "-z", span, "--").split("\0")
    return {**texts, **_names_of(name.strip("\n") for name in names)}


def _names_of(files: Iterable[str]) -> dict[str, str]:
    """Return the names of files, one a line, by the folder they are in: a name may itself be the secret."""
    names = dict[str, str]()
    for name in filter(None, dict.fromkeys(files)):
        above = f"a file's name in {_shown(name.rpartition('/')[0]) or 'the top folder'}"
        names[above] = f"{names.get(above, '')}{name}\n"
    return names


def _of_files(story: StorySession, code: Changes) -> Iterator[Concern]:
    """Find what is not a plain file of this repository, and what machines carry out by themselves."""
    hooks = hooks_folder(story.git)
    for name, (_, now) in code.items():
        key = f"{_named(name)} {now.mode} {now.id}" if now else f"{_named(name)} {'0' * 40}"
        if risky_sort(name, hooks):
            yield Concern("protected", _shown(name), key)
        if now and any(map(is_git_folder, name.split("/"))):
            yield Concern("git-name", f"{_shown(name)}, which some file system takes for git's own", f"git {key}")
        if now and now.mode == SUBMODULE and not is_published(story.project, now.id):
            message = f"{_shown(name)}, a submodule at {now.id[:12]}, which no remote is known to have"
            yield Concern("submodule", message, f"submodule {key}")


def _links(story: StorySession, code: Changes, old: Listing, new: Listing) -> Iterator[Concern]:
    """Find links that lead out, changed or not, and protected ones that lead to what is changed."""
    if not code:
        return
    hooks = hooks_folder(story.git)
    touched = any(side and side.mode == LINK for sides in code.values() for side in sides)
    for name in (path for path, mode in new.modes.items() if mode == LINK):
        is_risky = bool(risky_sort(name, hooks))
        end = end_of(new, name) if touched or is_risky else ""
        if end is None and (name in code or end_of(old, name) is not None):
            to = new.target(name)
            message = f"{_shown(name)}, a link that leads out of the repository: {_shown(to)}"
            yield Concern("link", message, f"link {_named(name)} {_digest(to)}")
        for path in code if end and is_risky else ():
            if covers_path([end or ""], path) and not risky_sort(path, hooks):
                key = f"{_named(path)} {' '.join(side.id for side in code[path][1:] if side)}"
                yield Concern("protected", f"{_shown(path)}, to which {_shown(name)} leads", key)


def _lost(story: StorySession, code: Changes, new: Listing) -> Iterator[Concern]:
    """Find what base would lose, unless a report names it; a test that nobody else saw go, even then."""
    reported, unseen = reported_files(story), not story.state.count("qa")
    for name, before in ((path, before) for path, (before, now) in code.items() if before and now is None):
        named = covers_loss(reported, name, new)
        if not named or (unseen and is_test(name)):
            why = "a test, which no QA run saw go" if named else "which no report names"
            yield Concern("lost", f"{_shown(name)} is gone, {why}", f"gone {_named(name)} {before.id}")


def _twins(code: Changes, old: Listing, new: Listing) -> Iterator[Concern]:
    """Find new names that some file system takes for another's."""
    for name, other in name_twins((name for name, (before, _) in code.items() if before is None), old, new):
        message = f"{_shown(name)}, which some file systems take for {_shown(other)}"
        yield Concern("twin", message, f"twin {_named(name)} {_named(other)}")


def _secrets(story: StorySession, base: str, tree: str, texts: Mapping[str, str]) -> Iterator[Concern]:
    """Find what looks like a secret in added lines and in texts: where it is, never the secret itself."""
    lines = added_lines(story.git.do(*DIFF, base, tree, "--")).items()
    numbered = [(_shown(path), rows) for path, rows in lines]
    numbered += [(what, list(enumerate(text.split("\n"), 1))) for what, text in texts.items()]
    for where, rows in numbered:
        for secret in secrets_in("\n".join(text for _, text in rows), os.environ):
            (line, text), *more = rows[secret.line - 1 :]
            message = f"what looks like a secret ({secret.kind}) in {where}, line {line}"
            # It is known by its lines alone, as baton writes its papers anew.
            whole = [text, *(text for _, text in more)][: LONGEST.get(secret.kind, 1)]
            yield Concern("secret", message, f"secret {_digest(chr(10).join(whole))}")


def _shown(name: str) -> str:
    """Return a name as it is shown: one that may itself be a secret by its folder alone."""
    if not secrets_in(name, os.environ):
        return writable_name(name)
    above = name.rpartition("/")[0]
    return f"a file in {writable_name(above) if above and not secrets_in(above, os.environ) else 'the top folder'}"


def _named(name: str) -> str:
    """Return a name for a key: by its digest where it may be a secret."""
    return f"a name {_digest(name)}" if secrets_in(name, os.environ) else name


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def covers_path(names: Collection[str], path: str) -> bool:
    """Whether one of the names is a path, or a folder it lies in."""
    return any(f"{path}/".startswith(f"{name.rstrip('/')}/") for name in names)


def covers_loss(names: Collection[str], path: str, after: Listing) -> bool:
    """Whether one of the names is a path that is gone, or a folder of which nothing is left."""
    bare = {name.rstrip("/") for name in names}
    return path in bare or any(folder in bare and folder not in after.folders for folder in folders_above(path))


def _allowed(story: StorySession) -> tuple[set[str], str]:
    """Return the keys of what the user accepted, and the words of older questions, which have no keys."""
    allowed, mentioned, asked = set[str](), "", None
    for event in story.state.events:
        if isinstance(event, QuestionAsked | Judged) and event.question:
            asked = event.question
        elif isinstance(event, Answered) and asked and event.option == "accept":
            allowed |= {*asked.get("allows", ())}
            if asked["rule"] == "run/protected" and "allows" not in asked:
                mentioned += f", {asked.get('about', '').partition(' ')[2]}, "
    return allowed, mentioned
