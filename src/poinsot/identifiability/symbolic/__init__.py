"""Base parameters in symbols.

exact          linear algebra over the rational functions of the geometry
screws         the twists that a joint or a chain allows, as Lie algebras
geometry       places of the joints in symbols
transfer       inertia that may be moved from body to body
special        relations of a special geometry, recognised in the numbers
elimination    from relations between parameters to β
energies       the same relations in numbers, from energies alone
optimal        loops opened and frames moved, for the search
product_class  the search in the class of products, for planar mechanisms
symbolise      the question; result is its answer
"""

from poinsot.identifiability.symbolic.result import Symbolic
from poinsot.identifiability.symbolic.symbolise import symbolise
