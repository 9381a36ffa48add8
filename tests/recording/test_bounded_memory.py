"""Text tables are read in blocks: the memory that is needed does not grow with the file."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="the peak of memory is not known on this system")

MOST = 2.0  # times the samples that are kept, while they are put together and looked through
PEAK = """
import resource, sys
import poinsot
rec = poinsot.read(sys.argv[1], every=int(sys.argv[2]))
print(len(rec), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1 << 20))
"""


def peak(path, every: int) -> tuple[int, int]:
    """Rows that were kept and the most memory of a process that reads a file  [MB]."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(path), str(every)], capture_output=True, text=True, check=True
    )
    rows, megabytes = map(int, done.stdout.split())
    return rows, megabytes


def written(path, times: int):
    """A table of so many times 100 000 rows of five columns."""
    block = [
        f"{0.4321 * k % 1:.6f},{0.1234 * k % 1:.6f},{0.7 * k % 1:.6f},{0.31 * k % 1:.6f}" for k in range(100_000)
    ]
    with open(path, "w") as file:
        file.write("t,a,b,c,d\n")
        for n in range(times):
            file.write("".join(f"{(n * len(block) + k) * 1e-3:.3f},{line}\n" for k, line in enumerate(block)))
    return path


def test_the_memory_for_means_of_rows_does_not_grow_with_the_file(tmp_path):
    peaks, rows = [], []
    for times in (10, 50):  # 38 MB, 190 MB
        path = written(tmp_path / f"{times}.csv", times)
        kept, megabytes = peak(path, every=500)
        peaks.append(megabytes)
        rows.append(kept)
        path.unlink()
    assert rows == [2_000, 10_000]
    assert peaks[1] < peaks[0] + 40, peaks  # 150 MB more of text


def test_a_whole_recording_needs_at_most_twice_the_memory_of_its_samples(tmp_path):
    peaks = [peak(written(tmp_path / f"{times}.csv", times), every=1)[1] for times in (5, 25)]
    kept = 20 * 100_000 * 5 * 8 / 2**20  # MB more
    assert peaks[1] - peaks[0] < MOST * kept, (peaks, kept)
