"""DesignStudy: what an experiment is to tell, what it may do, and which part of it is looked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar

from poinsot.errors import PoinsotError, one_line
from poinsot.estimate.results.folder import recordings_of
from poinsot.estimate.study import Run, Unknown
from poinsot.experiment.limits import Limit
from poinsot.experiment.record import Design
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.parallel.cluster import one_cluster, scheduler_of


@dataclass(frozen=True, eq=False)
class DesignStudy:
    """An experiment on a mechanism that is to be designed."""

    mechanism: Mechanism
    task: Task
    unknowns: tuple[Unknown, ...] = ()  # what the experiment is to tell; none: as for `identify`
    limits: tuple[Limit, ...] = ()
    channels: tuple[str, ...] = ()  # that can be measured, as for `regressor`; none: the forces of all actuators
    noise: Mapping[str, float] = field(default_factory=dict)  # standard deviation of a sample by channel  [SI]
    runs: tuple[Run, ...] = ()  # earlier recordings, whose information counts
    seed: int = 0  # of everything that is drawn
    dask: str = ""  # scheduler ("tcp://…" or "local"); none: threads of this process
    name: str = "design"
    steps: tuple[str, ...] = ()  # what was done to it, one sentence each
    text: str = ""  # of the file that it comes from

    def __post_init__(self) -> None:
        require_mechanism(self.mechanism)
        if not isinstance(self.task, Task):
            raise PoinsotError(f"the task of a design is one of its tasks, not {one_line(repr(self.task), 40)}")
        if not isinstance(self.seed, Integral) or isinstance(self.seed, bool) or not 0 <= int(self.seed) < 2**63:
            raise PoinsotError(f"a seed is a whole number from 0, not {one_line(repr(self.seed), 40)}")
        scheduler_of(self.dask)

    def solve(self) -> Design:
        """The best experiment within the limits."""
        with one_cluster(self.dask):
            found = self.task.solve(self)
        return replace(found, text=self.text, recordings=recordings_of(self.runs))


class Task(ABC):
    """What of an experiment is looked for; frozen, with its options as fields, one a package."""

    name: ClassVar[str]
    summary: ClassVar[str]  # one line for lists of tasks

    @abstractmethod
    def solve(self, study: DesignStudy) -> Design:
        """The best experiment within the limits."""

    @classmethod
    def of(cls, options: Mapping[str, Any], mechanism: Mechanism) -> Task:
        """The task with options as study files have them; values may be texts with a unit."""
        return cls(**options)
