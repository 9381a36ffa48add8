"""What stands in the tables of a model file: numbers, names, lists, and tables that know their keys."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from poinsot.errors import listing, suggestion

__all__ = ["NAME", "NUMBER_SCHEMA", "Key", "Number", "Spec", "Vector", "as_number", "list_of", "one_of", "table_of"]

NAME = re.compile(r"[^\W\d]\w*(\.\w+)*")


def as_number(value: Any) -> float | str:
    """A finite number, or a text that will be read as a quantity or an expression."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("expected a number, a quantity such as '12 mm' or an expression")
    if isinstance(value, str):
        if not value.strip():
            raise ValueError("expected a number, a quantity such as '12 mm' or an expression")
        return value
    try:
        number = float(value)
    except OverflowError:  # a whole number of some hundred digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("expected a finite number")
    return number


def _name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise ValueError("expected a name of letters, digits and _ that starts with a letter")
    return value


def _names(table: Any) -> Any:
    if isinstance(table, dict):
        for key in table:
            if not isinstance(key, str) or not NAME.fullmatch(key):
                raise ValueError(
                    f"'{str(key)[:40]}' is not a name: use letters, digits and _, beginning with a letter"
                )
    return table


def one_of(kind: str, existing: Any):
    """A check that a text is one of the existing types of something."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in existing:
            meant = suggestion(value, existing) if isinstance(value, str) else ""
            words = f"expected a type of {kind}, got {str(value)[:60]!r}{meant}; there are: {listing(existing)}"
            raise PydanticCustomError("unknown_type", "{words}", {"words": words})
        return value

    return check


def list_of(item: Any, least: int, most: int, what: str = "numbers", one: bool = False) -> Any:
    """A list with so many items; `one`: a single item may be written without the brackets."""
    count = f"{least}" if least == most else f"{least} to {most}"

    def check(value: Any) -> Any:
        if one and not isinstance(value, list | tuple):
            return (value,)
        if not isinstance(value, list | tuple):
            raise ValueError(f"expected a list of {what}")
        if not least <= len(value) <= most:
            raise ValueError(f"expected {count} {what}")
        return value

    return Annotated[tuple[item, ...], BeforeValidator(check), Field(min_length=least, max_length=most)]


NUMBER_SCHEMA = {
    "anyOf": [{"type": "number"}, {"type": "string"}],
    "description": "A number in SI, a quantity such as '12 mm', or an expression of parameters.",
}
Number = Annotated[float | str, BeforeValidator(as_number), WithJsonSchema(NUMBER_SCHEMA)]
Key = Annotated[str, AfterValidator(_name)]
Vector = list_of(Number, 2, 3)


def table_of(item: Any) -> Any:
    """A table whose keys are names."""
    return Annotated[dict[str, item], BeforeValidator(_names)]


class Spec(BaseModel):
    """A table of a model file; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, table: Any) -> Any:
        for key in table if isinstance(table, dict) else ():
            if key not in cls.model_fields:
                words = "this key is not known here" + suggestion(key, cls.model_fields)
                raise PydanticCustomError("unknown_key", "{words}", {"words": words, "key": key})
        return table
