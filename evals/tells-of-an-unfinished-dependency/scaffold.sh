. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project
mark works <<'CHECK'
python3 -c 'import calc; assert calc.sub(3, 5) == -2' && python3 -m unittest -q
CHECK
story Multiply --id 42 --criterion 'calc.mul(3, 5) is 15'
confirm 42
story Subtract --id 43 --criterion 'calc.sub(3, 5) is -2' --complexity 1 --depends-on 42
