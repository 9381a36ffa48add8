"""Which loop of a mechanism that cannot be assembled stays open.

A gap anywhere in a loop is one of its closing joint: the tree is put together, and what is left is looked at there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from poinsot.elements import GROUND
from poinsot.model.assembly.constraints import Row
from poinsot.model.assembly.topology import topology
from poinsot.spatial.pose import Pose

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.model.parts import Elements

CLOSED = 1e-9  # of the machine's size, or in radians


def across(joint: Joint, backwards: bool, X_WP: Pose, X_FM: Pose) -> Pose:
    """Pose of the body behind a joint with the pose X_FM across it; backwards where that body is on its side A."""
    if backwards:
        return X_WP @ joint.frame_on_b() @ X_FM.inverse() @ joint.frame_on_a().inverse()
    return X_WP @ joint.frame_on_a() @ X_FM @ joint.frame_on_b().inverse()


def widest_loop(elements: Elements, poses: Mapping[str, Pose], size: float) -> tuple[Row | None, float]:
    """The equation of a closing joint that is open widest, and its gap [m or -], with the tree of the given poses put
    together; none where the gap is in no loop. `size` of the machine [m]."""
    tree, whole = topology(elements), {GROUND: Pose.identity()}
    for branch in tree.branches:
        joint, near, far = elements.joints[branch.joint], poses[branch.parent], poses[branch.child]
        X_FM = joint.relative(*((far, near) if branch.reversed else (near, far)))
        whole[branch.child] = across(joint, branch.reversed, whole[branch.parent], joint.motion(joint.measure(X_FM)))
    widest, at, gap = CLOSED, None, 0.0
    for joint in (elements.joints[name] for name in tree.closing):
        if joint.a.body not in whole or joint.b.body not in whole:
            continue
        phi = np.abs(np.asarray(joint.residual(joint.relative(whole[joint.a.body], whole[joint.b.body])), float))
        for i in joint.kept(elements.planar):
            row = Row(joint.name, joint.rows[i])
            natural = phi[i] / size if row.is_length else phi[i]
            if natural > widest:
                widest, at, gap = natural, row, float(phi[i])
    return at, gap
