"""Stiff initial value problems: CVODES of SUNDIALS, which comes with CasADi."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poinsot.engine.code.formula import Formula
from poinsot.engine.interrupts import noted_interrupts
from poinsot.lazy import casadi

_QUIET = {"disable_internal_warnings": True, "show_eval_warnings": False}  # whoever asks tells how it ended


class Cvodes:
    """ẏ = f(t, y, p) for n states; those `beside` are integrals that no other depends on: they decide no steps."""

    def __init__(
        self,
        rhs: Formula,
        beside: Sequence[int],
        *,
        rtol: float,
        atol: float,
        max_steps: int,
        max_step: float = np.inf,
    ):
        f = rhs.function
        time, y, p = (casadi.SX.sym(name, f.numel_in(i)) for i, name in enumerate("typ"))
        self._own = np.ones(y.numel(), bool)
        self._own[list(beside)] = False
        rates, own = f(time, y, p), np.flatnonzero(self._own).tolist()
        self._problem = {"t": time, "x": y[own], "p": p, "ode": rates[own], "quad": rates[list(beside)]}
        longest = 0.0 if max_step == np.inf else max_step  # 0: no limit
        self._options = {
            "reltol": rtol,
            "abstol": atol,
            "max_num_steps": max_steps,
            "max_step_size": longest,
            **_QUIET,
        }

    def __call__(self, begin: float, end: float, y: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, int] | None:
        """The state (n,) at the end from that at the beginning, and the steps taken; None where there is none."""
        solver = casadi.integrator("implicit", "cvodes", self._problem, begin, end, self._options)
        with noted_interrupts() as interrupts:
            try:
                found = solver(x0=y[self._own], p=p)
            except RuntimeError:
                if interrupts:
                    raise KeyboardInterrupt from None
                return None
        after = y.copy()
        after[self._own] = np.asarray(found["xf"]).ravel()
        after[~self._own] += np.asarray(found["qf"]).ravel()
        return after, solver.stats()["nsteps"]
