"""Ask a host as baton does: through the real gh."""

import json
import subprocess
from typing import Any, NamedTuple


class GhResult(NamedTuple):
    """What gh printed and how it ended."""

    code: int
    head: str
    body: str
    err: str

    @property
    def status(self) -> int:
        return int(self.head.split(" ", 2)[1])

    @property
    def headers(self) -> dict[str, str]:
        pairs = (line.partition(": ") for line in self.head.splitlines()[1:])
        return {name.lower(): value for name, _, value in pairs}

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        assert self.code == 0, self.err
        return self.json["data"]

    @property
    def error(self) -> str:
        """Give the message of the first error of a GraphQL answer."""
        return str(self.json["errors"][0]["message"])


def gh(*words: str, stdin: str = "", host: str = "github.com") -> GhResult:
    """Call `gh api` with the answer's headers."""
    line = ["gh", "api", "--hostname", host, "--include", *words]
    done = subprocess.run(line, input=stdin.encode(), capture_output=True, timeout=60, check=False)
    head, _, body = done.stdout.decode().partition("\r\n\r\n")
    return GhResult(done.returncode, head, body, done.stderr.decode())


def ask(query: str, host: str = "github.com", **variables: Any) -> GhResult:
    """Send a GraphQL query."""
    return gh("graphql", "--input", "-", stdin=json.dumps({"query": query, "variables": variables}), host=host)


def post(path: str, **fields: Any) -> GhResult:
    """Send JSON to a place of the REST interface."""
    return gh("--method", "POST", path, "--input", "-", stdin=json.dumps(fields))
