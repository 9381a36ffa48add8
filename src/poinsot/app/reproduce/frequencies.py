"""Joint stiffness from natural frequencies: the planar three-link mechanism, its poses and its springs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import poinsot
from poinsot import library
from poinsot.app.reproduce.rows import Agreement, Paper, PublishedNumber
from poinsot.experiment.poses.record import PosesDesign

PAPER = Paper("frequencies")
SPRINGS = ("A.stiffness", "B.stiffness", "C.stiffness")
LABELS = ("k_A", "k_B", "k_C")
POSES = {1: (0.0, 0.0, 0.0), 2: (44.4, -44.9, 40.4)}  # by configuration [deg]
TABLE_1 = ("21.1", "13.9", "5.8")  # [N·m/rad]
TABLE_2 = {1: ("19.9", "83.1", "229.8"), 2: ("22.7", "58.5", "101.2")}  # [Hz]
TABLE_3 = {1: ("20.08", "17.59", "4.79"), 2: ("21.2", "13.6", "5.82")}  # [N·m/rad]
ERRORS = {1: ("-4.83", "26.54", "-16.97"), 2: ("0.5", "-2.00", "1.00")}  # of table 3 [%]
REFERENCE = (21.10, 13.90, 5.77)  # of table 3 [N·m/rad]
START = (30.0, 20.0, 10.0)
ROUNDED = 0.003  # relative, for what the printed geometry leaves open
MEANT = {"19.9": "16.9"}


def rows() -> Iterator[PublishedNumber]:
    """Tables 1 to 3 and the pose of least interplay."""
    links = poinsot.load("three_link")
    for label, name, printed in zip(LABELS, SPRINGS, TABLE_1):
        yield PAPER.row(f"table 1, {label}", printed, links.parameters[name].value, "N·m/rad")
    for number, printed in TABLE_2.items():
        found = poinsot.modes(links, pose=pose_of(POSES[number])).frequencies
        yield from (_frequency(number, k, text, f) for k, (text, f) in enumerate(zip(printed, found), 1))
    for number, printed in TABLE_3.items():
        yield from _springs(links, number, printed)
    yield from _best_pose()


def pose_of(degrees) -> dict[str, float]:
    """Coordinates from angles [deg]."""
    return dict(zip(("phi1", "phi2", "phi3"), np.radians(degrees)))


def _frequency(number: int, k: int, printed: str, found: float) -> PublishedNumber:
    reason = "no geometry that meets the other five frequencies gives it" if printed in MEANT else _GEOMETRY
    what, within = f"table 2, f{k} in configuration {number}", ROUNDED * found
    return PAPER.row(what, printed, found, "Hz", within=within, meant=MEANT.get(printed, ""), reason=reason)


_GEOMETRY = "within 0.3 %: places of the joints in their sheets are not printed, and lengths are rounded"


def _springs(links: poinsot.Mechanism, number: int, printed: tuple[str, ...]) -> Iterator[PublishedNumber]:
    """From the frequencies of table 2, with its misprint put right, by the interior point from the paper's start."""
    measured = [float(MEANT.get(f, f)) for f in TABLE_2[number]]
    run = poinsot.ModalRun(measured, pose_of(POSES[number]), deviation="0.5 %")
    unknowns = {name: {"start": x, "bounds": [0.1, 1000]} for name, x in zip(SPRINGS, START)}
    found = poinsot.identify(links, run, unknowns, "interior-point")
    told = zip(LABELS, printed, ERRORS[number], found.value, found.deviation, REFERENCE)
    for label, value, error, x, bar, truth in told:
        why = f"standard error {bar:.2g} from table 2 with 0.5 % of noise; the source prints no other frequencies"
        if number == 1:
            why += ", and three frequencies have several exact solutions in this pose"
        what, open_ = f"{label} in configuration {number}", {"reason": why, "otherwise": Agreement.TEXT}
        yield PAPER.row(f"table 3, {what}", value, x, "N·m/rad", within=bar, **open_)
        off, spread = 100 * (x / truth - 1), 100 * bar / truth
        yield PAPER.row(f"table 3, error of {what}", error, off, "%", within=spread, **open_)


def _best_pose() -> Iterator[PublishedNumber]:
    """1000 poses × 1000 parameter sets; the published pose is compared with the one found."""
    found = poinsot.design(Path(library.__file__).parent / "studies" / "three_link_poses.toml")
    assert isinstance(found, PosesDesign)
    best, published = found.best, next(one for one in found.compared if one.name == "published")
    why = (
        f"random poses, and their range, are not printed; condition number {best.criteria['condition']:.3f} here, "
        f"{published.criteria['condition']:.3f} at the published pose (rank {published.rank} of {found.tried})"
    )
    for k, printed in enumerate(("44.4", "-44.9", "40.4"), 1):
        ours = float(np.degrees(best.pose[f"phi{k}"]))
        yield PAPER.row(f"figure 4, best phi{k}", printed, ours, "deg", reason=why, otherwise=Agreement.TEXT)
