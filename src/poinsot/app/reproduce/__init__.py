"""The five papers on which Poinsot stands, number by number: as published, as it comes out here, and a verdict.

rows         a published number beside ours, and what to say of it
stewart      a Stewart platform as a constrained multibody system, identified by search
frequencies  joint stiffness from natural frequencies
hexapod      direct dynamics with full rotation matrices
four_bar     base inertial parameters in symbols
navaro       elastodynamics of a parallel robot
figures      the papers' figures, from our results
command      `poinsot reproduce`
"""
