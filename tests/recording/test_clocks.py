"""Clocks of tables: rows in the opposite order, times that go back, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.recording.clock.rate import unrounded
from poinsot.recording.finding import Severity

T = np.arange(60) / 100.0
X = np.sin(3 * T)


def written(folder, t, x, time="time"):
    """A table of times and samples."""
    (path := folder / "run.csv").write_text(f"{time},x\n" + "".join(f"{a:.4f},{b:.9f}\n" for a, b in zip(t, x)))
    return path


def test_rows_in_the_opposite_order_are_turned_round(tmp_path):
    found = poinsot.read(written(tmp_path, T[::-1], X[::-1]))
    assert_allclose(found.t, T)
    assert_allclose(found["x"], X, atol=1e-9)
    (finding,) = (f for f in found.findings if f.channel == "t")
    assert finding.code == "reversed" and finding.mended and finding.where == "from row 2 of column 'time' on"
    assert "the times decrease, from 0.59 to 0 s: the rows are put in the opposite order" in str(finding)
    assert not found.problems


def test_rows_of_a_turned_table_keep_their_numbers(tmp_path):
    t = T[::-1].copy()
    t[3] = t[2]
    found = poinsot.read(written(tmp_path, t, X[::-1]))
    assert len(found) == len(T) - 1
    assert [f.where for f in found.findings if f.code == "time repeats"] == ["in row 3 of column 'time'"]


@pytest.mark.parametrize(("back", "severity"), [(3, Severity.WARNING), (40, Severity.ERROR)])
def test_a_clock_that_leaves_few_rows_is_a_problem(back, severity, tmp_path):
    t = np.concatenate([T[:-back], T[-back - 1] - T[1 : back + 1]])
    found = poinsot.read(written(tmp_path, t, X))
    (finding,) = (f for f in found.findings if f.code == "goes back")
    assert finding.severity is severity and finding.mended is (severity is Severity.WARNING)
    assert finding.where.startswith(f"in rows {len(T) - back + 1}, ") and bool(found.problems) is not finding.mended


@pytest.mark.parametrize("row", [1, 2, 3, 20])
@pytest.mark.parametrize("change", [lambda line: line + ",9", lambda line: line.split(",")[0]])
def test_a_row_with_other_fields_is_named_by_its_line_wherever_it_is(row, change, tmp_path):
    path = written(tmp_path, T, X)
    lines = path.read_text().split("\n")
    path.write_text("\n".join([*lines[:row], change(lines[row]), *lines[row + 1 :]]))
    found = poinsot.read(path)
    assert list(found) == ["x"] and len(found) == len(T) - 1
    (finding,) = (f for f in found.findings if f.code == "ragged")
    assert finding.where == f"in line {row + 1}" and "1 line has another number of fields than 2" in finding.message


def test_lines_of_numbers_above_names_stay_above(tmp_path):
    (path := tmp_path / "run.csv").write_text("12\n7\nt,x\n" + "".join(f"{a},{b}\n" for a, b in zip(T, X)))
    found = poinsot.read(path)
    assert list(found) == ["x"] and len(found) == len(T) and not found.findings


@pytest.mark.parametrize(
    "ends, said",
    [((0.2, 0.4), "from 0.2 to 0.4 s"), ((-np.inf, 0.4), "to 0.4 s"), ((0.2, np.inf), "from 0.2 s")],
    ids=["both", "end", "begin"],
)
def test_parts_say_the_ends_that_they_have(ends, said):
    rec = poinsot.Recording.of(np.arange(0, 1, 0.1), {"q": np.zeros(10)})
    assert rec.between(*ends).steps[-1] == f"the part {said} was taken" and rec.between(-np.inf, np.inf) is rec
    with pytest.raises(PoinsotError, match=r"nothing was recorded to -3: it is over .* s"):
        rec.between(-np.inf, -3.0)


@pytest.mark.parametrize("back", [0.05, 0.5, 1.0, 3.0, 12.0])
@pytest.mark.parametrize("lost", [False, True])
def test_a_clock_that_was_set_back_leaves_one_part_and_never_glues_two(tmp_path, back, lost):
    """Rows behind the fall have times that are taken: what is behind them would be off by the fall."""
    t = np.arange(4000) / 200.0
    x, stamps = np.sin(3 * t), t.copy()
    stamps[1500:] -= back
    if lost:
        stamps[::7] = np.nan
    found = poinsot.read(written(tmp_path, stamps, x))
    (finding,) = (f for f in found.findings if f.code == "restart")
    assert "in row 150" in finding.where and "only the longest of 2 parts is kept" in str(finding)
    assert len(found) == pytest.approx(2500 * (6 / 7 if lost else 1), abs=2)
    assert_allclose(found["x"], np.sin(3 * (found.t + back)), atol=1e-6)


@pytest.mark.parametrize("row, back", [(200, 3.0), (300, 3.5), (100, 1.0), (20, 0.5)])
def test_a_clock_that_was_set_back_early_keeps_the_longer_part(tmp_path, row, back):
    """It falls by more than was recorded before: nearly all that follows is earlier than anything before."""
    t = np.arange(4000) / 200.0
    stamps = np.where(np.arange(4000) < row, t, t - back)
    found = poinsot.read(written(tmp_path, stamps, np.sin(3 * t)))
    assert len(found) == 4000 - row and [f.code for f in found.findings if f.channel == "t"] == ["restart"]
    assert_allclose(found["x"], np.sin(3 * (found.t + back)), atol=1e-6)


@pytest.mark.parametrize("parts, wrong", [((1000, 500), False), ((500, 500), False), ((500, 500, 400), True)])
def test_the_longest_of_several_recordings_is_kept_and_a_problem_where_it_is_less_than_half(tmp_path, parts, wrong):
    t = np.concatenate([np.arange(n) / 100.0 for n in parts])
    x = np.concatenate([k + np.sin(3 * np.arange(n) / 100.0) for k, n in enumerate(parts)])
    found = poinsot.read(written(tmp_path, t, x))
    assert len(found) == max(parts) and bool(found.problems) is wrong
    assert_allclose(found["x"], np.sin(3 * found.t), atol=1e-6)


@pytest.mark.parametrize("frequency", [0.3, 1.0, 3.0])
def test_times_that_swing_are_no_clock_that_was_set_back(tmp_path, frequency):
    t = np.arange(2000) / 200.0
    with pytest.raises(PoinsotError, match="'x' grows evenly: are their headers swapped"):
        poinsot.read(written(tmp_path, np.sin(2 * np.pi * frequency * t), t))


@pytest.mark.parametrize("turn", [1, -1], ids=["in order", "reversed"])
def test_a_block_that_was_written_twice_is_left_out_once(tmp_path, turn):
    t = np.arange(4000) / 200.0
    rows = np.r_[0:2000, 1980:4000][::turn]
    found = poinsot.read(written(tmp_path, t[rows], np.sin(3 * t[rows])))
    assert len(found) == 4000 and "restart" not in [f.code for f in found.findings]
    (finding,) = (f for f in found.findings if f.code == "time repeats")
    assert "in 20 of 4020 rows" in str(finding) and not found.problems
    assert_allclose(found["x"], np.sin(3 * found.t), atol=1e-6)


@pytest.mark.parametrize("ahead", [0.1, 1.0, 10.0, 1e6])
def test_one_stamp_in_the_future_costs_one_row(tmp_path, ahead):
    t = np.arange(4000) / 200.0
    stamps = t.copy()
    stamps[2000] += ahead
    found = poinsot.read(written(tmp_path, stamps, np.sin(3 * t)))
    (finding,) = (f for f in found.findings if f.code == "goes ahead")
    assert len(found) == 3999 and finding.where.startswith("in row 2001 of") and not found.problems
    assert_allclose(found["x"], np.sin(3 * found.t), atol=1e-6)


def test_rows_that_come_late_in_a_burst_are_no_second_part(tmp_path):
    t = np.arange(400) / 200.0
    late = np.r_[0:100, 106:112, 100:106, 112:400]
    found = poinsot.read(written(tmp_path, t[late], np.sin(3 * t[late])))
    assert len(found) == 394 and not [f for f in found.findings if f.code == "restart"]
    assert_allclose(found["x"], np.sin(3 * found.t), atol=1e-6)


def two_columns(folder, names, start=1731500000, n=600):
    """A table with a clock of 250 Hz as seconds and nanoseconds, which begins just before a second is full."""
    ns = 900_000_000 + 4_000_000 * np.arange(n)
    rows = (f"{start + k // 10**9},{k % 10**9},{np.sin(1e-8 * k):.9f}\n" for k in ns.tolist())
    (path := folder / "echo.csv").write_text(f"{','.join(names)},x\n" + "".join(rows))
    return path


@pytest.mark.parametrize(
    "names", [("header.stamp.sec", "header.stamp.nanosec"), ("secs", "nsecs"), ("stamp_sec", "stamp_nanosec")]
)
@pytest.mark.parametrize("given", [{}, {"columns": {"y": "x"}}, {"time": 0}], ids=["all", "one", "named"])
def test_seconds_and_nanoseconds_of_ros_are_one_time(names, given, tmp_path):
    given = {"time": names[given["time"]]} if "time" in given else given
    found = poinsot.read(two_columns(tmp_path, names), **given)
    assert_allclose(found.t, 0.004 * np.arange(600), rtol=0, atol=1e-12)
    assert list(found) == ["y" if "columns" in given else "x"] and not found.findings
    assert found.constants["t0"] == pytest.approx(1731500000.9, abs=1e-6)
    late = poinsot.read(two_columns(tmp_path, names, start=7), **given)
    assert_allclose(late.t, 7.9 + 0.004 * np.arange(600), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "time",
    [["a", "b"], ["b", "a"], ["t", "a", "b"]],
)
def test_two_time_columns_of_one_file_are_one_time_where_one_has_parts_of_the_other(time, tmp_path):
    path = two_columns(tmp_path, ("a", "b"))
    named = [{"column": "b", "unit": "ns"} if one == "b" else one for one in time]
    assert_allclose(poinsot.read(path, time=named).t, 0.004 * np.arange(600), rtol=0, atol=1e-12)


def test_two_columns_that_are_each_a_time_are_not_added(tmp_path):
    t = np.arange(200) / 250
    rows = "".join(f"{a},{1e9 * a:.0f},{np.sin(a)}\n" for a in t)
    (path := tmp_path / "run.csv").write_text(f"sec,nsec,x\n{rows}")
    assert_allclose(poinsot.read(path).t, t, rtol=0, atol=1e-12)
    assert_allclose(poinsot.read(path, time=["sec", "nsec"]).t, t, rtol=0, atol=1e-12)


def test_a_rate_is_a_text_with_a_unit_in_columns_files_and_arguments(tmp_path):
    (path := tmp_path / "run.csv").write_text("x\n" + "".join(f"{x:.9f}\n" for x in X))
    (columns := tmp_path / "columns.toml").write_text('format = 1\nrate = "5 kHz"\n[channels.y]\ncolumn = "x"\n')
    for given in ({"columns": columns}, {"rate": "5 kHz"}):
        assert_allclose(poinsot.read(path, **given).t, np.arange(60) / 5000)
    with pytest.raises(PoinsotError, match=r"rate: expected a quantity in Hz, got '5 ms'"):
        poinsot.read(path, rate="5 ms")


@pytest.mark.parametrize("rounded", [0.0, 2.0**-22, 1e-3], ids=["exact", "since 1970", "milliseconds"])
@pytest.mark.parametrize("rate", [250.0, 300.0, 1000 / 3, 450.0, 700.0, 800.0, 900.0, 950.0, 1000.0])
def test_the_rate_of_a_clock_with_rounded_stamps_is_that_of_all_steps(rounded, rate):
    t = np.arange(5000) / rate
    kept = np.ones(len(t), bool)
    kept[[100, 101, 1700, 2500]] = False
    kept[3000:3500] = False
    stamps = (np.round(t / rounded) * rounded if rounded else t)[kept]
    found = poinsot.Recording.of(stamps, {"x": np.zeros(len(stamps))})
    assert found.rate == pytest.approx(rate, rel=1e-12 if not rounded else 1e-6 if rounded < 1e-6 else 2e-3)


@pytest.mark.parametrize("rate, lost", [(800.0, 0.0), (900.0, 0.0), (1000.0, 0.05), (1000.0, 0.25)])
def test_steps_of_two_units_that_come_evenly_are_of_rounding_and_others_of_lost_samples(rate, lost, tmp_path):
    t = np.arange(3000) / rate
    t = np.round(t[np.random.default_rng(3).random(len(t)) >= lost], 3)
    t = t[(t < 1.0) | (t > 1.05)]
    found = poinsot.read(written(tmp_path, t, np.sin(3 * t)))
    assert found.rate == pytest.approx(rate, rel=1e-3)
    (gap,) = (str(f) for f in found.findings if f.code == "gaps")
    assert f"where samples are {1 / rate:.4g} s apart" in gap


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_one_time_in_seconds_and_in_parts_of_them_is_not_added_up(digits, tmp_path):
    t = np.arange(600) / 1000
    rows = "".join(f"{a:.{digits}f},{1000 * a:.0f},{np.sin(a)}\n" for a in t)
    (path := tmp_path / "run.csv").write_text(f"t_sec,t_msec,x\n{rows}")
    found = poinsot.read(path, time=["t_sec", {"column": "t_msec", "unit": "ms"}])
    assert found.t[-1] < 1.05


def test_the_times_of_plotjuggler_are_times(tmp_path):
    assert_allclose(poinsot.read(written(tmp_path, T, X, "__time")).t, T)


@pytest.mark.parametrize("scatter", [0.05, 0.2, 0.32, 0.5])
@pytest.mark.parametrize("lost", [0, 2, 40])
def test_the_rate_of_a_clock_that_jitters_is_the_mean_one_without_gaps(scatter, lost):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        t = (np.arange(601) + scatter / np.sqrt(2) * rng.uniform(-np.sqrt(3), np.sqrt(3), 601)) / 100
        t = np.delete(np.unique(t), rng.choice(np.arange(1, 600), lost, replace=False))
        found = poinsot.Recording.of(t, {"x": t})
        unseen = 1.1 * lost / 600 if scatter > 0.3 else 0.0  # what is lost is no longer told from what is late
        assert found.rate == pytest.approx(100, rel=6e-3 + unseen)
    kept = np.delete(t, slice(200, 300))
    assert poinsot.Recording.of(kept, {"x": kept}).rate == pytest.approx(found.rate, rel=0.02)


@pytest.mark.parametrize("rate", [300.0, 700.0, 800.0, 900.0, 950.0])
def test_stamps_rounded_to_milliseconds_are_those_of_the_even_clock(rate, tmp_path):
    t = np.arange(1000) / rate
    rows = "".join(f"{a:.3f},{np.sin(a):.9f}\n" for a in t)
    (path := tmp_path / "run.csv").write_text("t,x\n" + rows)
    rec = poinsot.read(path)
    assert_allclose(rec.t - rec.t[0], t, atol=1e-4)
    (said,) = [step for step in rec.steps if "stamps rounded to 0.001 s are those of an even clock at" in step]
    assert float(said.split()[-2]) == pytest.approx(rate, rel=1e-4)
    assert not [f for f in rec.findings if f.code in ("jitter", "gaps")]


def test_lost_samples_are_not_taken_for_rounded_stamps():
    random = np.random.default_rng(0)
    for _ in range(200):
        n = random.integers(50, 3000)
        kept = np.sort(random.choice(n, int(n * random.uniform(0.5, 1)), replace=False))
        t = np.arange(n)[kept] / 1000
        assert unrounded(t)[0] is t
