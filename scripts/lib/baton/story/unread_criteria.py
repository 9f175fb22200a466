"""What a story was made of, held against the criteria that were read of it: what looks like one more is told."""

from collections.abc import Iterator
from typing import NamedTuple

from baton.artifacts.demanded import uncovered
from baton.artifacts.document import decode
from baton.artifacts.file_name import name_fault
from baton.artifacts.story_file import Story
from baton.story.papers import all_files
from baton.story.question import was_accepted
from baton.story.session import StorySession
from baton.story.story_files import digest_of, text_of
from baton.text import fit_columns, one_line, plural, visible

MOST, LONG = 20, 80  # lines that are named, and columns of each


class UnreadCriteria(NamedTuple):
    """What the question says, the file to look at, and by which name the texts are accepted; empty for nothing."""

    reason: str = ""
    path: str = ""
    about: str = ""


def find_unread(story: StorySession) -> UnreadCriteria:
    """Find the lines that look like criteria and that none holds, but in texts that were accepted as they are."""
    known = story.story()
    criteria = (*known.criteria, *known.deferred)
    texts, found = dict(_texts(story, known)), dict[str, str]()
    for path, text in texts.items():
        for one in uncovered(text, criteria):
            found.setdefault(one.text, f"{path}:{one.number}")
    about = f"criteria of {digest_of(chr(0).join(texts.values()))}"
    if not found or was_accepted(story, about):
        return UnreadCriteria()
    # Whose words an issue's are is not known any more: of them, the places alone are told.
    words = ["" if known.source_hash else f"  {fit_columns(visible(one_line(text)), LONG)}" for text in found]
    lines = [f"  {place}{said}" for place, said in zip(found.values(), words, strict=True)]
    more = f"\n  and {len(lines) - MOST} more" if len(lines) > MOST else ""
    left_out = plural(len(lines), "line")
    reason = f"criteria that were read: {len(criteria)}; {left_out} beside them may be criteria, too:\n"
    return UnreadCriteria(reason + "\n".join(lines[:MOST]) + more, str(story.folder.artifact("story")), about)


def _texts(story: StorySession, known: Story) -> Iterator[tuple[str, str]]:
    """Return the texts by their paths: the documents of another tool in which its criteria stand, and story.md."""
    own = {f"{story.folder.relative}/{name}": data for name, data in all_files(story.folder).items()}
    for path in known.criteria_in:
        data = own.get(path) or (None if name_fault(path) else story.git.blob(story.base, path))
        if data is not None:
            yield path, decode(data, path)
    yield story.folder.relative_to_root(story.folder.artifact("story")), text_of(story, "story")
