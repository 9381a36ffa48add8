"""Recordings damaged by script: each from a good one, with the fault's code and the channel that must be named."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tests.recording.good import Good, arm, ex800, four_bar, sensed_arm


@dataclass(frozen=True)
class Damage:
    """A damaged recording, and what must be found in it."""

    good: Callable[[], Good]
    damaged: Callable[[Good, Path], Path]
    code: str
    channel: str


def table(good: Callable[[], Good], change: Callable[[Good], Good], code: str, channel: str) -> Damage:
    """A damage of the columns."""
    return Damage(good, lambda g, folder: change(g).written(folder), code, channel)


def text(good: Callable[[], Good], change: Callable[[str], str], code: str, channel: str) -> Damage:
    """A damage of the text."""

    def damaged(g: Good, folder: Path) -> Path:
        path = folder / "run.csv"
        path.write_text(change(g.text()))
        return path

    return Damage(good, damaged, code, channel)


def column(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Good], Good]:
    """A change of one column (n,)."""
    return lambda g: g.with_columns({name: change(g.columns[name].copy())})


def scaled(name: str, factor: float) -> Callable[[Good], Good]:
    """A column and its rate times a factor."""
    return lambda g: g.with_columns({n: factor * g.columns[n] for n in (name, f"{name}.rate") if n in g.columns})


def exchanged(a: str, b: str) -> Callable[[Good], Good]:
    """Two columns, and their rates, in each other's place."""

    def change(g: Good) -> Good:
        ends = [end for end in ("", ".rate") if a + end in g.columns]
        pairs = {a + end: g.columns[b + end] for end in ends} | {b + end: g.columns[a + end] for end in ends}
        return g.with_columns(pairs)

    return change


def at(rows: slice | list[int], value: float) -> Callable[[np.ndarray], np.ndarray]:
    """Some samples of a column replaced."""

    def change(x: np.ndarray) -> np.ndarray:
        x[rows] = value
        return x

    return change


def later(x: np.ndarray, samples: int) -> np.ndarray:
    """A column behind by so many samples; the motion is periodic, so that what comes first is known."""
    return np.roll(x, samples)


def repeated_times(g: Good) -> Good:
    t = g.t.copy()
    t[[500, 900, 901]] = t[[499, 899, 899]]
    return g.changed(t=t)


def back_in_time(g: Good) -> Good:
    t = g.t.copy()
    t[700] -= 0.05
    return g.changed(t=t)


def jittered(g: Good) -> Good:
    return g.changed(t=g.t + 0.0004 * np.random.default_rng(3).uniform(-1, 1, len(g.t)))


def restarted(g: Good) -> Good:
    return g.changed(t=np.concatenate([g.t[:3000], g.t[:1000]]))


def repeated_rows(x: np.ndarray) -> np.ndarray:
    which = np.flatnonzero(np.random.default_rng(5).random(len(x)) < 0.14)
    for k in which[which > 0]:
        x[k, 1:] = x[k - 1, 1:]
    return x


def stuck(g: Good) -> Good:
    return column("q1", at(slice(2000, 2400), g.columns["q1"][2000]))(g)


def foreign_rate(g: Good) -> Good:
    return g.with_columns({"q1.rate": g.columns["q3.rate"]})


def late(*names: str) -> Callable[[Good], Good]:
    """Columns that are behind by twenty milliseconds."""
    return lambda g: g.with_columns({n: later(g.columns[n], 10) for n in names})


def opposite(*names: str) -> Callable[[Good], Good]:
    """Columns with the other sign."""
    return lambda g: g.with_columns({n: -g.columns[n] for n in names})


def in_degrees(g: Good) -> Good:
    return g.with_columns({n: np.degrees(x) for n, x in g.columns.items() if n.startswith("q")})


def in_millimetres(g: Good) -> Good:
    return g.with_columns({n: 1e3 * x for n, x in g.columns.items() if "length" in n})


def in_newton_millimetres(g: Good) -> Good:
    return g.with_columns({n: 1e3 * g.columns[n] for n in ("waist", "shoulder", "elbow")})


def in_other_column(position: str, force: str) -> Callable[[Good], Good]:
    """The position of a drive, whose rate is not recorded, in the column of its force, and the other way round."""

    def change(g: Good) -> Good:
        kept = {name: x for name, x in g.columns.items() if name != f"{position}.rate"}
        return replace(g, columns=kept | {position: kept[force], force: kept[position]})

    return change


LEGS = [f"leg{k}" for k in range(1, 7)]


def spiked(x: np.ndarray) -> np.ndarray:
    x[[400, 1234, 2100]] += 30 * np.std(x)
    return x


def without(rows: slice) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.delete(x, rows, axis=0)


def lines(change: Callable[[list[str]], list[str]]) -> Callable[[str], str]:
    return lambda content: "\n".join(change(content.split("\n")))


def replaced(line: int, field: int, by: str) -> Callable[[str], str]:
    """A field of a line replaced."""

    def change(all_lines: list[str]) -> list[str]:
        fields = all_lines[line].split(",")
        fields[field] = by
        return [*all_lines[:line], ",".join(fields), *all_lines[line + 1 :]]

    return lines(change)


def comma_in_one_column(content: str) -> str:
    """Semicolons between fields, and a decimal comma in the column q2 only."""
    rows = [line.split(",") for line in content.strip().split("\n")]
    k = next(k for k, name in enumerate(rows[0]) if name.startswith("q2 "))
    return "\n".join(";".join(f.replace(".", ",") if j == k else f for j, f in enumerate(r)) for r in rows) + "\n"


def cut_gzip(g: Good, folder: Path) -> Path:
    path = folder / "run.csv.gz"
    packed = gzip.compress(g.text().encode())
    path.write_bytes(packed[: 2 * len(packed) // 3])
    return path


DAMAGES = {
    "time repeats": table(arm, repeated_times, "time repeats", "t"),
    "time goes back": table(arm, back_in_time, "goes back", "t"),
    "time decreases": table(arm, lambda g: g.rows(lambda x: x[::-1]), "reversed", "t"),
    "time decreases and repeats": table(
        arm, lambda g: repeated_times(g).rows(lambda x: x[::-1]), "time repeats", "t"
    ),
    "time jitters": table(arm, jittered, "jitter", "t"),
    "time has a gap": table(arm, lambda g: g.rows(without(slice(800, 860))), "gaps", "t"),
    "time starts again": table(arm, restarted, "restart", "t"),
    "milliseconds as seconds": table(arm, lambda g: g.changed(t=1e3 * g.t), "time unit", "t"),
    "seconds as milliseconds": table(arm, lambda g: g.changed(t=1e-3 * g.t), "time unit", "t"),
    "seconds as minutes": table(arm, lambda g: g.changed(t=60 * g.t), "time unit", "t"),
    "minutes as seconds": table(arm, lambda g: g.changed(t=g.t / 60), "time unit", "t"),
    "a time is missing": text(arm, replaced(900, 0, ""), "no number", "t"),
    "rows repeat": table(arm, lambda g: g.rows(repeated_rows), "rows repeat", ""),
    "rows of a Stewart platform repeat": table(ex800, lambda g: g.rows(repeated_rows), "rows repeat", ""),
    "a force is clipped above": table(arm, column("waist", lambda x: np.minimum(x, 3.0)), "clipped", "waist"),
    "a position is clipped": table(arm, column("q3", lambda x: np.maximum(x, 0.8)), "clipped", "q3"),
    "a force has spikes": table(arm, column("elbow", spiked), "spikes", "elbow"),
    "a position has spikes": table(ex800, column("leg2.length", spiked), "spikes", "leg2.length"),
    "a force is constant": table(arm, column("shoulder", at(slice(None), 2.5)), "constant", "shoulder"),
    "a force is quantised": table(arm, column("elbow", lambda x: 0.4 * np.round(x / 0.4)), "quantised", "elbow"),
    "samples are NaN": table(arm, column("q2", at(slice(300, 420), np.nan)), "missing", "q2"),
    "a channel is NaN": table(arm, column("waist", at(slice(None), np.nan)), "missing", "waist"),
    "a channel sticks": table(arm, stuck, "stuck", "q1"),
    "a velocity is another": table(arm, foreign_rate, "not the rate", "q1.rate"),
    "a velocity has the other sign": table(arm, column("q2.rate", np.negative), "sign", "q2.rate"),
    "a velocity has a gain": table(arm, column("q2.rate", lambda x: 1.5 * x), "gain", "q2.rate"),
    "a velocity is in degrees": table(arm, column("q3.rate", np.degrees), "unit", "q3.rate"),
    "a velocity is late": table(arm, column("q1.rate", lambda x: later(x, 6)), "delay", "q1.rate"),
    "forces are late": table(arm, late("waist", "shoulder", "elbow"), "delay", "waist"),
    "forces of a Stewart platform are late": table(ex800, late(*LEGS), "delay", "leg1"),
    "an angle is in degrees": table(arm, scaled("q2", 180 / np.pi), "degrees", "q2"),
    "all angles are in degrees": table(arm, in_degrees, "degrees", "q1"),
    "the angle of a crank is in degrees": table(four_bar, scaled("theta1", 180 / np.pi), "degrees", "theta1"),
    "a length is in inches": table(ex800, scaled("leg3.length", 1 / 0.0254), "inches", "leg3.length"),
    "a length is in centimetres": table(ex800, scaled("leg3.length", 100.0), "centimetres", "leg3.length"),
    "a length is in millimetres": table(ex800, scaled("leg3.length", 1e3), "millimetres", "leg3.length"),
    "all lengths are in millimetres": table(ex800, in_millimetres, "millimetres", "leg1.length"),
    "positions are swapped": table(arm, exchanged("q2", "q3"), "swapped", "q2"),
    "legs are swapped": table(ex800, exchanged("leg1.length", "leg4.length"), "swapped", "leg1.length"),
    "torques are swapped": table(arm, exchanged("shoulder", "elbow"), "swapped", "shoulder"),
    "forces of legs are swapped": table(ex800, exchanged("leg2", "leg5"), "swapped", "leg2"),
    "a torque has the other sign": table(arm, column("shoulder", np.negative), "sign", "shoulder"),
    "a torque that no gravity loads has the other sign": table(arm, column("waist", np.negative), "sign", "waist"),
    "the torque of a crank has the other sign": table(four_bar, column("A", np.negative), "sign", "A"),
    "all torques have the other sign": table(arm, opposite("waist", "shoulder", "elbow"), "sign", "waist"),
    "the torque of a sensor has the other sign": table(sensed_arm, opposite("current_1"), "sign", "current_1"),
    "torques of sensors are swapped": table(sensed_arm, exchanged("current_0", "current_2"), "swapped", "current_0"),
    "the angle of an encoder has the other sign": table(sensed_arm, opposite("encoder_2"), "sign", "encoder_2"),
    "angles of encoders are swapped": table(sensed_arm, exchanged("encoder_0", "encoder_1"), "swapped", "encoder_0"),
    "a position has the other sign": table(arm, scaled("q2", -1.0), "sign", "q2"),
    "torques are in N·mm": table(arm, in_newton_millimetres, "force unit", "waist"),
    "a torque is in kN·m": table(arm, column("elbow", lambda x: 1e-3 * x), "force unit", "elbow"),
    "the angle of a crank is in the column of its torque": table(
        four_bar, in_other_column("theta1", "A"), "swapped", "theta1"
    ),
    "a torque is of the motor's side": table(arm, column("elbow", lambda x: x / 80), "gain", "elbow"),
    "an angle is of the motor's side": table(arm, scaled("q2", 80.0), "turns", "q2"),
    "text in a column": text(arm, replaced(1500, 2, "ERR:07"), "unreadable", "q1.rate"),
    "a row lacks columns": text(arm, lines(lambda x: [*x[:77], x[77][:20], *x[78:]]), "ragged", ""),
    "a decimal comma in one column": text(arm, comma_in_one_column, "decimal comma", "q2"),
    "the compressed file is cut": Damage(arm, cut_gzip, "cut", ""),
}
