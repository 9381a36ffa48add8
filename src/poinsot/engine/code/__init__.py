"""From a symbolic function to LLVM IR.

formula                   a function as text with a digest
tape, operations          its instructions
ir, body, library         their code; elementary functions over vectors
batch, packing            a loop over samples, vectors of them
"""

from poinsot.lazy import door

__getattr__ = door(__name__, {"batch": "emit_batch"})
