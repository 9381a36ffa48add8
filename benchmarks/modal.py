"""LSCF end to end against sdypy-EMA: nine points, lightly damped modes, 20 000 lines, in the same run."""

from __future__ import annotations

import contextlib
import io

import numpy as np

from poinsot.recording.modal.lscf import lscf
from poinsot.recording.modal.modal_test import modal_test
from poinsot.recording.modal.points import MeasurementPoint
from poinsot.recording.modal.response import FrequencyResponse, Taper
from poinsot.recording.modal.stabilisation import (
    chosen_tracks,
    frequency_of,
    stabilisation,
)

from .measure import Table, interleave

ORDER = 30
FREQUENCIES = np.array([62.0, 171.0, 335.0, 554.0, 760.0])  # [Hz]
RATIOS = np.array([4e-3, 2e-3, 1e-3, 1e-3, 1.5e-3])


def run() -> Table:
    """Time poles, stabilisation, choice, shapes and errors; accuracy beside it."""
    response = simulated()
    times = interleave(
        {"poles": lambda: poles(response), "whole": lambda: whole(response), "sdypy": lambda: sdypy(response)},
        repeats=5,
    )
    rows, figures = [], {}
    for key, name, call in (
        ("poles", "LSCF, stabilisation, choice", poles),
        ("whole", "modal_test: shapes, most likely poles, errors too", whole),
        ("sdypy", "sdypy-EMA: LSCF, stabilisation, poles near given frequencies, LSFD", sdypy),
    ):
        found = call(response)
        worst = float(np.max(np.abs(found / FREQUENCIES - 1))) if len(found) == len(FREQUENCIES) else float("nan")
        rows.append((name, times[key].best, times["sdypy"].best / times[key].best, 1e6 * worst))
        figures[f"{key} s"] = times[key].best
    ratio = times["sdypy"].best / times["poles"].best
    goals = ((f"poles and their chart no slower than sdypy-EMA: {ratio:.1f} times as fast", ratio >= 1),)
    title = f"modal test of 5 modes at 9 points, {len(response.frequency)} lines, orders up to {ORDER}"
    return Table(title, ("what", "s", "ratio", "worst frequency, 1e-6"), tuple(rows), goals, figures)


def simulated(lines: int = 20_000) -> FrequencyResponse:
    """Accelerance of a beam-like machine with noise."""
    rng = np.random.default_rng(0)
    f = 800.0 * np.arange(1, lines + 1) / lines
    s = 2j * np.pi * f[:, None]
    p = 2 * np.pi * FREQUENCIES * (-RATIOS + 1j * np.sqrt(1 - RATIOS**2))
    shapes = np.cos(np.outer(np.linspace(0.05, 0.95, 9), np.pi * np.arange(2, 7)))
    H = np.einsum("nk,pk->np", s**2 / ((s - p) * (s - p.conj())) * shapes[3], shapes)
    H = H + 0.05 * (rng.standard_normal(H.shape) + 1j * rng.standard_normal(H.shape))
    points = tuple(MeasurementPoint(f"P{k + 1}") for k in range(9))
    return FrequencyResponse(f, H[:, :, None], points, (MeasurementPoint("F"),), taper=Taper.NONE)


def poles(response: FrequencyResponse) -> np.ndarray:
    """Frequencies of the stable poles [Hz]."""
    orders = range(2, ORDER + 1)
    tracks = chosen_tracks(stabilisation(lscf(response.frequency, response.H, orders)), len(orders))
    return frequency_of(np.array([track.pole for track in tracks]))


def whole(response: FrequencyResponse) -> np.ndarray:
    """Frequencies of a whole modal test [Hz]."""
    return modal_test(response, order=ORDER).frequencies


def sdypy(response: FrequencyResponse) -> np.ndarray:
    """Frequencies from sdypy-EMA [Hz]; it draws progress bars."""
    from sdypy import EMA

    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        model = EMA.Model(response.H[:, :, 0].T, response.frequency, lower=10, upper=800, pol_order_high=ORDER)
        model.get_poles(show_progress=False)
        model.select_closest_poles(FREQUENCIES.tolist())
        model.get_constants()
    return np.asarray(model.nat_freq)
