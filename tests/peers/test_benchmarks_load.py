"""Every registered benchmark can be loaded: what it needs of the library is there."""

from __future__ import annotations

from importlib import import_module

import pytest
from benchmarks import REGISTRY

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("name", REGISTRY)
def test_a_benchmark_loads_and_can_be_run(name):
    assert callable(import_module(f"benchmarks.{name}").run)
