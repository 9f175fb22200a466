. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
printf 'Sums.\n' > README.md
project
mark works <<'CHECK'
python3 -c 'import calc; assert calc.sub(3, 5) == -2' && grep -q sub test_calc.py && python3 -m unittest -q
CHECK
story Subtract --id 42 --criterion 'calc.sub(3, 5) is -2'
confirm 42
git switch --quiet --create mine
printf 'Sums, and a thought not yet committed.\n' > README.md
printf 'for later\n' > notes.txt
git add notes.txt
