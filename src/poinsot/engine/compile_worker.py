"""The child process that compiles: a request on standard input, checked object code on standard output.

    python -m poinsot.engine.compile_worker < request > code

The code also goes into the cache, so that it is not lost if the parent ends first. Whatever LLVM does with a
large function happens here, not in the user's process.
"""

from __future__ import annotations

import os
import sys
import time

from poinsot.engine.build.native import OPTIMISED, compile_object
from poinsot.engine.build.request import emit_program, read_request
from poinsot.engine.build.settings import CHILD_SECONDS
from poinsot.engine.integration.integrator import INTEGRATOR
from poinsot.engine.kernels import BATCH
from poinsot.store import pack_entry, write_entry


def main() -> None:
    """Compile one request, keep the code, and send it."""
    _limit()
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may write into the answer
    start = time.perf_counter()
    request, key = read_request(sys.stdin.buffer.read(), (BATCH, INTEGRATOR))
    program = emit_program(request)
    code = compile_object(program.text, level=OPTIMISED)
    metadata = program.metadata | {"seconds": time.perf_counter() - start}
    write_entry(key, metadata, code)
    try:
        with output:
            output.write(pack_entry(metadata, code, key))
    except BrokenPipeError:
        os._exit(0)  # the parent has ended; the next one finds the code in the cache


def _limit() -> None:
    """End by itself should the parent be gone."""
    try:
        import resource

        seconds = int(CHILD_SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    except (ImportError, ValueError, OSError):
        return  # not a POSIX system: the parent's own clock remains


if __name__ == "__main__":
    main()
