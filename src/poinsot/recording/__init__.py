"""Recordings: what was measured, what is wrong with it, and what a mechanism's sensors would read.

read                 a file becomes a recording
recording, finding   the frozen record of channels over a clock; what is found in it
text, readers        text in blocks of whole lines; files of many formats become tables
units, columns       what people write above columns; columns become channels, couplings of motors and joints
clock, join          times of the samples; several recordings on one clock
place                which part of a mechanism a channel measures
findings             what is wrong with a recording
filtering            filters, derivatives with errors, other rates
independent          coordinates that prescribe a motion
motion, motion_file  recorded positions become a motion of a mechanism; tables of positions that are one
fusion               inertial units, encoders and loops become one motion
modal                modal tests: responses, poles, shapes, their errors
sense                what sensors can read at a state, as symbols
readings, measure    what perfect sensors would read; simulated recordings
"""
