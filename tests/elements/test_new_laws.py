"""Adding a law is one file and one line: laws of this test are used in models, in every formulation and abroad."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import poinsot
from poinsot.elements.coordinates import Coordinate
from poinsot.elements.forces import FORCES, Force
from poinsot.elements.joints import Joint
from poinsot.elements.sensors import Sensor
from poinsot.errors import PoinsotError
from poinsot.model.interchange.mjcf.write import mjcf_text
from poinsot.model.interchange.urdf.write import write_urdf
from poinsot.model.mechanism import build
from poinsot.vibration.linear_model.rigid import rigid_model_about
from tests.elements.new_laws import NEW, Flywheel, Hardening, registered

ALL = ("joint", "embedded", "euler", "rotation-matrix")


@pytest.fixture(autouse=True)
def new_laws():
    with registered():
        yield


def wheel(**more):
    """A wheel of 2 kg on level rails, held by a spring that hardens."""
    joints = {"rail": {"type": "rolling", "between": ["ground", "wheel"], **(more or {"radius": 0.3})}}
    spring = {"type": "hardening", "on": {"joint": "rail"}, "stiffness": 4.0, "cubic": 3.0}
    return build(
        {
            "format": 1,
            "bodies": {"wheel": {"mass": 2.0, "com": [0.05, 0.1, 0.0], "inertia": [0.1, 0.1, 0.2]}},
            "joints": joints,
            "forces": {"spring": spring},
            "gravity": [0.0, -9.81, 0.0],
            "coordinates": {"angle": {"joint": "rail"}},
            "pose": {"angle": 1.1},
        }
    )


def head(**forces):
    """A camera's head with an arm, sprung by a rise of its tip."""
    return build(
        {
            "format": 1,
            "bodies": {
                "arm": {
                    "mass": 1.5,
                    "com": [0.1, 0.3, 0.05],
                    "inertia": [0.05, 0.03, 0.06, 0.002, 0.001, -0.003],
                    "frames": {"tip": [0.1, 0.6, 0.0]},
                }
            },
            "joints": {"neck": {"type": "pan-tilt", "between": ["ground", "arm"], "damping": {"pan": 0.2}}},
            "forces": forces
            or {
                "cord": {
                    "type": "hardening",
                    "on": {"rise": ["ground", "arm.tip"]},
                    "stiffness": 30.0,
                    "cubic": 200.0,
                }
            },
            "actuators": {f"{c}_drive": {"on": {"joint": "neck", "coordinate": c}} for c in ("pan", "tilt")},
            "sensors": {
                "gauge": {"type": "gauge", "joint": "neck", "sensitivity": 2.0},
                "height": {"type": "encoder", "on": {"rise": ["ground", "arm.tip"]}},
            },
            "coordinates": {
                "pan": {"joint": "neck", "coordinate": "pan"},
                "tilt": {"joint": "neck", "coordinate": "tilt"},
                "rise": {"rise": ["ground", "arm.tip"]},
            },
            "pose": {"pan": 0.3, "tilt": 0.5},
        }
    )


def rolled(t):
    """The wheel by hand: Lagrange's equation of its one angle, integrated by SciPy."""
    m, r, c, I = 2.0, 0.3, np.array([0.05, 0.1]), 0.2

    def rate(_, x):
        q, w = x
        offset = np.array([[np.cos(q), -np.sin(q)], [np.sin(q), np.cos(q)]]) @ c  # of the centre of mass
        J, dJ = np.array([r - offset[1], offset[0]]), np.array([-offset[0], -offset[1]])  # d(centre)/dq, its slope
        pull = -4.0 * q - 3.0 * q**3 - m * 9.81 * J[1] - m * (J @ dJ) * w**2
        return w, pull / (I + m * J @ J)

    return solve_ivp(rate, (0, t[-1]), [1.1, 0.0], t_eval=t, rtol=1e-11, atol=1e-12).y[0]


@pytest.mark.parametrize("formulation", ALL)
def test_a_new_joint_with_a_new_force_moves_as_lagrange_says(formulation):
    t = np.linspace(0.0, 1.5, 7)
    motion = poinsot.simulate(wheel(), t_end=1.5, t=t, formulation=formulation)
    assert motion.finished, motion.status
    assert_allclose(motion.coordinates["angle"], rolled(t), atol=2e-7)


def test_a_new_coordinate_carries_a_new_force_alike_in_every_formulation():
    t = np.linspace(0.0, 1.0, 5)
    found = {f: poinsot.simulate(head(), t_end=1.0, t=t, formulation=f) for f in ALL}
    for f in ALL:
        assert found[f].finished and found[f].energy_error < 1e-6, found[f]
        assert_allclose(found[f].rotation["arm"], found["joint"].rotation["arm"], atol=1e-6)
        tips = found[f].position["arm"] + found[f].rotation["arm"] @ [0.1, 0.6, 0.0]
        assert_allclose(found[f].coordinates["rise"], tips[:, 2], atol=1e-12)


@pytest.mark.parametrize("law", ["hardening", "bushing"])
@pytest.mark.parametrize("push", [2.0, 40.0])
def test_an_angle_beyond_half_a_turn_is_followed_or_refused_by_name(law, push):
    """With a push the arm turns by several turns in joint coordinates; others cannot count them, and say so."""
    spring = {"type": law, "on": {"joint": "neck", "coordinate": "pan"}, "stiffness": 1.5}
    machine, t = head(spring=spring), np.linspace(0.0, 0.8, 5)
    start = {"velocity": {"pan": push, "tilt": 0.0}}
    found = {f: poinsot.simulate(machine, t_end=0.8, t=t, formulation=f, **start) for f in ALL}
    free = found["joint"]
    assert free.finished
    turned = np.max(np.abs(np.unwrap(free.coordinates["pan"]))) > np.pi
    assert turned == (push > 10)
    for f in ("euler", "rotation-matrix"):
        n = len(found[f].t)
        assert_allclose(found[f].rotation["arm"], free.rotation["arm"][:n], atol=1e-6)
        assert ("'spring' is turned by half a turn" in found[f].status) == turned, found[f]


def test_modes_ask_the_law_whether_it_is_elastic():
    machine = wheel()
    (part,) = rigid_model_about(machine, None).parts
    q = poinsot.equilibrium(machine).coordinates["angle"]
    assert (part.name, part.kind) == ("spring", "hardening")
    assert_allclose(part.K, [[4.0 + 9.0 * q**2]], rtol=1e-12)  # V'' by hand


def test_a_new_sensor_is_a_channel_of_the_regressor():
    machine, t = head(), np.linspace(0.0, 1.0, 9)
    motion = {"pan": lambda t: 0.3 * np.sin(3 * t), "tilt": lambda t: 0.5 * np.cos(2 * t)}
    w = poinsot.regressor(machine, motion, t, channels=["sensor gauge", "reaction neck.fx"])
    assert {"cord.stiffness", "cord.cubic"} <= set(w.columns)
    found = (w.matrix @ w.parameters + w.rhs).reshape(len(t), 2)
    assert_allclose(found[:, 0], 2.0 * found[:, 1], rtol=1e-12)
    reaction = poinsot.inverse_dynamics(machine, motion, t).reactions["neck"][:, 0]
    assert_allclose(found[:, 1], reaction, rtol=1e-9, atol=1e-9)


def hinged(**force):
    """A plate on a hinge about z, without gravity along it."""
    plate = {"mass": 2.0, "com": [0.3, 0.0, 0.0], "inertia": [0.1, 0.2, 0.3]}
    joints = {"A": {"type": "revolute", "between": ["ground", "plate"]}}
    fly = {"type": "flywheel", "on": {"joint": "A"}, "stiffness": 5.0, "rotor": 0.4, **force}
    return build({"format": 1, "bodies": {"plate": plate}, "joints": joints, "forces": {"fly": fly}})


def test_symbols_find_the_inertia_of_a_law_wherever_it_stands_among_its_parameters():
    groups = poinsot.base_parameters(hinged()).symbolic
    (inertia,) = (str(group) for group in groups if "rotor" in str(group))
    assert "fly.rotor" in inertia and "plate.Izz" in inertia


def test_a_kinetic_energy_that_is_not_quadratic_is_refused_by_name(monkeypatch):
    quartic = type("Quartic", (Flywheel,), {"kinetic": lambda self, s_dot: self.rotor * s_dot**4})
    monkeypatch.setitem(FORCES, "flywheel", quartic)
    with pytest.raises(PoinsotError, match="kinetic energy of the flywheel 'fly' is not"):
        poinsot.simulate(hinged(rotor=0.123), t_end=0.1)


def test_an_exporter_takes_what_it_knows_and_refuses_the_rest_by_name(tmp_path):
    text, notes = mjcf_text(head())
    assert text.count('type="hinge"') == 2 and 'name="neck.pan"' in text and 'name="neck.tilt"' in text
    notes = " ".join([*notes, *write_urdf(head(), tmp_path / "head.urdf").notes])
    for words in ("The hardening 'cord' cannot be represented", "The gauge sensor 'gauge' has no counterpart"):
        assert words in notes
    for export in (mjcf_text, lambda m: write_urdf(m, tmp_path / "wheel.urdf")):
        with pytest.raises(PoinsotError, match="rolling joint 'rail' has no elementary motions"):
            export(wheel())


def test_what_a_new_law_takes_is_checked_like_the_rest():
    with pytest.raises(PoinsotError, match="needs its radius"):
        wheel(closing=False)
    with pytest.raises(PoinsotError, match="a rolling joint has no lead"):
        wheel(lead=0.1)
    with pytest.raises(PoinsotError, match="this key is not known here"):
        wheel(diameter=0.1)
    with pytest.raises(PoinsotError, match="a hardening has no damping"):
        head(f={"type": "hardening", "on": {"joint": "neck", "coordinate": "pan"}, "stiffness": 1, "damping": 1})
    with pytest.raises(PoinsotError, match="expected two places"):
        head(f={"type": "hardening", "on": {"rise": "ground"}, "stiffness": 1})
    assert wheel().parameters["rail.radius"].unit == "m"
    assert head().parameters["cord.cubic"].unit == "N/m^3"


def test_nothing_that_is_written_from_laws_outside_is_kept_on_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path))
    poinsot.simulate(wheel(radius=0.3123), t_end=0.1)  # one that no other test asks for
    assert not list(tmp_path.rglob("*.kept"))
    poinsot.simulate(poinsot.load("pendulum").with_parameters({"bob.mass": 1.2345}), t_end=0.1)
    assert list(tmp_path.rglob("*.kept"))  # of Poinsot's own laws it is


@pytest.mark.parametrize("registry", [registry for registry, _ in NEW.values()])
def test_a_kind_of_poinsots_own_is_not_registered_again(registry):
    kind, own = next(iter(registry.items()))
    other = type("Other", (), {"kind": kind})
    for register in (registry.__setitem__, lambda kind, law: registry.update({kind: law})):
        with pytest.raises(PoinsotError, match=f"the {registry.family} '{kind}' is .* own .*: register Other under"):
            register(kind, other)
    registry[kind] = own  # itself it may be
    assert registry[kind] is own


def test_a_law_is_not_registered_as_a_load_which_has_a_table_of_its_own():
    with pytest.raises(PoinsotError, match="the force 'load' is one of Poinsot's own"):
        FORCES["load"] = Hardening


def test_two_laws_of_one_name_are_two_laws(monkeypatch):
    """As where a law is edited in a notebook: the model is the same, to the letter."""
    at = []
    for factor in (1.0, 2.0):
        edited = type("Hardening", (Hardening,), {"potential": lambda s, x, k=factor: k * Hardening.potential(s, x)})
        monkeypatch.setitem(FORCES, "hardening", edited)
        at.append(float(poinsot.simulate(wheel(), t_end=0.3).coordinates["angle"][-1]))
    assert abs(at[0] - at[1]) > 0.1


def test_small_motions_are_those_of_every_formulation_the_elastic_one_included():
    """A stiff rod that is welded to the ground beside the wheel gives the elastic formulation its beam."""
    tables = dict(wheel().document)
    beam = {"between": ["rod", "rod.end"], "material": "steel", "section": "round"}
    tables["bodies"] = tables["bodies"] | {"rod": {"frames": {"end": [0.1, 0.0, 0.0]}, "beams": {"beam": beam}}}
    tables["joints"] = tables["joints"] | {"weld": {"type": "fixed", "between": ["ground", "rod"]}}
    tables["materials"] = {"steel": {"E": 2.1e11, "G": 8e10, "density": 7800.0}}
    tables["sections"] = {"round": {"area": 1e-4, "Iy": 8e-10, "Iz": 8e-10, "torsion": 1.6e-9}}
    found = {f: poinsot.modes(build(tables), n=1, formulation=f) for f in ("joint", "euler", "elastic")}
    for f in found:
        assert_allclose(found[f].frequencies, found["joint"].frequencies, rtol=1e-9)


def test_the_page_on_adding_a_law_runs_and_names_what_exists(monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "laws.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    exec(code, module.__dict__)
    assert module.motion.finished and module.Hardening is FORCES["hardening"]
    for family, law in (("force", Force), ("joint", Joint), ("sensor", Sensor), ("coordinate", Coordinate)):
        (row,) = re.findall(rf"^\| {family} \|(.*)$", page, re.M)
        known = {*dir(law), *law.__annotations__}
        assert set(re.findall(r"`(\w+)`", row)) - {"euler"} <= known
