"""Bootstraps: the same estimate from noise that is drawn again and again, for intervals beside standard errors.

noise      noise of time series with the colour of residuals
forces     estimates from measured forces
searches   estimates by search
draws      all estimates, on threads or a cluster
"""
