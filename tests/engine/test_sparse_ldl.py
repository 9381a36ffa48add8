"""LDLᵀ without pivoting in the order of the mechanism's graph, against dense solutions with pivoting."""

import casadi as ca
import numpy as np
import pytest
from benchmarks import stewart
from hypothesis import given, settings
from hypothesis import strategies as st

from poinsot.engine import (
    Block,
    Link,
    elimination_order,
    kernel,
    kkt,
    ldl,
)
from poinsot.errors import PoinsotError


def chain(n):
    return [(k, k + 1) for k in range(n - 1)]


GRAPHS = {
    "chain": (8, chain(8)),
    "loop": (7, [*chain(7), (6, 0)]),
    "tree": (9, [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6), (5, 7), (5, 8)]),
    "platform": (13, [e for leg in range(6) for e in ((2 * leg, 2 * leg + 1), (2 * leg + 1, 12))]),
    "two loops": (8, [*chain(8), (7, 0), (3, 6)]),
}


def random_system(bodies, edges, rows, rng, singular=False):
    """Blocks of six with random Jacobians between them; the first body is tied to the ground."""
    blocks = [Block(f"b{k}", tuple(range(6 * k, 6 * k + 6))) for k in range(bodies)]
    links, C = [], []
    for count, ends in [(rows, (0,)), *((rows, e) for e in edges)]:
        part = np.zeros((count, 6 * bodies))
        for b in ends:
            part[:, 6 * b : 6 * b + 6] = rng.normal(size=(count, 6))
        start = sum(map(len, C))
        links.append(Link(f"l{len(C)}", tuple(range(start, start + count)), tuple(f"b{b}" for b in ends)))
        C.append(part)
    M = np.zeros((6 * bodies, 6 * bodies))
    for b in range(bodies):
        root = rng.normal(size=(6, 5 if singular else 6))
        M[6 * b : 6 * b + 6, 6 * b : 6 * b + 6] = root @ root.T
    return blocks, links, M, np.concatenate(C)


def solve_by_kkt(M, C, Q, gamma, order):
    def pattern(a, name):
        return ca.SX.sym(name, ca.sparsify(ca.DM(a)).sparsity())

    m, c, q, g = pattern(M, "m"), pattern(C, "c"), ca.SX.sym("q", len(Q)), ca.SX.sym("g", len(gamma))
    s = kkt(m, c, q, g, order)
    return kernel(ca.Function("kkt", [m, c, q, g], [s.acceleration, s.multipliers, s.factor.check]), engine="vm")(
        M, C, Q, gamma
    )


@settings(max_examples=15, deadline=None)
@given(
    graph=st.sampled_from(sorted(GRAPHS)),
    rows=st.integers(1, 4),
    seed=st.integers(0, 2**31),
    singular=st.booleans(),
    early=st.booleans(),
)
def test_random_mechanisms_agree_with_a_dense_solution(graph, rows, seed, singular, early):
    rng = np.random.default_rng(seed)
    blocks, links, M, C = random_system(*GRAPHS[graph], rows, rng, singular)
    n, m = len(M), len(C)
    dense = np.block([[M, C.T], [C, np.zeros((m, m))]])
    condition = np.linalg.cond(dense)
    if condition > 1e8:
        return
    Q, gamma = rng.normal(size=n), rng.normal(size=m)
    order = elimination_order(blocks, links, jacobian=C if early else None)
    a, lam, check = solve_by_kkt(M, C, Q, gamma, order)
    expected = np.linalg.solve(dense, np.concatenate([Q, gamma]))
    error = np.abs(np.concatenate([a, lam]) - expected).max() / np.abs(expected).max()
    assert error < max(1e-10, 1e-15 * condition / min(1.0, check[0]))


@pytest.mark.parametrize("early", [False, True])
def test_a_stewart_platform_agrees_with_a_dense_solution(early):
    function = stewart.forward_dynamics(early)
    q, V, u, p = stewart.states(6, np.random.default_rng(2))
    a, lam, check = kernel(function, engine="vm")(q, V, u, p)
    assert (check > 1e-3).all()
    for k in range(6):
        M, C, Q, gamma = (np.array(x) for x in stewart.system()(q[k], V[k], u[k], p))
        dense = np.block([[M, C.T], [C, np.zeros((72, 72))]])
        expected = np.linalg.solve(dense, np.concatenate([Q, gamma])[:, 0])
        np.testing.assert_allclose(a[k], expected[:78], atol=1e-10 * np.abs(expected[:78]).max())
        np.testing.assert_allclose(lam[k], expected[78:], atol=1e-10 * np.abs(expected[78:]).max())


def test_legs_go_before_the_platform():
    blocks, links, *_ = random_system(*GRAPHS["platform"], 2, np.random.default_rng(0))
    order = elimination_order(blocks, links)
    bodies = [i // 6 for i in order if i < 78]
    assert bodies[-6:] == [12] * 6
    assert sorted(order) == list(range(78 + len(links) * 2))


def test_an_order_from_the_graph_fills_less_than_another():
    blocks, links, M, C = random_system(*GRAPHS["platform"], 1, np.random.default_rng(1))
    matrix = ca.SX(np.block([[M + C.T @ C, C.T], [C, np.zeros((len(C),) * 2)]]))
    matrix = ca.sparsify(matrix)
    n = len(M)
    good = ldl(matrix, elimination_order(blocks, links)).fill
    platform_first = [*range(72, 78), *range(72), *range(n, n + len(C))]
    assert good < 0.5 * ldl(matrix, platform_first).fill


def test_the_check_value_falls_when_constraints_become_dependent():
    e = ca.SX.sym("e")
    C = ca.vertcat(ca.horzcat(1, 1, 0), ca.horzcat(1, 1 + e, 0))
    s = kkt(ca.SX.eye(3), C, ca.SX.ones(3), ca.SX.zeros(2), order=[0, 1, 2, 3, 4])
    check = ca.Function("check", [e], [s.factor.check])
    values = [float(check(x)) for x in (1.0, 1e-3, 1e-6, 0.0)]
    assert values[0] > 0.05 and values[1] < 1e-4 and values[2] < 1e-10 and values[3] < 1e-14


def test_the_check_value_agrees_with_and_without_known_signs():
    rng = np.random.default_rng(4)
    root = rng.normal(size=(6, 6))
    A = ca.SX(root @ root.T)
    plain, known = ldl(A, range(6)), ldl(A, range(6), signs=[1] * 6)
    assert float(plain.check) == pytest.approx(float(known.check), rel=1e-12)


def test_mistakes_are_said_in_one_sentence():
    A = ca.SX([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(PoinsotError, match="row 0 has a zero pivot"):
        ldl(ca.sparsify(A), [0, 1])
    with pytest.raises(PoinsotError, match="each of the 2 rows once"):
        ldl(A, [0, 0])
    with pytest.raises(PoinsotError, match="square"):
        ldl(ca.SX(2, 3), [0, 1])
    with pytest.raises(PoinsotError, match="has 3 rows"):
        ldl(ca.SX.eye(2), [0, 1]).solve(ca.SX.ones(3))
    with pytest.raises(PoinsotError, match="touches 'x', which is not a block"):
        elimination_order([Block("a", (0,))], [Link("l", (0,), ("x",))])
    with pytest.raises(PoinsotError, match="needs C with 2 columns"):
        kkt(ca.SX.eye(2), ca.SX.ones(1, 3), ca.SX.ones(2), ca.SX.ones(1), [0, 1, 2])


def test_a_link_waits_while_its_rows_depend_on_those_that_went_early():
    """A platform whose pose is held, on legs of which two are eliminated after it: no row may take its columns."""
    rng = np.random.default_rng(3)
    blocks = [Block("platform", tuple(range(6))), *(Block(f"leg{k}", (6 + k,)) for k in range(4))]
    links = [Link(f"ball{k}", (k,), (f"leg{k}", "platform")) for k in range(4)]
    links += [Link(f"drive{i}", (4 + i,), ("platform",)) for i in range(6)]
    C = np.zeros((10, 10))
    C[:4, :6] = rng.normal(size=(4, 6))
    C[:4, 6:] = np.eye(4)
    C[4:, :6] = np.eye(6)
    order = elimination_order(blocks, links, jacobian=C)
    A = np.block([[np.eye(10) + C.T @ C, C.T], [C, np.zeros((10, 10))]])[np.ix_(order, order)]
    for k in range(20):  # LDLᵀ without pivoting: no pivot may vanish
        assert abs(A[k, k]) > 1e-6
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :]) / A[k, k]


def test_a_link_without_rows_changes_no_order():
    blocks = [Block("a", (0,)), Block("b", (1,))]
    C = np.array([[1.0, 2.0]])
    order = elimination_order(blocks, [Link("l", (0,), ("a", "b"))], jacobian=C)
    empty = Link("none", (), ("a",))
    assert elimination_order(blocks, [empty, Link("l", (0,), ("a", "b"))], jacobian=C) == order
