"""`poinsot new`: all that its README names runs, for every mechanism on offer and for URDFs."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.generated.share import share

import poinsot as library
from poinsot.app.new.command import OFFERED
from poinsot.app.new.files import HEAVIER, LINES, recordings_of, study_text
from poinsot.app.new.machine import MECHANISMS, machine_of, machine_of_file, machine_of_urdf
from poinsot.app.new.motions import motions_of, with_sensors
from poinsot.app.new.unknowns import asked_of, candidates_of, force_noise
from poinsot.errors import MissingMeshWarning

DATA = Path(os.environ.get("POINSOT_DATA") or Path(__file__).parents[3] / "shared" / "data")
ABSENT = "measured data are not here; POINSOT_DATA names their folder"
URDFS = ("tx40/tx40.urdf", "closed-loop/5bar_linkage_iso3d/robot.urdf", "closed-loop/robot_delta/robot.urdf")


def poinsot(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "poinsot.app.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
    )


def commands_of(folder: Path) -> list[list[str]]:
    lines = (folder / "README.txt").read_text().splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("    poinsot ")]


def run_all(folder: Path) -> dict[str, str]:
    printed = {}
    for command in commands_of(folder):
        result = poinsot(*command, cwd=folder)
        assert result.returncode == 0, f"{command}: {result.stdout[-2000:]}{result.stderr}"
        printed[command[0]] = result.stdout
    return printed


def test_the_list_of_what_is_on_offer_is_one():
    assert tuple(MECHANISMS) == OFFERED


FILE = """#:schema ../model.schema.json
# A lever of my own.
format = 1
name = "lever"
planar = true
[bodies.arm]
mass = "2 kg"
com = ["150 mm", 0]
inertia = "0.03 kg·m^2"
[joints.hinge]
type = "revolute"
between = ["ground", "arm"]
actuated = true
friction = { coulomb = "0.2 N·m" }
"""


@pytest.mark.parametrize("named", [True, False])
def test_a_model_file_starts_a_folder(named, tmp_path):
    (tmp_path / "lever.toml").write_text(FILE + '[coordinates]\nphi = { joint = "hinge" }\n' * named)
    result = poinsot("new", "--mechanism", "lever.toml", "--simulated", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "lever" / "model.toml").read_text()
    assert (
        text.startswith("# lever, from lever.toml.\n") and "# A lever of my own.\n" in text and "schema" not in text
    )
    assert "started from lever.toml" in (tmp_path / "lever" / "README.txt").read_text()
    moved = "phi" if named else "hinge"
    assert (tmp_path / "lever" / "motion.csv").read_text().startswith(f"t,{moved}\n")
    found = poinsot("identify", "study.toml", cwd=tmp_path / "lever")
    assert found.returncode == 0 and "numerics sound" in found.stdout, found.stdout + found.stderr


SEVERAL = """format = 1
name = "{0}"
[bodies.arm]
mass = "2 kg"
com = [0.1, 0.05, 0.3]
inertia = [0.03, 0.04, 0.05]
[joints.j]
type = "{0}"
between = ["ground", "arm"]
"""
DRIVE = '[actuators.drive_{0}]\non = {{ joint = "j", coordinate = "{0}" }}\n'
NAMED = '[coordinates.told_{0}]\njoint = "j"\ncoordinate = "{0}"\n'
COORDINATES = {
    "universal": ("angle1", "angle2"),
    "cylindrical": ("displacement", "angle"),
    "planar": ("x", "y", "angle"),
}


@pytest.mark.parametrize(
    ("kind", "named"), [("universal", True), ("universal", False), ("cylindrical", False), ("planar", False)]
)
def test_joints_with_several_coordinates_start_a_folder(kind, named, tmp_path):
    parts = COORDINATES[kind]
    text = SEVERAL.format(kind) + "".join(map(DRIVE.format, parts)) + "".join(map(NAMED.format, parts)) * named
    (tmp_path / "mine.toml").write_text(text)
    result = poinsot("new", "m", "--mechanism", "mine.toml", "--simulated", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    sensors = library.load(tmp_path / "m" / "model.toml").sensors
    assert [s.on.index for s in sensors.values() if s.kind == "encoder"] == list(range(len(parts)))
    moved = ",".join(f"told_{part}" if named else f"j.{part}" for part in parts)
    assert (tmp_path / "m" / "motion.csv").read_text().startswith(f"t,{moved}\n")
    found = poinsot("identify", "study.toml", cwd=tmp_path / "m")
    assert found.returncode == 0 and "numerics sound" in found.stdout, found.stdout + found.stderr


def test_an_encoder_reads_along_a_length_that_is_driven(tmp_path):
    path = tmp_path / "mine.toml"
    frame = (
        '[frames.post]\nbody = "ground"\nposition = [1, 0.5, 0]\n[bodies.arm.frames.tip]\nposition = [0.3, 0, 0]\n'
    )
    length = 'length = ["post", "arm.tip"]'
    told = f"[actuators.rope]\non = {{ {length} }}\n[coordinates.rope]\n{length}\n"
    path.write_text(SEVERAL.format("revolute") + frame + told)
    machine = machine_of_file(path, tmp_path)
    found = with_sensors(machine, motions_of(machine)).mechanism
    assert found.sensors["rope_position"].on == found.actuators["rope"].on


PLACES = {
    "named": '"post", "arm.tip"',
    "written": '{ body = "ground", position = [1, 0.5, 0] }, { body = "arm", position = [0.3, 0, 0] }',
}


@pytest.mark.parametrize("places", PLACES.values(), ids=PLACES)
def test_a_length_that_is_driven_and_has_no_name_gets_one(places, tmp_path):
    frames = (
        '[frames.post]\nbody = "ground"\nposition = [1, 0.5, 0]\n[bodies.arm.frames.tip]\nposition = [0.3, 0, 0]\n'
    )
    rope = f"[actuators.rope]\non = {{ length = [{places}] }}\n"
    (tmp_path / "mine.toml").write_text(SEVERAL.format("revolute") + frames + rope)
    result = poinsot("new", "m", "--mechanism", "mine.toml", "--simulated", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "m" / "motion.csv").read_text().startswith("t,rope_length\n")
    found = poinsot("identify", "study.toml", cwd=tmp_path / "m")
    assert found.returncode == 0 and "numerics sound" in found.stdout, found.stdout + found.stderr


def test_a_model_file_that_is_not_driven_is_told_how_to_drive_it(tmp_path):
    (tmp_path / "mine.toml").write_text(SEVERAL.format("universal"))
    result = poinsot("new", "--mechanism", "mine.toml", cwd=tmp_path)
    assert result.returncode == 1 and "or drive every coordinate of them ([actuators.NAME]" in result.stderr
    assert "convert" not in result.stderr


def test_a_mechanism_that_is_none_tells_of_model_files(tmp_path):
    result = poinsot("new", "mine", "--mechanism", "my", cwd=tmp_path)
    assert result.returncode == 1 and "or a model file of yours (.toml)" in result.stderr
    result = poinsot("new", "mine", "--mechanism", "my.toml", cwd=tmp_path)
    assert result.returncode == 1 and "my.toml: there is no such file" in result.stderr


def test_without_a_terminal_the_mechanisms_are_listed_in_one_sentence(tmp_path):
    result = poinsot("new", "mine", cwd=tmp_path)
    assert (
        result.returncode == 1
        and result.stderr.count("\n") == 1
        and "`poinsot new mine --mechanism serial`" in result.stderr
    )
    assert all(f"{name} ({what})" in result.stderr for name, what in MECHANISMS.items())
    assert "there are: four_bar" in poinsot("new", "mine", "--mechanism", "fuor", cwd=tmp_path).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_new_folder_has_files_that_fit_each_other_and_is_not_replaced(tmp_path):
    result = poinsot("new", "mine", "--mechanism", "slider_crank", "--out", tmp_path / "deep")
    folder = tmp_path / "deep" / "mine"
    assert result.returncode == 0, result.stderr
    mechanism = library.load(folder / "model.toml")
    header = (folder / "recording.csv").read_text().splitlines()[0]
    assert header == "t [s],crank_angle [rad],main_force [N·m]" and len(mechanism.sensors) == 2
    assert (folder / "motion.csv").read_text().startswith("t,theta\n")
    assert {command[0] for command in commands_of(folder)} >= {"check", "simulate", "measure", "identify", "design"}
    (folder / "model.toml").write_text("mine")
    again = poinsot("new", "mine", "--mechanism", "slider_crank", "--out", tmp_path / "deep")
    assert again.returncode == 1 and "exists already" in again.stderr
    assert (folder / "model.toml").read_text() == "mine"


@pytest.mark.parametrize("name", OFFERED)
def test_machines_on_offer_are_driven_in_all_their_freedoms(name):
    machine = machine_of(name)
    assert len(machine.moved) == library.check(machine.mechanism).mobility == len(machine.mechanism.actuators)
    assert machine.added == () and candidates_of(machine)


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "serial"])
def test_a_first_study_asks_for_what_its_motion_determines(name):
    machine = machine_of(name)
    motions = motions_of(machine)
    machine = with_sensors(machine, motions)
    asked, given = asked_of(machine, motions), {n: (motions.t, s) for n, s in motions.first.items()}
    found = library.determinable(
        machine.mechanism, given, motions.t, parameters=asked.names, noise=force_noise(machine)
    )
    assert found.determined == asked.names and {*asked.names, *asked.left} == {*candidates_of(machine)}
    assert ("crank.mass" in asked.left) == (name == "slider_crank")


def test_a_machine_whose_springs_outweigh_its_masses_asks_for_the_one_that_is_told_best(tmp_path):
    (tmp_path / "table.toml").write_text(library.dumps(library.load("tilting_table")))
    machine = machine_of_file(tmp_path / "table.toml", tmp_path)
    motions = motions_of(machine)
    asked = asked_of(with_sensors(machine, motions), motions)
    assert asked.names == ("motor.viscous",) and asked.poor.endswith("more than 10 %")
    assert {*asked.names, *asked.left} == {*candidates_of(machine)}
    assert '"motor.viscous", # told best, and still poorly: ±' in study_text(asked)


def test_the_noise_of_a_new_folder_is_that_of_no_recording_with_a_small_seed():
    machine = machine_of("slider_crank")
    motions = motions_of(machine)
    machine = with_sensors(machine, motions)
    texts = recordings_of(machine, motions, asked_of(machine, motions), simulated=False)
    t, n = motions.t[:6], LINES
    encoder = next(name for name, sensor in machine.mechanism.sensors.items() if sensor.kind == "encoder")
    for name, motion in (("recording", motions.first), ("validation", motions.second)):
        given = {c: (t, s[:6]) for c, s in motion.items()}
        table = np.genfromtxt(texts[f"{name}.csv"].splitlines(), delimiter=",", names=True, deletechars="")
        recorded = table[next(column for column in table.dtype.names if column.split("_[")[0] == encoder)]
        for seed in range(100):
            again = library.measure(machine.mechanism, given, t, seed=seed, sensors=encoder)[encoder][:n]
            assert not np.allclose(recorded, again, rtol=1e-8, atol=0), f"{name} repeats the noise of seed {seed}"


RATHER_SLOW = [
    pytest.param(name, marks=pytest.mark.slow) for name in OFFERED if name not in ("slider_crank", "three_rrr")
]


@pytest.mark.parametrize("name", ["slider_crank", "three_rrr", *RATHER_SLOW])
def test_what_is_identified_from_a_simulated_folder_is_the_machine_behind_it(tmp_path, name):
    assert poinsot("new", "mine", "--mechanism", name, "--simulated", cwd=tmp_path).returncode == 0
    found, model = library.identify(tmp_path / "mine" / "study.toml"), library.load(tmp_path / "mine" / "model.toml")
    assert found.verdict.startswith("numerics sound; predicts held-out runs"), found.verdict
    masses = [one for one in found.parameters if one.name.endswith(".mass")]
    away = [abs(one.value / (HEAVIER * model.parameters[one.name].value) - 1) for one in masses]
    apart = [abs(one.value - model.parameters[one.name].value) / one.deviation for one in masses]
    assert max(apart) > 4
    assert all(off < 4 * one.deviation / one.value for off, one in zip(away, masses)), (away, found)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "simulated"), share([(name, s) for s in (True, False) for name in OFFERED], 2))
def test_every_command_of_the_instructions_runs(tmp_path, name, simulated):
    made = poinsot("new", name, "--mechanism", name, *(["--simulated"] if simulated else []), cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    printed = run_all(tmp_path / name)
    assert "verdict: " in printed["identify"] and "predicted:" in printed["design"]


@pytest.mark.slow
@pytest.mark.parametrize("file", share(URDFS))
def test_every_command_runs_from_a_urdf(tmp_path, file):
    if not (DATA / file).exists():
        pytest.skip(ABSENT)
    assert poinsot("new", "robot", "--urdf", DATA / file, "--simulated", cwd=tmp_path).returncode == 0
    assert "verdict: " in run_all(tmp_path / "robot")["identify"]


def test_a_urdf_with_fewer_motors_than_freedoms_gets_drives_and_says_so(tmp_path):
    if not (DATA / URDFS[2]).exists():
        pytest.skip(ABSENT)
    machine = machine_of_urdf(DATA / URDFS[2], tmp_path)
    assert len(machine.added) == 3 and len(machine.moved) == library.check(machine.mechanism).mobility == 5
    assert "Driven here, and not in the source" in machine.text


def test_rotors_that_the_source_does_not_have_are_said(tmp_path):
    inertia = '<inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    (tmp_path / "arm.urdf").write_text(
        f'<robot name="arm"><link name="base"/><link name="upper">{inertia}</link><link name="flange"/>'
        '<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>'
        '</joint><joint name="wrist" type="continuous"><parent link="upper"/><child link="flange"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    made = poinsot("new", "mine", "--urdf", "arm.urdf", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    for text in (made.stdout, (tmp_path / "mine" / "README.txt").read_text()):
        assert "no inertia in the source" in text and "shoulder_rotor, wrist_rotor" in text


CORNER = "solid c\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex {} 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
FAST = """<robot name="arm"><link name="base"/><link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="50" velocity="0.7"/></joint></robot>"""


def test_meshes_of_a_urdf_are_copied_so_that_the_folder_can_be_moved(tmp_path):
    source, moved = tmp_path / "source", tmp_path / "elsewhere" / "moved"
    for part, size in (("upper", 1), ("lower", 2)):
        (source / part).mkdir(parents=True)
        (source / part / "shape.stl").write_text(CORNER.format(size))
    names = ("package://arm/upper/shape.stl", "lower/shape.stl", "gone.stl")
    shapes = "".join(f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in names)
    (source / "arm.urdf").write_text(FAST.replace("</inertial>", f"</inertial>{shapes}"))
    made = poinsot("new", "mine", "--urdf", source / "arm.urdf", cwd=tmp_path)
    assert made.returncode == 0 and made.stderr.count("gone.stl") == 1, made.stderr
    assert "meshes/  " in (tmp_path / "mine" / "README.txt").read_text()
    moved.parent.mkdir()
    (tmp_path / "mine").rename(moved)
    shutil.rmtree(source)
    with pytest.warns(MissingMeshWarning, match="not found.*: gone.stl"):
        machine = library.load(moved / "model.toml")
    kept = [visual.file for visual in machine.bodies["upper"].visuals]
    assert kept == ["meshes/shape.stl", "meshes/shape_2.stl", "gone.stl"]
    assert [(moved / name).read_text() for name in kept[:2]] == [CORNER.format(1), CORNER.format(2)]


def test_motions_keep_to_the_speeds_of_a_urdf(tmp_path):
    (tmp_path / "arm.urdf").write_text(FAST)
    made = poinsot("new", "mine", "--urdf", "arm.urdf", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    folder = tmp_path / "mine"
    for name in ("motion.csv", "validation_motion.csv"):
        t, s = np.loadtxt(folder / name, delimiter=",", skiprows=1).T
        assert 0.3 < np.abs(np.gradient(s, t)).max() <= 0.7
    assert '"shoulder.rate" = "0.7 rad/s"' in (folder / "design.toml").read_text()


def test_limits_of_drives_that_cannot_move_the_machine_are_left_out_and_said(tmp_path):
    for effort, kept in (("50", True), ("0.001", False)):
        folder = tmp_path / effort
        (tmp_path / "arm.urdf").write_text(FAST.replace('effort="50"', f'effort="{effort}"'))
        made = poinsot("new", folder.name, "--urdf", "arm.urdf", "--simulated", cwd=tmp_path)
        assert made.returncode == 0 and ("its limits are left out of model.toml" in made.stdout) is not kept
        assert np.isfinite(library.load(folder / "model.toml").actuators["shoulder"].upper) == kept
        assert not library.read(folder / "recording.csv", mechanism=library.load(folder / "model.toml")).problems


def test_limits_of_drives_that_are_not_alike_to_both_sides_are_kept_where_the_motions_are_within(tmp_path):
    force = motions_of(machine_of("four_bar")).force["A"]
    limits = f"limits = ['{force[0] - 0.1:.6g} N*m', '{force[1] + 0.1:.6g} N*m']"
    text = library.dumps(library.load("four_bar")).replace("actuated = true", "actuated = false")
    assert abs(force[0] + force[1]) > 0.5 and "[actuators.A]" not in text
    (tmp_path / "bar.toml").write_text(f"{text}\n[actuators.A]\non = {{ joint = 'A' }}\n{limits}\n")
    made = poinsot("new", "mine", "--mechanism", "bar.toml", cwd=tmp_path)
    assert made.returncode == 0 and "limits are left out" not in made.stdout, made.stderr
    assert (
        f'"{force[0] - 0.1:.3g} N·m", "{force[1] + 0.1:.3g} N·m"' in (tmp_path / "mine" / "design.toml").read_text()
    )


def test_a_base_that_floats_is_named_with_what_to_do(tmp_path):
    (tmp_path / "boat.urdf").write_text(FAST.replace('type="revolute"', 'type="floating"'))
    made = poinsot("new", "mine", "--urdf", "boat.urdf", cwd=tmp_path)
    assert made.returncode == 1 and "make 'shoulder' (free) fixed, or a chain of joints" in made.stderr
