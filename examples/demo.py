"""The main job, as far as it goes today: load the EX800, check it, drive it through the waves, show its motion."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import poinsot
from poinsot.app.motion_page import motion_page
from poinsot.model.assembly import follow
from poinsot.model.toml import write_aside

OUTPUT = Path("results") / "demo"
OMEGA, DURATION, RATE = 3.75, 5.0, 25  # [rad/s], [s], [Hz]


def waves(t: float) -> dict[str, float]:
    """Pose of the platform in the published wave motion; ZXY angles about the home pose."""
    s, c = np.sin(OMEGA * t), np.cos(OMEGA * t)
    home = {"z": 0.275, "rz": np.pi / 3}
    return {
        "x": 0.029 * s,
        "y": 0.029 * s,
        "z": home["z"] + 0.037 * c,
        "rz": home["rz"] + 0.029 * s,
        "rx": 0.0,
        "ry": 0.29 * s,
    }


def main() -> None:
    """Run the demonstration."""
    ex800 = poinsot.load("ex800")
    print(poinsot.check(ex800), "\n")
    t = np.arange(0, DURATION, 1 / RATE)
    begin = time.perf_counter()
    motion = follow(ex800, [waves(x) for x in t])
    lengths = np.array(
        [[ex800.coordinates[f"leg{i}.length"].value(m.poses, ex800.joints) for i in range(1, 7)] for m in motion]
    )
    seconds, worst = time.perf_counter() - begin, max(m.residual for m in motion)
    print(f"waves: {len(t)} poses in {seconds:.1f} s, every joint closed to {worst:.0e} of the machine's size")
    for i, length in enumerate(lengths.T, 1):
        print(f"  leg{i}  {length.min() * 1e3:6.1f} … {length.max() * 1e3:6.1f} mm  {_line(length)}")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    page = write_aside(OUTPUT / "ex800.html", motion_page(ex800, t, motion, "EX800 in waves"))
    print(f"\nopen {page} in a browser to see it move")


def _line(values: np.ndarray) -> str:
    """A curve in one line of text."""
    step = values[:: max(1, len(values) // 60)]
    level = (step - values.min()) / (np.ptp(values) or 1.0)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * float(x))] for x in level)


if __name__ == "__main__":
    main()
