"""Study files, result folders and the command: read, written, reloaded, refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.app.console import DOUBTFUL
from poinsot.errors import PoinsotError
from poinsot.model.toml import dumps
from tests.estimate.machines import ARM, SERIAL
from tests.estimate.runs import four_bar_run

STUDY = """
format = 1
model = "four_bar"

[recordings.first]
file = "run.csv"
to = 6

[recordings.second]
file = "run.csv"
role = "validate"
from = "6 s"

[unknowns]
"link2.mass" = { bounds = ["1 kg", "4 kg"] }
"link3.mass" = {}

[noise]
A = "0.1 N·m"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rec = four_bar_run()
    lines = ["t [s],theta1 [rad],A [N·m]"]
    lines += [f"{t!r},{a!r},{f!r}" for t, a, f in zip(rec.t.tolist(), rec["theta1"].tolist(), rec["A"].tolist())]
    (tmp_path / "run.csv").write_text("\n".join(lines))
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def test_a_study_file_is_the_same_as_the_call(folder):
    est = poinsot.identify(folder / "study.toml")
    assert est.names == ("link2.mass", "link3.mass")
    assert np.all(np.abs(est.value - [2.3, 2.1]) < 4 * est.deviation)
    assert est.validation is not None
    assert est.study.runs[0].recording.sources[0].sha256


def test_a_model_and_a_recording_may_be_paths(folder):
    bar, file = poinsot.load("four_bar"), poinsot.save(poinsot.load("four_bar"), folder / "bar.toml")
    wanted = poinsot.identify(bar, poinsot.read(folder / "run.csv", mechanism=bar), ["link3.mass"]).value
    for model, recording in ((file, folder / "run.csv"), (str(file), str(folder / "run.csv")), ("four_bar", None)):
        given = recording or poinsot.read(folder / "run.csv", mechanism=bar)
        assert poinsot.identify(model, given, ["link3.mass"]).value == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(PoinsotError, match=r"study.toml: this is a study, not a model.*a study says all by itself"):
        poinsot.identify(folder / "study.toml", folder / "run.csv", ["link3.mass"])


def test_noise_is_that_of_a_force(folder):
    (folder / "study.toml").write_text(STUDY.replace("0.1 N·m", "100 N·mm"))
    assert poinsot.identify(folder / "study.toml").study.noise == {"A": pytest.approx(0.1)}
    (folder / "study.toml").write_text(STUDY.replace("0.1 N·m", "2 s"))
    with pytest.raises(
        PoinsotError, match=r"noise of 'A', in N, N·m, W, m or rad: expected a quantity in rad, got '2 s'"
    ):
        poinsot.identify(folder / "study.toml")


CONTROLLED = """
format = 1
model = "arm.toml"
unknowns = ["upper.J", "lower.mx", "lower.J", "*.viscous", "*.coulomb"]
method = "instruments"
processing = { cutoff = 20, rate = 60 }

[recordings.run]
file = "run.csv"

[control.shoulder]
type = "cascade"
reference = "q1.wanted"
kp = 12
kv = 60

[control.elbow]
type = "pid"
reference = "q2.wanted"
kp = 200
kd = 15
"""


def test_a_study_file_names_controllers(tmp_path):
    rec = SERIAL.run(1, 3e-4, 0.3, 4.0)
    columns = {"t": rec.t, **{name: rec[name] for name in rec}}
    rows = np.stack(list(columns.values()), axis=1)
    np.savetxt(tmp_path / "run.csv", rows, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")
    (tmp_path / "arm.toml").write_text(ARM)
    (tmp_path / "study.toml").write_text(CONTROLLED)
    est = poinsot.identify(tmp_path / "study.toml")
    assert est.study.control == SERIAL.control
    truth = [est[name].nominal for name in est.names]
    assert np.all(np.abs(est.value - truth) < 4 * est.deviation)


def test_roles_are_known_by_name(folder):
    rec = four_bar_run()
    assert poinsot.Run("a", rec, "validate").role == "validate"
    with pytest.raises(PoinsotError, match="run 'a': there is no role 'check'"):
        poinsot.Run("a", rec, "check")


def test_an_offset_alone_frees_no_parameter_of_the_mechanism():
    bar = poinsot.load("four_bar")
    est = poinsot.identify(bar, four_bar_run(), unknowns=["offset A"])
    assert est.names == ("offset A",) and abs(est.value[0]) < 4 * est.deviation[0]
    assert est.mechanism.parameters["link2.mass"].value == bar.parameters["link2.mass"].value


def test_parts_of_one_recording_in_memory_are_known_as_such():
    rec = four_bar_run()
    runs = (poinsot.Run("a", rec), poinsot.Run("b", rec.between(2, 8), role="validate"))
    with pytest.raises(PoinsotError, match="use the same samples"):
        poinsot.Study(poinsot.load("four_bar"), runs)
    poinsot.Study(poinsot.load("four_bar"), (poinsot.Run("a", rec.between(0, 2)), runs[1]))  # no sample in common


def test_where_a_start_is_does_not_change_what_linear_rows_say():
    bar, rec = poinsot.load("four_bar"), four_bar_run()
    near, far = (
        poinsot.identify(bar, rec, unknowns={"link2.mass": {"start": start}, "link3.mass": {}})
        for start in (2.3, 20.0)
    )
    np.testing.assert_allclose(far.value, near.value, rtol=1e-9)
    assert far["link2.mass"].nominal == bar.parameters["link2.mass"].value


def test_a_result_folder_can_be_read_by_others(folder):
    place = poinsot.identify(folder / "study.toml").save(folder / "result")
    data = json.loads((place / "estimate.json").read_text())
    assert [p["name"] for p in data["parameters"]] == ["link2.mass", "link3.mass"]
    assert data["provenance"]["recordings"]["first"]["files"][0]["sha256"]
    back = poinsot.load(place / "model.toml")
    assert back.bodies["link3"].mass == data["parameters"][1]["value"]
    table = poinsot.read(place / "fit.csv")
    measured, predicted = (next(n for n in table.channels if n.startswith(w)) for w in ("measured", "predicted"))
    rms = next(c["rms"] for c in data["fit"]["channels"])
    assert np.std(table[measured] - table[predicted]) == pytest.approx(rms, rel=1e-3)


def test_nothing_is_overwritten_without_asking(folder):
    est = poinsot.identify(folder / "study.toml")
    est.save(folder / "result")
    with pytest.raises(PoinsotError, match="exists already"):
        est.save(folder / "result")
    est.save(folder / "result", overwrite=True)
    with pytest.raises(PoinsotError, match="no folder of an estimate"):
        est.save(folder, overwrite=True)
    assert not [p for p in folder.iterdir() if p.name.startswith(".poinsot")]


def test_the_command_prints_the_verdict_and_writes_the_folder(folder):
    done = CliRunner().invoke(app, ["identify", str(folder / "study.toml"), "--out", str(folder / "r")])
    assert done.exit_code == 0, done.output
    assert "verdict: numerics sound" in done.output
    assert "link3.mass" in done.output
    assert (folder / "r" / "estimate.json").is_file()


def _with_more_force_later(folder: Path) -> None:
    head, *rows = (folder / "run.csv").read_text().splitlines()
    cells = [row.split(",") for row in rows]
    later = [f"{t},{a},{float(f) * (2 if float(t) > 6 else 1)!r}" for t, a, f in cells]
    (folder / "run.csv").write_text("\n".join([head, *later]))


def _with_a_force_of_the_other_sign(folder: Path) -> None:
    head, *rows = (folder / "run.csv").read_text().splitlines()
    turned = [f"{t},{a},{-float(f)!r}" for t, a, f in (row.split(",") for row in rows)]
    (folder / "run.csv").write_text("\n".join([head, *turned]))


def _out_of_bounds(folder: Path) -> None:
    (folder / "study.toml").write_text(STUDY.replace('["1 kg", "4 kg"]', '["2.4 kg", "4 kg"], start = "3 kg"'))


@pytest.mark.parametrize(
    ("spoil", "doubt"),
    [
        (_with_more_force_later, "does not predict held-out runs as well as it fits"),
        (_with_a_force_of_the_other_sign, "recordings in doubt"),
        (_out_of_bounds, "numerics in doubt"),
    ],
)
def test_a_doubtful_verdict_has_an_exit_code_of_its_own_and_the_result_is_written(folder, spoil, doubt):
    spoil(folder)
    command = ["identify", str(folder / "study.toml"), "--out", str(folder / "r")]
    done = CliRunner().invoke(app, [*command, "--strict"])
    assert done.exit_code == DOUBTFUL == 3, done.output
    assert CliRunner().invoke(app, [*command, "--force"]).exit_code == 0
    data = json.loads((folder / "r" / "estimate.json").read_text())
    assert data["doubts"] and all(said in data["verdict"] for said in data["doubts"])
    assert any(said.startswith(doubt) for said in data["doubts"]) and doubt in done.output


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('model = "four_bar"', 'model = "for_bar"', "did you mean 'four_bar'"),
        ('role = "validate"', 'rolle = "validate"', "did you mean 'role'"),
        ('role = "validate"', 'role = "valid"', "identify"),
        ("to = 6", "to = 8", "same samples"),
        ("to = 6", "to = 0.05", "run 'first': . samples are too few to be filtered, which needs 16 or more"),
        (
            "to = 6",
            "to = 0.01",
            "run 'first': 1 sample cannot be taken at another rate, which needs 16 or more",
        ),
        ('"link3.mass" = {}', '"link3.masss" = {}', "did you mean 'link3.mass'"),
        (
            '"link3.mass" = {}',
            '"lnk3.mass" = { bounds = ["1 kg", "3 kg"] }',
            "there is no parameter 'lnk3.mass' .did you mean 'link3.mass'",
        ),
        (
            '"link3.mass" = {}',
            '"both" = { parameters = ["link2.mass", "lnk3.mass"], start = "2 kg" }',
            "there is no parameter 'lnk3.mass' .did you mean 'link3.mass'",
        ),
        ('file = "run.csv"\nto', 'file = "walk.csv"\nto', "walk.csv"),
        ("to = 6", f'to = 6\nsha256 = "{"0" * 64}"', "is not the file of this study"),
        ('A = "0.1 N·m"', 'B = "0.1 N·m"', "no measured channel"),
        ("format = 1", "format = 2", "format"),
        ("[noise]", "[method]\nname = 'iv2'\n[noise]", "there is no method"),
    ],
)
def test_what_is_wrong_with_a_study_file_is_one_sentence(folder, old, new, said):
    assert old in STUDY
    (folder / "study.toml").write_text(STUDY.replace(old, new, 1))
    with pytest.raises(PoinsotError, match=said):
        poinsot.identify(folder / "study.toml")


def test_files_of_another_kind_are_called_by_their_kind(folder):
    (folder / "model.toml").write_text(dumps(poinsot.load("four_bar")))
    (folder / "design.toml").write_text('model = "four_bar"\n[design]\ntask = "excitation"\n')
    for name, said in (
        ("model", "this is a model, not a study, which names"),
        ("design", "this is a design, not a s"),
    ):
        with pytest.raises(PoinsotError, match=f"{name}.toml: {said}"):
            poinsot.identify(folder / f"{name}.toml")
    with pytest.raises(PoinsotError, match=r"study\.toml: this is a study, not a design: `poinsot identify` reads"):
        poinsot.design(folder / "study.toml")
    (folder / "designed").mkdir()
    (folder / "designed" / "design.json").write_text("{}")
    with pytest.raises(PoinsotError, match="designed: this is the folder of a design, not that of an estimate"):
        poinsot.compare([folder / "designed", folder / "designed"])


@pytest.mark.parametrize("option", ["--out", "--json"])
def test_a_place_that_is_taken_is_refused_before_the_work(folder, monkeypatch, option):
    monkeypatch.setattr(poinsot, "identify", lambda *_, **__: pytest.fail("the work has begun"))
    (folder / "taken").write_text("mine")
    said = CliRunner().invoke(app, ["identify", str(folder / "study.toml"), option, str(folder / "taken")])
    assert said.exit_code == 1 and "exists already" in str(said.exception)
    assert (folder / "taken").read_text() == "mine"


def test_what_others_put_into_a_folder_of_results_stays_there(folder):
    result = folder / "result"
    assert CliRunner().invoke(app, ["identify", str(folder / "study.toml"), "--out", str(result)]).exit_code == 0
    (result / "notes.txt").write_text("second shift")
    (result / "starts.csv").write_text("of an older search")
    again = CliRunner().invoke(app, ["identify", str(folder / "study.toml"), "--out", str(result), "--force"])
    assert again.exit_code == 0 and (result / "notes.txt").read_text() == "second shift"
    assert not (result / "starts.csv").exists() and not [*folder.glob(".poinsot-*")]


def test_the_folder_in_which_one_stands_is_a_folder(folder, monkeypatch):
    poinsot.identify(folder / "study.toml").save(folder / "result")
    monkeypatch.chdir(folder / "result")
    assert CliRunner().invoke(app, ["report", "."]).exit_code == 0 and (folder / "result" / "report.html").exists()


@pytest.mark.parametrize("name, by", [("link2.mass", ""), ("link3.mass", r" \(as 'link3.\*'\)")])
def test_a_parameter_that_is_known_and_unknown_is_refused_by_name(tmp_path, name, by):
    said = rf"^{{}}: '{name}' stands in \[known\] and in \[unknowns\]{by}: leave it in one of them$"
    head = f'format = 1\nmodel = "four_bar"\nunknowns = ["link2.mass", "link3.*"]\nknown = {{ "{name}" = 2.0 }}\n'
    study, design = tmp_path / "study.toml", tmp_path / "design.toml"
    study.write_text(head + '[recordings.run]\nfile = "run.csv"\n')
    design.write_text(head + '[design]\ntask = "excitation"\nduration = 1.0\n')
    for path in (study, design):
        with pytest.raises(PoinsotError, match=said.format(path.name)):
            poinsot.identify(path) if path == study else poinsot.design(path)


def test_a_study_that_a_result_keeps_is_told_where_it_can_be_run(folder):
    kept = poinsot.identify(folder / "study.toml").save(folder / "out")
    said = (
        "kept with its result, and run.csv stood beside the original: to run it again copy it into another folder, "
    )
    with pytest.raises(PoinsotError, match=said):
        poinsot.identify(kept / "study.toml")
    poinsot.save(poinsot.load("four_bar"), folder / "bar.toml")
    text = STUDY.replace('model = "four_bar"', 'model = "bar.toml"')
    (kept / "study.toml").write_text(text)
    with pytest.raises(PoinsotError, match=r"another folder, nominal.toml there as its model, and the recordings"):
        poinsot.identify(kept / "study.toml")
    (folder / "study.toml").write_text(text.replace("run.csv", "other.csv"))
    with pytest.raises(PoinsotError, match=r"other.csv: no such file"):
        poinsot.identify(folder / "study.toml")
