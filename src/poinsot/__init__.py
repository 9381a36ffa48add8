"""Poinsot: mechanisms with closed loops, and their parameters from measurements.

The map, each package standing on those above it:

    errors       one exception base, messages that name the thing and list what exists
    lazy         CasADi, loaded at its first use
    blas         one BLAS thread for small matrices
    store        what is kept on disk between processes
    results      records that become JSON, tables and plots
    spatial      poses, rotation charts, inertia and Poinsot's matrix
    elements     one physical law a file: bodies, joints, forces, coordinates, sensors
    model        Mechanism: the frozen description, its named parameters, model files, checks
    engine       a symbolic function becomes native code over batches
    parallel     work in parts, on threads or a cluster
    formulations the same mechanism in joint, Euler, rotation-matrix and independent coordinates
    system       a mechanism in one formulation, with the functions that the questions share
    motion       kinematics, inverse dynamics, accelerations, reactions, singularities
    simulation   motion under given forces
    statics      equilibrium, forces that hold a pose
    vibration    linear model, modes, responses, maps
    identifiability  regressors, base parameters, what a measurement can determine
    recording    recordings: readers, findings, filters, simulated sensors, fusion, modal tests
    estimate     parameters from recordings, with error bars and a verdict
    experiment   designs of experiments: where to measure and how to move
    library      mechanisms as model files
    app          the command line; nobody imports it

Public names are loaded when they are first used, so that importing poinsot is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poinsot.lazy import door, provide

if TYPE_CHECKING:
    from poinsot.errors import MotionError, PoinsotError
    from poinsot.estimate.compare import compare
    from poinsot.estimate.identify import identify
    from poinsot.estimate.modal_run import ModalRun
    from poinsot.estimate.results.estimate import Estimate
    from poinsot.estimate.study import Processing, Run, Study, Unknown
    from poinsot.experiment.design import design
    from poinsot.experiment.record import Design
    from poinsot.experiment.study import DesignStudy
    from poinsot.identifiability.base_parameters import base_parameters
    from poinsot.identifiability.determinable import determinable
    from poinsot.identifiability.energy import energy_regressor
    from poinsot.identifiability.regressor import regressor
    from poinsot.model.assembly.assembly import assemble
    from poinsot.model.check import check
    from poinsot.model.interchange import read_mjcf, read_urdf, write_mjcf, write_urdf
    from poinsot.model.load import library_names, load
    from poinsot.model.mechanism import Mechanism, build
    from poinsot.model.state import State
    from poinsot.model.toml import dumps, loads, save
    from poinsot.motion.accelerations import accelerations
    from poinsot.motion.inverse_dynamics import inverse_dynamics
    from poinsot.motion.kinematics import kinematics
    from poinsot.motion.signals import Fourier, Samples
    from poinsot.motion.singularity import singularity
    from poinsot.recording.fusion.allan import allan
    from poinsot.recording.fusion.force_filter import filter_forces
    from poinsot.recording.fusion.fuse import fuse
    from poinsot.recording.measure import measure
    from poinsot.recording.modal.estimate import frequency_response
    from poinsot.recording.modal.modal_test import modal_test
    from poinsot.recording.modal.record import ModalTest
    from poinsot.recording.modal.response import FrequencyResponse
    from poinsot.recording.read import read
    from poinsot.recording.recording import Recording
    from poinsot.simulation.sensitivity import motion_sensitivity, sensitivity
    from poinsot.simulation.simulate import simulate
    from poinsot.statics.equilibrium import equilibrium
    from poinsot.statics.hold import hold
    from poinsot.vibration.compliance import compliance, stiffness
    from poinsot.vibration.linearise import linearise
    from poinsot.vibration.maps import compliance_map, frequency_map
    from poinsot.vibration.mode_pairs import mac, pair
    from poinsot.vibration.modes import modes
    from poinsot.vibration.response import frf

__version__ = "0.1.0"

_OFFERED = {
    "experiment.design": "design",
    "experiment.record": "Design",
    "experiment.study": "DesignStudy",
    "errors": "MotionError PoinsotError",
    "estimate.compare": "compare",
    "estimate.identify": "identify",
    "estimate.modal_run": "ModalRun",
    "estimate.results.estimate": "Estimate",
    "estimate.study": "Processing Run Study Unknown",
    "identifiability.base_parameters": "base_parameters",
    "identifiability.determinable": "determinable",
    "identifiability.energy": "energy_regressor",
    "identifiability.regressor": "regressor",
    "model.assembly.assembly": "assemble",
    "model.check": "check",
    "model.interchange": "read_mjcf read_urdf write_mjcf write_urdf",
    "model.load": "library_names load",
    "model.mechanism": "Mechanism build",
    "model.state": "State",
    "model.toml": "dumps loads save",
    "motion.accelerations": "accelerations",
    "motion.inverse_dynamics": "inverse_dynamics",
    "motion.kinematics": "kinematics",
    "motion.signals": "Fourier Samples",
    "motion.singularity": "singularity",
    "recording.fusion.allan": "allan",
    "recording.fusion.force_filter": "filter_forces",
    "recording.fusion.fuse": "fuse",
    "recording.measure": "measure",
    "recording.modal.estimate": "frequency_response",
    "recording.modal.modal_test": "modal_test",
    "recording.modal.record": "ModalTest",
    "recording.modal.response": "FrequencyResponse",
    "recording.read": "read",
    "recording.recording": "Recording",
    "simulation.sensitivity": "motion_sensitivity sensitivity",
    "simulation.simulate": "simulate",
    "statics.equilibrium": "equilibrium",
    "statics.hold": "hold",
    "vibration.compliance": "compliance stiffness",
    "vibration.linearise": "linearise",
    "vibration.maps": "compliance_map frequency_map",
    "vibration.mode_pairs": "mac pair",
    "vibration.modes": "modes",
    "vibration.response": "frf",
}

__all__ = ["__version__", *" ".join(_OFFERED.values()).split()]

__getattr__ = door(__name__, _OFFERED)
provide("path of a motion", "poinsot.motion.kinematics:solve_path")
provide("quick path of a motion", "poinsot.recording.findings.plain_path:plain_path")
provide("motion from a table", "poinsot.recording.motion_file:motion_table")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
