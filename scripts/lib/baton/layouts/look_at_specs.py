"""What a story of another tool comes to as baton would begin it: its words, its phases, and what it lacks."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from baton.artifacts.criteria import read_criteria
from baton.artifacts.document import read_document
from baton.artifacts.front_matter import YamlFault, load_yaml, split_front_matter
from baton.artifacts.kinds import check_artifact
from baton.artifacts.story_file import find_title
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import Project
from baton.layouts.find_specs import FoundSpec, name_of, without_kind
from baton.layouts.headings import find_items, find_text, find_texts
from baton.layouts.read_phases import FoundPhase, hold_against_git, number_anew, read_phases
from baton.text import one_line

UNCLEAR = "[NEEDS CLARIFICATION"
DOUBTS = ("plan/unknown-mark", "plan/unbracketed-mark", "plan/open-fence", "plan/nested-fence")


class SpecReader(NamedTuple):
    """Where specs are looked at: the project, its base, and the files base has."""

    project: Project
    git: Git
    base: str
    names: Sequence[str]

    def text(self, path: str) -> str:
        """Return a document as it lies in the checkout; nothing for no path."""
        return read_document(self.project.root / path) if path else ""

    def was_there(self, path: str) -> bool:
        """Whether base ever had a file."""
        return bool(self.base and self.git.do("log", "-1", "--format=%H", self.base, "--", path))

    def has_as_it_is(self, path: str) -> bool:
        """Whether base has a file as it lies in the checkout."""
        blob = self.git.blob(self.base, path) if self.base else None
        return blob == (self.project.root / path).read_bytes()


class Spec(NamedTuple):
    """A story of another tool as baton would begin it.

    `missing` are criteria, or what is unclear of them; `fault` is what no criteria can make up for.
    """

    found: FoundSpec
    title: str
    text: str = ""
    criteria: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    phases: tuple[FoundPhase, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    fault: BatonError | None = None

    @property
    def criteria_in(self) -> tuple[str, ...]:
        """The documents its criteria stand in: its story and those of criteria; its plan, where neither is."""
        documents = self.found.documents
        return (*documents.get("story", ())[:1], *documents.get("criteria", ())) or documents.get("plan", ())[:1]

    @property
    def lacks(self) -> tuple[str, ...]:
        """All that keeps it from being begun."""
        return (f"{self.fault.what} at {self.fault.where}",) if self.fault else self.missing

    @property
    def closed(self) -> int:
        return sum(one.closed for one in self.phases)

    @property
    def where(self) -> str:
        """Say at which phase it would begin."""
        if self.found.is_over:
            return f"{self.found.entry.status} there"
        if not self.phases:
            return "planning"
        first = next((at for at, one in enumerate(self.phases, 1) if not one.closed), 0)
        return f"phase {first} of {len(self.phases)}" if first else "every phase closed"


def look_at(reader: SpecReader, found: FoundSpec) -> Spec:
    """Read a story of another tool; of one that cannot be read, or is not one, say why."""
    try:
        if found.rivals:
            remedy = "rename one of them, or begin one by --from with a layout of your own"
            raise BatonError(f"two folders of one number ({found.rivals[0]})", found.home, remedy)
        return _look_at(reader, found)
    except BatonError as fault:
        return Spec(found, one_line(found.entry.title or name_of(found)), fault=fault)


def _look_at(reader: SpecReader, found: FoundSpec) -> Spec:
    story, plan = (reader.text(found.newest(kind)) for kind in ("story", "plan"))
    more = [reader.text(one) for one in found.documents.get("criteria", ())]
    headings = found.layout.headings
    criteria = _first_items([[story, *more], [found.entry.text], [plan]], headings.get("criteria", ()))
    numbered, anew = number_anew(read_phases(found.layout, plan))
    phases, held = hold_against_git(numbered, reader.names, reader.was_there)
    return Spec(
        found=found,
        title=one_line(found.entry.title or _title(story) or name_of(found)),
        text=_words(found, story, criteria),
        criteria=tuple(criteria),
        proposed=tuple(find_items(plan, headings.get("proposed", ()))),
        phases=tuple(phases),
        notes=(*held, *anew, *_plan_notes(reader, found.newest("plan"), plan, phases)),
        missing=tuple(f"clarification: {one}" for one in criteria if UNCLEAR in one)
        or (() if criteria else ("acceptance criteria",)),
    )


def _plan_notes(reader: SpecReader, path: str, plan: str, phases: Sequence[FoundPhase]) -> Iterator[str]:
    """Say what of a plan may be read otherwise than it was meant."""
    if not path:
        return
    if not reader.has_as_it_is(path):
        yield f"{path} is not committed on {reader.base or 'any branch'} as it is here: taken as it is here"
    for one in check_artifact("plan", plan, path):
        if one.rule in DOUBTS:
            yield f"{path}, {one.where}: {one.message}"
    if not phases:
        yield f"{path} names no phase: planning begins anew, and is told of it"


def _title(text: str) -> str:
    """Return a document's title: from its front matter, or its first heading."""
    try:
        head, body = split_front_matter(text)
        fields = load_yaml(head)
    except YamlFault:
        return without_kind(find_title(text))
    return (
        str(fields.get("title") or "")
        if isinstance(fields, dict) and fields.get("title")
        else without_kind(find_title(body))
    )


def _words(found: FoundSpec, story: str, criteria: Sequence[str]) -> str:
    """Return what is wanted: the whole document if baton reads its criteria alike, else its parts."""
    try:
        body = split_front_matter(story)[1]
    except YamlFault:
        body = story
    if story and read_criteria(body) == list(criteria):
        return body.strip()
    return found.entry.text or find_texts(body, found.layout.headings.get("text", ()))


def _first_items(groups: Sequence[Sequence[str]], titles: Sequence[str]) -> list[str]:
    """Return the criteria of the first texts that have any."""
    for texts in groups:
        if found := [one for text in texts for one in find_items(text, titles)]:
            return list(dict.fromkeys(map(one_line, found)))
    return []


def section_texts(reader: SpecReader, spec: Spec) -> dict[str, str]:
    """Return what the plan, or else the story, says under the headings every plan of baton has."""
    texts = [reader.text(spec.found.newest(kind)) for kind in ("plan", "story")]
    fields = ("edge_cases", "test_checkpoints", "risks")
    titles = spec.found.layout.headings
    return {
        one: next(filter(None, (find_text(text, titles.get(one, ())) for text in texts)), "") for one in fields
    }
