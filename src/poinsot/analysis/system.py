"""A mechanism's equations in one formulation, with the functions that have been compiled from them.

Systems are kept by structure: mechanisms that differ only in the values of free parameters share one.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from poinsot.elements.coordinates import Coordinate
from poinsot.engine import kernel
from poinsot.errors import PoinsotError, unknown
from poinsot.formulations.acting import along
from poinsot.formulations.reactions import reactions
from poinsot.formulations.solve import FORMULATIONS, Dynamics, dynamics, unit_quaternions
from poinsot.formulations.symbols import default_free, symbols
from poinsot.model.assembly import Assembly, assemble
from poinsot.model.build.acting import force_unit
from poinsot.model.mechanism import Mechanism
from poinsot.model.parameters import as_value
from poinsot.spatial.pose import Pose

__all__ = ["System", "system"]

_KEPT: OrderedDict[str, System] = OrderedDict()
_ASSEMBLED: OrderedDict[tuple, tuple[Mechanism, Assembly]] = OrderedDict()
_KEYS: OrderedDict[tuple, tuple[Any, tuple[str, tuple[str, ...]]]] = OrderedDict()
_LIMIT = 32


def system(
    mechanism: Mechanism,
    formulation: str = "joint",
    free: tuple[str, ...] = (),
    home: Assembly | None = None,
) -> System:
    """Get the equations of a mechanism, from memory if its structure has been seen before.

    `free` are parameters that must stay symbols besides those that do by default.
    """
    if formulation not in FORMULATIONS:
        raise PoinsotError(unknown("formulation", formulation, FORMULATIONS))
    clamped = any(f.kind == "spring" and f.rest is None for f in mechanism.template.forces.values())
    home = home if home is not None and clamped else None
    seen = (id(mechanism), formulation, free, id(home))
    key, names = _remember(_KEYS, seen, (mechanism, home), lambda: _key(mechanism, formulation, free, home))
    if key not in _KEPT:
        _KEPT[key] = System(dynamics(symbols(mechanism, names, home or start(mechanism, None)), formulation))
        while len(_KEPT) > _LIMIT:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return _KEPT[key]


def _key(
    mechanism: Mechanism, formulation: str, asked: tuple[str, ...], home: Assembly | None
) -> tuple[str, tuple[str, ...]]:
    """What the equations depend on: the description, and the numbers that are folded in; and the free parameters."""
    free = tuple(dict.fromkeys([*default_free(mechanism), *asked]))
    folded = {name: p.value for name, p in mechanism.parameters.items() if name not in free}
    places = [] if home is None else [X.p.tolist() + X.R.ravel().tolist() for X in home.poses.values()]
    text = json.dumps([dict(mechanism.document), folded, formulation, free, places], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest(), free


class System:
    """Compiled functions of one mechanism in one formulation."""

    def __init__(self, dynamics: Dynamics):
        self.dynamics = dynamics
        self.equations = dynamics.equations
        self.elements = dynamics.equations.symbols.elements
        self._kernels: dict[str, Any] = {}
        self._read: OrderedDict[tuple, tuple[Any, np.ndarray]] = OrderedDict()

    def kernel(self, name: str, outputs: Callable[[], list[Any]]) -> Any:
        """A compiled function of (q, v, u, p), made once."""
        if name not in self._kernels:
            self._kernels[name] = kernel(self.dynamics.function(name, outputs()))
        return self._kernels[name]

    def parameters(self, mechanism: Mechanism, poses: Mapping[str, Pose] | None = None) -> np.ndarray:
        """Values of the free parameters of a mechanism, and the charts' numbers for a start at given poses."""
        chart = self.dynamics.chart_home if poses is None else self.equations.choose_chart(poses)
        return np.concatenate([self.equations.symbols.values(mechanism), chart])

    def coordinates(self, start: Assembly, p: np.ndarray) -> np.ndarray:
        """Coordinates q (nq,) at an assembled pose; from memory if it was asked for before."""
        chart = p[len(self.equations.symbols.names) :]
        read = _remember(
            self._read, (id(start), chart.tobytes()), start, lambda: self.equations.read(start.poses, chart)
        )
        return read.copy()

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """Names of the actuators, in the order of u."""
        return tuple(self.elements.actuators)

    def command(self, name: str, value: float | str) -> float:
        """Force of an actuator in SI, from a number or a quantity such as "5 N"."""
        if name not in self.commands:
            raise PoinsotError(unknown("actuator", name, self.commands))
        return as_value(value, force_unit("f", self.elements.actuators[name].on.unit), f"force of {name}")

    def coordinate(self, name: str) -> tuple[Any, Any]:
        """s and ṡ of a named coordinate, as symbols."""
        return self.along(self.elements.coordinate(name))

    def along(self, coordinate: Coordinate) -> tuple[Any, Any]:
        """s and ṡ of any coordinate, as symbols."""
        e = self.equations
        return along(coordinate, self.elements, e.poses, e.q, e.q_dot, e.direct)

    def forward(self, q: Any, v: Any, u: Any, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations v̇, multipliers λ and check values of a batch of states."""
        return self.kernel("forward", lambda: list(self.dynamics.solution))(q, v, u, p)

    def places(self) -> Any:
        """Position and rotation matrix, by rows, of every body as one column of symbols (12 b, 1)."""
        import casadi

        poses = [self.equations.poses[name] for name in self.elements.bodies]
        return casadi.vertcat(*(casadi.vertcat(casadi.SX(X.p), casadi.vec(casadi.SX(X.R.T))) for X in poses))

    def poses(self, q: np.ndarray, p: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Positions (N, 3) [m] and rotation matrices (N, 3, 3) of all bodies for coordinates q (N, nq)."""
        e, names = self.equations, list(self.elements.bodies)
        zeros = np.zeros(e.v.size1()), np.zeros(e.u.size1())
        (flat,) = self.kernel("poses", lambda: [self.places()])(q, *zeros, p)
        flat = flat.reshape(len(q), len(names), 12)
        position = {n: flat[:, k, :3].copy() for k, n in enumerate(names)}
        return position, {n: flat[:, k, 3:].reshape(-1, 3, 3).copy() for k, n in enumerate(names)}

    def displaced(self, q: np.ndarray, step: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Coordinates after a step (nv,) in the directions of the speeds, quaternions at unit length."""
        import casadi

        e = self.equations
        if "displaced" not in self._kernels:
            moved = unit_quaternions(e, e.q + e.q_dot)
            self._kernels["displaced"] = casadi.Function("displaced", [e.q, e.v, e.p], [moved])
        return np.asarray(self._kernels["displaced"](q, step, p)).ravel()

    def observed(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray, u: np.ndarray, p: np.ndarray
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Accelerations of all bodies (6,) and reactions of all joints (6,) at one state."""
        import casadi

        e, bodies, joints = self.equations, list(self.elements.bodies), list(self.elements.joints)
        if "at one state" not in self._kernels:
            rate, multipliers = casadi.SX.sym("a", e.v.size1()), casadi.SX.sym("lam", e.phi.size1())
            wrenches = reactions(e, rate, multipliers)
            columns = [self.body_rate(name, rate) for name in bodies]
            columns += [casadi.vertcat(casadi.SX(wrenches[n].f), casadi.SX(wrenches[n].n)) for n in joints]
            inputs = [e.q, e.v, rate, multipliers, e.u, e.p]
            self._kernels["at one state"] = casadi.Function("observed", inputs, [casadi.vertcat(*columns)])
        flat = np.asarray(self._kernels["at one state"](q, v, a, lam, u, p)).reshape(-1, 6)
        return dict(zip(bodies, flat)), dict(zip(joints, flat[len(bodies) :]))

    def body_rate(self, body: str, a: Any) -> Any:
        """Acceleration of a body's origin and its angular acceleration in world axes (6, 1), for v̇ = a."""
        import casadi

        e, V = self.equations, self.equations.twists[body]
        R = casadi.SX(e.poses[body].R)
        world = casadi.vertcat(R @ casadi.SX(V.v), R @ casadi.SX(V.w))
        return casadi.jtimes(world, e.q, e.q_dot) + casadi.jacobian(world, e.v) @ a


def start(mechanism: Mechanism, pose: Mapping[str, float] | None) -> Assembly:
    """The assembled pose from which an analysis starts; from memory if it was asked for before."""
    key = (id(mechanism), None if pose is None else tuple((n, str(s)) for n, s in pose.items()))
    return _remember(_ASSEMBLED, key, mechanism, lambda: assemble(mechanism, pose).require())


def _remember(kept: OrderedDict[Any, tuple[Any, Any]], key: Any, owner: Any, make: Callable[[], Any]) -> Any:
    """Make something once; the owner is kept with it, so that its id in the key stays its own."""
    if key not in kept:
        kept[key] = (owner, make())
        while len(kept) > _LIMIT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key][1]
