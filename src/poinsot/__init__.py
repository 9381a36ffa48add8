"""Poinsot: mechanisms with closed loops, and their parameters from measurements.

The map, each package standing on those above it:

    errors       one exception base, messages that name the thing and list what exists
    blas         one BLAS thread for small matrices
    store        what is kept on disk between processes
    spatial      poses, rotation charts, inertia and Poinsot's matrix
    elements     one physical law a file: bodies, joints, forces, coordinates, sensors
    model        Mechanism: the frozen description, its named parameters, model files, checks
    engine       a symbolic function becomes native code over batches
    formulations the same mechanism in joint, Euler, rotation-matrix and independent coordinates
    analysis     kinematics, inverse dynamics, simulation, accelerations
    identifiability  regressors, base parameters, what a measurement can determine
    library      mechanisms as model files
    app          the command line; nobody imports it

Public names are loaded when they are first used, so that importing poinsot is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poinsot.analysis.compliance import compliance, stiffness
    from poinsot.analysis.equilibrium import equilibrium, hold
    from poinsot.analysis.forward import State, accelerations
    from poinsot.analysis.inverse_dynamics import inverse_dynamics
    from poinsot.analysis.kinematics import kinematics
    from poinsot.analysis.linearise import linearise
    from poinsot.analysis.maps import compliance_map, frequency_map
    from poinsot.analysis.mode_pairs import mac, pair
    from poinsot.analysis.modes import modes
    from poinsot.analysis.motion import Fourier, Samples
    from poinsot.analysis.response import frf
    from poinsot.analysis.sensitivity import motion_sensitivity, sensitivity
    from poinsot.analysis.simulate import simulate
    from poinsot.analysis.singularity import singularity
    from poinsot.errors import MotionError, PoinsotError
    from poinsot.identifiability.base import base_parameters
    from poinsot.identifiability.determinable import determinable
    from poinsot.identifiability.energy import energy_regressor
    from poinsot.identifiability.regressor import regressor
    from poinsot.model.assembly import assemble
    from poinsot.model.build import build
    from poinsot.model.check import check
    from poinsot.model.interchange import read_urdf, write_mjcf, write_urdf
    from poinsot.model.load import library_names, load
    from poinsot.model.mechanism import Mechanism
    from poinsot.model.toml import dumps, save

__version__ = "0.1.0"

_HOME = {
    "Fourier": "poinsot.analysis.motion",
    "Mechanism": "poinsot.model.mechanism",
    "MotionError": "poinsot.errors",
    "PoinsotError": "poinsot.errors",
    "Samples": "poinsot.analysis.motion",
    "State": "poinsot.analysis.forward",
    "accelerations": "poinsot.analysis.forward",
    "assemble": "poinsot.model.assembly",
    "base_parameters": "poinsot.identifiability.base",
    "build": "poinsot.model.build",
    "check": "poinsot.model.check",
    "compliance": "poinsot.analysis.compliance",
    "compliance_map": "poinsot.analysis.maps",
    "determinable": "poinsot.identifiability.determinable",
    "dumps": "poinsot.model.toml",
    "energy_regressor": "poinsot.identifiability.energy",
    "equilibrium": "poinsot.analysis.equilibrium",
    "frequency_map": "poinsot.analysis.maps",
    "frf": "poinsot.analysis.response",
    "hold": "poinsot.analysis.equilibrium",
    "inverse_dynamics": "poinsot.analysis.inverse_dynamics",
    "kinematics": "poinsot.analysis.kinematics",
    "library_names": "poinsot.model.load",
    "load": "poinsot.model.load",
    "read_urdf": "poinsot.model.interchange",
    "regressor": "poinsot.identifiability.regressor",
    "save": "poinsot.model.toml",
    "linearise": "poinsot.analysis.linearise",
    "mac": "poinsot.analysis.mode_pairs",
    "modes": "poinsot.analysis.modes",
    "motion_sensitivity": "poinsot.analysis.sensitivity",
    "pair": "poinsot.analysis.mode_pairs",
    "sensitivity": "poinsot.analysis.sensitivity",
    "simulate": "poinsot.analysis.simulate",
    "singularity": "poinsot.analysis.singularity",
    "stiffness": "poinsot.analysis.compliance",
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
