"""What a story changes that nobody judged: the commands of `.baton.yaml`, and commits that came after QA."""

import hashlib

from baton.artefacts.config import NAME, Config, Language, commands_of, read_config
from baton.drive.opened import OpenStory
from baton.drive.start import commands_text
from baton.errors import BatonError
from baton.story.events import Effected


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


def foreign_commits(story: OpenStory) -> list[str]:
    """Give the commits since the last gate, or a person's last word, that the program did not make."""
    git, outbox = story.git, story.state.outbox
    ours = {one.commit for one in story.state.events if isinstance(one, Effected)}
    # One that was intended, and whose making a crash kept from the journal.
    begun = {sent.before for sent in outbox.values() if not sent.done}
    found = []
    for commit, parent, subject in git.first_parents(story.state.head, "HEAD"):
        if commit not in ours and not (parent in begun and subject.startswith(f"story {story.id}: ")):
            found.append(f"{commit[:12]} {subject}")
    return found
