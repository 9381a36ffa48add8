"""A CasADi function as a kernel over batches: NumPy in, NumPy out, batch axis first."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PoinsotError
from .arguments import Signature, read_arguments, read_signature
from .build import Build, KernelInfo, start_build
from .frame import Frame
from .native import host_target
from .request import Request
from .settings import MAX_NATIVE_INSTRUCTIONS, chosen_engine, waits_for_optimised
from .support import native_obstacle
from .threads import choose_threads, run_chunks
from .vm import run_vm

if TYPE_CHECKING:
    import casadi

__all__ = ["Kernel", "kernel"]

_log = logging.getLogger("poinsot.engine")


def kernel(
    function: casadi.Function, *, engine: str | None = None, lanes: int | None = None, repeat: int = 1
) -> Kernel:
    """Make a kernel of a function; native code when it can be had, else CasADi's virtual machine.

    `engine`: "auto" (also None, unless POINSOT_ENGINE says otherwise), "native" (or an error), "vm".
    `lanes`: samples in one vector; None takes the width of the processor, 1 is best for single samples.
    `repeat`: apply the function that often, its outputs becoming its inputs.

    >>> import casadi
    >>> x = casadi.SX.sym("x", 2)
    >>> norm = kernel(casadi.Function("norm", [x], [casadi.norm_2(x)]))
    >>> norm([[3.0, 4.0], [6.0, 8.0]])[0]
    array([[ 5.],
           [10.]])
    """
    if repeat > 1 and [function.sparsity_in(i) for i in range(function.n_in())] != [
        function.sparsity_out(i) for i in range(function.n_out())
    ]:
        raise PoinsotError(f"{function.name()} cannot be repeated: its outputs are not shaped like its inputs")
    if lanes not in (None, 1, 2, 4, 8, 16):  # other vectors are padded in memory
        raise PoinsotError(f"lanes must be 1, 2, 4, 8 or 16, not {lanes}")
    choice = chosen_engine(engine)
    if choice == "vm":
        return Kernel(function, None, "the VM was asked for", repeat)
    symbolic, obstacle = native_obstacle(function)
    if obstacle and choice == "native":
        raise PoinsotError(f"{function.name()} cannot run as native code: {obstacle}")
    if obstacle:
        if symbolic.n_instructions() > MAX_NATIVE_INSTRUCTIONS:
            _log.warning("%s runs on the VM: %s", function.name(), obstacle)
        return Kernel(function, None, obstacle, repeat)
    options = {"lanes": lanes or host_target().lanes, "repeat": repeat}
    request = Request("batch", {"function": symbolic.serialize()}, options)
    build = start_build(request, function.name(), symbolic.n_instructions())
    if waits_for_optimised():
        build.wait()
    return Kernel(function, build, "", repeat)


class Kernel:
    """A function over batches; made by `kernel`."""

    def __init__(self, function: casadi.Function, build: Build | None, reason: str, repeat: int = 1):
        self.function = function
        self.signature: Signature = read_signature(function)
        self._build = build
        self._repeat = repeat
        self._frames: list[Frame] = []  # reused; taking and putting back are atomic
        size = function.n_instructions() if function.is_a("SXFunction") else 0
        self._vm_info = KernelInfo(function.name(), "vm", size, 1, 0.0, False, reason)

    def __repr__(self) -> str:
        return f"Kernel({self.info})"

    @property
    def info(self) -> KernelInfo:
        """What runs now, and why."""
        return self._vm_info if self._build is None else self._build.state.info

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

            workers = choose_threads(threads, float(count) * state.info.instructions * self._repeat)
            run_chunks(call, count, state.info.lanes, workers)
        return outputs if arguments.count is not None else tuple(out[0] for out in outputs)

    def _batch_vm(self, inputs: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
        arguments = read_arguments(self.signature, inputs)
        count = 1 if arguments.count is None else arguments.count
        arrays, batched = arguments.arrays, arguments.batched
        for _ in range(self._repeat):
            outputs = self._outputs(count)
            if count and outputs:
                run_vm(self.function, arrays, batched, outputs)
            arrays, batched = list(outputs), [True] * len(outputs)
        return outputs if arguments.count is not None else tuple(out[0] for out in outputs)

    def _frame(self) -> Frame:
        """Take a frame that no other thread is using."""
        try:
            return self._frames.pop()
        except IndexError:
            return Frame(self.signature)

    def _outputs(self, count: int) -> tuple[np.ndarray, ...]:
        make = zip(self.signature.outputs, self.signature.full)
        return tuple(np.empty((count, *shape)) if full else np.zeros((count, *shape)) for shape, full in make)
