"""A glyph for every joint, from the motions that it allows: cylinders about axes, boxes along slides, balls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from poinsot.app.scene.primitives import Ball, Box, Colour, Cylinder, Primitive, Rod
from poinsot.app.scene.sizes import Measures
from poinsot.app.scene.surfaces import frame_along
from poinsot.elements.joints import Joint
from poinsot.elements.joints.steps import BALL, DISTANCE, HINGE, SLIDE, Step
from poinsot.errors import PoinsotError
from poinsot.spatial.pose import Pose


def glyph(
    joint: Joint, poses: Mapping[str, Pose], planar: bool, sizes: Measures, colour: Colour
) -> Iterator[Primitive]:
    """What a joint looks like, carried by its first body.

    A hinge is a cylinder about its axis, a slide a box along it, a ball a sphere; a cross has two cylinders, and so
    on for chains of these; what holds everything is a small cube.
    """
    X_AF = joint.frame_on_a()
    if joint.closing(planar).form == DISTANCE:
        yield _rod(joint, sizes, 0.4, colour)
        return
    try:
        steps = joint.steps(joint.relative(poses[joint.a.body], poses[joint.b.body]), planar, True)
    except PoinsotError:  # a joint of the user's own that cannot be exported
        yield _ball(joint, X_AF, sizes, colour)
        return
    if joint.freedom == 6:
        return
    hinges = [step for step in steps if step.type == HINGE]
    if any(step.type == SLIDE for step in steps):
        yield _rod(joint, sizes, 0.7, colour)
    X = X_AF
    for number, step in enumerate(steps):
        yield from _step(joint, number, step, X, len(hinges), sizes, colour)
        if step.type == BALL:
            break
        X = X @ step.pose(np.eye(3))
    if not steps:
        edge = 2.2 * sizes.radius
        yield Box(joint.name, joint.a.body, "joints", colour, X_AF, joint=joint.name, edges=(edge, edge, edge))


def _step(
    joint: Joint, number: int, step: Step, X: Pose, hinges: int, sizes: Measures, colour: Colour
) -> Iterator[Primitive]:
    name, body, r = f"{joint.name} {number}", joint.a.body, sizes.radius
    axis = X.R @ np.eye(3)["XYZ".index(step.letter)]
    turned = Pose(frame_along(axis), X.p)
    if step.type == BALL:
        yield _ball(joint, X, sizes, colour)
    elif step.type == HINGE:  # slimmer where several axes cross
        wide, long = (1.6 * r, 3.6 * r) if hinges == 1 else (0.8 * r, 4.6 * r)
        yield Cylinder(name, body, "joints", colour, turned, joint=joint.name, radius=wide, length=long)
    elif step.type == SLIDE and step.lead is None:
        edges = (2.6 * r, 2.6 * r, 5.0 * r)
        yield Box(name, body, "joints", colour, turned, joint=joint.name, edges=edges)


def _ball(joint: Joint, X: Pose, sizes: Measures, colour: Colour) -> Ball:
    return Ball(f"{joint.name} ball", joint.a.body, "joints", colour, X, joint=joint.name, radius=1.8 * sizes.radius)


def _rod(joint: Joint, sizes: Measures, thick: float, colour: Colour) -> Rod:
    """From the joint's point on the first body to that on the second."""
    x, y, z = (float(c) for c in joint.frame_on_b().p)
    parts = {"other": joint.b.body, "end": (x, y, z), "radius": thick * sizes.radius}
    return Rod(f"{joint.name} rod", joint.a.body, "joints", colour, joint.frame_on_a(), joint=joint.name, **parts)
