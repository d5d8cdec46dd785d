"""Base classes of a user's distributions: their formulas are methods on device arrays."""

import copyreg
import inspect
import keyword
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_host
from ..._core.multiarray import asarray, ndarray, where
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import sum
from ...lib._stride_tricks_impl import broadcast_to
from ._distn_infrastructure import Continuous, Distribution, _number
from ._distn_integrals import derivative, flat, integral, root

__all__ = ["rv_continuous"]

# Places of points: 0 where a parameter is invalid, 1 within the support, 2 below and 3 above it.
_PLACES = ElementwiseKernel(
    "float64 x, float64 loc, float64 scale, bool valid, float64 low, float64 high, int32 ends",
    "float64 z, int8 place",
    """
    enum { LOW = 1, HIGH = 2, WHOLE = 4, FLOOR = 8 };
    z = (x - loc) / scale;
    const bool is_low = ends & LOW ? z < low : z <= low;
    const bool is_high = ends & HIGH ? z > high : z >= high;
    place = !valid || !(scale > 0) || z != z || loc != loc ? 0 : is_low ? 2 : is_high ? 3 : 1;
    if (place == 1 && isinf(z)) place = z < 0 ? 2 : 3;
    if (place == 1 && ends & WHOLE && floor(z) != z) place = 2;
    if (place == 1 && ends & FLOOR) z = floor(z);
    if (place != 1) z = isfinite(low) ? low : isfinite(high) ? high : 0;
    """,
    "user_places",
)
_VALUES = ElementwiseKernel(
    "float64 value, float64 scale, int8 place, float64 below, float64 above, float64 least,"
    " float64 most, float64 bad, int32 power",
    "float64 y",
    """
    y = power == 1 ? value / scale : power == 2 ? value - log(scale) : value;
    y = y < least ? least : y > most ? most : y;
    y = place == 0 ? bad : place == 1 ? y : place == 2 ? below : above;
    """,
    "user_values",
)
_PROBABILITIES = ElementwiseKernel(
    "float64 q, float64 loc, float64 scale, bool valid",
    "float64 p, int8 place",
    """
    const bool is_good = valid && scale > 0 && loc == loc && q >= 0 && q <= 1;
    place = !is_good ? 0 : q == 0 ? 2 : q == 1 ? 3 : 1;
    p = place == 1 ? q : 0.5;
    """,
    "user_probabilities",
)
_QUANTILES = ElementwiseKernel(
    "float64 value, float64 loc, float64 scale, int8 place, float64 low, float64 high, float64 bad",
    "float64 y",
    """
    y = (place == 1 ? value : place == 2 ? low : high) * scale + loc;
    if (place == 0) y = bad;
    """,
    "user_quantiles",
)


LOW, HIGH, WHOLE, FLOOR = 1, 2, 4, 8  # as in `_PLACES`


class Rule(NamedTuple):
    """What the values of a function are, besides those of the user's formula."""

    below: float  # below the support
    above: float  # above the support
    least: float  # bounds of values
    most: float
    ends: int  # LOW, HIGH if these ends belong to it; WHOLE if other numbers do not; FLOOR rounds
    power: int = 0  # of the scale: 1 divides, 2 subtracts its logarithm


def rules(density: str, of_density: tuple[float, float, int], of_tail: int) -> dict[str, Rule]:
    """The rules of a density and its logarithm, and of the functions of tails."""
    inf = math.inf
    return {
        density: Rule(0.0, 0.0, *of_density, 1),
        f"log{density}": Rule(-inf, -inf, -inf, inf, of_density[-1], 2),
        "cdf": Rule(0.0, 1.0, 0.0, 1.0, of_tail),
        "logcdf": Rule(-inf, 0.0, -inf, 0.0, of_tail),
        "sf": Rule(1.0, 0.0, 0.0, 1.0, of_tail),
        "logsf": Rule(0.0, -inf, -inf, 0.0, of_tail),
    }


def _given_shapes(shapes: Any) -> tuple[str, ...]:
    if not isinstance(shapes, str):
        raise TypeError("shapes must be a string.")
    names = tuple(shapes.replace(",", " ").split())
    if any(keyword.iskeyword(name) for name in names):
        raise SyntaxError("keywords cannot be used as shapes.")
    if not all(name.isidentifier() for name in names):
        raise SyntaxError("shapes must be valid python identifiers")
    return names


def _shapes_of(methods: list[Callable[..., Any]]) -> tuple[str, ...]:
    """The shape parameters that methods take after their first argument."""
    found = []
    for method in methods:
        parameters = list(inspect.signature(method).parameters.values())[1:]
        kinds = [p.kind for p in parameters]
        if inspect.Parameter.KEYWORD_ONLY in kinds:
            raise TypeError("kwonly args are not allowed w/out explicit shapes")
        if any(p.default is not inspect.Parameter.empty for p in parameters):
            raise TypeError("defaults are not allowed for shapes")
        is_open = (
            inspect.Parameter.VAR_POSITIONAL in kinds or inspect.Parameter.VAR_KEYWORD in kinds
        )
        if is_open and inspect.Parameter.POSITIONAL_OR_KEYWORD in kinds:
            raise TypeError("*args and **kwargs are not allowed w/out explicit shapes")
        if not is_open:
            found.append(tuple(p.name for p in parameters))
    if any(names != found[0] for names in found):
        raise TypeError("Shape arguments are inconsistent.")
    return found[0] if found else ()


class UserDistribution(Distribution):
    """What distributions with formulas of the user's share."""

    _formulas: tuple[str, ...]  # methods with formulas, whose parameters are the shapes
    _rules: dict[str, Rule]
    _before = 0  # distance of the number before the support from its lower end
    _own: type  # the base class, whose methods are those that nobody wrote
    a: Any  # ends of the support
    b: Any
    _ppf: Callable[..., Any]
    _munp: Callable[..., Any]
    _entropy: Callable[..., Any]

    def _prepare(self, name: Any, longname: Any, shapes: Any, seed: Any, badvalue: Any) -> None:
        written = [getattr(self, m) for m in self._formulas if self._has(m)]
        names = _given_shapes(shapes) if shapes is not None else _shapes_of(written)
        self.badvalue = math.nan if badvalue is None else badvalue
        self.name = "Distribution" if name is None else name
        self.longname = f"A {self.name}" if longname is None else longname
        self._names = names + self._places
        self._usual = (None,) * len(names) + (0.0, 1.0)[: len(self._places)]
        self.shapes, self.numargs = ", ".join(names) or None, len(names)
        self._random_state = None
        self.random_state = seed

    def __reduce__(self) -> Any:
        return copyreg.__newobj__, (type(self),), self.__dict__  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} of gpunp.scipy.stats>"

    def _has(self, method: str) -> bool:
        """Whether the user wrote a method."""
        return getattr(type(self), method) is not getattr(self._own, method)

    # ---- what a subclass may replace -------------------------------------------------------------

    def _argcheck(self, *args: Any) -> Any:
        valid: Any = True
        for value in args:
            valid = um.logical_and(valid, um.greater(value, 0))
        return valid

    def _get_support(self, *args: Any) -> tuple[Any, Any]:
        return self.a, self.b

    def _stats(self, *args: Any, **kwds: Any) -> tuple[Any, Any, Any, Any]:
        return None, None, None, None

    def _rvs(self, *args: Any, size: Any = None, random_state: Any = None) -> ndarray:
        uniform = getattr(random_state, "random_sample", None) or random_state.random
        points = uniform(size)
        shapes = tuple(flat(broadcast_to(asarray(v), points.shape), points.size) for v in args)
        return flat(self._ppf(points.reshape(-1), *shapes), points.size).reshape(points.shape)

    # ---- arguments -------------------------------------------------------------------------------

    def _is_valid(self, numbers: list[Any]) -> bool:
        if any(isinstance(value, ndarray) for value in numbers):
            return True
        known = dict(zip(self._names, numbers, strict=True))
        valid = bool(as_host(_on_host(self._argcheck(*numbers[: self.numargs]))).all())
        return valid and known["loc"] == known["loc"] and known.get("scale", 1) > 0

    def _spread(self, x: Any, numbers: list[Any]) -> tuple[Any, list[Any], tuple[int, ...]]:
        """Data and parameters as vectors of one size, numbers of the host aside, and the shape."""
        arrays = [v for v in (x, *numbers) if isinstance(v, ndarray)]
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        vectors = [
            broadcast_to(v, shape).reshape(-1) if isinstance(v, ndarray) else v
            for v in (x, *numbers)
        ]
        return vectors[0], vectors[1:], shape

    def _prepared(self, x: Any, args: Any, kwds: Any) -> tuple[Any, ...]:
        """A vector of data, shapes as vectors, location, scale, what is valid, and the shape."""
        numbers = self._numbers(args, kwds)
        x, numbers, shape = self._spread(asarray(_number(x, "x")), numbers)
        places = [*numbers[self.numargs :], 1.0][:2]
        shapes = tuple(flat(v, x.size) for v in numbers[: self.numargs])
        return x, shapes, *places, self._argcheck(*shapes), shape

    def _at(self, method: str, x: Any, args: Any, kwds: Any) -> ndarray:
        x, shapes, loc, scale, valid, shape = self._prepared(x, args, kwds)
        low, high = self._get_support(*shapes)
        if method in ("ppf", "isf"):
            p, place = _PROBABILITIES(x, loc, scale, valid)
            value = flat(getattr(self, f"_{method}")(p, *shapes), x.size)
            low = low - self._before if self._before else low
            ends: Any = (low, high) if method == "ppf" else (high, low)
            return _QUANTILES(value, loc, scale, place, *ends, self.badvalue).reshape(shape)
        *known, ends, power = self._rules[method]
        z, place = _PLACES(x, loc, scale, valid, low, high, ends)
        value = flat(self._formula(method, z, shapes, args, kwds), x.size)
        return _VALUES(value, scale, place, *known, self.badvalue, power).reshape(shape)

    def _formula(self, method: str, z: ndarray, shapes: tuple, args: Any, kwds: Any) -> Any:
        return getattr(self, f"_{method}")(z, *shapes)

    # ---- moments ---------------------------------------------------------------------------------

    def _known_stats(self, shapes: tuple) -> list[Any]:
        """Mean, variance, skewness and kurtosis as `_stats` gives them, None where it does not."""
        parameters = inspect.signature(self._stats).parameters.values()
        takes = any(p.kind is p.VAR_KEYWORD or p.name == "moments" for p in parameters)
        return list(self._stats(*shapes, **({"moments": "mvsk"} if takes else {})))

    def _raw(self, order: int, shapes: tuple, size: int) -> ndarray:
        """A raw moment of the standard form."""
        if order == 0:
            return flat(1.0, size)
        if order <= 2 and not self._has("_munp"):
            mean, var = self._known_stats(shapes)[:2]
            if mean is not None and order == 1:
                return flat(mean, size)
            if mean is not None and var is not None:
                return flat(mean, size) ** 2 + flat(var, size)
        return flat(self._munp(order, *shapes), size)

    def _parameters(self, args: Any, kwds: Any) -> tuple[Any, ...]:
        """Vectors of shapes, location, scale, a mask of those that are valid, and their shape."""
        _, shapes, loc, scale, valid, shape = self._prepared(0.0, args, kwds)
        size = math.prod(shape)
        loc, scale = flat(loc, size), flat(scale, size)
        return shapes, loc, scale, asarray(valid) & (scale > 0) & (loc == loc), shape

    def _standard_stats(self, shapes: tuple, size: int, wanted: Any) -> dict[str, ndarray]:
        """Moments of the standard form, those that are wanted and those that they need."""
        given = dict(zip(("mean", "var", "skew", "kurt"), self._known_stats(shapes), strict=True))
        known = {k: flat(v, size) for k, v in given.items() if v is not None}
        if {"skew", "kurt"} & (set(wanted) - set(known)) or "var" in wanted or "std" in wanted:
            raw = [self._raw(k, shapes, size) for k in range(1, 3)]
            known.setdefault("mean", raw[0])
            known.setdefault("var", raw[1] - raw[0] ** 2)
        if "mean" in wanted and "mean" not in known:
            known["mean"] = self._raw(1, shapes, size)
        for order, name in ((3, "skew"), (4, "kurt")):
            if name in wanted and name not in known:
                central = self._central(order, known["mean"], shapes, size)
                power = central / known["var"] ** (order / 2)
                known[name] = power - 3.0 if name == "kurt" else power
        return known

    def _central(self, order: int, mean: ndarray, shapes: tuple, size: int) -> ndarray:
        raw = [self._raw(k, shapes, size) for k in range(order + 1)]
        total: Any = 0.0
        for k in range(order + 1):
            total = total + math.comb(order, k) * raw[k] * (-mean) ** (order - k)
        return total

    def _of(self, methods: tuple[str, ...], args: Any, kwds: Any) -> Any:
        shapes, loc, scale, valid, shape = self._parameters(args, kwds)
        if methods == ("lower", "upper"):
            ends = [flat(end, loc.size) * scale + loc for end in self._get_support(*shapes)]
            return tuple(where(valid, end, math.nan).reshape(shape) for end in ends)
        if methods == ("entropy",):
            value = flat(self._entropy(*shapes), loc.size) + um.log(scale)
            return where(valid, value, self.badvalue).reshape(shape)
        known = self._standard_stats(shapes, loc.size, methods)
        found = []
        for name in methods:
            value = known["var" if name == "std" else name]
            if name == "mean":
                value = value * scale + loc
            elif name in ("var", "std"):
                value = value * scale**2
            value = um.sqrt(value) if name == "std" else value
            found.append(where(valid, value, self.badvalue).reshape(shape))
        return tuple(found) if len(found) > 1 else found[0]

    def _moment(self, order: int, args: Any, kwds: Any) -> ndarray:
        shapes, loc, scale, valid, shape = self._parameters(args, kwds)
        total: Any = 0.0
        for k in range(order + 1):
            part = self._raw(k, shapes, loc.size) * scale**k
            total = total + math.comb(order, k) * part * loc ** (order - k)
        return where(valid, total, self.badvalue).reshape(shape)

    # ---- samples ---------------------------------------------------------------------------------

    def _sample(self, source: Any, shape: tuple[int, ...], numbers: list[Any]) -> ndarray:
        values = asarray(self._rvs(*numbers[: self.numargs], size=shape, random_state=source))
        loc, scale = [*numbers[self.numargs :], 1.0][:2]
        values = values if _is_number(scale, 1.0) else values * scale
        return values if _is_number(loc, 0.0) else values + loc


def _is_number(value: Any, number: float) -> bool:
    """Whether a parameter is a number of the host, and this one."""
    return not isinstance(value, ndarray) and value == number


def _on_host(value: Any) -> Any:
    return value.get() if isinstance(value, ndarray) else value


class _KindOfContinuous(type):
    """Makes `isinstance(norm, rv_continuous)` true, as norm and its kin are of other classes."""

    def __instancecheck__(cls, instance: Any) -> bool:
        known = cls is rv_continuous and isinstance(instance, Continuous)
        return known or super().__instancecheck__(instance)


class rv_continuous(UserDistribution, Continuous, metaclass=_KindOfContinuous):
    """Base class of continuous distributions, for distributions of one's own.

    A subclass has at least one of the methods `_pdf`, `_logpdf`, `_cdf`, `_logcdf`, `_sf`,
    `_logsf`, `_ppf` and `_isf`, functions of a vector of the device and of vectors of the shape
    parameters. It may have `_stats`, `_munp`, `_entropy`, `_rvs`, `_argcheck` and `_get_support`.

    Parameters
    ----------
    momtype : int, optional
        Kind of moments: 0 integrates over the density, 1 over the quantiles where these are given.
    a, b : float, optional
        Lower and upper end of the support; by default it has none.
    xtol : float, optional
        Accepted for compatibility: quantiles are found to rounding.
    badvalue : float, optional
        Value of results for invalid arguments, by default NaN.
    name, longname : str, optional
        Name of the distribution, and a longer one for descriptions.
    shapes : str, optional
        Names of the shape parameters, "a, b" for example. By default they are those of the
        methods.
    seed : None, int, Generator or RandomState, optional
        Source of random numbers of `rvs`.

    Notes
    -----
    What is not given follows from what is: probabilities are integrals of the density, by rules of
    Gauss and Kronrod whose intervals are halved where needed, and quantiles are roots that
    Chandrupatla's method finds. Both compute all elements together and read at each step how many
    are left, so they wait for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> class Cubic(cp.scipy.stats.rv_continuous):
    ...     def _pdf(self, x):
    ...         return 4 * x**3
    >>> cubic = Cubic(a=0, b=1, name="cubic")
    >>> cubic.cdf(cp.array([0.5, 2.0])), cubic.mean().round(6)
    (array([0.0625, 1.    ]), array(0.8))
    """

    _formulas = ("_pdf", "_logpdf", "_cdf", "_logcdf", "_sf", "_logsf", "_ppf", "_isf")
    _rules = rules("pdf", (-math.inf, math.inf, LOW | HIGH), 0)

    def __init__(
        self, momtype=1, a=None, b=None, xtol=1e-14, badvalue=None, name=None, longname=None,
        shapes=None, seed=None,
    ) -> None:  # fmt: skip
        self.momtype, self.xtol = momtype, xtol
        self.a, self.b = (-math.inf if a is None else a), (math.inf if b is None else b)
        self._prepare(name, longname, shapes, seed, badvalue)

    def _pdf(self, x: Any, *args: Any) -> Any:
        if self._has("_logpdf"):
            return um.exp(self._logpdf(x, *args))
        return derivative(self._cdf, x, args)

    def _logpdf(self, x: Any, *args: Any) -> Any:
        return um.log(self._pdf(x, *args))

    def _tail(self, x: ndarray, args: tuple, is_upper: bool) -> ndarray:
        """The integral of the density from an end of the support."""
        low, high = self._get_support(*args)
        ends: tuple[Any, Any] = (x, high) if is_upper else (low, x)
        return um.minimum(integral(self._pdf, *ends, args, x.size), 1.0)

    def _cdf(self, x: Any, *args: Any) -> Any:
        if self._has("_logcdf"):
            return um.exp(self._logcdf(x, *args))
        if self._has("_sf") or self._has("_logsf"):
            return 1.0 - self._sf(x, *args)
        if self._has("_pdf") or self._has("_logpdf"):
            return self._tail(x, args, False)
        if not (self._has("_ppf") or self._has("_isf")):
            raise NotImplementedError(f"one of {', '.join(self._formulas)} must be given")
        return root(self._ppf, x, 0.0, 1.0, args)

    def _sf(self, x: Any, *args: Any) -> Any:
        if self._has("_logsf"):
            return um.exp(self._logsf(x, *args))
        if self._has("_cdf") or self._has("_logcdf"):
            return 1.0 - self._cdf(x, *args)
        if self._has("_pdf") or self._has("_logpdf"):
            return self._tail(x, args, True)
        if self._has("_isf"):
            return root(self._isf, x, 0.0, 1.0, args, -1.0)
        return 1.0 - self._cdf(x, *args)

    def _logcdf(self, x: Any, *args: Any) -> Any:
        return um.log(self._cdf(x, *args))

    def _logsf(self, x: Any, *args: Any) -> Any:
        return um.log(self._sf(x, *args))

    def _ppf(self, q: Any, *args: Any) -> Any:
        if self._has("_isf"):
            return self._isf(1.0 - q, *args)
        return root(self._cdf, q, *self._get_support(*args), args)

    def _isf(self, q: Any, *args: Any) -> Any:
        if self._has("_ppf"):
            return self._ppf(1.0 - q, *args)
        return root(self._sf, q, *self._get_support(*args), args, -1.0)

    def _over_density(self, function: Callable[..., Any], args: tuple) -> ndarray:
        """The integral of function(x) times the density over the support."""
        size = args[0].size if args else 1
        low, high = self._get_support(*args)

        def weighed(x: Any, *shapes: Any) -> Any:
            return function(x) * self._pdf(x, *shapes)

        return integral(weighed, low, high, args, size, is_cut=True)

    def _munp(self, n: Any, *args: Any) -> Any:
        if self.momtype and self._has("_ppf") and not self._has("_pdf"):
            size = args[0].size if args else 1
            return integral(lambda q, *s: self._ppf(q, *s) ** n, 0.0, 1.0, args, size)
        return self._over_density(lambda x: x**n, args)

    def _entropy(self, *args: Any) -> Any:
        size = args[0].size if args else 1
        low, high = self._get_support(*args)

        def share(x: Any, *shapes: Any) -> Any:
            p = self._pdf(x, *shapes)
            return where(p > 0, -p * um.log(p), 0.0)

        return integral(share, low, high, args, size, is_cut=True)

    def _fitstart(self, data: Any, args: Any = None) -> tuple[float, ...]:
        shapes = (1.0,) * self.numargs if args is None else tuple(args)
        return (*shapes, *map(float, self.fit_loc_scale(data, *shapes)))

    def _likelihood(self) -> Callable[..., Any]:
        """Minus the logarithm of the likelihood, with a penalty for what is not finite."""

        def sums(x: Any, *theta: Any) -> ndarray:
            *numbers, penalty = theta
            values = self.logpdf(x, *numbers)
            if penalty:
                values = where(um.isfinite(values), values, -penalty)
            return -sum(values)

        return sums

    def _expected(self, function: Any, given: Any, bounds: Any, conditional: bool) -> ndarray:
        ends = zip(bounds, self.support(**given), strict=True)
        low, high = (end if bound is None else asarray(float(bound)) for bound, end in ends)

        def weighed(x: Any) -> Any:
            return function(x) * self.pdf(x, **given)

        total = integral(weighed, low, high, is_cut=True).reshape(())
        if conditional:
            total = total / (self.cdf(high, **given) - self.cdf(low, **given))
        return total


UserDistribution._own = UserDistribution
rv_continuous._own = rv_continuous
