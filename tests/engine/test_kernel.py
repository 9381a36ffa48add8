"""A kernel takes the arrays that people have, and its bits do not depend on how the work is split."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poinsot.engine import kernel
from poinsot.errors import PoinsotError

UNARY = [
    ca.sin,
    ca.cos,
    ca.tanh,
    ca.fabs,
    ca.floor,
    ca.sign,
    ca.atan,
    lambda x: ca.sqrt(1 + x * x),
    lambda x: -x,
]
BINARY = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / (2 + y * y),
    ca.fmin,
    ca.fmax,
    ca.atan2,
    lambda x, y: ca.if_else(x < y, x, y * y),
]


@st.composite
def random_functions(draw):
    """Functions of three vectors (2, 3 and a 2 × 2 matrix) built by random steps, with intermediates seen."""
    x, y, m = ca.SX.sym("x", 2), ca.SX.sym("y", 3), ca.SX.sym("m", 2, 2)
    values = [*ca.vertsplit(ca.vertcat(x, y, ca.vec(m)))]
    pick = st.integers(0, 10**6)
    for _ in range(draw(st.integers(1, 60))):
        a, b, how = (draw(pick) for _ in range(3))
        ops = len(UNARY) + len(BINARY)
        a, b, how = values[a % len(values)], values[b % len(values)], how % ops
        values.append(UNARY[how](a) if how < len(UNARY) else BINARY[how - len(UNARY)](a, b))
    return ca.Function("random", [x, y, m], [ca.vertcat(*values[-20:]), ca.vertcat(*values)])


@settings(max_examples=60, deadline=None)
@given(function=random_functions(), seed=st.integers(0, 2**32 - 1))
def test_native_agrees_with_the_vm_on_random_functions(function, seed):
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(13, 2)), rng.normal(size=3), rng.normal(size=(13, 2, 2))
    native = kernel(function, engine="native")(*inputs)
    vm = kernel(function, engine="vm")(*inputs)
    for a, b in zip(native, vm):
        # sine and cosine may differ by an ulp, which a later floor, sign or comparison can magnify
        close = np.isclose(a, b, rtol=1e-13, atol=1e-13) | (np.isnan(a) & np.isnan(b))
        assert close.mean() > 0.97


@settings(max_examples=60, deadline=None)
@given(function=random_functions(), seed=st.integers(0, 2**32 - 1))
def test_without_sine_and_cosine_native_gives_the_bits_of_the_vm(function, seed):
    names = {function.instruction_id(i) for i in range(function.n_instructions())}
    if names & {ca.OP_SIN, ca.OP_COS}:
        return
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(13, 2)), rng.normal(size=3), rng.normal(size=(13, 2, 2))
    for a, b in zip(kernel(function, engine="native")(*inputs), kernel(function, engine="vm")(*inputs)):
        np.testing.assert_array_equal(a, b)


@settings(max_examples=40, deadline=None)
@given(function=random_functions(), count=st.integers(1, 23), threads=st.integers(1, 3), data=st.data())
def test_bits_do_not_depend_on_batch_split_or_threads(function, count, threads, data):
    rng = np.random.default_rng(count)
    x, y, m = (
        10 ** rng.uniform(-3, 7, (count, 2)),
        rng.normal(size=(count, 3)),
        rng.normal(size=(count, 2, 2)),
    )
    whole = kernel(function)(x, y, m, threads=threads)
    cut = data.draw(st.integers(0, count))
    scalar = kernel(function, lanes=1)
    for part in (slice(0, cut), slice(cut, count)):
        pieces = kernel(function)(x[part], y[part], m[part], threads=1)
        for a, b, c in zip(whole, pieces, scalar(x[part], y[part], m[part])):
            np.testing.assert_array_equal(a[part], b)
            np.testing.assert_array_equal(a[part], c)
    alone = kernel(function)(x[-1], y[-1], m[-1])
    for a, b in zip(whole, alone):
        np.testing.assert_array_equal(a[-1], b)


def test_every_number_of_lanes_gives_the_same_bits():
    x = ca.SX.sym("x", 7)
    f = ca.Function(
        "f", [x], [ca.sin(x) * ca.cos(x[::-1]) + ca.exp(-x) / (1 + x * x), ca.atan2(x, 1 + x), ca.floor(x)]
    )
    samples = np.random.default_rng(0).normal(0, 1e3, (37, 7))
    samples[5, 2], samples[20, 3], samples[36, 6] = 1e9, np.nan, -np.inf
    expected = kernel(f, lanes=1)(samples)
    for lanes in (2, 4, 8, 16):
        for a, b in zip(kernel(f, lanes=lanes)(samples), expected):
            np.testing.assert_array_equal(a, b)


@pytest.fixture(params=["native", "vm"])
def product(request):
    A, b = ca.SX.sym("A", 2, 3), ca.SX.sym("b", 3)
    return kernel(ca.Function("product", [A, b], [A @ b, A.T], ["A", "b"], ["Ab", "At"]), engine=request.param)


def test_shared_and_batched_inputs(product):
    A, b = np.arange(6.0).reshape(2, 3), np.array([1.0, 10.0, 100.0])
    Ab, At = product(A, b)
    assert Ab.shape == (2,) and At.shape == (3, 2)
    np.testing.assert_array_equal(Ab, A @ b)
    np.testing.assert_array_equal(At, A.T)
    batch = b * np.arange(1, 8)[:, None]
    Ab, At = product(A, batch)
    np.testing.assert_array_equal(Ab, batch @ A.T)
    assert At.shape == (7, 3, 2)


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: np.flip(np.flip(a, 0).copy(), 0),
        lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
        lambda a: a.astype(np.float32),
        lambda a: a.astype(int),
        lambda a: a.tolist(),
        lambda a: a.astype(">f8"),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(a.shape),
    ],
)
def test_any_layout_and_real_type_is_read(product, change):
    A, b = np.arange(30.0).reshape(5, 2, 3), np.arange(15.0).reshape(5, 3)
    for got, expected in zip(product(change(A), change(b)), product(A, b)):
        np.testing.assert_array_equal(got, expected)


def test_an_empty_batch_gives_empty_results(product):
    Ab, At = product(np.zeros((0, 2, 3)), np.zeros(3))
    assert Ab.shape == (0, 2) and At.shape == (0, 3, 2)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ((np.zeros((2, 3)),), "takes 2 inputs"),
        (
            (np.zeros((3, 3)), np.zeros(3)),
            r"'A' of product must have shape \(2, 3\) or \(N, 2, 3\), not \(3, 3\)",
        ),
        ((np.zeros((4, 2, 3)), np.zeros((5, 3))), "'b' of product has 5 samples, 'A' has 4"),
        ((np.zeros((2, 3)) * 1j, np.zeros(3)), "must hold real numbers, not complex128"),
        ((np.zeros((2, 3)), np.array([None] * 3)), "must hold real numbers, not object"),
        ((np.zeros((2, 3)), ["a", "b", "c"]), "must hold real numbers"),
        ((np.zeros((2, 3)), [[1.0], [1.0, 2.0]]), "not a rectangular array"),
    ],
)
def test_wrong_inputs_are_refused_in_one_sentence(product, inputs, words):
    with pytest.raises(PoinsotError, match=words) as caught:
        product(*inputs)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("engine", ["native", "vm"])
def test_structural_zeros_are_filled_in_and_skipped(engine):
    A = ca.SX.sym("A", ca.Sparsity.lower(3))
    runs = kernel(ca.Function("f", [A], [2 * A, ca.SX(2, 2), ca.SX.zeros(0, 1)]), engine=engine)
    given = np.arange(1.0, 10.0).reshape(3, 3)
    doubled, zeros, nothing = runs(np.stack([given, 10 * given]))
    np.testing.assert_array_equal(doubled[1], 20 * np.tril(given))
    assert not zeros.any() and zeros.shape == (2, 2, 2) and nothing.shape == (2, 0)


def test_results_belong_to_the_caller():
    x = ca.SX.sym("x", 2)
    double = kernel(ca.Function("f", [x], [2 * x]))
    first = double(np.ones(2))[0]
    double(np.zeros(2))
    assert first.tolist() == [2.0, 2.0]


def test_a_function_may_be_repeated():
    x, n = ca.SX.sym("x", 2), ca.SX.sym("n")
    f = ca.Function("f", [x, n], [ca.vertcat(x[1], x[0] + x[1]), n + 1])
    for engine in ("native", "vm"):
        fibonacci, steps = kernel(f, engine=engine, repeat=10)(np.array([0.0, 1.0]), 0.0)
        assert fibonacci.tolist() == [55.0, 89.0] and steps == 10
        batch, _ = kernel(f, engine=engine, repeat=10)(np.tile([0.0, 1.0], (19, 1)), 0.0)
        assert (batch == [55.0, 89.0]).all()
        batch, steps = kernel(f, engine=engine, repeat=10)([0.0, 1.0], np.arange(19.0)[:, None])
        assert (batch == [55.0, 89.0]).all() and (steps[:, 0] == np.arange(19) + 10).all()


def test_odd_numbers_of_lanes_and_repetitions_without_a_match_are_refused():
    x = ca.SX.sym("x", 2)
    with pytest.raises(PoinsotError, match="lanes must be 1, 2, 4, 8 or 16, not 12"):
        kernel(ca.Function("f", [x], [x]), lanes=12)
    with pytest.raises(PoinsotError, match="cannot be repeated"):
        kernel(ca.Function("f", [x], [x[0]]), repeat=2)


def test_mx_functions_are_expanded():
    x = ca.MX.sym("x", 3)
    runs = kernel(ca.Function("f", [x], [ca.norm_2(x)]))
    assert runs.info.tier == "optimised"
    assert runs(np.array([2.0, 3.0, 6.0]))[0] == 7.0


@pytest.mark.parametrize("engine", ["native", "vm"])
def test_inputs_of_a_scan_may_be_shared_by_all_samples(engine):
    x, u, p = ca.SX.sym("x", 2), ca.SX.sym("u", 2), ca.SX.sym("p", 2)
    step = kernel(ca.Function("step", [x, u, p], [p * x + u, x]), lanes=1, engine=engine)
    inputs, shared = np.arange(8.0).reshape(4, 2), np.array([0.5, -2.0])
    after, before = step.scan([np.ones(2)], inputs, shared)
    expected = [np.ones(2)]
    for row in inputs:
        expected.append(shared * expected[-1] + row)
    np.testing.assert_array_equal(after, expected[1:])
    np.testing.assert_array_equal(before, expected[:-1])


@pytest.mark.parametrize("engine", ["native", "vm"])
def test_chains_are_scans_side_by_side(engine):
    x, u, k = ca.SX.sym("x", 2), ca.SX.sym("u"), ca.SX.sym("k")
    after = ca.vertcat(x[1], ca.sin(x[0]) + u * k)
    step = ca.Function("step", [x, u, k], [after, x[0] * u])
    rng = np.random.default_rng(0)
    begin, table, which = rng.normal(size=(11, 2)), rng.normal(size=(7, 3, 1)), np.arange(11) % 3
    many, one = kernel(step, engine=engine), kernel(step, engine=engine, lanes=1)
    many.wait()
    one.wait()
    (ends,), (seen,) = many.chains([begin], table, which, [np.array([0.5])], [0, 4, 7], slice(1, None, 2))
    for b in range(11):
        states, outputs = one.scan([begin[b]], table[:, which[b]], np.array([0.5]))
        np.testing.assert_array_equal(ends[b], np.array([begin[b], states[3], states[6]]))
        np.testing.assert_array_equal(seen[b], outputs[1::2])
