"""MJCF in: springs, dampers, friction, limits, drives and sensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.model.interchange.cut_bodies import listed
from poinsot.model.interchange.mjcf.force_limits import gear, is_plain, limit_drives
from poinsot.model.interchange.mjcf.loops import tendon_ends
from poinsot.model.interchange.mjcf.model import MjcfModel
from poinsot.model.interchange.notes import Lost
from poinsot.model.interchange.recognise import HINGE, SLIDE, MjJoint, Recognised, laws_into


def joint_laws(model: MjcfModel, spec: dict[str, Any], joints: list[MjJoint], found: Recognised) -> None:
    """Write what acts along a body's joints into the joint's table, by coordinate where it has several."""
    several = len(joints) > 1
    for joint, coordinate in zip(joints, found.coordinates):
        if joint.type not in (SLIDE, HINGE):
            _note_ball(model, joint)
        elif coordinate is not None:
            laws_into(spec, _laws(model, joint), coordinate if several else None)
        elif _laws(model, joint):
            model.notes.append(Lost(f"What acts along the slide '{joint.name}' of a screw is left out."))


def _laws(model: MjcfModel, joint: MjJoint) -> dict[str, Any]:
    m, j = model.compiled, joint.index
    dof = int(m.jnt_dofadr[j])
    out: dict[str, Any] = {}
    if m.jnt_stiffness[j]:
        out |= {"stiffness": float(m.jnt_stiffness[j]), "rest": float(m.qpos_spring[m.jnt_qposadr[j]])}
    for key, values in {
        "damping": m.dof_damping,
        "friction.coulomb": m.dof_frictionloss,
        "drive_inertia": m.dof_armature,
    }.items():
        out |= {key: float(values[dof])} if values[dof] else {}
    if m.jnt_limited[j]:
        out["limits"] = listed(m.jnt_range[j])
    for poly, what in (("jnt_stiffnesspoly", "stiffness"), ("dof_dampingpoly", "damping")):
        if hasattr(m, poly) and np.any(getattr(m, poly)[j if what == "stiffness" else dof]):
            model.notes.append(Lost(f"The nonlinear {what} of the joint '{joint.name}' is left out."))
    return out


def _note_ball(model: MjcfModel, joint: MjJoint) -> None:
    m, dof = model.compiled, int(model.compiled.jnt_dofadr[joint.index])
    values = {
        "stiffness": m.jnt_stiffness[joint.index],
        "armature": m.dof_armature[dof],
        "friction": m.dof_frictionloss[dof],
        "limits": m.jnt_limited[joint.index],
    }
    for what in (key for key, value in values.items() if value):
        model.notes.append(Lost(f"The {what} of the ball or free joint '{joint.name}' cannot be represented."))


def add_acting(model: MjcfModel) -> None:
    """Take tendons that are springs or dampers, actuators and sensors."""
    _tendons(model)
    drives = _actuators(model)
    _sensors(model, drives)


def _tendons(model: MjcfModel) -> None:
    m, tendon = model.compiled, model.number("mjtEq", "TENDON")
    rods = {int(m.eq_obj1id[i]) for i in range(m.neq) if int(m.eq_type[i]) == tendon and m.eq_active0[i]}
    by_tendon = model.number("mjtTrn", "TENDON")
    driven = {int(m.actuator_trnid[i][0]) for i, kind in enumerate(m.actuator_trntype) if int(kind) == by_tendon}
    for t in range(m.ntendon):
        label, ends = model.label("tendon", t) or f"tendon{t + 1}", tendon_ends(model, t)
        laws = _tendon_laws(model, t)
        if ends is None:
            said = f"The tendon '{label}' does not run straight between two sites and is left out."
            model.notes.append(Lost(said) if laws or t in rods or t in driven else said)
            continue
        for kind, fields in laws.items():
            name = model.names["force"].add(f"{label}.{kind.replace('-', '_')}".replace("-", "_"))
            model.tables["forces"][name] = {"type": kind, "on": {"length": list(ends)}, **fields}
        if not laws and t not in rods and t not in driven:
            model.notes.append(f"The tendon '{label}' does nothing and is left out.")


def _tendon_laws(model: MjcfModel, t: int) -> dict[str, dict[str, float]]:
    m, out = model.compiled, {}
    if m.tendon_stiffness[t]:
        low, high = listed(m.tendon_lengthspring[t])
        out["spring"] = {"stiffness": float(m.tendon_stiffness[t]), "rest": high}
        if low != high:
            model.notes.append(Lost(f"The dead band of the tendon '{model.label('tendon', t)}' is left out."))
    for kind, parameter, values in (
        ("damper", "damping", m.tendon_damping),
        ("friction", "coulomb", m.tendon_frictionloss),
        ("drive-inertia", "inertia", m.tendon_armature),
    ):
        out |= {kind: {parameter: float(values[t])}} if values[t] else {}
    if m.tendon_limited[t]:
        lower, upper = listed(m.tendon_range[t])
        out["end-stop"] = {"lower": lower, "upper": upper}
    return out


def _actuators(model: MjcfModel) -> dict[int, str]:
    """Drives along joints and tendons; returns their names here by number there."""
    m, found = model.compiled, {}
    for i in range(len(m.actuator_trntype)):
        label = model.label("actuator", i) or f"actuator{i + 1}"
        on = _driven(model, i)
        if on is None:
            model.notes.append(Lost(f"The actuator '{label}' drives nothing that has a counterpart and is left out."))
            continue
        gain, plain = float(m.actuator_gainprm[i][0]) * gear(model, i), is_plain(model, i)
        if not gear(model, i) or (plain and not gain):
            model.notes.append(f"The actuator '{label}' has a gain of 0: it gives no force and is left out.")
            continue
        name = model.names["actuator"].add(label)
        if not plain:
            model.notes.append(Lost(f"The actuator '{label}' is taken as a plain force, without gains and dynamics."))
        elif gain != 1.0:
            model.notes.append(f"The actuator '{label}' has a gain of {gain:g}: here it is the force itself.")
        model.tables["actuators"][name] = {"on": on}
        found[i] = name
    limit_drives(model, found)
    return found


def _driven(model: MjcfModel, i: int) -> dict[str, Any] | None:
    target, transmission = int(model.compiled.actuator_trnid[i][0]), int(model.compiled.actuator_trntype[i])
    if transmission in (model.number("mjtTrn", "JOINT"), model.number("mjtTrn", "JOINTINPARENT")):
        return _joint_coordinate(model, target)
    if transmission == model.number("mjtTrn", "TENDON") and (ends := tendon_ends(model, target)) is not None:
        return {"length": list(ends)}
    return None


def _joint_coordinate(model: MjcfModel, joint: int) -> dict[str, Any] | None:
    name, coordinate = model.joints.get(joint, ("", None))
    return {"joint": name, "coordinate": coordinate} if coordinate is not None else None


def _sensors(model: MjcfModel, drives: dict[int, str]) -> None:
    m = model.compiled
    made: dict[str, dict[str, Any]] = {}
    for i in range(m.nsensor):
        label = model.label("sensor", i) or f"sensor{i + 1}"
        spec = _sensor(model, int(m.sensor_type[i]), int(m.sensor_objid[i]), drives)
        if spec is None:
            model.notes.append(f"The sensor '{label}' has no counterpart and is left out.")
        else:
            made[label] = spec
    for label in list(made):
        stem, _, part = label.rpartition(".")
        rate = made.get(f"{stem}.rate")
        if part == "acceleration" and rate is not None and rate["at"] == made[label]["at"]:
            made[stem] = {"type": "imu", "at": rate["at"]}
            del made[label], made[f"{stem}.rate"]
    for label, spec in made.items():
        model.tables["sensors"][model.names["sensor"].add(label)] = spec


def _sensor(model: MjcfModel, kind: int, target: int, drives: dict[int, str]) -> dict[str, Any] | None:
    names = ("JOINTPOS", "TENDONPOS", "ACCELEROMETER", "GYRO", "ACTUATORFRC")
    name = {model.number("mjtSensor", key): key for key in names}.get(kind)
    if name == "JOINTPOS" and (on := _joint_coordinate(model, target)) is not None:
        return {"type": "encoder", "on": on}
    if name == "TENDONPOS" and (ends := tendon_ends(model, target)) is not None:
        return {"type": "encoder", "on": {"length": list(ends)}}
    if name == "ACCELEROMETER":
        return {"type": "accelerometer", "at": model.sites[target]}
    if name == "GYRO":
        return {"type": "gyroscope", "at": model.sites[target]}
    if name == "ACTUATORFRC" and target in drives:
        return {"type": "drive-force", "actuator": drives[target]}
    return None
