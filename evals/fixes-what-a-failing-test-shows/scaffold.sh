. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project_with_failing_test
mark works <<'CHECK'
python3 -c 'import calc; assert calc.add(3, 5) == 8 and calc.add(-1, -1) == -2' && python3 -m unittest -q
CHECK
mark test-kept <<'CHECK'
git diff --quiet first main -- test_calc.py
CHECK
story 'Add adds' --id 42 --criterion 'calc.add(3, 5) is 8, as test_calc.py says'
confirm 42
