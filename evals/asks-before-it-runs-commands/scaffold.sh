. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project
story Subtract --id 42 --criterion 'calc.sub(3, 5) is -2'
