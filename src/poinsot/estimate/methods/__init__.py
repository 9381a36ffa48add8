"""Methods of estimation: frozen objects, one a file, by name in a registry.

base          the interface, weighted least squares by orthogonal factors
ordinary      all samples alike
weighted      channels by their residuals
robust        outliers count less
total         the motion is noisy too
likelihood    coloured residuals
consistent    values of another method, made physically possible
simulating    what methods share that simulate the closed loop
instruments   instrumental variables from the simulated closed loop
didim         forces of the simulated closed loop
hausman       whether least squares is biased, by its difference from instruments
lower_cutoffs whether values hang on the cut-off of the motion
"""
