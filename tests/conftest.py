"""How hypothesis runs: without a deadline, on CI the same examples every time, briefly or at length where asked."""

import os
import subprocess

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None, max_examples=20)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.register_profile("brief", deadline=None, derandomize=True, max_examples=5)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(autouse=True)
def _processes_are_left_to_their_tier(request, monkeypatch):
    """Keep the default run quick: what starts a process is marked `process`."""

    def refused(self, *arguments, **options):
        raise AssertionError("mark this test with pytest.mark.process: it starts a process")

    if not {"process", "slow"} & {mark.name for mark in request.node.iter_markers()}:
        monkeypatch.setattr(subprocess.Popen, "__init__", refused)
