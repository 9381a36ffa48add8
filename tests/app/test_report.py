"""Reports: every number is the estimate's, what is undetermined has none, peaks survive, texts are escaped."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.estimate.frequencies.test_measured_modes import START, runs
from tests.test_results import identified

import poinsot
from poinsot.app.report import report_page, write_report
from poinsot.app.report.saved import read_result
from poinsot.app.report.sections.registry import SECTIONS
from poinsot.app.report.signals import autocorrelation, read_signals
from poinsot.estimate.results.text import with_error
from poinsot.results.thinning import thinned

pytest.importorskip("plotly")
LIMIT = 7_000_000  # bytes of a page
EVIL = '<script>alert("x")</script></script><b>&amp;'


class Page(HTMLParser):
    """What a page says: texts, tables by caption, elements that run."""

    def __init__(self, html: str):
        super().__init__()
        self.text, self.tags, self.tables, self.headings = [], [], {}, []
        self._inside, self._row, self._caption = [], [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside.append(tag)
        if tag == "tr":
            self._row = []
        if tag in ("td", "th"):
            self._row.append("")

    def handle_endtag(self, tag):
        if tag in self._inside:
            del self._inside[len(self._inside) - 1 - self._inside[::-1].index(tag) :]
        if tag == "tr":
            self.tables[self._caption].append(self._row)

    def handle_data(self, data):
        if "script" in self._inside or "style" in self._inside:
            return
        self.text.append(data)
        if "caption" in self._inside:
            self._caption = data
            self.tables[data] = []
        if "h2" in self._inside:
            self.headings.append(data)
        if self._row and ("td" in self._inside or "th" in self._inside):
            self._row[-1] += data


def unpacked(html: str, what: str) -> str:
    """A packed part of a page."""
    found = re.search(rf'id="{what}-packed">([^<]*)<', html)
    assert found
    return gzip.decompress(base64.b64decode(found[1])).decode()


def plots_of(html: str) -> dict[str, dict]:
    return {plot["name"]: plot for plot in json.loads(unpacked(html, "plots"))}


def column(plot: dict, head: str) -> np.ndarray:
    values = plot["columns"][plot["heads"].index(head)]
    return np.array([np.nan if x is None else x for x in values])


@pytest.fixture(scope="module")
def bar() -> poinsot.Estimate:
    return identified()


@pytest.fixture(scope="module")
def saved(bar, tmp_path_factory) -> Path:
    return bar.save(tmp_path_factory.mktemp("bar") / "result")


@pytest.fixture(scope="module")
def html(saved) -> str:
    return report_page(saved).html


@pytest.fixture(scope="module")
def springs() -> poinsot.Estimate:
    """Three springs from measured frequencies, one with a prior."""
    links = poinsot.load("three_link")
    unknowns = START | {"C.stiffness": {**START["C.stiffness"], "prior": 5.9, "deviation": 0.4}}
    first, second = runs(links, 0.003, deviation="0.3 %")
    return poinsot.identify(links, {"straight": first}, unknowns, validate={"bent": second})


@pytest.fixture(scope="module")
def blind(tmp_path_factory) -> tuple[poinsot.Estimate, Path]:
    """All linear parameters of a four-bar from one torque: most are determined together only."""
    truth = identified().study
    est = poinsot.identify(truth.mechanism, truth.runs[0].recording)
    assert est.undetermined
    return est, est.save(tmp_path_factory.mktemp("blind") / "result")


def test_sections_come_in_their_order_and_identifiability_before_the_verdict(html):
    titles = Page(html).headings
    assert titles[:4] == ["The question", "What the data determines", "Verdict on the estimate", "Estimates"]
    assert titles[-1].startswith("Provenance")
    assert "Validation on held-out runs" not in titles  # nothing was held out, and the verdict says so
    assert "No run was held out" in html
    assert [make.__name__ for make in SECTIONS][:4] == ["question", "identifiability", "verdict", "estimates"]


def test_every_printed_number_of_the_estimates_is_the_estimates(bar, html):
    rows = {row[0]: row for row in Page(html).tables["Unknowns"]}
    for p in bar.parameters:
        shown = rows[p.name]
        at = {head: shown[k] for k, head in enumerate(rows["unknown"])}
        assert at["estimate ± standard error"] == with_error(p.value, p.deviation)
        assert at["unit"] == p.unit and float(at["model"]) == pytest.approx(p.nominal, rel=1e-5)
    plot = plots_of(html)["estimates"]
    np.testing.assert_allclose(column(plot, "estimate [SI]").astype(float), bar.value, rtol=1e-7)
    np.testing.assert_allclose(column(plot, "standard error [SI]").astype(float), bar.deviation, rtol=1e-7)
    share = 196 * bar.deviation / np.abs([p.nominal for p in bar.parameters])
    change = column(plot, "change [%]").astype(float)
    np.testing.assert_allclose(column(plot, "lower [%]").astype(float), change - share, rtol=1e-6)
    np.testing.assert_allclose(column(plot, "upper [%]").astype(float), change + share, rtol=1e-6)
    fits = Page(html).tables["Channels in run1"][1]
    assert float(fits[1]) == pytest.approx(bar.fit["A"].rms, rel=5e-3)


def test_bars_and_gaps_say_what_they_are(bar, html, tmp_path):
    assert plots_of(html)["estimates"]["layout"]["xaxis"]["title"]["text"] == "change from the model [%]"
    assert "Estimates beside the model; bars: 95 % interval" in html and "Gaps in the curves" not in html
    rec = bar.study.runs[0].recording
    hit = (rec.t > 0.4 * rec.t[-1]) & (rec.t < 0.6 * rec.t[-1])
    est = poinsot.identify(bar.study.mechanism, rec.masked(hit, "a cell that was hit", "A"), bar.names)
    lost = int(np.isnan(est.fit.measured[0]).sum())
    assert lost
    assert f"Gaps in the curves: {lost} of {len(est.fit.t[0])} samples" in report_page(est.save(tmp_path / "r")).html


def test_undetermined_unknowns_have_no_number(blind):
    est, folder = blind
    page = Page(report_page(folder).html)
    rows = {row[0]: row for row in page.tables["Unknowns"]}
    heads = rows["unknown"]
    for name in est.undetermined:
        row = dict(zip(heads, rows[name]))
        assert row["estimate ± standard error"] == "–" and row["verdict"] == "undetermined"
        assert row["change"] == "–" if "change" in row else True
        assert "undetermined" in row["remark"]
    assert not set(est.undetermined) & set(column(plots_of(report_page(folder).html)["estimates"], "unknown"))
    mixed = [c.text for c in est.combinations if c.text not in est.names]
    assert {row[0] for row in page.tables["Combinations that are determined instead"][1:]} == set(mixed)


def test_peaks_survive_thinning():
    rng = np.random.default_rng(1)
    x = rng.standard_normal(100_000)
    at = rng.choice(len(x), 20, replace=False)
    x[at] += 50.0 * rng.choice([-1, 1], 20)
    rows = thinned([x, -x], 400)
    assert len(rows) < 2000 and set(at) & set(rows) == set(at)
    assert rows[0] == 0 and rows[-1] == len(x) - 1 and np.all(np.diff(rows) > 0)
    holes = np.where(np.arange(len(x)) % 7, x, np.nan)
    assert np.nanmax(holes[thinned([holes], 100)]) == np.nanmax(holes)


def test_the_data_of_a_plot_are_the_signals_of_the_folder(bar, html, saved):
    plot = plots_of(html)["fit-A"]
    measured = np.concatenate(bar.fit.measured)[:, 0]
    np.testing.assert_allclose(column(plot, "measured [N·m]"), measured, rtol=1e-7)
    np.testing.assert_allclose(column(plot, "t [s]"), bar.fit.t[0], rtol=1e-7)
    residual = measured - np.concatenate(bar.fit.predicted)[:, 0]
    np.testing.assert_allclose(column(plot, "residual [N·m]"), residual, atol=1e-6)
    for trace in plot["traces"]:  # nothing is drawn that is not in the CSV file
        assert set(trace["y"]) == {"$", "from", "to"} and trace["y"]["$"] < len(plot["columns"])
    signals = read_signals(saved / "fit.csv")
    assert signals is not None and signals.channels == (("A", "N·m"),) and signals.runs == ("run1",)


def test_figures_are_such_as_plotly_takes(html):
    import plotly.graph_objects as go

    for plot in plots_of(html).values():
        text = re.sub(r'"@diverging"', '"Viridis"', re.sub(r'"@(?!diverging)[\w-]+"', '"red"', json.dumps(plot)))
        again = json.loads(text)

        def told(value, again=again):
            if isinstance(value, dict):
                if "$" in value:
                    return again["columns"][value["$"]][value["from"] : value["to"]]
                return {key: told(x) for key, x in value.items()}
            return [told(x) for x in value] if isinstance(value, list) else value

        go.Figure(data=told(again["traces"]), layout=told(again["layout"]))


def test_springs_from_frequencies_are_reported_with_priors_bounds_convergence_and_validation(springs, tmp_path):
    folder = springs.save(tmp_path / "result")
    html = report_page(folder).html
    page = Page(html)
    assert {"Convergence", "Validation on held-out runs", "Cost surfaces", "Correlation of the unknowns"} <= set(
        page.headings
    )
    rows = {row[0]: dict(zip(page.tables["Unknowns"][0], row)) for row in page.tables["Unknowns"]}
    assert rows["C.stiffness"]["prior"] == with_error(5.9, 0.4) and rows["A.stiffness"]["prior"] == "–"
    assert rows["A.stiffness"]["bounds"] == "1 … 60"
    plots = plots_of(html)
    np.testing.assert_allclose(column(plots["convergence"], "cost"), springs.convergence.cost, rtol=1e-7)
    spread = springs.deviation
    rho = springs.covariance / np.outer(spread, spread)
    np.testing.assert_allclose(column(plots["correlation"], "correlation"), rho.ravel(), atol=1e-6)
    surface = next(plot for name, plot in plots.items() if name.startswith("surface-"))
    a, b = (head.rsplit(" [", 1)[0] for head in surface["heads"][:2])
    within = {n: (column(surface, h).min(), column(surface, h).max()) for n, h in zip((a, b), surface["heads"])}
    again = springs.cost_surface(a, b, 31, within=within)
    np.testing.assert_allclose(column(surface, "misfit"), again.cost.ravel(), rtol=1e-4)
    assert any(trace["mode"] == "markers" for trace in plots["fit-frequency"]["traces"])


def test_texts_of_users_are_escaped(springs, tmp_path):
    folder = springs.save(tmp_path / "result")
    data = json.loads((folder / "estimate.json").read_text())
    data["parameters"][0]["name"] = data["parameters"][0]["unit"] = EVIL
    data["parameters"][1] |= {"value": None, "remark": EVIL}
    data["combinations"][0]["text"] = data["verdict"] = data["method"] = EVIL
    data["fit"]["channels"][0]["channel"] = data["fit"]["runs"][0] = EVIL
    data["steps"], data["numerics"], data["study"]["description"] = [EVIL], [EVIL], EVIL
    data["provenance"]["model"], data["provenance"]["command"] = EVIL, ["poinsot", EVIL]
    file = {"name": EVIL, "sha256": EVIL, "format": "csv"}
    run = {"role": "identify", "files": [file], "samples": "", "span": [0, 1], "findings": [f"error: {EVIL}"]}
    data["provenance"]["recordings"] = {EVIL: run}
    (folder / "estimate.json").write_text(json.dumps(data))
    (folder / "study.toml").write_text(EVIL)
    signals = (folder / "fit.csv").read_text().replace("frequency", EVIL.replace('"', '""'))
    (folder / "fit.csv").write_text(signals.replace("straight", '"' + EVIL.replace('"', '""') + '"'))
    html = report_page(folder).html
    page, plain = Page(html), Page(report_page(springs.save(tmp_path / "plain")).html)
    assert EVIL in "".join(page.text) and EVIL not in html
    assert sum(tag == "script" for tag, _ in page.tags) == sum(tag == "script" for tag, _ in plain.tags)
    assert "b" not in {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert not re.search(r'[<>"/\\]', "".join(plots_of(html)))  # names of files


def test_the_page_asks_nothing_of_the_network(html):
    page = Page(html)
    assert not [a for _, a in page.tags if re.match(r"(https?:)?//", a.get("src") or a.get("href") or "")]
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "http" not in policy


def test_headings_alternative_texts_and_contents(html):
    page = Page(html)
    ids = {a["id"] for _, a in page.tags if "id" in a}
    links = [a["href"] for tag, a in page.tags if tag == "a"]
    assert links and all(link[1:] in ids for link in links)
    drawn = [a for tag, a in page.tags if tag == "div" and a.get("class") == "plot"]
    assert drawn and all(a["role"] == "img" and len(a["aria-label"]) > 20 for a in drawn)
    assert sum(tag == "h1" for tag, _ in page.tags) == 1


@pytest.fixture
def long_folder(saved, tmp_path) -> Path:
    """A result with a long recording: 100 000 samples of 12 channels."""
    folder, rng = tmp_path / "long", np.random.default_rng(0)
    folder.mkdir()
    data = json.loads((saved / "estimate.json").read_text())
    names = [f"channel {k}" for k in range(12)]
    data["fit"]["channels"] = [data["fit"]["channels"][0] | {"channel": name} for name in names]
    (folder / "estimate.json").write_text(json.dumps(data))
    heads = ",".join(f'"{kind} {name} [N]"' for name in names for kind in ("measured", "predicted"))
    x = np.cumsum(rng.standard_normal((1000, 24)), axis=0)
    part = [",".join(f"{v:.5g}" for v in row) for row in x]
    lines = [f"run1,{k / 1000:.6g},{part[k % 1000]}" for k in range(100_000)]
    lines[54_321] = "run1,54.321,1e6" + 23 * ","
    (folder / "fit.csv").write_text("\n".join([f"run,t [s],{heads}", *lines]))
    for name in ("model.toml", "motion.csv", "surfaces.json"):
        (folder / name).write_bytes((saved / name).read_bytes())
    return folder


def test_a_long_recording_makes_no_large_page(long_folder):
    page = report_page(long_folder)
    assert len(page.html.encode()) <= 0.8 * LIMIT  # twice as many plots with runs to validate
    plots = plots_of(page.html)
    assert column(plots["fit-channel-0"], "measured [N]").max() == 1e6
    assert all(len(plot["columns"][0]) < 4000 for plot in plots.values())


def test_two_results_are_compared(bar, saved, tmp_path):
    other = poinsot.identify(
        bar.study.mechanism, bar.study.runs[0].recording, ["link2.mass", "link3.mass"], "robust"
    ).save(tmp_path / "robust")
    found = poinsot.compare([saved, other])
    html = write_report(saved, tmp_path / "both.html", other).html
    page = Page(html)
    rows = {row[0]: row for row in page.tables["Values side by side"][1:]}
    for k, name in enumerate(found.names):
        values = [with_error(v, s) for v, s in zip(found.value[k], found.deviation[k])]
        assert rows[name][2:5] == [*values, f"{found.difference[k, 1]:+.2f}".replace("-", "−")]
    np.testing.assert_allclose(
        column(plots_of(html)["differences"], "difference [joint standard errors]"), found.difference[:, 1], rtol=1e-6
    )
    assert [row[2] for row in page.tables["Verdicts"][1:]] == list(found.verdicts)
    assert (tmp_path / "both.html").read_text() == html


def test_a_folder_of_before_without_study_motion_and_signals_is_reported(saved, tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    data = json.loads((saved / "estimate.json").read_text())
    del data["study"]
    (old / "estimate.json").write_text(json.dumps(data))
    page = Page(report_page(old).html)
    assert "The folder has no signals" in "".join(page.text)
    assert "The mechanism" not in page.headings and "Cost surfaces" not in page.headings
    assert "bounds" not in page.tables["Unknowns"][0]


def test_pages_repeat(saved):
    assert report_page(saved).html == report_page(saved).html


def test_motion_and_surfaces_are_kept(bar, saved):
    kept = read_result(saved)
    assert kept.motion is not None and bar.motion is not None
    for body, R in bar.motion.rotation.items():
        np.testing.assert_allclose(kept.motion.position[body], bar.motion.position[body], atol=1e-6)
        np.testing.assert_allclose(kept.motion.rotation[body], R, atol=1e-6)
    assert kept.asked["link2.mass"]["start"] == pytest.approx(bar["link2.mass"].nominal)
    assert (saved / "nominal.toml").is_file() and kept.mechanism is not None


def test_designs_are_reported_too(tmp_path):
    options = {"task": "poses", "poses": 20, "sets": 10, "robust": "nominal", "refine": False}
    found = poinsot.design(poinsot.load("three_link"), options, ["A.stiffness", "C.stiffness"])
    page = Page(report_page(found.save(tmp_path / "design")).html)
    rows = {row[0]: row for row in page.tables["Predicted standard errors"][1:]}
    for p in found.predictions:
        assert rows[p.name][2] == (with_error(p.nominal, p.deviation) if np.isfinite(p.deviation) else "–")
    assert "The design" in page.headings and "Estimates" not in page.headings


def test_autocorrelation_is_that_of_its_definition_with_gaps_and_runs():
    rng = np.random.default_rng(3)
    one, two = (np.convolve(rng.standard_normal(n), [1.0, 0.6, 0.3]) for n in (300, 170))
    one[40:50] = np.nan
    mean = np.nanmean(np.concatenate([one, two]))
    products = []
    for lag in range(6):
        pairs = [(x[lag:] - mean) * (x[: len(x) - lag] - mean) for x in (one, two)]
        products.append(np.nanmean(np.concatenate(pairs)))
    np.testing.assert_allclose(autocorrelation([one, two], 5), np.array(products) / products[0], atol=1e-12)


def test_single_starts_are_a_plot_by_minimum_a_table_and_a_file(tmp_path):
    links = poinsot.load("three_link")
    first, _ = runs(links, 0.003, deviation="0.3 %")
    est = poinsot.identify(links, {"straight": first}, START, {"name": "multi-start", "starts": 6})
    folder = est.save(tmp_path / "result")
    rows = list(csv.reader((folder / "starts.csv").read_text().splitlines()))
    assert len(rows) == 7 and float(rows[1][1]) == est.starts.cost[0]
    data = json.loads((folder / "estimate.json").read_text())
    data["starts"] |= {"cost": [1.0, 2.0, 2.0, 2.0, 3.0, None], "minimum": [1, 2, 3, 2, 4, 0]}
    data["starts"]["ended"][5] = "<b>no answer</b>"
    (folder / "estimate.json").write_text(json.dumps(data))
    page = report_page(folder)
    plot = plots_of(page.html)["starts"]
    assert "starts.csv" in page.files
    shown = dict(zip(plot["heads"], plot["columns"]))
    assert shown["minimum"] == [1, 2, 2, 3, 4, 0] and shown["cost"] == [1.0, 2.0, 2.0, 2.0, 3.0, None]
    assert shown["ended"][:5] == ["converged"] * 5 and shown["ended"][5] == "<b>no answer</b>"
    assert [(t["name"], t["x"]["from"], t["x"]["to"]) for t in plot["traces"]] == [
        ("minimum 1", 0, 1),
        ("minimum 2", 1, 3),
        ("minimum 3", 3, 4),
        ("minimum 4", 4, 5),
    ]
    assert "6 starts, 4 minima" in page.html and "&lt;b&gt;no answer" in page.html
