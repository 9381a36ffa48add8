"""Reference pages: public names with their signatures, records, and every command with every option."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import poinsot

FAMILIES = {
    "Mechanisms": "load library_names loads dumps save build check assemble read_mjcf write_mjcf read_urdf "
    "write_urdf",
    "Motion": "kinematics inverse_dynamics accelerations simulate equilibrium hold singularity sensitivity "
    "motion_sensitivity",
    "Vibration": "modes linearise frf compliance stiffness frequency_map compliance_map mac pair",
    "Identifiability": "regressor energy_regressor base_parameters determinable",
    "Measurements": "read measure filter_forces fuse allan frequency_response modal_test",
    "Identification and experiments": "identify compare design",
}
PUBLIC = [name for name in poinsot.__all__ if not name.startswith("_")]


def overview() -> str:
    """Where each kind of reference is."""
    return (
        "# Reference\n\nMade from the code, at every build of these pages.\n\n"
        "- [Functions](python.md) and [records](records.md) of `import poinsot`\n"
        "- [Command line](command-line.md): every command, every option\n"
        "- [Model file](model-file.md), [laws](laws.md) of joints, forces, sensors and coordinates\n"
        "- [Study file](study-file.md), [design file](design-file.md)\n"
        "- [Units](units.md)\n- [Glossary](../glossary.md)\n"
    )


def functions() -> str:
    """Public functions by family; those of no family come last, so that none is missing."""
    named = {name for names in FAMILIES.values() for name in names.split()}
    verbs = [name for name in PUBLIC if inspect.isroutine(getattr(poinsot, name))]
    families = FAMILIES | {"Others": " ".join(name for name in verbs if name not in named)}
    text = [
        "# Functions",
        "",
        "All of `import poinsot`. Numbers are SI, angles radians, unless a text has a unit.",
        "",
    ]
    for family, names in families.items():
        text += [f"## {family}", ""] if names else []
        for name in names.split():
            text += _entry(name) if name in verbs else []
    return "\n".join(text)


def records() -> str:
    """Public classes with their fields and methods."""
    text = [
        "# Records",
        "",
        "What functions take and give. All are frozen; results have `to_dict` and `to_frame`.",
        "",
    ]
    for name in PUBLIC:
        if inspect.isclass(getattr(poinsot, name)):
            text += _entry(name, "      show_root_heading: true\n      heading_level: 2\n")
    return "\n".join(text)


def _entry(name: str, options: str = "") -> list[str]:
    """A directive of mkdocstrings for a public name, where it is defined."""
    thing = getattr(poinsot, name)
    return [f"::: {thing.__module__}.{thing.__qualname__}", f"    options:\n{options}" if options else "", ""]


def command_line() -> str:
    """Every command with its arguments, options and defaults, read off the command line itself."""
    import typer

    from poinsot.app.cli import app

    group = typer.main.get_command(app)
    text = ["# Command line", "", (group.help or "").strip(), ""]
    text += [inspect.cleandoc(group.epilog or "").replace("\b", ""), ""]
    for path, command in _commands(group, ("poinsot",)):
        text += [f"## {' '.join(path[1:])}", "", inspect.cleandoc(command.help or "").replace("\b", ""), ""]
        context = typer.Context(command, info_name=path[-1])
        usage = re.sub(r"\{(\w+)\}", lambda m: m.group(1).upper(), " ".join(command.collect_usage_pieces(context)))
        text += ["```text", f"{' '.join(path)} {usage}", "```", "", *_examples(command.epilog or "")]
        rows = [row for parameter in command.params if (row := _parameter(parameter))]
        text += ["| argument or option | what | default |", "|---|---|---|", *rows, ""] if rows else []
    return "\n".join(text)


def _examples(epilog: str) -> list[str]:
    """What a command shows as examples, as a block."""
    lines = [line.strip() for line in epilog.replace("\b", "").splitlines() if line.strip().startswith("poinsot ")]
    return ["Examples:", "", "```text", *lines, "```", ""] if lines else []


def _commands(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in getattr(group, "commands", {}).items():
        if getattr(command, "commands", None):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


def _parameter(parameter: Any) -> str:
    """A row of the table: names, help, default."""
    if getattr(parameter, "hidden", False) or parameter.name == "help":
        return ""
    option = parameter.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts)) if option else ""
    metavar = parameter.metavar or ""
    named = f"{names} {f'`{metavar}`' if metavar else ''}".strip() if option else f"`{parameter.name.upper()}`"
    value = parameter.default
    default = (
        "" if value is None or value is False or callable(value) or repr(value) in ("Sentinel.UNSET",) else value
    )
    default = "required" if parameter.required else f"`{default}`" if default not in ("", (), []) else ""
    return f"| {named} | {cell(getattr(parameter, 'help', '') or '')} | {default} |"


def cell(text: str) -> str:
    """A text inside a table.

    >>> cell("a | b")
    'a \\\\| b'
    """
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")
