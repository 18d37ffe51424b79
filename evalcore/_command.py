"""The command ``evalcore``, installed as the module ``evalcore_metrics``, beside the folder ``evalcore``.

An unrelated package, the `evalcore` of PyPI, has a folder and a command of these names too.
"""

import sys


def main(**_: object) -> None:
    """Run the command line, or say that files of another package are found in place of ours.

    What options the command line is started with makes no difference.
    """
    try:
        import evalcore.optional  # noqa: F401 - needs what the other package's errors.py lacks
        from evalcore.__main__ import main
    except ImportError:
        sys.stderr.write(
            "evalcore: files of another package are in place of those of evalcore-metrics (the evalcore on PyPI, which"
            " is unrelated, installs the same folder): pip uninstall evalcore, then pip install --force-reinstall"
            " evalcore-metrics\n"
        )
        sys.exit(2)
    main()
