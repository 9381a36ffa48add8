"""Predicted standard errors are those of the forces' noise: a simulated recording tells what encoders add."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.experiment.excitation.task import ExcitationTask

MASSES = ["link2.mass", "link3.mass"]
FORCE = "\n[sensors.torque]\ntype = 'drive-force'\nactuator = 'A'\nnoise = '0.02 N*m'\n"
ENCODER = "\n[sensors.angle]\ntype = 'encoder'\non = {{ joint = 'A' }}\nnoise = {}\n"
TASK = ExcitationTask(coordinates=("theta1",), duration=4.0, starts=4, polish=1, iterations=20)


def designed(encoder: str) -> tuple[poinsot.Mechanism, object]:
    bar = poinsot.loads(poinsot.dumps(poinsot.load("four_bar")) + FORCE + encoder)
    limits = {"theta1": ["30 deg", "120 deg"], "theta1.rate": 4.0}
    return bar, poinsot.design(bar, TASK, MASSES, limits=limits, noise=0.02)


def test_standard_errors_that_noise_of_an_encoder_makes_larger_are_told_as_repeated_runs_have_them():
    bar, found = designed(ENCODER.format("'3 mrad'"))
    (said,) = found.remarks
    assert "of a simulated recording with that of all sensors they are larger: link" in said
    texts = {part.split(" ± ")[0].split()[-1]: part.split(" ± ")[1] for part in said.split(", ")}
    values = np.array(
        [
            poinsot.identify(bar, poinsot.measure(bar, found.motion, found.t, seed=seed), MASSES).value
            for seed in range(1, 17)
        ]
    )
    for name, scatter in zip(MASSES, values.std(axis=0)):
        assert 0.5 < float(texts[name].split()[0]) / scatter < 2.0, (said, values)
        assert scatter > 1.5 * found[name].deviation


@pytest.mark.parametrize(("encoder", "said"), ((ENCODER.format("'1e-7 rad'"), None), ("", "have none, adds to them")))
def test_nothing_is_said_where_encoders_add_nothing_and_that_they_are_missing_where_there_are_none(encoder, said):
    _, found = designed(encoder)
    assert [said in one for one in found.remarks] == [True] if said else found.remarks == ()
