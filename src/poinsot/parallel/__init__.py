"""Work in parts: on threads or on a Dask cluster, with the same numbers; what is done is kept on disk.

chunks    parts with random numbers of their own, in their order
cluster   the same parts on a Dask cluster
content   what parts depend on, as text
remade    what cannot be sent, and is made again where a part is done
"""
