"""Recordings: what was measured, what is wrong with it, and what a mechanism's sensors would read.

recording, finding   the frozen record of channels over a clock; what is found in it
units                what people write above columns
readers              files of many formats become tables
"""
