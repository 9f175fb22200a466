"""The names that a template of the user's may use: what was there once stays."""

from collections.abc import Iterator
from typing import Any

from baton.report.report_data import as_plain
from bench import Bench
from report.samples import report

DECISION = "time when facts rule action reason by"
RUN = "id phase task models minutes tokens usd result unknown seen_by lasted"
TIMELINE = {
    "timeline": "bars heights ticks shortened lasted left_out",
    "timeline.bars": "lane label about tone began lasted x width row",
    "timeline.heights": "runs waits checks questions github",
}
# Of a story and of a round.
ONE = {
    "": """kind id title state tone base branch commit url updated built timeline runs total decisions commits
        checks hosted artifacts criteria not_verified files added removed undo undo_why left_out""",
    **TIMELINE,
    "runs": RUN,
    "total": RUN,
    "decisions": DECISION,
    "hosted": DECISION,
    "commits": "id subject",
    "checks": "name commit passed result lasted output",
    "artifacts": "kind run path verdict",
    "criteria": "name text result evidence",
    "files": "path added removed added_share removed_share",
    "left_out": "runs decisions commits checks hosted artifacts criteria not_verified files",
}
# Of all stories.
USED = """runs minutes tokens requests input cache_read cache_write write_5m write_1h output_at_least seconds usd
    unpriced runs_not_known"""
COUNTED = "rule times when"
EVERY = {
    "": "kind stories of not_read figures made",
    "stories": "id title state tone runs questions minutes lasted tokens usd timeline href",
    **{f"stories.{name}": names for name, names in TIMELINE.items()},
    "figures": """stories changed_from changed_to outcomes with_a_question in_all by_role by_model questions
        failed_attempts""",
    "figures.in_all": USED,
    "figures.by_role": "planner implementer qa",
    "figures.by_role.qa": USED,
    "figures.questions": COUNTED,
    "figures.outcomes": "merged undone complete_not_merged abandoned waiting_for_you under_way not_begun",
}


def names_in(value: Any, at: str = "") -> Iterator[str]:
    """Give the names by which data is reached, those of a list's rows by the name of the list."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield f"{at}{name}"
            yield from names_in(one, f"{at}{name}.")
    if isinstance(value, list):
        for one in value:
            yield from names_in(one, at)


def written(names: dict[str, str]) -> set[str]:
    return {f"{at}.{name}".removeprefix(".") for at, words in names.items() for name in words.split()}


def test_a_report_has_every_name_it_had() -> None:
    assert set(names_in(as_plain(report()))) == written(ONE)


def test_a_story_has_these_names_whatever_is_known_of_it(bench: Bench) -> None:
    bench.new()
    data = bench.baton("report", "42", "--json").json
    assert set(data) == set(ONE[""].split())
    assert set(names_in(data)) <= written(ONE)


def test_the_report_of_all_stories_has_every_name_it_had(judging: Bench) -> None:
    judging.judge()
    assert written(EVERY) <= set(names_in(judging.baton("report", "--all", "--json").json))


def test_a_name_that_is_gone_is_noticed() -> None:
    data = as_plain(report())
    del data["timeline"]["shortened"]
    assert written(ONE) - set(names_in(data)) == {"timeline.shortened"}
