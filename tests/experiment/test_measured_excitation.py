"""The TX40's recorded exciting trajectory, and a motion that tells every base parameter at least as well."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.experiment.excitation.information import Information, information_of
from poinsot.experiment.excitation.task import ExcitationTask, measured_regressor
from poinsot.experiment.limits import limits_of
from poinsot.experiment.unknown_rows import unknown_regressor
from poinsot.identifiability.states import States
from poinsot.motion.kinematics import solve_path
from poinsot.recording.motion import recorded_motion
from poinsot.recording.place import placed
from tests.estimate.test_measured_machines import MODELS, tx40_recording
from tests.recording.conftest import data as data  # the folder of measured data

JOINTS = tuple(f"q{k}" for k in range(1, 7))
RATE, CUTOFF = 100.0, 20.0  # of samples, and of the filter, above which peaks of acceleration only grow  [Hz]
HARMONICS, ITERATIONS = tuple(range(1, 13)), 60
NOISE = {"M1": 3.0, "M2": 3.0, "M3": 1.5, "M4": 0.6, "M5": 0.6, "M6": 0.5}  # about what identification leaves  [N·m]


def peaks(parts: dict[str, np.ndarray]) -> dict[str, list[float]]:
    """Ranges, and largest rates and accelerations to both sides, by name of a limit, from s, ṡ, s̈ (3, n)."""
    found = {}
    for name, (s, rate, acceleration) in parts.items():
        found[name] = [float(s.min()), float(s.max())]
        for end, x in ((".rate", rate), (".acceleration", acceleration)):
            found[name + end] = [-float(np.abs(x).max()), float(np.abs(x).max())]
    return found


def with_motor(joints: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Joints, and motor 6, which turns the sum of the last two."""
    return joints | {"M6": joints["q5"] + joints["q6"]}


def standard_errors(information: Information, W) -> np.ndarray:
    """Of the base parameters (b,): columns to unit length, QR."""
    X = W.matrix[:, information.chosen] / np.tile(information.sigma, len(W.t))[:, None]
    length = np.linalg.norm(X, axis=0)
    return np.linalg.norm(np.linalg.inv(np.linalg.qr(X / length, mode="r")), axis=1) / length


@pytest.mark.slow
def test_every_base_parameter_of_the_tx40_is_told_at_least_as_well_as_by_its_recorded_motion(data):
    if not (data / "tx40").is_dir():
        pytest.skip(f"the recording of the TX40 is not in {data}")
    arm = poinsot.load(MODELS / "tx40.toml")
    recorded = recorded_motion(placed(tx40_recording(data), arm), arm, cutoff=CUTOFF)
    begin, end = recorded.t[0] + recorded.edge, recorded.t[-1] - recorded.edge
    fine = recorded.t[(recorded.t >= begin) & (recorded.t <= end)]
    joints = {f"q{k}": np.stack(recorded.motion[f"E{k}"].at(fine)) for k in range(1, 7)}
    joints["q6"] = joints["q6"] - joints["q5"]
    allowed = peaks(with_motor(joints))
    del allowed["M6"]
    study = poinsot.DesignStudy(arm, ExcitationTask(), limits=limits_of(allowed, arm), noise=NOISE)

    information, t = information_of(study), np.arange(begin, end, 1 / RATE)
    path = solve_path(recorded.mechanism, recorded.motion, t)
    states = States(path.system, path.t, path.q, path.v, path.a, path.p, path.system.home.size)
    names = [channel.name for channel in information.measured]
    before = standard_errors(information, unknown_regressor(information.unknowns, states, names, recorded.mechanism))
    assert len(before) == 61

    aim = dict(zip((information.unknowns.names[j] for j in information.chosen), before.tolist()))
    options = {"duration": len(t) / RATE, "harmonics": HARMONICS, "rate": RATE, "criterion": "worst", "aim": aim}
    task = ExcitationTask(coordinates=JOINTS, starts=100, polish=1, iterations=ITERATIONS, **options)
    found = replace(study, task=task).solve()
    assert len(found.t) == len(t)
    ratio = standard_errors(information, measured_regressor(information, found.motion, found.t)) / before
    assert ratio.max() <= 1, np.sort(ratio)[-5:]
    assert found.criteria["worst"] == pytest.approx(ratio.max(), rel=1e-6)

    grid = np.arange(0, found.duration, 1 / (10 * 16 * max(HARMONICS) / found.duration))
    reached = peaks(with_motor({name: np.stack(signal.at(grid)) for name, signal in found.motion.items()}))
    for name, (lower, upper) in allowed.items():
        slack = 1e-9 * (upper - lower)
        assert lower - slack <= reached[name][0] and reached[name][1] <= upper + slack, name
