"""From LLVM IR to native code, kept between processes.

request                     what is to be compiled, and its key
build                       code from memory, disk or the compiler
native, support             target and compiler; functions that code calls
children                    compilation in other processes
stored_functions            symbolic functions on disk
settings                    environment variables
diagnosis                   what runs and why
"""

from poinsot.lazy import door

__getattr__ = door(__name__, {"children": "start_compilation"})
