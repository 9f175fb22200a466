. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
cat > test_calc.py <<'TEST'
import unittest

import calc


class Add(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(3, 5), 8)
TEST
printf 'def add(a, b):\n    return a - b\n' > calc.py
project
