"""Readers: a file of every format gives the same samples, silently; what is none is refused in one sentence."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.recording.finding import Severity
from poinsot.recording.readers.registry import READERS
from poinsot.recording.recording import Clock
from tests.recording import small_files
from tests.recording.small_files import FILES, TAU, Q, T


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_every_format_gives_the_same_samples(name, tmp_path, capfd):
    write, q, tau = FILES[name]
    rec = poinsot.read(write(tmp_path))
    assert_allclose(rec.t - rec.t[0], T, atol=2e-7)
    assert_allclose(rec[q], Q, atol=1e-8)
    assert_allclose(rec[tau], TAU, atol=1e-8)
    assert rec.clock is not Clock.COUNTED
    assert not [f for f in rec.findings if f.severity is Severity.ERROR]
    assert capfd.readouterr() == ("", "")


def test_every_reader_has_a_small_file(tmp_path):
    files = [write(tmp_path) for write in (*(write for write, *_ in FILES.values()), small_files.dataphysics)]
    assert {poinsot.read(path).sources[0].format for path in files} == {reader.name for reader in READERS}


def test_a_response_of_a_dataphysics_analyser_is_complex_over_frequency(tmp_path):
    rec = poinsot.read(small_files.dataphysics(tmp_path))
    assert_allclose(rec.frequency, T, atol=1e-6)
    assert_allclose(rec["H1"], Q + 1j * TAU, atol=1e-7)
    assert rec.units["H1"] == "(m/s²)/N"
    assert "Units: Ratio" in rec.constants["header"]


def test_single_numbers_and_texts_of_a_file_are_constants(tmp_path):
    rec = poinsot.read(small_files.matlab(tmp_path))
    assert rec.constants["gain"] == 35.0
    assert rec.constants["note"] == "a test"


def test_units_in_headers_attributes_and_labels_are_read(tmp_path):
    for write, q in ((small_files.csv, "q"), (small_files.parquet, "q"), (small_files.hdf5, "arm.q")):
        assert poinsot.read(write(tmp_path)).units[q] == "rad"
    assert poinsot.read(small_files.labview(tmp_path)).units == {"q": "rad", "tau": "N·m"}
    assert poinsot.read(small_files.packed(tmp_path)).units == {"q": "rad", "tau": "N·m"}


def test_channels_of_a_bag_have_kinds_places_and_the_times_of_their_headers(tmp_path):
    rec = poinsot.read(small_files.bag(tmp_path))
    channel = rec.channels["joint_states.elbow.velocity"]
    assert (channel.kind, channel.place) == ("velocity", "elbow")
    assert rec.channels["imu.linear_acceleration.z"].kind == "specific force"
    assert rec.units["imu.angular_velocity.x"] == "rad/s"
    assert rec.constants["t0"] == pytest.approx(1.7e9)
    assert rec.t[0] == 0  # not the time of logging
    assert rec.mask("imu.angular_velocity.x").sum() == 100
    assert_allclose(rec["imu.angular_velocity.x"][::2], Q[::2])


def test_a_file_is_known_by_its_content_whatever_its_ending(tmp_path):
    for name in ("MATLAB 5", "HDF5", "NPZ", "Parquet", "UFF", "LabVIEW"):
        write, q, _ = FILES[name]
        renamed = write(tmp_path).rename(tmp_path / "run.dat")
        assert_allclose(poinsot.read(renamed)[q], Q, atol=1e-8)


def test_the_digest_is_that_of_the_file(tmp_path):
    path = small_files.csv(tmp_path)
    source = poinsot.read(path).sources[0]
    assert (source.name, source.format) == ("run.csv", "csv")
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", ["csv", "MATLAB 5", "Parquet"])
def test_means_of_rows_are_taken(name, tmp_path):
    write, q, _ = FILES[name]
    rec = poinsot.read(write(tmp_path), every=8)
    assert_allclose(rec[q], Q.reshape(-1, 8).mean(axis=1), atol=1e-8)
    assert_allclose(rec.t, T.reshape(-1, 8).mean(axis=1), atol=1e-8)


@pytest.mark.parametrize("name", FILES)
def test_only_columns_that_are_asked_for_are_kept(name, tmp_path):
    write, q, _ = FILES[name]
    rec = poinsot.read(write(tmp_path), columns={"angle": q})
    assert list(rec) == ["angle"]
    assert_allclose(rec["angle"], Q, atol=1e-8)


def test_functions_with_another_abscissa_are_another_part(tmp_path):
    import pyuff

    path = small_files.uff(tmp_path)
    other = pyuff.UFF(str(path)).read_sets(0)
    other |= {"x": other["x"][:50], "data": other["data"][:50], "num_pts": 50, "rsp_node": 7}
    pyuff.UFF(str(path)).write_sets([other], mode="add")
    first = poinsot.read(path)
    assert list(first) == ["1+Z", "2+Z"]
    assert [f.code for f in first.findings] == ["left out"]
    assert list(poinsot.read(path, part=2)) == ["7+Z"]
    with pytest.raises(poinsot.PoinsotError, match="there is no part 3"):
        poinsot.read(path, part=3)


def test_two_files_on_one_clock_are_joined(tmp_path):
    (tmp_path / "a.csv").write_text("t,x\n0,1\n1,2\n2,4\n")
    (tmp_path / "b.csv").write_text("t,y\n1,5\n2,6\n3,7\n")
    rec = poinsot.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert rec.t.tolist() == [0, 1, 2, 3]
    assert_allclose(rec["y"], [np.nan, 5, 6, 7])
    assert [s.name for s in rec.sources] == ["a.csv", "b.csv"]


REFUSED = {
    "a folder": (lambda folder: folder, "this is a folder, and no ROS 2 bag"),
    "nothing": (lambda folder: folder / "nothing.csv", "no such file"),
    "an empty file": (lambda folder: _written(folder, b""), "the file is empty"),
    "prose": (lambda folder: _written(folder, b"It was a dark night.\nNobody measured.\n"), "no table of numbers"),
    "zeros": (lambda folder: _written(folder, bytes(5000)), "this is no text"),
    "a packed MATLAB file": (lambda folder: _packed(small_files.matlab(folder)), "it is compressed by gzip"),
    "foreign text as UFF": (lambda folder: _written(folder, b"(1+2j)\n" * 9, "a.uff"), "this is no universal file"),
    "pickled objects": (lambda folder: _pickled(folder), "cannot be read as a NumPy archive"),
}


def _written(folder, content, name="file.bin"):
    (path := folder / name).write_bytes(content)
    return path


def _packed(path):
    import gzip

    (packed := path.with_suffix(".mat.gz")).write_bytes(gzip.compress(path.read_bytes()))
    return packed


def _pickled(folder):
    np.savez(path := folder / "o.npz", x=np.array([{"a": 1}, None], dtype=object))
    return path


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_recording_is_refused_in_one_sentence_that_names_it(name, tmp_path, capfd):
    make, said = REFUSED[name]
    path = make(tmp_path)
    with pytest.raises(poinsot.PoinsotError, match=said) as refused:
        poinsot.read(path)
    assert path.name in str(refused.value)
    assert "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")


def test_an_unknown_format_lists_those_that_exist(tmp_path):
    with pytest.raises(poinsot.PoinsotError, match=r"there is no format 'xls'.*matlab, parquet"):
        poinsot.read(small_files.csv(tmp_path), format="xls")


def test_links_to_other_files_are_not_followed(tmp_path):
    import h5py

    secret = small_files.hdf5(tmp_path)
    with h5py.File(path := tmp_path / "link.h5", "w") as file:
        file["x"] = T
        file["far"] = h5py.ExternalLink(str(secret), "arm/q")
    assert list(poinsot.read(path, rate=200)) == ["x"]


@pytest.mark.parametrize("end", ["\n", "\n\n", "\r\n", ""])
def test_no_row_is_lost_where_the_fast_reader_gives_a_part(tmp_path, monkeypatch, end):
    from pyarrow import csv

    path, whole, calls = tmp_path / "run.csv", csv.read_csv, []
    line = "\r\n" if end == "\r\n" else "\n"
    path.write_bytes(line.join(["t [s],x [m]", *(f"{k / 100},{k}" for k in range(500))]).encode() + end.encode())
    assert_allclose(poinsot.read(path)["x"], np.arange(500))

    def part(*given, **options):
        calls.append(1)
        return whole(*given, **options).slice(0, 200)

    monkeypatch.setattr(csv, "read_csv", part)
    assert_allclose(poinsot.read(path)["x"], np.arange(500))
    assert calls


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_two_columns_with_decimal_commas_are_two_columns(delimiter, tmp_path):
    rows = [f"{k / 100:.3f}{delimiter}{np.sin(k):.4f}".replace(".", ",") for k in range(100)]
    (tmp_path / "run.csv").write_text("\n".join([f"t [s]{delimiter}theta [rad]", *rows]))
    rec = poinsot.read(tmp_path / "run.csv")
    np.testing.assert_allclose(rec.t, np.arange(100) / 100, atol=1e-12)
    np.testing.assert_allclose(rec["theta"], np.sin(np.arange(100)), atol=1e-4)


@pytest.mark.parametrize(
    ("t", "x", "said"),
    [
        (np.zeros(10), np.ones(10), "the clock must grow from sample to sample: sample 1 is at 0 s"),
        (np.arange(10)[::-1], np.ones(10), "sample 1 is at 8 s"),
        (np.full(10, np.nan), np.ones(10), "sample 0 is at nan s"),
        (np.arange(10), ["a"] * 10, "channel 'x' holds texts; give numbers"),
        (["a"] * 10, np.ones(10), "the clock holds texts; give numbers"),
    ],
)
def test_arrays_that_are_no_recording_are_refused(t, x, said):
    with pytest.raises(poinsot.PoinsotError, match=said):
        poinsot.Recording.of(t, {"x": x})


def test_commas_between_fields_and_in_numbers_are_refused_with_the_remedy(tmp_path):
    (tmp_path / "run.csv").write_text(
        "t [s],q [rad],A [N·m]\n" + "".join(f"0,{k:02},-2,39,1,0{k}\n" for k in range(1, 60))
    )
    with pytest.raises(poinsot.PoinsotError, match=r"header has 3 names and the rows 6 fields.*semicolons"):
        poinsot.read(tmp_path / "run.csv")


def comma(x: float, form: str = "%.4f") -> str:
    """A number with a decimal comma."""
    return (form % x).replace(".", ",")


HALVES = {  # tables with commas between fields and in numbers: header, and a row by time and value
    "whole milliseconds": ("t [ms],q [rad],A [N·m]", lambda k, x: f"{10 * k},{comma(x)},{comma(-x)}"),
    "some whole values": ("t,q,A", lambda k, x: f"{comma(k / 100)},{comma(x)},{comma(-x) if k % 7 else '2'}"),
    "exponents": ("t,q", lambda k, x: f"{comma(k / 100)},{comma(x, '%.3e')}"),
    "whole times and exponents": ("t,q", lambda k, x: f"{k},{comma(x, '%.3e')}"),
    "a comma at the end": ("t,q,A,", lambda k, x: f"{comma(k / 100)},{comma(x)},{comma(-x)},"),
    "a comma at the end of rows": ("t,q,A", lambda k, x: f"{comma(k / 100)},{comma(x)},{comma(-x)},"),
    "a column of text": ("mode,t,q", lambda k, x: f"run,{comma(k / 100)},{comma(x)}"),
    "units below": ("t,q\ns,rad", lambda k, x: f"{k},{comma(x)}"),
    "blanks": ("t,q", lambda k, x: f"{k}, {comma(x)}"),
}


@pytest.mark.parametrize("name", HALVES)
def test_decimal_commas_between_commas_are_refused_with_the_remedy(name, tmp_path):
    header, row = HALVES[name]
    rows = (row(k, 0.9 + 0.5 * np.sin(k / 10)) for k in range(60))
    (tmp_path / "run.csv").write_text("\n".join([header, *rows]) + "\n")
    with pytest.raises(poinsot.PoinsotError, match=r"the header has \d names and the rows .* decimal points"):
        poinsot.read(tmp_path / "run.csv")


def test_decimal_commas_between_commas_without_a_header_are_refused_by_their_zeros(tmp_path):
    rows = "".join(f"{comma(k / 100)},{comma(np.sin(k / 10))}\n" for k in range(60))
    (tmp_path / "run.csv").write_text(rows)
    with pytest.raises(poinsot.PoinsotError, match=r"rows have 4 fields: commas .* decimal points"):
        poinsot.read(tmp_path / "run.csv")


@pytest.mark.parametrize("header", ['"t [s]","theta [rad]"', "t [s],theta [rad]"])
@pytest.mark.parametrize("form", ["%.4f", "%.3f", "%.3e"])
def test_quoted_numbers_with_decimal_commas_between_commas_are_read(form, header, tmp_path):
    t, x = np.arange(100) / 100, np.sin(np.arange(100) / 10)
    rows = (f'"{comma(a)}","{comma(b, form)}"' for a, b in zip(t, x))
    (tmp_path / "run.csv").write_text("\n".join([header, *rows]) + "\n")
    rec = poinsot.read(tmp_path / "run.csv")
    np.testing.assert_allclose(rec.t, t, atol=1e-9)
    np.testing.assert_allclose(rec["theta"], x, atol=1e-3)


def test_quoted_whole_numbers_with_thousands_apart_are_no_fractions(tmp_path):
    rows = (f'"{k}","{1000 + k:,}","{k / 2}"' for k in range(50))
    (tmp_path / "run.csv").write_text("\n".join(["n,count,x", *rows]) + "\n")
    assert not np.any(np.abs(poinsot.read(tmp_path / "run.csv", rate=10.0).table(["x"])) > 25)
    assert "count" not in poinsot.read(tmp_path / "run.csv", rate=10.0)


CELLS = [("%.3f N", 1.0), ("%.3fN", 1.0), ("%.6f kN", 1e-3), ('"%.3f N"', 1.0)]


@pytest.mark.parametrize("header", ["t [s],cell,theta [rad]", "t [s],cell [N],theta [rad]"])
@pytest.mark.parametrize(("form", "factor"), CELLS)
def test_cells_with_one_unit_are_numbers(form, factor, header, tmp_path):
    t = np.arange(100) / 100
    rows = [f"{a},{form % (factor * np.sin(9 * a))},{a}" for a in t]
    rows[7] = "0.07,,0.07"
    (tmp_path / "run.csv").write_text("\n".join([header, *rows]) + "\n")
    rec = poinsot.read(tmp_path / "run.csv")
    kept = t != 0.07
    assert rec.units["cell"] == "N" and not rec.problems
    np.testing.assert_allclose(rec["cell"][kept], np.sin(9 * t)[kept], atol=2e-3)


def test_a_text_in_place_of_a_sensor_is_an_error(tmp_path):
    sensors = {"cell": {"type": "drive-force", "actuator": "A"}}
    bar = poinsot.build({**poinsot.load("four_bar").document, "sensors": sensors})
    rows = [f"{k / 100},{'on' if k % 2 else 'off'},{k} {'N' if k % 2 else 'kN'},1.{k:02}" for k in range(100)]
    (tmp_path / "run.csv").write_text("\n".join(["t [s],state,cell,theta1 [rad]", *rows]) + "\n")
    found = [f for f in poinsot.read(tmp_path / "run.csv", mechanism=bar).findings if f.code == "text"]
    assert [(f.channel, f.severity) for f in found] == [("state", "note"), ("cell", "error")]


@pytest.mark.parametrize("title", ["bench,run 7", "# bench,run 7", "bench 3,third run of 7\n"])
def test_whole_numbers_in_twice_as_many_columns_as_names_below_a_title_are_read(title, tmp_path):
    rows = "".join(f"{k / 10},{k},{k * k},{k}\n" for k in range(60))
    (tmp_path / "run.csv").write_text(f"{title}\n" + rows)
    rec = poinsot.read(tmp_path / "run.csv")
    assert list(rec) == ["column2", "column3", "column4"]
    assert rec["column3"][7] == 49


def test_whole_numbers_below_their_names_are_read(tmp_path):
    rows = "".join(f"{k},{k},{k * k},{k % 5}\n" for k in range(60))
    (tmp_path / "run.csv").write_text("bench 3, run 7\nt,a,b,c\n" + rows)
    assert list(poinsot.read(tmp_path / "run.csv")) == ["a", "b", "c"]


@pytest.mark.parametrize("header", ["", "Unnamed: 0"])
@pytest.mark.parametrize("every", [1, 4])
def test_the_index_of_a_data_frame_is_left_out_with_a_note(header, every, tmp_path):
    rows = "".join(f"{k},{k / 100},{np.sin(k / 10):.6f}\n" for k in range(60))
    (tmp_path / "run.csv").write_text(f"{header},t [s],theta1 [rad]\n" + rows)
    rec = poinsot.read(tmp_path / "run.csv", every=every)
    assert list(rec) == ["theta1"]
    assert [f.message for f in rec.findings if f.code == "left out"] == [
        "the first column has no name and counts the rows: it is left out"
    ]
    by_number = poinsot.read(tmp_path / "run.csv", columns={"angle": 3})
    assert by_number["angle"][10] == pytest.approx(np.sin(1), abs=1e-6)


@pytest.mark.parametrize("first", ["{0:.2f}", "{1}"])
def test_a_column_without_a_name_that_does_not_count_rows_stays(first, tmp_path):
    rows = "".join(f"{first.format(np.cos(k / 7), k // 3)},{k / 100},{k}\n" for k in range(60))
    (tmp_path / "run.csv").write_text(",t [s],x\n" + rows)
    assert list(poinsot.read(tmp_path / "run.csv")) == ["column1", "x"]


@pytest.mark.parametrize("header", ["t [s],q [rad],", "t [s],q [rad]", "t [s],q [rad],Unnamed: 2"])
def test_delimiters_at_the_end_of_rows_make_no_column(header, tmp_path):
    rows = "".join(f"{x / 50},{x},\n" for x in range(50))
    (path := tmp_path / "run.csv").write_text(header + "\n" + rows)
    rec = poinsot.read(path)
    assert list(rec) == ["q"] and not rec.findings
    path.write_text(header.replace("q [rad]", "column2") + "\n" + rows)
    assert list(poinsot.read(path)) == ["column2"]  # it has samples


def test_a_motion_whose_columns_are_no_coordinates_is_not_blamed_on_the_index(tmp_path):
    rows = "".join(f"{k},{k / 100},{k / 200}\n" for k in range(60))
    (tmp_path / "run.csv").write_text(",t [s],theat1\n" + rows)
    with pytest.raises(poinsot.PoinsotError, match="'theat1'"):
        poinsot.inverse_dynamics(poinsot.load("four_bar"), tmp_path / "run.csv")


def test_infinite_samples_of_arrays_are_masked_and_told():
    x = np.sin(np.arange(50) / 5)
    x[[7, 30]] = np.inf, -np.inf
    rec = poinsot.Recording.of(np.arange(50) / 10, {"x": x, "y": np.arange(50)})
    (finding,) = rec.findings
    assert (finding.code, finding.channel, finding.amount) == ("infinite", "x", 2) and finding.mended
    assert "2 of 50 samples are infinite" in str(finding) and "at 0.7, 3 s" in str(finding)
    assert np.isnan(rec["x"][[7, 30]]).all() and rec.mask("x").sum() == 48
    assert np.isinf(x[7])  # what was given is not changed


@pytest.mark.parametrize(
    "text, x",
    [
        (
            "Zeit;x [mm];m\n10:59:58,0;1.234,5;1\n10:59:58,5;999,5;2\n10:59:59,0;-1.234.567,25;3\n",
            (1.2345, -1234.56725),
        ),
        (
            'time,x [mm],m\n9:59:58.0,"1,234.5",1\n9:59:58.5,999.5,2\n9:59:59.0,"-1,234,567.25",3\n',
            (1.2345, -1234.56725),
        ),
    ],
)
def test_times_of_day_and_thousands_apart_are_read(text, x, tmp_path):
    (path := tmp_path / "run.csv").write_text(text)
    found = poinsot.read(path)
    assert np.diff(found.t).tolist() == [0.5, 0.5] and found["m"].tolist() == [1, 2, 3]
    assert (found["x"][0], found["x"][2]) == x and found["x"][1] == 0.9995 and not found.problems
