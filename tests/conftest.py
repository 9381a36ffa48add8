"""Settings that every test shares: the same examples in every run, no deadlines on busy machines."""

import os

# One thread for small dense matrices: with more, workers that share the processors take ten times as long.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

from tests.generated.share import share  # noqa: E402

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
    *("right[30-rotation-matrix]", "right[30-euler]", "light_legs_lose_no_digits[0.001-eul", "no_digits[1e-06-eul"),
    *("masses_that_nearly_vanish_in_a_batch_lose_no_digits[1e-08]", "alike[hexapod-embedded]", "[double_hexapod]"),
    *("lengths[hexapod-embedded]", "its_branch_without_a_word[41-euler-implicit]", "is_driven_round[17-embedded]"),
    *("at_any_speed_to_and_fro[rotation-matrix]", "three-crank, straight-euler]", "bennett-euler]"),
    *("dead_centre_that_both_rods_have_together[embedded-0.7]", "those_of_its_states[euler]"),
    *("is_inverse_dynamics[navaro_refined]", "changes_with_its_weight_alone[gravity0-rotation-matrix]"),
    *("leaves_bodies_that_exist[delta]", "where_it_is_not[0.5]", "error_bars_cover[didim-loop]"),
    *(
        "integral_of_the_actuators_power[delta]",
        "ranks_from_actuator_forces_alone[ex800]",
        "file[stewart_calibration]",
    ),
    *("goes_far_between_samples_follows_its_branch", "pass_their_singularity_without_loss_of_accuracy"),
    *("has_relations_of_its_parallelograms_too", "agree_with_a_dense_solution", "motions_that_stop_print_nothing"),
    *("predicted_errors_are_those_of_an_identification_there", "for_means_of_rows_does_not_grow_with_the_file"),
    *("lever_arm_misalignment_and_time_offset_are_found", "damaged_entries_are_made_again"),
    *("functions_whose_code_is_gone_are_compiled_again", "neither_hangs_nor_ends_its_parents_compilation"),
    *("outlives_its_process_and_leaves_its_code", "a_map_over_parameters_gives_what_single_models_give"),
    *("a_fused_motion_need_no_known_inertia", "errors_of_the_smoother_are_as_large", "other_geometries[ex800-82-1]"),
    *("motion_comes_out_in_every_formulation[rotation-matrix]", "also_where_they_are_double[1]", "allow[free]"),
    *("whole_recording_needs_at_most_twice_the_memory", "from_a_shaker_to_the_springs", "are_double[3]"),
    *("slow_motions_through_a_singular_pose", "closed_is_given_up_early", "moments_a_bowl", "of_legs_in_closed_form"),
    *("the_same_seed_gives_the_same_motion_and_criteria", "unstable_in_all_six_modes_with_the_published_growth"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark heavy cases before tests are chosen by their marks; of a slow test's cases a share, two at least."""
    for item in items:
        if any(case in item.name for case in HEAVY):
            item.add_marker(pytest.mark.slow)
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {item for group in cases.values() for item in share(group, at_least=2)}
    left_out = [item for group in cases.values() for item in group if item not in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


settings.register_profile(
    "poinsot", deadline=None, derandomize=True, max_examples=15, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("poinsot")
