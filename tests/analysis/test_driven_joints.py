"""Driven joints in every formulation: a screw carries the weight, and all kinds have the same reactions."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.elements.joints import JOINTS
from poinsot.formulations.registry import FORMULATIONS

DRIVEN = [kind for kind, law in JOINTS.items() if law.coordinates and all(c.unit != "-" for c in law.coordinates)]


def screw(lead: str) -> poinsot.Mechanism:
    return poinsot.build(
        {
            "format": 1,
            "bodies": {"nut": {"mass": 2, "inertia": [0.01, 0.01, 0.02]}},
            "joints": {"thread": {"type": "helical", "between": ["ground", "nut"], "lead": lead, "actuated": True}},
            "coordinates": {"angle": {"joint": "thread"}},
        }
    )


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("lead", ["5 mm/rev", "100 mm/rad"])
def test_the_thread_carries_the_weight_and_its_moment_holds_the_torque(formulation, lead):
    mechanism = screw(lead)
    h = mechanism.parameters["thread.lead"].value
    found = poinsot.inverse_dynamics(mechanism, {"angle": 0.0}, [0.0], formulation=formulation)
    weight = 2 * 9.81
    np.testing.assert_allclose(found.forces["thread"], weight * h, rtol=1e-12)
    np.testing.assert_allclose(found.reactions["thread"], [[0, 0, weight, 0, 0, -weight * h]], atol=1e-10)


@pytest.mark.parametrize("kind", DRIVEN)
def test_a_driven_joint_has_the_same_forces_and_reactions_in_every_formulation(kind):
    names = [c.name for c in JOINTS[kind].coordinates]
    coordinates = {n: {"joint": "j", "coordinate": n} for n in names}
    lead = {"lead": 0.1} if kind == "helical" else {}
    mechanism = poinsot.build(
        {
            "format": 1,
            "bodies": {"b": {"mass": 2, "com": [0.1, 0.2, 0.3], "inertia": [0.1, 0.12, 0.15]}},
            "joints": {"j": {"type": kind, "between": ["ground", "b"], **lead}},
            "actuators": {n: {"on": on} for n, on in coordinates.items()},
            "coordinates": coordinates,
        }
    )
    motion = {n: lambda t, k=k: 0.4 + 0.2 * k + t + t * t for k, n in enumerate(names)}
    found = [poinsot.inverse_dynamics(mechanism, motion, [0.0, 0.1], formulation=f) for f in FORMULATIONS]
    for other in found[1:]:
        np.testing.assert_allclose(other.reactions["j"], found[0].reactions["j"], atol=1e-9)
        for n in names:
            np.testing.assert_allclose(other.forces[n], found[0].forces[n], atol=1e-9)
