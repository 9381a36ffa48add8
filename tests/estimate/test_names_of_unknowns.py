"""Unknowns by the names that users have for them: what a payload adds, and numbers that a file leaves out."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError

BAR, T = poinsot.load("four_bar"), np.linspace(0, 4, 401)
MOTION = {"theta1": poinsot.Fourier(3.14, (0.5, 0.2), (0.1,), 1.2)}


def recorded(mechanism: poinsot.Mechanism) -> poinsot.Recording:
    run = poinsot.inverse_dynamics(mechanism, MOTION, T)
    return poinsot.Recording.of(T, {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"]})


def test_what_a_payload_adds_is_found_by_the_name_of_the_unknown():
    heavy = BAR.with_parameters({"link2.mass": BAR.bodies["link2"].mass + 0.4})
    runs = (
        poinsot.Run("bare", recorded(BAR)),
        poinsot.Run("loaded", recorded(heavy), role="payload", against="bare"),
    )
    added = poinsot.Unknown("link2.m", payload=True)
    found = poinsot.identify(poinsot.Study(BAR, runs, (added,)))
    assert found.names == ("payload link2.m",)
    assert found["link2.m"] is found["payload link2.m"]
    both = poinsot.identify(poinsot.Study(BAR, runs, (poinsot.Unknown("link3.J"), poinsot.Unknown("link2.m"), added)))
    assert both["link2.m"].name == "link2.m"
    with pytest.raises(PoinsotError, match=r"there is no unknown of this study 'link1.m'"):
        found["link1.m"]


@pytest.mark.parametrize("problem", ["geometry", "output", "forces"])
def test_an_offset_that_the_file_leaves_out_is_told_how_to_be_added(problem):
    document = copy.deepcopy(dict(BAR.document))
    document["sensors"] = {"enc": {"type": "encoder", "on": {"joint": "A"}}}
    mechanism, rec = poinsot.build(document), recorded(BAR)
    with pytest.raises(PoinsotError, match=r"no parameter 'enc.offset': add offset = 0 to sensors.enc in the model"):
        poinsot.identify(mechanism, rec, ["enc.offset"], problem=problem)
    with pytest.raises(PoinsotError, match=r"there is no parameter 'enc.ofset'(?!: add)"):
        poinsot.identify(mechanism, rec, ["enc.ofset"], problem=problem)
