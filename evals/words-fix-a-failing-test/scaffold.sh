. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
project_with_failing_test
