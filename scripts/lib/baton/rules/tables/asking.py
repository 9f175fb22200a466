"""Where an open question stands beside the client."""

from baton.rules.engine import Row, Table
from baton.rules.facts import AskingFacts

ASKING = Table("asking", AskingFacts, (
    Row("asking/client", "it allows commands, protected files or a changed story, or the story has not begun",
        {"allows": (True,)},
        "proceed", "what may be run here is allowed here alone"),
    Row("asking/pull", "the story's pull request is open", {"place": ("pull",)},
        "post", "its pull request is open", then="pull request"),
    Row("asking/issue", "no pull request is open, and the story was made of an issue of this repository",
        {"place": ("issue",)},
        "post", "it was made of this issue", then="issue"),
    Row("asking/nowhere", "there is neither", {},
        "proceed", "there is no place for it"),
))  # fmt: skip
