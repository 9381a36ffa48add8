"""Every test run has a cache of compiled code of its own."""

import pytest


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(autouse=True)
def own_cache(session_cache, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(session_cache))
    for name in ("POINSOT_ENGINE", "POINSOT_ENGINE_WAIT", "POINSOT_CACHE_BYTES", "POINSOT_THREADS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"
