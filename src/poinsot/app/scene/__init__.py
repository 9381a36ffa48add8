"""A mechanism as a picture in space: one builder for the live viewer, for pages and for reports.

primitives       what a picture is made of: balls, cylinders, surfaces, tubes, arrows, labels
surfaces         triangles of plates, hulls and bent tubes
palette          colours that colour-blind readers can tell apart
sizes            how large the machine is and how thick its parts are drawn
bodies, joints   links and plates between joints; a glyph for every joint
visuals          shapes and meshes of the model file
loads            loads, reactions and mass centres
build            all of it: `scene_of`
framing          where the camera stands
draw             a picture in viser, placed in one pose after another
track            poses over time: motions and vibrations, resampled
still            a picture without a browser: `picture`, `mode_picture`
page             a page that needs nothing else: `as_html`, `modes_html`
viser_package    viser, if it is installed and new enough
"""
