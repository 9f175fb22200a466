"""The one gate before base: what a story would bring there that its user must know of, whoever put it there."""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from baton.artifacts.file_name import folded, is_git_folder, is_test
from baton.artifacts.findings import shown
from baton.git.command import Git
from baton.git.objects import read_object
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
# What a commit holds of its signature, which is made of letters as a secret is.
SIGNATURE = re.compile(r"^(?:gpgsig|gpgsig-sha256|mergetag) .*\n(?: .*\n)*", re.M)
# As many as Linux follows (path_resolution(7)).
MOST_LINKS = 40
# Over how many lines a secret of a kind may go on, and how a key ends.
LONGEST = {"private key": 200, "bearer token": 5}
KEY_ENDS = re.compile(r"-----END |Private-MAC")

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
    old, new = Listing(story.git, base), Listing(story.git, tree)
    found = [
        *_secrets(story, base, tree, {**texts, **_names_of(changed)}),
        *_of_files(story, code),
        *_links(code, old, new),
        *_lost(story, code, new),
        *_twins(code, old, new),
    ]
    allowed, told = _allowed(story)
    first = {one.key: one for one in reversed(found)}
    asked = {one.key: first[one.key] for one in found}.values()
    return [one for one in asked if one.key not in allowed and f", {one.told}, " not in told]


def texts_of_commits(story: StorySession, base: str, tip: str) -> dict[str, str]:
    """Return what the commits that base does not have say, and add to files, also what later ones take out."""
    git, texts = story.git, dict[str, str]()
    for one in git.do("rev-list", f"{base}..{tip}", "--").split():
        text = read_object(git, one).content.decode(errors="replace")
        texts[f"the message of {one[:12]}"] = SIGNATURE.sub("", text)
    words = ("log", "--format=", "--no-show-signature", "--remerge-diff", *DIFF[1:], f"{base}..{tip}", "--")
    for name, lines in added(git.do(*words)).items() if texts else ():
        texts[f"a commit, of {shown(name)}"] = "\n".join(text for _, text in lines)
    return texts


class Listing:
    """All files and links of a tree, by name; they are listed when somebody asks."""

    def __init__(self, git: Git, tree: str) -> None:
        self.git, self.tree = git, tree

    @cached_property
    def modes(self) -> dict[str, str]:
        """The mode of each file, by its name."""
        rows = self.git.do("ls-tree", "-r", "-z", "--full-tree", self.tree).split("\0")[:-1]
        return {name: about[:6] for about, _, name in (row.partition("\t") for row in rows)}

    @cached_property
    def folders(self) -> set[str]:
        """The names of all folders that hold a file."""
        return {above for name in self.modes for above in _above(name)}

    def target(self, name: str) -> str:
        """Return where a link leads, as it is written."""
        return read_object(self.git, f"{self.tree}:{name}").content.decode(errors="surrogateescape")


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
        key = f"{name} {now.mode} {now.id}" if now else f"{name} {'0' * 40}"
        if risky(name, hooks):
            yield Concern("protected", shown(name), key)
        if now and any(map(is_git_folder, name.split("/"))):
            yield Concern("git-name", f"{shown(name)}, which some file system takes for git's own", f"git {key}")
        if now and now.mode == SUBMODULE and not is_published(story.project, now.id):
            told = f"{shown(name)}, a submodule at {now.id[:12]}, which no remote is known to have"
            yield Concern("submodule", told, f"submodule {key}")


def _links(code: Changes, old: Listing, new: Listing) -> Iterator[Concern]:
    """Links that lead out of the repository, changed or not: where one leads hangs on what lies on its way."""
    if not any(now and now.mode == LINK for _, now in code.values()):
        return
    for name in (one for one, mode in new.modes.items() if mode == LINK):
        is_old = name not in code and leads_out(old, name)
        if not is_old and leads_out(new, name):
            to = new.target(name)
            told = f"{shown(name)}, a link that leads out of the repository: {shown(to)}"
            yield Concern("link", told, f"link {name} {_digest(to)}")


def leads_out(listing: Listing, link: str) -> bool:
    """Whether a link leads out of the repository or into git's own folder, through whatever other links."""
    at, todo, followed = list[str](), link.split("/"), 0
    while todo:
        part = todo.pop(0)
        if (part == ".." and not at) or is_git_folder(part):
            return True
        if part == "..":
            at.pop()
        elif part not in ("", "."):
            at.append(part)
        if listing.modes.get("/".join(at)) == LINK and part not in ("", ".", ".."):
            to, followed = listing.target("/".join(at)), followed + 1
            if to.startswith("/") or followed > MOST_LINKS:
                return to.startswith("/")
            at.pop()
            todo = [*to.split("/"), *todo]
    return False


def _lost(story: StorySession, code: Changes, new: Listing) -> Iterator[Concern]:
    """What base has and would lose, unless a report names it; a test that nobody else saw go, even then."""
    reported, unseen = reported_files(story), not story.state.count("qa")
    for name in (one for one, (before, now) in code.items() if before and now is None):
        named = covers_loss(reported, name, new)
        if not named or (unseen and is_test(name)):
            why = "a test, which no QA run saw go" if named else "which no report names"
            yield Concern("lost", f"{shown(name)} is gone, {why}", f"gone {name} {_id(code[name][0])}")


def _id(entry: Entry | None) -> str:
    return entry.id if entry else ""


def _twins(code: Changes, old: Listing, new: Listing) -> Iterator[Concern]:
    """New names that some file system takes for another's: they differ by case, or by what cannot be seen."""
    if not (added_names := [name for name, (before, _) in code.items() if before is None]):
        return
    known = dict[str, list[str]]()
    for one in [*new.modes, *new.folders]:
        known.setdefault(_as_any_system(one), []).append(one)
    there = old.modes.keys() | old.folders
    for name in dict.fromkeys(part for one in added_names for part in (one, *_above(one)) if part not in there):
        if others := [one for one in known.get(_as_any_system(name), ()) if one != name]:
            told = f"{shown(name)}, which some file systems take for {shown(others[0])}"
            yield Concern("twin", told, f"twin {name} {others[0]}")


def _above(name: str) -> list[str]:
    """Return the folders a file is in, by their names from the top."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _as_any_system(name: str) -> str:
    return "/".join(map(folded, name.split("/")))


def _secrets(story: StorySession, base: str, tree: str, texts: Mapping[str, str]) -> Iterator[Concern]:
    """What looks like a secret in added lines and in texts: where it is, never the secret itself."""
    lines = added(story.git.do(*DIFF, base, tree, "--")).items()
    numbered = [(shown(path), rows) for path, rows in lines]
    numbered += [(what, list(enumerate(text.split("\n"), 1))) for what, text in texts.items()]
    for where, rows in numbered:
        for one in secrets_in("\n".join(text for _, text in rows), os.environ):
            (line, text), *more = rows[one.line - 1 :]
            told = f"what looks like a secret ({one.kind}) in {where}, line {line}"
            # It is known by its lines alone, as baton writes its papers anew.
            yield Concern(
                "secret", told, f"secret {_digest(_whole(one.kind, [text, *(text for _, text in more)]))}"
            )


def _whole(kind: str, lines: Sequence[str]) -> str:
    """Return the lines that a secret may go on over: another is not allowed because it begins alike."""
    some = lines[: LONGEST.get(kind, 1)]
    end = next((at for at, line in enumerate(some, 1) if KEY_ENDS.match(line)), len(some))
    return "\n".join(some[:end])


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def covers_path(names: Collection[str], path: str) -> bool:
    """Whether one of the names is a path, or a folder it lies in."""
    return any(f"{path}/".startswith(f"{one.rstrip('/')}/") for one in names)


def covers_loss(names: Collection[str], path: str, after: Listing) -> bool:
    """Whether one of the names is a path that is gone, or a folder of which nothing is left."""
    bare = {one.rstrip("/") for one in names}
    return path in bare or any(one in bare and one not in after.folders for one in _above(path))


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
