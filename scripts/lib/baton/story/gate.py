"""The one gate before base: what a story would bring there that its user must know of, whoever put it there."""

import os
import posixpath
from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from baton.artifacts.file_name import folded, is_git_folder, is_test
from baton.artifacts.findings import shown
from baton.git.objects import commit_message, read_object
from baton.git.papers import changes_between
from baton.git.store import LINK, SUBMODULE, Entry
from baton.git.submodules import is_published
from baton.journal.events import Answered, Judged, QuestionAsked
from baton.project.protected import hooks_folder, risky
from baton.secrets.scan import DIFF, added, secrets_in
from baton.story.session import StorySession
from baton.story.story_files import reported_files

Changes = Mapping[str, tuple[Entry | None, Entry | None]]
# What the run that made it can put right itself: it is refused at its hand-in.
RUNS_FAULTS = ("secret", "link", "twin", "git-name")


NO_TEXTS: Mapping[str, str] = MappingProxyType({})


class Concern(NamedTuple):
    """What the user must know of: its sort, in words, and named by its content, so that it is asked about once."""

    sort: str
    told: str
    key: str


def what_would_land(
    story: StorySession, base: str, tree: str, texts: Mapping[str, str] = NO_TEXTS
) -> list[Concern]:
    """Return what the user must know of in a tree, and in texts by what they are; what they allowed aside."""
    changed = changes_between(story.git, base, tree)
    code = {name: sides for name, sides in changed.items() if not story.papers.has(name)}
    found = [
        *_of_files(story, code),
        *_lost(story, code),
        *_twins(story, code, tree),
        *_secrets(story, base, tree, {**texts, **_names_of(changed)}),
    ]
    allowed, told = _allowed(story)
    return [one for one in dict.fromkeys(found) if one.key not in allowed and f", {one.told}, " not in told]


def messages_of(story: StorySession, base: str, tip: str) -> dict[str, str]:
    """Return the messages of the commits that base does not have, each by what it is."""
    commits = story.git.do("rev-list", f"{base}..{tip}", "--").split()
    return {f"the message of {one[:12]}": commit_message(story.git, one) for one in commits}


def _names_of(changed: Changes) -> dict[str, str]:
    """Return the names of files, one a line, by the folder they are in: a name may itself be the secret."""
    names = dict[str, str]()
    for name in changed:
        above = f"a file's name in {shown(name.rpartition('/')[0]) or 'the top folder'}"
        names[above] = f"{names.get(above, '')}{name}\n"
    return names


def _of_files(story: StorySession, code: Changes) -> Iterator[Concern]:
    """What is no plain file of this repository, and what machines carry out by themselves."""
    hooks = hooks_folder(story.git)
    for name, (_, now) in code.items():
        key = f"{name} {now.id if now else '0' * 40}"
        if risky(name, hooks):
            yield Concern("protected", shown(name), key)
        if now and any(map(is_git_folder, name.split("/"))):
            yield Concern("git-name", f"{shown(name)}, which some file system takes for git's own", f"git {key}")
        if now and now.mode == LINK and (to := _leads_out(story, name, now)):
            yield Concern("link", f"{shown(name)}, a link that leads out of the repository: {to}", f"link {key}")
        if now and now.mode == SUBMODULE and not is_published(story.project, now.id):
            told = f"{shown(name)}, a submodule at {now.id[:12]}, which no remote is known to have"
            yield Concern("submodule", told, f"submodule {key}")


def _leads_out(story: StorySession, name: str, link: Entry) -> str:
    """Return where a link leads if that is outside of the repository, or inside git's own folder."""
    to = read_object(story.git, link.id).content.decode(errors="replace")
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(name), to)).split("/")
    return shown(to) if to.startswith("/") or reached[0] == ".." or any(map(is_git_folder, reached)) else ""


def _lost(story: StorySession, code: Changes) -> Iterator[Concern]:
    """What base has and would lose, unless a report names it; a test that nobody else saw go, even then."""
    reported, unseen = reported_files(story), not story.state.count("qa")
    for name, (before, now) in code.items():
        if before and now is None and (not covers_path(reported, name) or (unseen and is_test(name))):
            why = "a test, which no QA run saw go" if covers_path(reported, name) else "which no report names"
            yield Concern("lost", f"{shown(name)} is gone, {why}", f"gone {name} {before.id}")


def _twins(story: StorySession, code: Changes, tree: str) -> Iterator[Concern]:
    """New names that some file system takes for another's: they differ by case, or by what cannot be seen."""
    if not (new := [name for name, (before, _) in code.items() if before is None]):
        return
    known = dict[str, list[str]]()
    for name in story.git.do("ls-tree", "-r", "-z", "--name-only", tree).split("\0")[:-1]:
        known.setdefault("/".join(map(folded, name.split("/"))), []).append(name)
    for name in new:
        if others := [one for one in known.get("/".join(map(folded, name.split("/"))), ()) if one != name]:
            told = f"{shown(name)}, which some file systems take for {shown(others[0])}"
            yield Concern("twin", told, f"twin {name} {others[0]}")


def _secrets(story: StorySession, base: str, tree: str, texts: Mapping[str, str]) -> Iterator[Concern]:
    """What looks like a secret in added lines and in texts: where it is, never the secret itself."""
    lines = added(story.git.do(*DIFF, base, tree, "--")).items()
    numbered = [(shown(path), rows) for path, rows in lines]
    numbered += [(what, list(enumerate(text.split("\n"), 1))) for what, text in texts.items()]
    for where, rows in numbered:
        for one in secrets_in("\n".join(text for _, text in rows), os.environ):
            (line, text), *more = rows[one.line - 1 :]
            told = f"what looks like a secret ({one.kind}) in {where}, line {line}"
            # It is known by its line, as baton writes its papers anew; how a block begins says too little.
            text += "".join(text for _, text in more[:3]) if "BEGIN" in text else ""
            yield Concern("secret", told, f"secret {_digest(text)}")


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def covers_path(names: Collection[str], path: str) -> bool:
    """Whether one of the names is a path, or a folder it lies in."""
    return any(f"{path}/".startswith(f"{one.rstrip('/')}/") for one in names)


def _allowed(story: StorySession) -> tuple[set[str], str]:
    """Return the keys of what the user accepted, and what older questions, which have no keys, told of."""
    allowed, told, asked = set[str](), "", None
    for event in story.state.events:
        if isinstance(event, QuestionAsked | Judged) and event.question:
            asked = event.question
        elif isinstance(event, Answered) and asked and event.option == "accept":
            allowed |= {*asked.get("allows", ())}
            if asked["rule"] == "run/protected" and "allows" not in asked:
                told += f", {asked.get('about', '').partition(' ')[2]}, "
    return allowed, told
