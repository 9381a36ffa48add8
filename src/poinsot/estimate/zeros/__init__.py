"""Zeros of encoders: the constant shifts of recorded coordinates that would explain what a fit leaves.

- shifted_rows: rows of a run along its motion with some coordinates shifted
- shifted_fit: the fit of shifted rows, and how what it leaves hangs on the shifts
- encoder_zeros: which shifts are believed
"""
