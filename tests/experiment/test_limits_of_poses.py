"""Limits of poses at rest: those of rates are refused, forces that hold a pose are compared with what drives give."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.vibration import sprung_five_bar
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.experiment.limits import Limit, Quantity
from poinsot.experiment.poses.space import limit_size
from poinsot.vibration.rigid_batch import BatchMatrices
from tests.estimate.geometry.machines import SELF, five_bar

UNKNOWNS = ["A.stiffness", "B.stiffness", "C.stiffness"]
FEW = {"task": "poses", "poses": 30, "sets": 20, "refine": False}
LIMITS = {"phi*": "45 deg"}
BARS = FEW | {"poses": 100, "coordinates": ["x", "y"], "robust": "nominal", "criterion": "A"}
SPRINGS = ["shoulder1.stiffness", "shoulder2.stiffness"]
BOX = {"x": ["-0.1 m", "0.1 m"], "y": ["0.22 m", "0.32 m"]}


def hold(machine, pose) -> dict[str, float]:
    """Forces at rest in a pose, by inverse dynamics."""
    forces = poinsot.inverse_dynamics(machine, {name: float(x) for name, x in pose.items()}, [0.0]).forces
    return {name: float(force[0]) for name, force in forces.items()}


def test_limits_of_rates_are_refused():
    with pytest.raises(PoinsotError, match=r"at rest: the limit of 'phi1\.rate' means nothing"):
        poinsot.design(poinsot.load("three_link"), FEW, UNKNOWNS, limits=LIMITS | {"phi1.rate": 1.0})


def test_the_noise_that_is_taken_is_said():
    found = poinsot.design(poinsot.load("three_link"), FEW, UNKNOWNS, limits=LIMITS)
    assert found.remarks == ("frequencies are taken as measured to 0.5 %",) and found.remarks[0] in str(found)


def test_a_pose_that_a_drive_cannot_hold_is_not_tried():
    machine = sprung_five_bar()
    free = poinsot.design(machine, BARS, SPRINGS, limits=BOX)
    needed = hold(machine, free.best.pose)
    strong = {f"{name}.force": 1.01 * abs(force) for name, force in needed.items()}
    same = poinsot.design(machine, BARS, SPRINGS, limits=BOX | strong)
    assert same.best.pose == free.best.pose
    weak = {f"{name}.force": (0.95 if name == "shoulder2" else 3) * abs(force) for name, force in needed.items()}
    found = poinsot.design(machine, BARS, SPRINGS, limits=BOX | weak)
    assert found.refused["beyond a limit"] > free.refused["beyond a limit"]
    assert found.best.pose != free.best.pose and found.best.value > free.best.value
    reached = {limit.name: limit for limit in found.limits}
    for name, force in hold(machine, found.best.pose).items():
        assert abs(force) <= weak[f"{name}.force"]
        assert_allclose(reached[f"{name}.force"].greatest, force, rtol=1e-6)


def test_drives_that_hold_no_pose_are_named_with_what_they_lack():
    machine, limits = sprung_five_bar(), BOX | {"shoulder?.force": 0.01}
    with pytest.raises(PoinsotError, match=r"'shoulder\d\.force' is violated by 0\.\d+ N·m in the nearest one"):
        poinsot.design(machine, BARS, SPRINGS, limits=limits)


def test_what_actuators_do_not_hold_is_told():
    """The five-bar with one of its two drives."""
    document = sprung_five_bar().document
    joints = {name: {**joint} for name, joint in document["joints"].items()}
    del joints["shoulder2"]["actuated"]
    batch = BatchMatrices(poinsot.build({**document, "joints": joints}, "one drive"), ("x", "y"), (), None)
    q = batch.place(np.array([[0.02, 0.27], [-0.03, 0.3]]), np.zeros((1, 0)))[0]
    assert not batch.holding(q)[1].any()
    whole = BatchMatrices(sprung_five_bar(), ("x", "y"), (), None)
    assert whole.holding(q)[1].all()


def test_beams_without_loads_need_no_forces():
    study = {"task": "poses", "poses": 10, "sets": 5, "modes": 6, "criterion": "A", "refine": False}
    limits = {"x": "50 mm", "y": "50 mm", "theta": "15 deg", "leg1.A1.force": [0.1, 1.0]}
    with pytest.raises(PoinsotError, match=r"'leg1\.A1\.force' is violated by 0\.1 N·m"):
        poinsot.design(poinsot.load("navaro_refined"), study, ["clutch.stiffness"], limits=limits)


def heavy_bars():
    """The five-bar of calibrations, in the field of gravity."""
    return poinsot.build({**five_bar().document, "gravity": [0, "-9.81 m/s²"]}, "heavy bars")


def test_calibration_poses_are_held_by_the_drives():
    shoulders = {"e1": ["107 deg", "153 deg"], "e2": ["27 deg", "73 deg"]}
    given = {"channels": ["e1", "e2", "e3", "e4"], "noise": 2e-5}
    task = {"task": "calibration", "poses": 12, "candidates": 200}
    machine = heavy_bars()

    def needed(design) -> np.ndarray:
        angles = zip(*(np.asarray(design.poses[name]) for name in ("e1", "e2")))
        return np.array([list(hold(machine, {"q1": a, "q2": b}).values()) for a, b in angles])

    free = poinsot.design(machine, task, SELF, limits=shoulders, **given)
    most = np.abs(needed(free)).max(axis=0)
    names = list(machine.actuators)
    weak = {f"{name}.force": 0.9 * force for name, force in zip(names, most)}
    found = poinsot.design(machine, task, SELF, limits=shoulders | weak, **given)
    assert (np.abs(needed(found)).max(axis=0) <= 0.9 * most).all()
    assert_allclose([one.greatest for one in found.limits[-2:]], needed(found).max(axis=0), rtol=1e-6)
    assert found.candidates < free.candidates
    with pytest.raises(PoinsotError, match=r"'.*\.force' is violated by at least"):
        poinsot.design(machine, task, SELF, limits=shoulders | {"*.force": 1e-4}, **given)


def test_small_machines_have_small_tolerances():
    """In micrometres, what is far beyond a limit is not round-off."""
    assert limit_size(Limit("x", Quantity.POSITION, "m", -1e-6, 2e-6)) == 2e-6
    assert limit_size(Limit("phi", Quantity.POSITION, "rad", -0.1, 0.1)) == 1.0
