"""Assembly modes: a motion without singular poses stays on its branch, however far apart its samples are."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.motion.driven import driven
from poinsot.system.functions import body_poses
from poinsot.system.system import system
from poinsot.vibration.rigid_batch import reach

FORMULATIONS = ["joint", "euler", "rotation-matrix", "embedded"]


def bar(length: float, *frames: tuple[str, float], at=None, angle: float = 0.0) -> dict:
    body = {"mass": 1.0, "com": [length / 2, 0.0], "inertia": length**2 / 12}
    body["frames"] = {name: [x, 0.0] for name, x in frames}
    return (
        body if at is None else body | {"placement": {"position": list(map(float, at)), "rotation": {"angle": angle}}}
    )


def hinge(a: str, b: str, **more) -> dict:
    return {"type": "revolute", "between": [a, b], **more}


class CrankRocker:
    """A four-bar with its closed form; `pairs` of coupler and rocker hang on one crank."""

    def __init__(self, a, b, c, d, theta, sign, pairs=1):
        self.a, self.b, self.c, self.d, self.theta, self.sign = a, b, c, d, theta, sign
        B, C = self.points(theta)
        bodies = {"ground": {"frames": {"D": [d, 0.0]}}, "crank": bar(a, ("B", a))}
        joints = {"A": hinge("ground", "crank", actuated=True)}
        for k in range(pairs):
            bodies[f"coupler{k}"] = bar(b, ("C", b), at=B, angle=float(np.arctan2(*(C - B)[::-1])))
            bodies[f"rocker{k}"] = bar(c, ("C", c), at=(d, 0.0), angle=float(self.rocking(theta)))
            joints[f"B{k}"] = hinge("crank.B", f"coupler{k}")
            joints[f"D{k}"] = hinge("ground.D", f"rocker{k}")
            joints[f"C{k}"] = hinge(f"coupler{k}.C", f"rocker{k}.C", closing=True)
        self.mechanism = poinsot.build(
            {
                "format": 1,
                "name": "crank-rocker",
                "planar": True,
                "gravity": [0, -9.81],
                "bodies": bodies,
                "joints": joints,
                "coordinates": {
                    "theta": {"joint": "A"},
                    **{f"psi{k}": {"angle": f"rocker{k}"} for k in range(pairs)},
                },
                "pose": {"theta": float(theta)},
            }
        )

    def points(self, theta):
        B, D = self.a * np.array([np.cos(theta), np.sin(theta)]), np.array([self.d, 0.0])
        L = np.hypot(*(D - B))
        e = (D - B) / L
        x = (self.b**2 - self.c**2 + L**2) / (2 * L)
        return B, B + x * e + self.sign * np.sqrt(self.b**2 - x**2) * np.array([-e[1], e[0]])

    def rocking(self, theta):
        return np.arctan2(*(self.points(theta)[1] - [self.d, 0.0])[::-1])


def away(found, expected):
    """Largest difference of two angles."""
    return np.max(np.abs(np.remainder(np.asarray(found) - expected + np.pi, 2 * np.pi) - np.pi))


def crank_rockers(count: int, margin: float, seed: int):
    rng = np.random.default_rng(seed)
    while count:
        a = rng.uniform(0.2, 0.8)
        lengths = sorted([a, *rng.uniform(1.05 * a, 3.0, 3)])
        if lengths[0] + lengths[3] < (lengths[1] + lengths[2]) * (1 - margin):
            count -= 1
            size = 10.0 ** rng.uniform(-4, 4)
            yield CrankRocker(
                *(size * x for x in (a, *rng.permutation(lengths[1:]))), rng.uniform(-3, 3), rng.choice([-1, 1])
            )


@pytest.mark.parametrize("margin", [0.02, 1e-4])
def test_coarse_samples_of_a_turn_stay_on_their_branch(margin):
    rng = np.random.default_rng(5)
    for k, linkage in enumerate(crank_rockers(8, margin, seed=17)):
        step = rng.uniform(0.3, 2.0) * rng.choice([-1, 1])
        motion = {"theta": lambda t, linkage=linkage, step=step: linkage.theta + step * t}
        found = poinsot.kinematics(linkage.mechanism, motion, np.arange(8), formulation=FORMULATIONS[k % 4])
        expected = [linkage.rocking(linkage.theta + step * t) for t in range(8)]
        assert away(found.coordinates["psi0"], expected) < 1e-7


def test_a_given_pose_is_on_the_branch_of_the_file():
    rng = np.random.default_rng(6)
    for linkage in crank_rockers(8, 1e-3, seed=23):
        elements = linkage.mechanism.elements
        for theta in rng.uniform(-3.1, 3.1, 6):
            poses = poinsot.assemble(linkage.mechanism, {"theta": float(theta)}).poses
            assert (
                away(float(elements.coordinates["psi0"].value(poses, elements.joints)), linkage.rocking(theta)) < 1e-7
            )


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_two_loops_that_come_near_a_change_point_together_keep_their_branches(formulation):
    """Both flip or none: no determinant tells, and both ways are smooth but for a degree about θ = π."""
    linkage = CrankRocker(0.775, 1.288, 2.897, 1.288 + 2.897 - 0.775 - 1e-3, 1.12, 1, pairs=2)
    motion = {"theta": lambda t: 1.12 + 0.9 * t}
    found = poinsot.kinematics(linkage.mechanism, motion, np.arange(7), formulation=formulation)
    expected = [linkage.rocking(1.12 + 0.9 * t) for t in range(7)]
    assert away(found.coordinates["psi0"], expected) < 1e-7 and away(found.coordinates["psi1"], expected) < 1e-7


@pytest.mark.parametrize("margin", [0.01, 1e-3, 1e-5])
@pytest.mark.parametrize("pairs", [1, 2])
def test_poses_of_a_map_are_on_the_branch_of_the_file_or_looked_at_one_by_one(margin, pairs):
    """Cranks that turn fully, but nearly not: a fifth of the poses came out on the other branch."""
    rng = np.random.default_rng(8)
    for _ in range(3):
        a = rng.uniform(0.2, 0.8)
        b, c = rng.uniform(1.2 * a, 3.0, 2)
        linkage = CrankRocker(a, b, c, (b + c) * (1 - margin) - a, rng.uniform(-3, 3), rng.choice([-1, 1]), pairs)
        compiled = system(linkage.mechanism)
        q0, p = compiled.dynamics.q_home, compiled.parameters(linkage.mechanism)
        theta = rng.uniform(-np.pi, np.pi, (100, 1))
        q, reached, turned = reach(driven(compiled, ("theta",)), compiled.home, q0, theta, p)
        assert reached.all() and turned.sum() <= 5
        R = body_poses(compiled, q, p)[1][f"rocker{pairs - 1}"]
        found, expected = np.arctan2(R[:, 1, 0], R[:, 0, 0]), np.array([linkage.rocking(x) for x in theta[:, 0]])
        assert away(found[~turned], expected[~turned]) < 1e-7


def test_a_fast_signal_is_followed_between_samples():
    """Samples at which an oscillation is always in the same phase: the crank goes a turn to and fro in between."""
    linkage = CrankRocker(0.5, 1.4, 1.2, 1.5, 0.4, 1)
    motion = {"theta": poinsot.Fourier(2 * np.pi, sines=(2.5,), offset=0.4)}
    found = poinsot.kinematics(linkage.mechanism, motion, [0.0, 1.0, 2.0, 2.25])
    expected = [linkage.rocking(0.4)] * 3 + [linkage.rocking(2.9)]
    assert away(found.coordinates["psi0"], expected) < 1e-9


def test_a_fast_signal_that_leaves_the_workspace_between_samples_is_noticed():
    """At every sample it is back where it began."""
    linkage = CrankRocker(0.5, 1.4, 1.2, 1.5, 0.4, 1)
    motion = {"psi0": poinsot.Fourier(2 * np.pi, sines=(1.5,), offset=float(linkage.rocking(0.4)))}
    with pytest.raises(poinsot.PoinsotError, match="leaves the workspace"):
        poinsot.kinematics(linkage.mechanism, motion, [0.0, 1.0, 2.0])


def test_beyond_a_singular_pose_the_assembly_mode_is_not_guessed():
    """No arm reaches its own shoulder: behind it the elbow may be on either side."""
    arm = poinsot.load("five_bar")
    with pytest.raises(poinsot.PoinsotError, match=r"assembly mode is not known.*singular pose at x = .*, y = "):
        poinsot.assemble(arm, {"x": -0.15, "y": -0.315})
    with pytest.raises(poinsot.PoinsotError, match="cannot be assembled"):
        poinsot.assemble(arm, {"x": 5.0, "y": 0.0})


@pytest.mark.parametrize("size", [1e-5, 1e-2, 1.0, 1e5])
def test_machines_of_all_sizes_are_closed_to_round_off(size):
    linkage = CrankRocker(0.5 * size, 1.4 * size, 1.2 * size, 1.5 * size, 0.4, 1)
    for formulation in FORMULATIONS:
        found = poinsot.kinematics(
            linkage.mechanism, {"theta": lambda t: 0.4 + t}, np.arange(5.0), formulation=formulation
        )
        assert away(found.coordinates["psi0"], [linkage.rocking(0.4 + t) for t in range(5)]) < 1e-11
        assert away(found.coordinates["theta"], 0.4 + np.arange(5.0)) < 1e-12


@pytest.mark.parametrize("axis", [[1, 0, 0], [1, 1, 1], [0.6, 0.0, 0.8]])
def test_euler_angles_are_centred_anew_along_a_turn(axis):
    """A wheel on a shaft turns through attitudes in which its Euler angles are singular."""
    wheel = {"mass": 2.0, "com": [0.1, -0.2, 0.05], "inertia": [0.3, 0.4, 0.5]}
    shaft = {"type": "revolute", "between": ["ground", "wheel"], "axis": axis, "actuated": True}
    document = {"format": 1, "name": "rotor", "gravity": [0, 0, -9.81], "bodies": {"wheel": wheel}}
    mechanism = poinsot.build(document | {"joints": {"S": shaft}, "coordinates": {"turn": {"joint": "S"}}})
    motion = {"turn": lambda t: 0.1 + 7 * t + t**2}
    for t in (np.linspace(0.0, 2.0, 4), np.linspace(0.0, 2.0, 60)):
        joint, euler = (poinsot.inverse_dynamics(mechanism, motion, t, formulation=f) for f in ("joint", "euler"))
        np.testing.assert_allclose(euler.forces["S"], joint.forces["S"], atol=1e-9)
        np.testing.assert_allclose(euler.reactions["S"], joint.reactions["S"], atol=1e-9)
        np.testing.assert_allclose(euler.kinematics.coordinates["turn"], 0.1 + 7 * t + t**2, atol=1e-9)


def test_a_hexapod_that_goes_far_between_samples_follows_its_branch():
    """Legs are prescribed: the platform's pose has up to forty solutions."""
    hexapod = poinsot.load("hexapod")
    legs = [name for name in hexapod.coordinates if "length" in name]
    rest = {
        name: float(hexapod.coordinates[name].value(poinsot.assemble(hexapod).poses, hexapod.elements.joints))
        for name in legs
    }
    motion = {n: poinsot.Fourier(2 * np.pi, sines=(0.05 * (-1) ** k,), offset=rest[n]) for k, n in enumerate(legs)}
    few, many = (poinsot.kinematics(hexapod, motion, np.linspace(0.0, 1.0, n)) for n in (4, 121))
    np.testing.assert_allclose(few.position["platform"], many.position["platform"][::40], atol=1e-9)
    np.testing.assert_allclose(few.rotation["platform"], many.rotation["platform"][::40], atol=1e-9)
