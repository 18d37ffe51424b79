"""``python -m evalcore`` and the command ``evalcore``."""

import sys
from importlib.util import find_spec

_NEEDED = "click", "pyarrow", "rich"


def main() -> None:
    """Run the command line, or say what to install for it."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        print(f"evalcore: this command needs {', '.join(missing)}: pip install 'evalcore[report]'", file=sys.stderr)
        sys.exit(2)
    from evalcore import cli

    cli.main(prog_name="evalcore")


if __name__ == "__main__":
    main()
