. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project
story Halve --id 42 --criterion 'calc.half(5) returns exactly 2 and, in the same call, exactly 3'
confirm 42
