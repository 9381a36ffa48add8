"""Mutation testing of the laws: change one thing in a law, and see that a test fails. Run by `make mutants`.

    python -m tests.mutants                                   all of elements/ and spatial/
    python -m tests.mutants elements/joints spatial --share 0.2

Every mutant swaps an operator or a comparison, turns a sign, changes a number by one, exchanges sine and cosine or
leaves out a term. It lives in a process of its own, forked after the tests were imported, and touches no file.
Survivors are listed: a law may have none but those that mean the same.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import inspect
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from hypothesis import Phase, settings

from poinsot.store import keys

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "poinsot"
TESTS = {  # what kills the mutants of a file, the quickest first
    "elements/joints/attitude.py": ["tests/elements/test_attitude.py"],
    "elements/joints/steps.py": ["tests/elements/test_joint_contract.py"],
    "elements/joints": ["tests/elements/test_joint_contract.py", "tests/model/test_joint_zero.py"],
    "elements/forces": ["tests/elements/test_forces.py", "tests/elements/test_force_contract.py"],
    "elements/sensors": ["tests/elements/test_sensors_and_coordinates.py"],
    "elements/coordinates": ["tests/elements/test_sensors_and_coordinates.py"],
    "elements/bodies/beam.py": ["tests/elements/test_beam.py"],
    "elements/bodies/rigid.py": ["tests/elements/test_rigid.py"],
    "elements": ["tests/elements"],
    "spatial/rotation.py": [
        "src/poinsot/spatial/rotation.py",
        "tests/spatial/test_quaternions.py",
        "tests/spatial/test_singular_angles.py",
        "tests/spatial/test_sequences.py",
        "tests/spatial/test_trajectories.py",
    ],
    "spatial/inertia.py": ["tests/spatial/test_inertia.py", "src/poinsot/spatial/inertia.py"],
    "spatial/motion.py": ["tests/spatial/test_motion.py"],
    "spatial": ["tests/spatial/test_pose_and_orientation.py", "tests/spatial/test_inertia.py", "src/poinsot/spatial"],
}
_OVER, _CHAINS, _OTHER = (f"tests/analysis/test_{x}.py" for x in ("overconstrained", "chains", "other_coordinates"))
_FAIL, _BRANCHES = (f"tests/analysis/test_{x}.py" for x in ("motions_that_fail", "branches"))
_WHEELS = f"{_OVER}::test_coupled_wheels_turn_through_the_dead_centres_of_either_rod"
_MOMENTUM = f"{_FAIL}::test_momentum_carries_a_simulation_through_a_change_point"
TESTS |= {  # of numerical parts: a choice of quick ones
    "model/quantities/dimensions.py": [
        "tests/model/test_dimensions.py",
        "src/poinsot/model/quantities/dimensions.py",
    ],
    "model/admissible.py": ["tests/model/test_possible.py", "tests/model/test_check.py"],
    "model/assembly/mobility.py": [
        "tests/model/test_mobility.py",
        "tests/model/test_check.py",
        f"{_OVER}::test_kept_combinations_are_as_independent_as_all_rows",
        f"{_OVER}::test_independent_rows_form_no_group",
        f"{_OVER}::test_groups_that_share_nothing_are_kept_apart",
        f"{_WHEELS}[joint]",
    ],
    "model/assembly/branches.py": ["tests/model/test_branches.py"],
    "engine/linear/augmentation.py": [
        "src/poinsot/engine/linear/augmentation.py",
        "tests/analysis/test_loops.py::test_rows_are_added_where_mass_is_missing_and_only_there",
        "tests/analysis/test_loops.py::test_rows_are_weighed_by_the_lightest_mass_that_is_not_light",
    ],
    "identifiability/column_scales.py": ["tests/identifiability/test_natural.py"],
    "formulations/articulated.py": [
        f"{_CHAINS}::test_articulated_bodies_give_the_accelerations_of_the_mass_matrix",
        f"{_CHAINS}::test_a_closed_chain_is_solved_by_articulated_bodies_as_by_the_mass_matrix",
    ],
    "formulations/embedded.py": [
        f"{_OTHER}::test_the_quality_is_how_fast_the_dependent_speeds_are_for_the_independent_ones",
        f"{_OTHER}::test_accelerations_do_not_depend_on_the_independent_coordinates[five_bar]",
        f"{_OTHER}::test_pivoting_finds_good_speeds_in_every_pose_of_a_full_circle",
        f"{_OTHER}::test_coordinates_that_cannot_be_independent_are_refused_by_name",
        f"{_OVER}::test_a_rope_that_holds_a_jib_bears_the_same_in_all_formulations[0]",
    ],
    "formulations/coordinates_of_poses.py": [
        f"{_OTHER}::test_euler_angles_are_centred_anew_and_the_motion_goes_on[explicit]",
        f"{_WHEELS}[joint]",
        f"{_WHEELS}[euler]",
    ],
    "formulations/solve.py": [
        f"{_OVER}::test_a_rope_that_holds_a_jib_bears_the_same_in_all_formulations[1]",
        f"{_WHEELS}[joint]",
        f"{_CHAINS}::test_a_closed_chain_with_a_light_link_is_solved_with_its_constraints",
        f"{_CHAINS}::test_a_closed_chain_is_solved_by_articulated_bodies_as_by_the_mass_matrix",
    ],
    "simulation/singular_crossing.py": [
        "src/poinsot/simulation/singular_crossing.py",
        f"{_MOMENTUM}[joint]",
        f"{_MOMENTUM}[embedded]",
    ],
    "motion/continuation.py": [
        f"{_BRANCHES}::test_machines_of_all_sizes_are_closed_to_round_off[0.01]",
        f"{_BRANCHES}::test_a_fast_signal_is_followed_between_samples",
        f"{_BRANCHES}::test_a_fast_signal_that_leaves_the_workspace_between_samples_is_noticed",
        f"{_BRANCHES}::test_euler_angles_are_centred_anew_along_a_turn",
    ],
    "simulation/chart_switching.py": [
        f"{_OTHER}::test_euler_angles_are_centred_anew_and_the_motion_goes_on[explicit]",
        f"{_WHEELS}[joint]",
        f"{_MOMENTUM}[joint]",
        f"{_FAIL}::test_a_force_that_grows_without_bound_is_not_blamed_on_a_pose",
        f"{_OTHER}::test_a_slider_crank_passes_its_dead_centres_from_the_stroke_as_independent_coordinate",
        f"{_OTHER}::test_euler_angles_are_centred_anew_between_outputs_and_for_every_motion_of_a_batch",
        f"{_FAIL}::test_outputs_within_the_step_over_a_singular_pose_are_on_the_way",
        f"{_FAIL}::test_a_simulation_ends_at_a_singular_pose_and_names_it[joint]",
    ],
}
SWAPS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.MatMult: ast.Mult}
SWAPS |= {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
WORDS = {"sin": "cos", "cos": "sin", "fmin": "fmax", "fmax": "fmin", "X": "Y", "Y": "Z", "Z": "X"}
SECONDS = 120  # after which a mutant counts as killed: it hangs


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every node that can be changed, and how; texts of errors, annotations and lists of names are left alone."""
    skipped = (ast.Raise, ast.Import, ast.ImportFrom, ast.JoinedStr, ast.arguments)
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, skipped) or _names(node):
                continue
            if isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not _union(node):
                yield node, "swap"
                if isinstance(node.op, ast.Add | ast.Sub):
                    yield node, "left out"
            elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
                yield node, "swap"
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
                yield node, "dropped"
            elif isinstance(node, ast.Constant) and (type(node.value) in (int, float) or node.value in WORDS):
                yield node, "changed"
            yield from places(node)


def _names(node: ast.AST) -> bool:
    """Whether a statement is a docstring or `__all__`."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("__all__", "Orientation")


def _union(node: ast.BinOp) -> bool:
    return isinstance(node.op, ast.BitOr)


def mutate(node: ast.AST, how: str) -> None:
    """Change a node in place."""
    if how == "left out":
        zero = ast.Constant(0.0)
        node.right = ast.copy_location(ast.BinOp(node.right, ast.Mult(), zero), node)
    elif how == "swap" and isinstance(node, ast.BinOp):
        node.op = SWAPS[type(node.op)]()
    elif how == "swap":
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif how == "dropped":
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.copy_location(ast.UnaryOp(ast.Not(), node.operand), node)
    else:
        node.value = WORDS[node.value] if isinstance(node.value, str) else node.value + 1


def graft(path: Path, tree: ast.Module) -> None:
    """Put the changed code into the module that everybody has imported already."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    module, changed = importlib.import_module(name), {"__name__": name}  # some are imported only when used
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), changed)
    for key, new in changed.items():
        if isinstance(new, type) and new.__module__ == name:
            for attribute, value in vars(new).items():
                if attribute not in ("__dict__", "__weakref__", "__doc__", "__module__"):
                    _replace(vars(module)[key], attribute, value)
        elif key != "__builtins__":
            _replace(module, key, new)


def _replace(owner: Any, key: str, new: Any) -> None:
    """Replace a function by its code, so that those who hold it run the new one; anything else by its name."""
    old = vars(owner).get(key)
    if hasattr(old, "__wrapped__") and hasattr(new, "__wrapped__"):  # what a decorator has made calls the function
        old, new = inspect.unwrap(old), inspect.unwrap(new)
    if isinstance(old, FunctionType) and isinstance(new, FunctionType):
        if old.__code__.co_freevars == new.__code__.co_freevars and old.__module__ == new.__module__:
            old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
    elif old is not new:
        setattr(owner, key, new)


def survives(path: Path, tree: ast.Module, tests: list[str], label: str) -> bool:
    """Run the tests of a mutant in a forked process; True when all of them pass."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        keys.fingerprint = lambda: label  # what others have kept on disk was not made by this code
        try:
            graft(path, tree)
            code = _pytest("-x", *tests, first=path.stem.replace("_", "-"))
        except Exception:  # a module that cannot even be imported
            code = 1
        os._exit(int(code != 0))
    return os.waitpid(child, 0)[1] == 0


class _Quick:
    """A failure is enough: no smaller example is looked for.

    Tests with the name of a law come first, then one case of every other test, then the second one, and so on.
    """

    def __init__(self, first: str):
        self.first = first

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        cases = Counter()
        order = {}
        for item in items:
            name = item.nodeid.partition("[")[0]
            order[item] = (self.first not in item.nodeid, cases[name])
            cases[name] += 1
        items.sort(key=order.get)

    def pytest_configure(self) -> None:
        settings.register_profile("mutants", settings.get_profile("poinsot"), phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutants")


def _pytest(*arguments: str, first: str = "") -> int:
    with open(os.devnull, "w") as nowhere:
        keep = [os.dup(stream) for stream in (1, 2)]
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
        code = pytest.main(["-q", "-n", "0", "--tb=no", "-p", "no:cacheprovider", *arguments], [_Quick(first)])
        for stream, kept in zip((1, 2), keep):
            os.dup2(kept, stream)
    return int(code)


def mutants(path: Path) -> Iterator[tuple[str, ast.Module]]:
    """All mutants of a file, each with the line and the change."""
    lines = path.read_text().splitlines()
    count = sum(1 for _ in places(ast.parse(path.read_text())))
    for i in range(count):
        tree = ast.parse(path.read_text())
        node, how = next(found for k, found in enumerate(places(tree)) if k == i)
        before = ast.unparse(node)
        mutate(node, how)
        after = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
        yield (
            f"{path.relative_to(SOURCE)}:{node.lineno}: {before} → {after}   {lines[node.lineno - 1].strip()[:80]}",
            tree,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "where", nargs="*", default=["elements", "spatial"], help="folders or files under src/poinsot"
    )
    parser.add_argument("--share", type=float, default=1.0, help="how many of the mutants to try, of all")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.chdir(ROOT)
    files = [file for where in given.where for file in _files(SOURCE / where)]
    rng, tried, alive, begin = random.Random(given.seed), 0, 0, time.time()
    ready: set[str] = set()
    for path in files:
        tests = next(t for key, t in TESTS.items() if path.relative_to(SOURCE).as_posix().startswith(key))
        if not ready >= set(tests):
            ready |= set(tests)
            _pytest("--collect-only", *tests)  # imported once, for all mutants, which find nothing in memory
            if not survives(path, ast.parse(path.read_text()), tests, "none"):
                sys.exit(f"tests fail as they are: {' '.join(tests)}")
        for label, tree in mutants(path):
            if rng.random() > given.share:
                continue
            tried += 1
            if survives(path, tree, tests, label):
                alive += 1
                print(f"survived  {label}", flush=True)
        print(f"{path.relative_to(SOURCE)}: {tried} tried, {alive} survived, {time.time() - begin:.0f} s", flush=True)


def _files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


if __name__ == "__main__":
    main()
