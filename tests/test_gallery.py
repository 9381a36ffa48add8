"""Every example of the gallery runs, in few lines, and writes the picture that the gallery shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from docs.generate import gallery

from tests.generated.share import share

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "images" / "gallery"
QUICK = {"four_bar_base_parameters"}  # others search, or compile for long
SCRIPTS = gallery.scripts()
LONGER = [script for script in SCRIPTS if script.stem not in QUICK]
LINES, BYTES = 40, 80_000


def name_of(script: Path) -> str:
    return script.stem


@pytest.mark.parametrize(
    "script",
    [
        *(pytest.param(s, id=s.stem) for s in SCRIPTS if s.stem in QUICK),
        *(pytest.param(s, marks=pytest.mark.slow, id=s.stem) for s in share(LONGER, 3)),
    ],
)
def test_an_example_runs_and_writes_its_picture(script, tmp_path):
    image = pytest.importorskip("matplotlib.image", reason="the extra plot is not installed")
    settings = {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT / "src")}
    call = [sys.executable, str(script)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, env=os.environ | settings)
    assert done.returncode == 0, done.stderr[-2000:]
    drawn, kept = (image.imread(folder / f"{script.stem}.png") for folder in (tmp_path, PICTURES))
    assert drawn.shape == kept.shape and 0.01 < (drawn[..., :3] < 0.9).any(axis=2).mean() < 0.9


@pytest.mark.parametrize("script", gallery.scripts(), ids=name_of)
def test_an_example_is_short_and_has_a_small_picture(script):
    assert script.read_text().count("\n") <= LINES
    assert (PICTURES / f"{script.stem}.png").stat().st_size < BYTES


def test_the_gallery_shows_every_example_and_nothing_else():
    page = gallery.page()
    assert len(gallery.scripts()) >= 10
    assert all(f"{s.stem}.png" in page and f"examples/{s.name}" in page for s in gallery.scripts())
    assert {p.stem for p in PICTURES.glob("*.png")} == {s.stem for s in gallery.scripts()}
