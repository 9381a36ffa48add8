"""Motions that results keep: as simulated with the values, and the poses of a calibration one after another."""

from __future__ import annotations

import numpy as np
import pytest
from tests.estimate.geometry.machines import SELF, five_bar, five_bar_poses, off_nominal
from tests.estimate.output.machines import noisy, off, pushed, sprung, swing

import poinsot
from poinsot.app.report.saved import read_result
from poinsot.app.report.sections.mechanism import mechanism as section
from poinsot.app.scene.track import resampled

T = np.arange(0, 1.0, 0.02)


@pytest.mark.parametrize("segment", [None, 0.25])
def test_output_error_keeps_the_simulated_motion(tmp_path, segment):
    truth = sprung(tmp_path)
    record = swing(truth, T, 1e-4, 0)
    names = ["spring.stiffness"]
    processing = {} if segment is None else {"segment": segment}
    est = poinsot.identify(off(truth, names, 1.2), record, names, problem="output", processing=processing)
    result = read_result(est.save(tmp_path / "result"))
    assert result.motion is not None and not result.motion.apart
    np.testing.assert_allclose(result.motion.t, T, atol=1e-9)
    own = poinsot.simulate(truth, T[-1], t=T)
    for body in truth.bodies:
        np.testing.assert_allclose(result.motion.position[body], own.position[body], atol=2e-3)
        np.testing.assert_allclose(result.motion.rotation[body], own.rotation[body], atol=5e-3)
    (scene, *_) = section(result).blocks
    assert scene.title == "sprung moving as in 'run1'"


def test_collocation_keeps_the_motion_of_least_cost(tmp_path):
    truth, clean, names, size = pushed("arm", T[:20])
    noise = {name: 1e-3 if name.startswith("q") else 0.05 * size for name in clean}
    record = noisy(clean, 1e-3, 0.05 * size, 0)
    est = poinsot.identify(truth, record, list(names), "collocation", problem="output", noise=noise)
    assert est.motion is not None and len(est.motion.t) == 20
    encoders = {name: (record.t, record[name]) for name in clean if name.startswith("q")}
    moved = poinsot.kinematics(truth, encoders, est.motion.t)
    for body in truth.bodies:
        np.testing.assert_allclose(est.motion.position[body], moved.position[body], atol=5e-3)


def test_a_calibration_keeps_its_poses_one_after_another(tmp_path):
    built = off_nominal(five_bar(), dict.fromkeys(SELF, 1e-3), np.random.default_rng(1))
    run = five_bar_poses(built, 12, np.random.default_rng(2))
    est = poinsot.identify(five_bar(), run, SELF, problem="geometry")
    result = read_result(est.save(tmp_path / "result"))
    assert result.motion is not None and result.motion.apart and len(result.motion.t) == 12
    film = resampled(result.mechanism, result.motion)
    assert len(film.frames) == 12
    fit = est.fit
    for k, frame in enumerate(film.frames):
        for c, channel in enumerate(fit.channels):
            law = est.mechanism.sensors[channel.channel].on or est.mechanism.coordinates[channel.channel]
            seen = float(law.value(frame.poses, est.mechanism.joints))
            offset = next((p.value for p in est.parameters if p.name == f"{channel.channel}.offset"), 0.0)
            off_by = seen + offset - fit.predicted[0][k, c]
            assert abs((off_by + np.pi) % (2 * np.pi) - np.pi) < 1e-5
    (scene, *_) = section(result).blocks
    assert scene.title.endswith("in 12 measured poses, one after another")
