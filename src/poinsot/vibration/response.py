"""Frequency responses: how far a point moves under a unit force that swings.

    H(ω) = R (K (1 + iη) + iω D − ω² M)⁻¹ Sᵀ        (theory/vibration, eq. 9)

S and R are the rows of inputs and outputs per displacement. Directly, or from modes, with D the model's dampers or
modal damping ratios.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, count_of, counted, one_line, one_or_more_names, require_known, unknown
from poinsot.model.mechanism import Mechanism
from poinsot.model.state import GivenPose
from poinsot.results import Panel, Result
from poinsot.results.pictures import response_panels
from poinsot.spatial.algebra import Numbers
from poinsot.vibration.eigenmodes import DENSE, growth_of, reduced, said_of
from poinsot.vibration.linear_model.model import linear_model
from poinsot.vibration.linear_model.record import LinearModel, place_row
from poinsot.vibration.modes import Modes, modes_of

QUANTITIES = {"receptance": 0, "mobility": 1, "accelerance": 2}  # how often it is differentiated by time


@dataclass(frozen=True, eq=False)
class Response(Result):
    """Frequency response functions of o outputs to i inputs at F frequencies."""

    mechanism: Mechanism
    quantity: str  # "receptance" [m/N …], "mobility" [m/(N·s) …], "accelerance" [m/(N·s²) …]
    frequencies: np.ndarray  # (F,)  [Hz]
    inputs: tuple[str, ...]  # i
    outputs: tuple[str, ...]  # o
    H: np.ndarray  # (F, o, i) complex
    growth: float = 0.0  # of an unstable pose, which is left as exp(growth · t)  [1/s]

    _over = ("frequency", "frequencies")
    _columns = {
        "H": (
            lambda r: [f"{o} / {i}" for o in r.outputs for i in r.inputs],
            lambda r: [r.unit(o, i) for o in r.outputs for i in r.inputs],
        )
    }

    def panels(self) -> tuple[Panel, ...]:
        """Magnitude and phase."""
        pairs = [(o, i) for o in self.outputs for i in self.inputs]
        units = {self.unit(o, i) for o, i in pairs}
        label = f"|{self.quantity}| [{' or '.join(sorted(units))}]"
        return response_panels(self.frequencies, {f"{o} / {i}": self.between(o, i) for o, i in pairs}, label)

    def unit(self, output: str, input: str) -> str:
        """Unit of the response of one output to one input: "m/N", "rad/s²/(N·m)"."""
        moved = "rad" if _turns(output, self.mechanism) else "m"
        pushed = "(N·m)" if _turns(input, self.mechanism) else "N"
        return f"{moved}{('', '/s', '/s²')[QUANTITIES[self.quantity]]}/{pushed}"

    def between(self, output: str, input: str) -> np.ndarray:
        """The response (F,) of one output to one input."""
        require_known("output", [output], self.outputs)
        require_known("input", [input], self.inputs)
        return self.H[:, self.outputs.index(output), self.inputs.index(input)]

    def harmonic(self, forces: Mapping[str, complex]) -> dict[str, np.ndarray]:
        """Complex amplitudes (F,) of every output under forces of given complex amplitudes [N or N·m], all swinging
        together at each frequency."""
        require_known("input", forces, self.inputs)
        amplitude = self.H @ np.array([forces.get(name, 0.0) for name in self.inputs], complex)
        return {name: amplitude[:, k] for k, name in enumerate(self.outputs)}

    def __str__(self) -> str:
        peaks = []
        for o, output in enumerate(self.outputs):
            for i, inp in enumerate(self.inputs):
                at = int(np.argmax(np.abs(self.H[:, o, i])))
                largest = f"{abs(self.H[at, o, i]):.4g} {self.unit(output, inp)}"
                peaks.append(f"  {output} ← {inp}: largest {largest} at {self.frequencies[at]:.5g} Hz")
        span = f"{self.frequencies[0]:g} … {self.frequencies[-1]:g} Hz"
        head = f"{self.quantity} of {self.mechanism.name}, {counted(len(self.frequencies), 'frequency')} {span}"
        return "\n".join([head, *peaks, *said_of(self.growth, "such a response")])


def _turns(place: str, mechanism: Mechanism) -> bool:
    """Whether a place, "platform rx" or a coordinate, is an angle."""
    if place in mechanism.coordinates:
        return mechanism.coordinates[place].unit == "rad"
    return place.split()[-1] in ("rx", "ry", "rz")


@one_blas_thread()
def frf(
    mechanism: Mechanism,
    inputs: str | Sequence[str],
    outputs: str | Sequence[str],
    frequencies: Numbers,
    *,
    pose: GivenPose = None,
    damping: float | Numbers | None = None,
    loss_factor: float = 0.0,
    quantity: str = "receptance",
    n: int | None = None,
    formulation: str | None = None,
    locked: str | Sequence[str] | None = None,
) -> Response:
    """Frequency responses between points and directions, at frequencies [Hz].

    `mechanism` at rest in a `pose` of named coordinates [m or rad]; `inputs` and `outputs` are places;
    `frequencies` (n,) [Hz]; `quantity` is "receptance" [m/N], "mobility" [m/(N·s)] or "accelerance" [1/kg];
    `formulation` and `locked` as for `modes`.

    A place is written "platform.P1 x" (a body or one of its frames; in world axes, x, y, z for forces and
    displacements, rx, ry, rz for moments and turns), or is a coordinate that the model file names. `damping` are
    modal ratios, one for all modes or one each; None takes the model's dampers. `loss_factor` η is structural,
    K (1 + iη). With `n` only the n lowest modes are summed up.

    >>> import poinsot
    >>> three_link = poinsot.load("three_link")
    >>> found = poinsot.frf(three_link, "link3 y", "link3 y", [10.0, 16.9], damping=0.01)
    >>> bool(abs(found.H[1, 0, 0]) > 10 * abs(found.H[0, 0, 0]))
    True
    """
    if not isinstance(quantity, str) or quantity not in QUANTITIES:
        raise PoinsotError(unknown("quantity", quantity, QUANTITIES))
    linear = linear_model(mechanism, pose, formulation=formulation, locked=locked)
    names = [one_or_more_names(inputs, "inputs"), one_or_more_names(outputs, "outputs")]
    if not all(names):
        raise PoinsotError("a frequency response needs at least one input and one output")
    S, R = (np.array([place_row(linear, name) for name in group]) for group in names)
    eta = _numbers(loss_factor, "the loss factor")[0]
    omega = 2 * np.pi * _numbers(frequencies, "frequencies in Hz")
    if n is None and damping is None:
        H = _direct(linear, S, R, omega, eta)
    else:
        ratios = None if damping is None else _numbers(damping, "damping ratios")
        H = _modal(modes_of(linear, None if n is None else count_of(n, "n")), S, R, omega, ratios, eta)
    if not np.isfinite(H).all():
        at = omega[int(np.argmax(~np.isfinite(H).all(axis=(1, 2))))] / (2 * np.pi)
        raise PoinsotError(f"the response at {at:g} Hz is infinite: an undamped mode is there")
    H = H * ((1j * omega) ** QUANTITIES[quantity])[:, None, None]
    return Response(mechanism, quantity, omega / (2 * np.pi), names[0], names[1], H, growth_of(linear))


def _numbers(given: Any, what: str) -> np.ndarray:
    """Finite numbers (n,) that are not negative, from one or a list of them that a user gives."""
    try:
        found = np.atleast_1d(np.asarray(given, float))
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.ndim != 1 or not found.size or not (np.isfinite(found) & (found >= 0)).all():
        raise PoinsotError(f"{what} must be finite and not negative, not {one_line(repr(given), 40)}")
    return found


def _direct(linear: LinearModel, S: np.ndarray, R: np.ndarray, omega: np.ndarray, eta: float) -> np.ndarray:
    """Solve at every frequency."""
    if len(linear.names) > DENSE and linear.basis is None:
        return _direct_sparse(linear, S, R, omega, eta)
    M, D, K = reduced(linear)
    Z = linear.free
    return _solved(M, D, K * (1 + 1j * eta), (S @ Z).T, R @ Z, omega)


def _direct_sparse(linear: LinearModel, S: np.ndarray, R: np.ndarray, omega: np.ndarray, eta: float) -> np.ndarray:
    from scipy.sparse import bmat, csc_matrix
    from scipy.sparse.linalg import splu

    M, D, K, C = (csc_matrix(x) for x in (linear.M, linear.D, linear.K, linear.C))
    right = np.vstack([S.T, np.zeros((linear.C.shape[0], len(S)))]).astype(complex)
    found = []
    for w in omega:
        system = bmat([[K * (1 + 1j * eta) + 1j * w * D - w**2 * M, C.T], [C, None]], format="csc", dtype=complex)
        found.append(R @ splu(system).solve(right)[: len(linear.names)])
    return np.array(found)


def _modal(found: Modes, S: np.ndarray, R: np.ndarray, omega: np.ndarray, ratios: Any, eta: float) -> np.ndarray:
    """Sum up modes: with given ratios each by itself, with the model's dampers coupled by them."""
    right, left, values = found.shapes, found.left, found.values
    if ratios is None:
        D = left.T @ (found.linear.D @ right)
    else:
        if len(ratios) not in (1, len(values)):
            raise PoinsotError(f"{len(ratios)} damping ratios were given for {counted(len(values), 'mode')}")
        D = np.diag(2 * ratios * np.sqrt(np.maximum(np.real(values), 0.0)))
    return _solved(np.eye(len(values)), D, np.diag(values * (1 + 1j * eta)), left.T @ S.T, R @ right, omega)


def _solved(M: Any, D: Any, K: Any, right: np.ndarray, rows: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """rows (K + iωD − ω²M)⁻¹ right at every frequency (F, o, i); infinite where the matrix is singular."""
    found = np.empty((len(omega), len(rows), right.shape[1]), complex)
    for k, w in enumerate(omega):
        try:
            found[k] = rows @ np.linalg.solve(K + 1j * w * D - w**2 * M, right)
        except np.linalg.LinAlgError:
            found[k] = np.inf
    return found
