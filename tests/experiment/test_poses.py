"""Poses for modal tests: sensitivities, correlations, the published search, limits, sets of poses, bad input."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from benchmarks.vibration import sprung_five_bar
from numpy.testing import assert_allclose

import poinsot
from poinsot.estimate.study import unknowns_of
from poinsot.experiment.limits import limits_of
from poinsot.experiment.poses.assessment import PoseTest
from poinsot.experiment.poses.prior import ParameterPrior
from poinsot.experiment.poses.sampling import Sampling, chunk, judge, judged
from poinsot.experiment.poses.search import draw
from poinsot.experiment.poses.space import ROUND, PoseSpace
from poinsot.experiment.study_file import read_design

SPRINGS = ("A.stiffness", "B.stiffness", "C.stiffness")
DEGREES = {"phi*": "45 deg"}


def sampling(mechanism, unknowns, limits, locked=None, poses=40, sets=50, names=(), **test) -> Sampling:
    """A small sampling."""
    mechanism, prior, _ = ParameterPrior.of(mechanism, unknowns_of(unknowns, mechanism), 0.2)
    options = {"modes": 99, "band": (0.0, np.inf), "spacing": 0.0, "relative": 0.005, "absolute": 0.0}
    options |= {"criterion": "condition", "robust": "nominal"} | test
    space = PoseSpace.of(mechanism, limits_of(limits, mechanism), names)
    return Sampling(mechanism, space, prior, PoseTest(**options), locked, poses, sets, 4, 0)


def three_link(**test) -> Sampling:
    return sampling(poinsot.load("three_link"), SPRINGS, DEGREES, **test)


FIVE_BAR = {"x": ["-0.1 m", "0.1 m"], "y": ["0.22 m", "0.32 m"]}
STEWART = {n: ["-0.03 m", "0.03 m"] for n in "xy"} | {n: "8 deg" for n in ("rx", "ry")}
STEWART |= {"z": ["0.26 m", "0.29 m"], "rz": ["50 deg", "70 deg"]}
CASES = {
    "springs": lambda: three_link(),
    "a length, which moves the bodies": lambda: sampling(
        poinsot.load("three_link"), ["B.stiffness", "L2", "link3.mass"], DEGREES
    ),
    "a loop in the field of gravity": lambda: sampling(
        sprung_five_bar(), ["shoulder1.stiffness", "shoulder2.stiffness", "crank1.mass"], FIVE_BAR, names=("x", "y")
    ),
    "a loop with one drive locked": lambda: sampling(
        sprung_five_bar(),
        ["shoulder2.stiffness", "forearm1.mass", "crank1.elbow.x"],
        FIVE_BAR,
        locked=("shoulder1",),
        names=("x", "y"),
    ),
}


def sprung_delta():
    """The delta robot on the springs of its drives, in the field of gravity."""
    document = deepcopy(dict(poinsot.load("delta").document))
    arms = (t for c in document["components"].values() for t in c["joints"].values() if t.get("actuated"))
    for joint in arms:
        joint.update(stiffness=200.0, rest="pose")
    return poinsot.build(document, "delta")


DELTA = {"x": "50 mm", "y": "50 mm", "z": ["-0.75 m", "-0.65 m"]}
SLOW = {
    "planar links modelled in space": lambda: sampling(poinsot.load("three_link").in_space(), SPRINGS, DEGREES),
    "a delta robot": lambda: sampling(sprung_delta(), ["arm[1-3].self.stiffness"], DELTA),
    "a Stewart platform": lambda: sampling(
        poinsot.load("ex800_drives"), ["leg1.slide.stiffness", "leg4.slide.stiffness", "platform.mass"], STEWART
    ),
    "flexible links": lambda: sampling(
        poinsot.load("navaro_refined"),
        ["clutch.stiffness", "joint.mass", "duralumin.E"],
        {"x": "40 mm", "y": "40 mm", "theta": "10 deg"},
        modes=6,
    ),
}


@pytest.mark.parametrize("case", [*CASES, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_sensitivities_are_those_of_modes_one_by_one(case):
    made = {**CASES, **SLOW}[case]()
    names = made.space.names
    found = judged(made, made.space.draw(made.rng(99), 4))
    good = np.flatnonzero((found["refused"] == 0) & (found["spacing"] > 1e-3))
    assert len(good) > 1
    for k in good:
        one = poinsot.modes(made.mechanism, dict(zip(names, found["s"][k].tolist())), locked=made.locked)
        m = found["frequencies"].shape[1]
        assert_allclose(found["frequencies"][k], one.frequencies[:m], rtol=1e-7)
        exact = one.log_sensitivity(made.prior.names)[:m]
        assert_allclose(found["sensitivity"][k], exact, atol=1e-7 * np.abs(exact).max())


@pytest.mark.parametrize("case", CASES)
def test_correlations_are_those_of_a_map_of_frequencies(case):
    made = CASES[case]()
    found = judged(made, made.space.draw(made.rng(99), 3))
    sets = judge(made).sets
    for k in np.flatnonzero(found["refused"] == 0):
        poses = {n: np.full(len(sets), x) for n, x in zip(made.space.names, found["s"][k])}
        changes = dict(zip(made.prior.names, sets.T))
        f = poinsot.frequency_map(made.mechanism, poses, parameters=changes, locked=made.locked).frequencies
        m = f.shape[1]
        expected = np.corrcoef(f.T, sets.T)[:m, m:]
        assert_allclose(found["rho"][k], expected, atol=1e-7)


def test_the_number_of_threads_does_not_matter(monkeypatch):
    made = replace(three_link(), poses=300)
    monkeypatch.setenv("POINSOT_THREADS", "1")
    alone = draw(made, keep=False)
    monkeypatch.setenv("POINSOT_THREADS", "3")
    for name, values in draw(made, keep=False).items():
        assert np.array_equal(values, alone[name], equal_nan=True), name
    assert np.array_equal(chunk(made, 1)["s"], alone["s"][made.size : 2 * made.size])


@pytest.mark.slow
def test_a_cluster_gives_the_same_numbers():
    pytest.importorskip("distributed", reason="Dask is not installed")
    made = replace(three_link(), poses=300)
    alone = draw(made, keep=False)
    for name, values in draw(made, "local", keep=False).items():
        assert np.array_equal(values, alone[name], equal_nan=True), name


def test_a_pose_has_the_published_condition_numbers():
    found = judged(three_link(), np.deg2rad([[0.0, 0.0, 0.0], [44.4, -44.9, 40.4]]))
    assert_allclose(found["value"], [10.9, 1.51], rtol=5e-3)
    assert found["interplay"][0] > 5 * found["interplay"][1]


@cache
def design(name: str):
    study = read_design(name)
    return replace(study, task=replace(study.task, poses=300, sets=100)).solve()


def test_the_published_search_finds_a_pose_that_is_at_least_as_good():
    found = design("three_link_poses")
    straight, published = found.compared
    assert found.best.criteria["condition"] <= 1.51
    assert straight.criteria["condition"] > 7 * found.best.criteria["condition"] and straight.rank > 250
    assert found.best.value <= published.value
    assert found.rank_correlation > 0.5
    assert set(found.binding) <= {"phi1", "phi2", "phi3"} and found.binding
    assert not any(limit.excess for limit in found.limits)
    said = str(found)
    for text in ("rank correlation", "moves an unknown by", "rests on the limits", "A.stiffness"):
        assert text in said


def test_the_free_optimum_is_that_of_a_fine_grid():
    study = read_design("three_link_free_poses")
    found = replace(study, task=replace(study.task, poses=300, sets=20, robust="nominal")).solve()
    angles = np.deg2rad(np.arange(-180, 180, 4.0))
    b, c = (x.ravel() for x in np.meshgrid(angles, angles))
    made = three_link(spacing=0.02)
    made = replace(made, space=PoseSpace.of(made.mechanism, ()))
    grid = judge(made).assessor(np.column_stack([0 * b, b, b + c]))[0]
    assert found.best.value <= grid.value.min() < 1.02 * found.best.value
    assert found.costs and found.limits == ()


def test_seeds_repeat_and_other_seeds_end_in_the_same_optimum():
    study = read_design("three_link_free_poses")
    small = replace(study, task=replace(study.task, poses=200, sets=20, robust="nominal", compare={}))
    one, again, other = small.solve(), small.solve(), replace(small, seed=7).solve()
    assert one.to_dict() == again.to_dict()
    assert_allclose(other.best.value, one.best.value, rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "unknowns"), [("stewart_poses", 6), ("navaro_poses", 2)])
def test_poses_of_closed_loops_tell_the_stiffness_of_drives(name, unknowns):
    study = read_design(name)
    found = replace(study, task=replace(study.task, poses=64, sets=20, robust="nominal", starts=1)).solve()
    assert len(found.predictions) == unknowns and not found.undetermined
    assert (found.deviation < 0.1 * np.array([p.nominal for p in found.predictions])).all()
    (middle,) = found.compared
    assert middle.refused or middle.value > found.best.value  # symmetric: frequencies repeat


def test_masses_that_are_all_heavier_leave_the_criterion():
    light = poinsot.load("three_link")
    masses = [n for n, p in light.parameters.items() if p.unit in ("kg", "kg·m²")]
    heavy = light.with_parameters({n: 1e4 * light.parameters[n].value for n in masses})
    s = three_link().space.draw(np.random.default_rng(3), 20)
    a, b = (judged(sampling(m, SPRINGS, DEGREES), s) for m in (light, heavy))
    assert_allclose(a["value"], b["value"], rtol=1e-8)
    assert_allclose(a["frequencies"], 100 * b["frequencies"], rtol=1e-9)


def test_predicted_errors_are_those_of_fits_to_noisy_frequencies():
    """Gauss–Newton on the frequencies themselves, by another route than the design: maps of frequencies."""
    found = design("three_link_poses")
    links, names = found.mechanism, [p.name for p in found.predictions]
    nominal, rng = np.array([p.nominal for p in found.predictions]), np.random.default_rng(5)
    pose = {n: float(x) for n, x in found.best.pose.items()}

    def f(p):
        return poinsot.frequency_map(links, pose, parameters=dict(zip(names, p.T))).frequencies

    measured = f(nominal[None]) * (1 + 0.005 * rng.standard_normal((2000, 3)))
    p = np.tile(nominal, (2000, 1))
    for _ in range(4):
        h = 1e-5 * nominal
        J = np.stack([(f(p + h * e) - f(p - h * e)) / (2 * h @ e) for e in np.eye(3)], axis=2)
        p += np.linalg.solve(J, (measured - f(p))[..., None])[..., 0]
    assert_allclose(p.std(axis=0), found.deviation, rtol=0.08)


def test_a_prior_counts_as_information():
    links = poinsot.load("three_link")
    options = {"task": "poses", "poses": 50, "sets": 20, "refine": False, "criterion": "A", "robust": "nominal"}
    wide = {n: {"prior": links.parameters[n].value, "deviation": 0.3 * links.parameters[n].value} for n in SPRINGS}
    sharp = wide | {"C.stiffness": {"prior": 5.77, "deviation": 0.005}}
    loose, tight = (poinsot.design(links, options, u, limits=DEGREES) for u in (wide, sharp))
    assert tight["C.stiffness"].deviation < 0.005 < 0.5 * loose["C.stiffness"].deviation


def test_what_frequencies_do_not_tell_is_named():
    links = poinsot.load("three_link")
    options = {"task": "poses", "poses": 50, "sets": 20, "modes": 2, "robust": "nominal"}
    found = poinsot.design(links, options, list(SPRINGS), limits=DEGREES)
    assert set(found.undetermined) and np.isnan(found.deviation).any()
    assert "not determined" in str(found) and "Design.undetermined" in str(found.status)


def test_two_poses_tell_more_than_one():
    links = poinsot.load("three_link")
    unknowns = [*SPRINGS, "link3.mass", "link1.mass"]  # more than one pose has frequencies
    options = {"task": "poses", "poses": 200, "sets": 20, "criterion": "A", "count": 2, "relative": "0.5 %"}
    two = poinsot.design(links, options, unknowns, limits=DEGREES)
    one = poinsot.design(links, {**options, "count": 1}, unknowns, limits=DEGREES)
    assert len(two.poses) == 2 and 0 < two.efficiency <= 1
    assert not two.undetermined and one.undetermined


def stopped(lower: str, upper: str):
    """The three-link mechanism with end stops in joint B."""
    document = dict(poinsot.load("three_link").document)
    stop = {"type": "end-stop", "on": {"joint": "B"}, "lower": lower, "upper": upper}
    return poinsot.build({**document, "forces": {"stop": stop}}, "stopped")


def test_end_stops_are_limits():
    options = {"task": "poses", "poses": 300, "sets": 20, "robust": "nominal"}
    found = poinsot.design(stopped("-40 deg", "40 deg"), options, list(SPRINGS), limits=DEGREES)
    assert found.refused["beyond a limit"] > 50
    assert "stop" in found.binding
    assert abs(found.best.pose["phi2"] - found.best.pose["phi1"]) <= np.deg2rad(40) + ROUND


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"limits": {"phi1": ["0 deg", "10 deg"], "phi2": ["0 deg", "10 deg"]}, "stop": True},
            "'stop' is violated by",
        ),
        ({"spacing": "90 %"}, "none is above"),
        ({"poses": 0}, "poses"),
        ({"criterion": "F"}, "criterion"),
        ({"robust": "often"}, "way to be robust"),
        ({"band": [100, 1]}, "from low to high"),
        ({"compare": [{"phi1": 0}]}, "no more and no fewer"),
        ({"compare": {"it": {"phi1": "1 m", "phi2": 0, "phi3": 0}}}, "phi1"),
        ({"colour": "red"}, "option"),
        ({"unknowns": ["A.stiffness"]}, "one unknown"),
        ({"relative": -1.0}, "positive"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(change, said):
    change = dict(change)
    limits = change.pop("limits", DEGREES)
    links = stopped("40 deg", "60 deg") if change.pop("stop", False) else poinsot.load("three_link")
    unknowns = change.pop("unknowns", list(SPRINGS))
    with pytest.raises(poinsot.PoinsotError, match=said) as error:
        poinsot.design(links, {"task": "poses", "poses": 50, "sets": 20, **change}, unknowns, limits=limits)
    assert "\n" not in str(error.value)


def test_a_length_without_limits_is_named():
    with pytest.raises(poinsot.PoinsotError, match="'x' is a length"):
        poinsot.design(sprung_five_bar(), {"task": "poses", "coordinates": ["x", "y"]}, ["shoulder?.stiffness"])


def test_figures_have_columns_of_one_length_and_are_saved(tmp_path):
    found = design("three_link_poses")
    assert set(found.figures) == {"correlations", "cloud", "mode_shapes", "frequency_responses"}
    for columns in found.figures.values():
        assert len({len(x) for x in columns.values()}) == 1
    folder = found.save(tmp_path / "found")
    assert {p.name for p in folder.iterdir()} == {
        "design.json",
        "design.toml",
        "nominal.toml",
        *(f"{n}.csv" for n in found.figures),
    }
    peaks = found.figures["frequency_responses"]
    H = next(x for n, x in peaks.items() if "best" in n)
    assert abs(peaks["f [Hz]"][np.argmax(H)] / found.best.frequencies - 1).min() < 0.02
