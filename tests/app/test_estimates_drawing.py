"""The plot of estimates draws what their table says: intervals of the bootstrap, priors with their deviations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.app.test_report import bar as bar
from tests.app.test_report import column
from tests.app.test_report import saved as saved

from poinsot.app.report.saved import SavedResult, read_result
from poinsot.app.report.sections.estimates import estimates

pytest.importorskip("plotly")


def changed(result: SavedResult, **data) -> dict:
    """The plot of estimates of a result with other data."""
    made = estimates(replace(result, data={**result.data, **data}))
    assert made is not None
    return next(block for block in made.blocks if block.kind == "drawing").data()


def bars(trace: dict) -> tuple[np.ndarray, np.ndarray]:
    """How far bars go to the left and to the right."""
    ends = (np.array([np.nan if x is None else x for x in trace["error_x"][k]]) for k in ("arrayminus", "array"))
    left, right = ends
    return left, right


def test_intervals_of_a_bootstrap_are_drawn_as_the_table_says_them(saved):
    result = read_result(saved)
    known = [p for p in result.data["parameters"] if p["value"] is not None]
    low = np.array([p["value"] - 3.0 * p["deviation"] for p in known])
    high = np.array([p["value"] + 0.5 * p["deviation"] for p in known])
    names = [p["name"] for p in known]
    boot = {"names": names, "lower": [*low], "upper": [*high], "level": 0.9, "noise": "drawn"}
    plot = changed(result, bootstrap=boot)
    size = np.array([abs(p["nominal"]) for p in known]) / 100
    nominal, value = (np.array([p[key] for p in known]) for key in ("nominal", "value"))
    np.testing.assert_allclose(column(plot, "lower [%]").astype(float), (low - nominal) / size, rtol=1e-6)
    np.testing.assert_allclose(column(plot, "upper [%]").astype(float), (high - nominal) / size, rtol=1e-6)
    left, right = bars(plot["traces"][-1])
    np.testing.assert_allclose(left, (value - low) / size, rtol=1e-9)
    np.testing.assert_allclose(right, (high - value) / size, rtol=1e-9)
    assert plot["traces"][-1]["name"] == "estimate with its 90 % interval"


def test_priors_are_drawn_with_their_deviations_and_without_round_off(saved):
    result = read_result(saved)
    first, second = result.data["parameters"][:2]
    asked = [
        {
            "name": first["name"],
            "prior": first["nominal"] * (1 - 1e-16 * 3),
            "prior_deviation": 0.1 * first["nominal"],
        },
        {"name": second["name"], "prior": 1.5 * second["nominal"], "prior_deviation": None},
    ]
    plot = changed(result, study={**result.study, "unknowns": asked})
    assert column(plot, "prior [%]")[0] == 0.0 and column(plot, "prior [%]")[1] == pytest.approx(50.0)
    assert column(plot, "deviation of the prior [SI]")[0] == pytest.approx(0.1 * first["nominal"])
    assert column(plot, "prior lower [%]")[0] == pytest.approx(-19.6)
    assert column(plot, "prior upper [%]")[0] == pytest.approx(19.6)
    left, right = bars(plot["traces"][0])
    assert (left[0], right[0]) == pytest.approx((19.6, 19.6)) and np.isnan(left[1])
