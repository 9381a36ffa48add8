"""Results of all public verbs become data for JSON and tables, with the same numbers."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import poinsot
from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.results import Result

T = [0.0, 0.1, 0.2]
POSE = ("x", "y", "z", "rx", "ry", "rz")
NO_RESULTS = {  # models, files, names, one matrix of numbers
    *("build", "load", "loads", "read_mjcf", "read_urdf", "dumps", "save", "library_names"),
    *("write_mjcf", "mac"),
}


def fused():
    """The EX800 at rest, from its inertial unit and its encoders."""
    ex800 = poinsot.load("ex800")
    still = {name: ex800.elements.pose[name] for name in POSE}
    run = poinsot.measure(ex800, still, [k / 100 for k in range(20)])
    return poinsot.fuse(ex800, replace(run, channels={n: replace(c, noise=1e-3) for n, c in run.channels.items()}))


def identified():
    """Two masses of a four-bar from a noisy run."""
    bar, t, noise = poinsot.load("four_bar"), np.arange(300) / 100, np.random.default_rng(0).standard_normal(300)
    run = poinsot.inverse_dynamics(bar, {"theta1": poinsot.Fourier(4.0, (0.5, 0.2), (), 1.2)}, t)
    rec = poinsot.Recording.of(
        t, {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"] + 0.1 * noise}
    )
    return poinsot.identify(bar, rec, ["link2.mass", "link3.mass"])


def measured(folder) -> dict[str, tuple[Result, int, dict[str, np.ndarray]]]:
    """The same of what is made of recordings."""
    machine = poinsot.load("ex800")
    run = poinsot.measure(machine, {name: machine.elements.pose[name] for name in POSE}, T, perfect=True)
    (folder / "run.csv").write_text("t [s],leg1 [mm]\n" + "\n".join(f"{k / 10},{k**2}" for k in range(20)))
    file = poinsot.read(folder / "run.csv")
    white = np.random.default_rng(0).standard_normal((400, 2))
    still = poinsot.allan(poinsot.Recording.of(np.arange(400) / 100, {"w": white[:, 0]}, units={"w": "rad/s"}), "w")
    mixed, moved = poinsot.filter_forces(white, 0 * white), fused()
    shaken = poinsot.Recording.of(np.arange(400) / 100, {"force": white[:, 0], "x": white[:, 0] + 0.1 * white[:, 1]})
    response = poinsot.frequency_response(shaken, "force", "x", quantity="receptance", segment=0.5)
    lines, pole = np.arange(1.0, 40.0, 0.02), 2 * np.pi * 17 * (-0.01 + 1j)
    ringing = 1 / (2j * np.pi * lines - pole) / 2j + np.conj(1 / (-2j * np.pi * lines - pole) / 2j)
    noisy = ringing + 1e-4 * (white[:, :1] * 1j)[np.arange(len(lines)) % 400, 0]
    rung = poinsot.FrequencyResponse(lines, noisy[:, None, None], response.outputs, response.inputs, "receptance")
    test, found = poinsot.modal_test(rung), identified()
    table = poinsot.compare(found.study, ["weighted", "robust"])
    return {
        "measure": (run, 3, {name: run[name] for name in run}),
        "read": (file, 20, {"leg1": file["leg1"]}),
        "allan": (still, len(still.tau), {"deviation": still.deviation}),
        "filter_forces": (mixed, 400, {"gain2": mixed.gain[:, 1]}),
        "fuse": (moved, 20, {"x": moved.position[:, 0], "bwz": moved.gyroscope_bias[:, 2]}),
        "frequency_response": (response, len(response.frequency), {"re x / force": response.H[:, 0, 0].real}),
        "compare": (table, 2, {"value weighted": found.value, "difference robust": table.difference[:, 1]}),
        "identify": (found, 2, {"value": found.value, "deviation": found.deviation}),
        "modal_test": (test, len(test.poles), {"frequency": test.frequencies}),
    }


def made(folder) -> dict[str, tuple[Result, int, dict[str, np.ndarray]]]:
    """By verb: a result, rows of its table, and some of its columns."""
    bar, links, swing, arm = (poinsot.load(name) for name in ("four_bar", "three_link", "pendulum", "five_bar"))
    motion = {"theta1": lambda t: 1 + 2 * t**2}
    k, d = poinsot.kinematics(bar, motion, T), poinsot.inverse_dynamics(bar, motion, T)
    a, e = poinsot.accelerations(bar), poinsot.equilibrium(swing, pose={"phi": 0.3})
    s = poinsot.simulate(bar, 0.2, t=T)
    many = poinsot.simulate(swing, 0.2, t=T, pose={"phi": 0.3}, parameters={"bob.mass": [0.3, 0.4]})
    states, m = poinsot.accelerations(bar, poinsot.State(q=s.q, v=s.v)), poinsot.modes(links)
    linear, h = poinsot.linearise(links), poinsot.hold(bar)
    H = poinsot.frf(links, "link3 y", ["link3 y", "phi1"], [10.0, 16.0], damping=0.01)
    C, K = poinsot.compliance(links, "link1"), poinsot.stiffness(poinsot.load("hexapod"), "platform")
    grid = {"A.stiffness": [[20.0, 21.0], [22.0, 23.0]]}
    f, c = poinsot.frequency_map(links, parameters=grid), poinsot.compliance_map(links, "link1", parameters=grid)
    w, pairs = poinsot.regressor(arm, arm.elements.pose, T), poinsot.pair(m, m)
    energy = poinsot.energy_regressor(swing, {"phi": lambda t: t**2}, T)
    b, found = poinsot.base_parameters(bar), poinsot.determinable(swing, {"phi": lambda t: t**2}, T, noise=0.01)
    ds = poinsot.sensitivity(bar, motion, T, ["link2.mass", "link3.mass"])
    dy = poinsot.motion_sensitivity(swing, 0.2, ["bob.mass"], t=T, pose={"phi": 0.3})
    report, near = poinsot.check(swing.with_parameters({"bob.mass": 0.0})), poinsot.singularity(bar)
    options = {"task": "poses", "poses": 20, "sets": 10, "robust": "nominal", "refine": False}
    posed = poinsot.design(links, options, ["A.stiffness", "C.stiffness"])
    whole, urdf = poinsot.assemble(bar), poinsot.write_urdf(bar, folder / "bar.urdf")
    body = {"link2.x": k.position["link2"][:, 0], "link2.alphaz": k.angular_acceleration["link2"][:, 2]}
    return {
        "kinematics": (k, 3, {**body, "theta2": k.coordinates["theta2"], "theta2.rate": k.rates["theta2"]}),
        "inverse_dynamics": (
            d,
            3,
            {"A.force": d.forces["A"], "A.power": d.power["A"], "B.fy": d.reactions["B"][:, 1]},
        ),
        "accelerations": (a, 1, {"link2.ay": a["link2"][1:2], "link3.R12": a.rotation["link3"][:1, 1]}),
        "accelerations of a batch": (states, 3, {"link3.alphaz": states["link3"][:, 5], "check": states.check}),
        "simulate": (s, 3, {"link3.y": s.position["link3"][:, 1], "theta3.rate": s.rates["theta3"], "q2": s.q[:, 1]}),
        "simulate a batch": (many, 6, {"phi": many.coordinates["phi"].ravel(), "energy": many.energy.ravel()}),
        "equilibrium": (e, 1, {"phi": [e.coordinates["phi"]], "bob.x": [e.poses["bob"].p[0]], "energy": [e.energy]}),
        "hold": (h, 1, {"A.force": [h["A"]]}),
        "linearise": (linear, 3, {"K.B": linear.K[:, 1], "M.A": linear.M[:, 0]}),
        "modes": (m, 3, {"frequency": m.frequencies, "B.spring.strain_energy": m.strain_energy["B.spring"]}),
        "damped modes": (m.damped, 3, {"im pole": m.damped.poles.imag, "ratio": m.damping}),
        "frf": (H, 2, {"re phi1 / link3 y": H.H[:, 1, 0].real, "im link3 y / link3 y": H.H[:, 0, 0].imag}),
        "compliance": (C, 3, {"tz": C[:, 2]}),
        "stiffness": (K, 6, {"rx": np.asarray(K)[:, 3]}),
        "frequency_map": (f, 4, {"f2": f.frequencies[..., 1].ravel(), "A.stiffness": [20, 21, 22, 23]}),
        "compliance_map": (c, 4, {"rz / tz": c.compliance[..., 2, 2].ravel()}),
        "regressor": (w, 6, {"crank1.J": w.matrix[:, 3], "rhs": w.rhs}),
        "energy_regressor": (energy, 2, {"bob.my": energy.matrix[:, 2]}),
        "base_parameters": (b, 8, {"value": b.values(), b.eliminated[0]: b.coefficients[:, 0]}),
        "determinable": (found, 4, {"deviation": [x.deviation for x in found.findings]}),
        "design": (posed, 2, {"deviation": posed.deviation}),
        "sensitivity": (ds, 3, {"link2.ty / link3.mass": ds.body_forces["link2"][:, 4, 1]}),
        "motion_sensitivity": (dy, 3, {"v1 / bob.mass": dy.v[:, 0, 0]}),
        "check": (report, len(report.findings), {}),
        "singularity": (near, 1, {"constraints": [near.constraints], "theta2.rate": [near.free["theta2"]]}),
        "assemble": (whole, 1, {"link2.x": [whole.poses["link2"].p[0]], "link3.R21": [whole.poses["link3"].R[1, 0]]}),
        "pair": (pairs, 3, {"mac": pairs.mac, "partner": pairs.index}),
        "write_urdf": (urdf, len(urdf.notes), {}),
    }


@cache
def every_result() -> dict[str, tuple[Result, int, dict[str, np.ndarray]]]:
    """Those of all verbs; `tests/test_plots.py` draws them."""
    with TemporaryDirectory() as folder:
        return made(Path(folder)) | measured(Path(folder))


@pytest.fixture
def results():
    return every_result()


def test_every_public_verb_gives_a_result(results):
    verbs = {name for name in poinsot.__all__ if inspect.isfunction(getattr(poinsot, name))}
    assert verbs - NO_RESULTS <= set(results) and all(isinstance(r, Result) for r, _, _ in results.values())


def test_data_of_every_result_is_json_without_nan_and_has_its_numbers(results):
    for verb, (result, _, _) in results.items():
        data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert len(data) > 1, verb
        for name, value in vars(result).items():
            if isinstance(value, np.ndarray) and name in data:
                kept = (
                    data[name]
                    if not np.iscomplexobj(value)
                    else np.add(data[name]["re"], np.multiply(1j, data[name]["im"]))
                )
                np.testing.assert_array_equal(np.array(kept, value.dtype), value, err_msg=f"{verb}: {name}")


def test_tables_have_a_row_for_each_of_what_a_result_is_over_and_its_numbers(results):
    for verb, (result, rows, columns) in results.items():
        frame = result.to_frame()
        assert len(frame) == rows and set(frame.attrs["units"]) == set(frame.columns), verb
        for name, values in columns.items():
            np.testing.assert_array_equal(frame[name], values, err_msg=f"{verb}: {name}")


def test_tables_name_units_and_rows(results):
    units = {verb: r.to_frame().attrs["units"] for verb, (r, _, _) in results.items()}
    assert units["kinematics"]["theta2.rate"] == "rad/s" and units["inverse_dynamics"]["A.force"] == "N·m"
    assert units["sensitivity"]["link2.ty / link3.mass"] == "(N·m)/(kg)" and units["hold"] == {"A.force": "N·m"}
    assert units["frequency_map"]["A.stiffness"] == "N·m/rad"
    index = {verb: list(r.to_frame().index.names) for verb, (r, _, _) in results.items()}
    assert index["simulate a batch"] == ["batch", "t"] and index["regressor"] == ["t", "channel"]
    assert index["modes"] == ["mode"] and index["determinable"] == ["parameter"]
    assert results["regressor"][0].to_frame().loc[(0.1, "shoulder2")].shape == (
        len(results["regressor"][0].columns) + 1,
    )


def test_every_column_of_numbers_has_a_unit(results):
    for verb, (result, _, _) in results.items():
        bare = [name for name, (x, unit) in result.to_columns().items() if not unit and x.dtype.kind in "fc"]
        assert not bare, f"{verb}: {bare}"


def test_rows_that_differ_in_their_units_have_a_column_of_them(results, tmp_path):
    table = results["compare"][0]
    assert table.to_frame()["unit"].tolist() == ["kg", "kg"] == list(table.units)
    heads = table.to_csv(tmp_path / "table.csv").read_text().splitlines()[0]
    assert heads.startswith("parameter,unit,value weighted,value robust,deviation weighted")
    assert results["compliance"][0].to_frame()["unit"].tolist() == ["m", "m", "rad"]
    units = {verb: results[verb][0].to_frame().attrs["units"] for verb in ("linearise", "frf", "compliance_map")}
    assert units["linearise"]["K.B"] == "N·m/rad" and units["compliance_map"]["rz / fx"] == "rad/N"
    assert units["frf"]["re phi1 / link3 y"] == "rad/N" and units["frf"]["im link3 y / link3 y"] == "m/N"


def test_what_verbs_of_one_pose_print_has_names_and_units(results):
    said = {verb: str(results[verb][0]) for verb in ("hold", "equilibrium", "linearise", "compliance", "stiffness")}
    force = results["hold"][0]["A"]
    assert said["hold"] == f"four_bar is held by A = {force:.6g} N·m"
    assert "equilibrium at phi = " in said["equilibrium"] and " rad, residual " in said["equilibrium"]
    assert "in A [rad], B [rad], C [rad]" in said["linearise"] and "M [kg·m²] =" in said["linearise"]
    assert said["compliance"].splitlines()[0] == "compliance of 'link1' of three_link, world axes"
    assert "per fx [N]" in said["compliance"] and "rz [rad]" in said["compliance"].splitlines()[-1]
    assert "per rx [rad]" in said["stiffness"] and "tz [N·m]" in said["stiffness"]
    first, *bodies = str(results["accelerations"][0]).splitlines()
    assert first == "four_bar: accelerations" and " ".join(bodies[0].split()) == "ax [m/s²] ay [m/s²] alphaz [rad/s²]"
    assert [line.split()[0] for line in bodies[1:]] == ["link1", "link2", "link3"]
    assert "in 3 states" in str(results["accelerations of a batch"][0])


def test_what_holds_a_machine_is_passed_on_as_its_forces(results):
    bar, held = poinsot.load("four_bar"), results["hold"][0]
    assert dict(held) == held.forces == {**held} and isinstance(held, Mapping)
    still = poinsot.accelerations(bar, poinsot.State(forces=held))
    np.testing.assert_allclose(still["link1"], 0.0, atol=1e-10)
    np.testing.assert_allclose(poinsot.simulate(bar, 0.1, forces=held).coordinates["theta1"], np.pi / 3, atol=1e-8)


def test_numbers_that_are_not_finite_are_null_and_complex_ones_have_two_parts(results):
    undetermined = {p["name"]: p["deviation"] for p in results["determinable"][0].to_dict()["parameters"]}
    assert undetermined["bob.m"] is None and undetermined["bob.J"] > 0
    assert set(results["frf"][0].to_dict()["H"]) == {"re", "im"}
    assert results["modes"][0].to_dict()["mechanism"] == "three_link"


def test_a_table_without_pandas_names_the_extra(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"poinsot\[data\]"):
        results["hold"][0].to_frame()


def test_csv_has_the_numbers_of_the_table_with_units_and_replaces_nothing_unasked(results, tmp_path):
    import pandas

    for verb, (result, _, columns) in results.items():
        frame, path = result.to_frame(), tmp_path / f"{verb}.csv"
        assert Result.to_csv(result, path) == path
        kept = pandas.read_csv(path)
        units = frame.attrs["units"]
        if "unit" in frame:  # of each row
            units = {name: unit.removeprefix("SI") for name, unit in units.items()}
        for name, values in columns.items():
            head = f"{name} [{units[name]}]" if units[name] else name
            np.testing.assert_array_equal(kept[head], np.asarray(values), err_msg=f"{verb}: {name}")
        with pytest.raises(PoinsotError, match="exists already"):
            Result.to_csv(result, path)
    Result.to_csv(results["hold"][0], path, overwrite=True)
    assert path.read_text().startswith("A.force [N·m]")


def test_a_table_as_csv_is_read_again_as_a_recording(results, tmp_path):
    again = poinsot.read(results["kinematics"][0].to_csv(tmp_path / "run.csv"))
    np.testing.assert_array_equal(again["theta2"], results["kinematics"][0].coordinates["theta2"])
    assert again.units["theta2"] == "rad" and again.units["link2.vx"] == "m/s"


def test_what_a_prompt_shows_of_a_result_is_short(results):
    for verb, (result, _, _) in results.items():
        said = repr(result)
        assert len(said.splitlines()) <= 31 and len(said) < 10_000, f"{verb}: {len(said)} characters"
    assert repr(results["simulate"][0]) == f"<{results['simulate'][0]}>"
    assert repr(results["filter_forces"][0]) == "<FilteredForces, 400 rows (sample)>"


def test_a_page_shows_the_names_of_its_rows_once(results):
    page = results["determinable"][0]._repr_html_()
    assert page.count("<td>bob.m</td>") == 1 and "<th>parameter</th>" in page and "<th>name</th>" not in page
