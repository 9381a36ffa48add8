"""Where analyses start: assembled poses, from memory, from disk, or put together now."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from poinsot.model.assembly.assembly import Assembly, assemble
from poinsot.model.assembly.constraints import Row
from poinsot.model.assembly.turns import known_angles
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose
from poinsot.store import Bounded, content_key, read_entry, write_entry

_ASSEMBLED: Bounded = Bounded(32)
_KIND = "kept"


def start(mechanism: Mechanism, pose: Mapping[str, float] | Assembly | None) -> Assembly:
    """The assembled pose from which an analysis starts; from memory if it was asked for before."""
    if isinstance(pose, Assembly):
        return pose
    key = (id(mechanism), None if pose is None else tuple((n, str(s)) for n, s in pose.items()))

    def make() -> Assembly:
        if pose is not None:
            return assemble(mechanism, pose, home=start(mechanism, None))
        return _kept_home(mechanism) or assemble(mechanism)

    return _ASSEMBLED.get_or_make(key, lambda: (mechanism, make()))[1]  # its id stays its own


def keep_home(mechanism: Mechanism) -> Assembly:
    """The mechanism's own pose, put on disk: worth it where equations are written, not for every geometry tried."""
    home = start(mechanism, None)
    if mechanism.template.foreign:
        return home
    poses = {name: [X.R.ravel().tolist(), X.p.tolist()] for name, X in home.poses.items()}
    worst = None if home.worst is None else [home.worst.joint, home.worst.label]
    write_entry(_key(mechanism), {"home": [poses, home.residual, worst, home.size]}, b"", _KIND)
    return home


def _key(mechanism: Mechanism) -> str:
    values = {name: p.value for name, p in mechanism.parameters.items()}
    return content_key("home", json.dumps([mechanism.physics, values], sort_keys=True, default=str))


def _kept_home(mechanism: Mechanism) -> Assembly | None:
    entry = (None if mechanism.template.foreign else read_entry(_key(mechanism), _KIND)) or ({}, b"")
    try:
        poses, residual, worst, size = entry[0]["home"]
        given = {n: (np.array(R, float), np.array(p, float)) for n, (R, p) in poses.items()}
        found = {n: Pose(R.reshape(3, 3), p.reshape(3)) for n, (R, p) in given.items()}
        home = Assembly(found, float(residual), worst and Row(*map(str, worst)), float(size), converged=True)
    except (KeyError, TypeError, ValueError):  # there is none, or none that can be read
        return None
    return replace(home, angles=known_angles(mechanism.elements, home.poses, {}))
