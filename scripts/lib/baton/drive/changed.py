"""Whether a story changes what `.baton.yaml` has run."""

import hashlib

from baton.artefacts.config import NAME, Config, Language, commands_of, read_config
from baton.drive.opened import OpenStory
from baton.drive.start import commands_text
from baton.errors import BatonError


def changed_commands(story: OpenStory) -> tuple[str, str]:
    """Give how the story changes the commands of `.baton.yaml`, and a name for exactly that; else nothing."""
    if NAME not in story.git.changed(story.base, "HEAD"):
        return "", ""
    before = _commands(story, story.git.fork_point("HEAD", story.git.branch_commit(story.base)))
    after = _commands(story, "HEAD")
    if before == after:
        return "", ""
    return f"from\n{before or '  none'}\nto\n{after or '  none'}", hashlib.sha256(after.encode()).hexdigest()


def _commands(story: OpenStory, revision: str) -> str:
    """Give all commands a commit's `.baton.yaml` names, or why it cannot be read."""
    text = story.git.blob(revision, NAME)
    try:
        config = read_config(text.decode(errors="replace"), f"{NAME} on {revision[:12]}") if text else Config()
    except BatonError as error:
        return f"  {error}"
    general = commands_text(commands_of(config, Language()))
    special = [
        f"  {name}, {step}: {line}"
        for name, one in sorted(config.languages.items())
        for step, line in sorted(one.commands.items())
    ]
    return "\n".join([general, *special] if general else special)
