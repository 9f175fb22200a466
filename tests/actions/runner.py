"""GitHub's runner, as far as the workflow needs one: each job in a clone and a home of its own, by its shell."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from baton.commands.init_verb import workflow_text
from fake_github.hub import Hub

REPOSITORY = "octo/app"
URL = f"https://github.com/{REPOSITORY}.git"
TESTS = Path(__file__).parents[1]
EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")
REFUSES = "#!/bin/sh\necho 'Permission to octo/app.git denied to github-actions[bot].' >&2\nexit 1\n"
# The plugin's checkout: the program itself, with `work.py` in place of `run`, for the supervisor and the model.
PROGRAM = f"""#!/bin/sh
export PYTHONPATH={TESTS.parent / "scripts/lib"}:{TESTS}
[ "$1" = run ] && shift && exec {sys.executable} {Path(__file__).with_name("work.py")} "$@"
exec {sys.executable} -c 'from baton.cli import main; raise SystemExit(main())' "$@"
"""


def load_workflow(text: str = "") -> Any:
    """Read a workflow as GitHub does: `on` is a word."""

    class Loader(yaml.SafeLoader):
        pass

    bools = "tag:yaml.org,2002:bool"
    found = {key: [one for one in some if one[0] != bools] for key, some in Loader.yaml_implicit_resolvers.items()}
    Loader.yaml_implicit_resolvers = found
    Loader.add_implicit_resolver(bools, re.compile("true|false"), list("tf"))
    return yaml.load(text or workflow_text("v0.1.0"), Loader)


@dataclass
class Ran:
    """How a job ended, what it printed, and what it put out."""

    code: int
    out: str
    outputs: dict[str, Any] = field(default_factory=dict)


@dataclass
class Runner:
    """Runs jobs of the workflow on a bare repository, which takes pushes from those with a token alone."""

    place: Path
    remote: Path
    hub: Hub
    secrets: dict[str, str] = field(default_factory=lambda: {"ANTHROPIC_API_KEY": "sk-model-4f1c9a"})
    program: str = PROGRAM
    runs: int = 100
    between: Any = None  # what somebody does to the artifacts, before a job takes them

    @property
    def artifacts(self) -> Path:
        return self.place / "artifacts"

    def run(self, event: str, payload: dict[str, Any], **roles: str) -> list[Ran]:
        """Run the workflow for an event; `roles` say how the work goes. Gives each job that ran, in order."""
        self.runs += 1
        claimed = self.job("claim", event, payload)
        ran = [claimed]
        for name in ("work", "land"):
            for story in claimed.outputs.get(name, []):
                ran.append(self.job(name, event, payload, story, claimed.outputs, roles))
        return ran

    def job(
        self, name: str, event: str, payload: dict[str, Any], story: str = "", given: dict[str, Any] | None = None,
        roles: dict[str, str] | None = None,
    ) -> Ran:  # fmt: skip
        """Run one job in a workspace and a home of its own."""
        workflow = load_workflow()
        job, work = workflow["jobs"][name], self.place / f"{self.runs}-{name}-{story or 'all'}"
        for place in (work, *([self.artifacts] if name == "claim" else [])):
            shutil.rmtree(place, ignore_errors=True)
        (work / "home").mkdir(parents=True)
        (work / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        values = {
            "matrix.story": story, "github.token": self.hub.token,
            "secrets.ANTHROPIC_API_KEY": self.secrets["ANTHROPIC_API_KEY"],
            "secrets.BATON_TOKEN || github.token": self.secrets.get("BATON_TOKEN") or self.hub.token,
            "secrets.BATON_TOKEN != ''": str("BATON_TOKEN" in self.secrets).lower(),
        }  # fmt: skip
        values |= {f"env.{key}": value for key, value in workflow["env"].items()}
        environment = self._environment(work, event) | _filled({**workflow["env"], **job.get("env", {})}, values)
        environment["ROLES"] = json.dumps(roles or {})
        ran = Ran(0, "")
        for step in job["steps"]:
            self._step(step, work, environment, values, ran, name)
        outputs = dict(line.split("=", 1) for line in _lines(work / "output"))
        return Ran(ran.code, ran.out, {key: json.loads(value) for key, value in outputs.items()})

    def _environment(self, work: Path, event: str) -> dict[str, str]:
        kept = ("PATH", "GH_CONFIG_DIR", "GH_NO_UPDATE_NOTIFIER", "GH_PROMPT_DISABLED")
        files = {
            "HOME": "home", "GITHUB_WORKSPACE": "", "GITHUB_EVENT_PATH": "event.json", "GITHUB_PATH": "path",
            "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary",
        }  # fmt: skip
        told = {
            "GITHUB_EVENT_NAME": event, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_RUN_ID": str(self.runs),
            "GITHUB_REF": "refs/heads/main", "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/baton.yml@refs/heads/main",
            "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip
        own = {key: str(work / name) for key, name in files.items()}
        return {**{key: os.environ[key] for key in kept}, **own, **told}

    def _step(
        self, step: Any, work: Path, environment: dict[str, str], values: dict[str, str], ran: Ran, name: str
    ) -> None:
        if ran.code and step.get("if") != "always()":
            return
        if "work != '[]'" in step.get("if", "") and "work=[]" in _lines(work / "output"):
            return
        if "uses" in step:
            self._use(step, work, _filled(step.get("with", {}), values), name)
            return
        assert "${{" not in step["run"]
        more = _filled(step.get("env", {}), values)
        path = os.pathsep.join([*reversed(_lines(work / "path")), environment["PATH"]])
        words = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
        done = subprocess.run(
            words, cwd=work / "project", env={**environment, **more, "PATH": path},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        ran.code, ran.out = ran.code or done.returncode, ran.out + done.stdout

    def _use(self, step: Any, work: Path, given: dict[str, str], name: str) -> None:
        action = step["uses"].partition("@")[0]
        if action == "actions/checkout" and given["path"] == "baton":
            _write_program(work / "baton/bin/baton", self.program)
            _write_program(work / "baton/bin/npm", 'echo "npm $*"\n')
        elif action == "actions/checkout":
            self._check_out(work, given)
        elif action == "actions/upload-artifact":
            if (work / given["path"]).is_dir():
                shutil.copytree(work / given["path"], self.artifacts / given["name"])
        else:
            assert action == "actions/download-artifact"
            if self.between:
                self.between(name, self.artifacts)
            found = self.artifacts / (given.get("name") or given["pattern"])
            shutil.copytree(found, work / given["path"], dirs_exist_ok=True) if found.is_dir() else None

    def _check_out(self, work: Path, given: dict[str, str]) -> None:
        """Clone; what keeps no credentials can read the remote, and push nothing to it."""
        place = self.remote
        if given.get("persist-credentials") == "false":
            place = work / "reads.git"
            place.mkdir()
            for path in self.remote.iterdir():
                if path.name == "HEAD":
                    shutil.copy(path, place)
                elif path.name != "hooks":
                    (place / path.name).symlink_to(path)
            _write_program(place / "hooks/pre-receive", REFUSES)
        settings = f'[url "{place}"]\n\tinsteadOf = {URL}\n[safe]\n\tdirectory = *\n'
        (work / "home/.gitconfig").write_text(settings, encoding="utf-8")
        words = ("git", "clone", "--quiet", "--no-local", URL, str(work / "project"))
        subprocess.run(words, env={"HOME": str(work / "home"), "PATH": os.environ["PATH"]}, check=True)


def _write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}", encoding="utf-8")
    path.chmod(0o755)


def _filled(found: dict[str, Any], values: dict[str, str]) -> dict[str, str]:
    """Return settings with their expressions carried out; one that is not known here is an error."""
    said = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in found.items()}
    return {key: EXPRESSION.sub(lambda one: values[one[1]], value) for key, value in said.items()}


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
