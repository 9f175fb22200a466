"""Which commands can have changed what git keeps: all that do not plainly read."""

import pytest

from baton.journal.git_calls import changes_git, leaves_its_tree

READS = [
    "ls", "git status", "git -C x log --oneline | head", "git diff main...HEAD -- a.py && git show HEAD:b",
    "git branch", "git branch --show-current", "git branch -a", "git stash list", "git worktree list", "git tag",
    "git --no-pager log", "git -c color.ui=false diff", "cat .gitignore", "ls .github", "cat .git/HEAD",
    "git restore a.py", "python3 -m pytest tests/test_git.py", "pip install gitpython",
    "git config --get user.name", "grep -rn digit src", "cd digits.git2 && ls", "git remote -v",
    "git log --grep 'git push'", "git log --grep '(x)' | head", "git branch -a --format='%(refname)'",
    "git log -1 -- .github/x > out",
]  # fmt: skip
CHANGES = [
    "git commit -m x", "git stash", "git stash pop", "git branch -D x", "git branch x", "git tag v1", "git push",
    "git checkout main", "git reset --hard HEAD~1", "git update-ref refs/heads/x y", "git fetch", "git gc",
    "git status && git branch -d x", "cd x; git rebase main", "/usr/bin/git commit", "sh -c 'git commit'",
    "echo $(git stash)", "echo x | xargs git branch -D", "git -C /p commit", "GIT_DIR=/p/.git git commit",
    "rm -rf .git/refs/heads/x", "echo x > /p/.git/refs/heads/x", "git config user.name x", "git worktree remove x",
    "git reflog expire --all", "git remote remove origin", "git 'unbalanced", "G=git; $G stash",
    "git status\ngit gc", "git log $(git reset --hard x)", 'git status "$(git stash drop)"', "git diff <(git gc)",
    "git branch -r -d origin/x", "git branch -aD x", "git branch -v --delete x", "git log > .git/refs/heads/x",
    "git diff --output=/p/.git/HEAD",
]  # fmt: skip


@pytest.mark.parametrize("command", READS)
def test_what_plainly_reads_changes_nothing(command: str) -> None:
    assert not changes_git(command)


@pytest.mark.parametrize("command", CHANGES)
def test_anything_else_can_have_changed_it(command: str) -> None:
    assert changes_git(command)


@pytest.mark.parametrize(("command", "elsewhere"), [
    ("git commit", False), ("git -C /p commit", True), ("cd .. && git commit", True),
    ("git --git-dir=/p gc", True), ("GIT_DIR=/p git gc", True), ("git diff -C", False), ("git log --cd", False),
])  # fmt: skip
def test_a_command_that_goes_elsewhere_is_known(command: str, elsewhere: bool) -> None:
    assert leaves_its_tree(command) == elsewhere
