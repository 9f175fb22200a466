import json

answer = {"hookEventName": "PreToolUse", "updatedInput": {"model": "haiku"}}
print(json.dumps({"hookSpecificOutput": answer}))
