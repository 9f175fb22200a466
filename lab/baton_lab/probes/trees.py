"""Where a sub-agent works: its folder, and the work tree of one that is isolated."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from baton_lab.probes.permissions import write_settings
from baton_lab.probes.probe import WORKER, Lab, Played, probe, steps, waited
from baton_lab.scripted_client.script import Call, Step, Talk, call, say

PWD = call("Bash", command="pwd")
TREES = Path(".claude", "worktrees")


def send_isolated(lab: Lab, *tried: Step) -> Played:
    """Have an agent with `isolation: worktree` take steps."""
    lab.write_agent("worker", isolation="worktree")
    return lab.send("worker", *tried)


def trees_and_branches(lab: Lab) -> set[str]:
    """Return the work trees and the branches of agents there are."""
    listed = lab.git("worktree", "list", "--porcelain").splitlines()
    trees = {one for one in listed if one.startswith("worktree ") and TREES.as_posix() in one}
    return trees | set(lab.git("branch", "--list", "--format=%(refname:short)", "worktree-agent-*").split())


def place(lab: Lab, heard: str) -> str:
    """Return a folder an agent was in, as seen from the project."""
    inside = Path(heard.strip()).relative_to(lab.project).as_posix()
    return re.sub(r"agent-[0-9a-f]+", "agent-ID", "the project" if inside == "." else inside)


@probe(
    question="In which folder does a sub-agent run its commands?",
    claim="An agent starts in the folder the main conversation is in, which a `cd` there changes; its own "
    "`cd` holds for one command only.",
    expected="starts in: lower; after its own `cd ..`: lower",
)
def agent_folder(lab: Lab) -> str:
    """Change the folder before an agent is started, and in the agent."""
    lab.write_agent("worker")
    (lab.project / "lower").mkdir()
    main: list[Step] = [
        call("Bash", command="cd lower"),
        waited("worker"),
        say("all done"),
    ]
    played = lab.play(main, agents={WORKER: steps(PWD, call("Bash", command="cd .."), PWD, say("done"))})
    first, _, last = played.results(WORKER)
    return f"starts in: {place(lab, first)}; after its own `cd ..`: {place(lab, last)}"


@probe(
    question="Where does an isolated agent work?",
    claim="With `isolation: worktree`, in its definition or in the call, an agent works in a git work tree of "
    "its own: `.claude/worktrees/agent-ID` in the project, on a branch `worktree-agent-ID`.",
    expected="definition: .claude/worktrees/agent-ID on worktree-agent-ID; call: the same",
)
def tree_place(lab: Lab) -> str:
    """Isolate an agent in both ways."""
    lab.write_agent("worker")
    branch = call("Bash", command="git branch --show-current")
    called = lab.send("worker", PWD, branch, isolation="worktree").results(WORKER)
    defined = send_isolated(lab, PWD, branch).results(WORKER)
    seen = [
        f"{place(lab, where)} on {re.sub(r'agent-[0-9a-f]+', 'agent-ID', on)}" for where, on in (defined, called)
    ]
    return f"definition: {seen[0]}; call: {'the same' if seen[0] == seen[1] else seen[1]}"


@probe(
    question="From which commit does an isolated agent start?",
    claim="A tree starts at the remote's default branch, so it lacks what you have not pushed; with the "
    'setting `worktree.baseRef: "head"`, or without a remote, it starts at your HEAD.',
    expected="remote: first; remote and head: first, second; no remote: first, second",
)
def tree_base(lab: Lab) -> str:
    """Start isolated agents one commit after the remote's."""
    lab.git("clone", "--quiet", "--bare", str(lab.project), str(lab.folder / "origin.git"))
    lab.git("remote", "add", "origin", str(lab.folder / "origin.git"))
    lab.git("fetch", "--quiet", "origin")
    lab.git("remote", "set-head", "origin", "main")
    lab.commit("second")
    seen = []
    for name in ("remote", "remote and head", "no remote"):
        write_settings(lab, **({"worktree": {"baseRef": "head"}} if "head" in name else {}))
        if name == "no remote":
            lab.git("remote", "remove", "origin")
        log = send_isolated(lab, call("Bash", command="git log --reverse --format=%s")).results(WORKER)[0]
        seen.append(f"{name}: {', '.join(log.split())}")
    return "; ".join(seen)


@probe(
    question="What of your checkout is closed to an isolated agent?",
    claim="Even in `bypassPermissions` an isolated agent can neither write into your checkout with `Write` "
    "nor run git there. It can read there, and other shell commands can still write there: isolation is no "
    "sandbox.",
    expected="refused: Write, git -C, cd and git; done: Read, echo >, touch",
)
def tree_fence(lab: Lab) -> str:
    """Try to reach the project from an agent's tree."""
    lab.commit("second", **{"noted.txt": "noted"})
    main = lab.project
    tried: dict[str, tuple[Call, str]] = {
        "Write": (call("Write", file_path=f"{main}/written", content="x"), "written"),
        "git -C": (call("Bash", command=f"git -C {main} branch made"), ".git/refs/heads/made"),
        "cd and git": (call("Bash", command=f"cd {main} && git branch too"), ".git/refs/heads/too"),
        "echo >": (call("Bash", command=f"echo x > {main}/echoed"), "echoed"),
        "touch": (call("Bash", command=f"cd {main} && touch touched"), "touched"),
    }
    read = call("Read", file_path=f"{main}/noted.txt")
    played = send_isolated(lab, read, *(step for step, _ in tried.values()))
    done = {"Read": "noted" in played.results(WORKER)[0],
            **{name: (main / path).exists() for name, (_, path) in tried.items()}}  # fmt: skip
    words = [", ".join(name for name, was in done.items() if was is wanted) for wanted in (False, True)]
    return f"refused: {words[0]}; done: {words[1]}"


@probe(
    question="What is left of an isolated agent's tree?",
    claim="When the agent ends, its tree and branch are removed if git sees no change there: files that are "
    "ignored go with them. After a new file or a commit both stay, and the report names them.",
    expected="an ignored file: removed; a new file: kept, named; a commit: kept, named",
)
def tree_end(lab: Lab) -> str:
    """End isolated agents after different changes."""
    lab.commit("second", **{".gitignore": "*.log\n"})
    changes = {"an ignored file": "touch my.log", "a new file": "touch my.txt",
               "a commit": "git commit --quiet --allow-empty --message x"}  # fmt: skip
    seen = []
    for name, command in changes.items():
        before = trees_and_branches(lab)
        heard = send_isolated(lab, call("Bash", command=command)).heard()
        more = len(trees_and_branches(lab) - before)
        named = ", named" if re.search(r"worktreePath: .*\nworktreeBranch: ", heard) else ""
        seen.append(f"{name}: {('removed', 'half removed', 'kept')[more]}{named}")
    return "; ".join(seen)


@probe(
    question="Where does an isolated agent go on when its tree was removed?",
    claim="An isolated agent that you send a message after its tree was removed goes on **in your checkout**, "
    "and may write there: start a new agent instead.",
    expected="first in .claude/worktrees/agent-ID; resumed in the project, and writes there",
)
def tree_resumed(lab: Lab) -> str:
    """Resume an isolated agent that has changed nothing."""
    lab.write_agent("worker", isolation="worktree")

    def main(talk: Talk) -> Iterator[Step]:
        yield waited("worker")
        yield call("SendMessage", to=talk.find(r"agentId: (\w+)"), summary="go on with the work", message="go on")
        yield say("waiting")

    def work(_: Talk) -> Iterator[Step]:
        yield PWD
        yield say("done")
        yield PWD
        yield call("Write", file_path=f"{lab.project}/written", content="x")
        yield say("done again")

    played = lab.play(main, agents={WORKER: work})
    first, _, resumed, *_ = played.results(WORKER)
    written = "writes there" if (lab.project / "written").exists() else "may not write there"
    return f"first in {place(lab, first)}; resumed in {place(lab, resumed)}, and {written}"


@probe(
    question="Can an isolated agent be started without a git repository?",
    claim="Without a git repository an isolated agent is not started: the call fails and says so.",
    expected="isolated: not in a git repository; plain: runs",
)
def tree_without_repository(lab: Lab) -> str:
    """Start an isolated and a plain agent in a plain folder."""
    shutil.rmtree(lab.project / ".git")
    isolated = send_isolated(lab)
    why = "not in a git repository" if "not in a git repository" in isolated.heard() else "another reason"
    lab.write_agent("worker")
    runs = "runs" if lab.send("worker").spoke(WORKER) else "does not run"
    return f"isolated: {'started' if isolated.spoke(WORKER) else why}; plain: {runs}"


@probe(
    question="Does an isolated agent have the files that git ignores?",
    claim="A tree lacks what git ignores, such as `.env` or installed packages; list in `.worktreeinclude` "
    "what is copied into each new tree.",
    expected="in the tree: .env; missing: .cache",
)
def tree_ignored_files(lab: Lab) -> str:
    """Look for two ignored files in a tree, of which one is to be copied."""
    lab.commit("second", **{".gitignore": ".env\n.cache\n", ".worktreeinclude": ".env\n"})
    for name in (".env", ".cache"):
        lab.write(lab.project / name, "x")
    found = send_isolated(lab, call("Bash", command="ls -A")).results(WORKER)[0].split()
    there = [name for name in (".env", ".cache") if name in found]
    missing = [name for name in (".env", ".cache") if name not in found]
    return f"in the tree: {', '.join(there)}; missing: {', '.join(missing)}"


@probe(
    question="Does git see the trees of agents in your checkout?",
    claim="In your checkout git shows the trees as untracked: put `.claude/worktrees/` into `.gitignore`, or "
    "`git add .` takes them up.",
    expected="untracked and taken up; ignored: neither",
)
def tree_untracked(lab: Lab) -> str:
    """Look at the checkout beside a tree that was kept, before and after it is ignored."""
    send_isolated(lab, call("Bash", command="touch new"))

    def seen() -> str:
        told = {"untracked": lab.git("status", "--short", "--untracked-files=all"),
                "taken up": lab.git("add", "--dry-run", ".")}  # fmt: skip
        return " and ".join(word for word, text in told.items() if TREES.as_posix() in text) or "neither"

    before = seen()
    lab.write(lab.project / ".gitignore", f"{TREES.as_posix()}/\n")
    return f"{before}; ignored: {seen()}"
