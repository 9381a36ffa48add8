"""Slots: every place in a model file where a physical number stands becomes a parameter or an expression."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from poinsot.errors import unknown
from poinsot.model.build.complaints import complaint
from poinsot.model.build.scope import ModelError, Scope, errors_at
from poinsot.model.entries import NAME
from poinsot.model.quantities.dimensions import dimension_of, fits, in_hertz, turns_of, unit_dimension, unit_turns
from poinsot.model.quantities.expressions import (
    Call,
    Constant,
    Expression,
    Name,
    finite,
    names,
    parse,
    quantity,
    renamed,
    written,
)
from poinsot.model.quantities.parameters import ExpressionLimit, Parameter, Parameters, in_order
from poinsot.model.quantities.units import dimension_text, expected, in_place, parse_unit, same_dimension
from poinsot.model.schema import GroupSpec, ParameterSpec

_SPEC_KEYS = {"value", "unit", "bounds", "description"}


@dataclass
class Slots:
    """Collects parameters while a mechanism is built; the only thing here that changes."""

    entries: dict[str, Parameter] = field(default_factory=dict)
    derived: dict[str, Expression] = field(default_factory=dict)
    notes: dict[str, tuple[tuple, ParameterSpec]] = field(default_factory=dict)  # more about parameters made later
    uses: list[tuple[tuple, str, Scope]] = field(default_factory=list)
    declared: dict[str, tuple] = field(default_factory=dict)  # where the file names a parameter itself
    expressions: list[tuple[tuple, Expression, str | None]] = field(default_factory=list)  # and the unit of its place
    limits: list[tuple[tuple, ExpressionLimit]] = field(default_factory=list)  # of what expressions give

    def declare(self, scope: Scope) -> None:
        """Take the parameters that a file names itself."""
        seen: set[str] = set()
        for name, path, spec in _flatten(scope.group.parameters, (*scope.path, "parameters")):
            full = scope.parameter(name)
            if name in seen:
                raise ModelError(path, f"the parameter '{full}' is given twice")
            seen.add(name)
            if spec.value is None:
                self.notes[full] = (path, spec)
                continue
            if full in self.entries or full in self.derived:
                continue  # a second copy that shares it
            self._declare(scope, full, path, spec)

    def _declare(self, scope: Scope, full: str, path: tuple, spec: ParameterSpec) -> None:
        unit = spec.unit or "-"
        with errors_at((*path, "unit")):
            factor = parse_unit(unit).factor
        if factor != 1:
            where = (*path[:-1], "unit") if path[-1] == "value" else (*path, "unit")
            raise ModelError(where, f"expected an SI unit, got '{unit}': write value = \"… {unit}\" instead")
        expression = self.number(scope, path, spec.value, unit if spec.unit else None)
        if not isinstance(expression, Constant):
            self.derived[full] = expression
            if spec.bounds is not None:
                self.limits.append((path, ExpressionLimit(full, expression, unit, *self._bounds(path, spec, unit))))
            return
        read = quantity(spec.value) if isinstance(spec.value, str) else None
        if read and not spec.unit and read[1].text != "1":
            unit = dimension_text(read[1].dimension)
        parameter = Parameter(full, expression.value, unit, description=spec.description, source=path)
        self.entries[full] = self._with_note(parameter, path, spec)
        self.declared[full] = path

    def number(self, scope: Scope, path: tuple, value: Any, unit: str | None) -> Expression:
        """Read a number, a quantity or an expression; names in it are resolved when all are known."""
        if isinstance(value, float | int):
            return Constant(float(value))
        value = scope.fill(value, path)
        read = quantity(value)
        if read is not None:
            if not abs(read[0]) < float("inf"):
                raise ModelError(path, f"expected a finite number, got '{value}'")
            if unit is None:
                return Constant(read[0])
            number = in_place(*read, unit)
            if number is None:
                raise ModelError(path, expected(unit, value, read[1]))
            return Constant(number)
        with errors_at(path):
            expression = parse(value)

        def later(name: str) -> str:
            """Remember a name for `finish`; marked with the index of its use."""
            self.uses.append((path, name, scope))
            return f"?{len(self.uses) - 1}"

        expression = renamed(expression, later)
        self.expressions.append((path, expression, unit))
        return expression

    def slot(
        self,
        scope: Scope,
        path: tuple,
        name: str,
        value: Any,
        unit: str,
        role: str,
        lower: float = float("-inf"),
        shared_as: str | None = None,
        firm: bool = True,
    ) -> Expression:
        """Make the parameter `name` from a number in a file, or take the expression that stands there.

        `lower` is the least value; one that is not firm holds only where the file gives no bounds.
        """
        expression = self.number(scope, path, value, unit)
        given = isinstance(value, str) and "{" in value  # by an argument: every copy has its own
        full = scope.prefix + name if given else scope.parameter(name, shared_as)
        if not isinstance(expression, Constant):
            self._limit(path, full, expression, unit, lower, firm)
            return expression
        source = path if scope.owns(name) and not given else None
        parameter = Parameter(full, expression.value, unit, lower=lower, role=role, source=source)
        known = self.entries.get(full)
        if full in self.derived or (known and not scope.prefix):
            raise ModelError(path, f"the parameter '{full}' is given twice")
        if known and full in self.declared:  # the value of a copy, or of all, stands among the named parameters
            parameter = self._overridden(parameter, known, firm)
        elif known and known.value != parameter.value:
            values = f"{known.value:g} and {parameter.value:g} {unit}"
            raise ModelError(path, f"'{full}' is shared but given the values {values}: make it separate")
        elif parameter.value < lower and (firm or not self._bounded(full)):
            raise ModelError(path, _too_small(parameter.value, lower, unit, firm))
        if scope.prefix and full != scope.prefix + name:
            parameter = replace(parameter, copies=(*(known.copies if known else ()), scope.prefix + name))
        if full in self.notes:
            noted = self._with_note(parameter, *self.notes[full])
            parameter = replace(noted, lower=max(noted.lower, parameter.lower)) if firm else noted
        self.entries[full] = parameter
        return Name(full)

    def _bounded(self, name: str) -> bool:
        return name in self.notes and self.notes[name][1].bounds is not None

    def _limit(self, path: tuple, name: str, expression: Expression, unit: str, lower: float, firm: bool) -> None:
        """Remember what an expression must stay within, as its place in the file and the file's bounds say."""
        low, high = lower, float("inf")
        if self._bounded(name):
            low, high = self._bounds(*self.notes[name], unit)
            low = max(low, lower) if firm else low
        if (low, high) != (float("-inf"), float("inf")) or name in self.notes:
            self.limits.append((path, ExpressionLimit(name, expression, unit, low, high)))

    def _overridden(self, parameter: Parameter, declared: Parameter, firm: bool) -> Parameter:
        """The parameter of a copy with the value, bounds and description that the file gives it by its full name."""
        path, unit = self.declared[declared.name], parameter.unit
        if declared.unit != "-" and not same_dimension(parse_unit(declared.unit), parse_unit(unit)):
            raise ModelError(path, f"expected a quantity in {unit}, got one in {declared.unit}")
        bounded = not firm and declared.lower > float("-inf")
        lower = declared.lower if bounded else max(declared.lower, parameter.lower)
        if declared.value < lower:
            raise ModelError(path, _too_small(declared.value, lower, unit, firm))
        return replace(declared, unit=unit, role=parameter.role, lower=lower)

    def _bounds(self, path: tuple, spec: ParameterSpec, unit: str) -> tuple[float, float]:
        low, high = (self._bound((*path, "bounds", i), b, unit) for i, b in enumerate(spec.bounds or ()))
        if low > high:
            raise ModelError((*path, "bounds"), f"the lower bound {low:g} is above the upper bound {high:g}")
        return low, high

    def _with_note(self, parameter: Parameter, path: tuple, spec: ParameterSpec) -> Parameter:
        if spec.bounds is not None:
            low, high = self._bounds(path, spec, parameter.unit)
            parameter = replace(parameter, lower=low, upper=high)
        parameter = replace(parameter, description=spec.description or parameter.description)
        with errors_at(path):
            parameter.check()
        return parameter

    def _bound(self, path: tuple, value: Any, unit: str) -> float:
        if value in ("inf", "-inf"):
            return float(value)
        expression = self.number(Scope(GroupSpec()), path, value, unit)
        if not isinstance(expression, Constant):
            raise ModelError(path, f"expected a number, got '{value}'")
        return expression.value

    def finish(self) -> tuple[Parameters, dict[str, str]]:
        """Resolve every name that an expression uses; returns the parameters and marks → full names."""
        limited = {limit.name for _, limit in self.limits}
        for name, (path, _) in self.notes.items():
            if name not in self.entries and name not in limited:
                raise ModelError(path, unknown("parameter", name, self.entries))
        known = {**self.entries, **self.derived}
        marks = {f"?{i}": self._resolve(path, name, scope, known) for i, (path, name, scope) in enumerate(self.uses)}

        def resolved(expression: Expression) -> Expression:
            return renamed(expression, marks.__getitem__)

        derived = in_order({name: resolved(e) for name, e in self.derived.items()})
        self._check_dimensions([(path, resolved(e), unit) for path, e, unit in self.expressions], derived)
        limits = [(path, replace(limit, expression=resolved(limit.expression))) for path, limit in self.limits]
        parameters = Parameters(self._own_sources(), derived, tuple(limit for _, limit in limits))
        values = {name: parameter.value for name, parameter in self.entries.items()}
        for name, expression in parameters.derived.items():
            with errors_at(("parameters", name)):
                values[name] = finite(expression, values)
        for path, limit in limits:
            with errors_at(path):
                limit.check(finite(limit.expression, values))
        return parameters, marks

    def _check_dimensions(self, found: list[tuple[tuple, Expression, str | None]], derived: dict) -> None:
        """Every expression must make sense in the units of its parameters, and be in the unit of its place."""
        known = {name: unit_dimension(parameter.unit) for name, parameter in self.entries.items()}
        turns = {name: unit_turns(parameter.unit) for name, parameter in self.entries.items()}
        for name, expression in derived.items():
            turns[name] = turns_of(expression, turns)
            with errors_at(("parameters", name)):
                known[name] = dimension_of(expression, known)
        for path, expression, unit in found:
            with errors_at(path):
                dimension = dimension_of(expression, known)
            if unit is not None and in_hertz(turns_of(expression, turns), unit):
                raise ModelError(path, expected(unit, written(expression), parse_unit("Hz")))
            if unit is None or dimension is None:
                continue
            if not fits(dimension, unit_dimension(unit)):
                words = f"expected a quantity in {unit}, got '{written(expression)}' in {dimension_text(dimension)}"
                raise ModelError(path, words)
        self._check_sums(found, known)

    @staticmethod
    def _check_sums(found: list[tuple[tuple, Expression, str | None]], known: dict[str, Any]) -> None:
        """The same for sums with parameters without units, each taken to be what the places where it stands are."""
        places: dict[str, set] = {}
        for _, expression, unit in found:
            if isinstance(expression, Name) and known.get(expression.name) is None and unit is not None:
                places.setdefault(expression.name, set()).add(unit_dimension(unit))
        meant = {name: dimensions.pop() for name, dimensions in places.items() if len(dimensions) == 1}
        for path, expression, _ in found if meant else ():
            if isinstance(expression, Call) and not meant.keys().isdisjoint(names(expression)):
                with errors_at(path):
                    dimension_of(expression, {**known, **meant})

    def _own_sources(self) -> dict[str, Parameter]:
        """Parameters that know where their number stands, unless that number stands for others too."""
        places = Counter(parameter.source for parameter in self.entries.values())
        return {
            name: parameter if places[parameter.source] == 1 else replace(parameter, source=None)
            for name, parameter in self.entries.items()
        }

    def _resolve(self, path: tuple, name: str, scope: Scope, known: dict) -> str:
        for around in scope.outward():
            for full in (around.parameter(name), around.prefix + name):
                if full in known:
                    return full
        raise ModelError(path, unknown("parameter", name, known))


def _too_small(value: float, lower: float, unit: str, firm: bool) -> str:
    allow = "" if firm else "; bounds of this parameter in the file may allow it"
    return f"expected a number of at least {lower:g} {unit}, got {value:g}{allow}"


def _flatten(table: dict[str, Any], path: tuple, prefix: str = "", depth: int = 0):
    """Parameters of a table that may be written flat ("base.radius") or nested (base = {radius = …})."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        here = (*path, key)
        if not NAME.fullmatch(name):
            raise ModelError(here, f"'{name[:40]}' is not a name: use letters, digits and _, beginning with a letter")
        if name == "pi":
            raise ModelError(here, "pi is a constant and cannot be a parameter")
        if isinstance(value, dict) and not (set(value) & _SPEC_KEYS) and depth < 6:
            yield from _flatten(value, here, f"{name}.", depth + 1)
            continue
        spec = _parameter_spec(value, here)
        value_path = (*here, "value") if isinstance(value, dict) and "value" in value else here
        yield name, value_path if spec.value is not None else here, spec


def _parameter_spec(value: Any, path: tuple) -> ParameterSpec:
    from pydantic import ValidationError

    try:
        return ParameterSpec.model_validate(value if isinstance(value, dict) else {"value": value})
    except ValidationError as error:
        raise complaint(error, value, path) from None
