"""What the client makes of the texts of skills and commands."""

import re

from baton_lab.probes.definitions import listed, offered
from baton_lab.probes.probe import PLUGIN_NAME, Lab, probe
from baton_lab.scripted_client.script import MAIN, call, say

DROPPED = 'description: "a "b" c"\n'


def read(lab: Lab, prompt: str) -> str:
    """Type a command or skill; returns the text the model reads, or what the client says in its place."""
    played = lab.play([say("done")], prompt=prompt, mode="default")
    asked = played.model.of(MAIN)
    return asked[0].talk.prompt.rpartition(">\n\n")[2].rpartition("\n\n")[2] if asked else played.done.out.strip()


def makes_a_file(lab: Lab, prompt: str) -> bool:
    """Type a command or skill, and have the model make a file by Bash; returns whether it could."""
    made = lab.project / "made"
    made.unlink(missing_ok=True)
    lab.play([call("Bash", command="touch made"), say("done")], prompt=prompt, mode="default")
    return made.exists()


@probe(
    question="What is left of front matter that is no YAML?",
    claim="Front matter that is no YAML is dropped whole: the agent has every tool, the command allows nothing.",
    expected="agent: has Bash, with YAML not; command: allows nothing, with YAML touch",
)
def front_matter_dropped(lab: Lab) -> str:
    """Write an agent and a command with a stray quote, and both without."""
    for name, head in (("stray", DROPPED), ("right", "description: d\n")):
        agent = f"---\nname: {name}\n{head}tools: Read\n---\nYou are {name}.\n"
        lab.write(lab.plugin / f"agents/{name}.md", agent)
        text = f"---\n{head}allowed-tools: Bash(touch *)\n---\ngo\n"
        lab.write(lab.project / f".claude/commands/{name}.md", text)
    has = {name: "Bash" in tools for name, tools in offered(lab, ["stray", "right"]).items()}
    allows = {name: makes_a_file(lab, f"/{name}") for name in has}
    agent = f"{'has' if has['stray'] else 'has no'} Bash, with YAML {'too' if has['right'] else 'not'}"
    grants = {True: "touch", False: "nothing"}
    return f"agent: {agent}; command: allows {grants[allows['stray']]}, with YAML {grants[allows['right']]}"


@probe(
    question="How much of a skill's description does the model see?",
    claim="In the list that the model chooses from, the `description` and `when_to_use` of a skill or a command "
          "together end at 1,536 characters.",
    expected="1,536 whole, 1,537 cut, 900 and 900 cut, of a command 1,537 cut",
)  # fmt: skip
def description_cut(lab: Lab) -> str:
    """Write descriptions that just fit, and such that do not."""
    both = f"{'D' * 900}\nwhen_to_use: {'D' * 894}-END"
    texts = {"1,536": f"{'D' * 1532}-END", "1,537": f"{'D' * 1533}-END", "900 and 900": both}
    told = []
    for name, text in texts.items():
        lab.write_skill("long", "go", {"description": text})
        told.append(f"{name} {'whole' if listed(lab, 'D-END') else 'cut'}")
    lab.write_command("c", "go", {"description": f"{'D' * 1533}-END"})
    return f"{', '.join(told)}, of a command 1,537 {'whole' if listed(lab, 'D-END') else 'cut'}"


@probe(
    question="Under which keys do the tools of a skill or a command need no permission?",
    claim="A skill or a command allows its tools under `allowed-tools` alone: `tools`, `allowedTools` and "
          "`allowed_tools` allow nothing.",
    expected="skill: allowed-tools; command: allowed-tools",
)  # fmt: skip
def grant_keys(lab: Lab) -> str:
    """Allow `touch` under each key, and have the model call it."""
    told = []
    for kind, write in (("skill", lab.write_skill), ("command", lab.write_command)):
        keys = []
        for key in ("allowed-tools", "tools", "allowedTools", "allowed_tools"):
            write(kind, "go", {key: "Bash(touch *)"})
            keys += [key] if makes_a_file(lab, f"/{kind}") else []
        told.append(f"{kind}: {' '.join(keys)}")
    return "; ".join(told)


@probe(
    question="Can what is typed behind a command run as a shell command?",
    claim="`$ARGUMENTS` in a line that `!` runs becomes part of the shell line, in quotes of either kind too: "
          "what is typed behind the command is run with it where permissions allow that.",
    expected="bare, double, single: runs",
)  # fmt: skip
def shell_arguments(lab: Lab) -> str:
    """Type what ends the quotes and calls echo, behind a line of each kind of quotes."""
    quotes = {"bare": "", "double": '"', "single": "'"}
    ran = []
    for name, quote in quotes.items():
        lab.write_command(name, f"!`echo got {quote}$ARGUMENTS{quote}`", {"allowed-tools": "Bash(echo *)"})
        ran += [name] if "\nby-the-user" in f"\n{read(lab, f'/{name} 42{quote}; echo {quote}by-the-user')}" else []
    return f"{', '.join(ran)}: runs"


@probe(
    question="What happens to a line that `!` runs and nothing allows?",
    claim="A line that `!` runs, and that needs permission, makes the whole command fail where nothing allows it; "
          "one that only looks runs.",
    expected="fails: mkdir new / npm test / make / gh pr list / git fetch; runs: git status / mkdir new, allowed",
)  # fmt: skip
def shell_not_allowed(lab: Lab) -> str:
    """Run a line that changes something, without and with a grant, and one that only looks."""
    lines = ("mkdir new", "npm test", "make", "gh pr list", "git fetch", "git status", "mkdir new, allowed")
    told: dict[str, list[str]] = {"fails": [], "runs": []}
    for at, name in enumerate(lines):
        line, _, allowed = name.partition(", ")
        grant = {"allowed-tools": "Bash(mkdir *)"} if allowed else {}
        lab.write_command(f"c{at}", f"!`{line}`", grant)
        told["fails" if "permission check failed" in read(lab, f"/c{at}") else "runs"].append(name)
    return "; ".join(f"{how}: {' / '.join(names)}" for how, names in told.items())


@probe(
    question="Which argument is `$1`?",
    claim="`$0` is the first argument of a skill or a command, `$1` the second; one that is not given stays.",
    expected="zero=one one=two two=$2",
)
def arguments_from_zero(lab: Lab) -> str:
    """Type two arguments."""
    lab.write_command("count", "zero=$0 one=$1 two=$2")
    return read(lab, "/count one two")


@probe(
    question="Is `$1` replaced in code too?",
    claim="Arguments are replaced in code too, such as `awk '{print $1}'`, where so many are given; `\\$1` stays.",
    expected="awk '{print two}' and awk '{print $1}'; without: awk '{print $1}'",
)
def awk_columns(lab: Lab) -> str:
    """Type two arguments behind a skill with awk in it, and none."""
    lab.write_skill("columns", "`awk '{print $1}'` and `awk '{print \\$1}'`")
    lab.write_skill("other", "`awk '{print $1}'`")
    first, second = (read(lab, prompt).replace("`", "") for prompt in ("/columns one two", "/other"))
    return f"{first}; without: {second}"


@probe(
    question="Is `${CLAUDE_PLUGIN_ROOT}` replaced in a project's own texts?",
    claim="`${CLAUDE_PLUGIN_ROOT}` is replaced in the skills and commands of plugins alone, not in a project's.",
    expected="plugin: replaced, replaced; project: stays, stays",
)
def plugin_root_outside(lab: Lab) -> str:
    """Read a skill and a command of each."""
    for plugin in (True, False):
        lab.write_command("c", "root=${CLAUDE_PLUGIN_ROOT}", plugin=plugin)
        lab.write_skill("s", "root=${CLAUDE_PLUGIN_ROOT}", plugin=plugin)
    told = {}
    for where, before in (("plugin", f"/{PLUGIN_NAME}:"), ("project", "/")):
        texts = [read(lab, f"{before}{name}") for name in "cs"]
        told[where] = ", ".join("stays" if "{" in text else "replaced" for text in texts)
    return "; ".join(f"{where}: {said}" for where, said in told.items())


@probe(
    question="Is `$CLAUDE_PLUGIN_ROOT` without braces replaced, or a variable of the Bash tool?",
    claim="`$CLAUDE_PLUGIN_ROOT` without braces stays in a plugin's texts, and the Bash tool does not know it.",
    expected="with braces: replaced; without: stays; in Bash: empty",
)
def plugin_root_bare(lab: Lab) -> str:
    """Read a command with both, and have Bash print the variable."""
    lab.write_command("c", "with=${CLAUDE_PLUGIN_ROOT} bare=$CLAUDE_PLUGIN_ROOT", plugin=True)
    braces, bare = re.findall(r"=(\S+)", read(lab, f"/{PLUGIN_NAME}:c"))
    step = call("Bash", command="echo [$CLAUDE_PLUGIN_ROOT]")
    heard = lab.play([step, say("done")], mode="bypassPermissions").heard()
    in_bash = "empty" if "[]" in heard else "set"
    return (f"with braces: {'stays' if '$' in braces else 'replaced'}; "
            f"without: {'stays' if '$' in bare else 'replaced'}; in Bash: {in_bash}")  # fmt: skip


@probe(
    question="Is `${CLAUDE_SKILL_DIR}` replaced in a command?",
    claim="`${CLAUDE_SKILL_DIR}` is replaced in skills alone, not in commands.",
    expected="skill: replaced; command: stays",
)
def skill_dir(lab: Lab) -> str:
    """Read it in both."""
    lab.write_skill("s", "dir=${CLAUDE_SKILL_DIR}")
    lab.write_command("c", "dir=${CLAUDE_SKILL_DIR}")
    said = ["stays" if "{" in read(lab, prompt) else "replaced" for prompt in ("/s", "/c")]
    return f"skill: {said[0]}; command: {said[1]}"


@probe(
    question="Which answers, a command or a skill of the same name?",
    claim="Of a command and a skill with one name the command answers in a plugin, the skill in a project.",
    expected="plugin: the command; project: the skill",
)
def same_names(lab: Lab) -> str:
    """Write both in both places, and type the name."""
    for plugin in (True, False):
        lab.write_skill("twin", "the skill", plugin=plugin)
        lab.write_command("twin", "the command", plugin=plugin)
    return f"plugin: {read(lab, f'/{PLUGIN_NAME}:twin')}; project: {read(lab, '/twin')}"
