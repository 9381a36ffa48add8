"""Several files on one clock, with columns that one of them has, or that two of them call alike."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.app.cli import app
from poinsot.errors import PoinsotError
from poinsot.estimate.study_file import read_study


@pytest.fixture
def folder(tmp_path):
    rows = range(40)
    (tmp_path / "a.csv").write_text("t,pos\n" + "".join(f"{0.1 * k:.1f},{k * k}\n" for k in rows))
    (tmp_path / "b.csv").write_text("t,trq [N·m]\n" + "".join(f"{0.1 * k:.1f},{5 + k}\n" for k in rows))
    for name, scale in (("position", 1), ("torque", -2)):
        text = "t,Joint_1,note\n" + "".join(f"{0.1 * k:.1f},{scale * k},x\n" for k in rows)
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


COLUMNS = {"theta1": {"column": "pos", "unit": "deg"}, "A": {"column": "trq", "gain": 2.0}}


def test_every_file_gives_the_columns_that_it_has(folder):
    rec = poinsot.read([folder / "a.csv", folder / "b.csv"], columns=COLUMNS)
    assert rec["A"][3] == 16 and rec["theta1"][3] == pytest.approx(0.1570796) and rec.units["A"] == "N·m"
    study = 'model = "four_bar"\n[recordings.run]\nfile = ["a.csv", "b.csv"]\n[recordings.run.columns]\n'
    (folder / "study.toml").write_text(f'{study}theta1 = {{ column = "pos", unit = "deg" }}\nA = "trq"\n')
    assert list(read_study(folder / "study.toml").runs[0].recording) == ["theta1", "A"]


def test_a_column_that_no_file_has_is_told_with_all_headers(folder):
    said = r"no file has a column 'trk' \(did you mean 'trq'\?\); there are: a.csv: t, pos; b.csv: t, trq"
    with pytest.raises(PoinsotError, match=said):
        poinsot.read([folder / "a.csv", folder / "b.csv"], columns={"q": "pos", "A": "trk"})
    with pytest.raises(PoinsotError, match=r"b.csv: none of the columns that are asked for is in it"):
        poinsot.read([folder / "a.csv", folder / "b.csv"], columns={"q": "pos"})


def test_files_with_equal_headers_say_which(folder):
    files = [folder / "position.csv", folder / "torque.csv"]
    names = {"q": {"column": "Joint_1", "file": "position.csv"}, "A": {"column": "Joint_1", "file": "torque.csv"}}
    rec = poinsot.read(files, columns=names)
    assert (rec["q"][3], rec["A"][3]) == (3, -6)
    with pytest.raises(PoinsotError, match=r'say which, such as {"column": "Joint_1", "file": "torque.csv"}'):
        poinsot.read(files, columns={"q": "Joint_1"})
    with pytest.raises(PoinsotError, match=r"there is no file 'torq.csv' \(did you mean 'torque.csv'\?\)"):
        poinsot.read(files, columns={"q": {"column": "Joint_1", "file": "torq.csv"}})
    with pytest.raises(PoinsotError, match="column 'note' holds no numbers"):
        poinsot.read(files, columns={"q": {"column": "note", "file": "torque.csv"}, "A": names["q"]})
    one = poinsot.read(files, columns=[{"q": "Joint_1"}, {"A": "Joint_1"}])
    assert (one["q"][3], one["A"][3]) == (3, -6)


def test_the_command_takes_several_files(folder):
    (folder / "columns.toml").write_text('channels.theta1.column = "pos"\nchannels.A.column = "trq"\n')
    files, columns = [str(folder / "a.csv"), str(folder / "b.csv")], str(folder / "columns.toml")
    call = ["read", *files, "four_bar", "--columns", columns]
    said = CliRunner().invoke(app, call).output
    assert "from a.csv, b.csv" in said and "'A': read from column 'trq'" in said
    assert "trq" in CliRunner().invoke(app, call[:3]).output
    refused = CliRunner().invoke(app, [*call[:3], "four_bars"])
    assert "did you mean 'four_bar'?" in str(refused.exception)
