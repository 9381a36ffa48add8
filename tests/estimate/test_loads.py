"""Load friction: the share that a transmission loses, beside all else that a drive has to move."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from tests.estimate.runs import noise

MOTION = {"theta1": poinsot.Fourier(2.5, (0.4, 0.3), (0.1,), 1.2)}
OWN = ["link2.m", "link3.m", "link3.mx", "dry.viscous", "dry.coulomb"]
PROCESSING = {"cutoff": 20.0}


def bar(load: float) -> poinsot.Mechanism:
    on, document = {"joint": "A"}, dict(poinsot.load("four_bar").document)
    dry = {"type": "friction", "viscous": 0.5, "coulomb": 1.0, "smooth": 0.2, "on": on}
    gear = {"type": "load-friction", "load": load, "smooth": 0.2, "on": on}
    return poinsot.build({**document, "forces": {"dry": dry, "gear": gear}})


def run(load: float, seed: int = 1, sigma: float = 0.1) -> poinsot.Recording:
    t, rng = np.arange(0, 10, 0.02), np.random.default_rng(seed)
    found = poinsot.inverse_dynamics(bar(load), MOTION, t)
    torque = found.forces["A"] + sigma * noise(rng, (len(t),), 0.5)
    return poinsot.Recording.of(t, {"theta1": found.kinematics.coordinates["theta1"], "A": torque})


@pytest.mark.parametrize("load", [0.0, 0.15])
def test_the_share_is_found_beside_all_else(load):
    est = poinsot.identify(bar(0.0), run(load), [*OWN, "gear.load"], processing=PROCESSING)
    found = est["gear.load"]
    assert abs(found.value - load) < 4 * found.deviation < 0.04, found
    truth = {"dry.viscous": 0.5, "dry.coulomb": 1.0}
    assert all(abs(est[name].value - x) < 4 * est[name].deviation for name, x in truth.items()), est
    assert est.mechanism.parameters["gear.load"].value == pytest.approx(max(found.value, 0.0))


def test_the_data_chooses_it_where_it_is_and_not_elsewhere():
    for load in (0.0, 0.15):
        est = poinsot.identify(bar(0.0), run(load), OWN, processing=PROCESSING, choose=["gear.load", "dry.offset"])
        assert est.selection.chosen == (("gear.load",) if load else ()), est.selection


def test_a_known_share_is_told_by_a_prior_and_nothing_passes_without_a_word():
    with pytest.raises(PoinsotError, match=r"make 'gear\.load' an unknown"):
        poinsot.identify(bar(0.15), run(0.15), OWN, processing=PROCESSING)
    with pytest.raises(PoinsotError, match="not linear in the parameters"):
        poinsot.regressor(bar(0.15), MOTION, [0.0, 0.1])
    known = {name: {} for name in OWN} | {"gear.load": {"prior": 0.15, "deviation": 1e-4}}
    est = poinsot.identify(bar(0.15), run(0.15), known, processing=PROCESSING)
    assert est["gear.load"].value == pytest.approx(0.15, abs=1e-3)
    assert abs(est["dry.coulomb"].value - 1.0) < 4 * est["dry.coulomb"].deviation
