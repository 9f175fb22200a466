"""The names by which comments on GitHub call programs."""

# By what else a comment calls a program: it reads the comment, and does what it says.
CALLED = (
    "allcontributors", "argocd-bot", "azure-pipelines", "bors", "changeset-bot", "codex", "copilot", "cursoragent",
    "dependabot-preview", "devin", "ellipsis", "gemini", "gemini-cli", "github-actions", "greptile", "highfive",
    "homu", "jules", "k8s-ci-robot", "kilocode-bot", "kodus", "kody", "korbit", "macroscope-app", "mergify",
    "mergifyio", "oc", "opencode", "openhands", "openhands-agent", "pre-commit", "pullapprove", "qodo", "rabbitai",
    "renovate", "renovate-bot", "rust-lang", "rustbot", "snyk", "sourcery", "sweep", "sweep-ai",
)  # fmt: skip
