"""Random motions about the pose of a model file, and what inverse dynamics says of them."""

from __future__ import annotations

import numpy as np

import poinsot


def random_motion(mechanism, seed=0, reach=0.06):
    """Two harmonics on every coordinate of the pose, within a few centimetres or degrees."""
    rng = np.random.default_rng(seed)
    return {
        name: poinsot.Fourier(
            3.0, tuple(reach * rng.uniform(-0.5, 0.5, 2)), tuple(reach * rng.uniform(-0.5, 0.5, 2)), float(s)
        )
        for name, s in mechanism.elements.pose.items()
    }
