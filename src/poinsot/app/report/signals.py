"""Measured and predicted channels of a folder."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.model.toml import read_text

MOST = 2_000_000_000  # bytes of a file of signals
_HEAD = re.compile(r"(measured|predicted) (.*) \[([^\[\]]*)\]", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Signals:
    """Channels of some runs: n samples in all, c channels."""

    over: str  # what t is: "t [s]", or another abscissa
    runs: tuple[str, ...]
    at: np.ndarray  # (n,) number of the run
    t: np.ndarray  # (n,)  [s], or what `over` says
    channels: tuple[tuple[str, str], ...]  # c names and units
    measured: np.ndarray  # (n, c)
    predicted: np.ndarray  # (n, c)

    @cached_property
    def residual(self) -> np.ndarray:
        """Measured less predicted (n, c)."""
        return self.measured - self.predicted

    @property
    def timed(self) -> bool:
        """Whether they are signals over time."""
        return self.over == "t [s]"

    def rows(self, run: int) -> np.ndarray:
        """Numbers of the rows of a run."""
        return np.flatnonzero(self.at == run)


def read_signals(path: Path) -> Signals | None:
    """Signals of `fit.csv` or `validation.csv`; None where a folder has none."""
    if not path.is_file():
        return None
    text = read_text(path, MOST, "signals")
    rows = csv.reader(io.StringIO(text))
    try:
        heads = next(rows)
        found = [_HEAD.fullmatch(head) for head in heads[2:]]
        channels = tuple((m[2], m[3]) for m in found[::2] if m)
        if len(heads) != 2 + 2 * len(channels) or not all(found):
            raise ValueError
        named, table = _plain_rows(text, rows.line_num) or _quoted_rows(rows)
        table = table.reshape(len(named), len(heads) - 1)
    except (StopIteration, ValueError, csv.Error, IndexError):
        raise PoinsotError(f"{path} does not hold channels as measured and as predicted") from None
    runs = tuple(dict.fromkeys(named))
    return Signals(heads[1], runs, _numbers(named, runs), table[:, 0], channels, table[:, 1::2], table[:, 2::2])


def _plain_rows(text: str, skipped: int) -> tuple[list[str], np.ndarray] | None:
    """Runs and numbers of rows without quotes, which NumPy reads fast; None where there are quotes."""
    body = text.split("\n", skipped)[-1]
    if '"' in body:
        return None
    lines = body.splitlines()
    named = [line.partition(",")[0] for line in lines]
    numbers = (re.sub(r",(?=,|$)", ",nan", line.partition(",")[2]) for line in lines)
    return named, np.loadtxt(numbers, delimiter=",", ndmin=2) if lines else np.zeros((0, 0))


def _quoted_rows(rows: Iterable[list[str]]) -> tuple[list[str], np.ndarray]:
    """The same of any rows."""
    kept = list(rows)
    return [row[0] for row in kept], np.array([[float(x) if x else np.nan for x in row[1:]] for row in kept])


def _numbers(named: Sequence[str], runs: tuple[str, ...]) -> np.ndarray:
    index = {name: k for k, name in enumerate(runs)}
    return np.array([index[name] for name in named], int)


def strung(signals: Signals) -> tuple[np.ndarray, list[tuple[str, float, float]]]:
    """Times (n,) of runs one after another, and where each begins and ends; those of one run as they are."""
    x, spans, end = signals.t.copy(), [], None
    for k, name in enumerate(signals.runs):
        rows = signals.rows(k)
        begin, last = float(signals.t[rows].min()), float(signals.t[rows].max())
        shift = 0.0 if end is None else end - begin
        x[rows] += shift
        spans.append((name, begin + shift, last + shift))
        end = last + shift + 0.02 * max(last - begin, 1e-9)
    return x, spans


def autocorrelation(residual: Sequence[np.ndarray], lags: int) -> np.ndarray:
    """Of residuals (n,) by run, at 0 … lags samples apart (lags + 1,); missing samples do not count."""
    from scipy.signal import fftconvolve

    def apart(x: np.ndarray) -> np.ndarray:
        """Sums of x[k] x[k + lag] (lags + 1,)."""
        room = np.concatenate([x, np.zeros(lags)])
        return fftconvolve(room, x[::-1])[len(x) - 1 : len(x) + lags]

    mean = np.nanmean(np.concatenate(residual))
    found = np.sum([apart(np.nan_to_num(one - mean)) for one in residual], axis=0)
    count = np.sum([np.rint(apart(np.isfinite(one).astype(float))) for one in residual], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        products = found / count
        return products / products[0]
