"""Machines to calibrate: a Stewart platform with its legs, a five-bar with encoders on all joints, a serial arm."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
from scipy.spatial.transform import Rotation

from poinsot.model.load import load
from poinsot.model.mechanism import Mechanism, build
from poinsot.model.toml import parsed_toml
from poinsot.recording.recording import Recording

FEET, HEADS = np.radians([50, 70, 170, 190, 290, 310]), np.radians([10, 110, 130, 230, 250, 350])
B = np.stack([0.27 * np.cos(FEET), 0.27 * np.sin(FEET), np.zeros(6)], 1)  # [m]
P = np.stack([0.195 * np.cos(HEADS), 0.195 * np.sin(HEADS), np.zeros(6)], 1)  # [m]

STEWART = """
format = 1
name = "stewart"

[bodies.ground]
frames.tracker = { position = [0, 0, 0], rotation = { sequence = "XYZ", angles = [0, 0, 0] } }

[bodies.platform]
mass = 1
inertia = [0.01, 0.01, 0.01]
placement = { position = [0, 0, 0.3] }
frames.tool = { position = [0, 0, 0], rotation = { sequence = "XYZ", angles = [0, 0, 0] } }

[components.leg]
arguments = ["bx", "by", "bz", "px", "py", "pz", "turn"]
frames.head = { body = "platform", position = ["{px}", "{py}", "{pz}"] }

[components.leg.frames.foot]
body = "ground"
position = ["{bx}", "{by}", "{bz}"]
rotation = { sequence = "ZXZ", angles = ["{turn}", 0, 0] }

[components.leg.bodies.cylinder]
mass = 0.3
inertia = [0.01, 0.01, 0.001]
placement = { at = "foot", along = ["foot", "head"] }

[components.leg.bodies.rod]
mass = 0.1
inertia = [0.01, 0.01, 0.001]
placement = { at = "head", along = ["foot", "head"] }

[components.leg.joints]
universal = { type = "universal", between = ["foot", "cylinder"] }
slide = { type = "prismatic", between = ["cylinder", "rod"] }
ball = { type = "spherical", between = ["rod", "head"] }

[components.leg.sensors.encoder]
type = "encoder"
on = { joint = "slide" }
offset = 0
noise = "10 um"

[instances.leg]
component = "leg"
number = 6
bx = BX
by = BY
bz = BZ
px = PX
py = PY
pz = PZ
turn = TURN
separate = ["encoder.offset"]

[coordinates]
x = { position = "platform.tool", axis = "x", reference = "ground.tracker" }
y = { position = "platform.tool", axis = "y", reference = "ground.tracker" }
z = { position = "platform.tool", axis = "z", reference = "ground.tracker" }
a = { angle = "platform.tool", sequence = "XYZ", index = 1, reference = "ground.tracker" }
b = { angle = "platform.tool", sequence = "XYZ", index = 2, reference = "ground.tracker" }
c = { angle = "platform.tool", sequence = "XYZ", index = 3, reference = "ground.tracker" }
"""


def stewart() -> Mechanism:
    """A 6-UPS platform whose legs have points and offsets of their own."""
    numbers = {"BX": B[:, 0], "BY": B[:, 1], "BZ": B[:, 2], "PX": P[:, 0], "PY": P[:, 1], "PZ": P[:, 2]}
    text = STEWART.replace("TURN", str(FEET.tolist()))
    for key, values in numbers.items():
        text = text.replace(f"= {key}\n", f"= {values.tolist()}\n")
    return build(parsed_toml(text))


POINTS = [f"leg{k}.{end}.{axis}" for k in range(1, 7) for end in ("foot", "head") for axis in "xyz"]
OFFSETS = [f"leg{k}.encoder.offset" for k in range(1, 7)]
PARTS = ("x", "y", "z", "angle1", "angle2", "angle3")
FRAMES = [f"ground.tracker.{part}" for part in PARTS], [f"platform.tool.{part}" for part in PARTS]
NOISE = {"leg*": 1e-5, "[xyz]": 2e-5, "[abc]": 5e-5}  # [m], [m], [rad]


def off_nominal(mechanism: Mechanism, sizes: dict[str, float], rng: np.random.Generator) -> Mechanism:
    """The mechanism as it was built, not as it was drawn: errors of some sizes in parameters."""
    values = {n: mechanism.parameters[n].value + size * rng.standard_normal() for n, size in sizes.items()}
    return mechanism.with_parameters(values)


def legs(points: np.ndarray, offsets: np.ndarray, place: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Readings (n, 6) in closed form: |p + R P − B| + offset; points (6, 2, 3) are B and P of each leg."""
    R = Rotation.from_euler("XYZ", angles).as_matrix()
    heads = place[:, None] + np.einsum("nij,kj->nki", R, points[:, 1])
    return np.linalg.norm(heads - points[:, 0], axis=2) + offsets


def platform_poses(true: Mechanism, n: int, rng: np.random.Generator) -> Recording:
    """Legs and platform measured in n poses, with noise."""
    place = np.column_stack([rng.uniform(-0.06, 0.06, (n, 2)), rng.uniform(0.24, 0.36, n)])
    angles = rng.uniform(-0.3, 0.3, (n, 3))
    points = np.array([true.parameters[name].value for name in POINTS]).reshape(6, 2, 3)
    read = legs(points, np.array([true.parameters[name].value for name in OFFSETS]), place, angles)
    values = {f"leg{k + 1}.encoder": x for k, x in enumerate(read.T)}
    values |= dict(zip("xyzabc", np.column_stack([place, angles]).T))
    return noisy(values, NOISE, rng)


def noisy(values: dict[str, np.ndarray], noise: dict[str, float], rng: np.random.Generator) -> Recording:
    """A recording of poses, one a second, with noise by pattern."""
    sigma = {name: next(s for pattern, s in noise.items() if fnmatchcase(name, pattern)) for name in values}
    n = len(next(iter(values.values())))
    return Recording.of(
        np.arange(n, dtype=float), {k: x + sigma[k] * rng.standard_normal(n) for k, x in values.items()}
    )


ENCODERS = {"e1": "shoulder1", "e2": "shoulder2", "e3": "elbow1", "e4": "elbow2"}
BARS = ["crank1.elbow.x", "crank2.elbow.x", "forearm1.tool.x", "forearm2.tool.x"]
ZEROS = [f"{name}.offset" for name in ENCODERS]
SELF = BARS + ZEROS


def five_bar() -> Mechanism:
    """The five-bar of the library with encoders on driven and passive joints."""
    sensors = {n: {"type": "encoder", "on": {"joint": j}, "offset": 0, "noise": 2e-5} for n, j in ENCODERS.items()}
    return build({**dict(load("five_bar").document), "sensors": sensors})


def elbows(bars: np.ndarray, q1: np.ndarray, q2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the passive joints in closed form: two circles about the elbows meet in the tool."""
    left, right = (
        np.stack([x + r * np.cos(q), r * np.sin(q)]) for x, r, q in ((-0.075, bars[0], q1), (0.075, bars[1], q2))
    )
    d = right - left
    length = np.hypot(*d)
    along = (bars[2] ** 2 - bars[3] ** 2 + length**2) / (2 * length)
    tool = left + (along * d + np.sqrt(bars[2] ** 2 - along**2) * np.array([-d[1], d[0]])) / length
    return tuple(np.arctan2(*(tool - elbow)[::-1]) - q for elbow, q in ((left, q1), (right, q2)))


def five_bar_poses(true: Mechanism, n: int, rng: np.random.Generator) -> Recording:
    """All four encoders in n poses, with noise."""
    q1, q2 = (np.radians(home) + rng.uniform(-0.4, 0.4, n) for home in (130, 50))
    bars = np.array([true.parameters[name].value for name in BARS])
    read = np.stack([q1, q2, *elbows(bars, q1, q2)]) + [[true.parameters[name].value] for name in ZEROS]
    return noisy(dict(zip(ENCODERS, read)), {"*": 2e-5}, rng)


# a, d [m] and twist [rad] of the links of an arm with six axes; the second and third axis are parallel
LINKS = [
    (0.0, 0.4, np.pi / 2),
    (0.45, 0.05, 0.0),
    (0.05, 0.02, np.pi / 2),
    (0.0, 0.4, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.05, 0.15, 0.0),
]


def arm_names(n: int) -> list[str]:
    """Parameters of an arm with n axes: a, d and twist of every link, then the offsets of its encoders."""
    links = [f"link{k}.next.{part}" for k in range(1, n + 1) for part in ("x", "z", "angle1")]
    return links + [f"j{k}.offset" for k in range(1, n + 1)]


ARM = arm_names(6)


def generated_links(rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """Links of an arm with three to six axes, many of them parallel or crossing, some coincident."""
    n = int(rng.integers(3, 7))
    twists = rng.choice([0, np.pi / 2, -np.pi / 2], n)
    sizes = [(rng.choice([0, rng.uniform(0.05, 0.5)]), rng.choice([0, rng.uniform(0.05, 0.4)])) for _ in twists]
    return [*((float(a), float(d), float(t)) for (a, d), t in zip(sizes[:-1], twists)), (0.1, 0.1, 0.0)]


def arm(links: list[tuple[float, float, float]] = LINKS) -> Mechanism:
    """Denavit–Hartenberg: turn about z, then along z and x and a twist about x, for every link."""
    bodies, joints, sensors, before = {}, {}, {}, "ground"
    for k, (a, d, twist) in enumerate(links, 1):
        turned = {"sequence": "XYZ", "angles": [twist, 0, 0]}
        bodies[f"link{k}"] = {
            "mass": 1,
            "inertia": [1, 1, 1],
            "frames": {"next": {"position": [a, 0, d], "rotation": turned}},
        }
        joints[f"J{k}"] = {"type": "revolute", "between": [before, f"link{k}"]}
        sensors[f"j{k}"] = {"type": "encoder", "on": {"joint": f"J{k}"}, "offset": 0}
        before = f"link{k}.next"
    tool = {axis: {"position": before, "axis": axis} for axis in "xyz"}
    return build(
        {"format": 1, "name": "arm", "bodies": bodies, "joints": joints, "sensors": sensors, "coordinates": tool}
    )


def reach(parameters: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Tool (n, 3) for joint angles (n, axes), by products of matrices; parameters as in `arm_names`."""
    links = parameters[: 3 * q.shape[1]].reshape(-1, 3)
    p, R = np.zeros((len(q), 3)), np.broadcast_to(np.eye(3), (len(q), 3, 3))
    for (a, d, twist), angle in zip(links, q.T):
        R = R @ Rotation.from_euler("z", angle[:, None]).as_matrix()
        p = p + R @ np.array([a, 0, d])
        R = R @ Rotation.from_euler("x", twist).as_matrix()
    return p


def require_exact(problem, columns) -> None:
    """Columns of the Jacobian at the start, against differences of the fourth order."""
    p = problem.space.start
    J = problem.jacobian(p)
    for k in columns:
        step = np.zeros(len(p))
        step[k] = 1e-5
        one, two = ((problem.residuals(p + f * step) - problem.residuals(p - f * step)) / 2e-5 / f for f in (1, 2))
        np.testing.assert_allclose((4 * one - two) / 3, J[:, k], rtol=0, atol=1e-6 * np.linalg.norm(J[:, k]))
