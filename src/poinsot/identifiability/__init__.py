"""Identifiability: what measurements can determine, before anything is estimated.

linear             the parameters in which the equations of motion are linear
channels           what is measured: actuator forces, reactions, wrenches
regressor, rows    measured channels as an exact linear function of those parameters; its rows as symbols
drive_forces       forces of more drives than freedoms, on the freedoms
energy             the same for work and energy, without accelerations
column_scales      lengths that columns would have without cancellation
reduction          rank by a gap, columns without effect, base parameters of a matrix
choice             which parameters are eliminated: those preferred, with bounded coefficients
states             random states that satisfy all constraints
base_parameters    base parameters of a mechanism in numbers
model_parameters   columns for the parameters of the model file
symbolic/          base parameters in symbols
determinable       what a given motion and given channels can determine
"""

from poinsot.lazy import door

__getattr__ = door(__name__, {"symbolic.symbolise": "symbolise"})
