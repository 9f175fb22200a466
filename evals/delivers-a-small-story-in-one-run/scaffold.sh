. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project
mark works <<'CHECK'
python3 -c 'import calc; assert calc.sub(3, 5) == -2' && python3 -m unittest -q
CHECK
story Subtract --id 42 --criterion 'calc.sub(3, 5) is -2' --complexity 1
confirm 42
