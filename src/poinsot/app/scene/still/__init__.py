"""A still picture without a browser: the mechanism on paper, and before anybody asks for it in 3D.

png      pictures of mechanisms and modes: `picture`, `mode_picture`, `still`
raster   which triangle is the nearest at every sample of a picture
solids   triangles of all that a picture is made of
"""

from poinsot.app.scene.still.png import mode_picture, picture, still

__all__ = ["mode_picture", "picture", "still"]
