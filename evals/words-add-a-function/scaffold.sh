. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project
