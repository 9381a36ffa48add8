"""The search of the published method: coefficients of planar mechanisms are products of lengths.

With the optimal parametrisation every β is ±1, ±λ_k/λ_h, ±λ_k, ±Λ_k/λ_h, ±Λ_k or ±λ_k λ_h, or the inverse of such a
product; Λ are squared distances. Its dimension says which, its number at a geometry of primes which λ
(theory/symbols, eq. 10). A quotient Λ_k/Λ_h occurs as well when second moments of two links are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.identifiability.linear import labels
from poinsot.identifiability.symbolic.elimination import Relation
from poinsot.identifiability.symbolic.energies import EnergyBase, energy_base
from poinsot.identifiability.symbolic.exact import Exact, load_sympy
from poinsot.identifiability.symbolic.geometry import Geometry, LengthSymbol, geometry
from poinsot.identifiability.symbolic.optimal import Opened, moved, opened
from poinsot.identifiability.symbolic.transfer import carried
from poinsot.model.assembly.assembly import assemble
from poinsot.model.mechanism import Mechanism
from poinsot.model.parts import Elements

TOLERANCE = 1e-10  # of the smallest coefficient
ROUND_OFF = 1e-9  # of the largest
FINENESS = (100, 1000, 10000)  # smallest prime tried for the shortest length, until the mechanism assembles
DIMENSION = {"m": 0, "mx": 1, "my": 1, "J": 2}  # powers of length


def product_relations(mechanism: Mechanism, eliminated: tuple[str, ...], exact: Exact, places: Geometry) -> tuple:
    """Relations between the parameters in the user's own frames, and the conditions by name."""
    way = opened(mechanism.elements)
    nearest = tuple(f"{name}.m" for name in way.nearest)
    primes = _with_primes(mechanism, way)
    optimal = geometry(primes.elements)
    inertial = {f"{body}.{label}" for body in mechanism.bodies for label in DIMENSION}
    wanted = [name for name in eliminated if name in inertial]
    moments = [f"{n}.J" for n in sorted(mechanism.bodies, key=lambda n: n in way.bifurcations)]
    base, beta = _searched(primes, optimal, [*nearest, *wanted, *moments], [*nearest, *moments])
    sizes = _in_user_terms(places, optimal, way)
    relations = []
    for j, column in enumerate(base.eliminated):
        relation = {name: -beta[i][j] for i, name in enumerate(base.independent)} | {column: 1}
        relations.append(_recast(relation, exact, places, way, sizes))
    return relations, _conditions(mechanism, way, nearest, eliminated)


def _searched(
    primes: Mechanism, optimal: Geometry, wanted: list[str], safe: list[str]
) -> tuple[EnergyBase, list[list[Any]]]:
    """Numbers and symbols with the user's choice eliminated where that is in the class, else with the safe one."""
    try:
        return _matched(primes, optimal, wanted)
    except PoinsotError:
        return _matched(primes, optimal, safe)


def _matched(primes: Mechanism, optimal: Geometry, prefer: list[str]) -> tuple[EnergyBase, list[list[Any]]]:
    base, again = (energy_base(primes, prefer, seed=seed) for seed in (0, 1))
    spread = np.abs(base.coefficients - again.coefficients).max(initial=0.0)
    return base, search(base, optimal, primes.elements, 10 * spread)


def _conditions(
    mechanism: Mechanism, way: Opened, masses: tuple[str, ...], eliminated: tuple[str, ...]
) -> dict[str, str]:
    elements = mechanism.elements
    off = {b: elements.joints[j].end(side).position for b, (j, side) in way.origins.items()}
    shifted = [body for body, position in off.items() if any(x != 0 for x in position)]
    missing = [name for name in masses if name not in eliminated]
    cut = f"yes, opened at {', '.join(way.cut)}" if way.cut else "yes, there are none"
    frames = f"moved there for the search: {', '.join(shifted)}" if shifted else "yes"
    found = f"no ({', '.join(missing)}); searched with them eliminated, then recast" if missing else "yes"
    return {
        "loops close through the ground": cut,
        "frame of each link at its revolute joint towards the ground": frames,
        "mass of the link nearest the ground of each chain eliminated": found,
    }


def _with_primes(mechanism: Mechanism, way: Opened) -> Mechanism:
    """The optimally parametrised mechanism with distinct primes, times a power of ten, for its lengths."""
    plain = moved(mechanism, way, lambda _, p: p).elements
    lengths = [abs(u.value(plain)) for u in geometry(plain).unknowns if isinstance(u, LengthSymbol)]
    scale = 1 / np.exp(np.mean(np.log(lengths))) if lengths else 1.0
    for fineness in FINENESS:
        trial = moved(mechanism, way, _Primes(scale * min(lengths, default=1.0), fineness), scale)
        found = assemble(trial)
        if found.converged and not found.flipped:
            return trial
    raise PoinsotError(f"{mechanism.name} cannot be assembled with primes for its lengths: use the method 'transfer'")


class _Primes:
    """Replaces each new coordinate of a point by the nearest prime, times a power of ten, that is still free."""

    def __init__(self, shortest: float, fineness: int):
        self.unit = 10.0 ** np.floor(np.log10(shortest / fineness))
        self.taken = {2, 5}  # 2 · 5 is a power of ten
        self.known: dict[tuple[str, tuple[float, ...]], np.ndarray] = {}

    def __call__(self, body: str, p: np.ndarray) -> np.ndarray:
        key = body, tuple(np.round(p, 12))
        if key not in self.known:
            self.known[key] = np.array([self._prime(x) if abs(x) > 1e-9 else 0.0 for x in p])
        return self.known[key]

    def _prime(self, x: float) -> float:
        sympy = load_sympy()
        wanted = round(abs(x) / self.unit)
        up, down = sympy.nextprime(wanted - 1), sympy.prevprime(max(wanted, 3) + 1)
        while up in self.taken:
            up = sympy.nextprime(up)
        while down in self.taken and down > 3:
            down = sympy.prevprime(down)
        best = min((p for p in (up, down) if p not in self.taken), key=lambda p: abs(p - wanted))
        self.taken.add(best)
        return float(np.sign(x) * best * self.unit)


def search(base: EnergyBase, optimal: Geometry, elements: Elements, spread: float = 0.0) -> list[list[Any]]:
    """β in symbols of the optimal parametrisation, element by element; `spread` is what its numbers are unsure of."""
    values = optimal.values(elements)
    squares: dict[int, list[Any]] = {}
    for u in optimal.unknowns:
        if isinstance(u, LengthSymbol):
            squares.setdefault(u.point, []).append(u.symbol)
    lam = [(symbol, values[symbol]) for group in squares.values() for symbol in group]
    Lam = [(sum(s**2 for s in group), sum(values[s] ** 2 for s in group)) for group in squares.values()]
    numbers = base.coefficients
    numbers = np.where(np.abs(numbers) < ROUND_OFF * np.abs(numbers).max(initial=0.0), 0.0, numbers)
    tolerance = max(TOLERANCE * np.min(np.abs(numbers[numbers != 0]), initial=np.inf), spread)
    kept, gone = ([DIMENSION[n.rpartition(".")[2]] for n in names] for names in (base.independent, base.eliminated))
    return [
        [_match(numbers[i, j], kept[i] - gone[j], lam, Lam, tolerance) for j in range(len(gone))]
        for i in range(len(kept))
    ]


def _match(number: float, dimension: int, lam: list, Lam: list, tolerance: float) -> Any:
    """The product of lengths that has this value and this dimension."""
    if number == 0:
        return 0
    for expression, value in _candidates(abs(dimension), lam, Lam):
        candidate = value if dimension >= 0 else 1 / value
        if abs(candidate - abs(number)) < tolerance:
            found = expression if dimension >= 0 else 1 / expression
            return found if number > 0 else -found
    raise PoinsotError(
        f"a coefficient of {number:.12g} m^{dimension} is no product of lengths: use the method 'transfer'"
    )


def _candidates(dimension: int, lam: list, Lam: list) -> Iterator[tuple[Any, float]]:
    one = load_sympy().Integer(1)
    if dimension == 0:
        yield one, 1.0
        yield from ((a / b, x / y) for a, x in lam for b, y in lam)
        yield from ((a / b, x / y) for a, x in Lam for b, y in Lam)
    elif dimension == 1:
        yield from lam
        yield from ((a / b, x / y) for a, x in Lam for b, y in lam)
    else:
        yield from Lam
        yield from ((a * b, x * y) for a, x in lam for b, y in lam)


def _in_user_terms(places: Geometry, optimal: Geometry, way: Opened) -> dict[Any, Any]:
    """Every length of the optimal parametrisation as an expression of the user's own."""
    found = {}
    for u in optimal.unknowns:
        if isinstance(u, LengthSymbol):
            p = _place(places, u.joint, u.side)
            origin = _place(places, *way.origins[u.body]) if u.body in way.origins else [0, 0, 0]
            found[u.symbol] = u.sign * (p[u.axis] - origin[u.axis])
    return found


def _place(places: Geometry, joint: str, side: str) -> Any:
    site = next(s for s in places.sites if s.joint == joint)
    return site.p_a if side == "a" else site.p_b


def _recast(relation: Relation, exact: Exact, places: Geometry, way: Opened, sizes: dict[Any, Any]) -> Relation:
    """A relation of the moved frames in those of the user."""
    found: Relation = {}
    names = labels(planar=True)
    sympify = load_sympy().sympify
    for body in way.parents:
        t = np.zeros(10, dtype=object)
        for label, k in names.items():
            t[k] = sympify(relation.get(f"{body}.{label}", 0)).subs(sizes, simultaneous=True)
        origin = exact.array(_place(places, *way.origins[body]) if body in way.origins else [0, 0, 0])
        about = carried(exact.array(np.eye(3, dtype=int)), origin, exact.array(t))
        found |= {f"{body}.{label}": about[k] for label, k in names.items() if about[k]}
    return found
