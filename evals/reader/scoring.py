"""What a reader made of bodies whose labels are known: right or not, by author; and whether it passes the gate.

A body is right where `says` is the label's or one of its `either`, and its findings are those of the label, one
for one: the words `has` of each stand in what a finding is about, on the same file. The gate: of people's work
nothing is lost, every quote stands in its text, and 96 of 100 bodies are right.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from baton.artifacts.data import load_object
from baton.artifacts.kinds import READING, check_artifact
from baton.artifacts.strict_yaml import YamlFault, load_yaml
from baton.feedback.plan.reader_run import brief_parts
from baton.feedback.reader.check_reading import CheckedReading, HeadFiles, ReadingFault, Share, check_reading
from baton.feedback.reader.items import text_of_findings
from baton.feedback.reader.reader_shares import KnownWords, OpenReading, ReaderShare
from baton.feedback.reader.readings import ReadFinding, ReadText
from baton.feedback.reader.texts import Text, cut_for_reader, divide_texts
from baton.text import restored

BODIES = Path(__file__).parent / "bodies"
GATE = 0.96
FRONT_MATTER = re.compile(r"---\n(.*?\n)---\n(.*)\Z", re.DOTALL)
ACTIONABLE = "actionable"


class Label(NamedTuple):
    """A thing that a body asks for: words that state it, and the place and severity that the body names."""

    has: str
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    severity: str | None = None


class Body(NamedTuple):
    """A body and its label: what it may say, the best first; what it asks for, and as how many findings."""

    name: str
    text: Text
    says: tuple[str, ...]
    findings: tuple[Label, ...]
    counts: tuple[int, ...]


class Score(NamedTuple):
    """What became of a body: why it is not right, and whether something it asks for reaches nobody.

    `details` is what the gate does not ask for: places and severities, each as it is labelled or not.
    """

    body: Body
    why: str = ""
    lost: bool = False
    details: tuple[tuple[str, bool], ...] = ()

    @property
    def right(self) -> bool:
        """Whether it is as the label has it."""
        return not self.why and not self.lost


def read_bodies(folder: Path) -> list[Body]:
    """Read the bodies of a folder, each a file: its label as front matter, and the text."""
    if not (paths := sorted(folder.rglob("*.md"))):
        raise click.ClickException(f"{folder}: no bodies there")
    return [read_body(path, path.relative_to(folder).as_posix()) for path in paths]


def read_body(path: Path, name: str) -> Body:
    """Read a body; a ClickException, with the file's name, for a label that cannot be read."""
    found = FRONT_MATTER.fullmatch(path.read_text("utf-8"))
    if not found:
        raise click.ClickException(f"{path}: begin with the label, between two lines `---`")
    try:
        label = load_yaml(found[1])
        findings = tuple(Label(**one) for one in label.get("findings", []))
        says = (label["says"], *label.get("either", []))
        text = _text(name, label, found[2].strip("\n"))
    except (KeyError, TypeError, YamlFault) as fault:
        raise click.ClickException(f"{path}: the label: {fault}") from fault
    return Body(name, text, says, findings, tuple(label.get("counts", [len(findings)])))


def _text(name: str, label: Mapping[str, Any], words: str) -> Text:
    """Return a body as `baton pr fetch` makes a text of it."""
    line = str(label["line"]) if label["surface"] == "inline" else ""
    return Text(
        name, label["surface"], label["author"], label["bot"], words, cut_for_reader(words), label.get("path"),
        line, label.get("threads", 0), label.get("after", ""),
    )  # fmt: skip


def readings_of(bodies: Sequence[Body]) -> OpenReading:
    """Divide the bodies among readers, as those of a pull request are."""
    parts = divide_texts(one.text for one in bodies)
    made = {f"pr1-r0-t{number}": ReaderShare(tuple(part)) for number, part in enumerate(parts, 1)}
    return OpenReading(1, "", "plan", made, dict[str, KnownWords]())


def score(body: Body, read: ReadText) -> Score:
    """Hold what was read of a body against its label."""
    if read.says not in body.says:
        lost = body.says[0] == ACTIONABLE and read.says != ACTIONABLE
        return Score(body, f"{read.says}, not {' or '.join(body.says)}", lost)
    if read.says != ACTIONABLE:
        return Score(body)
    found = list(_matches(body, read))
    missing = [wanted.has for wanted, one in found if one is None]
    details = tuple(detail for wanted, one in found if one for detail in _details(wanted, one))
    count, is_thread = len(read.findings), body.text.surface == "inline"
    why = f"nothing on {missing[0]!r}" if missing else ""
    if body.findings and not is_thread and not why and count not in body.counts:
        why = f"{count} findings, not {' or '.join(map(str, body.counts))}"
    return Score(body, why, _is_lost(body, read), details)


def _matches(body: Body, read: ReadText) -> Iterator[tuple[Label, ReadFinding | None]]:
    """Return each finding of the label with the one about it; several have the same where there are too few."""
    left = list(zip(read.findings, _parts(body, read), strict=True))
    is_shared = len(left) < len(body.findings)
    for wanted in body.findings:
        has = _flat(restored(wanted.has))
        near = [pair for pair in left if has in pair[1] or _flat(pair[0].quote) in has]
        there = [pair for pair in near if pair[0].path in (wanted.path, None) or wanted.path is None]
        quoted = [pair for pair in there if has in _flat(pair[0].quote) or _flat(pair[0].quote) in has]
        best = next(iter([*quoted, *there]), None)
        yield wanted, best and best[0]
        if best and not is_shared:
            left.remove(best)


def _is_lost(body: Body, read: ReadText) -> bool:
    """Whether something that a body asks for stands in nothing that is worked on."""
    [first, *more] = read.findings or [None]
    if body.says[0] != ACTIONABLE or first is None or body.text.surface == "inline" or not (more or first.path):
        return False  # nothing to lose, or the item is all of the text
    parts = _parts(body, read)
    wanted = [_flat(restored(one.has)) for one in body.findings]
    return any(not any(has in part for part in parts) for has in wanted)


def _parts(body: Body, read: ReadText) -> list[str]:
    """Return what whoever works on each finding is shown; a refused quote leaves none."""
    return [_flat(part) for part in text_of_findings(body.text.words, read.findings)] if read.findings else []


def _details(wanted: Label, found: ReadFinding) -> Iterator[tuple[str, bool]]:
    if wanted.path:
        place = (wanted.path, wanted.line, wanted.start_line)
        yield "places", (found.path, found.line, found.start_line) == place
    if wanted.severity:
        yield "severities", found.severity == wanted.severity


def _flat(text: str) -> str:
    return re.sub(r"[\s*_`#>~]+", " ", text).strip().lower()


def files_of(bodies: Sequence[Body]) -> HeadFiles:
    """Return the files that labels name, as those of the head."""
    named = {one.path for body in bodies for one in body.findings if one.path}
    return HeadFiles(frozenset(named | {one.text.path for one in bodies if one.text.path}), lambda name: 10**6)


def held(bodies: Sequence[Body], folder: Path) -> Iterator[tuple[Share, CheckedReading]]:
    """Return what was handed in, each reading held against its share."""
    reading, files = readings_of(bodies), files_of(bodies)
    for name in reading.shares:
        path = folder / f"{name}.yaml"
        if not path.exists():
            raise click.ClickException(f"{path}: no reading; `score briefs {folder}` writes what is to be read")
        text = path.read_text("utf-8")
        if found := check_artifact(READING, text, str(path)):
            raise click.ClickException("\n".join(map(str, found[:5])))
        yield reading.share(name), check_reading(load_object(text, READING), reading.share(name), files)


@click.group()
def main() -> None:
    """Score a reader of review feedback on bodies whose labels are known."""


bodies_option = click.option("--bodies", type=click.Path(path_type=Path, exists=True), default=BODIES)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@bodies_option
def briefs(folder: Path, bodies: Path) -> None:
    """Write what readers get into FOLDER, a file for each; what a reader hands in goes beside it, as NAME.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    reading = readings_of(read_bodies(bodies))
    for name in reading.shares:
        (folder / f"{name}.md").write_text("\n".join(brief_parts(reading, name)), encoding="utf-8")
    click.echo(f"{len(reading.shares)} briefs in {folder}")


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@bodies_option
def readings(folder: Path, bodies: Path) -> None:
    """Score the readings in FOLDER; exits with 1 where the gate is missed."""
    known = read_bodies(bodies)
    by_name = {one.name: one for one in known}
    scores, faults = list[Score](), list[ReadingFault]()
    for share, checked in held(known, folder):
        faults += [one._replace(where=f"{share.name} {one.where}") for one in checked.faults]
        read = {text.item: checked.texts.get(name, ReadText("nothing")) for name, text in share.texts.items()}
        scores += [score(by_name[name], one) for name, one in read.items()]
    click.echo("\n".join(report(scores, faults)))
    if not passes(scores, faults):
        raise SystemExit(1)


def passes(scores: Sequence[Score], faults: Sequence[ReadingFault]) -> bool:
    """Whether a reader may be let in."""
    lost = any(one.lost and not one.body.text.is_bot for one in scores)
    quotes_stand = all(one.rule != "quote" for one in faults)
    return quotes_stand and not lost and sum(one.right for one in scores) >= GATE * len(scores)


def report(scores: Sequence[Score], faults: Sequence[ReadingFault]) -> Iterator[str]:
    """Return what a reader came to, line by line."""
    for one in scores:
        if not one.right:
            yield f"{'LOST ' if one.lost else ''}{one.body.name}: {one.why or 'a part of it reaches nobody'}"
    yield from (f"{one.where} {one.rule}: {one.message}" for one in faults)
    everybody, right = Counter(map(_author, scores)), Counter(_author(one) for one in scores if one.right)
    yield ", ".join(f"{name} {right[name]}/{count}" for name, count in everybody.most_common())
    for who, is_bot in (("people", False), ("bots", True)):
        those = [one for one in scores if one.body.text.is_bot == is_bot]
        lost = sum(one.lost for one in those)
        yield f"{who}: {sum(one.right for one in those)} of {len(those)} right, work lost {lost}"
    details = Counter(detail for one in scores for detail in one.details)
    for what in ("places", "severities"):
        yield f"{what}: {details[what, True]} of {details[what, True] + details[what, False]} as labelled"
    share = sum(one.right for one in scores) / len(scores)
    gate = "passed" if passes(scores, faults) else "missed"
    yield f"all: {share:.1%} of {len(scores)} right, {len(faults)} faults: {gate}"


def _author(one: Score) -> str:
    return one.body.text.author if one.body.text.is_bot else "people"
