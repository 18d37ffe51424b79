"""The version of the package, which the front, the command and the build read."""

__version__ = "0.1.0"
