"""The CasADi virtual machine over a batch: the oracle of native code, and what runs where there is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.engine.code.tape import dense_offsets
from poinsot.lazy import casadi


def run_vm(
    function: casadi.Function, inputs: Sequence[np.ndarray], batched: Sequence[bool], outputs: Sequence[np.ndarray]
) -> None:
    """Evaluate a function sample by sample into the outputs (N, …); only inputs marked so have N samples."""
    buffer, evaluate = function.buffer()
    sources, targets = [], []
    alive = []  # CasADi keeps addresses only
    # CasADi's stubs ask for a size that a memoryview brings along.
    for i, values in enumerate(inputs):
        places = np.array(dense_offsets(function.sparsity_in(i)), dtype=int)
        nonzeros = np.zeros(max(1, places.size))
        buffer.set_arg(i, nonzeros.data)  # pyright: ignore[reportCallIssue]
        alive.append(nonzeros)
        flat = values.reshape(len(values), -1) if batched[i] else values.reshape(-1)
        if batched[i]:
            sources.append((nonzeros[: places.size], flat, places))
        else:
            nonzeros[: places.size] = flat[places]
    for i, values in enumerate(outputs):
        places = np.array(dense_offsets(function.sparsity_out(i)), dtype=int)
        nonzeros = np.zeros(max(1, places.size))
        buffer.set_res(i, nonzeros.data)  # pyright: ignore[reportCallIssue]
        targets.append((nonzeros[: places.size], values.reshape(len(values), -1), places))
    count = len(outputs[0]) if outputs else 0
    for sample in range(count):
        for nonzeros, flat, places in sources:
            nonzeros[:] = flat[sample, places]
        evaluate()
        for nonzeros, flat, places in targets:
            flat[sample, places] = nonzeros
