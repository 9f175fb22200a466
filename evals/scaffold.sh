# What a case begins with: a small project under git, whose hook leaves in outcome/ what holds for its branch main.
# A case's own scaffold.sh reads this file and says what is special. The client gives it PATH and an empty HOME.
set -eu
baton="$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)/scripts/baton"
eval "home=~$(id -un)"
# baton's packages are copied from your account, where they are: else every run installs them anew.
if [ -d "$home/.local/share/baton/environments" ]; then
  mkdir -p "$HOME/.local/share/baton" && cp -R "$home/.local/share/baton/environments" "$HOME/.local/share/baton/"
fi

# Commits what lies in the folder, and calc.py, and sets up the hook.
project() {
  [ -e calc.py ] || printf 'def add(a, b):\n    return a + b\n# more\n' > calc.py
  printf 'base: main\nintegrate: {mode: local}\ncommands: {test: python3 -m unittest -q}\nbudget: {usd: 10}\n' > .baton.yaml
  printf '__pycache__/\n.claude/\n' > .gitignore
  git init --quiet --initial-branch main
  git config user.name Eval
  git config user.email eval@example.invalid
  git add --all
  git commit --quiet --message first
  git tag first
  # Where the client confines Bash, it lays devices named .bashrc and the like over the folder: git cannot add them.
  printf 'outcome/\n/.*\n' >> .git/info/exclude
  mkdir -p .git/marks .git/hooks
  { printf '#!/bin/bash\ntop=%q\n' "$PWD" && cat; } > .git/hooks/reference-transaction <<'HOOK'
# Main has moved: leaves each mark whose check holds for the files of its tip.
[ "$1" = committed ] && grep -q ' refs/heads/main$' || exit 0
unset $(git rev-parse --local-env-vars)
cd "$top" && rm -rf outcome && mkdir outcome
tip=$(mktemp -d) && git archive main | tar -x -C "$tip"
for check in .git/marks/*; do
  (cd "$tip" && GIT_DIR="$top/.git" bash "$top/$check") > /dev/null 2>&1 && : > "outcome/${check##*/}"
done
rm -rf "$tip"
HOOK
  chmod +x .git/hooks/reference-transaction
}

# The same, with a fault in calc.py that its test shows.
project_with_failing_test() {
  cat > test_calc.py <<'TEST'
import unittest

import calc


class Add(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(3, 5), 8)
TEST
  printf 'def add(a, b):\n    return a - b\n' > calc.py
  project
}

# Takes a name and, on stdin, a check: the hook leaves outcome/NAME while it holds for main.
mark() { cat > ".git/marks/$1"; }

# Makes a story, as `baton story new` takes it.
story() { "$baton" story new "$@" > /dev/null; }

# Lets baton run the project's commands, as its user would at a terminal; takes the story that asks.
confirm() {
  "$baton" next "$1" > /dev/null
  python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
    "$baton" answer "$1" accept > /dev/null
}
