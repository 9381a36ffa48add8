"""`poinsot new`: a folder to start from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poinsot.app.console import busy
from poinsot.app.guide import names
from poinsot.app.options import Json, Overwrite
from poinsot.app.output import write_json, write_text
from poinsot.errors import PoinsotError, one_line
from poinsot.store.files import check_place
from poinsot.store.folder import check_parents

if TYPE_CHECKING:
    from poinsot.app.new.machine import NewMachine

OFFERED = ("four_bar", "slider_crank", "five_bar", "three_rrr", "delta", "stewart", "serial")
FILES = (  # of a folder, in the order in which they are told
    *("model.toml", "motion.csv", "validation_motion.csv", "recording.csv", "validation.csv"),
    *("study.toml", "design.toml", "README.txt"),
)


def new(
    name: Annotated[str, typer.Argument(help="the folder; by default the name of the mechanism")] = "",
    mechanism: Annotated[
        str,
        typer.Option(
            "--mechanism", help=f"{', '.join(OFFERED)}, or a model file", autocompletion=names.among(*OFFERED)
        ),
    ] = "",
    urdf: Annotated[Path | None, typer.Option("--urdf", metavar="FILE", help="start from a URDF instead")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="where to make the folder")] = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="simulate the recordings, so that everything runs at once")
    ] = False,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Start a folder of your own: model, motions, recordings, study and design that fit each other."""
    from poinsot.app.new.meshes import copy_meshes

    if mechanism and urdf:
        raise PoinsotError("start from --mechanism or from --urdf, not from both")
    if urdf is not None and urdf.suffix.lower() == ".toml":
        raise PoinsotError(f"{urdf.name} is no URDF: start from a model file by --mechanism {urdf.name}")
    if not mechanism and urdf is None:
        mechanism = _chosen(name)
    file = Path(mechanism) if mechanism.endswith(".toml") else urdf
    folder = (out or Path()) / (name or (file.stem if file else mechanism))
    _check(folder, overwrite)
    with busy(f"preparing {folder}"):
        texts, machine = _texts(mechanism, file, folder, simulated)
    for mesh in machine.meshes if folder.exists() else ():
        check_place(folder / mesh, overwrite)
    folder.mkdir(parents=True, exist_ok=True)
    for own, text in texts.items():
        write_text(folder / own, text, overwrite)
    copy_meshes(machine.meshes, folder)
    facts = {"moved": machine.moved, "added": machine.added, "rotors": machine.rotors, "weak": machine.weak}
    write_json(json, {"folder": str(folder), "files": [*texts, *machine.meshes], **facts}, overwrite)
    print(f"{folder}: {', '.join([*texts, *machine.meshes])}")
    if machine.added:
        print(f"driven here, and not in the source, so that every freedom is prescribed: {', '.join(machine.added)}")
    if machine.rotors:
        print(
            "something that moves has no inertia in the source; rotors of guessed inertia, to be replaced by your "
            f"own, are in model.toml: {', '.join(machine.rotors)}"
        )
    for drive, needed in machine.weak.items():
        print(f"the motions need {drive} to give {needed}: its limits are left out of model.toml; put those of yours")
    print(f"next: cd {folder}, and the commands of README.txt, which begin with poinsot check model.toml")


def _check(folder: Path, overwrite: bool) -> None:
    """That the files may be written, asked before they are made."""
    check_parents(folder)
    for file in FILES if folder.exists() else ():
        check_place(folder / file, overwrite)


def _chosen(name: str) -> str:
    """The mechanism that a person at a terminal chooses; else the list, as an error."""
    from poinsot.app.new.machine import MECHANISMS

    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        offered = "; ".join(f"{mechanism} ({what})" for mechanism, what in MECHANISMS.items())
        call = one_line(" ".join(["poinsot new", *([name] if name else []), "--mechanism serial"]), 80)
        raise PoinsotError(f"say what to start from, such as `{call}`, or --urdf FILE; there are: {offered}")
    for number, (mechanism, what) in enumerate(MECHANISMS.items(), 1):
        print(f"  {number}  {mechanism:14} {what}")
    answer = input("start from (number or name): ").strip()
    return list(MECHANISMS)[int(answer) - 1] if answer.isdigit() and 0 < int(answer) <= len(MECHANISMS) else answer


def _texts(mechanism: str, file: Path | None, folder: Path, simulated: bool) -> tuple[dict[str, str], NewMachine]:
    """The files by name, and the machine that they are about."""
    from poinsot.app.new import files
    from poinsot.app.new.machine import machine_of, machine_of_file, machine_of_urdf
    from poinsot.app.new.motions import motions_of, with_drives_that_suffice, with_sensors
    from poinsot.app.new.unknowns import asked_of

    read = machine_of_file if mechanism else machine_of_urdf
    machine = machine_of(mechanism) if file is None else read(file, folder)
    motions = motions_of(machine)
    machine = with_sensors(with_drives_that_suffice(machine, motions), motions)
    asked = asked_of(machine, motions)
    texts = {
        "model.toml": machine.text,
        "motion.csv": files.motion_text(motions.t, motions.first),
        "validation_motion.csv": files.motion_text(motions.t, motions.second),
        **files.recordings_of(machine, motions, asked, simulated),
        "study.toml": files.study_text(asked),
        "design.toml": files.design_text(machine, motions, asked),
        "README.txt": files.instructions(
            machine, asked, simulated, file.name if file else f"the mechanism {mechanism}"
        ),
    }
    return texts, machine
