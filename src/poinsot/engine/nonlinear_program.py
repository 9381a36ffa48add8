"""Costs within bounds and constraints by IPOPT, from functions of NumPy arrays.

min f(x) ,   a ≤ x ≤ b ,   c ≤ g(x) ≤ d        f = ½ Σ e(x)² with the Hessian of Gauss and Newton, JᵀJ, or any f
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.engine.interrupts import postponed_interrupts
from poinsot.lazy import casadi

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False, kw_only=True)
class Constrained:
    """n variables within bounds, c constraints."""

    lower: np.ndarray  # (n,)
    upper: np.ndarray  # (n,)
    constraints: Function  # (c,)
    constraint_jacobian: Function  # (c, n)
    least: np.ndarray  # (c,)
    greatest: np.ndarray  # (c,)


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastSquaresProgram(Constrained):
    """m residuals, whose squares are summed."""

    residuals: Function  # (m,), NaN where there are none
    jacobian: Function  # (m, n), an array or a sparse matrix of SciPy
    pattern: tuple[Any, Any] | None = None  # sparse matrices of the shapes of JᵀJ and ∂g/∂x; None: both are dense


@dataclass(frozen=True, eq=False, kw_only=True)
class NonlinearProgram(Constrained):
    """Any cost; IPOPT finds the curvature from gradients."""

    cost: Callable[[np.ndarray], float]
    gradient: Function  # (n,)
    pattern: Any = None  # sparse matrix of the shape of ∂g/∂x; None: it is dense


_ONE = threading.RLock()  # the linear solver of IPOPT, MUMPS, serves one thread at a time
ENDS = {
    "Solve_Succeeded": "",
    "Solved_To_Acceptable_Level": "",
    "Search_Direction_Becomes_Too_Small": "",
    "Infeasible_Problem_Detected": "No values satisfy all constraints and bounds.",
    "Maximum_Iterations_Exceeded": "The interior point did not settle: give it more iterations.",
    "User_Requested_Stop": "Interrupted: these are the best values so far.",
}


def solve_program(
    program: LeastSquaresProgram | NonlinearProgram, start: np.ndarray, iterations: int, tolerance: float
) -> tuple[str, np.ndarray]:
    """Run IPOPT from a start (n,): what is wrong with its end, or nothing, and the variables there (n,)."""
    n, c = len(start), len(program.least)
    x, p = casadi.MX.sym("x", n), casadi.MX.sym("p", 0)
    plain = isinstance(program, NonlinearProgram)
    parts, at = (_CostParts if plain else _ProgramParts)(program), [("x", _dense(n, 1)), ("p", _dense(0, 0))]
    pattern = (None, program.pattern) if plain else program.pattern or (None, None)
    bent, held_bent = (
        whole if one is None else casadi.DM(one).sparsity()
        for one, whole in zip(pattern, (casadi.Sparsity.upper(n), _dense(c, n)))
    )
    cost = parts.function("cost", at, [("f", _dense(1, 1))], parts.cost)
    slope = parts.function("nlp_grad_f", at, [("f", _dense(1, 1)), ("grad_f_x", _dense(n, 1))], parts.slope)
    weights = [("lam_f", _dense(1, 1)), ("lam_g", _dense(c, 1))]
    options: dict[str, Any] = {
        "grad_f": slope,
        "no_nlp_grad": True,
        "show_eval_warnings": False,
        "calc_lam_p": False,
        "print_time": False,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "ipopt.max_iter": iterations,
        "ipopt.tol": tolerance,
    }
    if plain:
        options["ipopt.hessian_approximation"] = "limited-memory"
        options["ipopt.mumps_pivot_order"] = 0  # minimum degree: many rows, each dense in few variables
    else:
        upper = [("triu_hess_gamma_x_x", casadi.triu(bent))]
        options["hess_lag"] = parts.function("nlp_hess_l", [*at, *weights], upper, parts.bend)
    problem = {"x": x, "p": p, "f": cost(x, p)}
    if c:
        held = parts.function("held", at, [("g", _dense(c, 1))], parts.held)
        slopes = [("g", _dense(c, 1)), ("jac_g_x", held_bent)]
        options["jac_g"] = parts.function("nlp_jac_g", at, slopes, parts.held_slope)
        problem["g"] = held(x, p)
    with _ONE:
        solver = casadi.nlpsol("solver", "ipopt", problem, options)
        with postponed_interrupts() as parts.stops:
            found = solver(x0=start, lbx=program.lower, ubx=program.upper, lbg=program.least, ubg=program.greatest)
    if parts.raised is not None:
        raise parts.raised
    status = solver.stats()["return_status"]
    end = np.asarray(found["x"]).ravel()
    return ENDS.get(status, f"The interior point ended with {status.replace('_', ' ').lower()}."), end


def _dense(rows: int, columns: int) -> Any:
    return casadi.Sparsity.dense(rows, columns)


class _ProgramParts:
    """Functions of the program as CasADi calls them; residuals and their derivatives once for each point."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.kept: list[Any] = []  # callbacks, which CasADi does not keep alive
        self.at: np.ndarray | None = None
        self.e, self.J = np.zeros(0), np.zeros((0, 0))
        self.derived = False  # whether J is that of the point
        self.raised: BaseException | None = None  # by a function: CasADi would print it
        self.stops: list[int] = []  # Ctrl-C, which ends the search at its next function

    def function(self, name: str, inputs: list, outputs: list, run: Callable) -> Any:
        """A callback by name, with names and sparsities of what it takes and gives."""
        found = _callback(self, name, inputs, outputs, run)
        self.kept.append(found)
        return found

    def residuals(self, x: Any) -> np.ndarray:
        """(m,) at a point."""
        point = np.asarray(x).ravel()
        if self.at is None or not np.array_equal(point, self.at):
            self.at, self.e, self.derived = point, self.program.residuals(point), False
        return self.e

    def derivative(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (m,) and Jacobian (m, n) at a point."""
        e = self.residuals(x)
        if not self.derived:
            self.J, self.derived = self.program.jacobian(np.asarray(x).ravel()), True
        return e, self.J

    def cost(self, x: Any, p: Any) -> list:
        e = self.residuals(x)
        return [0.5 * float(e @ e)]

    def slope(self, x: Any, p: Any) -> list:
        e, J = self.derivative(x)
        return [0.5 * float(e @ e), J.T @ e]

    def bend(self, x: Any, p: Any, lam_f: Any, lam_g: Any) -> list:
        _, J = self.derivative(x)
        return [float(lam_f) * casadi.triu(casadi.DM(J.T @ J))]

    def held(self, x: Any, p: Any) -> list:
        return [self.program.constraints(np.asarray(x).ravel())]

    def held_slope(self, x: Any, p: Any) -> list:
        point = np.asarray(x).ravel()
        return [self.program.constraints(point), self.program.constraint_jacobian(point)]


class _CostParts(_ProgramParts):
    """The same of a program with any cost."""

    def cost(self, x: Any, p: Any) -> list:
        return [self.program.cost(np.asarray(x).ravel())]

    def slope(self, x: Any, p: Any) -> list:
        point = np.asarray(x).ravel()
        return [self.program.cost(point), self.program.gradient(point)]


def _as_matrix(value: Any, shape: Any, places: tuple[np.ndarray, np.ndarray] | None) -> Any:
    """A value as CasADi's matrix of a shape; `places` are rows and columns of its entries where it has zeros."""
    if places is None or not isinstance(value, np.ndarray):
        return casadi.project(casadi.DM(value), shape)
    return casadi.DM(shape, value[places])


def _callback(parts: _ProgramParts, name: str, inputs: list, outputs: list, run: Callable) -> Any:
    places = [
        None if shape.is_dense() else (np.array(shape.row()), np.array(shape.get_col())) for _, shape in outputs
    ]

    class Called(casadi.Callback):
        """One function of the program."""

        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct(name, {})

        def get_n_in(self) -> int:
            return len(inputs)

        def get_n_out(self) -> int:
            return len(outputs)

        def get_name_in(self, i: int) -> str:
            return inputs[i][0]

        def get_name_out(self, i: int) -> str:
            return outputs[i][0]

        def get_sparsity_in(self, i: int) -> Any:
            return inputs[i][1]

        def get_sparsity_out(self, i: int) -> Any:
            return outputs[i][1]

        def eval(self, arguments: list) -> list:
            try:
                found = [] if parts.raised or parts.stops else run(*arguments)
            except BaseException as error:
                parts.raised = error
            if parts.raised is not None or parts.stops:
                found = [casadi.DM.nan(shape) for _, shape in outputs]
            return [_as_matrix(v, shape, at) for v, (_, shape), at in zip(found, outputs, places)]

    return Called()
