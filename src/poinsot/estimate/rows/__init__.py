"""Runs as rows: measured channels along a recorded motion as a linear function of parameters.

motion               the motion that a run went through: encoders, or fused with an inertial unit
runs                 runs as rows: measured channels as a linear function of parameters
kept_rows            the same, kept on disk by content: interrupted work goes on from them
reversals            columns near reversals of dry friction, as means over what was recorded around
drive_rates          rates of the coordinates that drives move, and of those with dry friction
loads                load friction as an unknown
channel_terms        offset, gain and delay of measuring chains as unknowns
chain_units          units of what these add to a channel
differences          two runs of one motion as their difference
rest                 runs in which nothing moves
held                 forces that sampled drives hold, where they act in the mean
"""
