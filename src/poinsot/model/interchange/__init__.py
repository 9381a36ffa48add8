"""Other programs' model files: MJCF (MuJoCo) and URDF with a loop sidecar, in and out.

xml, names, notes            files of unknown origin; names made safe; what could not be carried over
motions, tree                a mechanism as a tree of hinges, slides and balls, with its loops cut open
summed_forces                what acts along each coordinate, added up
auxiliary_links, cut_bodies  links and bodies that other programs need and a mechanism does not
recognise                    hinges, slides and balls in a row, recognised as one joint
drives                       joints that are driven, and coordinates by the joints' names
couplings                    joints that follow others
visuals                      shapes that bodies are drawn with
urdf/, mjcf/                 the two formats, in and out

Readers make the same document that a TOML file holds and build it, so that every check is the same.
"""

from poinsot.lazy import door

__getattr__ = door(
    __name__,
    {
        "mjcf.read": "read_mjcf",
        "mjcf.write": "write_mjcf",
        "notes": "Conversion",
        "urdf.read": "read_urdf",
        "urdf.write": "write_urdf",
    },
)
