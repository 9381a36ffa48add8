"""Readers: one format a file, each gives a table.

registry               which reader reads a file; a new one is one line
table                  columns as a file has them, and what is asked of a reader
foreign                libraries of others: what they print, warn and raise
dialect, csv           text tables of any dialect, in blocks
dataphysics, labview   text with the headers of two programs
arrays                 named arrays become columns over one clock
matlab, hdf5, npz      files of named arrays
parquet                tables by column
uff                    universal files of modal tests
bag, messages          ROS 2 bags and MCAP; fields of their messages
"""
