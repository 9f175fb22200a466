. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project
mark works <<'CHECK'
python3 -c 'import calc; assert calc.sub(3, 5) == -2' && grep -q sub test_calc.py && python3 -m unittest -q
CHECK
