"""Fusion: the motion of one body from an inertial unit and encoders, with covariances and tests of consistency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from poinsot.errors import counted
from poinsot.model.mechanism import Mechanism
from poinsot.recording.fusion.navigation import Navigation
from poinsot.results import Curve, LinePanel, Panel, Result

__all__ = ["Fusion", "band"]


def band(freedoms: float, probability: float = 0.95) -> tuple[float, float]:
    """Where the mean of squared errors of so many freedoms in all, over their number, lies with a probability.

    >>> tuple(round(x, 2) for x in band(300))
    (0.85, 1.17)
    """
    from scipy.stats import chi2

    low, high = chi2.ppf([(1 - probability) / 2, (1 + probability) / 2], freedoms) / freedoms
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Fusion(Result):
    """Motion of the body that carries the inertial unit at n times; standard deviations have the same units."""

    mechanism: Mechanism
    body: str
    t: np.ndarray  # (n,)  [s]
    rotation: np.ndarray  # R_WB (n, 3, 3)
    position: np.ndarray  # of its origin in the world (n, 3)  [m]
    velocity: np.ndarray  # of its origin in the world (n, 3)  [m/s]
    acceleration: np.ndarray  # of its origin in the world (n, 3)  [m/s²]
    angular_velocity: np.ndarray  # in the world (n, 3)  [rad/s]
    angular_acceleration: np.ndarray  # in the world (n, 3)  [rad/s²]
    accelerometer_bias: np.ndarray  # (n, 3)  [m/s²]
    gyroscope_bias: np.ndarray  # (n, 3)  [rad/s]
    lever_arm: np.ndarray  # of the unit in the body, beyond the model file's (3,)  [m]
    misalignment: np.ndarray  # of the unit in the body, rotation vector in its axes (3,)  [rad]
    time_offset: float  # by which the encoders' clock is late  [s]
    deviation: dict[str, np.ndarray]  # by the names above, of attitude (rotation), position, velocity and unknowns
    covariance: np.ndarray  # of (attitude in body axes, position, velocity) of the unit (n, 9, 9)
    state: Navigation  # of the unit
    q: np.ndarray  # coordinates of the mechanism (n, nq), joint formulation
    nis: np.ndarray  # normalised innovation squared (n,), NaN without a measurement
    rows: np.ndarray  # measurements that it has (n,)
    iterations: int
    status: str  # what to do next; empty means success
    edge: float = 0.0  # time at either end within which accelerations are poor  [s]

    _over, _hidden = ("t", "t"), ("state",)
    _columns = {"accelerometer_bias": ("bfx bfy bfz", "m/s²"), "gyroscope_bias": ("bwx bwy bwz", "rad/s")}

    def panels(self) -> tuple[Panel, ...]:
        """Position and velocity with standard errors, and whether innovations are as large as they should be."""
        found: list[Panel] = []
        for name, unit in (("position", "m"), ("velocity", "m/s")):
            value, spread = getattr(self, name), self.deviation[name]
            spread = np.broadcast_to(spread if np.ndim(spread) else [spread], value.shape)
            curves = tuple(Curve(axis, self.t, value[:, k], spread[:, k]) for k, axis in enumerate("xyz"))
            found.append(LinePanel(x="t [s]", y=f"{name} ± σ [{unit}]", curves=curves, title=self.body))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = Curve("NIS of a sample", self.t, self.nis / self.rows, style="points")
        mean, low, high = self.consistency
        levels = {f"mean {mean:.3g}": mean, f"95 % of means: {low:.3g} …": low, f"… {high:.3g}": high}
        return (*found, LinePanel(x="t [s]", y="NIS over its freedoms [-]", curves=(ratio,), levels=levels))

    @property
    def consistency(self) -> tuple[float, float, float]:
        """Mean NIS over its freedoms, and the band in which it lies with 95 % if noise and model are right."""
        freedoms = int(self.rows.sum())
        return float(np.nansum(self.nis) / max(freedoms, 1)), *band(max(freedoms, 1))

    def nees(self, rotation: np.ndarray, position: np.ndarray, velocity: np.ndarray | None = None) -> np.ndarray:
        """Normalised estimation error squared (n,) against the true R_WS (n, 3, 3), p [m] and v [m/s] (n, 3).

        Its mean is 6, or 9 with velocities, if the covariances are right.
        """
        angle = Rotation.from_matrix(np.swapaxes(self.state.R, 1, 2) @ rotation).as_rotvec()
        parts = [angle, position - self.state.p] + ([] if velocity is None else [velocity - self.state.v])
        e = np.concatenate(parts, axis=1)
        k = e.shape[1]
        return np.einsum("ni,ni->n", e, np.linalg.solve(self.covariance[:, :k, :k], e[..., None])[..., 0])

    def __str__(self) -> str:
        mean, low, high = self.consistency
        largest = {name: np.median(np.max(x, axis=-1)) for name, x in self.deviation.items()}
        bias, rate = self.accelerometer_bias[-1], self.gyroscope_bias[-1]
        said = "consistent" if low <= mean <= high else "not consistent: see noise and model"
        nis = f"  NIS {mean:.3f} of 1 (95 %: {low:.3f} … {high:.3f}): {said}"
        lines = [
            f"{self.mechanism.name}: motion of '{self.body}' at {counted(len(self.t), 'time')} "
            f"from {self.t[0]:g} to {self.t[-1]:g} s",
            f"  position ± {1e3 * largest['position']:.3g} mm, "
            f"attitude ± {np.rad2deg(largest['rotation']):.3g}°, "
            f"velocity ± {1e3 * largest['velocity']:.3g} mm/s",
            f"  bias of the accelerometer {np.array2string(bias, precision=4)} m/s², of the gyroscope "
            f"{np.array2string(np.rad2deg(rate), precision=4)} °/s",
            nis
            if self.rows.any()
            else "  NIS: no encoder or loop measures the pose, so that consistency is not tested",
        ]
        for name, unit, factor in (
            ("lever_arm", "mm", 1e3),
            ("misalignment", "°", 180 / np.pi),
            ("time_offset", "ms", 1e3),
        ):
            if np.any(self.deviation[name]):
                value, error = (
                    factor * np.atleast_1d(getattr(self, name)),
                    factor * np.atleast_1d(self.deviation[name]),
                )
                lines.append(f"  {name.replace('_', ' ')} {np.round(value, 4)} ± {np.round(error, 4)} {unit}")
        return "\n".join([*lines, *([self.status] if self.status else [])])
