"""Geometry of a mechanism at a pose.

topology       spanning tree and loops
constraints    the equations of joints at a pose
assembly       poses that close all loops; branches tells one way to close them from another,
               open_loops the loop that cannot be closed, staying the coordinates that keep their values
turns          machines in which whole turns count
size           a length that stands for the machine
mobility       freedoms from the rank of the constraints; which combinations of redundant ones to keep
"""
