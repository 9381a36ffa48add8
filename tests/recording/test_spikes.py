"""Spikes: samples that cannot be right are masked, be they many, and right recordings are left as they are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import poinsot
from poinsot.recording.finding import Severity
from poinsot.recording.findings.samples import sentinels, spikes
from poinsot.recording.recording import Axis

RATE = 500.0  # [Hz]


def motion(n: int, random: np.random.Generator) -> np.ndarray:
    """Four harmonics with random amplitudes and phases (n,)."""
    t = np.arange(n) / RATE
    return sum(random.uniform(-1, 1) * np.sin(2 * np.pi * f * t + random.uniform(0, 6)) for f in (0.3, 0.7, 1.1, 2.3))


def pulses(n: int, shape: np.ndarray, random: np.random.Generator, least: float = 1.0) -> np.ndarray:
    """A shape again and again, 59 samples apart, of random size from `least` to 1."""
    x = np.zeros(n)
    for k in range(20, n - len(shape), 59):
        x[k : k + len(shape)] += random.uniform(least, 1) * shape
    return x


def right(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Recordings (n,) in which nothing is wrong, by name."""
    random = np.random.default_rng(seed)
    s, t, k = motion(n, random), np.arange(n) / RATE, np.arange(n)
    noise = random.standard_normal(n)
    encoder, slow = np.round(500 * s) / 500, np.round(40 * s) / 40
    stands = np.where(k < 0.8 * n, s[0], s - s[int(0.8 * n)] + s[0])
    stick = (7 * t + 0.3 * np.sin(t)) % 1
    half_sine = np.sin(np.pi * (np.arange(7) + 0.5) / 7)
    hits = 10 * pulses(n, half_sine, random, 0.3) + 0.01 * noise
    rings = np.exp(-np.arange(20) / 3) * np.cos(1.3 * np.arange(20))
    found = {
        "smooth": s,
        "noise": s + 0.05 * noise,
        "noise with long tails": s + 0.05 * random.laplace(size=n),
        "coarse encoder": np.round(64 * s) / 64,
        "fine encoder": np.round(4096 * s) / 4096,
        "differences of an encoder": np.diff(encoder, prepend=encoder[0]),
        "differences of a coarse encoder": np.diff(slow, prepend=slow[0]),
        "second differences of an encoder": np.diff(encoder, 2, prepend=[encoder[0]] * 2),
        "set points": np.repeat(random.uniform(-1, 1, n // 40 + 1), 40)[:n],
        "steps with noise": np.repeat(random.uniform(-1, 1, n // 40 + 1), 40)[:n] + 0.001 * noise,
        "square wave": np.sign(np.sin(10 * np.pi * t)),
        "square wave with noise": np.sign(np.sin(10 * np.pi * t)) + 0.01 * noise,
        "square wave of four samples": np.where(k // 2 % 2, 1.0, -1.0) + 0.01 * noise,
        "pseudo-random steps": np.sign(random.standard_normal(n // 3 + 1)).repeat(3)[:n] + 0.01 * noise,
        "standing and moving": stands,
        "standing with an encoder that flickers": np.round(5000 * (1.2 + 1.5e-4 * noise)) / 5000,
        "short moves": np.where(k % 400 < 25, 3 * noise, 0.01 * noise),
        "stick and slip": stick + 0.005 * noise,
        "velocity of stick and slip": np.where(stick > 0.96, 0.7, 0.0) + 0.002 * noise,
        "slips of one sample": np.where(random.random(n) < 0.02, random.uniform(0.2, 1, n), 0.0),
        "position of stick and slip": np.floor(7 * t + 0.3 * np.sin(t)),
        "dry friction": 2 * np.sign(np.gradient(s)) + s + 0.02 * noise,
        "chatter": np.where(np.abs(s) < 0.1, np.sign(random.standard_normal(n)), np.sign(s)) + 0.01 * noise,
        "saturation": np.clip(3 * s + 2 * noise, -2, 2),
        "angles within a turn": (6 * s + np.pi) % (2 * np.pi) - np.pi,
        "impacts": 10 * pulses(n, rings, random, 0.3) + 0.01 * noise,
        "impacts that decay at once": 10 * pulses(n, np.exp(-np.arange(9.0)), random, 0.3) + 0.01 * noise,
        "hits of a hammer": hits,
        "clipped hits of a hammer": np.minimum(hits, 6),
        "triggers": pulses(n, np.ones(1), random),
    }
    for width in (2, 3, 5, 10):
        train = pulses(n, np.ones(width), random)
        found[f"pulses of {width} samples"] = train
        found[f"pulses of {width} samples on a motion"] = train + s
        found[f"quantised pulses of {width} samples"] = np.round(500 * (train + 0.002 * noise)) / 500
    return found


@pytest.mark.parametrize("n", [201, 2001, 8001])
@pytest.mark.parametrize("name", right(201))
def test_right_recordings_are_left_as_they_are(name, n):
    assert [len(spikes(right(n, seed)[name])[0]) for seed in range(3)] == [0, 0, 0]


BASES = ("smooth", "noise", "coarse encoder", "fine encoder", "steps with noise", "stick and slip")


def lost(x: np.ndarray, share: float, longest: int, seed: int) -> np.ndarray:
    """Rows (k,) that are lost: about a share of x (n,), in runs of at most `longest` samples."""
    random = np.random.default_rng(seed)
    bad = np.zeros(len(x), bool)
    for k in random.choice(np.arange(5, len(x) - 15), max(4, round(2 * share * len(x) / (1 + longest))), False):
        bad[k : k + random.integers(1, longest + 1)] = True
    return np.flatnonzero(bad)


@pytest.mark.parametrize("value", [-9999.0, 0.0, 1e38])
@pytest.mark.parametrize(("n", "share"), [(201, 0.02), (201, 0.1), (2001, 0.012), (2001, 0.05), (2001, 0.15)])
def test_codes_for_no_sample_are_found_and_nothing_else(n, share, value):
    for name in BASES:
        x = 6 + right(n)[name]
        rows = lost(x, share, 1, seed=n)
        x[rows] = value
        assert spikes(x)[0].tolist() == rows.tolist(), name
        assert [*sentinels(x)] == [value]


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_short_dropouts_are_found_and_nothing_else(share):
    for name in BASES:
        x = 6 + right(2001)[name]
        rows = lost(x, share, 6, seed=3)
        x[rows] = 0
        assert spikes(x)[0].tolist() == rows.tolist(), name


@pytest.mark.parametrize(("n", "share"), [(201, 0.02), (2001, 0.02), (2001, 0.05)])
def test_spikes_of_any_size_are_found_up_to_some_per_cent_and_nothing_else(n, share):
    for name in BASES[:4]:
        x, random = right(n)[name], np.random.default_rng(5)
        rows = lost(x, share, 1, seed=5)
        x[rows] += random.uniform(8, 60, len(rows)) * random.choice([-1, 1], len(rows))
        found = spikes(x)[0]
        assert not {*found} - {*rows}
        assert len(found) >= 0.95 * len(rows), name


def test_a_code_is_told_from_samples_that_have_its_value():
    """A motion through 0, by an encoder, with dropouts to 0: samples of 0 in the motion stay."""
    n = 2001
    x = np.round(500 * np.sin(2 * np.pi * np.arange(n) / 400)) / 500
    at_zero = {*np.flatnonzero(np.abs(x) < 0.05)}
    rows = np.array([k for k in lost(x, 0.03, 1, seed=2) if abs(x[k]) > 0.2])
    x[rows] = 0
    assert spikes(x)[0].tolist() == rows.tolist()
    assert len(at_zero) > 20


@pytest.mark.parametrize("end", [0, -1])
def test_codes_in_the_first_and_the_last_row_are_found_with_the_others(end):
    x = right(500)["noise"]
    x[[50, 120, 300, end]] = -9999
    assert len(spikes(x)[0]) == 4


def slide(n: int, seed: int = 0) -> tuple[poinsot.Mechanism, dict[str, np.ndarray]]:
    """A slide of 3 kg with viscous friction, and what is recorded of it: t, x and f (n,)."""
    mechanism = poinsot.loads(
        'format = 1\nname = "slide"\n[bodies.table]\nmass = 3.0\n'
        '[joints.rail]\ntype = "prismatic"\nbetween = ["ground", "table"]\naxis = [1, 0, 0]\nactuated = true\n'
        'friction = { viscous = "4 N·s/m" }\n[coordinates]\nx = { joint = "rail" }\n'
    )
    t, w, random = np.arange(n) / 200, 2 * np.pi * np.array([0.5, 1.1, 1.7]), np.random.default_rng(seed)
    position = 1.2 + 0.1 * np.sin(np.outer(t, w)).sum(axis=1)
    velocity = 0.1 * (w * np.cos(np.outer(t, w))).sum(axis=1)
    acceleration = -0.1 * (w**2 * np.sin(np.outer(t, w))).sum(axis=1)
    force = 3 * acceleration + 4 * velocity
    return mechanism, {
        "t": t,
        "x": position + 1e-5 * random.standard_normal(n),
        "rail": force + 0.02 * random.standard_normal(n),
    }


@pytest.mark.parametrize(
    ("column", "value", "n", "count"), [("rail", -9999, 2001, 24), ("x", 0, 2001, 30), ("x", 0, 201, 4)]
)
def test_a_mass_is_identified_in_spite_of_samples_that_were_lost(column, value, n, count, tmp_path):
    mechanism, columns = slide(n)
    columns[column][np.random.default_rng(1).choice(np.arange(5, n - 5), count, False)] = value
    path = tmp_path / "run.csv"
    rows = np.stack([*columns.values()], axis=1)
    np.savetxt(path, rows, delimiter=",", header="t [s],x [m],rail [N]", comments="", fmt="%.9g")
    rec = poinsot.read(path, mechanism=mechanism)
    code, spike = ([f for f in rec.findings if f.code == what] for what in ("sentinel", "spikes"))
    assert f"{count} values of {value}" in code[0].message and code[0].severity is Severity.NOTE
    assert spike[0].mended and spike[0].amount == count
    assert np.count_nonzero(~rec.mask(column)) == count
    mass = poinsot.identify(mechanism, rec, ["table.mass", "rail.viscous"])["table.mass"]
    assert mass.value == pytest.approx(3, rel=0.01)


@pytest.mark.parametrize(("unit", "factor"), [("kN", 1e3), ("N", 1.0)])
def test_a_code_is_told_as_it_stands_in_the_file(unit, factor, tmp_path):
    mechanism, columns = slide(2001)
    columns["rail"] = columns["rail"] / factor
    columns["rail"][np.random.default_rng(1).choice(np.arange(5, 1996), 24, False)] = -9999
    rows = np.stack([*columns.values()], axis=1)
    header = f"t [s],x [m],rail [{unit}]"
    np.savetxt(tmp_path / "run.csv", rows, delimiter=",", header=header, comments="", fmt="%.9g")
    rec = poinsot.read(tmp_path / "run.csv", mechanism=mechanism)
    (code,) = [f for f in rec.findings if f.code == "sentinel"]
    assert ("(-9999 in the file)" in code.message) == (unit == "kN") and "-9999" in code.message


def measured(data) -> Iterator[tuple[str, np.ndarray]]:
    """Channels (n,) of measured motions of machines."""
    paths = [(data / "emps" / f"{name}.mat", None) for name in ("DATA_EMPS", "DATA_EMPS_PULSES")]
    paths += [(path, None) for path in sorted((data / "double-pendulum").glob("*.csv.gz"))]
    paths += [(path, 200.0) for path in sorted((data / "dvrk").glob("*.csv.gz"))]
    paths += [(path, 5000.0) for path in sorted((data / "tx40").glob("*.csv.gz"))]
    for path, rate in paths:
        rec = poinsot.read(path, rate=rate, repair=False)
        assert rec.axis is Axis.TIME
        yield from ((f"{name} of {path.name}", rec[name][rec.mask(name)]) for name in rec)


def test_measured_motions_are_left_as_they_are(data):
    channels = [*measured(data)]
    assert len(channels) > 150
    assert {name: len(at) for name, x in channels if len(at := spikes(x)[0])} == {}
