"""Gradients of criteria and limits along driven motions, against differences; families of motions at their ends."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.experiment.excitation.program import MotionPoint
from poinsot.experiment.excitation.shapes import (
    FourierShape,
    PointToPointShape,
    RampedShape,
    SplineShape,
)
from poinsot.experiment.excitation.slopes import SMOOTH, value_and_slope
from poinsot.experiment.excitation.task import ExcitationTask
from poinsot.experiment.limits import limits_of
from poinsot.experiment.study import DesignStudy
from tests.estimate.machines import ARM
from tests.experiment.machines import TURNED_SLIDER

SHAPES = {
    "fourier": FourierShape(4.0, (1, 2, 5)),
    "odd harmonics": FourierShape(4.0, (1, 3, 5), periods=2),
    "spline": SplineShape(4.0, 9),
    "point to point": PointToPointShape(4.0, 5),
    "ramped": RampedShape(FourierShape(3.0, (1, 2), 2, rest=False), 0.7),
}
MACHINES = {
    "four_bar": (poinsot.load("four_bar"), ("theta1",), "A"),
    "five_bar": (poinsot.load("five_bar"), (), "*"),
    "arm with friction": (poinsot.loads(ARM), ("q1", "q2"), "*"),
    "turned slider": (poinsot.loads(TURNED_SLIDER), ("s", "phi"), "*"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_motions_begin_and_end_at_rest_and_rates_are_derivatives(name):
    shape, rng = SHAPES[name], np.random.default_rng(0)
    c = rng.standard_normal(shape.count)
    ends = shape.at(np.array([0.0, shape.duration])) @ c
    np.testing.assert_allclose(ends[1:], 0.0, atol=1e-9 * np.abs(shape.at(shape.grid) @ c).max())
    t, h = np.sort(rng.uniform(0.01, shape.duration - 0.01, 50)), 1e-5
    s, d, a = shape.at(t) @ c
    before, after = (shape.at(t + step) @ c for step in (-h, h))
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), d, atol=1e-5 * np.abs(a).max())
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), a, atol=1e-3 * np.abs(a).max())
    for told, again in zip((s, d, a), shape.signal(c).at(t)):
        np.testing.assert_allclose(again, told, atol=1e-9 * np.abs(told).max())


@pytest.mark.parametrize("name", SMOOTH)
def test_slopes_of_criteria_are_those_of_differences(name):
    rng = np.random.default_rng(1)
    A, D, h = rng.standard_normal((9, 6)), rng.standard_normal((6, 6)), 1e-6
    F, D = A.T @ A, D + D.T
    _, G = value_and_slope(name, F)
    before, after = (value_and_slope(name, F + step * D)[0] for step in (-h, h))
    assert (after - before) / (2 * h) == pytest.approx(np.sum(G * D), rel=1e-6)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("criterion", ["D", "A"])
def test_gradients_along_motions_are_those_of_differences(name, criterion):
    machine, coordinates, actuators = MACHINES[name]
    first = (coordinates or tuple(machine.elements.pose))[0]
    speed = {first: (0.0, 0.5) if criterion == "A" else 0.3}
    task = ExcitationTask(
        coordinates=coordinates, duration=3.0, harmonics=(1, 2, 3), criterion=criterion, speed=speed
    )
    given = {f"{actuators}{part}": 1e3 for part in ("", ".rate", ".acceleration", ".force")}
    study = DesignStudy(machine, task, limits=limits_of(given, machine), noise={"*": 0.1})
    program = task.program(study)
    rng = np.random.default_rng(2)
    z, d = 0.15 * rng.standard_normal((2, program.unit.size))
    point = MotionPoint(program, z, None)
    assert point.good

    def difference(of, h):
        """Of fourth order."""
        near = {i: of(MotionPoint(program, z + i * h * d, point.at)) for i in (-2, -1, 1, 2)}
        return (8 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12 * h)

    # The four-bar's cost has round-off of 1e-9, too much for a short step; the five-bar's bends within a long one.
    slopes = np.array([difference(lambda p: p.cost, h) for h in (1e-2, 1e-4)])
    assert np.min(np.abs(slopes / (point.gradient @ d) - 1)) < 1e-5
    rows = difference(lambda p: p.rows, 1e-4)
    np.testing.assert_allclose(point.row_slopes @ d, rows, atol=1e-7 * np.abs(rows).max())
