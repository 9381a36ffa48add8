"""Tasks of design by name: a new one is one package and one line here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from poinsot.errors import PoinsotError, one_line, unknown
from poinsot.experiment.calibration.task import CalibrationTask
from poinsot.experiment.excitation.task import ExcitationTask
from poinsot.experiment.poses.task import PosesTask
from poinsot.experiment.sensors.task import SensorsTask
from poinsot.experiment.study import Task
from poinsot.model.mechanism import Mechanism

TASKS: dict[str, type[Task]] = {task.name: task for task in (CalibrationTask, ExcitationTask, PosesTask, SensorsTask)}


def task_of(given: Any, mechanism: Mechanism, besides: Collection[str] = ()) -> Task:
    """A task from its name, a table with its name ("task") and options, or itself; entries `besides` its table, which
    are none of its options, are told apart from names that do not exist."""
    if isinstance(given, Task):
        return given
    options: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {"task": given}
    name = options.pop("task", None)
    if not isinstance(name, str) or name not in TASKS:
        raise PoinsotError(unknown("task of design", one_line(str(name), 40), TASKS))
    kind = TASKS[name]
    own = [f.name for f in fields(kind)] if is_dataclass(kind) else []
    for option in options:
        if option not in own and option in besides:
            raise PoinsotError(
                f"design of {name}: '{option}' stands at the top of the file, above [design], not in it"
            )
        if option not in own:
            raise PoinsotError(f"design of {name}: {unknown('option', one_line(str(option), 40), own)}")
    return kind.of(options, mechanism)
