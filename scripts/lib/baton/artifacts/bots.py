"""The bots on GitHub that are known: whose text is read, and the names by which programs are called."""

# The review bots whose text is read, by the login GitHub gives their app, which no other app can have. A login
# that an app gave up is free for another to take: Kilo's old one, `kiloconnect`, is left out.
REVIEW_BOTS = (
    "amazon-q-developer", "augmentcode", "baz-reviewer", "bito-code-review", "chatgpt-codex-connector", "claude",
    "cloudflare-workers-and-pages", "codacy-production", "codeant-ai", "codecov", "coderabbitai",
    "copilot-pull-request-reviewer", "cubic-dev-ai", "cursor", "deepsource-io", "dependabot",
    "devin-ai-integration", "ellipsis-dev", "entelligence-ai-pr-reviews", "gemini-code-assist",
    "github-advanced-security", "google-labs-jules", "graphite-app", "greptile-apps", "kilo-code-bot", "kody-ai",
    "korbit-ai", "macroscopeapp", "netlify", "propel-code-bot", "qodo-code-review",
    "qodo-free-for-open-source-projects", "qodo-merge-pro", "seer-by-sentry", "sentry", "sentry-io", "sonarcloud",
    "sonarqubecloud", "sourcery-ai", "vercel",
)  # fmt: skip
# By what else a comment calls a program: it reads the comment, and does what it says.
CALLED = (
    "allcontributors", "argocd-bot", "azure-pipelines", "bors", "changeset-bot", "codex", "copilot", "cursoragent",
    "dependabot-preview", "devin", "ellipsis", "gemini", "gemini-cli", "github-actions", "greptile", "highfive",
    "homu", "jules", "k8s-ci-robot", "kilocode-bot", "kodus", "kody", "korbit", "macroscope-app", "mergify",
    "mergifyio", "oc", "opencode", "openhands", "openhands-agent", "pre-commit", "pullapprove", "qodo", "rabbitai",
    "renovate", "renovate-bot", "rust-lang", "rustbot", "snyk", "sourcery", "sweep", "sweep-ai",
)  # fmt: skip
