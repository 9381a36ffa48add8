"""A double pendulum identified by MuJoCo: by `mujoco.sysid`, or by SciPy's least squares over its simulations.

MuJoCo has `sysid` in its package, which loads only with the packages of `pip install "mujoco[sysid]"`; without them
SciPy does here what the toolbox does: trust-region steps, derivatives by differences, one simulation for each.
Both are given the initial state, which Poinsot looks for besides.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from typing import Any

import numpy as np
from scipy.optimize import least_squares

MJCF = """<mujoco><option gravity="0 -9.81 0" timestep="{step}" integrator="RK4"><flag contact="disable"/></option>
<worldbody><body name="upper"><joint name="a" axis="0 0 1"/>
<inertial pos="0 -0.2 0" mass="1.2" diaginertia=".02 .02 .016"/>
<body name="lower" pos="0 -0.4 0"><joint name="b" axis="0 0 1"/>
<inertial pos="0 -0.15 0" mass="0.8" diaginertia=".006 .006 .006"/></body></body></worldbody>
<actuator><motor name="idle" joint="a"/></actuator>
<sensor><jointpos name="phi1" joint="a"/><jointpos name="phi2" joint="b"/></sensor></mujoco>"""
BEGIN = np.radians([30.0, -45.0])
Fit = Callable[[], np.ndarray]


def set_values(spec: Any, name: str, value: float) -> None:
    """A mass, or an inertia about the axis of the joint, of a body."""
    body, _, what = name.partition(".")
    if what == "mass":
        spec.body(body).mass = value
    else:
        spec.body(body).inertia = np.array([max(value, x) for x in spec.body(body).inertia[:2]] + [value])


def sysid_fit(t: np.ndarray, y: np.ndarray, steps: int, start: dict[str, float], tolerance: float) -> tuple[str, Fit]:
    """What fits (k,) values to positions y (n, 2) from a start, and its name; `steps` are made between samples."""
    mujoco: Any = import_module("mujoco")
    spec = mujoco.MjSpec.from_string(MJCF.format(step=(t[1] - t[0]) / steps))
    try:
        sysid: Any = import_module("mujoco.sysid")
        return "mujoco.sysid", _by_toolbox(mujoco, sysid.optimize and sysid, spec, t, y, start, tolerance)
    except (ImportError, AttributeError):
        return "MuJoCo and SciPy", _by_scipy(mujoco, spec, t, y, steps, start, tolerance)


def _by_toolbox(
    mujoco: Any, sysid: Any, spec: Any, t: np.ndarray, y: np.ndarray, start: dict[str, float], tolerance: float
) -> Fit:
    model = spec.compile()
    begin = sysid.create_initial_state(model, BEGIN, np.zeros(2), np.zeros(0))
    step = model.opt.timestep
    fine = np.arange(0, t[-1] + 1.5 * step, step)
    idle = sysid.TimeSeries(fine, np.zeros((len(fine), 1)))
    measured = sysid.TimeSeries.from_names(t + step, y, model)  # its sensors tell the state before a step
    run = sysid.ModelSequences("pendulum", spec, "swing", begin, idle, measured)
    residuals = sysid.build_residual_fn(models_sequences=[run])

    def fit() -> np.ndarray:
        params = sysid.ParameterDict()
        for name, value in start.items():
            change = lambda s, p, name=name: set_values(s, name, float(p.value[0]))  # noqa: E731
            params.add(sysid.Parameter(name, value, 0.2 * value, 5 * value, modifier=change))
        options = {"ftol": tolerance, "xtol": tolerance, "x_scale": list(start.values())}
        with redirect_stdout(StringIO()):  # SciPy's own lines
            return sysid.optimize(params, residuals, optimizer="scipy", **options)[0].as_vector()

    return fit


def _by_scipy(
    mujoco: Any, spec: Any, t: np.ndarray, y: np.ndarray, steps: int, start: dict[str, float], tolerance: float
) -> Fit:
    def residuals(values: np.ndarray) -> np.ndarray:
        for name, value in zip(start, values):
            set_values(spec, name, float(value))
        model = spec.compile()
        data: Any = mujoco.MjData(model)
        data.qpos[:] = BEGIN
        found = [data.qpos.copy()]
        for _ in t[1:]:
            mujoco.mj_step(model, data, nstep=steps)
            found.append(data.qpos.copy())
        return (np.array(found) - y).ravel()

    begin = np.array(list(start.values()))
    options: dict[str, Any] = {"ftol": tolerance, "xtol": tolerance, "x_scale": begin}
    return lambda: least_squares(residuals, begin, bounds=(0.2 * begin, 5 * begin), **options).x
