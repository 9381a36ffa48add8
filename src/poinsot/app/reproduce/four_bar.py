"""Base inertial parameters of a four-bar linkage: rank, coefficients in numbers and in symbols."""

from __future__ import annotations

from collections.abc import Iterator

import poinsot
from poinsot.app.reproduce.rows import Paper, PublishedNumber

PAPER = Paper("four-bar")
ELIMINATED = ("link1.J", "link2.J", "link3.J", "link1.m")
EQUATION_24 = {  # row, column: printed number, expression in eq. 25
    ("link1.mx", "link1.J"): ("-3.333", "-1/lx1"),
    ("link2.mx", "link2.J"): ("-0.4118", "-lx2/l2**2"),
    ("link2.my", "link2.J"): ("0.6471", "ly2/l2**2"),
    ("link2.m", "link1.J"): ("11.11", "lx1**(-2)"),
    ("link2.m", "link2.J"): ("-0.5882", "-1/l2**2"),
    ("link3.mx", "link3.J"): ("-0.7692", "-1/lx3"),
    ("link3.m", "link2.J"): ("0.5882", "l2**(-2)"),
    ("link3.m", "link3.J"): ("-0.5917", "-1/lx3**2"),
}


def rows() -> Iterator[PublishedNumber]:
    """The rank, the parameters that are eliminated, eight numbers of eq. 24 and eight expressions of eq. 25."""
    base = poinsot.base_parameters(poinsot.load("four_bar"), eliminate=ELIMINATED)
    yield PAPER.row("inertial parameters", "12", len(base.columns))
    yield PAPER.row("rank b of W", "8", base.rank)
    yield PAPER.row("eliminated parameters", "4", len(base.eliminated))
    printed, ours = ", ".join(sorted(ELIMINATED)), ", ".join(sorted(base.eliminated))
    yield PAPER.row("eliminated parameters by name", printed, ours)
    symbols = base.symbolic
    combinations = dict(zip(symbols.independent, symbols))
    for (row, column), (number, expression) in EQUATION_24.items():
        i, j = base.independent.index(row), base.eliminated.index(column)
        what = f"of {column} in {row}"
        unit = "1/m²" if row.endswith(".m") else "1/m"
        yield PAPER.row(f"eq. 24, coefficient {what}", number, base.coefficients[i, j], unit)
        (symbol,) = (one for one in combinations[row].free_symbols if str(one) == column)
        yield PAPER.row(f"eq. 25, coefficient {what}", expression, str(combinations[row].coeff(symbol)), unit)
    others = sum(
        base.coefficients[i, j] != 0
        for i, row in enumerate(base.independent)
        for j, column in enumerate(base.eliminated)
        if (row, column) not in EQUATION_24
    )
    yield PAPER.row("eq. 24, further coefficients", "0", int(others))
