"""Parameters from measured modes: runs, tests, study files, pairs by shape, outliers, what is refused."""

from __future__ import annotations

import json
import re
import tomllib

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError
from poinsot.estimate.search.registry import SEARCHES
from poinsot.estimate.study_file import study_table
from tests.analysis.vibrating import masses

SPRINGS = ["A.stiffness", "B.stiffness", "C.stiffness"]
TRUE = np.array([21.10, 13.90, 5.77])
START = {n: {"start": s, "bounds": [1, 60]} for n, s in zip(SPRINGS, (30, 20, 10))}
POSES = [{"phi1": 0.0, "phi2": 0.0, "phi3": 0.0}, {"phi1": 0.77, "phi2": -0.78, "phi3": 0.7}]


@pytest.fixture(scope="module")
def links():
    return poinsot.load("three_link")


def runs(mechanism, noise=0.0, poses=POSES, **more) -> list[poinsot.ModalRun]:
    rng = np.random.default_rng(2)
    found = [poinsot.modes(mechanism, pose).frequencies for pose in poses]
    return [
        poinsot.ModalRun(f * rng.normal(1, noise, len(f)), pose, f"pose {k + 1}", **more)
        for k, (f, pose) in enumerate(zip(found, poses))
    ]


QUICK = ("levenberg-marquardt", "trust-region")


@pytest.mark.parametrize("method", [m if m in QUICK else pytest.param(m, marks=pytest.mark.slow) for m in SEARCHES])
def test_every_method_finds_the_springs_from_two_poses(links, method):
    options = {"name": method, "seed": 1} if method in ("swarm", "evolution") else method
    est = poinsot.identify(links, runs(links, 0.003, deviation="0.3 %"), START, options)
    assert np.all(np.abs(est.value - TRUE) < 4 * est.deviation) and not est.status
    assert est.numerics == () and est.study.problem == "frequencies"
    assert np.all(est.deviation < 0.02 * TRUE)


def test_deviations_that_nobody_knows_are_told_by_the_residuals(links):
    known, unknown = (poinsot.identify(links, runs(links, 0.003, deviation=d), START) for d in ("0.3 %", None))
    np.testing.assert_allclose(unknown.value, known.value, rtol=1e-6)
    assert np.all(unknown.deviation / known.deviation == pytest.approx(unknown.deviation[0] / known.deviation[0]))
    assert 0.3 < unknown.deviation[0] / known.deviation[0] < 2


def test_a_study_file_says_everything(links, tmp_path):
    first, second = runs(links, 0.003)
    text = ["format = 1", 'model = "three_link"', "[processing]", "apart = 0.4", "robust = true"]
    text += ["[unknowns]", *(f'"{n}" = {{ start = {one["start"]}, bounds = [1, 60] }}' for n, one in START.items())]
    text += [
        "[modal.straight]",
        f"frequencies = {first.frequencies.tolist()}",
        'deviation = "0.3 %"',
        'locked = "all"',
    ]
    text += ["[modal.bent]", f"frequencies = [nan, {second.frequencies[1]}, {second.frequencies[2]}]"]
    text += ['pose = { phi1 = 0.77, phi2 = -0.78, phi3 = "0.7 rad" }', 'deviation = "0.3 %"']
    text += [
        "[modal.held]",
        f"frequencies = {second.frequencies.tolist()}",
        'role = "validate"',
        'deviation = "0.3 %"',
    ]
    text += ["pose = { phi1 = 0.77, phi2 = -0.78, phi3 = 0.7 }"]
    (tmp_path / "study.toml").write_text("\n".join(text))
    est = poinsot.identify(tmp_path / "study.toml")
    assert [run.name for run in est.study.modal] == ["straight", "bent", "held"]
    assert np.all(np.abs(est.value - TRUE) < 4 * est.deviation)
    assert est.validation is not None and est.validation.relative[0] < 0.02
    assert np.isnan(est.fit.measured[1][0, 0]) and est.fit.over == "mode"
    place = est.save(tmp_path / "out")
    assert json.loads((place / "estimate.json").read_text())["method"] == "trust-region"
    assert (place / "fit.csv").read_text().startswith("run,mode,")
    by_call = poinsot.identify(
        links,
        {"straight": {"frequencies": first.frequencies, "deviation": "0.3 %"}},
        START,
        validate={"held": second},
    )
    assert by_call.validation is not None and by_call.validation.runs == ("held",)


def crossing(ratio: float) -> poinsot.Mechanism:
    """Two masses on two springs beside each other, at right angles; their frequencies cross with the springs."""
    chain = masses(100.0 * ratio, 0.0, m=(1.0,))
    document = dict(chain.document)
    document["bodies"]["m2"] = {"mass": 1.0, "inertia": 0.1}
    document["joints"]["s2"] = {"type": "prismatic", "between": ["ground", "m2"], "axis": [0, 1], "stiffness": 100.0}
    return poinsot.build(document, "crossing")


def test_shapes_tell_which_mode_is_which_where_frequencies_alone_do_not():
    stiff, start = crossing(1.3), crossing(0.8)  # at the start the first spring is the softer one
    found = poinsot.modes(stiff)
    points = ("m1 x", "m2 y")
    shapes = np.array([[abs(found.shape(k)[b][i]) for k in (0, 1)] for b, i in (("m1", 0), ("m2", 1))])
    unknowns = ["s1.stiffness", "s2.stiffness"]
    run = poinsot.ModalRun(found.frequencies, deviation="0.1 %", shapes=shapes, points=points)
    est = poinsot.identify(start, run, unknowns)
    np.testing.assert_allclose(est.value, [130, 100], rtol=1e-6)
    blind = poinsot.identify(start, poinsot.ModalRun(found.frequencies, deviation="0.1 %"), unknowns)
    np.testing.assert_allclose(blind.value, [100, 130], rtol=1e-6)  # the same frequencies, the other way round
    upside_down = poinsot.ModalRun(found.frequencies, deviation="0.1 %", shapes=np.ones((2, 2)), points=points)
    assert "not alike" not in est.verdict
    assert poinsot.identify(start, upside_down, unknowns) is not None


def test_modes_that_were_not_seen_and_modes_that_the_model_lacks(links):
    f = [run.frequencies for run in runs(links)]
    measured = [
        poinsot.ModalRun([f[0][0], np.nan, f[0][2]], POSES[0], "straight", deviation="0.3 %"),
        poinsot.ModalRun([f[1][0], 38.0, f[1][1], f[1][2]], POSES[1], "bent", deviation="0.3 %"),
    ]
    est = poinsot.identify(links, measured, START, processing={"apart": 0.3})
    np.testing.assert_allclose(est.value, TRUE, rtol=1e-6)
    assert "The model lacks measured modes: 38 Hz ('bent', mode 2)." in est.numerics
    assert any("not seen: 83.065 (2)" in step for step in est.steps)


@pytest.mark.slow
def test_an_outlier_is_named_and_left_out_when_asked(links):
    poses = [*POSES, {"phi1": 0.2, "phi2": 0.9, "phi3": -0.4}, {"phi1": 0.0, "phi2": 1.2, "phi3": 0.3}]
    good = runs(links, 0.001, poses, deviation="0.1 %")
    f = good[2].frequencies.copy()
    f[1] *= 1.06
    wrong = [*good[:2], poinsot.ModalRun(f, poses[2], "pose 3", deviation="0.1 %"), good[3]]
    named, left_out = (poinsot.identify(links, wrong, START, processing={"robust": r}) for r in (False, True))
    assert "('pose 3', mode 2;" in " ".join(named.numerics) and "does not fit: residuals" in named.verdict
    assert left_out.numerics == (left_out.numerics[0],) and "Left out" in left_out.numerics[0]
    assert left_out.numerics[0].count("; model") == 1
    assert np.all(np.abs(left_out.value - TRUE) < 4 * left_out.deviation)
    assert not poinsot.identify(links, good, START).numerics


def test_masses_lengths_and_stiffness_of_generated_chains_come_back():
    for seed in range(2):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 7))
        k, m = rng.uniform(50, 400, n), rng.uniform(0.5, 2, n)
        chain = masses(*k, m=tuple(m))
        M, K = np.diag(m), np.diag(k + np.append(k[1:], 0)) - np.diag(k[1:], 1) - np.diag(k[1:], -1)
        f = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)) / (2 * np.pi)
        unknowns = {"s1.stiffness": {"start": 1.2 * k[0]}, "m2.mass": {"start": 0.8 * m[1]}}
        est = poinsot.identify(chain, poinsot.ModalRun(f, deviation=0.01), unknowns)
        np.testing.assert_allclose(est.value, [k[0], m[1]], rtol=1e-7)
        J = poinsot.modes(chain).derivatives(["s1.stiffness", "m2.mass"]) / 0.01
        np.testing.assert_allclose(est.covariance, np.linalg.inv(J.T @ J), rtol=1e-6)


RUN = poinsot.ModalRun([16.9, 83.1, 229.8], deviation="0.5 %")
REFUSED = {
    "fewer frequencies": (
        lambda: (poinsot.ModalRun([16.9, np.nan, 229.8]), START, {}),
        "2 measured values for 3 unk",
    ),
    "no start": (
        lambda: (RUN, {n: {"start": 1e5, "bounds": [1, 1e6]} for n in SPRINGS}, {}),
        "no measured frequency is",
    ),
    "outside": (lambda: (RUN, {"A.stiffness": {"start": 80, "bounds": [1, 60]}}, {}), "outside the bounds"),
    "infeasible": (
        lambda: (RUN, START, {"method": {"name": "interior-point", "constraints": ["A.stiffness >= 100 N·m/rad"]}}),
        "",
    ),
    "no unknowns": (lambda: (RUN, None, {}), "name the unknowns"),
    "other unknowns": (lambda: (RUN, ["D.stiffness"], {}), "there is no parameter 'D.stiffness'"),
    "another method": (lambda: (RUN, START, {"method": "weighted"}), "is for forces"),
    "another pose": (lambda: (poinsot.ModalRun([16.9], {"psi": 0.0}), ["A.stiffness"], {}), "psi"),
    "some deviations": (
        lambda: ([RUN, poinsot.ModalRun([22.7], POSES[1])], START, {}),
        "of all frequencies or of none",
    ),
    "a recording": (
        lambda: (poinsot.Recording.of([0.0, 0.1], {"A": [0.0, 0.1]}), START, {"problem": "frequencies"}),
        "modal runs",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_answered_is_refused_in_one_sentence(links, name):
    make, sentence = REFUSED[name]
    data, unknowns, more = make()
    with pytest.raises(PoinsotError) as raised:
        poinsot.identify(links, data, unknowns, more.get("method"), problem=more.get("problem", "forces"))
    assert sentence in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"frequencies": []}, "empty"),
        ({"frequencies": "abc"}, "list of numbers"),
        ({"frequencies": [-3.0]}, "positive"),
        ({"frequencies": [3.0], "deviation": [0.1, 0.2]}, "2 values of deviation for 1"),
        ({"frequencies": [3.0], "deviation": "0.1 kg"}, "Hz"),
        ({"frequencies": [3.0], "damping": [0.1]}, "damping_deviation"),
        ({"frequencies": [3.0], "shapes": [[1.0]]}, "points"),
        ({"frequencies": [3.0], "role": "guess"}, "role"),
    ],
)
def test_runs_say_what_is_wrong_with_them(fields, sentence):
    with pytest.raises(PoinsotError, match=sentence):
        poinsot.ModalRun(**fields)


def test_deviations_take_a_number_or_a_text_for_each_mode():
    run = poinsot.ModalRun([20.0, "-", "1800 rpm"], deviation=["0.1 Hz", "-", "1 %"], name="check")
    np.testing.assert_allclose(run.deviation, [0.1, np.nan, 0.3])
    np.testing.assert_allclose(poinsot.ModalRun([20.0, 30.0], deviation=[0.1, "6 rpm"]).deviation, [0.1, 0.1])
    both = poinsot.ModalRun([20.0, 30.0], damping=[0.01, 0.02], damping_deviation=["10 %", 0.001])
    np.testing.assert_allclose(both.damping_deviation, [0.001, 0.001])
    for given, said in (
        (["0.1 Hz"], "1 value of deviation for 2"),
        (["0.1 s", 1], "expected a quantity in Hz"),
        (["0 Hz", 1], "finite positive"),
    ):
        with pytest.raises(PoinsotError, match=f"modal run 'check': .*{said}"):
            poinsot.ModalRun([20.0, 30.0], deviation=given, name="check")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('deviation = ["0.1 Hz", "1 %"]', ""),
        (
            "deviation = {a = 1}",
            "study.toml: modal.check.deviation: expected a number, a text or a list, got a table",
        ),
        ("deviation = [0.1, {}]", "study.toml: modal.check.deviation.1: expected a number or a text, got a table"),
        ("pose = 3", "study.toml: modal.check.pose: expected a table, got 3"),
        ("points = [1]", "study.toml: modal.check.points.0: expected a text, got 1"),
    ],
)
def test_what_a_study_file_cannot_hold_is_told_by_its_place_alone(table, said):
    document = tomllib.loads(f'model = "three_link"\n[modal.check]\nfrequencies = [20, 30]\n{table}')
    if not said:
        assert study_table(document, "study.toml").modal["check"].deviation == ["0.1 Hz", "1 %"]
        return
    with pytest.raises(PoinsotError, match=f"^{re.escape(said)}$"):
        study_table(document, "study.toml")
