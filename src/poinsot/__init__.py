"""Poinsot: mechanisms with closed loops, and their parameters from measurements.

The map, each package standing on those above it:

    errors       one exception base, messages that name the thing and list what exists
    spatial      poses, rotation charts, inertia and Poinsot's matrix
    elements     one physical law a file: bodies, joints, forces, sensors
    model        Mechanism: the frozen description, its named parameters, model files
    engine       a symbolic function becomes native code over batches
    library      mechanisms as model files
    app          the command line
"""

__version__ = "0.1.0"
