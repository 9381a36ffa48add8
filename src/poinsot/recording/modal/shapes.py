"""Mode shapes at the points of a test: their scale, how complex they are, and how they pair with a model's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poinsot.results import Curve, FieldPanel, LinePanel, Panel, Result
from poinsot.vibration.mode_pairs import Pairing

__all__ = ["ModalComparison", "complexity", "scaled"]


def scaled(psi: np.ndarray) -> np.ndarray:
    """Shapes (p, k) with 1 as their largest entry."""
    largest = np.take_along_axis(psi, np.argmax(np.abs(psi), axis=0)[None], axis=0)
    return psi / np.where(largest == 0, 1.0, largest)


def complexity(psi: np.ndarray) -> np.ndarray:
    """Modal complexity factor (k,) of shapes (p, k): 0 where all points move in phase or against it, 1 at most.

    (theory/modal-tests, eq. 14)
    """
    x, y = np.real(psi), np.imag(psi)
    xx, yy, xy = (np.sum(a * b, axis=0) for a, b in ((x, x), (y, y), (x, y)))
    total = (xx + yy) ** 2
    return 1 - ((xx - yy) ** 2 + 4 * xy**2) / np.where(total > 0, total, 1.0)


@dataclass(frozen=True, eq=False)
class ModalComparison(Result):
    """Modes of a test beside those of a model, paired by MAC at the points of the test."""

    frequencies: np.ndarray  # (k,) of the test  [Hz]
    deviations: np.ndarray  # (k,) standard errors  [Hz]
    model_frequencies: np.ndarray  # (m,)  [Hz]
    table: np.ndarray  # (k, m) MAC
    pairing: Pairing  # model mode of every mode of the test
    unseen: tuple[int, ...]  # modes of the model in the band that the test did not show
    lacking: tuple[int, ...]  # modes of the test that the model lacks

    _over = ("mode", "#frequencies")
    _columns = {
        "frequencies": ("frequency", "Hz"),
        "deviations": ("frequency.deviation", "Hz"),
        "partners": ("model.frequency", "Hz"),
        "pairing.mac": ("mac", "-"),
    }

    @property
    def partners(self) -> np.ndarray:
        """Frequencies of the model's modes that are paired (k,), NaN where it lacks one  [Hz]."""
        found = self.pairing.index
        return np.array([np.nan if a in self.lacking else self.model_frequencies[b] for a, b in enumerate(found)])

    def panels(self) -> tuple[Panel, ...]:
        """Frequencies of both, and the MAC of every pair."""
        tested = Curve("test", np.arange(1, len(self.frequencies) + 1), self.frequencies, self.deviations, "points")
        model = Curve("model", tested.x, self.partners, style="crosses")
        rows, columns = ([f"{k + 1}" for k in range(n)] for n in self.table.shape)
        return (
            LinePanel(x="mode of the test", y="frequency [Hz]", curves=(tested, model)),
            FieldPanel(
                x="mode of the model",
                y="mode of the test",
                across=columns,
                upwards=rows,
                values=self.table.T,
                label="MAC [-]",
            ),
        )

    def __str__(self) -> str:
        lines = ["mode   test [Hz]          model [Hz]  difference     MAC"]
        for a, (b, mac) in enumerate(zip(self.pairing.index, self.pairing.mac)):
            measured = f"{a + 1:3d} {self.frequencies[a]:11.5g} ± {self.deviations[a]:<8.2g}"
            if a in self.lacking:
                lines.append(f"{measured}  the model has no such mode")
                continue
            f = self.model_frequencies[b]
            lines.append(f"{measured} {f:11.5g} {100 * (f / self.frequencies[a] - 1):9.3g} % {mac:8.3f}")
        lines += [
            f"    not seen in the test: model mode {b + 1}, {self.model_frequencies[b]:.5g} Hz" for b in self.unseen
        ]
        return "\n".join(lines)
