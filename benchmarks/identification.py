"""Identification end to end from measured data, against FIGAROH on what it can do, and what its parts cost.

The TX40: both filter and differentiate recorded positions, write the regressor at all samples, keep fewer rows and
reduce it to base parameters that they estimate with their standard errors. FIGAROH has viscous and Coulomb friction,
drive inertias and offsets of joints, and no motor that turns two joints. The master arm of the da Vinci kit has loops
and tendons, which FIGAROH has not: there Pinocchio writes the regressor of a chain of as many bodies, as often.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pinocchio as pin
from tests.estimate.test_measured_machines import MODELS, dvrk, tx40_recording
from tests.recording.conftest import ROOT

import poinsot
from poinsot.blas import one_blas_thread
from poinsot.estimate.consistency.full import consistent
from poinsot.identifiability.regressor import evaluate_regressor

from .measure import Table, interleave, stopwatch
from .peer_pinocchio import pinocchio_model

GOAL = 1.0  # times as quick as FIGAROH, end to end
CUTOFF = 30.0  # of FIGAROH's filter  [Hz]
KEPT = (10, 5)  # factors by which samples are left out, from 5 kHz to 100 Hz
MOTORS = [f"M{k}" for k in range(1, 7)]
HEADINGS = ("machine", "what", "seconds", "of Poinsot's")


def run() -> Table:
    """Both machines in one run; nothing where the measured data is absent."""
    data = Path(os.environ.get("POINSOT_DATA") or ROOT.parent / "shared" / "data")
    if not data.is_dir():
        return Table("identification: skipped", HEADINGS, (("all", f"no measured data in {data.name}", "", ""),))
    fresh = mock.patch("poinsot.estimate.rows.kept_rows.kept_arrays", lambda key, make: make())  # nothing from disk
    alone = mock.patch.dict(os.environ, {"POINSOT_THREADS": "1"})
    with one_blas_thread(), fresh, alone:
        rows, goals, figures = _tx40(data)
        more, others = _master_arm(data)
    return Table("identification end to end, one thread", HEADINGS, (*rows, *more), goals, figures | others)


def _tx40(data: Path) -> tuple[list[tuple], tuple, dict[str, float]]:
    tx40, rec = poinsot.load(MODELS / "tx40.toml"), tx40_recording(data)
    est = poinsot.identify(tx40, rec)
    states, channels = est.problem.runs[0].motion.states, est.problem.channels
    peer = _Figaroh(pinocchio_model(tx40, drives=False), est)
    calls = {"end to end": lambda: poinsot.identify(tx40, rec)}
    calls["regressor"] = lambda: evaluate_regressor(tx40, states, channels)
    if peer.available:
        assert np.max(peer.whole()) < 1, "FIGAROH does not explain the torques"
        calls |= {"end to end, FIGAROH": peer.whole, "regressor, FIGAROH": peer.regressor}
    calls["regressor, Pinocchio"] = peer.pinocchio
    best = {name: timing.best for name, timing in interleave(calls, repeats=3).items()}
    samples = {"regressor, FIGAROH": len(peer.q), "regressor, Pinocchio": len(peer.q)}
    per = {n: s * len(states.t) / samples.get(n, len(states.t)) for n, s in best.items()}  # on as many samples
    rows = [("TX40", n, s, s / per[n.split(",")[0]]) for n, s in per.items()]
    goals = ()
    if peer.available:
        ratio = per["end to end, FIGAROH"] / per["end to end"]
        goals = ((f"end to end at least as quick as FIGAROH: {ratio:.1f} ×", ratio >= GOAL),)
    return rows, goals, {f"TX40 {name} [s]": s for name, s in per.items()}


def _master_arm(data: Path) -> tuple[list[tuple], dict[str, float]]:
    est = dvrk(data, "mtm", 8.0, 1.8, "weighted")
    problem, states = est.problem, est.problem.runs[0].motion.states
    arm = problem.unknowns.mechanism
    back = np.linalg.pinv(problem.directions)
    d, S = back @ (est.beta - problem.nominal), back @ est.base_covariance @ back.T
    chain, parent = pin.Model(), 0
    for name in arm.bodies:
        parent = chain.addJoint(parent, pin.JointModelRZ(), pin.SE3.Random(), name)
        chain.appendBodyToJoint(parent, pin.Inertia.Random(), pin.SE3.Identity())
    held, q = chain.createData(), np.zeros(chain.nv)

    def pinocchio() -> None:
        for _ in states.t:
            pin.computeJointTorqueRegressor(chain, held, q, q, q)

    calls = {
        "end to end": lambda: dvrk(data, "mtm", 8.0, 1.8, "consistent"),
        "regressor": lambda: evaluate_regressor(arm, states, problem.channels),
        "regressor, Pinocchio, a chain of as many bodies": pinocchio,
        "semidefinite program": lambda: consistent(problem, d, S),
    }
    best = {name: stopwatch(call) for name, call in calls.items()}
    rows = [("MTM", name, s, s / best.get(name.split(",")[0], s)) for name, s in best.items()]
    return rows, {f"MTM {name} [s]": s for name, s in best.items()}


class _Figaroh:
    """The TX40 as FIGAROH has it: a tree, joint torques, friction, drive inertias and offsets of joints."""

    def __init__(self, tree, est):
        try:
            from figaroh.tools import regressor

            self.tools, self.available = regressor, True
        except ImportError:
            self.tools, self.available = None, False
        self.model, run = tree.model, est.problem.runs[0]
        self.robot = SimpleNamespace(model=tree.model, data=tree.model.createData())
        rec = run.recording
        self.step = float(np.median(np.diff(rec.t)))
        self.positions, self.torque = (rec.table([letter + name[1:] for name in MOTORS]) for letter in "EM")
        self.positions[:, 5] -= self.positions[:, 4]  # motor 6 turns with q5 + q6
        self.torque[:, 4] += self.torque[:, 5]
        self.q, self.v, self.a = self.motion() if self.available else (self.positions, *2 * [0 * self.positions])

    def motion(self):
        """Filtered and differentiated; its cut-off is that of a quarter of the frequency that it is given."""
        from figaroh.identification import identification_tools as tools

        config = {"ts": self.step, "cut_off_frequency_butterworth": 4 * CUTOFF}
        smooth = tools.low_pass_filter_data(self.positions, config)
        return tools.calculate_first_second_order_differentiation(self.model, smooth, config)

    def regressor(self) -> np.ndarray:
        """W (6 n, 84): all rows of joint 1, then of joint 2, …"""
        config = self.tools.RegressorConfig(True, True, True)
        builder = self.tools.RegressorBuilder(self.robot, config)
        return builder.build_basic_regressor(self.q, self.v, self.a, {"act_idxv": range(6)})

    def pinocchio(self) -> None:
        """The same without friction and drives."""
        for q, v, a in zip(self.q, self.v, self.a):
            pin.computeJointTorqueRegressor(self.model, self.robot.data, q, v, a)

    def whole(self) -> np.ndarray:
        """Residuals (6,) over the deviation of each joint's torque."""
        from figaroh.identification.identification_tools import low_pass_filter_data, relative_stdev
        from figaroh.tools.qrdecomposition import QRDecomposer
        from scipy.signal import decimate

        self.q, self.v, self.a = self.motion()
        W, n = self.regressor(), len(self.q)
        config = {"ts": self.step, "cut_off_frequency_butterworth": 4 * CUTOFF}
        tau = low_pass_filter_data(self.torque, config)[:n]
        names = {f"p{k}": 0.0 for k in range(W.shape[1])}
        left_out, kept = self.tools.get_index_eliminate(W, names)
        W = self.tools.build_regressor_reduced(W, left_out).reshape(6, n, -1)
        tau = tau.T
        for factor in KEPT:
            W, tau = (decimate(x, factor, axis=1, zero_phase=True) for x in (W, tau))
        base, _, _, phi = QRDecomposer().double_decomposition(tau.ravel(), W.reshape(-1, W.shape[2]), kept)[:4]
        relative_stdev(base, phi, tau.ravel())
        error = tau - (base @ phi).reshape(6, -1)
        return np.std(error, axis=1) / np.std(tau, axis=1)
