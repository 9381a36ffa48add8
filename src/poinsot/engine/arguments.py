"""The arrays that a kernel takes and gives: shapes, types, and which of them have a batch axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.lazy import casadi


@dataclass(frozen=True)
class Signature:
    """Names and shapes of one sample of every input and output; a column counts as a vector."""

    name: str
    input_names: tuple[str, ...]
    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]
    full: tuple[bool, ...]  # an output without structural zeros


@dataclass(frozen=True)
class Arguments:
    """Inputs that native code can read: double precision, one sample contiguous."""

    arrays: list[np.ndarray]
    batched: list[bool]
    count: int | None  # samples; None when every input is shared


def read_signature(function: casadi.Function) -> Signature:
    """Describe the arrays of a function."""

    def shape(size: tuple[int, int]) -> tuple[int, ...]:
        return (size[0],) if size[1] == 1 else tuple(size)

    n_in, n_out = range(function.n_in()), range(function.n_out())
    return Signature(
        function.name(),
        tuple(function.name_in()),
        tuple(shape(function.size_in(i)) for i in n_in),
        tuple(shape(function.size_out(i)) for i in n_out),
        tuple(function.sparsity_out(i).is_dense() for i in n_out),
    )


def read_arguments(signature: Signature, inputs: tuple[Any, ...]) -> Arguments:
    """Check the inputs of a call; arrays are copied only if native code cannot read them as they are."""
    if len(inputs) != len(signature.inputs):
        names = ", ".join(signature.input_names)
        raise PoinsotError(f"{signature.name} takes {len(signature.inputs)} inputs ({names}), not {len(inputs)}")
    arrays, batched, count, owner = [], [], None, ""
    for name, shape, value in zip(signature.input_names, signature.inputs, inputs):
        array = _as_doubles(signature.name, name, value)
        if array.ndim == 0 and shape == (1,):
            array = array.reshape(1)
        has_batch = array.shape != shape
        if has_batch and (array.ndim != len(shape) + 1 or array.shape[1:] != shape):
            wanted = f"{_text(shape)} or {_text(('N', *shape))}"
            raise PoinsotError(
                f"input '{name}' of {signature.name} must have shape {wanted}, not {_text(array.shape)}"
            )
        if has_batch and count is not None and len(array) != count:
            raise PoinsotError(f"input '{name}' of {signature.name} has {len(array)} samples, '{owner}' has {count}")
        if has_batch:
            count, owner = len(array), name
        arrays.append(_contiguous_samples(array, len(shape)))
        batched.append(has_batch)
    return Arguments(arrays, batched, count)


def _as_doubles(function: str, name: str, value: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:
        raise PoinsotError(f"input '{name}' of {function} is not a rectangular array of numbers") from None
    if array.dtype.kind not in "fiub":
        raise PoinsotError(f"input '{name}' of {function} must hold real numbers, not {array.dtype}")
    return np.asarray(array, dtype=np.float64)


def _contiguous_samples(array: np.ndarray, axes: int) -> np.ndarray:
    """Copy an array unless each of its samples lies in one piece, row by row."""
    step = array.itemsize
    for length, stride in zip(reversed(array.shape[array.ndim - axes :]), reversed(array.strides)):
        if length > 1 and stride != step:
            return np.ascontiguousarray(array)
        step *= length
    return array if array.flags.aligned else np.ascontiguousarray(array)


def _text(shape: tuple[Any, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
