"""Mechanisms as model files: examples of the format, and machines to begin with."""
