"""Reports of designs in words, numbers with the sign of minus, and pictures of what moves on the screen alone."""

from __future__ import annotations

import base64
import re
from io import BytesIO

import numpy as np
import pytest
from tests.app.test_report import Page, plots_of
from tests.app.test_report import bar as bar
from tests.app.test_report import saved as saved

import poinsot
from poinsot.app.report import report_page
from poinsot.app.report.words import with_minus

pytest.importorskip("plotly")
Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def designed(tmp_path_factory) -> str:
    """The page of a motion that was designed, with a limit of one side."""
    bar = poinsot.load("four_bar")
    task = {"task": "excitation", "duration": "4 s", "harmonics": 2, "rate": "50 Hz", "starts": 6, "iterations": 20}
    limits = {"theta1.rate": 3.0}
    found = poinsot.design(bar, task, ["link2.mass", "link3.mass"], limits=limits, noise=0.1)
    return report_page(found.save(tmp_path_factory.mktemp("designed") / "design")).html


def test_plots_of_a_design_have_titles_in_words_labels_and_none_twice(designed):
    titles = re.findall(r"<figcaption><span>([^<]*)</span><button[^>]*class=.save", designed)
    assert titles[:3] == ["Positions of the motion", "Rates of the motion", "Accelerations of the motion"]
    assert "Criterion by start, the best first" in titles and len(titles) == len(set(titles))
    assert not any(title == "motion" for title in titles)
    for plot in plots_of(designed).values():
        assert plot["layout"]["xaxis"]["title"]["text"] and plot["layout"]["yaxis"]["title"]["text"], plot["name"]


def test_a_bound_that_is_none_is_a_dash(designed):
    rows = Page(designed).tables["Limits"]
    assert not any(cell == "None" for row in rows for cell in row)
    one_sided = next(row for row in rows if row[0] == "condition number")
    assert one_sided[rows[0].index("lower")] == "–"


def test_numbers_have_the_sign_of_minus_and_words_keep_their_hyphens(designed):
    rows = Page(designed).tables["Limits"]
    rate = next(row for row in rows if row[0] == "theta1.rate")
    assert rate[rows[0].index("lower")] == "−3"
    assert with_minus("[-0.7, -1e-05]") == "[−0.7, −1e−05]" and with_minus("leg-1 a-2") == "leg-1 a-2"


def test_every_scene_has_a_picture_for_paper(saved):
    html = report_page(saved).html
    pictures = re.findall(r'<div class="stage"[^>]*><img src="data:image/png;base64,([^"]*)" alt="[^"]+">', html)
    assert len(pictures) == html.count('class="stage"') > 0
    for picture in pictures:
        shown = np.asarray(Image.open(BytesIO(base64.b64decode(picture))))
        assert shown.shape[1] > 100 and 0 < np.count_nonzero(shown[..., 3]) < shown[..., 3].size
