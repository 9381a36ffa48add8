"""Methods of search by name: a new one is one file and one line here."""

from __future__ import annotations

from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.evolution import Evolution
from poinsot.estimate.search.interior_point import InteriorPoint
from poinsot.estimate.search.levenberg_marquardt import LevenbergMarquardt
from poinsot.estimate.search.multi_start import MultiStart
from poinsot.estimate.search.swarm import Swarm
from poinsot.estimate.search.trust_region import TrustRegion

SEARCHES: dict[str, type[SearchMethod]] = {
    m.name: m for m in (LevenbergMarquardt, TrustRegion, Swarm, Evolution, InteriorPoint, MultiStart)
}


def onwards(method: SearchMethod, otherwise: SearchMethod | None = None) -> SearchMethod:
    """Steps of a trust region, or of `otherwise`; the interior point where it keeps constraints between unknowns."""
    if isinstance(method, MultiStart):
        return onwards(method.base, otherwise)
    if isinstance(method, InteriorPoint) and method.constraints:
        return method
    return otherwise or TrustRegion()
