"""What stands in the tables of a model file: numbers, names, lists, and tables that know their keys."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from poinsot.errors import listing, suggestion

NAME = re.compile(r"[^\W\d]\w*(\.\w+)*")
MOST_KEYS = 24  # of a table that a message lists


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


def one_of(kind: str, existing: Collection[str] | Callable[[], Collection[str]]) -> Callable[[Any], str]:
    """A check that a text is one of the existing types of something; `existing` may be a function."""

    def check(value: Any) -> str:
        known = existing() if callable(existing) else existing
        if not isinstance(value, str) or value not in known:
            meant = suggestion(value, known) if isinstance(value, str) else ""
            words = f"expected a type of {kind}, got {str(value)[:60]!r}{meant}; there are: {listing(known)}"
            raise PydanticCustomError("unknown_type", "{words}", {"words": words})
        return value

    return check


def counted(least: int, most: int, what: str = "numbers", one: bool = False) -> tuple[Any, ...]:
    """Checks of a list with so many items; `one`: a single item may be written without the brackets."""
    count = f"{least}" if least == most else f"{least} to {most}"

    def check(value: Any) -> Any:
        if one and not isinstance(value, list | tuple):
            return (value,)
        if not isinstance(value, list | tuple):
            raise ValueError(f"expected a list of {what}")
        if not least <= len(value) <= most:
            raise ValueError(f"expected {count} {what}")
        return value

    return BeforeValidator(check), Field(min_length=least, max_length=most)


NUMBER_SCHEMA = {
    "anyOf": [{"type": "number"}, {"type": "string"}],
    "description": "A number in SI, a quantity such as '12 mm', or an expression of parameters.",
}
Number = Annotated[float | str, BeforeValidator(as_number), WithJsonSchema(NUMBER_SCHEMA)]
Key = Annotated[str, AfterValidator(_name)]
Vector = Annotated[tuple[Number, ...], *counted(2, 3)]
Item = TypeVar("Item")
Table = Annotated[dict[str, Item], BeforeValidator(_names)]  # its keys are names


class Spec(BaseModel):
    """A table of a model file; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        """All keys of the table."""
        return tuple(cls.model_fields)

    @classmethod
    def keys_beside(cls, table: dict[str, Any]) -> tuple[str, ...]:
        """Keys that the table may have beside those that it has, for messages."""
        return cls.known_keys()

    @model_validator(mode="before")
    @classmethod
    def _known(cls, table: Any) -> Any:
        for key in table if isinstance(table, dict) else ():
            if key not in cls.known_keys():
                known = cls.keys_beside(table)
                exist = f"; there are: {listing(known, MOST_KEYS)}"
                words = f"this key is not known here{suggestion(key, known)}{exist}"
                raise PydanticCustomError("unknown_key", "{words}", {"words": words, "key": key})
        return table


class LawSpec(Spec):
    """A table with a type, whose further keys are what the laws of a family say that they take."""

    model_config = ConfigDict(extra="allow", json_schema_extra=lambda schema, cls: cls.describe(schema))

    __pydantic_extra__: dict[str, Number] = Field(init=False)

    @classmethod
    def taken(cls) -> dict[str, str]:
        """Keys of all laws of the family, with descriptions."""
        return {}

    @classmethod
    def laws(cls) -> dict[str, Any]:
        """The laws of the family by type, where the keys of a table are their fields."""
        return {}

    @classmethod
    def keys_beside(cls, table: dict[str, Any]) -> tuple[str, ...]:
        """Those of the law, where its type is known."""
        law = cls.laws().get(str(table.get("type")))
        return cls.known_keys() if law is None else ("type", *(f.name for f in fields(law) if f.name != "name"))

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        """The keys of the table itself and those of the laws."""
        return (*cls.model_fields, *cls.taken())

    @property
    def given(self) -> dict[str, Any]:
        """Values of all keys that the file gives, in the order of the family."""
        found = {key: getattr(self, key, None) for key in self.known_keys()}
        return {key: value for key, value in found.items() if value is not None}

    @classmethod
    def describe(cls, schema: dict[str, Any]) -> None:
        """Write the laws' keys into the JSON Schema of the table."""
        for key, text in cls.taken().items():
            entry = {
                "anyOf": [NUMBER_SCHEMA, {"type": "null"}],
                "default": None,
                "title": key.replace("_", " ").title(),
            }
            schema["properties"][key] = entry | ({"description": text} if text else {})
        schema["additionalProperties"] = False
