"""A driven screw: the thread carries the weight, whatever the lead, in every formulation."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.formulations.solve import FORMULATIONS


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
