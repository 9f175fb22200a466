"""What the client makes of definitions: the keys of agents, skills, commands and hooks."""

from baton.probes.probe import Lab, probe


@probe(
    question="Can an agent start whose `tools` name nothing there is?",
    claim="An agent whose `tools` name no tool there is cannot be started.",
    expected="refused; with Read it runs",
)
def tools_unknown(lab: Lab) -> str:
    """Start an agent with a list of nothing, and one that may read."""
    lab.write_agent("empty", tools="Nothing")
    lab.write_agent("reader", tools="Read")
    empty, reader = lab.start_agent("empty"), lab.start_agent("reader")
    refused = "started" if empty.spoke("You are empty.") else "refused"
    return f"{refused}; with Read it {'runs' if reader.spoke('You are reader.') else 'does not run'}"


PROBES = (tools_unknown,)
