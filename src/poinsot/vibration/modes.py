"""Natural frequencies, mode shapes and damping of a mechanism at rest, and what they tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements.frame import Frame
from poinsot.errors import PoinsotError, count_of, counted
from poinsot.model.mechanism import Mechanism
from poinsot.model.state import GivenPose
from poinsot.results import BarPanel, Curve, LinePanel, Panel, Result
from poinsot.vibration.eigenmodes import Solution, eigenmodes, general_poles, growth_rates, reduced
from poinsot.vibration.linear_model.model import linear_model
from poinsot.vibration.linear_model.record import ElasticPart, LinearModel
from poinsot.vibration.mode_derivatives import frequency_derivatives

ROUND_OFF = 1e-12  # of a damping ratio
STRAINED = 0.01  # of ω², from which on springs and beams are named in a mode
PARTS = 6  # springs, beams or bodies in a plot of shares of energy
NEGATIVE = "negative: unstable, grows as exp(2π|f| t)"  # said of frequencies


@dataclass(frozen=True, eq=False)
class Damped(Result):
    """Modes with damping: poles s with (s² M + s D + K) z = 0, each conjugate pair once; k of them."""

    poles: np.ndarray  # (k,) complex  [1/s]
    shapes: np.ndarray  # (n, k) complex, largest entry 1

    _over, _extra = ("mode", "#poles"), {"frequencies": "frequencies", "ratios": "ratios"}
    _columns = {"poles": ("pole", "1/s"), "frequencies": ("frequency", "Hz"), "ratios": ("ratio", "-")}

    def panels(self) -> tuple[Panel, ...]:
        """Damping ratios over frequencies."""
        percent = Curve("damping", self.frequencies, 100 * self.told, style="points")
        return (LinePanel(x="frequency [Hz]", y="damping ratio [%]", curves=(percent,)),)

    @property
    def frequencies(self) -> np.ndarray:
        """Damped frequencies |Im s|/2π (k,), 0 where a motion creeps without swinging  [Hz].

        Modal tests and modal runs have natural ones, |s|/2π, which are larger by 1/√(1 − ζ²).
        """
        return np.abs(np.imag(self.poles)) / (2 * np.pi)

    @property
    def told(self) -> np.ndarray:
        """Damping ratios (k,) without round-off, as they are told."""
        return np.where(np.abs(self.ratios) > ROUND_OFF, self.ratios, 0.0)

    @property
    def ratios(self) -> np.ndarray:
        """Damping ratios −Re s/|s| (k,): 1 creeps, 0 swings for ever, negative grows; 0 for rigid-body motions."""
        size = np.abs(self.poles)
        return np.where(size > 0, -np.real(self.poles) / np.where(size > 0, size, 1.0), 0.0)


@dataclass(frozen=True, eq=False)
class Modes(Result):
    """The modes of a mechanism in one pose, by growing frequency; k modes of n displacements."""

    linear: LinearModel
    values: np.ndarray  # (k,) ω²  [rad²/s²]
    shapes: np.ndarray  # (n, k) mass-normalised
    left: np.ndarray  # (n, k) left eigenvectors, the shapes themselves unless forces follow
    shows_damping: bool = False

    _over, _hidden = ("mode", "#values"), ("linear", "left", "shows_damping")
    _extra = {name: f"linear.{name}" for name in ("formulation", "locked", "forces")} | {
        "mechanism": "linear.mechanism.name",
        **{name: name for name in ("frequencies", "growth", "labels", "strain_energy", "kinetic_energy")},
    }
    _columns = {
        "frequencies": ("frequency", "Hz"),
        "values": ("value", "rad²/s²"),
        "growth": ("growth", "1/s"),
        "labels": ("label", ""),
        "strain_energy": ("strain_energy", "-"),
        "kinetic_energy": ("kinetic_energy", "-"),
    }

    def panels(self) -> tuple[Panel, ...]:
        """Frequencies, and which springs and beams bend, or which bodies move, in each mode."""
        names = tuple(
            f"mode {k + 1}" + (label and f" ({label.split(',')[0]})") for k, label in enumerate(self.labels)
        )
        found = BarPanel(names=names, x="frequency [Hz]", series={"frequency": self.frequencies})
        shares = self.strain_energy or self.kinetic_energy
        words = "strain energy" if self.strain_energy else "kinetic energy"
        largest = sorted(shares, key=lambda part: -float(np.max(np.abs(shares[part]), initial=0.0)))
        shown = {part: 100 * np.real(shares[part]) for part in shares if part in largest[:PARTS]}
        if len(shares) > PARTS:
            shown["others"] = 100 * np.sum([np.real(shares[part]) for part in largest[PARTS:]], axis=0)
        return found, BarPanel(names=names, x=f"share of the {words} [%]", series=shown, stacked=True)

    @cached_property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies (k,) [Hz]; 0.0 for rigid-body motions, −√|ω²|/2π for unstable ones (ω² < 0).

        What has a negative frequency f does not swing: it leaves the pose as exp(2π|f| t), if no damper slows it.
        Flutter swings while it grows, at a positive frequency; `labels` and `growth` tell it.
        """
        swing = np.abs(np.imag(np.sqrt(-self.values.astype(complex))))
        plain = np.sign(np.real(self.values)) * np.sqrt(np.abs(np.real(self.values)))
        return np.where(np.imag(self.values) == 0, plain, swing) / (2 * np.pi)

    @cached_property
    def growth(self) -> np.ndarray:
        """Rate (k,) at which each mode grows by itself, 0 where it does not  [1/s]."""
        return growth_rates(self.values)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What is special about each mode: "rigid-body", "unstable, …", "flutter, …", or nothing."""
        found, without = [], " without damping" * bool(abs(self.linear.D).max() > 0 if len(self.values) else False)
        for value, growth in zip(self.values, self.growth):
            kind = "flutter" if np.imag(value) != 0 else "unstable" if value.real < 0 else ""
            text = f"{kind}, grows at {growth:.4g}/s{without}" if kind else "rigid-body" if value == 0 else ""
            found.append(text)
        return tuple(found)

    def shape(self, k: int) -> dict[str, np.ndarray]:
        """Motion of every body in mode k: displacement of its origin and small turn, world axes (6,)."""
        return {b: self.linear.twist(Frame(b, "")) @ self.shapes[:, k] for b in self.linear.mechanism.bodies}

    @cached_property
    def damped(self) -> Damped:
        """Poles and complex shapes with the dampers of the model."""
        poles, vectors = general_poles(*reduced(self.linear))
        shapes = self.linear.free @ vectors
        largest = np.take_along_axis(shapes, np.argmax(np.abs(shapes), axis=0)[None], axis=0) if shapes.size else 1.0
        return Damped(poles, shapes / largest)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios of the modes with the model's dampers, in the order of `damped`."""
        return self.damped.ratios

    @cached_property
    def participation(self) -> np.ndarray:
        """Momentum of each mode at unit speed (k, 6), along and about x, y, z of the world  [√kg, √kg·m].

        (theory/vibration, eq. 11)
        """
        if self.linear.momentum is None:
            raise PoinsotError(f"the {self.linear.formulation} formulation does not tell the momentum of a motion")
        return (np.asarray(self.linear.momentum) @ self.shapes).T

    @property
    def effective_mass(self) -> np.ndarray:
        """Mass that moves along, and inertia about, each direction in each mode (k, 6)  [kg, kg·m²]."""
        return np.abs(self.participation) ** 2

    @cached_property
    def strain_energy(self) -> dict[str, np.ndarray]:
        """Fraction of the elastic energy of each mode (k,) by spring and beam."""
        energies = {part.name: _energy(self.shapes[part.index], part.K) for part in self.linear.parts}
        total = sum(np.abs(x) for x in energies.values()) if energies else 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return {name: np.where(total > 0, x / total, 0.0) for name, x in energies.items()}

    @cached_property
    def kinetic_energy(self) -> dict[str, np.ndarray]:
        """Fraction of the kinetic energy of each mode (k,) by body; what is missing to 1 is in the drives."""
        found = {
            part.name: _energy(self.shapes[part.index], part.M) for part in self.linear.parts if part.M is not None
        }
        rest = self.linear.mechanism.elements.lumps if self.linear.formulation == "elastic" else {}
        for name, body in {**self.linear.mechanism.bodies, **rest}.items():
            R, J = np.asarray(self.linear.poses[name].R), np.asarray(body.inertia_about_centre(), float)
            V = self.linear.twist(Frame(name, "centre", body.com)) @ self.shapes
            w = R.T @ V[3:]
            found[name] = float(body.mass) * np.sum(np.abs(V[:3]) ** 2, axis=0) + _energy(w, J)
        return found

    def derivatives(self, wrt: Sequence[str] | None = None) -> np.ndarray:
        """∂f/∂p (k, p) [Hz per unit] with respect to named parameters `wrt`, by default all of the mechanism.

        A repeated frequency splits: its derivatives along each parameter are those of its branches, upwards. They are
        NaN where a parameter would leave no equilibrium: gravity, say, where relaxed springs hold the pose.
        """
        names = tuple(self.linear.mechanism.parameters if wrt is None else wrt)
        return frequency_derivatives(self.linear, Solution(self.values, self.shapes, self.left), names)

    def log_sensitivity(self, wrt: Sequence[str] | None = None) -> np.ndarray:
        """∂ln f/∂ln p (k, p): by how many per cent a frequency rises when a parameter does by one."""
        names = tuple(self.linear.mechanism.parameters if wrt is None else wrt)
        p = np.array([self.linear.mechanism.parameters[name].value for name in names])
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.derivatives(names) * p / self.frequencies[:, None]

    def __str__(self) -> str:
        locked = ", ".join(self.linear.locked)
        free = ", ".join(name for name in self.linear.forces if name not in self.linear.locked)
        lines = [
            f"{self.linear.mechanism.name}: {counted(len(self.values), 'mode')}"
            + (f"; actuators locked: {locked}" if locked else "")
            + (f"; actuators free: {free}" if free else "")
        ]
        for k, (frequency, label) in enumerate(zip(self.frequencies, self.labels)):
            lines.append(f"  {k + 1:3d}  {frequency:12.5g} Hz  {label or self._where(k)}")
        lines += [f"  {NEGATIVE}"] if (self.frequencies < 0).any() else []
        if self.shows_damping:
            lines.append("with the model's dampers:")
            for f, ratio in zip(self.damped.frequencies, self.damped.told):
                lines.append(f"       {f:12.5g} Hz  damping ratio {ratio:.4g}")
        return "\n".join(lines)

    def _where(self, k: int) -> str:
        """Which springs and beams bend most, if their strain is what the mode swings by: φᵀ K φ = ω²."""
        parts, x = self.linear.parts, self.shapes[:, [k]]
        strained = sum(_energy(_without_rigid(part, x[part.index]), part.K).item() for part in parts)
        if parts and abs(strained) < STRAINED * abs(self.values[k]):
            return "hardly any strain: gravity, loads or prestress"
        share = sorted(((x[k], name) for name, x in self.strain_energy.items()), reverse=True)[:2]
        return ", ".join(f"{100 * x:.0f} % in {name}" for x, name in share if x > 0.005)


def _without_rigid(part: ElasticPart, x: np.ndarray) -> np.ndarray:
    """Displacements (k, n) of a part without what moves it as a rigid body."""
    return x if part.rigid is None else x - part.rigid @ np.linalg.lstsq(part.rigid, x)[0]


def _energy(x: np.ndarray, K: np.ndarray) -> np.ndarray:
    """xᵀ K x of every column."""
    return np.real(np.einsum("ik,ij,jk->k", x.conj(), K, x))


@one_blas_thread()
def modes(
    mechanism: Mechanism,
    pose: GivenPose = None,
    *,
    n: int | None = None,
    formulation: str | None = None,
    locked: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
    damped: bool = False,
) -> Modes:
    """Natural frequencies and modes of a mechanism at rest: the n lowest, or all.

    `mechanism`; `formulation` "joint", "embedded", "euler" or "rotation-matrix", or "elastic" where there are
    beams; `forces` [N or N·m] of actuators that are not locked, by default those that hold the pose.

    `pose` gives named coordinates, or is a `State` at rest; without it the model's pose is taken, or the equilibrium
    near it. Actuators that are `locked` hold their coordinate: "all", "none", or a list of names; by default all but
    those along whose coordinate a spring acts, and none where nothing could move otherwise. `damped` prints the
    damped modes too, at |Im s|/2π. A negative frequency f is that of an unstable pose, which is left as exp(2π|f| t).

    >>> import poinsot
    >>> poinsot.modes(poinsot.load("three_link"), pose={"phi1": 0, "phi2": 0, "phi3": 0}).frequencies.round(3)
    array([ 16.946,  83.065, 229.157])
    """
    n = None if n is None else count_of(n, "n")
    return modes_of(linear_model(mechanism, pose, formulation=formulation, locked=locked, forces=forces), n, damped)


@one_blas_thread()
def modes_of(linear: LinearModel, n: int | None = None, damped: bool = False) -> Modes:
    """The modes of small motions that are known already."""
    found = eigenmodes(linear, n)
    return Modes(linear, found.values, found.shapes, found.left, damped)
