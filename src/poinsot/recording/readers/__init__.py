"""Readers: one format a file, each gives a table.

table          columns as a file has them
dialect, csv   text tables of any dialect, in blocks
"""
