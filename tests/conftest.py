"""Settings that every test shares: the same examples in every run, no deadlines on busy machines."""

import os

# One thread for small dense matrices: with more, workers that share the processors take ten times as long.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

# Cases that compile long where nothing is stored yet are among the slow tests; smaller ones of the same test stay.
HEAVY = (
    *("hexapod-rotation-matrix]", "tilting_table-rotation-matrix]", "delta-rotation-matrix]"),
    *("ex800-rotation-matrix]", "[hexapod-euler]", "tilting_table-euler]", "[psm]", "[stacked_hexapod]"),
    *("in space-rotation-matrix]", "in space-euler]", "unequal-rotation-matrix]", "unequal-euler]"),
    *("straight-rotation-matrix]", "bennett-rotation-matrix]", "[31-rotation-matrix]", "[32-rotation-matrix]"),
    *("light_legs_lose_no_digits[0.001-rot", "light_legs_lose_no_digits[1e-06-rot", "no_digits[1e-09-rot"),
    *("are_those_of_its_states[rotation-matrix]", "all_its_singular_poses[embedded]"),
    *("that_excites_nothing_is_no_information", "share_the_load_by_least_squares"),
    *("is_inverse_dynamics[ex800_drives]", "is_inverse_dynamics[double_hexapod]", "is_inverse_dynamics[stewart]"),
    *("no_digits[1e-12-rotation-matrix]", "[five-rotation-matrix]", "[five-euler]", "[two-rotation-matrix]"),
    *("right[31-", "right[32-", "closed[1-rotation-m", "closed[3-rotation-m", "closed[5-rotation-m"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark heavy cases before tests are chosen by their marks."""
    for item in items:
        if any(case in item.name for case in HEAVY):
            item.add_marker(pytest.mark.slow)


settings.register_profile(
    "poinsot", deadline=None, derandomize=True, max_examples=15, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("poinsot")
