. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
printf 'Sums.\n' > README.md
project
git switch --quiet --create mine
printf 'Sums, and a thought not yet committed.\n' > README.md
printf 'for later\n' > notes.txt
git add notes.txt
