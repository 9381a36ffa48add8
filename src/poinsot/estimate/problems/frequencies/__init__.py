"""Natural frequencies, and damping and shapes where they were measured, as residuals.

spectrum       frequencies and damping of the model in the pose of a run, with derivatives
pairing        which mode of the model is which measured one: by shapes, or by the best assignment in order
shapes         measured shapes less those of the model, scaled to them
residuals      measured less modelled, over standard deviations
outliers       values that do not fit, by a scale that they do not move
measurement    the problem of a study: fits, doubts, pairs by name
"""
