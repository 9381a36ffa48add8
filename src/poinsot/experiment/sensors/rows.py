"""What every sensor tells of the unknowns along a motion.

F_g = ∑ Sᵀ S over the samples of its channels,    S = σ⁻¹ W ∂θ/∂p diag(p̂)            (theory/design, eq. 30)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, listing
from poinsot.estimate.unknowns import Unknowns
from poinsot.experiment.record import Prediction
from poinsot.experiment.unknown_rows import predictions, prior_rows, reduced_rows, unknown_regressor
from poinsot.identifiability.channels import MeasuredChannel, channels
from poinsot.identifiability.determinable import references
from poinsot.identifiability.regressor import Regressor
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.motion.kinematics import followed_path
from poinsot.motion.undetermined import undetermined
from poinsot.system.system import System


@dataclass(frozen=True, eq=False)
class SensorRows:
    """N sensors with one or more channels each, and k unknowns."""

    names: tuple[str, ...]  # N: "leg1", "reaction A"
    channels: tuple[tuple[int, ...], ...]  # N, numbers of their channels
    regressor: Regressor  # of the unknowns
    sigma: np.ndarray  # (c,) standard deviation of a sample by channel  [SI]
    factors: tuple[np.ndarray, ...]  # N, rows R with RᵀR the information, over the noise  [1/SI]
    known: np.ndarray  # rows (r, k) of what is known besides, over their standard deviations
    sizes: np.ndarray  # (k,) what errors are relative to  [SI]

    @property
    def information(self) -> np.ndarray:
        """F (N, k, k) of unknowns relative to their sizes."""
        return np.array([(R * self.sizes).T @ (R * self.sizes) for R in self.factors])

    @property
    def prior(self) -> np.ndarray:
        """F (k, k) of what is known besides, and of the sizes themselves as standard deviations."""
        rows = self.known * self.sizes
        return np.eye(len(self.sizes)) + rows.T @ rows

    @one_blas_thread()
    def predicted(self, sensors: Sequence[int]) -> tuple[tuple[Prediction, ...], tuple[str, ...]]:
        """What some sensors together tell of every unknown, and the combinations of several that they tell."""
        W, c = self.regressor, len(self.sigma)
        weights = np.zeros(c)
        used = [k for one in sensors for k in self.channels[one]]
        weights[used] = 1 / self.sigma[used]
        rows = np.concatenate([np.zeros((0, len(W.columns))), *(self.factors[one] for one in sensors)])
        base = reduced_rows(W, rows, np.tile(weights, len(W.t)), self.known)
        told, _ = predictions(W, base, np.concatenate([rows, self.known]))
        alone = {one.name for one in told if np.isfinite(one.deviation)}
        texts = zip(base.independent, base.combinations)
        return told, tuple(text for name, text in texts if name not in alone)


@one_blas_thread()
def sensor_rows(
    mechanism: Mechanism,
    unknowns: Unknowns,
    motion: Mapping,
    t: np.ndarray,
    wanted: Sequence[str],
    noise: Mapping[str, float],
    single: bool,
) -> SensorRows:
    """What sensors tell along a motion; `single`: every channel is a sensor of its own."""
    path = followed_path(mechanism, motion, t)
    states = States(path.system, path.t, path.q, path.v, path.a, path.p, path.system.equations.symbols.home.size)
    measured = channels(path.system, wanted or _all(path.system))
    sigma = np.array([_noise(one, noise, measured) for one in measured])
    W = unknown_regressor(unknowns, states, [one.name for one in measured], mechanism)
    groups: dict[str, list[int]] = {}
    for k, one in enumerate(measured):
        groups.setdefault(one.name if single else _sensor(one), []).append(k)
    rows = W.matrix.reshape(len(W.t), len(measured), -1) / sigma[:, None]
    factors = [_factor(rows[:, part].reshape(-1, rows.shape[2])) for part in groups.values()]
    sizes = references(W, np.tile(sigma, len(W.t)))
    return SensorRows(
        tuple(groups),
        tuple(map(tuple, groups.values())),
        W,
        sigma,
        tuple(factors),
        prior_rows(unknowns),
        np.where(sizes > 0, sizes, 1.0),
    )


def _factor(rows: np.ndarray) -> np.ndarray:
    """Rows (at most k, k) with the same information."""
    return np.asarray(np.linalg.qr(rows, mode="r")) if len(rows) > rows.shape[1] else rows


def _sensor(channel: MeasuredChannel) -> str:
    """The sensor of a channel: all components of a load cell are one."""
    return channel.name if channel.quantity in ("actuator", "power") else f"{channel.quantity} {channel.owner}"


def _all(compiled: System) -> list[str]:
    """Drives, force sensors, and reactions of all joints that the motion determines."""
    elements, open_joints = compiled.elements, undetermined(compiled)
    cells = [f"sensor {name}.*" for name, sensor in elements.sensors.items() if sensor.measures_force]
    joints = [f"reaction {name}" for name in elements.joints if name not in open_joints]
    return [*(["actuators"] if elements.actuators else []), *cells, *joints]


def _noise(channel: MeasuredChannel, noise: Mapping[str, float], measured: Sequence[MeasuredChannel]) -> float:
    """Standard deviation of a sample of a channel  [SI]."""
    sigma = next((s for pattern, s in noise.items() if _named(channel, pattern)), channel.noise)
    if not sigma > 0:
        silent = [
            one.name for one in measured if not any(_named(one, pattern) for pattern in noise) and not one.noise
        ]
        raise PoinsotError(f"sensors are compared by their noise: give the standard deviation of {listing(silent)}")
    return float(sigma)


def _named(channel: MeasuredChannel, pattern: str) -> bool:
    return fnmatchcase(channel.name, pattern) or fnmatchcase(_sensor(channel), pattern)
