"""Excitation: the motion that tells the unknowns best within limits.

task           options, and how the motion is found
shapes         families of motions that are linear in their numbers: Fourier series, splines, point to point, ramps
equations      derivatives of the regressor, of limited quantities and of driven kinematics, as symbols
machine        states, regressor and limited quantities along many motions, and their gradients, in native batches
information    what the regressor tells of the unknowns, beside priors and earlier recordings
slopes         derivatives of the criteria
rehearsal      what a simulated recording of it tells, with the noise of encoders
restrictions   limits as rows, linear in the numbers of a motion where they can be
speeds         rms rates and bands of speeds that friction needs
centre         the pose about which motions are drawn, with room inside the limits
program        criterion and limits as functions of the numbers of a motion
search         random starts, the best of them polished, limits checked between samples
conflict       which limit no motion keeps, and what it would have to be
halted         what an interrupted search had reached, to go on from
result         ExcitationDesign: the motion, its standard errors, files for the machine
"""
