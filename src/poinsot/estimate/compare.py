"""Compare: the verb that puts several results, or several methods on one study, into one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from poinsot.errors import PoinsotError, listing, one_line
from poinsot.estimate.identify import estimated
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.results.comparison import Comparison, compared
from poinsot.estimate.results.estimate import Estimate
from poinsot.estimate.results.summary import Summary, summary_in, summary_of
from poinsot.estimate.study import Study
from poinsot.estimate.study_file import read_study
from poinsot.model.toml import as_path


def compare(
    results: Estimate | Study | str | Path | Sequence[Any] | Mapping[str, Any],
    methods: Sequence[Any] | None = None,
) -> Comparison:
    """Results side by side: values, standard errors, differences in joint standard errors, residuals, verdicts.

    `results` are two or more: estimates, folders that `Estimate.save` wrote, studies or study files; a table gives
    them names. With `methods`, names or tables as for `identify`, it is one study, estimated by each of them; a
    method that cannot be used there is named with the reason.
    Each result is compared to the first. Errors of results from other samples are independent. Those from the same
    samples are correlated, by as much as the samples count alike in both; folders do not tell that, and the
    difference is then a lower bound.

    >>> import numpy as np, poinsot
    >>> crank, t = poinsot.load("four_bar"), np.linspace(0, 4, 401)
    >>> run = poinsot.inverse_dynamics(crank, {"theta1": poinsot.Fourier(3.14, (0.5, 0.2), (0.1,), 1.2)}, t)
    >>> torque = run.forces["A"] + 0.1 * np.random.default_rng(0).standard_normal(401)
    >>> rec = poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": torque})
    >>> study = poinsot.Study(crank, (poinsot.Run("run", rec),), (poinsot.Unknown("link3.mass"),))
    >>> found = poinsot.compare(study, ["weighted", "robust"])
    >>> found.results, bool(abs(found.difference[0, 1]) < 3)
    (('weighted', 'robust'), True)
    """
    if methods is not None:
        return _by_methods(results, methods)
    given = results if isinstance(results, list | tuple | Mapping) else [results]
    named = given.items() if isinstance(given, Mapping) else ((_name(one), one) for one in given)
    names: list[str] = []
    found = []
    for name, one in named:
        names.append(_other_than(names, str(name)))
        found.append(_summary(one, names[-1]))
    if len(found) < 2:
        raise PoinsotError(
            "a comparison needs two results or more, or one study and methods: compare(study, ['weighted', 'robust'])"
        )
    return compared(found, {})


def _by_methods(given: Any, methods: Any) -> Comparison:
    """One study by several methods, in their order."""
    study = given if isinstance(given, Study) else _study(given)
    chosen = [method_of(one) for one in methods] if isinstance(methods, list | tuple) else []
    if len(chosen) < 2:
        raise PoinsotError("methods to compare are two or more, such as ['weighted', 'robust']")
    found: list[Summary] = []
    refused: dict[str, str] = {}
    for method in chosen:
        name = _other_than([*(s.name for s in found), *refused], method.name)
        try:
            found.append(summary_of(estimated(replace(study, method=method)), name))
        except PoinsotError as error:
            refused[name] = str(error)
    if not found:
        raise PoinsotError(f"no method can be used: {listing([f'{n}: {why}' for n, why in refused.items()], 2)}")
    return compared(found, refused)


def _summary(one: Any, name: str) -> Summary:
    if isinstance(one, Estimate):
        return summary_of(one, name)
    if not isinstance(one, Study) and as_path(one).is_dir():
        return summary_in(as_path(one), name)
    return summary_of(estimated(one if isinstance(one, Study) else _study(one)), name)


def _study(given: Any) -> Study:
    """A study from the path of its file."""
    if isinstance(given, str | Path):
        return read_study(given)
    raise PoinsotError(
        f"results to compare are estimates, folders of estimates, studies or study files, not "
        f"{one_line(repr(given), 40)}"
    )


def _name(one: Any) -> str:
    """What a result is called: by its folder, file or method."""
    if isinstance(one, str | Path):
        return Path(one).resolve().name if Path(one).is_dir() else Path(one).stem
    return one.method if isinstance(one, Estimate) else getattr(one, "name", "")


def _other_than(names: Sequence[str], name: str) -> str:
    """A name that is not taken."""
    more = (f"{name} ({k})" for k in range(2, len(names) + 3))
    return name if name not in names else next(other for other in more if other not in names)
