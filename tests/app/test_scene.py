"""Pictures of mechanisms: finite, where kinematics says, and of the same form at every size."""

from __future__ import annotations

import socket

import numpy as np
import pytest

import poinsot
from poinsot.app.scene.build import scene_of
from poinsot.app.scene.draw import round_length
from poinsot.app.scene.page import as_html, modes_html
from poinsot.app.scene.primitives import Arrow, Ball, Box, Cylinder, Rod, Surface, Tube
from poinsot.app.scene.surfaces import hull, plate, tube_vertices, turns_along
from poinsot.app.scene.track import resampled, swing, vibration
from poinsot.app.scene.viser_package import require_version
from poinsot.elements import GROUND
from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import assemble
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_matrix


@pytest.mark.parametrize("name", poinsot.library_names())
def test_every_mechanism_has_a_finite_picture_that_touches_its_joints(name):
    mechanism = poinsot.load(name)
    scene = scene_of(mechanism)
    assert {p.body for p in scene.layer("bodies")} == set(mechanism.bodies)
    for p in scene.primitives:
        assert np.all(np.isfinite(p.points())), p.name
        sizes = [getattr(p, key) for key in ("radius", "length") if hasattr(p, key)]
        assert all(np.isfinite(size) and size > 0 for size in sizes), p.name
    for joint in mechanism.joints.values():
        where = np.asarray((scene.poses[joint.a.body] @ joint.frame_on_a()).p, float)
        own = [p for p in scene.primitives if p.joint == joint.name]
        glyphs = [scene.poses[p.body].point(np.asarray(p.X.p, float)) for p in own]
        if joint.freedom < 6:
            assert min(np.linalg.norm(g - where) for g in glyphs) < 1e-9 * scene.sizes.extent


def sliding_bar(size: float) -> poinsot.Mechanism:
    """A crank with a rod, `size` times a metre."""
    return poinsot.build(
        {
            "format": 1,
            "bodies": {
                "crank": {"mass": 1.0, "com": [0.5 * size, 0, 0], "inertia": [0.1, 0.1, 0.1]},
                "wing": {"mass": 1.0, "com": [size, size, 0], "inertia": [0.1, 0.1, 0.1]},
            },
            "joints": {
                "A": {"type": "revolute", "between": ["ground", "crank"], "axis": [0, 1, 0]},
                "B": {
                    "type": "universal",
                    "between": [{"body": "crank", "position": [size, 0, 0]}, "wing"],
                    "axis": [1, 0, 0],
                    "axis2": [0, 1, 0],
                },
            },
        }
    )


def test_a_machine_a_thousand_times_as_large_has_the_same_picture():
    small, large = scene_of(sliding_bar(1.0)), scene_of(sliding_bar(1000.0))
    assert len(small.primitives) == len(large.primitives)
    for a, b in zip(small.primitives, large.primitives):
        assert type(a) is type(b)
        np.testing.assert_allclose(1000 * a.points(), b.points(), rtol=1e-9, atol=1e-6)
        for key in ("radius", "length"):
            if hasattr(a, key):
                np.testing.assert_allclose(1000 * getattr(a, key), getattr(b, key), rtol=1e-9)


def test_joints_look_like_what_they_allow():
    kinds = {p.joint: [] for p in scene_of(poinsot.load("delta")).layer("joints")}
    for p in scene_of(poinsot.load("delta")).layer("joints"):
        kinds[p.joint].append(type(p))
    assert [Cylinder] in kinds.values()  # motors
    assert [Cylinder, Cylinder] in kinds.values()  # crosses
    assert [Ball] in kinds.values()
    slides = [p for p in scene_of(poinsot.load("slider_crank")).layer("joints") if isinstance(p, Box | Rod)]
    assert slides


def test_a_rod_between_two_bodies_is_drawn_from_point_to_point():
    mechanism = poinsot.load("hexapod")
    scene = scene_of(mechanism)
    rods = [p for p in scene.layer("joints") if isinstance(p, Rod)]
    assert len(rods) == 6
    for rod in rods:
        joint = mechanism.joints[rod.joint]
        np.testing.assert_allclose(rod.end, joint.frame_on_b().p, atol=1e-12)


def test_plates_and_hulls_look_outwards():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    flat = np.array([[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]], float)
    for vertices, faces in (hull(corners), plate(flat, 0.1)[:2]):
        a, b, c = (vertices[faces[:, i]] for i in range(3))
        volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6  # by the divergence theorem
        assert volume == pytest.approx(1.0 if len(vertices) == 8 and vertices is corners else 0.2)


def test_rings_of_a_bent_tube_follow_its_line():
    straight = np.linspace([0, 0, 0], [1, 0, 0], 9)
    angle = np.linspace(0, 0.6, 9)
    bent = np.column_stack([np.sin(angle), 1 - np.cos(angle), 0 * angle])
    turns = turns_along(straight, bent)
    tangent = np.gradient(bent, axis=0)
    for R, t in zip(turns, tangent):
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(R @ [1, 0, 0], t / np.linalg.norm(t), atol=1e-12)
    assert np.allclose(np.linalg.norm(tube_vertices(straight, 0.1)[:, 1:], axis=1), 0.1)


def test_a_resampled_motion_is_where_the_kinematics_is():
    mechanism = poinsot.load("four_bar")
    t = np.linspace(0.0, 1.0, 101)
    found = poinsot.kinematics(mechanism, {"theta1": (t, 1 + 2 * t)}, t)
    film = resampled(mechanism, found, 20.0)
    assert (len(film.frames), film.pace) == (21, pytest.approx(0.05))
    for k in (0, 7, 20):
        np.testing.assert_allclose(film.frames[k].poses["link1"].p, found.position["link1"][5 * k], atol=1e-12)
        np.testing.assert_allclose(film.frames[k].poses["link1"].R, found.rotation["link1"][5 * k], atol=1e-12)
    with pytest.raises(PoinsotError, match="positive"):
        resampled(mechanism, found, 0.0)


def test_a_swinging_mode_keeps_its_loops_closed_and_beams_at_their_joints():
    modes = poinsot.modes(poinsot.load("navaro"), n=1)
    mechanism, extent = modes.linear.mechanism, scene_of(modes.linear.mechanism).sizes.extent
    frame = swing(vibration(modes, 0, extent)).frames[0]
    ends = {
        body: np.array([frame.poses[body].point(line[i]) for b, line in frame.lines.items()
                        if mechanism.beams[b].body == body for i in (0, -1)])
        for body in {beam.body for beam in mechanism.beams.values()}
    }  # fmt: skip
    for name, joint in mechanism.joints.items():
        moved = frame.joints.get(name, Pose.identity()) @ joint.a.pose()
        place = frame.poses[joint.a.body].point(moved.p)
        for body in {joint.a.body, joint.b.body} - {GROUND}:
            assert np.min(np.linalg.norm(ends[body] - place, axis=1)) < 1e-9 * extent
    with pytest.raises(PoinsotError, match="there is no mode 4"):
        vibration(modes, 3, extent)


def test_pages_hold_everything_and_leave_no_port_open(monkeypatch, capsys):
    opened: list[int] = []
    listen = socket.socket.listen

    def noted(self, *args):
        listen(self, *args)
        opened.append(self.getsockname()[1])

    monkeypatch.setattr(socket.socket, "listen", noted)
    pendulum = poinsot.load("pendulum")
    page = as_html(pendulum, poinsot.simulate(pendulum, 0.5))
    assert "__VISER_EMBED_DATA__" in page and len(page) < 1_500_000
    assert len(modes_html(poinsot.modes(pendulum), dark=True)) < 1_500_000
    for port in opened:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0
    assert capsys.readouterr().out == ""


def test_loads_are_arrows_in_the_axes_of_the_world():
    loaded = {"force": [0, 0, -5], "at": "crank"}
    document = {**sliding_bar(1.0).document, "forces": {"weight": {"type": "load", **loaded}}}
    scene = scene_of(poinsot.build(document))
    (arrow,) = (p for p in scene.layer("loads") if isinstance(p, Arrow))
    np.testing.assert_allclose(arrow.vector, [0, 0, -0.25 * scene.sizes.extent], atol=1e-12)


def test_an_old_viser_is_refused_with_the_command_that_mends_it():
    with pytest.raises(PoinsotError, match=r"viser 0\.2\.7 is too old.*pip install"):
        require_version("0.2.7")
    require_version("1.10")


def test_cells_of_the_grid_are_round():
    assert [round_length(x) for x in (0.049, 3e-4, 73.0)] == [0.02, 2e-4, 50.0]


def test_beams_are_tubes_and_platforms_are_plates():
    assert all(isinstance(p, Tube) for p in scene_of(poinsot.load("navaro")).layer("bodies"))
    plates = [p for p in scene_of(poinsot.load("hexapod")).layer("bodies") if isinstance(p, Surface)]
    assert [p.body for p in plates] == ["platform"]


@pytest.mark.parametrize("follows", [False, True])
def test_a_load_that_follows_its_body_turns_with_it(follows):
    from poinsot.app.scene.draw import draw
    from poinsot.app.scene.viser_package import server

    arm = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.1, 0.1], "frames": {"tip": {"position": [1, 0, 0]}}}
    joint = {"type": "revolute", "between": ["ground", "arm"], "axis": [0, 0, 1]}
    forces = {"push": {"type": "load", "at": "arm.tip", "force": [0, 5, 0], "follows": follows}}
    model = poinsot.build({"format": 1, "bodies": {"arm": arm}, "joints": {"A": joint}, "forces": forces})
    turned = assemble(model, {"A": np.pi / 2})
    with server() as running:
        drawing = draw(scene_of(model), running.scene)
        drawing.place(turned.poses)
        _, handle = drawing.moving["loads", "push"]
        vector = quaternion_matrix(np.array(handle.wxyz)) @ np.asarray(handle.points, float)[0, 1]
    expected = [-1, 0, 0] if follows else [0, 1, 0]
    np.testing.assert_allclose(vector / np.linalg.norm(vector), expected, atol=1e-3)
