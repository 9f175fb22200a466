"""Decide the calls of the user's conversation: baton's steps are free, the user is asked about what is theirs."""

from baton.hooks.calls import (
    ALLOW,
    LOOKING,
    TAKEN_OUT,
    Event,
    ask,
    deny,
    input_of,
    is_about_baton,
    option_values,
    plain_call,
    read_call,
    user_option,
)
from baton.hooks.plugin_folder import writes_to_plugin
from baton.hooks.run_tree import edited_path, files_outside, is_in_git

LOOKS = LOOKING | {"brief", "cluster-brief", "doctor", "question", "resume-context", "wait"}
FREE = LOOKS | {"check", "init", "next", "pr", "start", "story"}
USER_WORDS = frozenset({"--confirmed", "answer", "begin", "edit", "hand-in", "triage", "undo"})
# What the client's module calls.
FOR_MODULE = "for-module"
CLIENT_VERBS = frozenset({FOR_MODULE, "hook"})
CLIENT_ONLY = "only the client calls this: what is said there counts as the user's word"
# What the client asks about each time, and what it does.
ASKED_EACH_TIME = {"undo": "reverts a merge", "story edit": "changes what the story asks for"}
STANDALONE = frozenset({"--help", "--version"})
NOT_PLAIN = "in a command that is not one plain call is yours to allow"
CHANGES_PLUGIN = "this may change the plugin's own folder, where its rules lie: yours to allow"
PLAN_MODE = "plan mode: nothing is started; leave plan mode, then {}"
IN_PLAN_MODE = deny(PLAN_MODE.format("call it again"))


def judge_conversation(event: Event, tool: str) -> str:
    """Take a call of the conversation; give the line to print, empty when the client is to decide by itself."""
    if tool != "Bash":
        if is_in_git(event, tool):
            return ask("this file is one of its records: yours to allow")
        is_rule = writes_to_plugin(event, edited_path(event, tool))
        return ask("this file is part of baton, as its rules are: yours to allow") if is_rule else ""
    arguments = plain_call(event)
    planning = event.get("permission_mode") == "plan"
    if arguments is None:
        answer = _judge_text(event, planning)
        return answer or (ask(CHANGES_PLUGIN) if writes_to_plugin(event) else "")
    if CLIENT_VERBS & _verbs(arguments):
        return deny(CLIENT_ONLY)
    if planning and _acts(arguments):
        return IN_PLAN_MODE
    option = user_option(arguments)
    if option == "--allow" and arguments[0] == "init":
        return _ask_user(event, arguments)
    if option:
        return ask(f"`{option}` is yours to allow")
    if path := next(files_outside(event, arguments), ""):
        return ask(f"`{_short(path)}` lies outside of the project, and would be read into it")
    # The command line reads `story -- edit` as `story edit`.
    if "--" in arguments[:2] and arguments[0] != "check":
        return ask("a `--` before what is to be done is yours to allow")
    return _judge_verb(event, arguments)


def _verbs(arguments: list[str]) -> set[str]:
    """Return the words of a plain call that may be its verb: behind options, it may be any of them."""
    return {*arguments} if arguments[:1] and arguments[0].startswith("-") else {*arguments[:1]}


def _judge_verb(event: Event, arguments: list[str]) -> str:
    verb = arguments[0] if arguments else ""
    if verb in ("begin", "hand-in"):
        return ask(f"`{verb}` is for a run, in its own work tree: yours to allow")
    if _lists_memory(arguments):
        return ALLOW
    is_confirmed = verb == "start" and [*option_values(arguments, "--confirmed")] != []
    if verb in ("answer", "memory") or is_confirmed or _effect_asked_about(arguments):
        return _ask_user(event, arguments)
    return ALLOW if verb in FREE or (verb in STANDALONE and len(arguments) == 1) else ""


def _effect_asked_about(arguments: list[str]) -> str:
    """Return what a call does that the client asks about each time; nothing for any other call."""
    verbs = (arguments[:1], arguments[:2])
    return next(filter(None, (ASKED_EACH_TIME.get(" ".join(verb)) for verb in verbs)), "")


def _ask_user(event: Event, arguments: list[str]) -> str:
    """Decide a call by which the user's word counts: it is asked for, or they have given it already."""
    # What knows the open questions loads two thirds as much again, and few calls need it.
    from baton.hooks.session_questions import ask_for_call, ask_for_triage, decide_answer

    verb = arguments[0]
    if verb == "init":
        reason = "adds permission rules for edits in the work trees of runs and for the commands of `.baton.yaml`"
        return ask_for_call(event, "init --allow", f"`init --allow` {reason}: yours to allow")
    if verb == "start":
        confirmed = [*option_values(arguments, "--confirmed")][-1]
        reason = "a story is made of an issue as it was shown, whose words are a stranger's: yours to confirm"
        return ask_for_call(event, f"start --confirmed {confirmed}", reason)
    if verb == "memory":
        return ask_for_triage(event, arguments)
    if does := _effect_asked_about(arguments):
        call = "undo" if verb == "undo" else "story edit"
        return ask_for_call(event, call, f"`{_short(' '.join(arguments))}` {does}: yours to allow")
    return decide_answer(event, arguments[1:])


def _judge_text(event: Event, planning: bool) -> str:
    """Decide each call in a text as if it stood alone; one whose calls cannot be told is the user's to allow."""
    command = input_of(event, "command")
    if not is_about_baton(command):
        return ""
    from baton.hooks.find_calls import calls_in  # its patterns are slow to make

    calls = calls_in(command)
    if calls is None or None in map(read_call, calls):
        if FOR_MODULE in command.translate(TAKEN_OUT):
            return deny(CLIENT_ONLY)
        return IN_PLAN_MODE if planning else ask(f"what names baton {NOT_PLAIN}")
    return next(filter(None, (_judge_call_in_text(event, call, planning) for call in calls)), "")


def _judge_call_in_text(event: Event, call: str, planning: bool) -> str:
    """Decide one call of a text as if it stood alone, without a permit: that is for a whole command."""
    arguments = read_call(call) or []
    theirs = [*sorted({*arguments} & USER_WORDS), user_option(arguments)]
    if theirs[0] and not CLIENT_VERBS & _verbs(arguments):
        return IN_PLAN_MODE if planning and _acts(arguments) else ask(f"`{theirs[0]}` {NOT_PLAIN}")
    answer = judge_conversation({**event, "tool_input": {"command": call}}, "Bash")
    return "" if answer == ALLOW else answer


def _acts(arguments: list[str]) -> bool:
    looks = arguments[:1] != [] and arguments[0] in LOOKS | STANDALONE
    looks_at_a_pull = arguments[:2] in (["pr", "fetch"], ["pr", "show"])
    return not (looks or looks_at_a_pull or _lists_memory(arguments)) or bool(user_option(arguments))


def _lists_memory(arguments: list[str]) -> bool:
    """Whether a call of `memory` decides nothing: no option stands there that could."""
    options = (argument for argument in arguments[1:] if argument.startswith("-"))
    return arguments[:1] == ["memory"] and all(option in ("--json", "--help", "-h") for option in options)


def _short(text: str) -> str:
    """Return at most 80 characters of a text that a prompt is to show, as ASCII."""
    return ascii(text)[1:-1][:80]
