"""Every result is drawn: into Axes that are given and without, with units, with its own numbers, and in notebooks."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import poinsot
from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.results import BarPanel, Curve, FieldPanel, LinePanel, Panel, Result, TextPanel
from poinsot.results.drawing import COLOURS, MAX_CURVES, OF_VERDICT, draw, picture
from poinsot.results.thinning import thinned
from tests.test_results import every_result, identified

COUNTS = {"", "sample", "number", "batch", "mode", "pose", "iteration", "mode of the test", "mode of the model"}
HOSTILE = "<script>alert('x')</script> & $\\frac{ -- _x ]]>"


def further() -> dict[str, Result]:
    """Results that are parts of others."""
    found = identified()
    counted = poinsot.identify(found.study, bootstrap=40)
    springs = {name: {"start": x, "bounds": [1, 100]} for name, x in (("A.stiffness", 30.0), ("B.stiffness", 20.0))}
    links = poinsot.load("three_link")
    run = poinsot.ModalRun([16.946, 83.065, 229.157], {"phi1": 0.0, "phi2": 0.0, "phi3": 0.0}, deviation="0.5 %")
    searched = poinsot.identify(links, run, springs, "interior-point")
    return {
        "fit": found.fit,
        "surface": found.cost_surface("link2.mass", "link3.mass", 7),
        "profile": found.profile("link2.mass"),
        "bootstrap": counted.bootstrap,
        "searched": searched,
        "convergence": searched.convergence,
        "hostile recording": poinsot.Recording.of(T_HOSTILE, {HOSTILE: np.sin(T_HOSTILE)}, units={HOSTILE: HOSTILE}),
    }


T_HOSTILE = np.arange(50) / 10
PARTS: dict[str, Result] = {}


@pytest.fixture
def results() -> dict[str, Result]:
    PARTS.update({} if PARTS else further())
    return {verb: result for verb, (result, _, _) in every_result().items()} | PARTS


def labels(panel: Panel) -> list[str]:
    if isinstance(panel, LinePanel):
        return [panel.x, panel.y]
    if isinstance(panel, FieldPanel):
        return [panel.x, panel.y, panel.label]
    return [panel.x] if isinstance(panel, BarPanel) else []


def test_every_class_of_results_says_what_is_drawn():
    for module in pkgutil.walk_packages(poinsot.__path__, "poinsot."):
        if not module.name.startswith(("poinsot.app", "poinsot.library")):
            importlib.import_module(module.name)

    def below(cls: type) -> set[type]:
        return {cls}.union(*(below(one) for one in cls.__subclasses__()))

    silent = [c.__name__ for c in below(Result) if c.panels is Result.panels and not c._plot and is_a_record(c)]
    assert silent == []


def is_a_record(cls: type) -> bool:
    return "__dataclass_fields__" in vars(cls) and cls.__module__.startswith("poinsot.")


def test_labels_carry_units(results):
    for verb, result in results.items():
        assert result.panels(), verb
        for label in (text for panel in result.panels() for text in labels(panel)):
            assert re.search(r"\[.+\]$", label, re.S) or label in COUNTS, f"{verb}: '{label}' has no unit"


def drawn(axes) -> list[np.ndarray]:
    """Data of all lines, bars and images of one Axes."""
    found = [np.column_stack(line.get_data()) for line in axes.get_lines()]
    found += [
        np.array([[bar.get_width() for bar in group]]) for group in axes.containers if hasattr(group, "patches")
    ]
    return found + [np.asarray(mesh.get_array()) for mesh in axes.collections if hasattr(mesh, "get_coordinates")]


def holds(found: list[np.ndarray], values: np.ndarray) -> bool:
    wanted = np.ravel(np.asarray(values, float))
    for data in found:
        columns = [np.ravel(data), *(data.T if data.ndim == 2 else [])]
        if any(
            len(c) == len(wanted) and np.allclose(np.ma.filled(c, np.nan), wanted, equal_nan=True) for c in columns
        ):
            return True
    return False


def test_plots_without_axes_are_new_figures_with_a_pair_of_axes_for_each_panel(results):
    for verb, result in results.items():
        axes = result.plot()
        assert isinstance(axes, np.ndarray) and axes.shape == (len(result.panels()),), verb
        assert len({id(one.figure) for one in axes}) == 1


def test_plots_go_into_axes_that_are_given_and_give_them_back(results):
    from matplotlib.figure import Figure

    for verb, result in results.items():
        n = len(result.panels())
        axes = Figure().subplots(n, squeeze=False).ravel()
        back = result.plot(axes)
        assert isinstance(back, np.ndarray) and [*back] == [*axes], verb
    assert {len(result.panels()) for result in results.values()} > {1, 2}
    one = Figure().subplots()
    assert results["inverse_dynamics"].plot(one, panels=1) is one
    assert results["inverse_dynamics"].plot(one, panels=[1]).tolist() == [one]
    with pytest.raises(PoinsotError, match=r"1 Axes for 2 panels.*'A.force \[N·m\]', 1 'A.power \[W\]'"):
        results["inverse_dynamics"].plot([one])
    for verb, result in results.items():  # one for all: its first panel
        one = Figure().subplots()
        assert result.plot(one) is one and (one.has_data() or one.texts), verb
    with pytest.raises(PoinsotError, match="numbers from 0 to 1, not 2"):
        results["inverse_dynamics"].plot(one, panels=2)
    with pytest.raises(PoinsotError, match="Axes of Matplotlib"):
        results["inverse_dynamics"].plot("here")


def test_curves_bars_and_fields_are_those_that_a_result_tells(results):
    for verb, result in results.items():
        for panel, axes in zip(result.panels(), result.plot()):
            found = drawn(axes)
            if isinstance(panel, LinePanel):
                assert all(holds(found, c.y) for c in panel.curves[:MAX_CURVES]), f"{verb}: {panel.y}"
            elif isinstance(panel, BarPanel):
                assert all(holds(found, x) for x in panel.series.values()), f"{verb}: {panel.x}"
            elif isinstance(panel, FieldPanel):
                assert holds(found, np.asarray(panel.values).T), f"{verb}: {panel.label}"


def expected(results) -> dict[str, list[np.ndarray]]:
    """By verb, numbers of the result that its plot must show, from its own attributes."""
    r = results
    H, f, e = r["frf"].H[:, 0, 0], r["frequency_response"], r["identify"]
    nominal = np.array([p.nominal for p in e.parameters])
    return {
        "kinematics": [r["kinematics"].coordinates["theta2"], r["kinematics"].rates["theta3"]],
        "inverse_dynamics": [r["inverse_dynamics"].forces["A"], r["inverse_dynamics"].power["A"]],
        "simulate": [r["simulate"].coordinates["theta1"], r["simulate"].energy - r["simulate"].energy[0]],
        "simulate a batch": [r["simulate a batch"].coordinates["phi"][1]],
        "modes": [r["modes"].frequencies, 100 * r["modes"].strain_energy["B.spring"]],
        "frf": [np.abs(H), np.degrees(np.angle(H))],
        "frequency_response": [np.abs(f.H[f.frequency > 0, 0, 0]), f.coherence[f.frequency > 0, 0]],
        "frequency_map": [r["frequency_map"].frequencies[..., 1].ravel()],
        "stiffness": [np.diag(np.asarray(r["stiffness"]))[:3]],
        "determinable": [
            [100 * x.relative for x in sorted(r["determinable"].findings, key=lambda x: not np.isfinite(x.relative))]
        ],
        "base_parameters": [r["base_parameters"].coefficients[::-1]],
        "read": [r["read"]["leg1"]],
        "allan": [r["allan"].deviation],
        "identify": [100 * (e.value / nominal - 1), e.fit.measured[0][:, 0], e.fit.predicted[0][:, 0]],
        "design": [100 * r["design"].deviation / [21.1, 5.77]],
        "modal_test": [r["modal_test"].chart.frequency[r["modal_test"].chart.stable]],
        "fuse": [r["fuse"].position[:, 2]],
        "surface": [r["surface"].cost.T],
        "convergence": [r["convergence"].cost],
    }


def test_plots_show_the_numbers_of_the_result(results):
    for verb, numbers in expected(results).items():
        found = [data for one in results[verb].plot() for data in drawn(one)]
        for values in numbers:
            assert holds(found, values), f"{verb}: {values} is not in its plot"


def test_no_window_no_global_state():
    code = (
        "import sys, matplotlib, poinsot, warnings\n"
        "def settings(): return {k: str(matplotlib.rcParams[k]) for k in matplotlib.rcParams if 'backend' not in k}\n"
        "before = settings()\n"
        "warnings.simplefilter('error'); bar = poinsot.load('four_bar')\n"
        "k = poinsot.kinematics(bar, {'theta1': lambda t: t}, [0.5, 0.6]); k.plot(); k._repr_html_()\n"
        "assert settings() == before; print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


QUICK = ("kinematics", "modes", "base_parameters", "determinable", "identify", "check", "hostile recording")


@pytest.mark.parametrize("which", [QUICK, pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"])
def test_pages_are_well_formed_with_a_table_and_a_picture_and_users_text_is_escaped(results, which):
    for verb, result in results.items():
        if which and verb not in which:
            continue
        page = result._repr_html_()
        root = ElementTree.fromstring(page)
        assert root.find("pre") is not None and root.find("{http://www.w3.org/2000/svg}svg") is not None, verb
        assert not {"script", "b"} & {e.tag.split("}")[-1] for e in root.iter()}, verb
        assert len(page) < 300_000, verb
    page = results["hostile recording"]._repr_html_()
    assert "&lt;script&gt;" in page and "<script" not in page


def test_hostile_names_reach_every_kind_of_panel():
    x = np.arange(3.0)
    panels = [
        LinePanel(
            x=HOSTILE, y="$", curves=(Curve(HOSTILE, x, x), Curve("_a", x, x)), title=HOSTILE, marks={HOSTILE: 1}
        ),
        BarPanel(names=(HOSTILE, "_", "$"), x=HOSTILE, series={HOSTILE: x, "_b": x}, levels={HOSTILE: 1.0}),
        FieldPanel(x="", y="", across=[HOSTILE, "$"], upwards=["a"], values=[[1.0], [2.0]], label=HOSTILE),
        TextPanel(lines=(HOSTILE,), title=HOSTILE),
    ]
    ElementTree.fromstring(picture(panels, "svg"))
    names = [text.get_text().strip() for text in draw(panels)[0].get_legend().get_texts()]
    assert names == [HOSTILE, "_a"]


def test_without_matplotlib_the_extra_is_named_and_pages_have_no_picture(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"matplotlib.*pip install 'poinsot\[plot\]'"):
        results["hold"].plot()
    page = results["hold"]._repr_html_()
    assert "<svg" not in page and "A.force [N·m]" in page and "<td>" in page


@settings(deadline=None, max_examples=40)
@given(arrays(float, st.integers(1, 3000), elements=st.floats(-1e6, 1e6)), st.integers(2, 50))
def test_thinned_curves_keep_their_ends_and_the_peaks_of_every_part(y, bins):
    kept = thinned([y], bins)
    assert len(kept) <= max(2 * bins + 2, len(y) if len(y) <= 2 * bins else 0) and np.all(np.diff(kept) > 0)
    assert kept[0] == 0 and kept[-1] == len(y) - 1
    assert y[kept].max() == y.max() and y[kept].min() == y.min()
    if len(y) > 2 * bins:
        for part in np.split(np.arange(len(y)), np.linspace(0, len(y), bins + 1).astype(int)[1:-1]):
            inside = np.intersect1d(part, kept)
            assert y[inside].max() == y[part].max() and y[inside].min() == y[part].min()


def test_gaps_of_long_signals_stay_and_a_peak_is_drawn():
    y = np.zeros(100_000)
    y[50_000:60_000], y[12_345] = np.nan, 7.0
    recording = poinsot.Recording.of(np.arange(100_000) / 1000, {"a": y}, units={"a": "N"})
    x, shown = recording.plot()[0].get_lines()[0].get_data()
    assert len(shown) < 2100 and np.nanmax(shown) == 7.0
    assert np.isnan(shown[(x > 50) & (x < 59.9)]).all()


def test_only_as_many_curves_as_can_be_read_are_drawn_and_that_is_said():
    x = np.arange(4.0)
    many = LinePanel(x="t [s]", y="y [m]", curves=tuple(Curve(f"c{k}", x, k + x) for k in range(20)))
    (axes,) = draw([many])
    assert (
        len(axes.get_lines()) == MAX_CURVES
        and axes.get_legend().get_title().get_text() == f"first {MAX_CURVES} of 20"
    )
    run = poinsot.Recording.of(x, {f"c{k}": x for k in range(12)}, units={f"c{k}": "m" for k in range(12)})
    assert len(run.plot()) == 8 and "first 8 of 12 channels" in run.plot()[0].get_title(loc="left")
    (bars,) = draw([BarPanel(names=tuple(map(str, range(60))), x="x [m]", series={"a": np.arange(60.0)})])
    assert bars.get_title(loc="left") == "first 40 of 60"


def test_verdicts_differ_in_colour_and_marker(results):
    (axes,) = results["determinable"].plot()
    shown = {line.get_label(): (line.get_color(), line.get_marker()) for line in axes.get_lines()}
    assert shown == {v: OF_VERDICT[v] for v in {str(f.verdict) for f in results["determinable"].findings}}
    assert len({c for c, _ in OF_VERDICT.values()}) == len({m for _, m in OF_VERDICT.values()}) == 3
    assert len(set(COLOURS)) == len(COLOURS)


def test_legends_cover_nothing(results):
    axes = results["kinematics"].plot()[0]
    axes.figure.draw_without_rendering()
    assert axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1


def test_findings_are_marked_where_they_are(tmp_path):
    t = np.arange(2000) / 100
    y = np.sin(t)
    y[500:540] = 0.3
    rows = "\n".join(f"{a},{b}" for a, b in zip(t, y))
    (tmp_path / "run.csv").write_text(f"t [s],leg1 [m]\n{rows}")
    recording = poinsot.read(tmp_path / "run.csv")
    (panel,) = recording.panels()
    assert panel.title == "error: stuck" and panel.shaded == ((5.0, 5.39),)
    (axes,) = recording.plot()
    assert [round(patch.get_extents().x0, 6) for patch in axes.patches] and "stuck" in axes.get_title(loc="left")


def test_an_image_is_drawn_over_two_grids_and_the_right_way_round():
    links = poinsot.load("three_link")
    a, c = np.meshgrid([20.0, 21.0, 22.0], [5.0, 6.0], indexing="ij")
    found = poinsot.frequency_map(links, parameters={"A.stiffness": a, "C.stiffness": c}, n=1)
    turned = poinsot.frequency_map(links, parameters={"A.stiffness": a.T, "C.stiffness": c.T}, n=1)
    for one in (found, turned):
        (panel,) = one.panels()
        assert panel.x == "A.stiffness [N·m/rad]" and list(panel.across) == [20, 21, 22]
        np.testing.assert_allclose(panel.values, found.frequencies[..., 0], rtol=1e-12)
    values = np.asarray(draw([panel])[0].collections[0].get_array())
    np.testing.assert_allclose(values, found.frequencies[..., 0].T, rtol=1e-12)


def test_estimates_that_have_no_relative_change_say_so_by_name():
    found = identified()
    first, second = found.parameters
    parameters = (replace(first, nominal=0.0), replace(second, value=np.nan, deviation=np.nan))
    names = replace(found, parameters=parameters).panels()[0].names
    assert re.match(r"link2.mass \(2\.\d+ ± \S+ kg, from 0\)", names[0]) and names[1] == "link3.mass (undetermined)"


def test_every_argument_of_plot_is_documented():
    doc = Result.plot.__doc__ or ""
    assert all(name in doc for name in inspect.signature(Result.plot).parameters if name != "self")
