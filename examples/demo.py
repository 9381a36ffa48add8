"""The main job, as far as it goes today: check the EX800, drive it through waves, show its motion and forces."""

from __future__ import annotations

import time
from pathlib import Path

import casadi
import numpy as np

import poinsot
from poinsot.app.motion_page import motion_page
from poinsot.model.toml import write_aside

OUTPUT = Path("results") / "demo"
OMEGA, DURATION, RATE = 3.75, 5.0, 100  # [rad/s], [s], [Hz]
# Pose of the platform in the published wave motion; ZXY angles about the home pose.
WAVES = {
    "x": lambda t: 0.029 * casadi.sin(OMEGA * t),
    "y": lambda t: 0.029 * casadi.sin(OMEGA * t),
    "z": lambda t: 0.275 + 0.037 * casadi.cos(OMEGA * t),
    "rz": lambda t: np.pi / 3 + 0.029 * casadi.sin(OMEGA * t),
    "rx": 0.0,
    "ry": lambda t: 0.29 * casadi.sin(OMEGA * t),
}


def main() -> None:
    """Run the demonstration."""
    ex800 = poinsot.load("ex800")
    print(poinsot.check(ex800), "\n")
    print("preparing the equations of motion (a few seconds the first time) …", flush=True)
    t = np.arange(0, DURATION, 1 / RATE)
    begin = time.perf_counter()
    forces = poinsot.inverse_dynamics(ex800, WAVES, t)
    seconds, moving = time.perf_counter() - begin, forces.kinematics
    print(f"waves: {len(t)} samples in {seconds:.1f} s, every joint closed to {moving.residual:.0e} m")
    for leg, force in forces.forces.items():
        length = moving.coordinates[f"{leg}.length"] * 1e3
        print(f"  {leg}  {length.min():5.1f} … {length.max():5.1f} mm  {_line(length)}  ", end="")
        print(f"{force.min():5.1f} … {force.max():5.1f} N  {_line(force)}")
    rows = forces.body_forces["platform"][round(1.0 * RATE)]
    print(f"platform at t = 1 s: F = ({', '.join(f'{f:.5f}' for f in rows[:3])}) N")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    page = write_aside(OUTPUT / "ex800.html", motion_page(ex800, moving, "EX800 in waves"))
    print(f"\nopen {page} in a browser to see it move")


def _line(values: np.ndarray) -> str:
    """A curve in one line of text."""
    step = values[:: max(1, len(values) // 30)]
    level = (step - values.min()) / (np.ptp(values) or 1.0)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * float(x))] for x in level)


if __name__ == "__main__":
    main()
