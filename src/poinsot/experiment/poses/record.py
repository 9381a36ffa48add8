"""PosesDesign: poses for a modal test, and how other poses compare with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poinsot.errors import counted
from poinsot.estimate.results.text import in_columns
from poinsot.experiment.record import Design
from poinsot.results import Curve, LinePanel, Panel
from poinsot.results.pictures import matrix_panel


@dataclass(frozen=True, eq=False)
class RankedPose:
    """A pose, what a modal test there tells of k unknowns by m frequencies, and its rank among those tried."""

    name: str
    pose: Mapping[str, float]  # [m or rad]
    refused: str  # why the pose may not be tried; empty: it may
    frequencies: np.ndarray  # (m,) [Hz]
    seen: np.ndarray  # (m,) whether the test measures it
    spacing: float  # least distance of a measured frequency to its neighbours, as a part of it
    sensitivity: np.ndarray  # (m, k) ∂ln f/∂ln p
    correlations: np.ndarray  # (m, k) ρ(f_i, p_m) over the parameter sets
    interplay: float  # of the correlations: 0 where every unknown has a frequency of its own
    criteria: Mapping[str, float]  # at the model's parameters
    value: float  # of the criterion asked for, over the parameter sets if it is robust
    rank: int  # 1: none that was drawn is better
    worse: float  # how many times the criterion is that of the best one
    errors: np.ndarray  # (k,) predicted relative standard errors, NaN where not told
    pose_error: Mapping[str, float]  # largest relative change of an unknown, per radian or metre of each coordinate

    def __str__(self) -> str:
        f = ", ".join(f"{x:.4g}" for x in self.frequencies[self.seen])
        return f"{self.name}: {', '.join(_place(n, x) for n, x in self.pose.items())}; {f} Hz"


def _place(name: str, x: float) -> str:
    return f"{name} {x:.6g}"


@dataclass(frozen=True, eq=False, kw_only=True)
class PosesDesign(Design):
    """Poses in which natural frequencies tell the unknowns best."""

    poses: tuple[RankedPose, ...]  # the best one, or the best set
    compared: tuple[RankedPose, ...]
    criterion: str  # asked for
    rank_correlation: float  # Spearman's, of the criterion at the model's parameters with that of the correlations
    robust_rank_correlation: float  # the same of the criterion over parameter sets
    tried: int  # poses drawn
    sets: int  # parameter sets
    refused: Mapping[str, int]  # poses drawn by reason
    efficiency: float  # of a set, relative to a bound that no set passes; NaN for one pose
    costs: tuple[str, ...]  # what the best pose costs, in sentences

    def panels(self) -> tuple[Panel, ...]:
        """Correlations in the best pose, all poses by criterion and interplay, and what the design predicts."""
        rho = self.best.correlations
        modes, unknowns = [f"f{i + 1}" for i in range(len(rho))], [p.name for p in self.predictions]
        title = f"correlations, {self.best.name}"
        found: list[Panel] = [matrix_panel(modes, unknowns, rho, "correlation ρ [-]", limit=1.0, title=title)]
        cloud = self.figures.get("cloud", {})
        x, y = "interplay of correlations [-]", self.criterion
        if x in cloud and y in cloud:
            marked = [Curve("poses", cloud[x], cloud[y], style="points")]
            marked += [
                Curve(f"{one.name}, rank {one.rank}", [one.interplay], [one.value], style="points")
                for one in (*self.poses[:1], *self.compared)
            ]
            found.append(LinePanel(x=x, y=f"{y} [-]", curves=tuple(marked), log="y", title="poses tried"))
        return (*found, *super().panels())

    @property
    def best(self) -> RankedPose:
        """The best pose, or the first of the set."""
        return self.poses[0]

    @property
    def _found(self) -> tuple[str, ...]:
        lines = [f"{counted(self.tried, 'pose')} × {self.sets} parameter sets" + "".join(_refused(self.refused))]
        lines += [str(one) for one in self.poses]
        if np.isfinite(self.efficiency):
            lines.append(f"this set has at least {self.efficiency:.1%} of the information of the best one")
        lines += list(self.costs)
        table = [("pose", "rank", self.criterion, "robust", "interplay of correlations", "closest modes")]
        for one in (*self.poses, *self.compared):
            said = one.refused or (f"{one.spacing:.0%} apart" if np.isfinite(one.spacing) else "one mode")
            nominal = f"{one.criteria.get(self.criterion, np.nan):.4g}"
            table.append((one.name, f"{one.rank}", nominal, f"{one.value:.4g}", f"{one.interplay:.3g}", said))
        lines += in_columns(table)
        if np.isfinite(self.rank_correlation):
            ranks = f"{self.rank_correlation:.3f}, robust {self.robust_rank_correlation:.3f}"
            lines.append(f"rank correlation of {self.criterion} with the interplay of correlations: {ranks}")
        return tuple(lines)


def _refused(counts: Mapping[str, int]) -> list[str]:
    return [f"; {count} {reason}" for reason, count in counts.items() if count]
