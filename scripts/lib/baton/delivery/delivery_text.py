"""The texts that go to GitHub in a story's name: its pull request, its merge, and nothing in them that acts."""

import re

from baton.delivery.destination import Destination
from baton.git.objects import commit_message
from baton.github.address import ALIASES, ISSUE, PullRequestRef
from baton.sanitize import ALL, sanitized
from baton.story.integrate.completion_report import report_text
from baton.story.run.commit_message import story_message
from baton.story.session.session import StorySession, base_commit_of
from baton.story.session.story_files import read_spec

LONGEST = 60_000  # GitHub takes 65,536 (renovatebot/renovate#2032)
# Where templates are, in the order GitHub looks; from a folder of several it takes none by itself.
TEMPLATE_FOLDERS = (".github/", "", "docs/")
TEMPLATE = re.compile(r"(?:\A|\0)100\d+ blob \w+\t((?:[\w.]+/)?pull_request_template(?:\.md|\.txt)?)(?=\0)", re.I)
COMMENT = re.compile(r"<!--.*?(?:-->\n?|\Z)", re.DOTALL)
# The marks of a template are those of the repository's own people: it keeps its links, pictures and HTML.
IN_TEMPLATE = tuple(rule for rule in ALL if rule.name not in ("link", "image", "html", "entity"))


def pull_text(story: StorySession, place: Destination) -> tuple[str, str]:
    """Return the title and the body of a story's pull request, which closes its issue when it is merged."""
    title = story_message(story, story.state.created.title).text.partition("\n")[0]
    issue = source_issue(story)
    elsewhere = issue is not None and issue.repository.lower() != place.repository.lower()
    named = f"{issue.repository if elsewhere else ''}#{issue.number}" if issue else ""
    closes = f"\n\nCloses {named}" if issue and issue.host == place.host else ""
    template = read_template(story)
    body = sanitized(report_text(story))[: LONGEST - len(template)]
    return title, "\n\n".join(filter(None, (f"{body}{closes}", template, f"{story_mark(story)}\n")))


def read_template(story: StorySession) -> str:
    """Return the repository's own template of a pull request, as base has it; empty for none."""
    git, base = story.git, base_commit_of(story)
    listed = [git.do("ls-tree", "-z", base, *filter(None, (folder,))) for folder in TEMPLATE_FOLDERS]
    names = TEMPLATE.findall("".join(listed))
    text = (git.blob(base, names[0]) or b"").decode(errors="replace")[:LONGEST] if names else ""
    return sanitized(COMMENT.sub("", text), IN_TEMPLATE)[: LONGEST // 3]


def merge_text(story: StorySession, head: str) -> tuple[str, str]:
    """Return the title and the message of a story's merge commit: the message says what was run on its head."""
    title = story_message(story, story.state.created.title).text.partition("\n")[0]
    return title, sanitized(commit_message(story.git, head).partition("\n\n")[2].strip())


def story_mark(story: StorySession, what: str = "") -> str:
    """Return the hidden mark by which a text of this story on GitHub is found again."""
    return f"<!-- baton:story {' '.join(filter(None, (story.id, what)))} -->"


def source_issue(story: StorySession) -> PullRequestRef | None:
    """Return the issue a story was made of; None for none."""
    match = ISSUE.match(read_spec(story).source)
    if match is None:
        return None
    host = ALIASES.get(match["host"], match["host"]).lower()
    return PullRequestRef(host, match["repository"], int(match["number"]))


def own_issue(story: StorySession, host: str, repository: str) -> int:
    """Return the number of the story's issue where it is in this repository; 0 for none, and for one elsewhere."""
    issue = source_issue(story)
    is_here = issue and (issue.host, issue.repository.lower()) == (host, repository.lower())
    return issue.number if issue and is_here else 0
