"""Base parameters in symbols: how long the four-bar and the EX800 take, by every method that applies."""

from __future__ import annotations

import poinsot
from poinsot.identifiability.symbolic import symbolise
from poinsot.identifiability.symbolic.energies import energy_base

from .measure import Table, stopwatch

SECONDS = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


def run() -> Table:
    """Symbols from given numbers: the numbers themselves are another question."""
    four_bar, ex800 = poinsot.load("four_bar"), poinsot.load("ex800")
    legs = [f"{body}.m" for body in ex800.bodies if body != "platform"]
    legs += [f"leg{k}.rod.{label}" for k in range(1, 7) for label in SECONDS]
    paper = ("link1.J", "link2.J", "link3.J", "link1.m")
    bases = {"four_bar": energy_base(four_bar, paper), "ex800": energy_base(ex800, legs)}
    seconds = {
        "four_bar, transfer": stopwatch(lambda: symbolise(four_bar, bases["four_bar"]).text()),
        "four_bar, product class": stopwatch(lambda: symbolise(four_bar, bases["four_bar"], "product class").text()),
        "ex800, transfer": stopwatch(lambda: symbolise(ex800, bases["ex800"]).text()),
    }
    slowest = max(seconds["four_bar, transfer"], seconds["four_bar, product class"])
    stewart = seconds["ex800, transfer"]
    return Table(
        "Base parameters in symbols",
        ("what", "s"),
        tuple(seconds.items()),
        (
            (f"four-bar below 5 s: {slowest:.1f} s", slowest < 5),
            (f"EX800 below 5 min: {stewart:.0f} s", stewart < 300),
        ),
        {f"{name} [s]": value for name, value in seconds.items()},
    )
