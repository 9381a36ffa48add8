"""Sliders for independent coordinates, and handles by which a body is dragged; loops stay closed."""

from __future__ import annotations

from typing import Any

import numpy as np

import poinsot
from poinsot.app.viewer.limits import SliderRange, slider_range
from poinsot.app.viewer.stage import ViewerStage, plain_markdown
from poinsot.elements.coordinates.base import RelativeCoordinate
from poinsot.errors import PoinsotError, listing
from poinsot.model.check import Level
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix, quaternion_matrix

NOTHING = "nothing"
SAME = 1e-6  # of the machine's size, or in radians: a handle that was not pulled
OFF = 1e-3  # in the same sizes: a body that does not follow


def add_pose_panel(stage: ViewerStage) -> dict[str, Any]:
    """Sliders by coordinate; they follow the pose whoever changes it."""
    posing, gui = stage.posing, stage.server.gui
    values = posing.values(stage.pose)
    ranges = {
        name: slider_range(posing.mechanism, c, values[name], stage.scene.sizes.extent)
        for name, c in posing.coordinates.items()
    }
    sliders: dict[str, Any] = {}
    with gui.add_folder("Pose"):
        if not ranges:
            gui.add_markdown(plain_markdown(nothing_to_move(posing.mechanism)))
        for name, span in ranges.items():
            low, high = span.shown(span.low), span.shown(span.high)
            sliders[name] = gui.add_slider(f"{name} [{span.unit}]", low, high, span.step, span.shown(values[name]))
        told = gui.add_markdown("")
        home = gui.add_button("pose of the file")
    following = {"now": False}

    def follow() -> None:
        """Sliders and words show the pose."""
        following["now"] = True
        for name, value in posing.values(stage.pose).items():
            sliders[name].value = ranges[name].shown(value)
        following["now"] = False
        told.content = _words(stage)

    def moved(_: Any) -> None:
        if not following["now"]:
            stage.latest("pose", None, lambda _: _take_sliders(stage, sliders, ranges, follow))

    for slider in sliders.values():
        slider.on_update(moved)
    home.on_click(lambda _: stage.latest("pose", None, lambda _: stage.take(posing.home)))
    stage.posed.append(follow)
    follow()
    return sliders


def _take_sliders(stage: ViewerStage, sliders: dict[str, Any], ranges: dict[str, SliderRange], follow: Any) -> None:
    """Bring the mechanism to what the sliders say; where it cannot go, they go back."""
    wanted = {name: ranges[name].taken(slider.value) for name, slider in sliders.items()}
    now = stage.posing.values(stage.pose)
    kept = {  # what was not touched keeps all its digits
        name: now[name] if abs(sliders[name].value - ranges[name].shown(now[name])) < ranges[name].step / 2 else value
        for name, value in wanted.items()
    }
    try:
        stage.take(stage.posing.assembled(kept, stage.pose))
    except PoinsotError as error:
        follow()
        moved = [n for n in kept if kept[n] != now[n]]
        raise PoinsotError(f"{', '.join(moved)} cannot go there: {error}") from None


def _words(stage: ViewerStage) -> str:
    residual = stage.posing.residual(stage.pose.poses) / stage.scene.sizes.extent
    return plain_markdown(f"joints closed to {residual:.0e} of the machine's size")


def add_drag_panel(stage: ViewerStage) -> Any:
    """A choice of bodies to drag, and handles on the one chosen."""
    gui, bodies = stage.server.gui, tuple(stage.posing.mechanism.bodies)
    with gui.add_folder("Drag", expand_by_default=False):
        choice = gui.add_dropdown("body", (NOTHING, *bodies), initial_value=NOTHING, hint="a body to drag by handles")
    scene, planar = stage.server.scene, stage.posing.mechanism.planar
    axes = (True, True, not planar)  # in the plane: along x and y, and about z
    handle = scene.add_transform_controls("/handle", 0.35, active_axes=axes, visible=False, depth_test=False)
    grabbed = {"now": False, "from": Pose.identity()}  # pose of the handle on its body before it was pulled

    def place() -> None:
        """Put the handle on its body, unless it is being pulled."""
        if choice.value != NOTHING and not grabbed["now"]:
            X = stage.pose.poses[choice.value]
            handle.position = stage.drawing.factor * np.asarray(X.point(_grip(stage, choice.value)), float)
            handle.wxyz = quaternion_from_matrix(np.asarray(X.R, float))
            grabbed["from"] = _handle_pose(stage, handle)

    @choice.on_update
    def _(_: Any) -> None:
        grabbed["now"], handle.visible = False, choice.value != NOTHING
        place()

    @handle.on_update
    def _(event: Any) -> None:
        grabbed["now"] = event.phase != "end"
        if choice.value != NOTHING:
            stage.latest("drag", _handle_pose(stage, handle), drag)

    def drag(target: Pose) -> None:
        try:
            follow_handle(stage, choice.value, grabbed["from"], target)
        finally:
            place()

    stage.posed.append(place)
    first = described_body(stage)
    if first:
        choice.hint = f"for instance '{first}', which the coordinates describe"
    return choice


def _handle_pose(stage: ViewerStage, handle: Any) -> Pose:
    return Pose(quaternion_matrix(np.array(handle.wxyz)), np.array(handle.position) / stage.drawing.factor)


def follow_handle(stage: ViewerStage, body: str, before: Pose, target: Pose) -> None:
    """Bring a body to its handle; where it cannot go, to the nearest pose, and say how far that is."""
    posing, X, grip, size = stage.posing, stage.pose.poses[body], _grip(stage, body), stage.pose.size
    moved = np.linalg.norm(target.p - before.p) > SAME * size
    turned = np.linalg.norm(target.R - before.R) > SAME
    if not (moved or turned):
        return
    wanted = Pose(target.R if turned else X.R, target.p if moved else np.asarray(X.point(grip), float))
    stage.take(posing.dragged(body, wanted, stage.pose, grip))
    far, turn = posing.missed(body, wanted, stage.pose, grip)
    left = [f"{far * 1e3:.3g} mm" if size < 2.0 else f"{far:.3g} m"] if moved and far > OFF * size else []
    left += [f"{np.degrees(turn):.2g}°"] if turned and turn > OFF else []
    if left:
        at = listing(posing.stops.reached(stage.pose))
        why = f", where {at} is at its stop" if at else ""
        away = " and ".join(left)
        raise PoinsotError(f"{body} cannot follow its handle: {away} away in the nearest closed pose{why}")


def described_body(stage: ViewerStage) -> str:
    """The body whose place the independent coordinates describe, or nothing."""
    found = [c.frame.body for c in stage.posing.coordinates.values() if isinstance(c, RelativeCoordinate)]
    return max(set(found), key=found.count) if found else ""


def _grip(stage: ViewerStage, body: str) -> np.ndarray:
    """Where a body is held: its centre of mass (3,), in the body  [m]."""
    return np.asarray(stage.posing.mechanism.bodies[body].com, float)


def nothing_to_move(mechanism: Mechanism) -> str:
    """Why there is no slider."""
    loose = [one.text for one in poinsot.check(mechanism).findings if one.severity is Level.ERROR]
    return " ".join(loose) or "Nothing can move: the joints leave no freedom that a coordinate describes."
