"""Start the program; kept tiny, for Python compiles its main script anew on every call."""

import gc
import sys
from posix import _exit  # where os has it from: the hook on tool calls goes without that

gc.disable()  # a call ends before its garbage weighs, and one that reads a long journal spends a tenth on looking
sys.path.insert(0, __file__.rpartition("/")[0])
sys.argv[0] = "baton"
for stream in ("stdin", "stdout", "stderr"):
    if getattr(sys, stream) is None:  # the caller closed it: nothing comes from there, and nobody reads it
        mode = "r" if stream == "stdin" else "w"
        setattr(sys, stream, open("/dev/null", mode, encoding="utf-8"))  # noqa: SIM115 - open to the end

# This hook runs on every tool call and needs the standard library alone.
if sys.argv[1:3] == ["hook", "pre-tool-use"]:
    from baton.hooks.pre_tool_use import main
elif sys.argv[1:] == ["status", "--line"]:  # so does this, which the client calls every few seconds
    from baton.commands.status_line import main
else:
    from baton.errors import BatonError

    try:
        if sys.argv[1:2] == ["hook"] and sys.argv[2:] and sys.argv[2][:1] != "-":
            from baton.hooks.entry import packages_for

            packages = packages_for(sys.argv[2])
        else:
            from baton.bootstrap import ensure_packages

            packages = ensure_packages()
    except BatonError as error:
        print(f"baton: {error}", file=sys.stderr)
        # A hook that exits 2 would block what the client is about to do.
        sys.exit(1 if sys.argv[1:2] == ["hook"] else 2)
    except KeyboardInterrupt:
        sys.exit(130)
    if not packages:  # a hook that has nothing to do, or of a plugin that is not set up
        sys.exit(0)
    sys.path.append(packages)

    from baton.cli import main

code = main()
try:
    print(end="", flush=True)
except OSError:  # nobody reads any more
    code = code or 1
_exit(code or 0)  # to take the program down piece by piece would cost as much again as to start Python
