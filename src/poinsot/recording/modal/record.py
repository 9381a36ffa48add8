"""ModalTest: natural frequencies, damping and shapes from a modal test, with what is known about their errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from poinsot.errors import PoinsotError, counted, listing
from poinsot.model.mechanism import Mechanism
from poinsot.recording.finding import Finding
from poinsot.recording.modal.points import MeasurementPoint, point_rows
from poinsot.recording.modal.response import FrequencyResponse
from poinsot.recording.modal.shapes import ModalComparison, complexity, scaled
from poinsot.recording.modal.stabilisation import StabilisationChart, frequency_of, ratio_of
from poinsot.results import Curve, LinePanel, Panel, Result
from poinsot.vibration.mode_pairs import Pairing, mac, pair
from poinsot.vibration.modes import Modes, modes

__all__ = ["ModalTest", "TestStatus", "errors_of"]

SEEN = 0.5  # MAC of a pair that counts as one mode
STILL = 1e-6  # of the largest motion of the points: a mode that moves them less is not seen
ACROSS = 0.3  # of the frequency: modes of a pair may differ by so much


class TestStatus(StrEnum):
    """How a modal test ended. The value says what to do next; empty means success."""

    FOUND = ""
    UNRESOLVED = "The damping of some modes is at the resolution limit: record for longer, without a taper."
    POOR = "The sum of modes fits worse than the noise allows: look at the findings, choose another band or n."
    NOTHING = "No stable poles: choose another band, look at the coherence, or give frequencies."

    __test__ = False  # for pytest


@dataclass(frozen=True, eq=False)
class ModalTest(Result):
    """k modes at p points of a mechanism."""

    poles: np.ndarray  # (k,) by growing frequency  [1/s]
    psi: np.ndarray  # (p, k) complex, as the fit scales them
    participation: np.ndarray  # (r, k) of the references
    points: tuple[MeasurementPoint, ...]  # p
    references: tuple[MeasurementPoint, ...]  # r
    deviations: np.ndarray  # (k, 2) standard errors of frequency [Hz] and damping ratio [-]
    evidence: Mapping[str, np.ndarray]  # the same by source: "noise", "points", "repeats", "scatter", "lines"
    resolved: np.ndarray  # (k,) whether the lines resolve the damping
    response: FrequencyResponse | None  # in the band; None for responses alone
    model: np.ndarray | None  # (n, p, r) responses of the fit
    chart: StabilisationChart | None
    band: tuple[float, float]  # [Hz]
    findings: tuple[Finding, ...] = ()
    status: TestStatus = TestStatus.FOUND
    steps: tuple[str, ...] = field(default=())
    shape_deviations: np.ndarray | None = None  # (p, k) of |error of shapes|; None if not known

    _over, _hidden = ("mode", "#poles"), ("response", "model", "chart")
    _extra = {"frequencies": "frequencies", "damping": "damping"}
    _columns = {
        "frequencies": ("frequency", "Hz"),
        "damping": ("damping", "-"),
        "deviations": ("frequency.deviation damping.deviation", "Hz -"),
        "complexity": ("complexity", "-"),
    }

    def panels(self) -> tuple[Panel, ...]:
        """The stabilisation chart, the responses beside those of the fit, and damping with standard errors."""
        marks = {f"{f:.4g}": float(f) for f in self.frequencies}
        found: list[Panel] = []
        if self.chart is not None:
            found.append(_chart_panel(self.chart, marks))
        if self.response is not None and self.model is not None:
            x = self.response.frequency
            total = [np.sqrt(np.sum(np.abs(H) ** 2, axis=(1, 2))) for H in (self.response.H, self.model)]
            curves = (Curve("measured", x, total[0]), Curve("sum of modes", x, total[1], style="dashed"))
            label = f"root of the sum of |H|² [{self.response.unit}]"
            found.append(LinePanel(x="frequency [Hz]", y=label, curves=curves, log="y", marks=marks))
        ratios = Curve("damping", self.frequencies, 100 * self.damping, 100 * self.deviations[:, 1], style="points")
        return (*found, LinePanel(x="frequency [Hz]", y="damping ratio [%]", curves=(ratios,)))

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies |p|/2π (k,)  [Hz]."""
        return frequency_of(self.poles)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios (k,)  [-]."""
        return ratio_of(self.poles)

    @property
    def shapes(self) -> np.ndarray:
        """Shapes (p, k), complex, with 1 as the largest entry."""
        return scaled(self.psi)

    @property
    def complexity(self) -> np.ndarray:
        """0 for shapes whose points move in phase, up to 1 (k,)  [-]."""
        return complexity(self.psi)

    def compare(
        self,
        model: Mechanism | Modes,
        pose: Mapping[str, float] | None = None,
        *,
        formulation: str | None = None,
        locked: str | Sequence[str] | None = None,
    ) -> ModalComparison:
        """Modes of a model, or of a mechanism in a pose, beside those of the test, paired by MAC at its points."""
        if isinstance(model, Mechanism):
            model = modes(model, pose, formulation=formulation, locked=locked)
        if len(self.points) < 2:
            raise PoinsotError("shapes are compared at two points or more")
        shown = point_rows(model.linear, self.points) @ model.shapes
        size = np.linalg.norm(shown, axis=0)
        band, f = self.band, model.frequencies
        moving = size > STILL * size.max(initial=0.0)
        near = moving & (f > (1 - ACROSS) * band[0]) & (f < (1 + ACROSS) * band[-1])
        table = np.zeros((len(self.poles), len(f)))
        table[:, moving] = mac(self.psi, shown[:, moving])
        found = pair(self.psi, shown[:, near])
        index = np.where(found.index >= 0, np.append(np.flatnonzero(near), -1)[found.index], -1)
        off = np.abs(self.frequencies / np.where(index >= 0, f[index], np.inf) - 1)
        good = (index >= 0) & (found.mac >= SEEN) & (off < ACROSS)
        unseen = tuple(int(b) for b in np.flatnonzero((f > band[0]) & (f < band[-1])) if b not in index[good])
        lacking = tuple(int(a) for a in np.flatnonzero(~good))
        pairing = Pairing(index, found.mac)
        return ModalComparison(self.frequencies, self.deviations[:, 0], f, table, pairing, unseen, lacking)

    def __str__(self) -> str:
        band = f"{self.band[0]:.5g} … {self.band[1]:.5g} Hz"
        k = len(self.poles)
        from_where = f"from {listing(map(str, self.references))}" if self.references else "under unknown forces"
        lines = [f"{counted(k, 'mode')} in {band} at {counted(len(self.points), 'point')} {from_where}"]
        for r in range(k):
            (df, dz), limit = self.deviations[r], "" if self.resolved[r] else "  at the resolution limit"
            lines.append(
                f"  {r + 1:3d}  {self.frequencies[r]:10.6g} ± {df:<8.2g} Hz  damping {100 * self.damping[r]:.4g} "
                f"± {100 * dz:.2g} %  complexity {self.complexity[r]:.3f}{limit}"
            )
        lines += [f"  {finding}" for finding in self.findings]
        return "\n".join([*lines, *([self.status.value] if self.status else [])])


def _chart_panel(chart: StabilisationChart, marks: Mapping[str, float]) -> LinePanel:
    """Orders of poles over frequency: stable in all, in frequency alone, or not."""
    kinds = {
        "stable": chart.stable,
        "stable frequency": chart.stable_frequency & ~chart.stable,
        "not stable": ~chart.stable_frequency,
    }
    styles = ("points", "crosses", "faint")
    curves = tuple(
        Curve(name, chart.frequency[which], chart.order[which], style=style)
        for style, (name, which) in zip(styles, kinds.items())
    )
    return LinePanel(
        x="frequency [Hz]", y="order of the model [-]", curves=curves, marks=marks, title="stabilisation"
    )


def errors_of(poles: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Standard errors (k, 2) of |p|/2π [Hz] and −Re p/|p| from the covariance (2k, 2k) of Re p₁, Im p₁ …"""
    found = []
    for r, p in enumerate(poles):
        size = abs(p)
        J = np.array([[p.real / size, p.imag / size], [-(p.imag**2) / size**3, p.real * p.imag / size**3]])
        J[0] /= 2 * np.pi
        C = J @ covariance[2 * r : 2 * r + 2, 2 * r : 2 * r + 2] @ J.T
        found.append(np.sqrt(np.maximum(np.diag(C), 0.0)))
    return np.array(found).reshape(len(poles), 2)
