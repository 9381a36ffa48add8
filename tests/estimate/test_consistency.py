"""Physically consistent parameters: bodies exist, the optimum is one by other routes, and the data is explained."""

from __future__ import annotations

import sys

import casadi
import numpy as np
import pytest

import poinsot
from poinsot.errors import ConsistencyWarning, MissingExtraError, PoinsotError
from poinsot.estimate.consistency.full import consistent, limits_of
from poinsot.estimate.consistency.scaling import Steps, coordinates
from poinsot.estimate.methods.consistent import Consistent
from poinsot.estimate.methods.registry import method_of
from poinsot.estimate.results.identified import nearest
from poinsot.estimate.study import Role
from poinsot.identifiability.linear import linear_parameters
from poinsot.spatial.inertia import planar_inertia, pseudo_inertia
from poinsot.spatial.log_cholesky import from_log_cholesky, to_log_cholesky
from tests.estimate.runs import five_bar_run, four_bar_run, noise, problem_of, sampled_problem, with_forces
from tests.generated.mechanisms import random_mechanism
from tests.generated.share import least, repetitions, share
from tests.generated.share import limits as coverage_limits

BAR = poinsot.load("four_bar")


@pytest.fixture(scope="module")
def perfect():
    """A four-bar whose channels hold no noise."""
    return problem_of(BAR, four_bar_run(sigma=0.0))


def noisy(problem, size: float, seed: int = 0):
    """A problem with noise of some times its channels' size, and the values of weighted least squares."""
    rng = np.random.default_rng([seed, 1])  # not the one that draws the states
    found = with_forces(problem, size * problem.scale * rng.standard_normal(problem.runs[0].y.shape))
    return found, method_of("weighted").solve(found.rows)


def cost(problem, solution, phi: np.ndarray, strength: float) -> float:
    """Equation 12 as it is written, for unknowns that are all inertia of bodies that are not thin; no margin."""
    e = (
        np.linalg.lstsq(problem.directions, problem.combine @ (phi - problem.unknowns.start), rcond=None)[0]
        - solution.d
    )
    found = e @ np.linalg.solve(solution.covariance, e)
    for P, P0 in zip(matrices(problem, phi), matrices(problem, problem.unknowns.start)):
        Q = np.linalg.solve(P0, P)
        found += strength * (np.trace(Q) - np.linalg.slogdet(Q)[1] - len(Q))
    return float(found)


def matrices(problem, phi: np.ndarray) -> list[np.ndarray]:
    """Inertia matrices of all bodies, all parameters of which are unknowns."""
    planar, names = problem.unknowns.mechanism.planar, [p.owner for p in problem.unknowns.linear]
    places = [p.place[1] for p in problem.unknowns.linear]
    found = []
    for owner in dict.fromkeys(names):
        ten = np.zeros(10)
        for k, name in enumerate(names):
            ten[places[k]] = phi[k] if name == owner else ten[places[k]]
        found.append((planar_inertia if planar else pseudo_inertia)(ten))
    return found


def test_exact_data_gives_the_model_back(perfect):
    tiny, plain = noisy(perfect, 1e-9)
    found = consistent(tiny, plain.d, plain.covariance)
    limits = limits_of(tiny)
    assert found.status == "optimal" and abs(found.loss) < 1e-9
    assert np.max(np.abs(found.values - tiny.unknowns.start) / limits.size) < 3e-3  # derivatives of samples


def test_possible_values_stay_as_they_are(perfect):
    some, plain = noisy(perfect, 1e-3)
    found = consistent(some, plain.d, plain.covariance)
    assert found.distance < 1e-3 and found.loss < 1e-6 and "equally well" in found.remark


MACHINES = {
    "four_bar": lambda: BAR,
    "five_bar": lambda: poinsot.load("five_bar"),
    "delta": lambda: poinsot.load("delta"),
    "planar loop": lambda: random_mechanism(10, planar=True, loops=1, size=0.5, spread=1.0, small=True),
    "spatial tree": lambda: random_mechanism(4, planar=False, loops=0, size=0.5, spread=1.0, small=True),
    "spatial loop": lambda: random_mechanism(7, planar=False, loops=1, size=0.5, spread=1.0, small=True),
}
LARGE = {"ex800": lambda: poinsot.load("ex800"), "hexapod": lambda: poinsot.load("hexapod")}


def check_large_noise(mechanism: poinsot.Mechanism, sizes) -> None:
    """Noise makes least squares impossible; the possible values explain the data better than the model does."""
    perfect, impossible = sampled_problem(mechanism, 150), 0
    for size in sizes:
        problem, plain = noisy(perfect, size)
        limits, start = limits_of(problem), problem.unknowns.start
        values = nearest(start, limits.size, problem.combine, problem.base_values(plain.d))
        impossible += bool(limits.defects(values, problem.unknowns.names))
        found = consistent(problem, plain.d, plain.covariance)
        assert found.status == "optimal"
        assert limits.defects(found.values, problem.unknowns.names) == ()
        np.testing.assert_allclose(
            problem.combine @ found.values, problem.base_values(found.d), atol=1e-7 * np.max(np.abs(found.values))
        )
        truth = plain.d @ np.linalg.solve(plain.covariance, plain.d)  # the model is the truth, and possible
        assert found.distance <= truth * (1 + 1e-6)
        assert not found.contradicted
    assert impossible


@pytest.mark.parametrize("name", MACHINES)
def test_noise_that_makes_least_squares_impossible_leaves_bodies_that_exist(name):
    check_large_noise(MACHINES[name](), (0.1, 3.0))


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_thirteen_bodies_exist_whatever_the_noise(name):
    check_large_noise(LARGE[name](), (1e-3, 1e-2, 0.1, 1.0, 10.0))


def by_ipopt(problem, solution, strength: float) -> float:
    """The least cost in log-Cholesky coordinates, where no constraint is needed, by another program."""
    start = problem.unknowns.start.reshape(-1, 10)
    theta = casadi.SX.sym("theta", 10, len(start))
    phi = [from_log_cholesky(theta[:, i]) for i in range(len(start))]
    off = casadi.DM(np.linalg.pinv(problem.directions) @ problem.combine) @ (
        casadi.vertcat(*phi) - casadi.DM(problem.unknowns.start)
    ) - casadi.DM(solution.d)
    white = casadi.DM(np.linalg.inv(np.linalg.cholesky(solution.covariance))) @ off
    f = casadi.dot(white, white)
    for ten, ten0 in zip(phi, start):
        Q = casadi.DM(np.linalg.inv(pseudo_inertia(ten0))) @ pseudo_inertia(ten)
        f += strength * (casadi.trace(Q) - casadi.log(casadi.det(Q)) - 4)
    solver = casadi.nlpsol(
        "s", "ipopt", {"x": casadi.vec(theta), "f": f / strength}, {"ipopt.print_level": 0, "print_time": False}
    )
    found = solver(x0=np.concatenate([to_log_cholesky(ten) for ten in start]))
    assert solver.stats()["success"]
    return float(found["f"]) * strength


def inertial(mechanism: poinsot.Mechanism) -> list[str]:
    """Names of the parameters of bodies."""
    return [p.name for p in linear_parameters(mechanism) if p.table == "bodies" and p.declared]


@pytest.mark.parametrize("loops", [0, 1])
@pytest.mark.parametrize(("size", "strength"), [(0.1, 1e-3), (3.0, 1e-3), (3.0, 1.0)])
def test_another_solver_in_other_coordinates_finds_the_same_optimum(loops, size, strength):
    mechanism = random_mechanism(7, planar=False, loops=loops, size=0.5, spread=1.0, small=True)
    problem, plain = noisy(sampled_problem(mechanism, 150, inertial(mechanism)), size)
    found = consistent(problem, plain.d, plain.covariance, Consistent(strength=strength, margin=0.0))
    ours = cost(problem, plain, found.values, strength)
    assert ours == pytest.approx(by_ipopt(problem, plain, strength), rel=1e-6)


def unbalanced(problem, solution, phi: np.ndarray, thin: float = 1e-2) -> tuple[float, float]:
    """What multipliers of the cones leave of the gradient of eq. 12, as a decrease ½ gᵀH⁻¹g; their least eigenvalue.

    For bodies that are points in the model: P̃ and P̃₀ are lifted by `thin`, and a cone has P̃ ⪰ 1e-6.
    """
    method, limits = Consistent(), limits_of(problem)
    steps = np.linalg.pinv(problem.directions) @ problem.combine
    e = steps @ (phi - problem.unknowns.start) - solution.d
    gradient = 2 * steps.T @ np.linalg.solve(solution.covariance, e)
    H = 2 * steps.T @ np.linalg.solve(solution.covariance, steps)
    columns, sizes = [], []
    for body in limits.bodies:
        lift = thin * np.eye(len(body.constant))
        own, other = (np.linalg.inv(body.scaled(x) + lift) for x in (phi, problem.unknowns.start))
        gradient += method.strength * np.einsum("kij,ij->k", body.slopes, other - own)
        H += method.strength * np.einsum("kij,jl,mln,ni->km", body.slopes, own, body.slopes, own)
        value, vectors = np.linalg.eigh(body.scaled(phi))
        N = vectors[:, value < 10 * method.margin]
        part = np.einsum("ia,kij,jb->kab", N, body.slopes, N)
        columns.append(part.reshape(len(phi), -1))
        sizes.append(N.shape[1])
    scaled = gradient * limits.size
    A = np.hstack(columns) * limits.size[:, None]
    Y = np.linalg.lstsq(A, scaled, rcond=None)[0] if A.size else np.zeros(0)
    left = scaled - A @ Y
    ends = np.cumsum([n * n for n in sizes])[:-1]
    parts = [y.reshape(n, n) for y, n in zip(np.split(Y, ends), sizes) if n]
    least = min((float(np.linalg.eigvalsh((y + y.T) / 2)[0]) for y in parts), default=0.0)
    return float(left @ np.linalg.solve(H * limits.size[:, None] * limits.size, left)) / 2, least


def test_multipliers_of_the_cones_balance_the_gradient():
    """Karush, Kuhn and Tucker: links that are points in the model, so that cones are active."""
    points = BAR.with_parameters({f"link{k}.inertia": 0.0 for k in (1, 2, 3)})
    problem, plain = noisy(sampled_problem(points, 150), 1.0)
    found = consistent(problem, plain.d, plain.covariance)
    least = min(body.least(found.values) for body in limits_of(problem).bodies)
    assert least == pytest.approx(1e-6, rel=0.1)  # a cone is active
    left, multiplier = unbalanced(problem, plain, found.values)
    assert left < 1e-6 and multiplier > -1e-6
    other = found.values + 0.01 * (problem.unknowns.start - found.values)
    assert unbalanced(problem, plain, other)[0] > 1e-3  # the instrument can fail


def test_the_method_gives_an_estimate_with_bodies_that_exist():
    rec = four_bar_run(sigma=3.0)
    est = poinsot.identify(BAR, rec, method="consistent")
    plain = poinsot.identify(BAR, rec)
    assert est.consistent is not None and est.consistent.status == "optimal"
    np.testing.assert_array_equal(est.full, est.consistent.values)
    np.testing.assert_allclose(est.problem.combine @ est.full, est.beta, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(est.base_covariance, plain.base_covariance)
    assert all(body.mass > 0 for name, body in est.mechanism.bodies.items() if name != "ground")
    assert 0 < est.consistent.loss < 0.05
    assert "physically possible" in str(est) and any("physically possible" in step for step in est.steps)
    base = poinsot.base_parameters(BAR)
    np.testing.assert_allclose(base.values(est.mechanism), est.beta, rtol=1e-6, atol=1e-9)


def test_the_mechanism_of_any_linear_method_is_possible_and_says_what_was_done():
    est = poinsot.identify(BAR, four_bar_run(sigma=3.0))
    with pytest.warns(ConsistencyWarning, match="not possible: body"):
        mechanism = est.mechanism
    assert mechanism.bodies["link1"].mass > 0
    assert poinsot.loads(poinsot.dumps(mechanism), "back").bodies["link3"].mass == mechanism.bodies["link3"].mass
    good = poinsot.identify(BAR, four_bar_run(sigma=1e-3))
    assert good.full_parameters.status == "" and "equally well" in good.full_parameters.remark


def test_friction_and_drives_are_not_negative_and_bounds_hold():
    five = poinsot.load("five_bar")
    bounds = {"forearm1.m": {"bounds": [0.3, 0.4]}, "*": {}}
    perfect = sampled_problem(five, 150, bounds)
    names, negative = perfect.unknowns.names, 0
    firm = [k for k, name in enumerate(names) if name.endswith(("viscous", "coulomb", "drive_inertia"))]
    assert len(firm) == 6
    for seed in range(3):
        problem, plain = noisy(perfect, 3.0, seed)
        limits = limits_of(problem)
        values = nearest(problem.unknowns.start, limits.size, problem.combine, problem.base_values(plain.d))
        negative += int((values[firm] < 0).sum())
        found = consistent(problem, plain.d, plain.covariance)
        assert np.all(found.values[firm] >= -1e-9 * limits.size[firm])
        assert 0.3 - 1e-9 <= found.values[names.index("forearm1.m")] <= 0.4 + 1e-9
    assert negative


@pytest.mark.parametrize("unknowns", [["link3.m", "link3.mx"], ["link2.*", "link3.J"]])
def test_some_parameters_of_a_body_may_be_known(unknowns):
    problem, plain = noisy(sampled_problem(BAR, 150, unknowns), 3.0)
    found = consistent(problem, plain.d, plain.covariance)
    assert found.status == "optimal" and limits_of(problem).defects(found.values, problem.unknowns.names) == ()


def test_a_payload_is_a_body_of_its_own():
    """In a run without any, noise alone would make it negative; so it has next to no mass."""
    rec = four_bar_run(sigma=0.5)
    runs = (poinsot.Run("bare", rec), poinsot.Run("loaded", four_bar_run(seed=4, sigma=0.5), Role.PAYLOAD))
    for names in (["m"], ["m", "mx", "my", "J"]):
        unknowns = (*(poinsot.Unknown(f"link3.{n}", payload=True) for n in names), poinsot.Unknown("link2.mx"))
        est = poinsot.identify(poinsot.Study(BAR, runs, unknowns, method="consistent"))
        assert est.full[est.names.index("payload link3.m")] >= 0
        assert limits_of(est.problem).defects(est.full, est.names) == ()


def test_data_that_no_body_explains_is_called_so():
    rec = four_bar_run(sigma=0.1)
    wrong = rec.with_channels({"A": -rec["A"]}, rec.channels)
    assert "not physically possible, beyond its noise" in poinsot.identify(BAR, wrong, method="consistent").verdict
    assert "possible" not in poinsot.identify(BAR, rec, method="consistent").verdict


def test_a_strong_prior_holds_the_model(perfect):
    some, plain = noisy(perfect, 1.0)
    off = [
        np.linalg.norm(
            (consistent(some, plain.d, plain.covariance, Consistent(strength=g)).values - some.unknowns.start)
            / limits_of(some).size
        )
        for g in (1e-3, 1.0, 1e6)
    ]
    assert off[0] > off[1] > off[2] and off[2] < 1e-2


def test_a_margin_keeps_bodies_away_from_singular_ones(perfect):
    some, plain = noisy(perfect, 1.0)
    found = consistent(some, plain.d, plain.covariance, Consistent(margin=0.2))
    assert min(body.least(found.values) for body in limits_of(some).bodies) > 0.2 * (1 - 1e-6)


def coverage(problem, colour: float, size: float, times: int) -> np.ndarray:
    """Share of repetitions (b,) in which the truth lies within 1.96 standard errors."""
    rng, inside = np.random.default_rng(7), 0.0
    for _ in range(times):
        run = with_forces(problem, size * noise(rng, problem.runs[0].y.shape, colour))
        plain = method_of("weighted").solve(run.rows)
        found = consistent(run, plain.d, plain.covariance)
        inside = inside + (np.abs(found.d) < 1.96 * np.sqrt(np.diagonal(plain.covariance)))
    return np.asarray(inside) / times


def test_error_bars_cover_the_truth_in_a_few_repetitions(perfect):
    assert 0.86 < coverage(perfect, 0.9, 0.1, 20).mean() <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("colour", share([0.0, 0.9]))
def test_error_bars_cover_the_truth_as_often_as_they_say(colour, perfect):
    check_coverage(coverage(perfect, colour, 0.1, repetitions(500)))


@pytest.mark.slow
@pytest.mark.parametrize("colour", share([0.0, 0.9]))
def test_error_bars_of_a_five_bar_cover_the_truth_as_often_as_they_say(colour):
    check_coverage(coverage(problem_of(poinsot.load("five_bar"), five_bar_run()), colour, 1e-3, repetitions(500)))


def check_coverage(inside: np.ndarray) -> None:
    """Of all parameters together, and of each."""
    lower, upper = coverage_limits(500)
    assert lower <= inside.mean() <= upper, inside
    assert inside.min() >= least(500, len(inside)), inside


def test_parameters_of_the_model_file_and_bad_options_are_refused(monkeypatch):
    rec = four_bar_run(seconds=2.0)
    with pytest.raises(PoinsotError, match="linear parameters"):
        poinsot.identify(BAR, rec, ["link3.mass"], method="consistent")
    with pytest.raises(PoinsotError, match="strength"):
        method_of({"name": "consistent", "strength": -1})
    with pytest.raises(PoinsotError, match="margin"):
        method_of({"name": "consistent", "margin": 2.0})
    assert method_of({"name": "consistent", "base": "robust"}).base == method_of("robust")
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(MissingExtraError, match=r"poinsot\[estimate\]"):
        poinsot.identify(BAR, rec, method="consistent")


def test_unknowns_of_the_measuring_chain_stand_beside_the_bodies():
    rec = four_bar_run(sigma=1.0)
    shifted = rec.with_channels({"A": rec["A"] + 2.0}, rec.channels)
    est = poinsot.identify(BAR, shifted, ["link2.*", "link3.*", "offset A"], method="consistent")
    assert est["offset A"].value == pytest.approx(2.0, abs=4 * est["offset A"].deviation)
    assert len(est.full) == 8 and est.mechanism.bodies["link3"].mass > 0


def test_combinations_that_are_nearly_alike_have_coordinates_all_the_same():
    """Their correlations are 1 to the last digit: in numbers no positive definite matrix."""
    G = np.random.default_rng(0).normal(size=(4, 3))
    covariance = G @ G.T - 1e-14 * np.eye(4)  # of rank 3, but for round-off
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(covariance)
    d = covariance @ [1.0, -2.0, 0.5, 1.0]
    at = coordinates(Steps(np.ones(4), np.zeros((0, 4)), np.eye(4)), np.zeros(4), d, covariance, 1.0)
    u = np.linalg.lstsq(at.weights, at.targets, rcond=None)[0]
    np.testing.assert_allclose(at.values(u), d, rtol=1e-6)


def test_the_misfit_is_the_distance_by_the_covariance():
    rng = np.random.default_rng(1)
    A, covariance = rng.normal(size=(3, 5)), np.diag([4.0, 1.0, 0.25]) + 0.3
    d, start, u = rng.normal(size=3), rng.normal(size=5), rng.normal(size=5)
    at = coordinates(Steps(np.ones(5), np.zeros((0, 5)), A), start, d, covariance, 2.0)
    e = A @ (at.values(u) - start) - d
    assert 2.0 * at.misfit(u) == pytest.approx(e @ np.linalg.solve(covariance, e))
