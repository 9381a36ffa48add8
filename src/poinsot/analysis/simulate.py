"""Simulation: the motion of a mechanism, or of many that differ in parameters, under given forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from poinsot.analysis.integrate import Law, compiled_motion
from poinsot.analysis.state import state
from poinsot.analysis.system import System, start, system
from poinsot.errors import PoinsotError, listing, unknown
from poinsot.model.mechanism import Mechanism

__all__ = ["Simulation", "simulate"]

BATCHED_ROLES = ("inertia", "force", "gravity")


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion at n times. In a batch of N all arrays but t have a leading axis N."""

    mechanism: str
    formulation: str
    t: np.ndarray  # (n,)  [s]
    position: dict[str, np.ndarray]  # by body, origin in the world (n, 3)  [m]
    rotation: dict[str, np.ndarray]  # by body, R_WB (n, 3, 3)
    coordinates: dict[str, np.ndarray]  # coordinates that the model file names (n,)  [m or rad]
    q: np.ndarray  # (n, nq)
    v: np.ndarray  # (n, nv)
    energy: np.ndarray  # kinetic and potential (n,)  [J]
    work: np.ndarray  # of drives, dampers, friction and loads since the start (n,)  [J]
    drift: float  # largest violation of a constraint  [m or rad]
    energy_error: float  # largest |energy − work − energy at the start|  [J]
    events: dict[str, Any]  # time of the first crossing of every event and end stop, NaN if none  [s]
    steps: int
    status: str  # what to do next; empty means success

    @property
    def finished(self) -> bool:
        """Whether the motion reached the last time."""
        return not self.status

    def __str__(self) -> str:
        reached = f"{self.t[-1]:g} s" if len(self.t) else "no output time"
        return (
            f"{self.mechanism} ({self.formulation}): {reached} in {self.steps} steps, "
            f"drift {self.drift:.1e}, energy error {self.energy_error:.1e} J"
            + (f"\n{self.status}" if self.status else "")
        )


def simulate(
    mechanism: Mechanism,
    t_end: float,
    *,
    t: Sequence[float] | None = None,
    forces: Mapping[str, Law] | None = None,
    pose: Mapping[str, float] | None = None,
    velocity: Mapping[str, float] | None = None,
    parameters: Mapping[str, Sequence[float]] | None = None,
    events: Mapping[str, tuple[str, float]] | None = None,
    formulation: str = "joint",
    method: str = "explicit",
    rtol: float = 1e-10,
    atol: float = 1e-12,
    max_steps: int = 100_000,
    threads: int | None = None,
) -> Simulation:
    """Simulate a mechanism from a pose, with actuator forces [N or N·m] that are numbers or laws of (t, s, ṡ).

    `t` are the times at which to give the motion (default: 101 from 0 to t_end). `parameters` gives N values for
    some inertias, force constants or gravity and simulates N mechanisms in one call. `events` names crossings
    (coordinate, value); rigid end stops are events that end the motion. `method` is "explicit" (order 8, adaptive,
    native) or "implicit" (CVODES, for stiff mechanisms). Constraints are kept by projection; drift and energy
    balance are reported with the result.

    >>> import poinsot
    >>> r = poinsot.simulate(poinsot.load("pendulum"), t_end=1.0, pose={"phi": 0.1})
    >>> bool(r.energy_error < 1e-9)
    True
    """
    times = _times(t, t_end)
    begin = start(mechanism, pose)
    compiled = system(mechanism, formulation, tuple(parameters or ()), home=begin)
    p = _batch(compiled, mechanism, compiled.parameters(mechanism, begin.poses), parameters or {})
    q, v = state(compiled, begin, p if p.ndim == 1 else p[0], velocity)
    laws = _laws(compiled, forces or {})
    run = compiled_motion(compiled, laws, events or {}, method)
    grid = times if times[0] == 0 else np.concatenate([[0.0], times])
    u = np.array([law if not callable(law) else 0.0 for law in laws.values()], float)
    both = np.concatenate([u if p.ndim == 1 else np.broadcast_to(u, (len(p), len(u))), p], axis=-1)
    y0 = np.concatenate([q, v, [0.0]])
    found = run(grid, y0, both, rtol=rtol, atol=atol, max_steps=max_steps, threads=threads)
    return _result(mechanism, compiled, run.names, found, times, y0, u, p)


def _times(t: Sequence[float] | None, t_end: float) -> np.ndarray:
    if not isinstance(t_end, Real) or not np.isfinite(t_end) or t_end <= 0:
        raise PoinsotError(f"t_end must be a positive time in seconds, not {t_end!r}")
    times = np.linspace(0.0, t_end, 101) if t is None else np.asarray(t, float)
    if times.ndim != 1 or not times.size or not (np.isfinite(times[-1]) and (times[1:] > times[:-1]).all()):
        raise PoinsotError("t must be a list of times, each later than the one before")
    if times[0] < 0 or times[-1] > t_end * (1 + 1e-12):
        raise PoinsotError(f"t must lie between 0 and t_end = {t_end:g} s, not {times[0]:g} … {times[-1]:g} s")
    return times


def _batch(
    compiled: System, mechanism: Mechanism, p: np.ndarray, parameters: Mapping[str, Sequence[float]]
) -> np.ndarray:
    """Values of the free parameters (n,), or (N, n) for a batch."""
    if not parameters:
        return p
    sizes = {name: np.atleast_1d(np.asarray(values, float)).shape for name, values in parameters.items()}
    if len(set(sizes.values())) > 1 or any(len(size) != 1 for size in sizes.values()):
        raise PoinsotError(f"parameters of a batch need lists of one length, not {listing(map(str, sizes.items()))}")
    batch = np.tile(p, (next(iter(sizes.values()))[0], 1))
    for name, values in parameters.items():
        role = mechanism.parameters[name].role
        if role not in BATCHED_ROLES:
            raise PoinsotError(
                f"'{name}' changes the geometry, and with it the start: simulate its values one by one"
            )
        if not np.isfinite(values).all():
            raise PoinsotError(f"the values of '{name}' must be finite numbers")
        batch[:, compiled.free.index(name)] = values
    return batch


def _laws(compiled: System, forces: Mapping[str, Law]) -> dict[str, Law]:
    for name in forces:
        if name not in compiled.commands:
            raise PoinsotError(unknown("actuator", name, compiled.commands))
    given = {name: law if callable(law) else compiled.command(name, law) for name, law in forces.items()}
    return {name: given.get(name, 0.0) for name in compiled.commands}


def _result(
    mechanism: Mechanism,
    compiled: System,
    names: tuple[str, ...],
    found: Any,
    times: np.ndarray,
    y0: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
) -> Simulation:
    nq, nv, _, _ = compiled.sizes
    y = found.y[:, -len(times) :]
    kept = np.isfinite(y).all(axis=(0, 2))
    times, y = times[kept], y[:, kept]
    both = np.concatenate([np.tile(y0, (len(y), 1, 1)) if len(y) > 1 else y0[None, None], y], axis=1)
    energy, phi, named, placed = _watched(compiled, both, u, p)
    balance = energy - energy[:, :1] - both[..., -1]
    shape: Callable[[np.ndarray], np.ndarray] = (lambda x: x) if p.ndim == 2 else (lambda x: x[0])
    placed, named = shape(placed[:, 1:]), shape(named[:, 1:])
    bodies = enumerate(compiled.mechanism.template.bodies)
    places = {name: placed[..., 12 * k : 12 * k + 12] for k, name in bodies}
    return Simulation(
        mechanism=mechanism.name,
        formulation=compiled.formulation,
        t=times,
        position={name: x[..., :3] for name, x in places.items()},
        rotation={name: x[..., 3:].reshape(*x.shape[:-1], 3, 3) for name, x in places.items()},
        coordinates={name: named[..., k] for k, name in enumerate(compiled.mechanism.template.coordinates)},
        q=shape(y[..., :nq]),
        v=shape(y[..., nq : nq + nv]),
        energy=shape(energy[:, 1:]),
        work=shape(y[..., -1]),
        drift=float(np.abs(phi).max(initial=0.0)),
        energy_error=float(np.abs(balance).max(initial=0.0)),
        events={name: shape(found.event_times[:, k]) for k, name in enumerate(names)},
        steps=int(found.steps.max()),
        status=found.text,
    )


def _watched(compiled: System, y: np.ndarray, u: np.ndarray, p: np.ndarray) -> list[np.ndarray]:
    """Energy (N, n), constraints (N, n, m), named coordinates (N, n, k) and places of all bodies (N, n, 12 b)."""
    nq, nv, _, _ = compiled.sizes

    def outputs() -> list[Any]:
        import casadi

        e = compiled.equations
        named = [compiled.coordinate(name)[0] for name in compiled.elements.coordinates]
        coordinates = casadi.vertcat(*named) if named else casadi.SX(0, 1)
        return [e.kinetic + e.potential, e.phi, coordinates, compiled.places()]

    flat = y.reshape(-1, y.shape[-1])
    constants = p if p.ndim == 1 else np.repeat(p, y.shape[1], axis=0)
    energy, *rest = compiled.kernel("outputs", outputs)(flat[:, :nq], flat[:, nq : nq + nv], u, constants)
    return [energy.reshape(y.shape[:2]), *(x.reshape(*y.shape[:2], -1) for x in rest)]
