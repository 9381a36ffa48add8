"""Whatever bytes a file has, it is read or refused in one sentence, within seconds."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import poinsot
from tests.recording import small_files
from tests.recording.small_files import FILES

WRITERS = {name: write for name, (write, *_) in FILES.items()} | {"DataPhysics": small_files.dataphysics}
MUTANTS = 150  # of each format
LONGEST = 30.0  # seconds for a file, on a machine with other work


def mutant(good: bytes, dice: random.Random) -> bytes:
    """Good bytes with some changed, cut out, doubled or cut off; headers are hit as often as the rest."""
    data = bytearray(good)
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        at = dice.randrange(min(len(data), dice.choice((64, 600, len(data)))) or 1)
        size = dice.choice((1, 1, 4, 30))
        what = dice.randrange(5)
        if what == 0:
            data[at : at + size] = bytes(dice.randrange(256) for _ in range(size))
        elif what == 1:
            data[at : at + 1] = bytes([data[at] ^ (1 << dice.randrange(8))]) if data else b""
        elif what == 2:
            del data[at : at + size]
        elif what == 3:
            data[at:at] = data[at : at + size] * dice.choice((1, 40))
        else:
            data[at : at + 8] = dice.choice((b"\xff" * 8, b"\0" * 8, b"99999999", b"-1\n    58", b"nan,inf,"))
        if not data:
            break
    return bytes(data[: dice.randrange(len(data) + 1)] if dice.random() < 0.15 else data)


def read_or_refused(path: Path) -> None:
    begun = time.perf_counter()
    try:
        rec = poinsot.read(path)
        assert str(rec)
    except poinsot.PoinsotError as error:
        assert "\n" not in str(error) and str(error)
    assert time.perf_counter() - begun < LONGEST


@pytest.mark.parametrize("name", WRITERS)
def test_mutants_of_a_good_file_are_read_or_refused(name, tmp_path, capfd):
    path, dice = WRITERS[name](tmp_path), random.Random(name)
    file = next(f for f in path.iterdir() if f.suffix == ".db3") if path.is_dir() else path
    good = file.read_bytes()
    for _ in range(MUTANTS):
        file.write_bytes(mutant(good, dice))
        read_or_refused(path)
    assert capfd.readouterr() == ("", "")


def test_mutants_of_the_description_of_a_bag_are_read_or_refused(tmp_path):
    path, dice = small_files.bag(tmp_path), random.Random(5)
    about = path / "metadata.yaml"
    good = about.read_bytes()
    for _ in range(MUTANTS):
        about.write_bytes(mutant(good, dice))
        read_or_refused(path)
    shutil.rmtree(path)


TEXT = st.text(st.sampled_from("0123456789.,;-+eE \t\n\r\"'#%[]()nafiT:/µ²ä\x00"), max_size=400)


@settings(deadline=None, max_examples=150)
@given(content=TEXT)
def test_any_text_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("text") / "run.csv"
    path.write_bytes(content.encode("utf-8"))
    read_or_refused(path)


@settings(deadline=None, max_examples=100)
@given(
    content=st.binary(min_size=1, max_size=300),
    ending=st.sampled_from([".csv", ".mat", ".h5", ".uff", ".mcap", ".db3", ".npz", ".parquet", ".lvm"]),
)
def test_any_bytes_are_read_or_refused_whatever_the_ending(tmp_path_factory, content, ending):
    path = tmp_path_factory.mktemp("bytes") / f"run{ending}"
    path.write_bytes(content)
    read_or_refused(path)
