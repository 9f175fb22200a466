"""The user changes a story, or its plan, by hand: from then on that is what holds, whatever is under way."""

from baton.artifacts.findings import Finding, faults
from baton.artifacts.kinds import check_artifact
from baton.artifacts.story_file import OWN_FIELDS, find_title, read_criteria, read_story
from baton.artifacts.strict_yaml import load_yaml, split_front_matter
from baton.errors import BatonError
from baton.journal.events import Edited
from baton.journal.state import OVER
from baton.story.begin.create import find_spec_problem
from baton.story.begin.dependencies import check_dependencies
from baton.story.session.session import StorySession
from baton.story.session.story_branch import put_on_branch, take_in_commits
from baton.story.session.story_files import accept_text, read_spec, text_of
from baton.templates.render import render
from baton.text import one_line


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
        what, remedy = find_spec_problem(story.folder.relative, text)
        if what:
            raise BatonError(what, name, remedy)
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
