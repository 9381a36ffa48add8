"""Initial value problems in batch.

integrator                          the question and its result
integrator_code, layout             its native loop, and what lies where in its memory
dop853, controller, dense_code      Dormand–Prince 8(5,3), its steps, its output between them
rk4_code                            Runge–Kutta of fixed step
cvodes                              stiff problems
numpy_loop                          the same loop in NumPy: fallback and oracle
"""

from poinsot.lazy import door

__getattr__ = door(__name__, {"integrator_code": "emit_integrator", "numpy_loop": "numpy_integration"})
