"""MJCF in: the least and greatest force of an actuator, behind all that clamps it.

    F = clamp(g · clamp(u, ctrlrange), forcerange),   f = gear · F

u is the control, or the activation, and g the gain. A joint clamps the sum of all f along it once more, a tendon the
sum of all F: these are limits of one drive where it is alone there.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from poinsot.model.interchange.cut_bodies import listed
from poinsot.model.interchange.mjcf.model import MjcfModel
from poinsot.model.interchange.notes import Lost

FIXED, PLAIN = 0, 0  # mjtGain; mjtBias and mjtDyn: force = gain · control
FILTERS = (2, 3)  # mjtDyn: activations that go to the control and no farther


def gear(model: MjcfModel, i: int) -> float:
    """Force along the first coordinate of what an actuator drives, by its own."""
    addresses = getattr(model.compiled, "actuator_outadr", None)  # of MuJoCo 4, where actuators may have several
    return float(model.compiled.actuator_gear[i if addresses is None else addresses[i]][0])


def is_plain(model: MjcfModel, i: int) -> bool:
    """Whether an actuator's force is its control times its gain."""
    m = model.compiled
    return m.actuator_gaintype[i] == FIXED and m.actuator_biastype[i] == PLAIN and m.actuator_dyntype[i] == PLAIN


def limit_drives(model: MjcfModel, drives: dict[int, str]) -> None:
    """Write limits into the tables of drives, whose names here are by number there."""
    beside: dict[tuple[bool, int], list[int]] = {}
    for i in drives:
        beside.setdefault((_by_tendon(model, i), int(model.compiled.actuator_trnid[i][0])), []).append(i)
    for (by_tendon, target), numbers in beside.items():
        total = _limits_of_all(model, by_tendon, target)
        for i in numbers:
            clamps = [_own(model, i)]
            if total is not None and len(numbers) == 1:
                clamps.append(_times(gear(model, i), total) if by_tendon else total)
            ends = _clamped(clamps)
            if np.all(np.isfinite(ends)):
                model.tables["actuators"][drives[i]]["limits"] = listed(ends)
        if total is not None and len(numbers) > 1:
            kind = "tendon" if by_tendon else "joint"
            where = f"the {kind} '{model.label(kind, target)}'"
            model.notes.append(
                Lost(f"The limits of {where} on the sum of its {len(numbers)} actuators are left out.")
            )
    _note_lengths(model, [i for i in drives if _by_tendon(model, i)])


def _by_tendon(model: MjcfModel, i: int) -> bool:
    return int(model.compiled.actuator_trntype[i]) == model.number("mjtTrn", "TENDON")


def _own(model: MjcfModel, i: int) -> np.ndarray:
    """Least and greatest force along what an actuator drives, of it alone; infinite where nothing clamps it."""
    m, clamps = model.compiled, []
    if m.actuator_gaintype[i] == FIXED and m.actuator_biastype[i] == PLAIN:
        clamps += [_times(float(m.actuator_gainprm[i][0]), ends) for ends in _inputs(model, i)]
    if m.actuator_forcelimited[i]:
        clamps.append(m.actuator_forcerange[i])
    return _times(gear(model, i), _clamped(clamps))


def _inputs(model: MjcfModel, i: int) -> list[np.ndarray]:
    """Ranges of control and activation that clamp what the gain multiplies."""
    m, dynamics, found = model.compiled, int(model.compiled.actuator_dyntype[i]), []
    addresses = getattr(m, "actuator_ctrladr", None)  # of MuJoCo 4, where actuators may have several controls
    control = i if addresses is None else int(addresses[i])
    clamped = not m.opt.disableflags & model.number("mjtDisableBit", "CLAMPCTRL")
    if dynamics in (PLAIN, *FILTERS) and clamped and m.actuator_ctrllimited[control]:
        found.append(m.actuator_ctrlrange[control])
    if dynamics != PLAIN and m.actuator_actlimited[i]:
        found.append(m.actuator_actrange[i])
    return found


def _limits_of_all(model: MjcfModel, by_tendon: bool, target: int) -> np.ndarray | None:
    """Limits of a joint or tendon on the sum of all forces of actuators; none in old versions of MuJoCo."""
    stem = "tendon" if by_tendon else "jnt"
    limited = getattr(model.compiled, f"{stem}_actfrclimited", None)
    found = limited is not None and limited[target]
    return getattr(model.compiled, f"{stem}_actfrcrange")[target] if found else None


def _note_lengths(model: MjcfModel, along: Collection[int]) -> None:
    """Drives along lengths act on the joints between their ends, whose limits count for them too."""
    if along and np.any(getattr(model.compiled, "jnt_actfrclimited", False)):
        said = "Limits of joints on the sum of all actuators are left out for those that pull along tendons."
        model.notes.append(Lost(said))


def _clamped(clamps: Collection[np.ndarray]) -> np.ndarray:
    """Ends of what passes one clamp after the other."""
    ends = np.array([-np.inf, np.inf])
    for low, high in clamps:
        ends = np.clip(ends, low, high)
    return ends


def _times(factor: float, ends: np.ndarray) -> np.ndarray:
    """Ends of a range times a factor that is not zero."""
    return np.sort(factor * np.asarray(ends, float))
