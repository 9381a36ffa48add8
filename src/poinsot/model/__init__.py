"""The description of a mechanism, and the files it comes from.

units, expressions, parameters   numbers with names, units and bounds
schema                           the model file as data types; the JSON Schema is made from it
build/                           a checked file becomes a Mechanism
mechanism                        Mechanism: bodies, joints, forces, sensors, parameters
sharing                          one unknown or six
topology                         spanning tree and loops
constraints, assembly, check     equations at a pose, putting it together, what is wrong with it
load, toml                       library and files
"""
