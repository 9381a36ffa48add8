"""Texts of a new folder: study, design, tables and instructions."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import numpy as np

import poinsot
from poinsot.app.new.machine import NewMachine, key, quoted
from poinsot.app.new.motions import HARMONICS, PERIOD, RATE, NewMotions
from poinsot.app.new.unknowns import FirstUnknowns, force_noise
from poinsot.recording.recording import Recording

HEAVIER = 1.1  # of the model's values: what is asked for of the machine whose recording is simulated
NOISE = 5_801, 5_802  # seeds of the two recordings, unlike those that people choose for their own
STARTS = 24  # random motions of a design
LINES = 5  # of a template


def motion_text(t: np.ndarray, motion: Mapping[str, np.ndarray]) -> str:
    """A motion as CSV: t [s], then the coordinates in SI units."""
    return _table({"t": t, **motion}, 9)


def recordings_of(machine: NewMachine, motions: NewMotions, asked: FirstUnknowns, simulated: bool) -> dict[str, str]:
    """The two recordings as CSV: of a machine with heavier masses, or a few lines of the model's as a template."""
    mechanism = machine.mechanism
    if simulated:
        values = {name: HEAVIER * mechanism.parameters[name].value for name in asked.masses or asked.names}
        mechanism = mechanism.with_parameters(values)
    n = len(motions.t) if simulated else max(LINES, 6)
    found = {}
    for seed, name, motion in zip(NOISE, ("recording", "validation"), (motions.first, motions.second)):
        given = {c: (motions.t[:n], s[:n]) for c, s in motion.items()}
        recording = poinsot.measure(mechanism, given, motions.t[:n], seed=seed)
        found[f"{name}.csv"] = _recorded(recording, n if simulated else LINES)
    return found


def _recorded(recording: Recording, n: int) -> str:
    columns = {"t [s]": recording.abscissa[:n]}
    columns |= {f"{name} [{recording.units[name]}]": x[:n] for name, x in recording.values.items()}
    return _table(columns, 9)


def _table(columns: Mapping[str, np.ndarray], digits: int) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{x:.{digits}g}" for x in row] for row in zip(*columns.values()))
    return out.getvalue()


def study_text(asked: FirstUnknowns) -> str:
    """The study: which parameters, from which recordings, by which method."""
    poor = f" # told best, and still poorly: {asked.poor}" if asked.poor else ""
    lines = [f"    {quoted(name)},{poor}" for name in asked.names]
    lines += [f"    # {quoted(name)}, # {reason}" for name, reason in asked.left.items()]
    names = "\n".join(lines)
    return f"""\
# What is asked of the recordings: `poinsot identify study.toml --out result`. All keys: docs/studies.md.
format = 1
model = "model.toml"

# Parameters of the model file (`poinsot parameters model.toml`); all others keep the values of the file. Leave the
# list out to ask for all linear parameters at once: masses, first moments, inertias, friction; the result then says
# which of them the recording determines, and which only together. Behind # are those that the sensors, with their
# noise, do not tell along motion.csv besides the others (`poinsot determinable`).
unknowns = [
{names}
]

# Columns are named after the sensors of the model; positions and forces of all drives are needed.
[recordings.run]
file = "recording.csv"

[recordings.check] # predicted with the values found, and not used for them
file = "validation.csv"
role = "validate"

[method]
name = "weighted" # channels weighted by their residuals; or ordinary, robust, total, likelihood, consistent, …

# [processing]
# cutoff = "10 Hz" # of the motion's filter; left out, that of the least error of accelerations
"""


def design_text(machine: NewMachine, motions: NewMotions, asked: FirstUnknowns) -> str:
    """The design of a motion that tells the unknowns best."""
    names = ", ".join(quoted(name) for name in asked.names)
    limits = []
    for name, s in motions.first.items():
        unit = machine.mechanism.coordinates[name].unit
        rate = float(np.abs(np.gradient(s, motions.t)).max())
        limits.append(f'{key(name)} = ["{s.min():.4g} {unit}", "{s.max():.4g} {unit}"]')
        fastest = min(1.5 * rate, machine.rates.get(name, np.inf))
        limits.append(f'{quoted(name + ".rate")} = "{fastest:.3g} {unit}/s"')
    for name in motions.force:
        drive, most = machine.mechanism.actuators[name], 1.5 * max(motions.largest(name), 1e-6)
        low, high = max(-most, float(drive.lower)), min(most, float(drive.upper))
        limits.append(f'{quoted(name + ".force")} = ["{low:.3g} {drive.unit}", "{high:.3g} {drive.unit}"]')
    noise = [
        f'{key(name)} = "{spread:g} {machine.mechanism.actuators[name].unit}"'
        for name, spread in force_noise(machine).items()
    ]
    lines = "\n".join(limits)
    return f"""\
# A motion that tells the unknowns best: `poinsot design design.toml --out designed`. All keys: docs/designs.md.
model = "model.toml"
unknowns = [{names}]

[design]
task = "excitation"
coordinates = [{", ".join(quoted(name) for name in machine.moved)}]
duration = "{PERIOD:g} s"
harmonics = {max(HARMONICS) + 1} # motion.csv goes up to the {max(HARMONICS)}th
rate = "{RATE:g} Hz" # that of motion.csv
starts = {STARTS} # random motions, the best of which is improved; more find better ones
polish = 1

[limits] # of coordinates, their rates ("NAME.acceleration" too) and forces: half as much again as motion.csv
# needs, but no speed beyond that of the source
{lines}

[noise] # standard deviation of a sample of the actuators' forces
{chr(10).join(noise)}
"""


def rotors_text(machine: NewMachine) -> str:
    """That inertias were added which the source does not have."""
    return (
        "Something that moves has no inertia in the source: the drives have rotors here, of guessed inertia; put "
        f"your own\ninto model.toml: {', '.join(machine.rotors)}."
    )


def instructions(machine: NewMachine, asked: FirstUnknowns, simulated: bool, source: str) -> str:
    """README.txt: what the files are, and the next commands."""
    moved = machine.moved[0]
    recorded = (
        "recording.csv and validation.csv are simulated: in the machine behind them the "
        f"{'masses' if asked.masses else 'values'} that study.toml\nasks for are {100 * (HEAVIER - 1):.0f} % larger "
        "than in model.toml, so that there is something to find."
        if simulated
        else "recording.csv and validation.csv are templates with a few lines. Put your measurements there, "
        "with the\nsame columns; or simulate them first, with the two commands `poinsot measure` below."
    )
    measured = [
        "poinsot measure model.toml motion.csv --seed 1 --out recording.csv --force",
        "poinsot measure model.toml validation_motion.csv --seed 2 --out validation.csv --force",
    ]
    commands = [
        "poinsot check model.toml",
        "poinsot pose model.toml",
        "poinsot simulate model.toml --t-end 0.2",
        "poinsot inverse model.toml motion.csv --csv forces.csv",
        *([] if simulated else measured),
        "poinsot determinable model.toml motion.csv",
        "poinsot read recording.csv model.toml",
        "poinsot identify study.toml --out result",
        "poinsot compare study.toml --method weighted --method robust",
        "poinsot design design.toml --out designed",
    ]
    added = f"\nDriven here, and not in the source: {', '.join(machine.added)}.\n" if machine.added else ""
    if machine.rotors:
        added += f"\n{rotors_text(machine)}\n"
    listed = "\n".join(f"    {command}" for command in commands)
    shown = (
        "\nmeshes/                 files that bodies are drawn with, copied from the source" if machine.meshes else ""
    )
    return f"""\
{machine.mechanism.name}: started from {source}
{added}
model.toml              the mechanism: bodies, joints, drives, sensors; every number is a parameter
motion.csv              a motion: t [s] and the coordinates that it prescribes, in m and rad
validation_motion.csv   another one
recording.csv           what the sensors read along the first motion, with units in the header
validation.csv          the same along the other, to see whether the model predicts it
study.toml              which parameters to identify, from which recordings, by which method
design.toml             a better motion to measure along{shown}

{recorded}

Next, in this folder:

{listed}

`poinsot --help` lists all commands, `poinsot COMMAND --help` their options with examples. For one call, --set
NAME=VALUE changes a parameter (`poinsot parameters model.toml` has the names), --pose {moved}=VALUE the pose.
"""
