"""What the user does: work in a project, call baton from a shell, sit before the client."""

import json
import os
import pty
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from baton.git.command import find_project
from baton.journal.journal import Journal
from baton.journal.state import State, fold
from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script
from baton_lab.scripted_client.terminal import ENTER, Terminal
from client.actors import marked
from client.orchestrator import orchestrate
from inventory import Inventory, take
from users_work import Call, losses

NewDesk = Callable[[Mapping[str, Script]], Desk]
PLUGIN = Path(__file__).parents[2]
CONFIG = "base: main\nintegrate: {mode: local}\ncommands: {test: python3 -m unittest -q}\n"
MODULE_OFF = {"BATON_MODULE": "off"}
# What heads a question of baton's in the client's dialog.
OURS = "☐ baton"
MERGED = "story 42: Subtract"


def baton(project: Path, *words: str, text: str = "") -> str:
    """Call the launcher as the user in a shell does: at a terminal, where there is nothing to read."""
    line = [str(PLUGIN / "scripts" / "baton"), *words]
    outside = {name: value for name, value in os.environ.items() if not name.startswith("CLAUDE")}
    own, terminal = pty.openpty()
    try:
        done = subprocess.run(
            line, cwd=project, env=outside, capture_output=True, text=True, check=False,
            **({"input": text} if text else {"stdin": terminal}),
        )  # fmt: skip
    finally:
        os.close(own)
        os.close(terminal)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def git(project: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=project, check=True, capture_output=True, text=True).stdout


def begin_story(project: Path, *more: str, config: str = CONFIG) -> Path:
    """Make a project with a story in it that was asked all it is asked at the start; gives the project."""
    (project / "calc.py").write_text("def add(a, b):\n    return a + b\n# more\n")
    (project / ".baton.yaml").write_text(config)
    (project / ".gitignore").write_text("__pycache__/\n.claude/\n")
    git(project, "config", "user.name", "t")
    git(project, "config", "user.email", "t@example.com")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "first")
    baton(project, "story", "new", "Subtract", "--id", "42", "--criterion", "calc.sub(3, 5) is -2", *more)
    assert "start/commands" in baton(project, "next", "42")
    baton(project, "answer", "42", "accept")
    return project


def allow(project: Path, *rules: str, **more: object) -> None:
    """Write the client's settings of this project."""
    (project / ".claude").mkdir(exist_ok=True)
    settings = {"permissions": {"allow": list(rules)}, **more}
    (project / ".claude" / "settings.local.json").write_text(json.dumps(settings))


def edits_in_trees(project: Path) -> str:
    """The one permission rule a story needs."""
    return f"Edit(/{project}/.claude/worktrees/**)"


def status(project: Path, story: str = "42") -> str:
    return str(json.loads(baton(project, "status", story, "--json"))["stories"][0]["status"])


def state_of(project: Path, story: str = "42") -> State:
    return fold(Journal(find_project(project).journal(story)).records)


def agents_sent(project: Path, story: str = "42") -> list[str]:
    return [one.split()[0] for one in happened(project, "dispatched", story)]


def happened(project: Path, kind: str, story: str = "42") -> list[str]:
    """Give the details of all events of a kind, oldest first."""
    events = json.loads(baton(project, "timeline", story, "--json"))["events"]
    return [event["detail"] for event in events if event["kind"] == kind]


def rules_after(project: Path, rule: str) -> list[str]:
    """Give the rules by which a story was decided since one of them first was, oldest first."""
    events = json.loads(baton(project, "timeline", "42", "--json"))["events"]
    decided = [
        event["rule"]
        for event in events
        if event["kind"] in ("judged", "integration-step-done", "question-asked", "completed")
    ]
    return decided[decided.index(rule) + 1 :]


def lost(project: Path, before: Inventory, **moved: str) -> list[str]:
    """Give what the user lost of their own work by a whole story, but for branches moved by hand to a commit."""
    refs = {f"refs/heads/{name}": commit for name, commit in moved.items()}
    return losses(Call(("next", "42"), 0, replace(before, refs={**before.refs, **refs}), take(project)))


def who_added(project: Path, text: str) -> list[str]:
    """Return the subjects of the commits that brought a text into `calc.py` on main or took it away."""
    return git(project, "log", "--no-merges", "--format=%s", "-S", text, "main", "--", "calc.py").splitlines()


def merges(project: Path) -> list[str]:
    return git(project, "log", "--first-parent", "--merges", "--format=%s", "main").splitlines()


def desk_of(new_desk: NewDesk, project: Path, **agents: Script) -> Desk:
    """Give a desk with baton and its permission rules: an orchestrator by the skill, and these agents."""
    allow(project, edits_in_trees(project))
    return new_desk({"main": orchestrate, **marked(agents)}).with_plugin_dir(PLUGIN)


def driven(desk: Desk) -> Desk:
    """Give the same desk with the client's module on, as it is without a setting."""
    return replace(desk, extra={name: value for name, value in desk.extra.items() if name not in MODULE_OFF})


@contextmanager
def unasked(desk: Desk, *words: str) -> Iterator[Terminal]:
    """Open the client (with more arguments) in a terminal; whatever is lived there, only baton asks."""
    with desk.terminal(*words) as terminal:
        yield terminal
    assert [prompt for prompt in terminal.prompts if OURS not in prompt] == []


def tell(terminal: Terminal, words: str, *until: str) -> None:
    """Type words and read on until the screen shows all that is expected of the answer."""
    terminal.type(words)
    terminal.wait_for(lambda: all(terminal.shows(text) for text in until))


def type_other(terminal: Terminal, words: str) -> None:
    """Choose the dialog's own line for words, and type them once it takes them."""
    terminal.wait_for(lambda: terminal.shows("Type something"))
    line = next(line for line in terminal.screen().splitlines() if "Type something" in line)
    number = line.split(".")[0][-1]
    press_until(terminal, number, "ctrl+g to edit")
    press_until(terminal, words[0], f"{number}. {words[0]}")
    terminal.press(words[1:])
    terminal.wait_for(lambda: terminal.shows(words))
    terminal.press(ENTER)


def press_until(terminal: Terminal, key: str, shown: str) -> None:
    """Press a key until the screen shows that it was taken: a dialog that was only just drawn takes none."""

    def is_shown() -> bool:
        terminal.press(key)
        for _ in range(20):
            if terminal.shows(shown):
                return True
            terminal.look()
        return False

    terminal.wait_for(is_shown)


def choose(terminal: Terminal, words: str, *until: str) -> None:
    """Choose an option in the client's dialog, or type it with words behind it, and read on as `tell` does."""
    terminal.wait_for(lambda: terminal.shows("Type something"))
    if ":" in words:
        type_other(terminal, words)
    else:
        found = re.search(rf"(\d)\. {words}[:\s]", terminal.screen())
        assert found, terminal.screen()
        terminal.answer = found[1]
        terminal.wait_for(lambda: not terminal.shows("Type something"))
        terminal.answer = None
    terminal.wait_for(lambda: all(terminal.shows(text) for text in until))


def written_down(desk: Desk, said: str) -> int:
    """Count how often what the client keeps of its conversations has the model say exactly this."""
    logs = desk.home.glob(".claude/projects/*/*.jsonl")
    return sum(log.read_text().count(f'"text":"{said}"') for log in logs)
