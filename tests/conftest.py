"""How hypothesis runs: without a deadline, on CI the same examples every time, briefly or at length where asked."""

import os

from hypothesis import settings

settings.register_profile("default", deadline=None, max_examples=20)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.register_profile("brief", deadline=None, derandomize=True, max_examples=10)
settings.load_profile("ci" if os.environ.get("CI") else "default")
