"""Elastodynamics of a parallel robot: NaVARo's natural frequencies, computed and measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import poinsot
from poinsot.app.reproduce.rows import Agreement, Paper, PublishedNumber
from poinsot.elements.bodies.beam import Span, elastic_energy, mass_matrix
from poinsot.spatial.pose import Pose

PAPER = Paper("navaro")
SIXTY = -np.pi / 3
TABLE_3 = {  # pose: f1 … f5 [Hz], from two programs of the authors'
    1: ("44.10", "44.10", "53.98", "60.63", "95.62"),
    2: ("45.71", "45.71", "54.58", "65.35", "97.92"),
    3: ("36.98", "49.31", "53.37", "67.28", "91.80"),
    4: ("40.17", "50.32", "52.99", "67.36", "91.52"),
}
TABLE_4 = {  # pose: rows f1 … f12, measured and computed [Hz], as the authors pair them; "-": none
    1: "22/19.25 24/20.43 32/40.25 -/43.16 42/44.10 50/- 52/- 62/67.94 66/68.81 77/79.79",
    2: "19/19.46 21/20.49 -/41.88 44/45.55 45/47.05 53/- 54/56.37 56/- 60/63.10",
    3: "17/17.91 19/19.71 23/20.91 27/- 32/36.88 43/41.86 46/45.61 48/50.52 57/55.45 60/61.04 61/- 65/65.00",
    4: "18/18.44 20/19.26 22/21.28 33/36.88 43/40.60 44/46.13 50/55.29 56/57.81 58/62.27 66/-",
}
UNKNOWNS = ("mass.B", "mass.C", "mass.D", "mass.E", "clutch1.stiffness", "clutch2.stiffness", "hub")
ROUNDED = 1 / np.sqrt(12)  # standard deviation of what is rounded, in units of its last digit
SECTION = (0.040, 0.010)  # of link 5 [m]: A = 4e-4 m² and I_z = 5.333e-8 m⁴ are printed
UNIT = Span(1.0, 1.0, 1.0, (1.0, 1.0), (0.0, 0.0), 1.0, (1.0, 1.0))  # an element whose constants are all 1


def poses() -> dict[int, dict[str, float]]:
    """The eight poses of figure 4; its coordinates are rounded."""
    places = [(0, 0, 0.0), (0, 0, SIXTY)]
    places += [(radius, angle, SIXTY) for angle in (30, 150, -90) for radius in (0.135, 0.21)]
    turned = [(r, np.radians(angle), theta) for r, angle, theta in places]
    return {k: {"x": r * np.cos(a), "y": r * np.sin(a), "theta": th} for k, (r, a, th) in enumerate(turned, 1)}


def rows() -> Iterator[PublishedNumber]:
    """Counts, misprints of table 2, tables 3 and 4."""
    robot = poinsot.load("navaro")
    found = {k: poinsot.modes(robot, pose=pose, n=5) for k, pose in poses().items()}
    yield PAPER.row("generalised coordinates", "144", found[1].linear.coordinates)
    yield PAPER.row("independent coordinates", "90", found[1].linear.free.shape[1])
    yield from _section()
    yield from _equations()
    for k, modes in found.items():
        for n, (printed, f) in enumerate(zip(TABLE_3[k if k < 5 else 3 + (k + 1) % 2], modes.frequencies), 1):
            yield PAPER.row(f"table 3, f{n} in pose {k}", printed, f, "Hz")
    yield from _shear(robot)
    yield from _refined()


def _section() -> Iterator[PublishedNumber]:
    """Second moments of link 5 from the section that its area and I_z have."""
    wide, thin = SECTION
    I_y, I_z = wide * thin**3 / 12, thin * wide**3 / 12
    why = "area, I_z and I_0 are those of 40 × 10 mm"
    yield PAPER.row("table 2, I_z of link 5", "5.333e-8", I_z, "m⁴")
    yield PAPER.row("table 2, I_y of link 5", "3.333e-8", I_y, "m⁴", meant="3.333e-9", reason=why)
    yield PAPER.row(
        "table 2, I_p of link 5", "8.666e-8", I_y + I_z, "m⁴", within=1.1e-11, meant="5.666e-8", reason=why
    )


def _equations() -> Iterator[PublishedNumber]:
    """Printed equations of the beam and of its place in a leg, beside what our element and a rigid motion give."""
    M = mass_matrix(UNIT)
    why = "∫ of the cubic shape function; with the printed sign the mass matrix is indefinite"
    carried = M[1, 11] + M[7, 11]  # both ends move along y, against the rotation of the far end
    yield PAPER.row("eq. 26, entry (2, 6) over m l", "0.0833", carried, meant="-0.0833", reason=why)
    turned = np.array([[1, 0, 0], [0, np.cos(1e-3), -np.sin(1e-3)], [0, np.sin(1e-3), np.cos(1e-3)]])
    energy = elastic_energy(UNIT, Pose(turned, np.array([1.0, 0.0, 0.0])))
    why = "the tensor strain of eq. 10 is half of the angle; the stiffness of eq. 23 is that of 2 G ε"
    factor = 4 * energy / 1e-3**2  # V = ¼ factor G I_p θ²/l, from σ₁₂ = factor G ε₁₂ and ε₁₂ = z θ'/2
    yield PAPER.row("eqs 21 and 22, factor of G ε", "1", factor, meant="2", reason=why)
    p, omega = np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.7, -0.4])
    sign = float(np.cross(omega, p) @ np.cross(p, omega) / np.sum(np.cross(p, omega) ** 2))
    for equation in ("44", "50"):
        why = "v = ω × p = −[p]× ω, with p from the element's far end to the tip; eq. 51 then has +[p]× Rᵀ"
        yield PAPER.row(f"eq. {equation}, sign of [p]×", "1", sign, meant="-1", reason=why)
    slim = mass_matrix(Span(1.0, 1.0, 1.0, (1.0, 1.0), (0.0, 0.0), 1.0, (0.0, 0.0)))
    said = "none" if np.allclose(M, slim) else "included"
    why = "eqs 26 and 27 contain it, and table 3 comes out with it"
    yield PAPER.row("section 2.4, rotary inertia of sections", "none", said, meant="included", reason=why)


def _shear(robot: poinsot.Mechanism) -> Iterator[PublishedNumber]:
    """Table 3 does not come out with the shear modulus of the text."""
    duralumin = dict(robot.document["materials"]["duralumin"])
    text = dict(robot.document) | {"materials": {"duralumin": duralumin | {"G": "28.9 GPa"}}}
    other = poinsot.modes(poinsot.build(text), pose=poses()[1], n=5).frequencies
    off = np.max(np.abs(other - [float(f) for f in TABLE_3[1]]))
    G = robot.parameters["duralumin.E"].value / (2 * 1.33) / 1e9
    why = f"E/(2·1.33); with 28.9 GPa table 3 is {off:.2f} Hz off in pose 1"
    yield PAPER.row("shear modulus G", "28.9", G, "GPa", meant="27.82", reason=why)


def _refined() -> Iterator[PublishedNumber]:
    """Table 4: masses of joints, clutches and a hub, identified from the rows that the authors computed."""
    robot = poinsot.load(Path(__file__).with_name("navaro_hub.toml"))
    found = _identified(robot)
    names = ("mass of joint B", "mass of joint C", "mass of joint D", "mass of joint E", "clutch 1", "clutch 2")
    about = "the text says 'about'; identified from its own rows, it is {:.4g} ± {:.2g}"
    for label, value in zip(names, found.parameters):
        printed, unit = ("2000", "N·m/rad") if "clutch" in label else ("0.3", "kg")
        why = about.format(value.value, value.deviation)
        yield PAPER.row(f"{label}, about", printed, value.value, unit, reason=why, otherwise=Agreement.TEXT)
    for k in TABLE_4:
        yield from _table_4(k, poinsot.modes(found.mechanism, pose=poses()[k], n=16).frequencies)


def _table_4(k: int, model: np.ndarray) -> Iterator[PublishedNumber]:
    """Rows of a pose beside the frequencies of the model with the values identified from the computed rows."""
    ours = dict(zip(_computed(k), _in_order(np.array(_computed(k), float), model)))
    for n, (measured, computed) in enumerate(_pairs(k), 1):
        f = ours.get(computed)
        if f is not None:
            what, why = f"table 4, computed f{n} in pose {k}", "does not fit the other 32 numbers"
            yield PAPER.row(what, computed, f, "Hz", within=0.01, reason=why, otherwise=Agreement.MISPRINT)
        if measured != "-":
            what = f"table 4, measured f{n} in pose {k}"
            why = "no mode of the model is paired with it" if f is None else f"{f / float(measured) - 1:+.0%}"
            why += "; masses and clutches of the machine are given as 'about', to a resolution of 1 Hz"
            yield PAPER.row(what, measured, f, "Hz", reason=why, otherwise=Agreement.TEXT)


def _pairs(k: int) -> list[tuple[str, str]]:
    """Measured and computed frequencies of a pose as they are printed."""
    return [(m, c) for m, c in (pair.split("/") for pair in TABLE_4[k].split())]


def _computed(k: int) -> list[str]:
    return [computed for _, computed in _pairs(k) if computed != "-"]


def _in_order(measured: np.ndarray, model: np.ndarray) -> np.ndarray:
    """Frequencies of the model, ascending, one for each measured one, with the least sum of squared differences."""
    cost = np.full((len(measured) + 1, len(model) + 1), np.inf)
    cost[0] = 0.0
    for i, f in enumerate(measured, 1):
        for j in range(i, len(model) + 1):
            cost[i, j] = min(cost[i, j - 1], cost[i - 1, j - 1] + (f - model[j - 1]) ** 2)
    chosen, j = [], len(model)
    for i in range(len(measured), 0, -1):
        while cost[i, j] == cost[i, j - 1]:
            j -= 1
        j -= 1
        chosen.append(model[j])
    return np.array(chosen[::-1])


def _identified(robot: poinsot.Mechanism) -> poinsot.Estimate:
    """Seven unknowns from the computed rows; numbers that do not fit the others are left out by name."""
    runs = [
        poinsot.ModalRun([float(f) for f in _computed(k)], poses()[k], f"pose {k}", deviation=0.01 * ROUNDED)
        for k in TABLE_4
    ]
    known = robot.parameters
    unknowns = {name: {"bounds": [known[name].lower, known[name].upper]} for name in UNKNOWNS}
    method = {"name": "trust-region", "tolerance": 1e-8}
    return poinsot.identify(robot, runs, unknowns, method, processing={"robust": True})
