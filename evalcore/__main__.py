"""``python -m evalcore`` and the command ``evalcore``."""

import sys
from typing import NoReturn

_NEEDED = "click", "pyarrow", "rich"


def main() -> None:
    """Run the command line, or say in one line why it cannot run; Ctrl-C always ends it with exit code 130."""
    try:
        _main()
    except KeyboardInterrupt:
        _end(130, "stopped")


def _main() -> None:
    from importlib.util import find_spec

    if sys.stdout is None:
        _end(2, "standard output is closed")
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        from evalcore.optional import install_command

        _end(2, f"this command needs {', '.join(missing)}: {install_command('report')}")
    from evalcore.configuration import choose_vector_instructions

    choose_vector_instructions()
    from evalcore import cli

    cli.main(prog_name="evalcore")


def _end(code: int, why: str) -> NoReturn:
    if sys.stderr is not None:  # it is closed
        sys.stderr.write(f"evalcore: {why}\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
