"""What a probe is, and the lab it is tried in.

A probe is a function that tries one thing in the real client and returns what it saw, in a few words that are the
same each time. Its decorator says the question, the claim that the guide makes of the answer, and what is seen
while the claim holds. Compare with a control wherever "nothing happened" could have another cause:

    @probe(
        question="Can an agent start whose `tools` name nothing there is?",
        claim="An agent whose `tools` name no tool there is cannot be started.",
        expected="refused; with Read it runs",
    )
    def tools_unknown(lab: Lab) -> str:
        lab.write_agent("empty", tools="Nothing")
        lab.write_agent("reader", tools="Read")
        refused, control = (lab.start_agent(name) for name in ("empty", "reader"))
        ...
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from baton.process import run
from baton_lab.scripted_client.desk import Desk, Finished
from baton_lab.scripted_client.model import Model
from baton_lab.scripted_client.script import MAIN, Call, Script, Step, Talk, call, say

PLUGIN_NAME = "probe"
HEADLESS, TERMINAL = "`claude -p`", "the interactive client"
BYPASS = "bypassPermissions"
NOTIFIED = "<task-notification>"
NOTIFICATION = re.compile(r"(?s)<task-notification>(.*?)</task-notification>")
FIELD = re.compile(r"(?sm)^<([a-z-]+)>(.*?)</\1>")
WORKER = "You are worker."
TryOut = Callable[["Lab"], str]
Front = Mapping[str, Any]


class Probe(NamedTuple):
    """One experiment.

    `question` is what it asks; `claim` the sentence of the guide that holds while `expected` is seen; `scope` how
    the client was started: of other ways it says nothing.
    """

    name: str
    question: str
    claim: str
    expected: str
    scope: str
    try_out: TryOut


def probe(question: str, claim: str, expected: str, scope: str = HEADLESS) -> Callable[[TryOut], Probe]:
    """Make a probe of a function, named after it; probes of the interactive client need pexpect and pyte."""

    def make(try_out: TryOut) -> Probe:
        return Probe(try_out.__name__.replace("_", "-"), question, claim, expected, scope, try_out)

    return make


def steps(*all_steps: Step | list[Step]) -> Script:
    """Return the script that takes these steps, whatever it hears."""
    return lambda _: iter(all_steps)  # type: ignore[arg-type]


def start(agent: str, **given: Any) -> Call:
    """Return the call that starts an agent of the plugin."""
    asked = {"description": agent, "prompt": f"do it, {agent}", "subagent_type": f"{PLUGIN_NAME}:{agent}"}
    return call("Agent", **{**asked, **given})


def waited(agent: str, **given: object) -> Call:
    """Return the call that starts an agent and waits for its report."""
    return start(agent, run_in_background=False, **given)


def until(condition: str, then: str = "true", first: str = "true") -> Call:
    """Return the call that waits, at most twenty seconds, for a file or a shell test, between two commands."""
    test = condition if " " in condition else f"[ -e {condition} ]"
    return call("Bash", command=f"{first}; for i in $(seq 200); do {test} && break; sleep 0.1; done; {then}")


def once_heard(text: str, before: Script, *after: Step) -> Script:
    """Return the script that plays another, ends its turns until it hears a text, then takes more steps."""

    def play(talk: Talk) -> Iterator[Step]:
        yield from before(talk)
        while text not in f"{talk.result}{talk.news}":
            yield say("on")
        yield from after

    return play


def definition(text: str, front: Front) -> str:
    """Return a definition: a text with these keys as its front matter."""
    lines = [f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in front.items()]
    return "\n".join(["---", *lines, "---", text, ""])


class Played(NamedTuple):
    """A run of the client: how it ended, and the model that was asked."""

    done: Finished
    model: Model

    def heard(self, role: str = MAIN) -> str:
        """Return all the tool results and news a role heard, oldest first."""
        asked = self.model.of(role)
        return "\n".join(text for one in asked for text in (*one.talk.results, one.talk.news) if text)

    def results(self, role: str) -> list[str]:
        """Return what a role heard of each of its steps, in order: the results of parallel calls in one text."""
        return [one.talk.result for one in self.model.of(role)[1:]]

    def notifications(self, role: str = MAIN) -> list[dict[str, str]]:
        """Return the fields of each task notification a role got, oldest first."""
        return [dict(FIELD.findall(text)) for text in NOTIFICATION.findall(self.heard(role))]

    def tools(self, role: str = MAIN) -> list[str]:
        """Return the names of the tools a role was offered at first, in order; none where it never spoke."""
        asked = self.model.of(role)
        return sorted(tool["name"] for tool in asked[0].request["tools"]) if asked else []

    def parameters(self, tool: str) -> list[str]:
        """Return the parameters of a tool that the main conversation was offered at first; none without it."""
        tools = self.model.of(MAIN)[0].request["tools"]
        return [key for one in tools if one["name"] == tool for key in one["input_schema"]["properties"]]

    def system(self, role: str = MAIN) -> str:
        """Return a role's system prompt as JSON; empty where it never spoke."""
        asked = self.model.of(role)
        return json.dumps(asked[0].request.get("system", ""), ensure_ascii=False) if asked else ""

    def spoke(self, role: str) -> bool:
        """Whether a role was asked at all."""
        return bool(self.model.of(role))


class Lab:
    """A fresh repository, a plugin named `probe` and a home, for the client to be tried in."""

    def __init__(self, client: Path, folder: Path, stack: ExitStack) -> None:
        self.client = client
        self.folder = folder
        self.project = folder / "project"
        self.plugin = folder / PLUGIN_NAME
        self.home = folder / "home"
        self.project_agents = self.project / ".claude" / "agents"
        self._stack = stack
        self.make_repository(self.project)
        about = {"name": PLUGIN_NAME, "version": "1.0.0", "description": "what is tried"}
        self.write_json(self.plugin / ".claude-plugin" / "plugin.json", about)

    def make_repository(self, folder: Path) -> None:
        """Make a git repository with one commit."""
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch", "main", folder=folder)
        self.git("commit", "--quiet", "--allow-empty", "--message", "first", folder=folder)

    def commit(self, message: str, **files: str) -> None:
        """Commit these files of the project, by name, with these texts; without files, an empty commit."""
        for name, text in files.items():
            self.git("add", "--", str(self.write(self.project / name, text)))
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def git(self, *words: str, folder: Path | None = None) -> str:
        """Run git in the project, or in another folder; returns what it prints."""
        person = ("-c", "user.name=Probe", "-c", "user.email=probe@example.com")
        done = run(["git", *person, *words], folder or self.project)
        assert done.code == 0, done.said
        return done.out.strip()

    def write(self, path: Path, text: str) -> Path:
        """Write a file, its folders made; returns its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_json(self, path: Path, data: object) -> Path:
        """Write a JSON file, its folders made; returns its path."""
        return self.write(path, json.dumps(data))

    def write_agent(self, agent: str, text: str = "", folder: Path | None = None, **keys: Any) -> Path:
        """Write an agent's definition, of the plugin unless a folder is given; returns its path.

        Its system prompt says `You are AGENT.` unless a text is given: that is the role its model plays.
        """
        front = {"name": agent, "description": f"does the work of {agent}", **keys}
        path = (folder or self.plugin / "agents") / f"{agent}.md"
        return self.write(path, definition(text or f"You are {agent}.", front))

    def write_skill(self, skill: str, text: str, front: Front | None = None, plugin: bool = False) -> None:
        """Write a skill, of the project or the plugin."""
        path = (self.plugin if plugin else self.project / ".claude") / f"skills/{skill}/SKILL.md"
        self.write(path, definition(text, {"name": skill, "description": "d", **(front or {})}))

    def write_command(self, command: str, text: str, front: Front | None = None, plugin: bool = False) -> None:
        """Write a command, of the project or the plugin."""
        path = (self.plugin if plugin else self.project / ".claude") / f"commands/{command}.md"
        self.write(path, definition(text, {"description": "d", **(front or {})}))

    def log_hooks(self, *events: str, answer: object = None) -> None:
        """Have hooks of the plugin note what they are told of these events, and give an answer."""
        log = "{ cat; echo; } >> " + str(self.folder) + "/%s.jsonl; echo '" + json.dumps(answer or {}) + "'"
        hooks = {event: [{"hooks": [{"type": "command", "command": log % event}]}] for event in events}
        self.write_json(self.plugin / "hooks" / "hooks.json", {"hooks": hooks})

    def hook_calls(self, event: str) -> list[dict[str, Any]]:
        """Return what the hooks that note an event were told, oldest first."""
        path = self.folder / f"{event}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines if line]

    def desk(self, scripts: Mapping[str, Script], **variables: str) -> Desk:
        """Return the client in front of the project with the plugin, and a model that plays these scripts."""
        model = self._stack.enter_context(Model(scripts))
        extra = {"CLAUDE_CODE_TMPDIR": str(self.folder), **variables}
        return Desk(self.client, model, self.home, self.project, extra=extra).settle().with_plugin_dir(self.plugin)

    def play(
        self,
        main: Script | Sequence[Step],
        *words: str,
        prompt: str = "go",
        agents: Mapping[str, Script] | None = None,
        mode: str = "acceptEdits",
        **variables: str,
    ) -> Played:
        """Run the client with `-p` and more words; `agents` are scripts by a text of the system prompt."""
        script = main if callable(main) else steps(*main)
        desk = self.desk({MAIN: script, **(agents or {})}, **variables)
        return Played(desk.headless(prompt, "--permission-mode", mode, *words), desk.model)

    def send(
        self, agent: str, *tried: Step, words: Sequence[str] = (), mode: str = BYPASS, **given: Any
    ) -> Played:
        """Have the main conversation wait for an agent of the plugin that takes these steps."""
        main = steps(start(agent, **{"run_in_background": False, **given}), say("all done"))
        return self.play(main, *words, agents={f"You are {agent}.": steps(*tried, say("done"))}, mode=mode)

    def start_agent(self, agent: str, script: Script | None = None, *words: str, **given: Any) -> Played:
        """Have the main conversation start an agent of the plugin, which plays a script, and end."""
        main = steps(start(agent, **given), say("all done"))
        return self.play(main, *words, agents={f"You are {agent}.": script or steps(say("done"))})
