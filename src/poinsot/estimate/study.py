"""Study: what is asked of recordings of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import combinations
from numbers import Integral, Real
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, by_name, listing, number_of, one_line, one_or_more_names, suggestion, unknown
from poinsot.estimate.closed_loop.controllers import Control, control_of
from poinsot.estimate.modal_run import ModalRun, is_modal, modal_runs
from poinsot.estimate.role import Role
from poinsot.estimate.rows.chain_units import chain_unit
from poinsot.identifiability.linear import linear_parameters
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.parallel.cluster import scheduler_of
from poinsot.recording.recording import Recording

INPUTS = ("linear", "cubic", "held")
FEWEST = 40  # estimates of a bootstrap: with fewer, an interval of 95 % has no ends


@dataclass(frozen=True)
class Unknown:
    """A parameter that is looked for, or several that are one."""

    name: str  # of a parameter of the model file or a linear one, a pattern, or of a group
    parameters: tuple[str, ...] = ()  # of the model file, which share the value: a group
    start: float | None = None  # for iterative methods; None: the model's value  [SI]
    lower: float = -np.inf  # [SI]
    upper: float = np.inf  # [SI]
    prior: float | None = None  # value that is known besides, with its standard deviation  [SI]
    deviation: float | None = None  # of the prior  [SI]
    payload: bool = False  # whether it is what the payload adds, in runs with that role, to a linear parameter

    def admits(self, value: float) -> bool:
        """Whether a value is within the bounds."""
        return self.lower <= value <= self.upper

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise PoinsotError(
                f"the bounds of unknown '{self.name}' are in the wrong order: "
                f"{self.lower:g} is not below {self.upper:g}"
            )
        if (self.prior is None) != (self.deviation is None):
            raise PoinsotError(f"unknown '{self.name}' needs both a prior and its deviation, or neither")


@dataclass(frozen=True, eq=False)
class Run:
    """A recording and what it is for."""

    name: str
    recording: Recording
    role: Role = Role.IDENTIFY
    begin: float = -np.inf  # first and last time that is used  [s]
    end: float = np.inf
    against: str = ""  # name of a run of the same motion: the difference to it is used

    def __post_init__(self) -> None:
        object.__setattr__(self, "role", Role.of(self.role, self.name))
        for side, at in (("begin", self.begin), ("end", self.end)):
            if not isinstance(at, Real) or at != at:
                raise PoinsotError(
                    f"run '{self.name}': {side} must be a time in seconds, not {one_line(repr(at), 40)}"
                )

    @property
    def part(self) -> Recording:
        """The recording between begin and end."""
        whole = np.isinf(self.begin) and np.isinf(self.end)
        return self.recording if whole else self.recording.between(self.begin, self.end)


@dataclass(frozen=True)
class Processing:
    """How recorded motions and forces become rows."""

    method: str = "filter"  # of differentiation: "filter", "fourier" or "spline"
    cutoff: float | Mapping[str, float] | None = (
        None  # of the motion's filter, or by channel; None: from spectra  [Hz]
    )
    period: float | None = None  # of a periodic excitation  [s]
    harmonics: int | None = None
    rate: float | None = None  # at which rows are kept; None: 2.5 times the cut-off  [Hz]
    force_cutoff: float | None = None  # of the filter for channels and regressor; None: that of the motion  [Hz]
    fuse: bool | None = None  # inertial unit and encoders together; None: where a unit was recorded
    apart: float = 0.5  # of a measured natural frequency, beyond which a mode of the model is another one
    robust: bool = False  # whether modes, or poses, that do not fit the others are left out
    inputs: str = "linear"  # forces between samples of a simulation: "linear", "cubic" or "held"
    segment: float | None = None  # of multiple shooting; None: as long as initial states allow  [s]
    continuity: float = 0.01  # of segments, in standard errors of their initial states; infinite: none

    def __post_init__(self) -> None:
        if self.inputs not in INPUTS:
            raise PoinsotError(f"processing: {unknown('kind of inputs', one_line(str(self.inputs), 40), INPUTS)}")
        if self.segment is not None and not self.segment > 0:
            raise PoinsotError(f"processing: a segment lasts longer than 0 s, not {self.segment:g} s")
        if not isinstance(self.continuity, Real) or not self.continuity > 0:
            raise PoinsotError(f"processing: continuity is positive, not {one_line(repr(self.continuity), 40)}")


@dataclass(frozen=True, eq=False)
class Study:
    """A mechanism, its runs, and what is looked for in them."""

    mechanism: Mechanism
    runs: tuple[Run, ...]
    unknowns: tuple[Unknown, ...] = ()  # none: all linear parameters that the model declares
    channels: tuple[str, ...] = ()  # measured channels, as for `regressor`; none: all forces that were recorded
    noise: Mapping[str, float] = field(default_factory=dict)  # standard deviation of a sample by channel  [SI]
    method: Any = None  # None: "weighted" for forces, "trust-region" for all else
    processing: Processing = field(default_factory=Processing)
    name: str = "study"
    steps: tuple[str, ...] = ()  # what was done to it, one sentence each
    control: Control | None = None  # of the drives in all runs, for methods that simulate them
    choose: tuple[str, ...] = ()  # patterns: alternatives that are looked for only if the data supports them
    problem: str = "forces"  # what is explained: measured forces, or another kind (`estimate.problems.registry`)
    modal: tuple[ModalRun, ...] = ()  # measured modes, for the problem "frequencies", which they imply
    dask: str = ""  # scheduler ("tcp://…" or "local") of starts, populations, bootstraps; none: threads
    bootstrap: int = 0  # estimates from drawn noise, for intervals beside the standard errors; 0: none
    seed: int = 0  # of that noise
    text: str = ""  # of the file that it comes from

    def __post_init__(self) -> None:
        require_mechanism(self.mechanism)
        if not isinstance(self.problem, str):
            raise PoinsotError(f"the problem of a study is a name, not {one_line(repr(self.problem), 40)}")
        if self.modal and not self.runs and self.problem == "forces":
            object.__setattr__(self, "problem", "frequencies")
        if not any(run.role is not Role.VALIDATE for run in (*self.runs, *self.modal)):
            raise PoinsotError("a study needs a run to identify from")
        if len({run.name for run in self.modal}) < len(self.modal):
            raise PoinsotError("two modal runs have one name")
        scheduler_of(self.dask)
        for name, least in (("bootstrap", FEWEST), ("seed", 0)):
            _require_count(name, getattr(self, name), least)
        _require_separate(self.runs)
        _require_partners(self.runs, self.control)
        if self.with_roles(Role.PAYLOAD) and not any(one.payload for one in self.unknowns):
            raise PoinsotError(
                f"run '{self.with_roles(Role.PAYLOAD)[0].name}' has a payload, but no unknown is what it adds: "
                '"load.m" = { payload = true }'
            )

    @property
    def bare(self) -> Study:
        """The same without what does not change its values: where work is done, and which intervals are asked for."""
        return replace(self, dask="", bootstrap=0, seed=0, text="")

    @property
    def against(self) -> dict[str, str]:
        """Runs that are taken against others, by name."""
        return {run.name: run.against for run in self.runs if run.against}

    def with_roles(self, *roles: Role) -> tuple[Run, ...]:
        """Runs that have one of the roles."""
        return tuple(run for run in self.runs if run.role in roles)


def _require_count(name: str, value: Any, least: int) -> None:
    """Whole numbers, either 0 or not too few."""
    if not isinstance(value, Integral) or isinstance(value, bool) or not (value == 0 or least <= int(value) < 2**63):
        raise PoinsotError(f"{name} is a whole number, 0 or from {least}, not {one_line(repr(value), 40)}")


def _require_separate(runs: Sequence[Run]) -> None:
    """No sample may be used both to identify and to validate."""
    names = [run.name for run in runs]
    for a, b in combinations(runs, 2):
        if names.count(a.name) > 1:
            raise PoinsotError(f"two runs are called '{a.name}'")
        alike = (a.role is Role.VALIDATE) == (b.role is Role.VALIDATE)
        same = {s.sha256 for s in a.recording.sources} & {s.sha256 for s in b.recording.sources}
        if (same or _same_samples(a.recording, b.recording)) and _overlap(a, b):
            how = "twice" if alike else "to identify and to validate"
            raise PoinsotError(
                f"runs '{a.name}' and '{b.name}' use the same samples {how}: give parts (from, to) that do not "
                "overlap, or other recordings"
            )


def _require_partners(runs: Sequence[Run], control: Control | None) -> None:
    """Runs that are taken against others need them as they are, and no simulation."""
    whole = [run.name for run in runs if not run.against and run.role is not Role.VALIDATE]
    for run in runs:
        if run.against and run.against not in whole:
            raise PoinsotError(f"run '{run.name}' against another: {unknown('identified run', run.against, whole)}")
        if run.against and run.role is Role.VALIDATE:
            raise PoinsotError(f"run '{run.name}' validates: it cannot be taken against '{run.against}'")
        if run.against and control is not None:
            raise PoinsotError(
                f"run '{run.name}' is a difference, and machines under control are simulated in whole runs"
            )


def _same_samples(a: Recording, b: Recording) -> bool:
    """Whether recordings agree in all channels that both have, at all times that both have."""
    if a is b:
        return True
    common = [name for name in a if name in b]
    t, i, j = np.intersect1d(a.abscissa, b.abscissa, return_indices=True)
    return bool(len(t) and common) and all(np.array_equal(a[n][i], b[n][j], equal_nan=True) for n in common)


def _overlap(a: Run, b: Run) -> bool:
    """Whether two runs use a time in common."""
    begin = max(a.begin, b.begin, *(float(run.recording.abscissa[0]) for run in (a, b)))
    return begin < min(a.end, b.end, *(float(run.recording.abscissa[-1]) for run in (a, b)))


def study_of(
    mechanism: Any,
    recording: Any,
    unknowns: Any,
    method: Any,
    *,
    validate: Any = None,
    channels: Sequence[str] | str | None = None,
    noise: float | Mapping[str, float] | None = None,
    processing: Any = None,
    control: Any = None,
    problem: str = "forces",
    choose: Sequence[str] | str | None = None,
    dask: str = "",
    bootstrap: int = 0,
    seed: int = 0,
) -> Study:
    """A study from what one call gives: one recording or several, names or patterns of unknowns."""
    require_mechanism(mechanism)
    runs, modal = [], []
    for data, label, role in ((recording, "run", Role.IDENTIFY), (validate, "validation", Role.VALIDATE)):
        if is_modal(data):
            modal += modal_runs(data, label, mechanism, None if role is Role.IDENTIFY else role)
        else:
            runs += [Run(name, rec, role) for name, rec in _recordings(data, label)]
    return Study(
        mechanism,
        tuple(runs),
        unknowns_of(unknowns, mechanism),
        () if channels is None else one_or_more_names(channels, "channels"),
        noise_of(noise),
        method,
        processing_of(processing),
        mechanism.name,
        control=control_of(control, mechanism),
        problem=problem,
        choose=() if choose is None else one_or_more_names(choose, "choose"),
        modal=tuple(modal),
        dask=dask,
        bootstrap=bootstrap,
        seed=seed,
    )


def _recordings(given: Any, label: str) -> list[tuple[str, Recording]]:
    if given is None:
        return []
    many = given if isinstance(given, Mapping | list | tuple) else [given]
    named = many.items() if isinstance(many, Mapping) else ((f"{label}{k + 1}", rec) for k, rec in enumerate(many))
    found = [(str(name), rec) for name, rec in named]
    for _, rec in found:
        if not isinstance(rec, Recording):
            raise PoinsotError(
                f"parameters are identified from a recording, such as poinsot.read('run.csv'), not from "
                f"{one_line(repr(rec), 40)}"
            )
    return found


def unknowns_of(given: Any, mechanism: Mechanism) -> tuple[Unknown, ...]:
    """Unknowns from names and patterns, or from tables by name; values are SI, or texts with a unit."""
    if given is None:
        return ()
    if isinstance(given, Mapping):
        return tuple(_unknown(str(name), table, mechanism) for name, table in given.items())
    if isinstance(given, list | tuple) and any(isinstance(one, Unknown) for one in given):
        return tuple(one if isinstance(one, Unknown) else Unknown(str(one)) for one in given)
    return tuple(Unknown(name) for name in one_or_more_names(given, "unknowns"))


def processing_of(given: Any) -> Processing:
    """How rows are made, from a record or a table."""
    if given is None or isinstance(given, Processing):
        return given or Processing()
    table, own = by_name(given, "processing is", "{'cutoff': 10.0}"), Processing.__dataclass_fields__
    for key, value in table.items():
        if key not in own:
            raise PoinsotError(f"processing: {unknown('entry', key, own)}")
        if key not in ("method", "fuse", "robust", "inputs", "continuity") and not isinstance(value, Mapping):
            number_of(value, f"processing: {key}")
    return Processing(**table)


FIELDS = ("parameters", "start", "bounds", "prior", "deviation", "payload")


def _unknown(name: str, table: Any, mechanism: Mechanism) -> Unknown:
    if isinstance(table, Unknown):
        return replace(table, name=name)
    if not isinstance(table, Mapping):
        raise PoinsotError(
            f"unknown '{name}' needs a table, such as {{bounds = [0, 10]}}, not {one_line(repr(table), 40)}"
        )
    for key in table:
        if key not in FIELDS:
            raise PoinsotError(f"unknown '{name}': {unknown('entry', key, FIELDS)}")
    bounds = table.get("bounds", (None, None))
    if not isinstance(bounds, list | tuple) or len(bounds) != 2:
        raise PoinsotError(f"the bounds of unknown '{name}' are two values, not {one_line(repr(bounds), 40)}")
    if not isinstance(table.get("payload", False), bool):
        raise PoinsotError(
            f"payload of unknown '{name}' is true or false, not {one_line(repr(table['payload']), 40)}"
        )
    parameters = one_or_more_names(table.get("parameters", ()), "parameters")
    copies = [copy for p in mechanism.parameters.values() for copy in p.copies]
    require_parameters(parameters, mechanism, copies)
    numbers = {key: table.get(key) for key in ("start", "prior", "deviation")}
    given = [value for value in (*bounds, *numbers.values()) if value is not None]
    unit = chain_unit(name, mechanism, given) or (_unit(mechanism, parameters or [name]) if given else "-")
    try:
        return Unknown(
            name,
            parameters,
            lower=-np.inf if bounds[0] is None else as_value(bounds[0], unit, name),
            upper=np.inf if bounds[1] is None else as_value(bounds[1], unit, name),
            payload=table.get("payload") is True,
            **{key: None if value is None else as_value(value, unit, name) for key, value in numbers.items()},
        )
    except PoinsotError:
        if " " not in name:  # else it is of a measuring chain, as "delay A"
            require_parameters(parameters or [name], mechanism, copies)
        raise


def _unit(mechanism: Mechanism, patterns: Sequence[str]) -> str:
    """The one unit of all parameters that are meant, linear ones or else those of the model file."""
    linear = [(p.name, p.unit) for p in linear_parameters(mechanism)]
    several = ""
    for table in (linear, [(n, p.unit) for name, p in mechanism.parameters.items() for n in (name, *p.copies)]):
        found = sorted({unit for name, unit in table for pattern in patterns if fnmatchcase(name, pattern)})
        if len(found) == 1:
            return found[0]
        several = several or ", ".join(found)
    if several:
        raise PoinsotError(f"values for '{patterns[-1]}' would be for parameters of several units: {several}")
    return "-"


def require_parameters(patterns: Sequence[str], mechanism: Mechanism, besides: Sequence[str] = ()) -> None:
    """All names and patterns must have parameters, of the model file or linear ones, or be names `besides`."""
    linear = [p.name for p in linear_parameters(mechanism)]
    names = [*linear, *mechanism.parameters, *besides]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            inertial = [name for name, p in mechanism.parameters.items() if p.role in ("inertia", "force", "elastic")]
            raise PoinsotError(
                f"there is no parameter '{pattern}'{not_written(pattern, mechanism) or suggestion(pattern, names)}; "
                f"there are: {listing(inertial, 24)}, and linear ones: {listing(linear, 24)}"
            )


def not_written(pattern: str, mechanism: Mechanism) -> str:
    """What is called otherwise, or what to add for a parameter that a sensor can have and does not (an offset)."""
    if said := mechanism.parameters.of_copies(pattern):
        return f": it {said}"
    owner, _, name = pattern.rpartition(".")
    sensors = [
        key
        for key, one in mechanism.sensors.items()
        if fnmatchcase(key, owner) and {**one.takes, **one.imperfections}.get(name)
    ]
    return f": add {name} = 0 to sensors.{sensors[0]} in the model file" if sensors else ""


def noise_of(given: float | Mapping[str, float] | None) -> dict[str, float]:
    """Standard deviations by channel or pattern, from one for all or several by name."""
    named = {} if given is None else given if isinstance(given, Mapping) else {"*": given}
    return {
        str(name): number_of(sigma, "the noise of a channel, its standard deviation,")
        for name, sigma in named.items()
    }


def require_channels(missing: Sequence[str], recording: Recording, run: str) -> None:
    """All channels that a study asks for must have been recorded."""
    if missing:
        raise PoinsotError(
            f"run '{run}' has no recording of {listing(missing)}; its channels: {listing(recording.channels)}"
        )
