"""The viewer: a page in the browser with sliders that keep loops closed, motions, modes and results.

command          `poinsot view`
address          host and port; a port that is taken is said
posing           independent coordinates, and the poses that they give; dragging a body
end_stops        what keeps a dragged body from passing them
limits           how far sliders go, and the units on them
stage            the page: picture, state, what is shown
pose_panel       sliders, and handles to drag a body
motion_panel     a motion or simulation that is played
modes_panel      modes with frequency and amplitude
result_panel     numbers of an estimate, measured against predicted
studies          a study: recorded motion, nominal model, identification
watch            an identification that is running
"""
