"""The viewer without a browser: sliders, dragging, ports, what is said."""

from __future__ import annotations

import logging
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.test_results import identified
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.scene.build import scene_of
from poinsot.app.scene.track import resampled
from poinsot.app.scene.viser_package import server
from poinsot.app.viewer.address import require_free
from poinsot.app.viewer.command import Shown, furnish, shown_by
from poinsot.app.viewer.limits import slider_range
from poinsot.app.viewer.pose_panel import follow_handle, nothing_to_move
from poinsot.app.viewer.posing import posing_of
from poinsot.app.viewer.result_panel import numbers_html
from poinsot.app.viewer.stage import ViewerStage, plain_markdown
from poinsot.app.viewer.watch import Progress, run_watched
from poinsot.errors import PoinsotError
from poinsot.estimate.results.kept import BodyMotion
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


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e6])
def test_a_machine_of_any_size_has_one_slider_and_is_dragged_alike(size):
    links = {"crank": ([0, 0], 1.0), "coupler": ([0.3, 0.9], 2.0), "rocker": ([2.2, 0], 1.5)}
    bodies = {name: {"mass": 1.0, "frames": {"tip": [length * size, 0.0]}} for name, (_, length) in links.items()}
    bodies["ground"] = {"frames": {"right": [2.2 * size, 0.0]}}
    ends = {"A": ["ground", "crank"], "B": ["crank.tip", "coupler"]}
    ends |= {"C": ["coupler.tip", "rocker.tip"], "D": ["ground.right", "rocker"]}
    joints = {name: {"type": "revolute", "between": between} for name, between in ends.items()}
    document = {"format": 1, "name": "bar", "planar": True, "bodies": bodies, "joints": joints}
    posing = posing_of(poinsot.build(document | {"coordinates": {"a": {"joint": "A"}}, "pose": {"a": 1.2}}))
    assert posing.names == ("a",)
    tip = np.array([size, 0.0, 0.0])
    target = Pose(posing.home.poses["crank"].R, size * np.array([np.cos(1.7), np.sin(1.7), 0.0]))
    found = posing.dragged("crank", target, posing.home, tip)
    assert posing.values(found)["a"] == pytest.approx(1.7, abs=1e-3)


def test_a_wheel_that_is_dragged_beyond_half_a_turn_stays_between_its_stops_and_moves_from_there():
    joints = {"S": {"type": "revolute", "between": ["ground", "wheel"], "limits": [2.0, 5.0], "actuated": True}}
    document = {"format": 1, "planar": True, "bodies": {"wheel": {"mass": 1.0, "inertia": 0.1}}, "joints": joints}
    mechanism = poinsot.build(document | {"coordinates": {"turn": {"joint": "S"}}, "pose": {"turn": 3.0}})
    posing = posing_of(mechanism)
    tip = np.array([1.0, 0.0, 0.0])
    target = Pose(posing.home.poses["wheel"].R, np.array([np.cos(4.0), np.sin(4.0), 0.0]))
    found = posing.dragged("wheel", target, posing.home, tip)
    assert posing.values(found)["turn"] == pytest.approx(4.0, abs=1e-3)
    assert poinsot.simulate(mechanism, 0.01, pose=posing.values(found)).finished


def test_a_crank_turns_towards_a_point_that_is_dragged_off_its_circle():
    posing = posing_of(poinsot.load("four_bar"))
    com = np.asarray(posing.mechanism.bodies["link1"].com, float)
    X = posing.home.poses["link1"]
    away = X.R @ np.array([0.0, 0.3 * np.linalg.norm(com), 0.0])
    found = posing.dragged("link1", Pose(X.R, X.point(com) + away), posing.home, com)
    turned = found.poses["link1"].R.T @ X.R
    assert 0.1 < np.arccos(np.clip(turned[0, 0], -1, 1)) < 0.6
    assert posing.residual(found.poses) < 1e-9


@pytest.mark.parametrize("body, far", [("link1", 0.3), ("link1", 3.0), ("link2", 3.0)])
def test_a_body_out_of_reach_goes_to_the_nearest_pose(body, far):
    posing = posing_of(poinsot.load("four_bar"))
    com, X = np.asarray(posing.mechanism.bodies[body].com, float), posing.home.poses[body]
    target = Pose(X.R, X.point(com) + far * posing.home.size * np.array([0.6, -0.8, 0.0]))
    found = posing.dragged(body, target, posing.home, com)
    turns = np.radians(np.arange(0, 360, 3))
    tried = [posing.assembled({"theta1": q}, posing.home) for q in turns]
    least = min(posing.missed(body, target, one, com)[0] for one in tried)
    assert 0 < posing.missed(body, target, found, com)[0] < least * (1 + 1e-3)
    assert posing.residual(found.poses) < 1e-9


def test_a_crank_is_pulled_round_by_a_handle_that_does_not_turn():
    """Every event begins where the one before has turned the body to, with the handle's attitude as it was."""
    with server() as running:
        stage = furnish(running, Shown(poinsot.load("four_bar")))
        X, com = stage.pose.poses["link1"], np.asarray(stage.posing.mechanism.bodies["link1"].com, float)
        before, radius = Pose(X.R, np.asarray(X.point(com), float)), np.linalg.norm(com)
        for angle in np.linspace(0.1, 2.0, 20):
            c, s = np.cos(angle), np.sin(angle)
            turned = X.R @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
            follow_handle(stage, "link1", before, Pose(X.R, X.p + turned @ com))
        np.testing.assert_allclose(stage.pose.poses["link1"].R, turned, atol=5e-3)
        follow_handle(stage, "link1", before, Pose(turned @ turned, before.p))  # and by its arc
        np.testing.assert_allclose(stage.pose.poses["link1"].R, turned @ turned, atol=5e-3)
        with pytest.raises(PoinsotError, match=rf"link1 cannot follow its handle: {1e3 * radius:.3g} mm away"):
            follow_handle(stage, "link1", before, Pose(X.R, X.p + 2 * turned @ com))
        stage.close()


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


@pytest.fixture
def bar() -> Any:
    """The four-bar in the viewer with a motion, its controls by their labels, and the motion."""
    mechanism, motion = poinsot.load("four_bar"), {"theta1": lambda t: 1.0 + 2.0 * np.sin(3.0 * t)}
    with server() as running:
        moving = poinsot.kinematics(mechanism, motion, np.linspace(0, 1, 61))
        stage = furnish(running, Shown(mechanism, moving=moving))
        inputs = stage.server.gui._gui_input_handle_from_uuid.values()
        controls = {getattr(handle, "label", ""): handle for handle in inputs}
        controls["play"].value = False
        yield stage, controls, motion
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


def reactions_shown(stage: Any) -> dict[str, np.ndarray]:
    """Visible arrows of reactions by joint (3,), in units of the longest."""
    moving = stage.drawing.moving.items()
    found = {n: np.asarray(h.points)[0, 1] for (layer, n), (_, h) in moving if layer == "reactions" and h.visible}
    longest = max((np.linalg.norm(arrow) for arrow in found.values()), default=1.0)
    return {name: arrow / longest for name, arrow in found.items()}


def test_reactions_follow_the_pose_and_the_motion_and_are_hidden(bar):
    stage, controls, motion = bar
    controls["reactions"].value = True
    before = reactions_shown(stage)
    controls["theta1 [°]"].value = -100.0
    at_rest = poinsot.inverse_dynamics(stage.posing.mechanism, {"theta1": np.radians(-100)}, [0.0])
    expected = {name: at_rest.reaction(name, axes="world")[0, :3] for name in at_rest.reactions}
    greatest = max(np.linalg.norm(f) for f in expected.values())
    for name, arrow in reactions_shown(stage).items():
        np.testing.assert_allclose(arrow, expected[name] / greatest, atol=1e-3)
    assert not np.allclose(before["A"], expected["A"] / greatest, atol=0.05)
    controls["t [s]"].value = 0.5
    moving = poinsot.inverse_dynamics(stage.posing.mechanism, motion, [0.5])
    quick = {name: moving.reaction(name, axes="world")[0, :3] for name in moving.reactions}
    greatest = max(np.linalg.norm(f) for f in quick.values())
    shown = reactions_shown(stage)
    assert set(shown) == {"A", "B", "C", "D"}
    for name, arrow in shown.items():
        np.testing.assert_allclose(arrow, quick[name] / greatest, atol=5e-3)
    controls["reactions"].value = False
    assert not reactions_shown(stage)


def test_a_motion_that_tells_poses_alone_has_no_arrows_and_says_so(bar):
    stage, controls, _ = bar
    controls["reactions"].value = True
    assert reactions_shown(stage)
    stage.frame(resampled(stage.posing.mechanism, BodyMotion(*poses_of(stage))), 0)
    assert not reactions_shown(stage)
    assert "no joint reactions of this motion: it tells poses alone" in stage.note.content


def poses_of(stage: Any) -> tuple[Any, ...]:
    """Times, positions and rotations of a motion that stands still."""
    bodies = {name: X for name, X in stage.pose.poses.items() if name != "ground"}
    p, R = ({name: np.asarray(getattr(X, key))[None] for name, X in bodies.items()} for key in ("p", "R"))
    return np.zeros(1), p, R


def test_nothing_is_said_when_the_page_closes_while_frames_are_shown(monkeypatch, recwarn):
    """Threads that are late, of the player or of a control, write to no connection that is closed."""
    frame, begun = ViewerStage.frame, threading.Event()

    def late(stage: ViewerStage, *frames: Any) -> None:
        begun.set()
        time.sleep(0.7)
        frame(stage, *frames)

    monkeypatch.setattr(ViewerStage, "frame", late)
    mechanism = poinsot.load("four_bar")
    moving = poinsot.kinematics(mechanism, {"theta1": lambda t: 1.0 + t}, np.linspace(0, 1, 11))
    with server() as running:
        stage = furnish(running, Shown(mechanism, moving=moving))
        assert begun.wait(5.0)
        stage.close()
    stage.threads[0].join(5.0)
    running.scene.add_frame("/late")  # of a control whose work took longer than the page was open
    assert [str(one.message) for one in recwarn if "closed connection" in str(one.message)] == []


def test_control_c_ends_the_viewer_quietly_with_0():
    options = ["--simulate", "1", "--no-browser", "--port", "0"]
    command = [sys.executable, "-m", "poinsot.app.cli", "view", "pendulum", *options]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None and "Ctrl-C ends" in running.stdout.readline()
            running.send_signal(signal.SIGINT)
            said, complained = running.communicate(timeout=60)
        finally:
            running.kill()
            signal.signal(signal.SIGINT, before)
    assert (running.returncode, said, complained) == (0, "closed\n", "")


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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["RESULT", "--set", "link2.mass=3", "--html", "p.html"], "--set changes a model, and .* is a result"),
        (["four_bar", "--motion", "m.csv", "--simulate", "1", "--html", "p.html"], "are two motions"),
        (["four_bar", "--watch", "--html", "p.html"], "--watch runs a study on the live page"),
        (["four_bar", "--watch", "--port", "0", "--no-browser"], "--watch runs a study on the live page"),
    ],
)
def test_options_that_would_do_nothing_are_refused(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    result = str(identified().save(tmp_path / "r")) if "RESULT" in options else ""
    Path("m.csv").write_text("t,theta1\n0,1\n1,1\n2,1\n")
    found = CliRunner().invoke(app, ["view", *(o.replace("RESULT", result) for o in options)])
    assert isinstance(found.exception, PoinsotError) and re.search(said, str(found.exception))
    assert not Path("p.html").exists()


def test_a_body_that_nothing_holds_is_said_where_there_is_no_slider():
    mechanism = poinsot.loads('format = 1\nname = "one"\n[bodies.free]\nmass = 1\ninertia = [1, 1, 1]\n')
    assert "nothing holds body 'free'" in nothing_to_move(mechanism)


def test_meshes_that_are_missing_are_one_sentence(tmp_path):
    bodies = "".join(
        f'[bodies.{n}]\nmass = 1\ninertia = [1, 1, 1]\nvisual = [{{ mesh = "{n}.stl" }}]\n'
        f'[joints.{n}]\ntype = "revolute"\nbetween = ["ground", "{n}"]\n'
        for n in "abcde"
    )
    (tmp_path / "m.toml").write_text(f'format = 1\nname = "m"\n{bodies}')
    with pytest.warns(UserWarning, match="Mesh files are not found"):
        mechanism = poinsot.load(tmp_path / "m.toml")
    (note,) = scene_of(mechanism).notes
    assert "(5 in all)" in note


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


def test_a_mode_is_for_pages_and_pictures_and_no_server_is_started_for_it():
    said = CliRunner().invoke(app, ["view", "three_link", "--mode", "1", "--no-browser", "--port", "-1"])
    assert said.exit_code == 1
    assert str(said.exception) == "--mode is for --html or --picture; the live page has its modes under 'Modes'"
