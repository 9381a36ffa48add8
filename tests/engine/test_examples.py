"""The examples in the docstrings run and give what they say."""

import doctest
import importlib
import pkgutil

import pytest

import poinsot.engine

MODULES = [m.name for m in pkgutil.walk_packages(poinsot.engine.__path__, "poinsot.engine.") if not m.ispkg]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, monkeypatch):
    monkeypatch.setenv("POINSOT_ENGINE_WAIT", "1")
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
