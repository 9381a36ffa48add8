"""A CasADi function as a kernel over batches: NumPy in, NumPy out, batch axis first."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from ctypes import c_int64, c_void_p
from typing import Any

import numpy as np

from poinsot.engine import code
from poinsot.engine.arguments import Signature, read_arguments
from poinsot.engine.build.build import Build, KernelInfo, start_build
from poinsot.engine.build.native import vector_lanes
from poinsot.engine.build.request import Kind, Request
from poinsot.engine.build.settings import MAX_NATIVE_INSTRUCTIONS, chosen_engine, waits_for_optimised
from poinsot.engine.build.support import llvm_obstacle
from poinsot.engine.call_memory import CallMemory
from poinsot.engine.code.formula import Formula, formula
from poinsot.engine.threads import choose_threads, run_chunks
from poinsot.engine.vm import run_vm
from poinsot.errors import PoinsotError
from poinsot.lazy import casadi

_log = logging.getLogger("poinsot.engine")
BATCH = Kind("batch", lambda **given: code.emit_batch(**given), (c_int64, *[c_void_p] * 5))


def kernel(
    function: casadi.Function | Formula, *, engine: str | None = None, lanes: int | None = None, repeat: int = 1
) -> Kernel:
    """Make a kernel of a function; native code when it can be had, else CasADi's virtual machine.

    `engine`: "auto" (also None, unless POINSOT_ENGINE says otherwise), "native" (or an error), "vm".
    `lanes`: samples in one vector; None takes POINSOT_LANES, else what a register holds; 1 is best for single
    samples.
    `repeat`: apply the function that often, its outputs becoming its inputs.

    >>> import casadi
    >>> x = casadi.SX.sym("x", 2)
    >>> norm = kernel(casadi.Function("norm", [x], [casadi.norm_2(x)]))
    >>> norm([[3.0, 4.0], [6.0, 8.0]])[0]
    array([[ 5.],
           [10.]])
    """
    given = formula(function)
    name = given.signature.name
    if repeat > 1 and not _can_be_repeated(given.function):
        raise PoinsotError(f"{name} cannot be repeated: its outputs are not shaped like its inputs")
    if lanes not in (None, 1, 2, 4, 8, 16):  # other vectors are padded in memory
        raise PoinsotError(f"lanes must be 1, 2, 4, 8 or 16, not {lanes}")
    choice = chosen_engine(engine)
    if choice == "vm":
        return Kernel(given, None, "the VM was asked for", repeat)
    obstacle = given.obstacle or llvm_obstacle()
    if obstacle and choice == "native":
        raise PoinsotError(f"{name} cannot run as native code: {obstacle}")
    if obstacle:
        if given.instructions > MAX_NATIVE_INSTRUCTIONS:
            _log.warning("%s runs on the VM: %s", name, obstacle)
        return Kernel(given, None, obstacle, repeat)
    options = {"lanes": lanes or vector_lanes(), "repeat": repeat}
    build = start_build(Request(BATCH, {"function": given}, options), name, given.instructions)
    if waits_for_optimised():
        build.wait()
    return Kernel(given, build, "", repeat)


def _can_be_repeated(function: casadi.Function) -> bool:
    inputs = [function.sparsity_in(i) for i in range(function.n_in())]
    return inputs == [function.sparsity_out(i) for i in range(function.n_out())]


class Kernel:
    """A function over batches; made by `kernel`."""

    def __init__(self, formula: Formula, build: Build | None, reason: str, repeat: int = 1):
        self.formula = formula
        self.signature: Signature = formula.signature
        self._build = build
        self._repeat = repeat
        self._frames: list[CallMemory] = []  # reused; taking and putting back are atomic
        self._reason = reason

    def __repr__(self) -> str:
        return f"Kernel({self.info})"

    @property
    def function(self) -> casadi.Function:
        """The function that the kernel evaluates."""
        return self.formula.function

    @property
    def info(self) -> KernelInfo:
        """What runs now, and why."""
        if self._build is None:
            return KernelInfo(self.signature.name, "vm", self.formula.instructions, 1, 0.0, False, self._reason)
        return self._build.state.info

    def wait(self, seconds: float | None = None) -> KernelInfo:
        """Wait for the optimised code, at most so many seconds; returns what runs then."""
        if self._build is not None:
            self._build.wait(seconds)
        return self.info

    def __call__(self, *inputs: Any, threads: int | None = None) -> tuple[np.ndarray, ...]:
        """Evaluate. Each input has the function's own shape, (n,) or (r, c), and is shared by all samples, or
        a batch axis in front, (N, n) or (N, r, c). Outputs have a batch axis if any input has one.

        The bits of a sample's results depend on neither the batch it is in nor the number of threads.
        """
        state = self._build.state if self._build is not None else None
        if state is not None and state.code is not None:
            if len(inputs) == len(self.signature.inputs):
                frame = self._frame()
                results = frame.single(state, inputs)
                self._frames.append(frame)
                if results is not None:
                    return results
            return self._batch_native(state, inputs, threads)
        return self._batch_vm(inputs)

    def scan(self, carried: Sequence[np.ndarray], *inputs: np.ndarray) -> tuple[np.ndarray, ...]:
        """Evaluate N samples one after another: the first outputs of one are the first inputs of the next.

        `carried` are the first values of as many inputs; the other `inputs` have a batch axis N, the first of them
        always, or the function's own shape and are shared. Gives all outputs, (N, …). The kernel must have been made
        with `lanes=1`.

        >>> import casadi
        >>> x, u = casadi.SX.sym("x"), casadi.SX.sym("u")
        >>> kernel(casadi.Function("sum", [x, u], [x + u]), lanes=1).scan([np.zeros(1)], np.ones((3, 1)))[0].ravel()
        array([1., 2., 3.])
        """
        n, k = len(inputs[0]), len(carried)
        chains = [np.empty((n + 1, *shape)) for shape in self.signature.outputs[:k]]
        for chain, first in zip(chains, carried):
            chain[0] = np.reshape(first, chain.shape[1:])
        outputs = (*(chain[1:] for chain in chains), *self._outputs(n)[k:])
        shapes = (*([()] * k), *self.signature.inputs[k:])
        arrays = [*chains, *(np.ascontiguousarray(a, float) for a in inputs)]
        shared = [a.shape == shape for a, shape in zip(arrays, shapes)]
        state = self._build.state if self._build is not None else None
        if state is None or state.code is None or state.info.lanes != 1:
            for j in range(n):
                for out, value in zip(outputs, self(*(a if s else a[j] for a, s in zip(arrays, shared)))):
                    out[j] = value
        elif n:
            frame = self._frame()
            strides = [0 if s else a.strides[0] for a, s in zip(arrays, shared)]

            def call(start: int, stop: int) -> None:
                frame.run(state, start, stop, arrays, strides, outputs)

            run_chunks(call, n, 1, 1, float(state.info.instructions * self._repeat))  # one after another
            self._frames.append(frame)
        return outputs

    def chains(
        self,
        carried: Sequence[np.ndarray],
        table: np.ndarray,
        which: np.ndarray,
        shared: Sequence[np.ndarray],
        rows: Sequence[int],
        keep: slice,
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Many scans at once, as many in a vector as it holds: B chains of n samples each.

        `carried` (B, …) are the first values of as many inputs; the next input is, of chain b, `table` (n, S, …) at
        `which[b]` (B,); the others are `shared`. Gives the carried values (B, len(rows), …) before the samples
        `rows` (n: at the end), and the other outputs (B, k, …) of the samples that `keep` takes.

        >>> import casadi
        >>> x, u = casadi.SX.sym("x"), casadi.SX.sym("u")
        >>> add = kernel(casadi.Function("add", [x, u], [x + u]))
        >>> add.chains([np.zeros((2, 1))], np.ones((3, 1, 1)), np.zeros(2, int), [], [3], slice(None))[0][0].ravel()
        array([3., 3.])
        """
        count, n, k = len(which), len(table), len(carried)
        state = self._build.state if self._build is not None else None
        lanes = 1 if state is None or state.code is None else state.info.lanes
        shapes, kept = self.signature.outputs, len(range(n)[keep])
        ends = [np.empty((count, len(rows), *shape)) for shape in shapes[:k]]
        outputs = [np.empty((count, kept, *shape)) for shape in shapes[k:]]

        def call(start: int, stop: int) -> None:
            for first in range(start, stop, lanes):
                last = min(first + lanes, stop)
                chain = np.minimum(np.arange(first, first + lanes), last - 1)
                links = [np.empty((n + 1, lanes, *shape)) for shape in shapes[:k]]
                for link, begin in zip(links, carried):
                    link[0] = begin[chain]
                others = [np.empty((n, lanes, *shape)) for shape in shapes[k:]]
                self._linked(state, links, np.ascontiguousarray(table[:, which[chain]]), shared, others)
                for goal, link in zip(ends, links):
                    goal[first:last] = np.swapaxes(link[list(rows), : last - first], 0, 1)
                for goal, other in zip(outputs, others):
                    goal[first:last] = np.swapaxes(other[keep, : last - first], 0, 1)

        each = float(n * self.info.instructions)
        run_chunks(call, count, lanes, choose_threads(None, count * each), each)
        return ends, outputs

    def _linked(
        self,
        state: Any,
        links: Sequence[np.ndarray],
        given: np.ndarray,
        shared: Sequence[np.ndarray],
        others: Sequence[np.ndarray],
    ) -> None:
        """Fill links (n + 1, lanes, …) from their first row on, and the other outputs (n, lanes, …)."""
        n, lanes = given.shape[:2]
        if state is None or state.code is None:
            for j in range(n):
                found = self(*(link[j] for link in links), given[j], *shared)
                for goal, value in zip((*(link[j + 1] for link in links), *(other[j] for other in others)), found):
                    goal[...] = value
            return
        flat = [a.reshape(-1, *a.shape[2:]) for a in (*links, given)]
        outputs = [a.reshape(-1, *a.shape[2:]) for a in (*(link[1:] for link in links), *others)]
        strides = [*(a.strides[0] for a in flat), *(0 for _ in shared)]
        frame = self._frame()
        frame.run(state, 0, n * lanes, [*flat, *(np.ascontiguousarray(a, float) for a in shared)], strides, outputs)
        self._frames.append(frame)

    def _batch_native(self, state: Any, inputs: tuple[Any, ...], threads: int | None) -> tuple[np.ndarray, ...]:
        arguments = read_arguments(self.signature, inputs)
        count = 1 if arguments.count is None else arguments.count
        outputs = self._outputs(count)
        if count and outputs:
            strides = [a.strides[0] if b else 0 for a, b in zip(arguments.arrays, arguments.batched)]

            def call(start: int, stop: int) -> None:
                frame = self._frame()
                frame.run(state, start, stop, arguments.arrays, strides, outputs)
                self._frames.append(frame)

            each = float(state.info.instructions * self._repeat)
            run_chunks(call, count, state.info.lanes, choose_threads(threads, count * each), each)
        return outputs if arguments.count is not None else tuple(out[0] for out in outputs)

    def _batch_vm(self, inputs: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
        arguments = read_arguments(self.signature, inputs)
        count = 1 if arguments.count is None else arguments.count
        arrays, batched, function = arguments.arrays, arguments.batched, self.function
        for _ in range(self._repeat):
            outputs = self._outputs(count)
            if count and outputs:
                run_vm(function, arrays, batched, outputs)
            arrays, batched = list(outputs), [True] * len(outputs)
        return outputs if arguments.count is not None else tuple(out[0] for out in outputs)

    def _frame(self) -> CallMemory:
        """Take a frame that no other thread is using."""
        try:
            return self._frames.pop()
        except IndexError:
            return CallMemory(self.signature)

    def _outputs(self, count: int) -> tuple[np.ndarray, ...]:
        make = zip(self.signature.outputs, self.signature.full)
        return tuple(np.empty((count, *shape)) if full else np.zeros((count, *shape)) for shape, full in make)
