"""Spatial mathematics, for numbers and symbols alike: poses, rotation charts, inertia.

algebra    vectors and matrices of numbers (NumPy, batched) or symbols (CasADi SX)
pose       Pose: X_AC = X_AB @ X_BC
rotation   any Euler or Tait–Bryan sequence, quaternions, rates, singular attitudes
orientation   how a frame's attitude is written down in a model
motion     twists and wrenches
inertia    ten inertial parameters, Steiner, Poinsot's matrix, pseudo-inertia
log_cholesky   ten coordinates without constraints for the inertia of any body that can exist
"""
