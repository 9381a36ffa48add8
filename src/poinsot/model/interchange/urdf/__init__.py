"""URDF, with a YAML sidecar for loops.

tree, read     links and joints of the file; the mechanism they describe
mount          the pose in which loops are closed
mimics         joints that follow others
sidecar        loops, motors and poses that URDF has no words for
visuals        shapes of links, in and out
write          the way back
"""
