"""The memory of one native call: pointers, strides, workspace, and room for a single sample."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import addressof, c_char, c_int64, c_void_p
from typing import Any

import numpy as np

from poinsot.engine.arguments import Signature

_ALIGNMENT = 64  # bytes: a cache line
_DOUBLE = np.dtype(np.float64)


def address(array: np.ndarray) -> int:
    """Where an array begins in memory; NumPy's own `ctypes.data` takes three times as long."""
    try:
        # NumPy's stubs say from Python 3.12 on only that an array is a buffer.
        return addressof(c_char.from_buffer(array))  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError, BufferError):  # empty, in pieces, or not to be written
        return array.ctypes.data


class CallMemory:
    """Memory that one thread uses during one call, kept for the next.

    A single sample is copied into arrays whose addresses are known already: asking NumPy for an address takes
    longer than copying a few dozen numbers.
    """

    def __init__(self, signature: Signature):
        self.inputs = [np.zeros(shape) for shape in signature.inputs]
        self.outputs = [np.zeros(shape) for shape in signature.outputs]
        self.table, self.addresses = self._table(self.inputs, self.outputs, [0] * len(self.inputs))
        self.shapes = signature.inputs
        self.bound: Any = None  # the state that `single_call` was made for
        self.single_call: tuple[Any, ...] = ()
        self.workspace = np.empty(0)
        self.work_address = 0

    @staticmethod
    def _table(inputs: Sequence[Any], outputs: Sequence[Any], strides: list[int]) -> tuple[Any, tuple[int, ...]]:
        """Lay pointers and strides out as native code wants them; give the array and four addresses."""
        columns = [
            [address(a) for a in inputs],
            strides,
            [address(a) for a in outputs],
            [a.strides[0] if a.ndim else 0 for a in outputs],
        ]
        table = np.array([value for column in columns for value in column] or [0], dtype=np.int64)
        place, addresses = address(table), []
        for column in columns:
            addresses.append(place)
            place += 8 * len(column)
        return table, tuple(addresses)

    def work(self, doubles: int) -> int:
        """Give the address of a workspace of that size."""
        if self.workspace.size < doubles + _ALIGNMENT // 8:
            self.workspace = np.empty(doubles + _ALIGNMENT // 8)
            address = self.workspace.ctypes.data
            self.work_address = -(-address // _ALIGNMENT) * _ALIGNMENT
            self.bound = None
        return self.work_address

    def single(self, state: Any, inputs: Sequence[Any]) -> tuple[np.ndarray, ...] | None:
        """Evaluate one sample; None unless every input is an array of doubles with the function's shape."""
        for buffer, shape, value in zip(self.inputs, self.shapes, inputs):
            if type(value) is not np.ndarray or value.shape != shape or value.dtype is not _DOUBLE:
                return None
            buffer[...] = value
        if state is not self.bound:
            pointers = (*self.addresses, self.work(state.workspace))
            self.bound, self.single_call = state, (c_int64(1), *map(c_void_p, pointers))
        state.code.entry(*self.single_call)
        return tuple([out.copy() for out in self.outputs])

    def run(
        self,
        state: Any,
        start: int,
        stop: int,
        inputs: Sequence[np.ndarray],
        strides: list[int],
        outputs: Sequence[np.ndarray],
    ) -> None:
        """Evaluate samples start … stop − 1 of a batch."""
        sources = [a[start:] if stride else a for a, stride in zip(inputs, strides)]
        table, addresses = self._table(sources, [out[start:] for out in outputs], strides)
        pointers, steps, results, result_steps = addresses
        state.code.entry(stop - start, pointers, steps, results, result_steps, self.work(state.workspace))
        del table  # it had to live until here
