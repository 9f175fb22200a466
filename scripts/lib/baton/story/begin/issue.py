"""A story changed while it goes on: by the user's hand, or as its issue or the files it was made of changed."""

from typing import NamedTuple

from baton.artifacts.document import decode
from baton.artifacts.findings import Finding, faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.story_file import OWN_FIELDS, find_title, read_criteria, read_story
from baton.artifacts.strict_yaml import load_yaml, split_front_matter
from baton.errors import BatonError
from baton.journal.events import Confirmed, Edited
from baton.journal.state import OVER
from baton.story.ask.question import answer_to
from baton.story.begin.create import check_spec
from baton.story.begin.dependencies import check_dependencies
from baton.story.begin.origin import changed_since, last_confirmed
from baton.story.begin.source import story_with_sources
from baton.story.session.session import StorySession, base_commit_of
from baton.story.session.story_branch import put_on_branch, take_in_commits
from baton.story.session.story_files import accept_text, keep_text, kept_as_accepted, read_spec, text_of
from baton.templates.render import render
from baton.text import one_line

QUESTION = "Should the story be what its issue says now (accept), or stay as it is (restore)?"

HOLDS = (
    "Does the story hold as it is beside what its issue says now? accept keeps the new text for its planner, "
    "restore the old one; `baton story edit` changes the criteria"
)


class IssueChange(NamedTuple):
    """The change of a story's issue since it was read: all of it empty where there is none.

    `trouble` is why it is no open issue, or was not read. Where its text changed, `hash` is of that as it is now,
    `quote` the difference, and `text` the story.md that would be made of it; `source` is what its planner reads.
    """

    trouble: str = ""
    reason: str = ""
    hash: str = ""
    quote: str = ""
    text: str = ""
    source: str = ""


def was_settled(story: StorySession, digest: str) -> bool:
    """Whether the user has said that the story stays as it is beside this text of its issue."""
    return answer_to(story, _about(digest)) == "restore"


def keep_change(story: StorySession, change: IssueChange) -> dict[str, str]:
    """Keep the story that a changed issue would make, to be accepted; returns what the question says of it."""
    path = story.project.state / story.id / "issue.md"
    digest = accept_text(story, path, change.text)
    shown = {"artifact": str(path), "quote": change.quote, "question": QUESTION}
    if change.source:  # what was confirmed holds all the same
        shown |= {"question": HOLDS, "source": keep_text(story, change.source)}
    return {**shown, "about": _about(change.hash), "text": digest}


def take_change(story: StorySession, digest: str, source: str = "") -> None:
    """Replace story.md by the story that was kept by its hash, as if the user had written it.

    `source` is the hash of what the issue says now, where its planner reads the criteria from that.
    """
    if source:
        place = story.folder.artifact("source")
        accept_text(story, place, kept_as_accepted(story, source, place).decode())
    text = kept_as_accepted(story, digest, story.folder.artifact("story")).decode()
    if problems := edit_story(story, "story", text, "issue"):
        remedy = "answer `restore`, or change the story yourself: `baton story edit`"
        raise BatonError(f"the issue makes no story: {problems[0].message}", f"story {story.id}", remedy)


def read_again(story: StorySession, how: str) -> None:
    """Take back the criteria, for a planner that reads the sources as base has them now."""
    confirmed = last_confirmed(story)
    places = dict[str, str]()
    for path, name in changed_since(story, confirmed).items() if confirmed else ():
        data = story.git.blob(base_commit_of(story), name)
        places[path] = "" if data is None else f"{story.folder.relative}/source/{name}"
        if data is not None:
            accept_text(story, story.folder.path / "source" / name, decode(data, name))
    left = [place for path in read_spec(story).sources if (place := places.get(path, path))]
    if not left:
        remedy = "`accept` keeps the criteria, `abandon` closes the story"
        raise BatonError("nothing that it was made of is there any more", story.settings().base, remedy)
    text = story_with_sources(text_of(story, "story"), left)
    if story.settings().config.artifacts == "commit":
        put_on_branch(story, "story.md", text, "the sources are read again")
    story.note(Confirmed([], keep_text(story, text), how))
    accept_text(story, story.folder.artifact("story"), text)


def _about(digest: str) -> str:
    return f"the issue as {digest}"


def edit_story(story: StorySession, kind: str, text: str, how: str) -> list[Finding]:
    """Replace story.md or the plan by a text; returns what is wrong with it, and then nothing is written.

    It goes on the story branch first: where that cannot be moved, nothing is changed.
    """
    stage = story.state.stage
    if stage in OVER:
        remedy = f"`baton story new --from {story.folder.relative}` begins another"
        raise BatonError(f"the story is {stage}", f"story {story.id}", remedy)
    path = story.folder.artifact(kind)
    name = story.folder.relative_to_root(path)
    if problems := faults(check_artifact(kind, text, name)) or _without_criteria(kind, text, name, how):
        return problems
    if kind == "story":
        check_spec(story.folder.relative, text, name)
        check_dependencies(story.project, story.id, read_story(text).depends_on)
    if lost := take_in_commits(story):
        raise BatonError(lost, story.branch, f"`baton next {story.id}` asks about it")
    if text == text_of(story, kind):
        return []
    if story.settings().config.artifacts == "commit":
        put_on_branch(story, path.relative_to(story.folder.path).as_posix(), text, f"{kind} changed by hand")
    digest = accept_text(story, path, text)
    story.note(Edited(kind, name, digest, list(read_spec(story).criteria), how))
    return []


def _without_criteria(kind: str, text: str, name: str, how: str) -> list[Finding]:
    """Find that a text of the user's has no criteria; those of a changed issue may be left to its planner."""
    known = read_story(text) if kind == "story" else None
    if known is None or known.is_confirmed or (how == "issue" and known.sources):
        return []
    message = "no acceptance criterion: list at least one under `## Acceptance Criteria`"
    return [Finding(name, "end", "story/no-criteria", message)]


def retell_story(text: str, body: str, source: dict[str, object]) -> str:
    """Return a story.md with the text its issue has now; where that has no criteria, the former ones stay.

    Where a planner read them from the issue, they stay as well, and so do title and body.
    """
    head, before = split_front_matter(text)
    fields = load_yaml(head)
    body, title = (before, fields["title"]) if fields.get("sources") else (body, one_line(find_title(body)))
    return render(
        "adopted-story.md.j2",
        id=fields["id"],
        title=title,
        source=source,
        fields={name: value for name, value in fields.items() if name not in OWN_FIELDS},
        body=body.strip(),
        criteria=[] if read_criteria(body) else read_criteria(before),
    )
