"""The rules on the pages of the stages: read strictly, and a table only when needed.

A line that baton does not know is refused, by its number: nothing is guessed or skipped.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast, get_args

from baton.rules.engine import Action, AdviceKind, Answer, Row, RowQuestion, Table, Value
from baton.rules.page_lines import PageLine, RuleText, read_rules, sections_of, two_cells_of
from baton.rules.sources import BUDGETS, LEADS_TO, SOURCES, Source

ANSWER = re.compile(r"`([a-z]+(?:-[a-z]+)*)`(?: → ([a-z-]+))?")
RULE_NAME = re.compile(r"[a-z]+(?:-[a-z]+)*/[a-z]+(?:-[a-z]+)*")
ANSWERS = re.compile(rf"{ANSWER.pattern}(?:, {ANSWER.pattern})*")
# `{name}` is filled in, `{{name}}` is the text `{name}`; any other brace stands for itself.
BRACES = re.compile(r"(\{\{|\}\}|\{[a-z_]+\})|[{}]")
UNCLOSED = re.compile(r"\{[a-z_]+(?![a-z_:}])")
PLACEHOLDER = re.compile(r"(?<!\{)\{([a-z_]+)\}")
ASKS = ("Decide", "Authorize", "Act")
# It shows the question that is open already.
OPEN_QUESTION = "in-progress/question"
NEEDED = ("When", "Then", "Because")
FIELDS = (*NEEDED, "If", "Charges", "Told", *ASKS, "Advice", "Closes", "Here", "Answers")
# What each text may hold in braces, beside what a table tells its reasons.
NAMES = {
    "Told": ("closed", "total"),
    "Answers": ("allowance", "base", "end", "run"),
}
ADVICE = get_args(AdviceKind)
Domain = Mapping[str, tuple[Value, ...]]


@cache
def table_of(name: str) -> Table:
    """Return a table from its page; a BatonError names the line of the first fault."""
    source = SOURCES[name]
    head, *rest = _rules_sections(source.page)[name]
    rules, rows = read_rules(rest), list[Row]()
    domain = domain_of(source.facts, tuple(rule.name.text for rule in rules))
    for rule in rules:
        row = _row(rule, source, domain)
        _check_reached(rule, row, rows, domain)
        rows.append(row)
    missing = open_case(rows, domain) if source.total and "outcome" not in domain else {}
    case = ", ".join(f"{fact}: {values[0]}" for fact, values in (missing or {}).items())
    head.check(rows and not missing, f"no rule of `{name}` fits where {case}")
    return Table(name, source.facts, tuple(rows), source.total, source.skill_stage)


def _rules_sections(page: str) -> dict[str, list[PageLine]]:
    """Return the lines of the rules of each table of a page, by name; a BatonError for unknown or missing ones."""
    names = {f"Rules `{name}`": name for name, source in SOURCES.items() if source.page == page}
    sections = sections_of(page)
    for title, (head, *_) in sections.items():
        head.check(not title.startswith("Rules") or title in names, f"`{title}`: nothing asks for these rules")
    for title in names:
        PageLine(page, 1, "").check(title in sections, f"no section `{title}`")
    return {name: sections[title] for title, name in names.items()}


def check_pages() -> None:
    """Read all tables; a BatonError for the first fault."""
    for name in SOURCES:
        table_of(name)


def story_tables() -> tuple[Table, ...]:
    """Return the tables that a story passes through, in order."""
    return tuple(table_of(name) for name, source in SOURCES.items() if source.skill_stage)


def domain_of(facts: type, outcomes: tuple[str, ...]) -> Domain:
    """Return the possible values of each fact of a class; an outcome is the name of one of the table's rules."""
    kinds = facts.__annotations__
    values = {bool: (False, True), str: outcomes}
    return {name: values.get(kind) or get_args(kind) for name, kind in kinds.items()}


@cache
def words_of(page: str) -> dict[str, str]:
    """Return the effects of answers in words, by `option target`, from a page, else from `ask.md`."""
    words = {} if page == "ask" else dict(words_of("ask"))
    for line in sections_of(page).get("Answers", ())[1:]:
        line.check(not line.text.startswith(("-", "*", "  ")), f"what answers do is a table: `{line.text[:40]}`")
        if line.text.startswith("| `"):
            named, does = two_cells_of(line)
            option, _, targets = named.partition(" → ")
            words |= {f"{option[1:-1]} {target}": _text(line._replace(text=does), "Answers")
                      for target in (targets or option[1:-1]).split(", ")}  # fmt: skip
    return words


def _row(rule: RuleText, source: Source, domain: Domain) -> Row:
    name, fields = rule.name, rule.fields
    name.check(RULE_NAME.fullmatch(name.text), f"`{name.text}` is not the name of a rule, as `qa/fail` is")
    # Elsewhere nobody reads these fields.
    unread = {"Charges": not source.charges, "Told": not source.judges_runs, "Closes": source.page != "deliver"}
    for key, line in fields.items():
        line.check(key in FIELDS and not unread.get(key), f"a rule has no field `{key}` here")
        line.check(line.text or key == "Answers", f"`{key}` says nothing")
    needed = {*NEEDED, *(["Charges"] if source.charges else [])}
    needed |= {"If"} - fields.keys() if "outcome" not in domain else set()
    name.check(fields.keys() >= needed, f"`{name.text}` has no {', '.join(sorted(needed - fields.keys()))}")
    action, then = _then(fields["Then"])
    question = _question(rule, source) if rule.answers or fields.keys() & {*ASKS, "Advice", "Answers"} else None
    asks = action in ("ask", "escalate") and name.text != OPEN_QUESTION
    name.check(asks or not question, f"`{name.text}` does not ask, and has answers")
    name.check(question or not asks, f"`{name.text}` asks without a question")
    return Row(
        rule=name.text,
        when=fields["When"].text,
        facts=_facts(fields.get("If", name._replace(text=f"outcome: {name.text}")), domain),
        action=action,
        reason=_text(fields["Because"], source.names.split()),
        then=then,
        charges=_charges(fields.get("Charges")),
        asks=question,
        told=_text(fields["Told"], "Told") if "Told" in fields else "",
        text="\n".join(rule.lines).strip(),
    )


def _then(line: PageLine) -> tuple[Action, str]:
    action, _, then = line.text.partition(" ")
    then = then or ("integrate" if action == "integrate" else "")
    known = action in get_args(Action) and then in LEADS_TO.get(action, ("",))
    line.check(known, f"`{line.text}` is nothing that baton does")
    return cast(Action, action), then


def _charges(line: PageLine | None) -> str:
    if line is None or line.text == "nothing":
        return ""
    budget = line.text.strip("`")
    line.check(budget in BUDGETS, f"there is no budget `{budget}`")
    return budget


def _facts(line: PageLine, domain: Domain) -> dict[str, tuple[Value, ...]]:
    """Read a condition: `fact`, `not fact`, `fact: value or value`, joined by commas; `nothing above` for none."""
    facts = dict[str, tuple[Value, ...]]()
    for part in () if line.text == "nothing above" else line.text.replace("`", "").split(", "):
        name, valued, values = part.removeprefix("not ").partition(": ")
        accepted = tuple(values.split(" or ")) if valued else (not part.startswith("not "),)
        line.check(not (valued and part.startswith("not ")), f"`{part}`: name the values that fit")
        line.check(name in domain, f"there is no fact `{name}`: there are {', '.join(domain)}")
        line.check(name not in facts, f"the fact `{name}` stands twice")
        unknown = ", ".join(f"`{value}`" for value in accepted if value not in domain[name])
        known = " or ".join(map(str, domain[name]))
        line.check(not unknown, f"the fact `{name}` is never {unknown}: it is {known}")
        facts[name] = accepted
    return facts


def _question(rule: RuleText, source: Source) -> RowQuestion:
    name, fields = rule.name, rule.fields
    kinds = [key for key in ASKS if key in fields]
    name.check(len(kinds) == 1, f"`{name.text}` is to have exactly one of {', '.join(ASKS)}")
    name.check("Advice" in fields and rule.answers, f"`{name.text}` asks without advice or answers")
    closes, names = fields.get("Closes"), source.asks.split()
    if closes:
        closes.check(closes.text == "by itself", f"a question closes by itself, and not `{closes.text}`")
    options = dict[str, Answer]()
    for line in rule.answers:
        for option, answer in _answers(line, source):
            line.check(option not in options, f"`{option}` is offered twice")
            options[option] = answer
    closing = source.answers.closing
    offers_one = not closing or any(option in options for option in closing)
    name.check(offers_one, f"`{name.text}` does not offer `{'` or `'.join(closing)}`")
    kind, asked = cast(Any, kinds[0].lower()), _text(fields[kinds[0]], names)
    recommended, advice = _advice(fields["Advice"], names, options)
    return RowQuestion(kind, recommended, options, asked, advice, bool(closes), _local_answers(rule, options))


def _advice(line: PageLine, names: Collection[str], options: Collection[str]) -> tuple[Any, str]:
    """Read an advice: its kind, and behind it the option that is recommended and why."""
    kind, _, words = line.text.partition(": ")
    line.check(kind in ADVICE, f"there is no advice `{kind}`: {', '.join(ADVICE)}")
    named = any(f"`{option}`" in words for option in options)
    line.check(named, f"an advice says which answer, and why, as `{kind}: `{next(iter(options))}`, once …`")
    return kind, _text(line._replace(text=words if kind == "continue" else line.text), names)


def _local_answers(rule: RuleText, options: Collection[str]) -> tuple[str, ...]:
    """Return the answers that count in the client and in a terminal alone."""
    line = rule.fields.get("Here")
    named = tuple(line.text.replace("`", "").split(", ")) if line else ()
    if line:
        line.check({*named} <= {*options}, f"`{line.text}` are not answers that are offered")
    return named


def _answers(line: PageLine, source: Source) -> Iterator[tuple[str, Answer]]:
    """Read an item: one answer with its words, or several whose words stand for all rules of the page."""
    listed, own, does = line.text.partition(": ")
    line.check(ANSWERS.fullmatch(listed), f"no answer as ``name` → target`: `{listed[:40]}`")
    answers = ANSWER.findall(listed)
    line.check(not own or len(answers) == 1, "words are said of one answer")
    for option, target in answers:
        target = target or option
        known = target in source.answers.targets
        line.check(known, f"`{option}` leads to `{target}`, which baton does not know")
        words = (
            _text(line._replace(text=does), "Answers")
            if own
            else words_of(source.page).get(f"{option} {target}", "")
        )
        line.check(words, f"nothing says what `{option}` does that leads to `{target}`")
        yield option, Answer(target, words)


def _text(line: PageLine, names: str | Collection[str]) -> str:
    """Return words for `str.format`: known names are filled in, any other brace stays."""
    allowed = NAMES[names] if isinstance(names, str) else names
    unknown = ", ".join(f"{{{name}}}" for name in PLACEHOLDER.findall(line.text) if name not in allowed)
    line.check(
        not unknown, f"nothing fills {unknown} here: {', '.join(sorted(allowed)) or 'nothing'} can be named"
    )
    line.check(not UNCLOSED.search(line.text), "a brace is not closed")
    return BRACES.sub(lambda match: match[1] or match[0] * 2, line.text).replace("<br>", "\n")


def open_case(rows: Sequence[Row], domain: Domain) -> Domain | None:
    """Return a case that no row fits, as the values of each fact; None where some row always fits."""
    for at, row in enumerate(rows):
        fits = {fact: tuple(value for value in domain[fact] if value in row.facts[fact]) for fact in row.facts}
        if not all(fits.values()):
            continue
        left = dict(domain)
        for fact, accepted in fits.items():
            others = tuple(value for value in left[fact] if value not in accepted)
            case = open_case(rows[at + 1 :], {**left, fact: others}) if others else None
            if case:
                return case
            left[fact] = accepted
        return None
    return domain


def _check_reached(rule: RuleText, row: Row, above: list[Row], domain: Domain) -> None:
    for other in above:
        rule.name.check(other.rule != row.rule, f"a second rule `{row.rule}`")
        taken = all({*row.facts.get(fact, domain[fact])} <= {*values} for fact, values in other.facts.items())
        rule.name.check(not taken, f"`{row.rule}` is never chosen: `{other.rule}` above takes all of it")
