import json
import shlex
import sys

call = json.load(sys.stdin)
command = "nice -n 10 sh -c " + shlex.quote(call["tool_input"].get("command", ""))
answer = {"hookEventName": "PreToolUse", "updatedInput": {"command": command}}
print(json.dumps({"hookSpecificOutput": answer}))
