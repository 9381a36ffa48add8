"""What a folder of an estimate keeps beside values and fits: the study as data, a motion, cost surfaces."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, one_line
from poinsot.estimate.results.surface import CostSurface
from poinsot.estimate.search.problem import Space
from poinsot.estimate.study import Study
from poinsot.system.functions import body_poses
from poinsot.system.system import System

FRAMES = 300  # of a motion
TIMES, POSES = "t [s]", "pose"  # heads of the first column
POSE = ("x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz")
PAIRS = 3  # of unknowns that have a surface
POINTS = 31  # along each of them
WIDE = 4.0  # standard errors to either side
TRIED = 5  # points along each, by which the time of a surface is told
SECONDS = 10.0  # of processors that a surface may take
Surfaces = Callable[..., CostSurface]


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Poses of bodies at n times, or n poses that have nothing between them."""

    t: np.ndarray  # (n,)  [s], or numbers of poses
    position: Mapping[str, np.ndarray]  # by body, origin in the world (n, 3)  [m]
    rotation: Mapping[str, np.ndarray]  # by body, R_WB (n, 3, 3)
    apart: bool = False  # whether they are poses

    @staticmethod
    def of(
        compiled: System, t: np.ndarray, q: np.ndarray, p: np.ndarray, frames: int = FRAMES, apart: bool = False
    ) -> BodyMotion:
        """From coordinates (n, nq) at times (n,), at so many of them; parameters (np,), or (n, np) of every time."""
        at = np.unique(np.linspace(0, len(t) - 1, min(frames, len(t))).astype(int))
        own = p if np.ndim(p) < 2 else np.ascontiguousarray(p[at])
        position, rotation = body_poses(compiled, np.ascontiguousarray(q[at]), own)
        if not all(np.isfinite(part).all() for part in (*position.values(), *rotation.values())):
            raise PoinsotError("the motion is not known everywhere")
        return BodyMotion(t[at], position, rotation, apart)

    def text(self) -> str:
        """As CSV text: origins and quaternions (w first)."""
        from scipy.spatial.transform import Rotation

        heads = [f"{body} {part}" for body in self.position for part in POSE]
        parts = [self.t[:, None]]
        for body, p in self.position.items():
            parts += [p, np.roll(Rotation.from_matrix(self.rotation[body]).as_quat(canonical=True), 1, axis=1)]
        heads = [POSES if self.apart else TIMES, *heads]
        lines = [",".join('"' + head.replace('"', '""') + '"' for head in heads)]
        lines += [",".join(f"{x:.7g}" for x in row) for row in np.concatenate(parts, axis=1)]
        return "\n".join(lines) + "\n"


def texts_of(files: Mapping[str, Callable[[], str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Files that are kept besides, text by name, and why others could not be made: none may cost the estimate."""
    texts, left_out = {}, {}
    for name, make in files.items():
        try:
            text = make()
        except Exception as error:  # whatever it is: the values count for more
            left_out[name] = one_line(str(error) or type(error).__name__)
            continue
        texts |= {name: text} if text else {}
    return texts, left_out


def asked(study: Study, space: Space) -> dict[str, Any]:
    """What a study asks, as data: k unknowns with bounds and priors, runs, method, processing."""
    columns = (space.start, space.lower, space.upper, space.prior, space.deviation)
    keys = ("start", "lower", "upper", "prior", "prior_deviation")
    groups = {one.name: list(one.parameters) for one in study.unknowns if one.parameters}
    unknowns = [
        {"name": name, **dict(zip(keys, map(_number, row))), "parameters": groups.get(name, [])}
        for name, *row in zip(space.names, *columns)
    ]
    return {
        "name": study.name,
        "description": str(study.mechanism.description or ""),
        "problem": study.problem,
        "unknowns": unknowns,
        "known": list(study.steps),
        "channels": list(study.channels),
        "noise": {name: float(x) for name, x in study.noise.items()},
        "choose": list(study.choose),
        "bootstrap": study.bootstrap,
        "seed": study.seed,
        "runs": [
            {"name": run.name, "role": str(run.role), "samples": len(run.part.abscissa), "against": run.against}
            for run in study.runs
        ],
        "modal": [
            {
                "name": run.name,
                "role": str(run.role),
                "pose": {name: float(x) for name, x in run.pose.items()} if isinstance(run.pose, Mapping) else None,
                "frequencies": [_number(f) for f in run.frequencies],
            }
            for run in study.modal
        ],
    }


def _number(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None


def surface_text(
    names: Sequence[str], value: np.ndarray, covariance: np.ndarray, space: Space, surface: Surfaces
) -> str:
    """JSON with the costs about the values (k,), over those pairs of unknowns that are correlated most.

    A surface that would take long is left out, and the reason is kept.
    """
    found, left_out = [], []
    for i, j in _correlated(covariance):
        within = {names[k]: _limits(value[k], covariance[k, k] ** 0.5, space, k) for k in (i, j)}
        try:
            surface(names[i], names[j], 2, within=within)  # what is compiled at the first use
            begin = time.process_time()
            surface(names[i], names[j], TRIED, within=within)
            seconds = (time.process_time() - begin) * (POINTS / TRIED) ** 2
            if seconds > SECONDS:
                left_out.append(f"{names[i]}, {names[j]}: {POINTS}² costs would take {seconds:.0f} s")
                continue
            found.append(surface(names[i], names[j], POINTS, within=within).to_dict())
        except PoinsotError as error:
            left_out.append(f"{names[i]}, {names[j]}: {error}")
    if not found and not left_out:
        return ""
    return json.dumps({"surfaces": found, "left_out": left_out}, ensure_ascii=False) + "\n"


def _correlated(covariance: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of determined unknowns, those correlated most first."""
    spread = np.sqrt(np.diagonal(covariance))
    known = [k for k, s in enumerate(spread) if np.isfinite(s) and s > 0]
    pairs = [(i, j) for i in known for j in known if i < j]
    return sorted(pairs, key=lambda ij: -abs(covariance[ij] / (spread[ij[0]] * spread[ij[1]])))[:PAIRS]


def _limits(value: float, spread: float, space: Space, k: int) -> tuple[float, float]:
    """A few standard errors to either side, within the bounds."""
    return max(value - WIDE * spread, float(space.lower[k])), min(value + WIDE * spread, float(space.upper[k]))
