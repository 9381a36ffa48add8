"""From drawn poses to the best ones: drawing in chunks, refining, the best set, and how given poses compare."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.experiment.criteria import CRITERIA, relative_errors
from poinsot.experiment.exchange import best_set
from poinsot.experiment.poses.assessment import REASONS, Refused
from poinsot.experiment.poses.costs import costs_of, pose_errors
from poinsot.experiment.poses.figures import figures_of
from poinsot.experiment.poses.record import PosesDesign, RankedPose
from poinsot.experiment.poses.refinement import refine
from poinsot.experiment.poses.sampling import REFINING, Sampling, chunk, joined, judge, judged
from poinsot.experiment.poses.space import limit_size
from poinsot.experiment.record import DesignStatus, Prediction
from poinsot.experiment.relaxation import POWERS
from poinsot.experiment.study import DesignStudy
from poinsot.parallel.chunks import over_chunks

_progress = logging.getLogger("poinsot.progress")
OFTEN = 1.0  # between two lines of progress  [s]
APART, SAME = 0.1, 1e-3  # of the width between limits: of starts, and of poses that are one
Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class PoseSearch:
    """What is looked for among poses that can be judged."""

    count: int  # of the set
    refine: bool
    starts: int  # of the local search
    compare: Mapping[str, Mapping[str, float]]  # poses by name  [m or rad]
    at: str  # place of frequency responses


def best_poses(sampling: Sampling, task: PoseSearch, study: DesignStudy, steps: Sequence[str]) -> PosesDesign:
    """The best poses of a sampling."""
    drawn = draw(sampling, study.dask)
    good = np.flatnonzero(drawn["refused"] == Refused.NOT)
    if not len(good):
        raise PoinsotError(_nothing_left(sampling, drawn))
    found, refined = _candidates(sampling, task, drawn, good)
    chosen, efficiency = _chosen(sampling, task, found)
    names = ["best"] if len(chosen) == 1 else [f"best {k + 1}" for k in range(len(chosen))]
    F = sampling.prior.information + np.sum(found["F"][chosen] - sampling.prior.information, axis=0)
    best = _ranked(sampling, {n: found["s"][k] for n, k in zip(names, chosen)}, drawn, together=F)
    given = {n: np.array([pose[c] for c in sampling.space.names]) for n, pose in task.compare.items()}
    compared = _ranked(sampling, given, drawn, min(one.value for one in best)) if given else ()
    errors = relative_errors(F)
    prior = sampling.prior
    return PosesDesign(
        mechanism=sampling.mechanism,
        name=study.name,
        task="poses",
        predictions=tuple(
            map(Prediction, prior.names, prior.units, prior.nominal.tolist(), (errors * prior.size).tolist())
        ),
        criteria={name: float(of(F)) for name, of in CRITERIA.items()},
        limits=sampling.space.reached(found["limited"][chosen]),
        status=DesignStatus.DONE if np.isfinite(errors).all() else DesignStatus.NOT_IDENTIFIABLE,
        steps=(*steps, *_said(sampling, len(good), refined)),
        figures=figures_of(sampling, drawn, (*best, *compared), task.at),
        seed=sampling.seed,
        remarks=(f"frequencies are taken as measured to {sampling.test.deviation}",),
        poses=best,
        compared=compared,
        criterion=sampling.test.criterion,
        rank_correlation=_rank_correlation(
            CRITERIA[sampling.test.criterion](drawn["F"][good]), drawn["interplay"][good]
        ),
        robust_rank_correlation=_rank_correlation(drawn["value"][good], drawn["interplay"][good]),
        tried=sampling.poses,
        sets=sampling.sets,
        refused={text: int(np.sum(drawn["refused"] == reason)) for reason, text in REASONS.items()},
        efficiency=efficiency,
        costs=costs_of(sampling, best, drawn, good),
    )


def draw(sampling: Sampling, dask: str = "", keep: bool = True) -> Columns:
    """All poses that are drawn, judged in chunks: the same numbers on any number of threads, or on a cluster."""
    judge(sampling)  # made before threads ask for it
    what = f"poses: {sampling.poses} × {sampling.sets} parameter sets"
    return joined(over_chunks(chunk, sampling, sampling.chunks, dask=dask, what=what, keep=keep))


def _candidates(sampling: Sampling, task: PoseSearch, drawn: Columns, good: np.ndarray) -> tuple[Columns, float]:
    """Poses that may be chosen: those drawn that are good, and the best of them refined; by how much these gained."""
    order = good[np.argsort(drawn["value"][good], kind="stable")]
    if not task.refine or not np.isfinite(drawn["value"][order[0]]):
        return {name: x[order] for name, x in drawn.items()}, 0.0
    starts = _apart(sampling, drawn["s"][order], task.starts, APART)
    assess, last = judge(sampling).assessor, [monotonic()]

    def told(round_: int, best: float) -> None:
        if monotonic() - last[0] > OFTEN:
            last[0] = monotonic()
            _progress.info(f"poses: refining, round {round_ + 1}, {sampling.test.criterion} {best:.4g}")

    s, values = refine(lambda x: assess(x)[0].value, sampling.space, starts, sampling.rng(REFINING), told)
    s = _apart(sampling, s[np.argsort(values, kind="stable")], task.starts, SAME)
    fine = judged(sampling, s)
    fine = {name: x[fine["refused"] == Refused.NOT] for name, x in fine.items()}
    gain = float(drawn["value"][order[0]] - values.min())
    return joined([fine, {name: x[order] for name, x in drawn.items()}]), gain


def _apart(sampling: Sampling, s: np.ndarray, count: int, least: float) -> np.ndarray:
    """The first of poses s (N, d), and those after it that are not near ones taken before."""
    width, taken = sampling.space.upper - sampling.space.lower, [s[0]]
    for one in s[1 : 50 * count]:
        if len(taken) == count:
            break
        if min(float(np.max(np.abs(one - other) / width)) for other in taken) > least:
            taken.append(one)
    return np.array(taken)


def _chosen(sampling: Sampling, task: PoseSearch, found: Columns) -> tuple[np.ndarray, float]:
    """Numbers of the best pose, or of the best set with its efficiency; by D if the criterion is none of D, A, E."""
    if task.count == 1:
        return np.array([int(np.argmin(found["value"]))]), np.nan
    test = sampling.test
    deviation = np.hypot(test.relative, test.absolute / np.where(found["seen"], found["frequencies"], 1.0))
    rows = found["sensitivity"] / deviation[:, :, None]
    way = test.criterion if test.criterion in POWERS else "D"
    best = best_set(rows, task.count, way, sampling.prior.information, seed=sampling.seed)
    return best.chosen, best.efficiency


def _ranked(
    sampling: Sampling,
    poses: dict[str, np.ndarray],
    drawn: Columns,
    best: float | None = None,
    together: np.ndarray | None = None,
) -> tuple[RankedPose, ...]:
    """Named poses with all that is said of them, and their rank among those drawn; `together` is the information of
    a set."""
    found = judged(sampling, np.array(list(poses.values())))
    least = float(np.min(found["value"])) if best is None else best
    F = found["F"] if together is None else np.broadcast_to(together, found["F"].shape)
    moved = pose_errors(sampling, judge(sampling).assessor, found, F)
    ranked = []
    for k, name in enumerate(poses):
        good, own = found["refused"][k] == Refused.NOT, found["F"][k]
        ranked.append(
            RankedPose(
                name=name,
                pose=dict(zip(sampling.space.names, found["s"][k].tolist())),
                refused=REASONS.get(Refused(int(found["refused"][k])), ""),
                frequencies=found["frequencies"][k],
                seen=found["seen"][k],
                spacing=float(found["spacing"][k]),
                sensitivity=found["sensitivity"][k],
                correlations=found["rho"][k],
                interplay=float(found["interplay"][k]),
                criteria={n: float(of(own)) for n, of in CRITERIA.items()} if good else {},
                value=float(found["value"][k]),
                rank=int(np.sum(drawn["value"] < found["value"][k])) + 1,
                worse=float(found["value"][k] / least),
                errors=relative_errors(own) if good else np.full(len(own), np.nan),
                pose_error=dict(zip(sampling.space.names, moved[k].tolist())),
            )
        )
    return tuple(ranked)


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's ρ of values (N,), those that are infinite left out."""
    from scipy.stats import rankdata

    finite = np.isfinite(a) & np.isfinite(b)
    if np.sum(finite) < 3:
        return np.nan
    x, y = (rankdata(v[finite]) for v in (a, b))
    with np.errstate(invalid="ignore"):
        return float(np.corrcoef(x, y)[0, 1])


def _said(sampling: Sampling, good: int, gain: float) -> list[str]:
    kind = (
        "matrices once for all parameter sets" if judge(sampling).assessor.matrices.affine else "matrices of its own"
    )
    said = [f"{sampling.poses} poses were drawn, {good} of which may be tried; each has {kind}"]
    return said + ([f"a local search lowered the criterion by {gain:.3g}"] if gain > 0 else [])


def _nothing_left(sampling: Sampling, drawn: Columns) -> str:
    """Why no pose may be tried: which limit binds, and by how much."""
    numbers = {reason: int(np.sum(drawn["refused"] == reason)) for reason in REASONS}
    reason = max(numbers, key=lambda r: numbers[r])
    said = f"no pose within the limits can be tried: of {sampling.poses}, " + ", ".join(
        f"{n} are {REASONS[r]}" for r, n in numbers.items() if n
    )
    where = drawn["refused"] == reason
    if reason is Refused.BEYOND_LIMIT:
        excess = sampling.space.excess(drawn["limited"][where])
        relative = excess / [limit_size(limit) for limit in sampling.space.limits]
        nearest = int(np.argmin(relative.max(axis=1)))
        worst = int(np.argmax(relative[nearest]))
        limit, least = sampling.space.limits[worst], excess[nearest, worst]
        if not np.isfinite(least):
            return f"{said}; the actuators hold none of them"
        return f"{said}; '{limit.name}' is violated by {least:.3g} {limit.unit} in the nearest one"
    if reason is Refused.TOO_CLOSE:
        widest = float(np.max(drawn["spacing"][where]))
        return f"{said}; the spacing asked for is {sampling.test.spacing:.3g}, and none is above {widest:.3g}"
    return said
