"""Reference of sensors: channels, keys, units and defaults of every type, read off the laws."""

from __future__ import annotations

import inspect
import re
from typing import Any

from docs.generate.file_tables import _comments
from docs.generate.reference import cell

from poinsot.elements.sensors import SENSORS, Sensor

SENSORS_PAGE = """# Sensors

Tables `sensors.NAME` of a [model file](model-file.md#sensorsname), type by type. What they read is on
[theory/sensors](../theory/sensors.md), what they are for on [Model files](../model-files.md#sensors). A *number* is a
number in SI, a text with a [unit](units.md) or an expression.
"""
EVERY = """
## Every type

| key | unit | default | meaning |
|---|---|---|---|
| `type` | – | required | one of those below |"""
UNITS = {
    "": "–",
    "-": "-",
    "u": "of its coordinate, m or rad",
    "y": "of its channels",
    "y/s^0.5": "of its channels/√s",
}
HELD = {  # what keys hold that are no numbers
    "at": "a place",
    "on": "a table as of `coordinates.NAME`",
    "actuator": "name of an actuator",
    "joint": "name of a joint",
}
BESIDES = {"rate": "Hz", "dropout": "-"}  # keys that take plain numbers alone


def sensors() -> str:
    """Channels and keys of every sensor."""
    shared = Sensor.imperfections | BESIDES
    text = [SENSORS_PAGE, EVERY, *(_row(Sensor, key, unit) for key, unit in shared.items())]
    for kind, law in SENSORS.items():
        own = law.takes | {key: unit for key, unit in law.imperfections.items() if key not in shared}
        text += ["", f"## {kind}", "", inspect.getdoc(law) or "", "", _channels(law), ""]
        text += [
            "| key | unit | default | meaning |",
            "|---|---|---|---|",
            *(_row(law, k, u) for k, u in own.items()),
        ]
    return "\n".join([*text, ""])


def _channels(law: type[Sensor]) -> str:
    """Columns that it writes into a recording."""
    channels, open_unit = (
        law("NAME").channels,
        {"position": "m or rad", "force": "N or N·m"}.get(law.reads.get("", "")),
    )
    said = "Channels: " + ", ".join(f"`{channel.name}` [{open_unit or channel.unit}]" for channel in channels) + "."
    if len({channel.unit for channel in channels}) > 1:
        said += f" `noise`, `drift`, `resolution` and `limit` are those of the channels in {channels[0].unit}."
    return said


def _row(law: Any, key: str, unit: str) -> str:
    """A key with its unit, default and meaning."""
    needed = key == next(iter(getattr(law, "takes", {})), "")
    default = "required" if needed else _default(law.__dataclass_fields__[key].default)
    comment = re.sub(r"  \[.*\]$", "", _comments(law).get(key, ""))
    meaning = "; ".join(filter(None, (HELD.get(key, ""), comment)))
    return f"| `{key}` | {UNITS.get(unit, unit)} | {default} | {cell(meaning)} |"


def _default(value: Any) -> str:
    if value is None:
        return "none"
    numbers = [f"{x:g}" for x in value] if isinstance(value, tuple) else []
    return f"`[{', '.join(numbers)}]`" if numbers else f"`{value:g}`" if isinstance(value, float) else f'`"{value}"`'
