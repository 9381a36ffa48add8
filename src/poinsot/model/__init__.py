"""The description of a mechanism, and the files it comes from.

quantities/                numbers with names, units and bounds
schema, entries, sequences the model file as data types; the JSON Schema is made from it
build/                     a checked file becomes a Mechanism
mechanism                  Mechanism: bodies, joints, forces, sensors, parameters; sharing: one unknown or six
parts, record              all its elements, coordinates by joints' names, and laws from outside; a mechanism as text
state                      State: where it is and how it moves
admissible, plausible      values that no body can have, and sizes that none of the machine has
assembly/                  equations at a pose, putting it together, freedoms
check                      what is wrong with it
load, toml, interchange/   library and files; MJCF and URDF; file_kinds: files that are no models
meshes                     files that bodies are drawn with
"""
