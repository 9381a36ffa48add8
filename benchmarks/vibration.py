"""Frequencies over poses and parameter sets, against the same matrices through NumPy and through single calls."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import numpy as np

import poinsot
from poinsot.blas import one_blas_thread
from poinsot.vibration.rigid_batch import BatchMatrices

from .measure import Table, interleave, stopwatch

POSES, SETS = 10_000, 1_000_000


def run() -> Table:
    """Measure maps of 10⁴ poses and a Monte Carlo of 10⁶ parameter sets."""
    rng = np.random.default_rng(0)
    three_link = poinsot.load("three_link")
    angles = {f"phi{i}": rng.uniform(-1.5, 1.5, POSES) for i in (1, 2, 3)}
    x, y = rng.uniform(-0.2, 0.2, POSES), rng.uniform(0.2, 0.35, POSES)
    springs = {f"{joint}.stiffness": rng.uniform(5, 30, SETS) for joint in "ABC"}
    rows, figures = [], {}
    for name, mechanism, poses in (
        ("three_link", three_link, angles),
        ("five_bar on springs, gravity", sprung_five_bar(), {"x": x, "y": y}),
    ):
        _wait(mechanism, tuple(poses), ())
        times = interleave({"map": lambda m=mechanism, p=poses: poinsot.frequency_map(m, p)}, repeats=3)
        single = _single(mechanism, poses)
        each = 1e6 * times["map"].best / POSES
        rows.append((f"{POSES} poses of {name}", times["map"].best, each, single / each))
        figures[f"{name} µs per pose"] = each
    _wait(three_link, ("phi1", "phi2", "phi3"), tuple(springs))
    times = interleave(
        {
            "map": lambda: poinsot.frequency_map(three_link, parameters=springs),
            "numpy": lambda: numpy_frequencies(springs),
        },
        repeats=3,
    )
    ratio = times["numpy"].best / times["map"].best
    rows.append((f"{SETS} parameter sets of three_link", times["map"].best, 1e6 * times["map"].best / SETS, ratio))
    goals = ((f"10⁶ eigenproblems in less than 3 s: {times['map'].best:.2f}", times["map"].best < 3),)
    figures["10⁶ sets s"] = times["map"].best
    title = "natural frequencies in batch; ratio to modes() one by one, for parameter sets to NumPy on given matrices"
    return Table(title, ("what", "s", "µs each", "ratio"), tuple(rows), goals, figures)


def sprung_five_bar() -> poinsot.Mechanism:
    """The five-bar in the field of gravity, its cranks on the springs of their drives."""
    document = tomllib.loads((files("poinsot") / "library" / "five_bar.toml").read_text())
    for name in ("shoulder1", "shoulder2"):
        document["joints"][name].update(stiffness=40.0, rest="pose")
    return poinsot.build({**document, "gravity": [0, -9.81]}, "five_bar")


def numpy_frequencies(springs: dict[str, np.ndarray]) -> np.ndarray:
    """The same eigenproblems of stiffness in joint coordinates, M factored once."""
    M = poinsot.linearise(poinsot.load("three_link")).M
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    with one_blas_thread():
        K = np.einsum("ij,nj,kj->nik", inverse, np.array(list(springs.values())).T, inverse)
        return np.sqrt(np.linalg.eigvalsh(K)) / (2 * np.pi)


def _single(mechanism: poinsot.Mechanism, poses: dict[str, np.ndarray], count: int = 20) -> float:
    """Microseconds of one call of modes()."""
    places = [{name: float(x[k]) for name, x in poses.items()} for k in range(count)]
    poinsot.modes(mechanism, places[0])
    return 1e6 * stopwatch(lambda: [poinsot.modes(mechanism, place) for place in places]) / count


def _wait(mechanism: poinsot.Mechanism, names: tuple[str, ...], parameters: tuple[str, ...]) -> None:
    """Compile and wait for optimised code."""
    batch = BatchMatrices.of(mechanism, names, parameters, None)
    for kernel in (batch.hold, batch.matrices, batch.drive.newton):
        kernel.wait()
