"""Forces of recordings made in Python that are clipped: said, and not taken for late ones."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from tests.estimate.runs import four_bar_run


@pytest.mark.parametrize("share", [0.5, 0.7, 0.85])
def test_a_torque_that_is_clipped_is_said_to_be_and_not_late(share):
    torque = four_bar_run(sigma=0.0)["A"]
    most = share * np.abs(torque).max()
    whole = four_bar_run(sigma=0.0)
    run = whole.with_channels({"A": np.clip(torque, -most, most)}, whole.channels)
    verdict = poinsot.identify(poinsot.load("four_bar"), run, ["link2.m", "link3.m"]).verdict
    assert "clipped" in verdict
    assert "behind the motion" not in verdict
    assert "clipped" not in poinsot.identify(poinsot.load("four_bar"), whole, ["link2.m", "link3.m"]).verdict
