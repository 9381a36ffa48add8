"""Geometry of a mechanism at a pose.

topology       spanning tree and loops
constraints    the equations of joints at a pose
assembly       poses that close all loops; branches tells one way to close them from another,
               first_guess where bodies are before, along_lines how those along lines are turned,
               open_loops the loop that cannot be closed, contradictions the couplings that cannot be kept,
               staying the coordinates that keep their values
turns          machines in which whole turns count
degrees        plain numbers that may be meant in degrees
end_stops      limits that no pose passes
size           a length that stands for the machine
mobility       freedoms from the rank of the constraints; which combinations of redundant ones to keep
"""
