"""Poinsot: mechanisms with closed loops, and their parameters from measurements.

The map, each package standing on those above it:

    errors       one exception base, messages that name the thing and list what exists
    lazy         CasADi, loaded at its first use
    blas         one BLAS thread for small matrices
    store        what is kept on disk between processes
    spatial      poses, rotation charts, inertia and Poinsot's matrix
    elements     one physical law a file: bodies, joints, forces, coordinates, sensors
    model        Mechanism: the frozen description, its named parameters, model files, checks
    engine       a symbolic function becomes native code over batches
    formulations the same mechanism in joint, Euler, rotation-matrix and independent coordinates
    system       a mechanism in one formulation, with the functions that the questions share
    motion       kinematics, inverse dynamics, accelerations, reactions, singularities
    simulation   motion under given forces
    statics      equilibrium, forces that hold a pose
    vibration    linear model, modes, responses, maps
    identifiability  regressors, base parameters, what a measurement can determine
    library      mechanisms as model files
    app          the command line; nobody imports it

Public names are loaded when they are first used, so that importing poinsot is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poinsot.errors import MotionError, PoinsotError
    from poinsot.identifiability.base_parameters import base_parameters
    from poinsot.identifiability.determinable import determinable
    from poinsot.identifiability.energy import energy_regressor
    from poinsot.identifiability.regressor import regressor
    from poinsot.model.assembly.assembly import assemble
    from poinsot.model.check import check
    from poinsot.model.interchange import read_mjcf, read_urdf, write_mjcf, write_urdf
    from poinsot.model.load import library_names, load
    from poinsot.model.mechanism import Mechanism, build
    from poinsot.model.toml import dumps, loads, save
    from poinsot.motion.accelerations import State, accelerations
    from poinsot.motion.inverse_dynamics import inverse_dynamics
    from poinsot.motion.kinematics import kinematics
    from poinsot.motion.signals import Fourier, Samples
    from poinsot.motion.singularity import singularity
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

_HOME = {
    "Fourier": "poinsot.motion.signals",
    "Mechanism": "poinsot.model.mechanism",
    "MotionError": "poinsot.errors",
    "PoinsotError": "poinsot.errors",
    "Samples": "poinsot.motion.signals",
    "State": "poinsot.motion.accelerations",
    "accelerations": "poinsot.motion.accelerations",
    "assemble": "poinsot.model.assembly.assembly",
    "base_parameters": "poinsot.identifiability.base_parameters",
    "build": "poinsot.model.mechanism",
    "check": "poinsot.model.check",
    "compliance": "poinsot.vibration.compliance",
    "compliance_map": "poinsot.vibration.maps",
    "determinable": "poinsot.identifiability.determinable",
    "dumps": "poinsot.model.toml",
    "energy_regressor": "poinsot.identifiability.energy",
    "equilibrium": "poinsot.statics.equilibrium",
    "frequency_map": "poinsot.vibration.maps",
    "frf": "poinsot.vibration.response",
    "hold": "poinsot.statics.hold",
    "inverse_dynamics": "poinsot.motion.inverse_dynamics",
    "kinematics": "poinsot.motion.kinematics",
    "library_names": "poinsot.model.load",
    "load": "poinsot.model.load",
    "loads": "poinsot.model.toml",
    "read_mjcf": "poinsot.model.interchange",
    "read_urdf": "poinsot.model.interchange",
    "regressor": "poinsot.identifiability.regressor",
    "save": "poinsot.model.toml",
    "linearise": "poinsot.vibration.linearise",
    "mac": "poinsot.vibration.mode_pairs",
    "modes": "poinsot.vibration.modes",
    "motion_sensitivity": "poinsot.simulation.sensitivity",
    "pair": "poinsot.vibration.mode_pairs",
    "sensitivity": "poinsot.simulation.sensitivity",
    "simulate": "poinsot.simulation.simulate",
    "singularity": "poinsot.motion.singularity",
    "stiffness": "poinsot.vibration.compliance",
    "write_mjcf": "poinsot.model.interchange",
    "write_urdf": "poinsot.model.interchange",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'poinsot' has no attribute '{name}'; it has: {', '.join(__all__)}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
