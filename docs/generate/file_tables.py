"""Reference of files: keys of model, study and design files, laws and units, read off the code that checks them."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from typing import Any

from docs.generate.meanings import meaning_of
from docs.generate.reference import cell

from poinsot.elements.coordinates import COORDINATES
from poinsot.elements.forces import FORCES, Load
from poinsot.elements.joints import JOINTS
from poinsot.elements.sensors import SENSORS
from poinsot.estimate import study_file as studies
from poinsot.experiment.registry import TASKS
from poinsot.experiment.study_file import DesignTable
from poinsot.model import schema
from poinsot.model.quantities import units as unit_table

MODEL_TABLES = {
    "the file": schema.ModelSpec,
    "bodies.NAME": schema.BodySpec,
    "bodies.NAME.placement": schema.PlacementSpec,
    "bodies.NAME.beams.NAME": schema.BeamSpec,
    "materials.NAME": schema.MaterialSpec,
    "sections.NAME": schema.SectionSpec,
    "frames.NAME": schema.InlineFrame,
    "rotation": schema.RotationSpec,
    "joints.NAME": schema.JointSpec,
    "joints.NAME.friction": schema.FrictionSpec,
    "forces.NAME": schema.ForceSpec,
    "actuators.NAME": schema.ActuatorSpec,
    "sensors.NAME": schema.SensorSpec,
    "coordinates.NAME, on": schema.CoordinateSpec,
    "parameters.NAME": schema.ParameterSpec,
    "components.NAME": schema.ComponentSpec,
    "instances.NAME": schema.InstanceSpec,
    "identify": schema.IdentifySpec,
}
NAMES = {  # how types of the schema are called here
    "str": "text", "int": "whole number", "float": "number", "bool": "true or false", "StrictBool": "true or false",
    "NoneType": "", "Number": "number", "Vector": "2 or 3 numbers", "Pair": "two places", "Place": "place",
    "Limits": "two numbers", "PerCoordinate": "number, or one by coordinate",
}  # fmt: skip


MODEL_FILE = """# Model file

Every table and key, as the program checks them. What they mean together is on [Model files](../model-files.md). A
*number* is a number in SI, a text with a [unit](units.md) or an expression; a *place* is `"body"`, `"body.frame"` or
a table with `body`, `position`, `rotation`.
"""


def model_file() -> str:
    """Keys of a model file, table by table."""
    text = [MODEL_FILE]
    for name, table in MODEL_TABLES.items():
        text += [f"## {name}", "", inspect.getdoc(table) or "", "", *_keys(table), ""]
    return "\n".join(text)


def study_file() -> str:
    """Keys of a study file, table by table."""
    tables = {
        "the file": studies.StudyTable,
        "recordings.NAME": studies.RecordingTable,
        "modal.NAME": studies.ModalTable,
        "processing": studies.ProcessingTable,
    }
    text = ["# Study file", "", "Every table and key. With examples: [Studies](../studies.md).", ""]
    for name, table in tables.items():
        text += [f"## {name}", "", inspect.getdoc(table) or "", "", *_keys(table), ""]
    return "\n".join(text)


def design_file() -> str:
    """Keys of a design file, and the options of every task."""
    text = ["# Design file", "", "With examples: [Designs](../designs.md).", ""]
    text += ["## the file", "", *_keys(DesignTable), ""]
    for name, task in sorted(TASKS.items()):
        text += [f'## design, task = "{name}"', "", inspect.getdoc(task) or "", "", *_fields(task), ""]
    return "\n".join(text)


def laws() -> str:
    """Joints, forces, sensors and coordinates, with what they take and give."""
    return "\n".join([LAWS, *_joints(), *_forces(), *_sensors(), *_coordinates(), ""])


LAWS = """# Laws

Everything a model file can name as a `type`, read off the laws themselves.
"""
JOINT_TABLE = """## Joints

Coordinates are those of the second body seen from the first: `{ joint = "A" }`, or
`{ joint = "A", coordinate = "angle1" }` where there are several. [Equations](../theory/joints.md).

| type | coordinates, in this order | equations in space | in the plane | besides the axis | what it is |
|---|---|---|---|---|---|"""
FORCE_TABLE = """
## Forces

Along a coordinate `on`; u is its unit (m or rad), f the unit of its force (N or N·m). An actuator has a table of its
own, `actuators.NAME`, or `actuated = true` on a joint. [Equations](../theory/forces.md).

| type | numbers [unit] | what it is |
|---|---|---|"""
SENSOR_TABLE = """
## Sensors

Every sensor also takes `noise`, `drift`, `resolution`, `limit`, `delay`, `dropout` and `rate`. All keys, units and
defaults: [Sensors](sensors.md). [Equations](../theory/sensors.md).

| type | takes | what it is |
|---|---|---|"""
COORDINATE_TABLE = """
## Coordinates

[Equations](../theory/coordinates.md).

| key | what it is |
|---|---|"""


def _joints() -> list[str]:
    rows = [JOINT_TABLE]
    for kind, law in JOINTS.items():
        names = ", ".join(f"`{c.name}` [{c.unit}]" for c in law.coordinates) or "none"
        plane = "–" if law.in_plane is None else str(len(law.in_plane))
        takes = [f"`{name}` [{option.unit}]" for name, option in law.options.items()]
        takes += ["`axis2`"] if "axis2" in law.axes else []
        rows.append(f"| `{kind}` | {names} | {len(law.rows)} | {plane} | {', '.join(takes)} | {_first(law)} |")
    return rows


def _forces() -> list[str]:
    rows = [FORCE_TABLE]
    for kind, law in FORCES.items():
        numbers = ", ".join(f"`{n}` [{u}]" for n, u in law.parameters.items()) or "–"
        rows.append(f"| `{kind}` | {numbers} | {_first(law)} |")
    numbers = "`at` (a place), `force` [N], `moment` [N·m], `follows` (false)"
    return [*rows, f"| `{Load.kind}` | {numbers} | {_first(Load)} |"]


def _sensors() -> list[str]:
    rows = [SENSOR_TABLE]
    for kind, law in SENSORS.items():
        takes = ", ".join(f"`{n}`" + (f" [{u}]" if u else "") for n, u in law.takes.items())
        rows.append(f"| `{kind}` | {takes} | {_first(law)} |")
    return rows


def _coordinates() -> list[str]:
    return [COORDINATE_TABLE, *(f"| `{kind}` | {_first(law)} |" for kind, law in COORDINATES.items())]


UNITS = """# Units

A text with a number is a quantity: `"74.1 g"`, `"5 N·m/rad"`, `"90 deg"`. Units combine by `·` or `*`, `/` and
powers (`m/s²`, `kg·m^2`). Numbers without a unit are SI; angles are radians.

| unit | in SI |
|---|---|"""
OTHER_UNITS = """
An angle may be left out of a product (`N·m` for `N·m/rad`), but not of plain numbers and lengths: `5 mm` could be
meant by turn or by radian, so a lead is `5 mm/rev`.

Headers of recordings may also write degrees as `°`, speeds as `rpm` or `dps`, torques as `Nm`, accelerations in `g`,
and electrical units, which are kept as they are.
"""


def units() -> str:
    """All units that model files know, with their SI values."""
    rows = []
    for name in unit_table.UNITS:
        unit = unit_table.parse_unit(name)
        rows.append(f"| `{name}` | {unit.factor:.10g} {unit_table.dimension_text(unit.dimension)} |")
    return "\n".join([UNITS, *rows, OTHER_UNITS])


def _keys(table: Any) -> list[str]:
    """Rows of a table of a file: key, type, default, meaning."""
    said, rows = _comments(table), []
    annotations = {k: a for c in reversed(table.__mro__) for k, a in getattr(c, "__annotations__", {}).items()}
    for name, field in table.model_fields.items():
        default = "required" if field.is_required() else _default(field.default)
        meaning = field.description or said.get(name, "") or meaning_of(table, name)
        rows.append(f"| `{field.alias or name}` | {_type(annotations[name])} | {default} | {cell(meaning)} |")
    taken = table.taken() if hasattr(table, "taken") else {}
    rows += [f"| `{key}` | number | | {cell(text) or 'see [Laws](laws.md)'} |" for key, text in taken.items()]
    return ["| key | what it holds | default | meaning |", "|---|---|---|---|", *rows]


def _fields(record: Any) -> list[str]:
    """Rows of a frozen record: option, type, default, meaning."""
    said, rows = _comments(record), []
    for field in fields(record):
        given = field.default if field.default is not MISSING else None
        default = (
            "required" if given is None and field.default_factory is MISSING and field.default is MISSING else ""
        )
        default = default or _default(given)
        meaning = said.get(field.name, "") or meaning_of(record, field.name)
        rows.append(f"| `{field.name}` | {_type(str(field.type))} | {default} | {cell(meaning)} |")
    return ["| option | what it holds | default | meaning |", "|---|---|---|---|", *rows]


def _comments(kind: Any) -> dict[str, str]:
    """What stands beside the fields of a class in its source."""
    found = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("poinsot"):
            lines = re.findall(r"^    (\w+): .*?  # (.*)$", inspect.getsource(base), re.M)
            found |= dict(lines)
    return found


def _default(value: Any) -> str:
    if value is None or value in ("", (), [], {}) or not isinstance(value, str | int | float | bool):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _type(annotation: Any) -> str:
    """The type of an entry in words."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    if choices := re.search(r"Literal\[(.*?)\]", text):
        return " or ".join(f"`{one.strip()}`" for one in choices.group(1).replace('"', "").split(","))
    if text.startswith(("Annotated[int", "int")):
        return NAMES["int"]
    if text.startswith(("Annotated[tuple", "tuple", "list")):
        return "list"
    if text.startswith("Annotated[float"):
        return "number"
    if text.startswith("Annotated[str"):
        return "text"
    if text.startswith(("Table[", "dict")):
        return "table"
    parts = [re.sub(r"\[.*\]", "", part.strip()) for part in text.split("|")]
    words = [
        NAMES.get(part, {"dict": "table", "list": "list"}.get(part, "table")) for part in parts if part != "None"
    ]
    return " or ".join(dict.fromkeys(word for word in words if word))


def _first(law: Any) -> str:
    """The first sentence of a law's docstring."""
    text = (inspect.getdoc(law) or "").split("\n\n")[0]
    return cell(text)
