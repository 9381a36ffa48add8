"""Commands about recordings: `poinsot read | measure`."""

from __future__ import annotations

import io
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import poinsot
from poinsot.app.console import busy
from poinsot.app.dynamics import Free, Method, Velocity, sample_times
from poinsot.app.guide import names as completed
from poinsot.app.options import (
    Actuators,
    Change,
    Duration,
    Json,
    Model,
    Overwrite,
    Plot,
    Pose,
    Rate,
    in_unit,
    place_of,
)
from poinsot.app.output import write_bytes, write_json, write_plot
from poinsot.app.tables import (
    coordinate_units,
    force_units,
    loaded,
    names_in,
    pairs,
    pose_in,
    read_motion,
    write_table,
)
from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.recording.recording import Axis, Recording

OF_BEGIN = ("pose", "velocity")  # options of `measure`
OF_SIMULATION = ("t_end", "rate", "actuator", *OF_BEGIN, "method")
MODELS = (".toml", ".urdf", ".xml", ".mjcf", ".xacro")  # endings of model files
SENSORS = completed.of_model(lambda mechanism: mechanism.sensors)
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", callback=place_of(), help="write the recording: .csv or .parquet"),
]


def read(
    file: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... [MODEL]",
            help="recordings on one clock (CSV, MATLAB, HDF5, NumPy, Parquet, UFF, text, a bag), then the mechanism "
            "that was measured: more faults are found",
        ),
    ],
    columns: Annotated[Path | None, typer.Option(metavar="FILE", help="a columns file (TOML)")] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="the time column")] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            metavar="RATE",
            parser=in_unit("Hz", "--rate"),
            help="samples per second of a file without times [Hz or with a unit]",
        ),
    ] = None,
    every: Annotated[int, typer.Option(metavar="ROWS", help="take means of so many rows")] = 1,
    repair: Annotated[bool, typer.Option(help="mask spikes and repeated rows")] = True,
    out: Out = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """Channels, units and findings of a recording; exits with 1 if a finding makes results wrong."""
    _require_ending(out)
    files, model = (file[:-1], file[-1]) if len(file) > 1 and _is_model(file[-1]) else (file, None)
    with busy(f"reading {files[0]}"):
        mechanism = None if model is None else poinsot.load(model)
        found = poinsot.read(
            [Path(one) for one in files],
            columns=columns,
            time=time,
            rate=rate,
            mechanism=mechanism,
            every=every,
            repair=repair,
        )
        _write(out, found, overwrite)
    write_plot(plot, found, overwrite)
    write_json(json, _facts(found), overwrite)
    print(found)
    if found.problems:
        raise typer.Exit(1)


def _is_model(text: str) -> bool:
    """Whether an argument behind a recording names the mechanism, and no further recording."""
    ending = Path(text).suffix.lower()
    return text in poinsot.library_names() or ending in MODELS or not (ending or Path(text).exists())


def measure(
    ctx: typer.Context,
    model: Model,
    motion: Annotated[
        Path | None,
        typer.Argument(
            help="a CSV file: t [s] and prescribed coordinates; without it, a simulation",
            autocompletion=completed.tables,
        ),
    ] = None,
    t_end: Duration = 1.0,
    rate: Rate = 100.0,
    actuator: Actuators = None,
    free: Free = None,
    pose: Pose = None,
    velocity: Velocity = None,
    method: Method = "auto",
    change: Change = None,
    sensors: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="sensors to read; all by default", autocompletion=SENSORS)
    ] = None,
    seed: Annotated[int, typer.Option(help="of the noise")] = 0,
    perfect: Annotated[bool, typer.Option("--perfect", help="leave out all imperfections")] = False,
    out: Out = None,
    plot: Plot = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """What the sensors of a mechanism would record along a motion, or in a simulation under constant forces.

    Where the simulation ends early, at an end stop say, the recording ends too; exits with 1.
    """
    from poinsot.recording.measure import sensors_to_read

    _require_ending(out)
    _require_what_fits(ctx, motion is not None, bool(free))
    with busy(f"measuring {model}"):
        mechanism, status = loaded(model, change), ""
        wanted, rates = sensors_to_read(mechanism, names_in(sensors)), coordinate_units(mechanism, "/s")
        begin: dict[str, Any] = {
            "pose": pose_in(mechanism, pose),
            "velocity": pairs(velocity, "a velocity", rates) or None,
        }
        if motion is None:
            t = sample_times(t_end, rate)
            begin["forces"] = pairs(actuator, "a force", force_units(mechanism))
            moving: Any = poinsot.simulate(mechanism, t_end, t=t, method=method, **begin)
            t, status = moving.t, f"{mechanism.name} {moving.status}" if moving.status else ""
            if len(t) < 2:
                raise PoinsotError(status)
        else:
            t, moving = read_motion(motion, mechanism)
            if free:
                moving = poinsot.inverse_dynamics(mechanism, moving, t, free=free, **begin)
        found = poinsot.measure(mechanism, moving, t, seed=seed, sensors=wanted, perfect=perfect)
        _write(out, found, overwrite)
    write_plot(plot, found, overwrite)
    write_json(json, _facts(found), overwrite)
    print(found)
    if status:
        raise PoinsotError(f"{status}; the recording ends before it, at {found.t[-1]:g} s of {t_end:g} s")


def _require_what_fits(ctx: typer.Context, prescribed: bool, partly: bool) -> None:
    """A motion file prescribes the motion and its times: what a simulation is told has no meaning beside it, but for
    where coordinates begin that follow the equations of motion."""
    if partly and not prescribed:
        raise PoinsotError("--free is for a motion file, which prescribes the others; in a simulation all are free")
    asked = [name for name in OF_SIMULATION if prescribed and not (partly and name in OF_BEGIN)]
    given = [f"--{name.replace('_', '-')}" for name in asked if _is_given(ctx, name)]
    if given:
        raise PoinsotError(f"a motion file prescribes the motion; for a simulation alone are: {', '.join(given)}")


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _facts(recording: Recording) -> dict[str, Any]:
    """All but the samples."""
    spans = {
        name: np.abs(x[np.isfinite(x)]) if np.iscomplexobj(x) else x[np.isfinite(x)]
        for name, x in recording.values.items()
    }
    channels = [
        asdict(channel)
        | {"samples": len(spans[name])}
        | ({"least": float(x.min()), "greatest": float(x.max())} if len(x := spans[name]) else {})
        for name, channel in recording.channels.items()
    ]
    over = recording.abscissa
    return {
        "samples": len(recording),
        "axis": recording.axis,
        "from": float(over[0]) if len(over) else None,
        "to": float(over[-1]) if len(over) else None,
        "clock": recording.clock,
        "sources": [asdict(source) for source in recording.sources],
        "channels": channels,
        "findings": [asdict(f) | {"amount": f.amount if np.isfinite(f.amount) else None} for f in recording.findings],
        "steps": recording.steps,
    }


def _require_ending(path: Path | None) -> None:
    if path is not None and path.suffix not in (".csv", ".parquet"):
        raise PoinsotError(f"{path}: the ending must be .csv or .parquet")


def _write(path: Path | None, recording: Recording, overwrite: bool) -> None:
    """Write the samples, with units in the headers so that they can be read again, if a file is asked for."""
    if path is None:
        return
    table = {"t [s]" if recording.axis is Axis.TIME else "frequency [Hz]": recording.abscissa}
    for name, x in recording.values.items():
        parts = {".real": np.real(x), ".imag": np.imag(x)} if np.iscomplexobj(x) else {"": x}
        unit = recording.units[name]
        table |= {f"{name}{end} [{unit}]" if unit else f"{name}{end}": part for end, part in parts.items()}
    if path.suffix == ".csv":
        return write_table(path, table, overwrite)
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("writing Parquet files", "pyarrow", "data") from None
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(table), out)
    return write_bytes(path, out.getvalue(), overwrite)
