"""Text tables are read in blocks: the memory that is needed does not grow with the file."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="the peak of memory is not known on this system")

PEAK = """
import resource, sys
import poinsot
rec = poinsot.read(sys.argv[1], every=500)
print(len(rec), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1 << 20))
"""


def peak(path) -> tuple[int, int]:
    """Rows that were kept and the most memory of a process that reads a file  [MB]."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    rows, megabytes = map(int, done.stdout.split())
    return rows, megabytes


def test_the_memory_for_means_of_rows_does_not_grow_with_the_file(tmp_path):
    block = [
        f"{0.4321 * k % 1:.6f},{0.1234 * k % 1:.6f},{0.7 * k % 1:.6f},{0.31 * k % 1:.6f}" for k in range(100_000)
    ]
    peaks, rows = [], []
    for times in (10, 50):  # 38 MB, 190 MB
        with open(path := tmp_path / f"{times}.csv", "w") as file:
            file.write("t,a,b,c,d\n")
            for n in range(times):
                file.write("".join(f"{(n * len(block) + k) * 1e-3:.3f},{line}\n" for k, line in enumerate(block)))
        kept, megabytes = peak(path)
        peaks.append(megabytes)
        rows.append(kept)
        path.unlink()
    assert rows == [2_000, 10_000]
    assert peaks[1] < peaks[0] + 40, peaks  # 150 MB more of text
