. "${BASH_SOURCE[0]%/*}/../scaffold.sh"
mkdir -p specs/42_subtract
cat > specs/42_subtract/story.md <<'SPEC'
---
id: 42
title: Subtract
---

The one who keeps the books takes one number from another.

## Acceptance Criteria

- calc.sub(3, 5) is -2
SPEC
project
mark works <<'CHECK'
python3 -c 'import calc; assert calc.sub(3, 5) == -2' && python3 -m unittest -q
CHECK
mark spec-kept <<'CHECK'
grep -q 'The one who keeps the books takes one number from another.' specs/42_subtract/story.md
CHECK
story Multiply --id 41 --criterion 'calc.mul(3, 5) is 15'
confirm 41
