"""Mechanisms with beams for tests, and what the theory of beams says about them."""

from __future__ import annotations

import numpy as np

from poinsot.model.mechanism import Mechanism, build

E, G, RHO = 210e9, 81e9, 7850.0
SLENDER = {"area": 1e-4, "Iy": 4e-14, "Iz": 1e-14, "torsion": 1e-14}  # so thin that sections have no rotary inertia


def beam(ends: dict, *, length: float = 1.0, elements: int = 1, section: dict | None = None, **more) -> Mechanism:
    """One straight beam along x with joints at its ends."""
    return build(
        {
            "format": 1,
            "gravity": [0, 0, 0],
            "materials": {"steel": {"E": E, "G": G, "density": RHO}},
            "sections": {"bar": section or SLENDER},
            "bodies": {
                "link": {
                    "frames": {"tip": [length, 0, 0]},
                    "beams": {
                        "web": {
                            "between": ["link", "link.tip"],
                            "material": "steel",
                            "section": "bar",
                            "elements": elements,
                        }
                    },
                }
            },
            "joints": ends,
            **more,
        }
    )


CLAMPED = {"wall": {"type": "fixed", "between": ["ground", "link"]}}


def hinge(name: str, place: str, x: float, axis=(0, 0, 1)) -> dict:
    ground = {"body": "ground", "position": [x, 0, 0]}
    return {name: {"type": "revolute", "between": [ground, place], "axis": list(axis)}}


def bending(root: float, I: float, length: float = 1.0, area: float = 1e-4) -> float:
    """Frequency of an Euler–Bernoulli beam with βl = root  [Hz]."""
    return root**2 * np.sqrt(E * I / (RHO * area * length**4)) / (2 * np.pi)
