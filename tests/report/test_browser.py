"""A report in a real browser: it loads nothing and says nothing, fits any window, and no text in it acts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from baton.report.report_data import as_plain
from bench import Bench
from report.browser import Browser, browsing
from report.samples import page, report, stories
from report.test_inert import HOSTILE
from scenes import spend

WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LONG = "x" * 300
BIG = {
    name: list(getattr(report(), name)) * times for name, times in (("runs", 90), ("decisions", 60), ("files", 40))
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Give a browser, started once."""
    with browsing(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize(("text", "data"), [
    ("x", None), (" ".join(HOSTILE), None), (LONG, None), (" ".join(HOSTILE), stories()), (LONG, stories()),
    ("a/b", as_plain(report(**BIG))),
], ids=["plain", "hostile", "long", "all hostile", "all long", "big"])  # fmt: skip
def test_a_page_loads_nothing_says_nothing_and_fits(
    browser: Browser, tmp_path: Path, width: int, scheme: str, text: str, data: Any
) -> None:
    path = tmp_path / "report.html"
    path.write_text(page(text, data), encoding="utf-8")
    browser.show(path, width, scheme)
    assert browser.value(WIDE) <= 0
    assert [one["request"]["url"] for one in browser.named("Network.requestWillBeSent")] == [path.as_uri()]
    spoke = (
        "Log.entryAdded",
        "Runtime.consoleAPICalled",
        "Runtime.exceptionThrown",
        "Page.javascriptDialogOpening",
    )
    assert browser.named(*spoke) == []
    assert browser.value("document.querySelectorAll('script, img, iframe, object, link').length") == 0


def test_light_and_dark_are_two_and_the_table_stands_in_for_the_lanes(browser: Browser, tmp_path: Path) -> None:
    path, seen = tmp_path / "report.html", []
    path.write_text(page(), encoding="utf-8")
    for width, scheme in ((1400, "light"), (1400, "dark"), (400, "dark")):
        browser.show(path, width, scheme)
        lanes = browser.value("document.querySelector('.lanes').getBoundingClientRect().width > 0")
        table = browser.value("document.querySelector('.twin').getBoundingClientRect().width > 1")
        seen.append((browser.value(BACKGROUND), lanes, table))
    assert [one[1:] for one in seen] == [(True, False), (True, False), (False, True)]
    assert seen[0][0] != seen[1][0] == seen[2][0]


def test_what_a_page_would_load_and_a_page_that_is_too_wide_are_noticed(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(page().replace("<h1>", "<img src=x.png><p style='width:3000px'>a</p><script>a</script><h1>"))
    browser.show(path, 400, "light")
    assert browser.value(WIDE) > 0
    assert browser.named("Log.entryAdded")  # the policy of the page refuses both


def test_the_page_of_a_story_that_was_merged_is_one_to_look_at(browser: Browser, judging: Bench) -> None:
    spend(judging, 1_500_000)
    judging.judge()
    path = Path(judging.baton("report", "42", "--html").out.splitlines()[0])
    browser.show(path, 1400, "light")
    assert browser.value("document.querySelector('h1').textContent") == "Subtract numbers"
    assert browser.value("document.querySelectorAll('.lanes .bar').length") >= 3
    assert (browser.value(WIDE), len(browser.named("Network.requestWillBeSent"))) == (0, 1)
