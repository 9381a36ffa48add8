"""The main job: the EX800 is measured in waves, and mass and inertias of its platform are identified from that.

The experiment is simulated, with the sensors of the published rig: an inertial unit of 0.01 g and 0.07 °/s, leg
encoders, and load cells in the legs, at 100 samples a second. So the truth is known, and the result can be judged.
"""

from __future__ import annotations

import time
from pathlib import Path

import casadi
import numpy as np

import poinsot
from poinsot.app.scene.page import as_html
from poinsot.app.tables import write_table
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
SENSORS = """
[components.leg.sensors.cell]
type = "drive-force"
actuator = "self"
noise = "0.1 N"
"""
STUDY = """
format = 1
model = "rig.toml"

[recordings.waves]
file = "waves.csv"

[recordings.again]
file = "again.csv"
role = "validate"

[unknowns]
"platform.mass" = { bounds = ["0 kg", "10 kg"] }
Ixx = { parameters = ["platform.inertia.xx", "platform.inertia.yy"] }
"platform.inertia.zz" = {}
"""
TRUE = {"platform.mass": 6.8369, "Ixx": 41.585e-3, "platform.inertia.zz": 82.9623e-3}


def main() -> None:
    """Run the demonstration."""
    begin, t = time.perf_counter(), np.arange(0, DURATION, 1 / RATE)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    rig = _rig()
    print("1. An experiment on the EX800 Stewart platform: five seconds of waves, recorded twice.", flush=True)
    print("   (The first run writes and compiles the equations of motion, which takes half a minute.)", flush=True)
    for name, seed in (("waves", 7), ("again", 8)):
        recording = poinsot.measure(rig, WAVES, t, seed=seed)
        units = recording.units
        table = {f"{channel} [{units[channel]}]": x for channel, x in recording.values.items()}
        write_table(OUTPUT / f"{name}.csv", {"t [s]": t, **table}, overwrite=True)
    poinsot.save(rig, OUTPUT / "rig.toml", overwrite=True)
    write_aside(OUTPUT / "study.toml", STUDY.lstrip())
    print("\n2. What do forces on the platform say, if moments are not measured?", flush=True)
    _forces_alone(rig, t)
    print("\n3. The study: inertial unit, encoders and leg forces; nothing that is measured contains the unknowns.")
    estimate = poinsot.identify(OUTPUT / "study.toml")
    print(estimate)
    for name, truth in TRUE.items():
        off = (estimate[name].value - truth) / estimate[name].deviation
        print(f"   {name}: the truth is {truth:g}, {abs(off):.1f} standard errors away")
    folder = estimate.save(OUTPUT / "result", overwrite=True)
    moving = poinsot.kinematics(rig, WAVES, t)
    page = write_aside(OUTPUT / "ex800.html", as_html(rig, moving))
    print(f"\nThe identified model and all numbers are in {folder}; open {page} in a browser to see the motion.")
    print(f"The same from the command line: poinsot identify {OUTPUT / 'study.toml'} --out DIR")
    print(f"{time.perf_counter() - begin:.0f} s in all")


def _rig() -> poinsot.Mechanism:
    """The EX800 with the sensors of its experiment."""
    text = poinsot.dumps(poinsot.load("ex800"))
    text = text.replace('type = "imu"\n', 'type = "imu"\nnoise = 0.0981\nrate_noise = "0.07 deg/s"\n')
    text = text.replace('type = "encoder"\n', 'type = "encoder"\nnoise = "0.05 mm"\n')
    return poinsot.loads(text + SENSORS, "ex800")


def _forces_alone(rig: poinsot.Mechanism, t: np.ndarray) -> None:
    """The published experiment: three forces, which do not contain the inertias at all."""
    run, rng = poinsot.inverse_dynamics(rig, WAVES, t), np.random.default_rng(7)
    forces = run.body_forces["platform"][:, :3] + 0.19 * rng.standard_normal((len(t), 3))
    values = {name: run.kinematics.coordinates[name] for name in WAVES}
    values |= dict(zip(("fx", "fy", "fz"), forces.T))
    places = {name: f"wrench platform.{name}" for name in ("fx", "fy", "fz")}
    unknowns = {"platform.mass": {}, "platform.inertia.xx": {}, "platform.inertia.zz": {}}
    estimate = poinsot.identify(rig, poinsot.Recording.of(t, values, places=places), unknowns)
    for value in estimate.parameters:
        print(f"   {value}")


if __name__ == "__main__":
    main()
