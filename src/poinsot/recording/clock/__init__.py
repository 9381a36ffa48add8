"""Clock: times of the samples.

times     from a column, a rate or nothing, strictly increasing, and what was wrong with them
rate      samples per second of stamps that may be rounded
stamps    two columns that are one time: seconds and their parts
"""
