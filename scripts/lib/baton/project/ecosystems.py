"""The table of signs in a project's files that tell its commands: a row for each sign."""

import re
from typing import NamedTuple

VENV = "python3 -m venv .venv && "
PIP = ".venv/bin/pip install "
# Left to itself, poetry takes the environment that is active, or makes one outside the tree
# (python-poetry.org/docs/basic-usage, "Using your virtual environment").
POETRY = f'{VENV}VIRTUAL_ENV="$PWD/.venv" poetry install --no-interaction{{extras}}'
REQUIREMENTS = r"((dev|tests?)[-_])?requirements([-_.](dev|tests?))?\.txt"
REQUIREMENTS += r"|(requirements/(dev|tests?)|tests?/requirements)\.txt"
PYTHON_LOCKS = r"(uv|poetry)\.lock"
TESTS = r"(.*/)?(test[^/]*|[^/]*_test)\.py"
NAMES_PYTEST = r"(?<![\w.-])pytest(?![\w.-])"
MAKEFILE = "GNUmakefile|makefile|Makefile"
GRADLE = r"(build|settings)\.gradle(\.kts)?"


class Row(NamedTuple):
    """A sign in a file and the commands it tells; of the rows that fit, the first that has a step gives it.

    `file` is a pattern of names; `sign` a key, with dots, in a JSON or TOML file, otherwise a pattern in its text;
    `beside` is a pattern of the name of another file that must be there.
    `{tool}` is that of the first row that fits and has one; `{exec}` runs what it has installed.
    """

    ecosystem: str
    file: str
    sign: str = ""
    setup: str = ""
    build: str = ""
    test: str = ""
    tool: str = ""
    note: str = ""
    beside: str = ""


MEMBERS = "a workspace: see that the lines above reach all its members"
# In the order in which the commands of several run.
ROWS = (
    Row("Python", r"uv\.lock", setup="uv sync --locked{chosen}", tool="uv run --no-sync python"),
    Row("Python", r"poetry\.lock", setup=POETRY, tool=".venv/bin/python"),
    Row("Python", r"pyproject\.toml", "build-system", setup=f"{VENV}{PIP}{{package}}", tool=".venv/bin/python"),
    Row("Python", r"setup\.py", r"\bsetup\(", setup=f"{VENV}{PIP}{{package}}", tool=".venv/bin/python"),
    Row("Python", r"pyproject\.toml", "dependency-groups", setup=f"{VENV}{PIP}{{files}}", tool=".venv/bin/python"),
    Row("Python", REQUIREMENTS, setup=f"{VENV}{PIP}{{files}}", tool=".venv/bin/python"),
    Row("Python", r"\.?pytest\.ini", setup=f"{VENV}{PIP}pytest", test="{tool} -m pytest", tool=".venv/bin/python"),
    Row("Python", rf"pyproject\.toml|setup\.(py|cfg)|tox\.ini|{REQUIREMENTS}|{TESTS}",
        rf"\btool\.pytest\b|{NAMES_PYTEST}",
        setup=f"{VENV}{PIP}pytest", test="{tool} -m pytest", tool=".venv/bin/python"),
    Row("Python", r"manage\.py", "django", test="{tool} manage.py test"),
    Row("Python", TESTS, r"(?m)^\s*(import|from)\s+unittest\b", test="{unittest}", tool="python3"),
    Row("Node", r"package-lock\.json|npm-shrinkwrap\.json", setup="npm ci", tool="npm"),
    Row("Node", r"pnpm-lock\.yaml", setup="pnpm install --frozen-lockfile", tool="pnpm"),
    Row("Node", r"yarn\.lock", "__metadata:", setup="yarn install --immutable", tool="yarn"),
    Row("Node", r"yarn\.lock", setup="yarn install --frozen-lockfile", tool="yarn"),
    Row("Node", r"bun\.lockb?", setup="bun install --frozen-lockfile", tool="bun"),
    Row("Node", r"package\.json", "dependencies", setup="{tool} install"),
    Row("Node", r"package\.json", "devDependencies", setup="{tool} install"),
    Row("Node", r"package\.json", "scripts.build", build="{tool} run build"),
    Row("Node", r"package\.json", "scripts.typecheck", build="{tool} run typecheck"),
    Row("Node", r"package\.json", r'"typescript"\s*:', build="{exec} tsc --noEmit", beside=r"tsconfig\.json"),
    Row("Node", r"package\.json", "scripts.lint", build="{tool} run lint"),
    Row("Node", r"package\.json", r'"test"\s*:\s*"vitest"', test="{exec} vitest run"),
    Row("Node", r"package\.json", "scripts.test", test="{tool} run test"),
    Row("Node", r"package\.json", "workspaces", note=MEMBERS),
    Row("Node", r"pnpm-workspace\.yaml", note=MEMBERS),
    Row("Deno", r"deno\.json", "tasks.build", build="deno task build"),
    Row("Deno", r"deno\.json", "tasks.test", test="deno task test"),
    Row("Go", r"go\.mod", build="go build ./...", test="go test ./..."),
    Row("Go", r"go\.work", note=MEMBERS),
    # Left to itself, `cargo test` stops at the first target that fails (its manual, `--no-fail-fast`), and hides
    # what fails in the others.
    Row("Rust", r"Cargo\.lock", build="cargo build --workspace --locked",
        test="cargo test --workspace --locked --no-fail-fast"),
    Row("Rust", r"Cargo\.toml", build="cargo build --workspace", test="cargo test --workspace --no-fail-fast"),
    # Left to themselves, both stop at the first module that fails (`mvn --help`, `--fail-at-end`; Gradle's manual,
    # `--continue`); a daemon would outlive the checks.
    Row("Maven", r"mvnw", tool="./mvnw"),
    Row("Maven", r"pom\.xml", build="{tool} test-compile -B -q", test="{tool} test -B -q -fae"),
    Row("Gradle", r"gradlew", tool="./gradlew"),
    Row("Gradle", GRADLE, build="{tool} assemble -q --no-daemon", test="{tool} check --no-daemon --continue"),
    Row("Ruby", r"Gemfile", setup="bundle install"),
    Row("Ruby", r"[Rr]akefile(\.rb)?", r"\b(Rake|Minitest)::TestTask\b|\btask[ (]+:?['\"]?test\b",
        test="bundle exec rake test"),
    Row("Ruby", r"\.rspec|spec/.*_spec\.rb", test="bundle exec rspec"),
    Row("Ruby", r"Gemfile", r"\brails\b", test="bundle exec rails test", beside=r"test/.*_test\.rb"),
    Row("Lean", r"lake-manifest\.json", r'"name":\s*"mathlib"', setup="lake exe cache get"),
    Row("Lean", r"lakefile\.(lean|toml)", build="lake build"),
    Row("Lean", r"lakefile\.toml", "testDriver", test="lake test"),
    Row("Lean", r"lakefile\.lean", r"@\[test_(driver|runner)\]|\btestDriver\b", test="lake test"),
    Row("Make", MAKEFILE, r"(?m)^build[ \t]*:{1,2}(?![:=])", build="make build"),
    Row("Make", MAKEFILE, r"(?m)^all[ \t]*:{1,2}(?![:=])", build="make all"),
    Row("Make", MAKEFILE, r"(?m)^test[ \t]*:{1,2}(?![:=])", test="make test"),
    Row("Make", MAKEFILE, r"(?m)^check[ \t]*:{1,2}(?![:=])", test="make check"),
    Row("Make", MAKEFILE, r"\b(sudo|docker|docker-compose|podman|kubectl)\b",
        note="calls what changes more than the tree: read it before you name a target"),
)  # fmt: skip
# What makes a folder a project, also below the root.
MANIFESTS = {
    "Python": r"pyproject\.toml|setup\.py|requirements\.txt",
    "Node": r"package\.json",
    "Go": r"go\.mod",
    "Rust": r"Cargo\.toml",
    "Deno": r"deno\.json",
    "Maven": r"pom\.xml",
    "Gradle": GRADLE,
    "Ruby": r"Gemfile",
    "Lean": r"lakefile\.(lean|toml)|lean-toolchain",
}
# What an ecosystem is called by where no file says, and how the managers of packages call what they installed.
TOOLS = {"Python": "python3", "Node": "npm", "Maven": "mvn", "Gradle": "gradle"}
EXEC = {"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn run", "bun": "bun run"}
# Manifests that no row reads: what builds and tests there is left to the user.
UNREAD = re.compile(
    r"(.*/)?(mix\.exs|rebar\.config|deno\.jsonc|stack\.yaml|.*\.cabal|CMakeLists\.txt|meson\.build|composer\.json"
    r"|.*\.(cs|fs|vb)proj|.*\.slnx?|Package\.swift|build\.(sbt|xml|zig)|dune-project|pubspec\.yaml|project\.clj"
    r"|deps\.edn|WORKSPACE(\.bazel)?|MODULE\.bazel|leanpkg\.toml|Project\.toml|shard\.yml)"
)
FOR_TESTS = {"dev", "develop", "development", "test", "tests", "testing"}
# What a script of a project's does that makes it no check; only what is tried shows the rest.
CHANGES = re.compile(r"\s--(?:fix|write)(?![\w=-])|\bprettier\b[^&|;]*\s-w(?![\w-])")
# Vitest 2 and older wait unless they are told to run once (https://v2.vitest.dev/guide/cli).
WATCHES = re.compile(
    r"--watch(?:All)?(?![\w-]|=false)|\b(ng|react-scripts) test\b"
    r"|(?<=[&|;] )vitest$|\bvitest (?:watch|dev)\b|\bvitest(?= -)(?!.* (?:--run|--no-watch|--watch=false)\b)"
)
# What lies below these is somebody else's, hidden, or there to be looked at.
SKIPPED = re.compile(
    r"(?s)(.*/)?(\.[^/]*|node_modules|vendor|third_party|testdata|examples?|(__)?fixtures?(__)?)/.*"
)
NAMES = (*(name for row in ROWS for name in (row.file, row.beside) if name), *MANIFESTS.values(), r"__init__\.py")
KNOWN = re.compile(rf"(.*/)?({'|'.join(NAMES)})", re.S)
