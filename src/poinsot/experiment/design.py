"""Design: the verb that finds the experiment which tells the unknowns best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError, one_line, one_or_more_names
from poinsot.estimate.study import noise_of, unknowns_of
from poinsot.experiment.limits import limits_of
from poinsot.experiment.record import Design
from poinsot.experiment.registry import task_of
from poinsot.experiment.study import DesignStudy
from poinsot.experiment.study_file import read_design
from poinsot.model.mechanism import Mechanism


def design(
    study: DesignStudy | Mechanism | str | Path,
    task: Any = None,
    unknowns: Sequence[Any] | Mapping[str, Any] | str | None = None,
    *,
    limits: Mapping[str, Any] | None = None,
    channels: Sequence[str] | str | None = None,
    noise: float | Mapping[str, float] | None = None,
    seed: int = 0,
    dask: str | None = None,
) -> Design:
    """The experiment that tells the unknowns best, within limits, and the standard errors that it will give.

    `study` says all of it (a `DesignStudy`, the path of its file, or the name of one in the library), or is the
    mechanism. `task` is the name of what is looked for, a table with that name ("task") and options, or a task
    (`experiment.registry`). `unknowns`, `channels` and `noise` as for `identify`. `limits` are those of coordinates
    and actuators by name, as in `experiment.limits`: {"phi1": ["-90 deg", "90 deg"], "phi1.rate": 2.0,
    "leg1.force": "200 N"}; one value counts to both sides. `seed` makes random numbers repeatable. `dask` is a
    scheduler ("tcp://…" or "local"); by default threads of this process do the work.
    """
    if isinstance(study, Mechanism):
        return DesignStudy(
            study,
            task_of(task, study),
            unknowns_of(unknowns, study),
            limits_of(limits, study),
            () if channels is None else one_or_more_names(channels, "channels"),
            noise_of(noise),
            (),
            seed,
            "" if dask is None else dask,
            study.name,
        ).solve()
    if any(given is not None for given in (task, unknowns, limits, channels, noise)):
        raise PoinsotError("a study says all of it: give a mechanism to say more in the call")
    if isinstance(study, str | Path):
        study = read_design(study)
    if not isinstance(study, DesignStudy):
        raise PoinsotError(
            f"a design is of a study, the path of its file, or a mechanism, not {one_line(repr(study), 40)}"
        )
    return (study if dask is None else replace(study, dask=dask)).solve()
