"""Sliders for independent coordinates, and handles by which a body is dragged; loops stay closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.app.viewer.limits import SliderRange, slider_range
from poinsot.app.viewer.stage import ViewerStage, plain_markdown
from poinsot.elements.coordinates.base import RelativeCoordinate
from poinsot.errors import PoinsotError
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix, quaternion_matrix

NOTHING = "nothing"


def add_pose_panel(stage: ViewerStage) -> dict[str, Any]:
    """Sliders by coordinate; they follow the pose whoever changes it."""
    posing, gui = stage.posing, stage.server.gui
    values = posing.values(stage.pose.poses)
    ranges = {
        name: slider_range(posing.mechanism, c, values[name], stage.scene.sizes.extent)
        for name, c in posing.coordinates.items()
    }
    sliders: dict[str, Any] = {}
    with gui.add_folder("Pose"):
        if not ranges:
            gui.add_markdown("Nothing can move: the joints leave no freedom that a coordinate describes.")
        for name, span in ranges.items():
            low, high = span.shown(span.low), span.shown(span.high)
            sliders[name] = gui.add_slider(f"{name} [{span.unit}]", low, high, span.step, span.shown(values[name]))
        told = gui.add_markdown("")
        home = gui.add_button("pose of the file")
    following = {"now": False}

    def follow() -> None:
        """Sliders and words show the pose."""
        following["now"] = True
        for name, value in posing.values(stage.pose.poses).items():
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
    now = stage.posing.values(stage.pose.poses)
    kept = {  # what was not touched keeps all its digits
        name: now[name] if abs(ranges[name].factor * (value - now[name])) <= ranges[name].step else value
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
    handle = stage.server.scene.add_transform_controls("/handle", scale=0.35, visible=False, depth_test=False)
    held = {"busy": False}

    def place() -> None:
        if choice.value != NOTHING and not held["busy"]:
            X = stage.pose.poses[choice.value]
            handle.position = stage.drawing.factor * np.asarray(X.point(_grip(stage, choice.value)), float)
            handle.wxyz = quaternion_from_matrix(np.asarray(X.R, float))

    @choice.on_update
    def _(_: Any) -> None:
        handle.visible = choice.value != NOTHING
        place()

    @handle.on_update
    def _(event: Any) -> None:
        if event.phase == "end":
            place()
        elif choice.value != NOTHING:
            p, q = np.array(handle.position) / stage.drawing.factor, np.array(handle.wxyz)
            stage.latest("drag", Pose(quaternion_matrix(q), p), drag)

    def drag(target: Pose) -> None:
        held["busy"] = True
        try:
            body = choice.value
            stage.take(stage.posing.dragged(body, target, stage.pose, _grip(stage, body)))
        finally:
            held["busy"] = False

    stage.posed.append(place)
    first = described_body(stage)
    if first:
        choice.hint = f"for instance '{first}', which the coordinates describe"
    return choice


def described_body(stage: ViewerStage) -> str:
    """The body whose place the independent coordinates describe, or nothing."""
    found = [c.frame.body for c in stage.posing.coordinates.values() if isinstance(c, RelativeCoordinate)]
    return max(set(found), key=found.count) if found else ""


def _grip(stage: ViewerStage, body: str) -> np.ndarray:
    """Where a body is held: its centre of mass (3,), in the body  [m]."""
    return np.asarray(stage.posing.mechanism.bodies[body].com, float)
