"""Other programs' model files: MJCF (MuJoCo) and URDF with a loop sidecar, in and out.

xml, names, notes            files of unknown origin; names made safe; what could not be carried over
motions, tree                a mechanism as a tree of hinges, slides and balls, with its loops cut open
summed_forces                what acts along each coordinate, added up
auxiliary_links, cut_bodies  links and bodies that other programs need and a mechanism does not
recognise                    hinges, slides and balls in a row, recognised as one joint
urdf/, mjcf/                 the two formats, in and out

Readers make the same document that a TOML file holds and build it, so that every check is the same.
"""

from poinsot.lazy import door

__all__ = ["Conversion", "read_mjcf", "read_urdf", "write_mjcf", "write_urdf"]

__getattr__ = door(
    __name__,
    {
        "Conversion": "notes",
        "read_mjcf": "mjcf.read",
        "read_urdf": "urdf.read",
        "write_mjcf": "mjcf.write",
        "write_urdf": "urdf.write",
    },
)
