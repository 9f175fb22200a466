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


def run() -> "int | None":
    """Run the command or the hook that is called; returns its exit code."""
    # This hook runs on every tool call and needs the standard library alone.
    if sys.argv[1:3] == ["hook", "pre-tool-use"]:
        from baton.hooks.pre_tool_use import main
    elif sys.argv[1:] == ["status", "--line"]:  # so does this, which the client calls every few seconds
        from baton.commands.status_line import main
    else:
        from baton.errors import BatonError

        try:
            if is_hook and sys.argv[2:] and sys.argv[2][:1] != "-":
                from baton.hooks.entry import packages_for

                packages = packages_for(sys.argv[2])
            else:
                from baton.bootstrap import ensure_packages

                packages = ensure_packages()
        except BatonError as error:
            print(f"baton: {error}", file=sys.stderr)
            return refused
        except KeyboardInterrupt:
            print("baton: interrupted; call again, and it is set up anew", file=sys.stderr)
            return 130
        if not packages:  # a hook that has nothing to do, or of a plugin that is not set up
            return 0
        sys.path.append(packages)

        from baton.cli import main
    return main()


is_hook = sys.argv[1:2] == ["hook"]
refused = 1 if is_hook else 2  # a hook that exits 2 would block what the client is about to do
try:
    code = run()
except (EOFError, ValueError) as error:
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if not (last and last.tb_frame.f_code.co_name == "_compile_bytecode" and sys.pycache_prefix):
        raise
    # Python keeps the compiled file of a module as far as a full disk takes it, and cannot read it then.
    cut, sys.pycache_prefix = sys.pycache_prefix, None
    from shutil import rmtree

    rmtree(cut, ignore_errors=True)
    print(f"baton: a full disk had cut Python's files short at {cut}: they are gone, call again", file=sys.stderr)
    code = refused
try:
    print(end="", flush=True)
except OSError:  # nobody reads any more
    code = code or 1
_exit(code or 0)  # to take the program down piece by piece would cost as much again as to start Python
