"""Measured data of others, which are not in the tree: tests that need them are skipped where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of measured data: that of POINSOT_DATA, else ../shared/data beside the repository."""
    folder = Path(os.environ.get("POINSOT_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"measured data are not in {folder}; POINSOT_DATA names their folder")
    return folder
