"""The viewer without a browser: sliders, dragging, ports, what is said."""

from __future__ import annotations

import logging
import socket
from typing import Any

import numpy as np
import pytest
from tests.test_results import identified
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.scene.viser_package import server
from poinsot.app.viewer.address import require_free
from poinsot.app.viewer.command import Shown, furnish, shown_by
from poinsot.app.viewer.limits import slider_range
from poinsot.app.viewer.posing import posing_of
from poinsot.app.viewer.result_panel import numbers_html
from poinsot.app.viewer.stage import plain_markdown
from poinsot.app.viewer.watch import Progress, run_watched
from poinsot.errors import PoinsotError
from poinsot.spatial.pose import Pose


@pytest.mark.parametrize("name", ["four_bar", "delta", "navaro", "satellite", "slider_crank", "five_bar"])
def test_independent_coordinates_are_as_many_as_the_freedoms(name):
    mechanism = poinsot.load(name)
    posing = posing_of(mechanism)
    assert len(posing.names) == poinsot.check(mechanism).mobility


def test_a_body_is_dragged_with_its_loops_closed():
    posing = posing_of(poinsot.load("delta"))
    X = posing.home.poses["platform"]
    target = Pose(X.R, X.p + np.array([0.05, -0.03, 0.02]))
    found = posing.dragged("platform", target, posing.home)
    np.testing.assert_allclose(found.poses["platform"].p, target.p, atol=1e-3)
    assert posing.residual(found.poses) < 1e-9


def test_a_crank_turns_towards_a_point_that_is_dragged_off_its_circle():
    posing = posing_of(poinsot.load("four_bar"))
    com = np.asarray(posing.mechanism.bodies["link1"].com, float)
    X = posing.home.poses["link1"]
    away = X.R @ np.array([0.0, 0.3 * np.linalg.norm(com), 0.0])
    found = posing.dragged("link1", Pose(X.R, X.point(com) + away), posing.home, com)
    turned = found.poses["link1"].R.T @ X.R
    assert 0.1 < np.arccos(np.clip(turned[0, 0], -1, 1)) < 0.6
    assert posing.residual(found.poses) < 1e-9


def test_limits_of_the_model_are_those_of_its_slider():
    joint = {"type": "revolute", "between": ["ground", "arm"], "axis": [0, 1, 0], "limits": [-0.5, 1.0]}
    arm = {"mass": 1.0, "com": [0.2, 0, 0], "inertia": [0.1, 0.1, 0.1]}
    posing = posing_of(poinsot.build({"format": 1, "bodies": {"arm": arm}, "joints": {"A": joint}}))
    span = slider_range(posing.mechanism, posing.coordinates["A"], 0.0, 1.0)
    assert (span.unit, span.low, span.high) == ("°", -0.5, 1.0)
    assert span.shown(1.0) == pytest.approx(57.3)


@pytest.fixture
def furnished() -> Any:
    """The four-bar in the viewer, with the controls by their labels."""
    with server() as running:
        stage = furnish(running, Shown(poinsot.load("navaro")))
        made: dict[str, Any] = {}
        for handle in stage.server.gui._gui_input_handle_from_uuid.values():
            made[getattr(handle, "label", "")] = handle
        yield stage, made
        stage.close()


def test_sliders_move_the_mechanism_and_go_back_where_it_cannot_go(furnished):
    stage, controls = furnished
    start = np.array(stage.pose.poses["platform"].p)
    slider = controls["x [mm]"]
    slider.value = slider.value + 20.0
    np.testing.assert_allclose(stage.pose.poses["platform"].p - start, [0.02, 0, 0], atol=1e-9)
    assert stage.posing.residual(stage.pose.poses) < 1e-9
    before, at = slider.value, np.array(stage.pose.poses["platform"].p)
    slider.value = slider.max
    assert slider.value == before
    np.testing.assert_array_equal(stage.pose.poses["platform"].p, at)
    assert "x cannot go there" in stage.note.content
    slider.value = before - 5.0
    assert stage.note.content == ""


def test_layers_are_shown_and_hidden(furnished):
    stage, controls = furnished
    controls["frames"].value = True
    assert all(handle.visible for handle in stage.drawing.layers["frames"])
    controls["bodies"].value = False
    assert not any(handle.visible for handle in stage.drawing.layers["bodies"])


def test_a_port_that_is_taken_is_said_with_another_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        with pytest.raises(PoinsotError, match=rf"port {port} cannot be used .*try --port \d+"):
            require_free("127.0.0.1", port)
    require_free("127.0.0.1", 0)
    with pytest.raises(PoinsotError, match="from 0 to 65535"):
        require_free("127.0.0.1", 70000)


def test_the_command_writes_one_page_and_keeps_what_is_there(tmp_path):
    place = tmp_path / "pendulum.html"
    run = CliRunner().invoke(app, ["view", "pendulum", "--simulate", "0.2", "--html", str(place)])
    assert run.exit_code == 0 and "needs no network" in run.output
    again = CliRunner().invoke(app, ["view", "pendulum", "--html", str(place)])
    assert isinstance(again.exception, PoinsotError) and "exists already" in str(again.exception)


def test_texts_of_users_mean_nothing_to_the_page():
    assert plain_markdown("<img src=x> [a](b)") == "&lt;img src=x&gt; \\[a\\]\\(b\\)"
    data = {"status": "<b>", "parameters": [{"name": "<script>", "value": None, "unit": "kg"}]}
    assert "<script>" not in numbers_html(data) and "undetermined" in numbers_html(data)


def test_a_result_folder_brings_its_motion_and_the_model_before(tmp_path):
    identified().save(tmp_path / "result")
    shown = shown_by(str(tmp_path / "result"), None, None, None)
    assert shown.moving is not None and set(shown.moving.position) == set(shown.mechanism.bodies)
    assert shown.nominal is not None
    masses = [m.parameters["link3.mass"].value for m in (shown.nominal, shown.mechanism)]
    assert masses[0] == poinsot.load("four_bar").parameters["link3.mass"].value != masses[1]


def test_a_running_identification_is_heard():
    progress, found = Progress(), []

    def work() -> str:
        for cost in (3.0, 2.0, 2.5):
            logging.getLogger("poinsot.progress").info(f"swarm: iteration 1, cost {cost:.6g}")
        return "estimate"

    run_watched(work, progress, found.append).join(5.0)
    assert (found, progress.best, len(progress.cost)) == (["estimate"], 2.0, 3)
    assert progress.ended.startswith("done") and "least cost so far: 2" in progress.words()

    def fails() -> None:
        raise PoinsotError("no samples")

    failed = Progress()
    run_watched(fails, failed, found.append).join(5.0)
    assert "no samples" in failed.words()
