"""What a verdict says of channels: by held-out residuals in two measures, and of those that are always zero."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

import poinsot
from poinsot.estimate.results.validation import RunFit, fit_of, poorly_predicted
from poinsot.model.toml import dumps
from tests.estimate.test_silent_errors import pendulum, swing

T = np.arange(400) / 100


def told(size: float, residual: float, seed: int = 0, silent: tuple[str, ...] = ()) -> RunFit:
    """A channel of some size that is predicted up to noise."""
    y = size * np.sin(5 * T)[:, None]
    left = residual * np.random.default_rng(seed).standard_normal(y.shape)
    found = fit_of(["run"], [("A", "N·m")], [T], [y + left], [y], silent=silent)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("size", "residual", "said"),
    [
        (2.0, 0.125, ()),  # moves less than the fit: more of its deviation, and less in its unit
        (60.0, 0.6, ()),  # moves more: more in its unit, and less of its deviation
        (10.0, 0.2, ()),
        (10.0, 0.4, ("A",)),
        (2.0, 0.4, ("A",)),
        (0.0, 0.125, ()),  # hardly moves: nothing but the same noise
        (0.0, 0.23, ("A",)),  # a constant does as well, and the noise is not the same
    ],
)
def test_held_out_runs_are_judged_by_residuals_in_the_unit_and_of_the_deviation(size, residual, said):
    assert poorly_predicted(told(10.0, 0.16), told(size, residual, 1)) == said


@pytest.mark.parametrize(("miss", "said"), [(0.1, ()), (3.0, ("A",))])
def test_one_held_out_sample_has_no_deviation_and_is_judged_in_its_unit(miss, said):
    fit = told(10.0, 0.16)
    one = fit_of(["run"], [("A", "N·m")], [T[:1]], [np.array([[17.0 + miss]])], [np.array([[17.0]])])
    assert one is not None
    assert not one.channels[0].constant
    assert poorly_predicted(fit, one) == said
    assert "inf" not in str(one)


@pytest.mark.parametrize("n", [2, 3])
def test_a_few_held_out_samples_that_are_nearly_alike_are_judged_in_their_unit(n):
    y = np.array([[17.0], [17.003], [16.998]])[:n]
    few = fit_of(["run"], [("A", "N·m")], [T[:n]], [y + 0.02], [y])
    assert few is not None and poorly_predicted(told(10.0, 0.16), few) == ()
    assert not few.channels[0].constant and "–" in str(few)


def test_a_channel_that_is_not_explained_at_all_is_not_predicted():
    assert poorly_predicted(told(0.01, 0.2), told(0.01, 0.2, 1)) == ("A",)
    assert poorly_predicted(told(0.0, 0.2, 0, ("A",)), told(0.0, 0.2, 1, ("A",))) == ()


@pytest.mark.parametrize(("corner", "size", "hardly"), [(0.5, 1.0, True), (1.0, 1.0, False), (0.5, 3.0, False)])
def test_a_channel_is_hardly_explained_where_most_of_it_is_left_and_is_no_noise(corner, size, hardly):
    """Noise has a correlation of 0.55 behind the filter of rows; what is left of forces without a model has more."""
    t, rng = np.arange(600) / 100, np.random.default_rng(3)
    y = size * np.sin(5 * t)[:, None]
    left = lfilter([1.0], [1.0, -0.55 / corner**0.5], rng.standard_normal(y.shape), axis=0)
    left *= 0.9 / left.std()
    found = fit_of(["run"], [("A", "N·m")], [t], [y + left], [y])
    assert found is not None
    assert [c.column for c in found.hardly_explained] == (["A"] if hardly else [])


def test_a_channel_that_is_hardly_explained_is_not_called_predicted():
    late = [swing(pendulum(), seed=seed, late=0.15) for seed in (0, 1)]
    est = poinsot.identify(pendulum(), late[0], ["bob.mx"], validate=late[1])
    assert est.validation is not None and est.validation["hinge"].relative > 0.7
    assert "leave no more than the fit, but hardly anything of hinge is explained" in est.verdict
    assert "predicts" not in est.verdict


CELL = '\n[sensors.cell]\ntype = "reaction"\njoint = "B"\n'


def test_forces_out_of_the_plane_say_nothing_and_are_not_blamed():
    bar, rng = poinsot.loads(dumps(poinsot.load("four_bar")) + CELL), np.random.default_rng(0)

    def recorded(share: float) -> poinsot.Recording:
        motion = {"theta1": poinsot.Fourier(share * 2.5, (0.4, 0.3), (0.1, 0.2), 1.2)}
        W = poinsot.regressor(bar, motion, T, ["A", "sensor cell"])
        forces = W.values + 0.01 * rng.standard_normal(W.values.shape)
        angle = poinsot.kinematics(bar, motion, T).coordinates["theta1"]
        names = [name.removeprefix("sensor ") for name in W.channels]
        return poinsot.Recording.of(T, {"theta1": angle, **dict(zip(names, forces.T))})

    zero = [f"sensor cell.{part}" for part in ("fz", "tx", "ty", "tz")]
    est = poinsot.identify(bar, recorded(1.0), ["link2.mass"], validate=recorded(0.8))
    assert [f.channel for f in est.fit.channels if f.silent] == zero
    assert "no better than" not in est.verdict and "predicts held-out runs" in est.verdict
    assert f"zero there whatever the values: {', '.join(zero)}" in str(est)
    more = poinsot.identify(bar, recorded(1.0), ["link2.mass", "offset sensor cell.fz"])
    assert [f.channel for f in more.fit.channels if f.silent] == zero[1:]  # an offset is seen in the first


def test_a_held_out_run_that_hardly_moves_is_not_called_predicted():
    bar, rng = poinsot.load("four_bar"), np.random.default_rng(1)

    def recorded(size: float, noise: float = 0.05) -> poinsot.Recording:
        run = poinsot.inverse_dynamics(bar, {"theta1": poinsot.Fourier(2.5, (size * 0.4, size * 0.3), (), 1.2)}, T)
        torque = run.forces["A"] + noise * rng.standard_normal(len(T))
        return poinsot.Recording.of(T, {"theta1": run.kinematics.coordinates["theta1"], "A": torque})

    unknowns, moving, resting = ["link2.mass", "link3.mass"], recorded(1.0), recorded(1e-4, 0.04)
    assert "predicts held-out runs" in poinsot.identify(bar, moving, unknowns, validate=recorded(0.7)).verdict
    told = poinsot.identify(bar, moving, unknowns, validate=resting).verdict
    assert "leave no more than the fit, but hardly move (residual 1.0" in told and "predicts" not in told
