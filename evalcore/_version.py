"""The version of the package, which the front, the command and the build read."""

__version__ = "1.0.0rc2"
