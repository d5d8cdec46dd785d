"""Basis: the functions common to numpy.polynomial's modules, written once.

A module names its basis by a recurrence (`_series.Recurrence`) and takes its functions from here:

    _basis = Basis("leg", __name__, "Legendre", Recurrence(...))
    legadd = _basis.add

What it takes is a plain function with the module's names: `legadd.__name__` is "legadd". The
docstrings below speak of Legendre's; `Basis.named` puts another basis' names in their place.
"""

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from .._core import umath as um
from .._core._convert import without_cycles
from .._core.multiarray import array, ndarray
from . import _orthogonal as orthogonal
from . import _series as series
from . import polyutils as pu
from ._series import Recurrence

_Method = TypeVar("_Method", bound=Callable[..., Any])


def public(pattern: str) -> Callable[[_Method], _Method]:
    """A method that modules take; `pattern` is its name there, the basis' prefix being {}."""

    def mark(method: _Method) -> _Method:
        method.pattern = pattern  # type: ignore[attr-defined]
        return method

    return mark


class Basis:
    """Functions of a polynomial basis.

    Parameters
    ----------
    prefix : str
        Prefix of the functions' names.
    module : str
        Module to which the functions belong.
    name : str
        Name of the basis, for docstrings.
    numbers : Recurrence
        Recurrence relation of the basis.
    domain : tuple, optional
        Default domain and window of the classes.
    """

    def __init__(
        self,
        prefix: str,
        module: str,
        name: str,
        numbers: Recurrence,
        domain: tuple[int, int] = (-1, 1),
    ) -> None:
        self.prefix, self.module, self.name = prefix, module, name
        self.numbers, self.domain = numbers, domain
        for key, method in inspect.getmembers(self, lambda member: hasattr(member, "pattern")):
            setattr(self, key, self._function(method))

    def named(self, text: str) -> str:
        """A text about Legendre's basis as one about this basis."""
        words = {"Legendre": self.name, "legendre": self.module.split(".")[-1]}
        return re.sub(
            r"Legendre|legendre|\bleg(?=[a-z2])|(?<=\bpoly2)leg\b",
            lambda found: words.get(found[0], self.prefix),
            text,
        )

    def _function(self, method: Any) -> Any:
        """A method as a function of the basis' module."""

        @functools.wraps(method)
        def function(*args: Any, **kwargs: Any) -> Any:
            return method(*args, **kwargs)

        function.__name__ = function.__qualname__ = method.pattern.format(self.prefix)
        function.__module__ = self.module
        function.__doc__ = self.named(inspect.getdoc(method) or "")
        return function

    def constant(self, name: str) -> ndarray:
        """A module's __getattr__ for its constant series: arrays, made when asked for."""
        values = {"zero": (0,), "one": (1,), "x": self.numbers.x, "domain": self.domain}
        word = name.removeprefix(self.prefix)
        if word == name or word not in values:
            raise AttributeError(f"module {self.module!r} has no attribute {name!r}")
        return array(values[word])

    # ---- creation ------------------------------------------------------------------------------

    @public("{}line")
    def line(self, off, scl) -> ndarray:
        """Return the Legendre series of the line off + scl * x.

        Parameters
        ----------
        off, scl : number
            Value of the line at 0, and its slope.

        Returns
        -------
        ndarray
            Two coefficients; one if `scl` is 0.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legline, legval
        >>> legval(2.0, legline(3, 4))
        array(11.)
        """
        at_zero, slope = self.numbers.x
        off, scl = without_cycles(off), without_cycles(scl)
        return array([off + at_zero * scl, slope * scl] if scl != 0 else [off])

    @public("{}fromroots")
    def fromroots(self, roots) -> ndarray:
        """Return the Legendre series of (x - r0) * (x - r1) * ..., which has the given roots.

        Parameters
        ----------
        roots : array_like
            Roots, in one dimension and any order; a root of multiplicity m occurs m times.

        Returns
        -------
        ndarray
            len(roots) + 1 coefficients, lowest degree first; complex if a root is.

        Notes
        -----
        As a power series the highest coefficient is 1; in another basis it is not.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legfromroots, legval
        >>> import gpunp as cp
        >>> legval(cp.array([0.0, 1.0, 2.0, 3.0]), legfromroots(cp.array([1.0, 2.0]))).round(6) + 0
        array([2., 0., 0., 2.])
        """
        return series.from_roots(roots, self.numbers.x, self.mul)

    @public("{}2poly")
    def to_poly(self, c) -> ndarray:
        """Convert a Legendre series to a power series.

        Parameters
        ----------
        c : array_like
            Coefficients of the Legendre series, lowest degree first, of one dimension.

        Returns
        -------
        ndarray
            Coefficients of the power series, lowest degree first; trailing zeros are dropped,
            which waits for the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import leg2poly, poly2leg
        >>> leg2poly(poly2leg([1.0, 2.0, 4.0])).round(6)
        array([1., 2., 4.])
        """
        return series.to_powers(c, self.numbers)

    @public("poly2{}")
    def from_poly(self, pol) -> ndarray:
        """Convert a power series to a Legendre series.

        Parameters
        ----------
        pol : array_like
            Coefficients of the power series, lowest degree first, of one dimension.

        Returns
        -------
        ndarray
            Coefficients of the Legendre series, lowest degree first; trailing zeros are dropped,
            which waits for the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legval, poly2leg
        >>> legval(2.0, poly2leg([1.0, 2.0, 4.0])).round(6)
        array(21.)
        """
        return series.from_powers(pol, self.numbers)

    # ---- arithmetic ----------------------------------------------------------------------------

    @public("{}add")
    def add(self, c1, c2) -> ndarray:
        """Add two Legendre series.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients, lowest degree first, of one dimension.

        Returns
        -------
        ndarray
            The sum. Trailing zeros are dropped, which waits for the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legadd
        >>> legadd([1, 2, 3], [3, 2, -3])
        array([4., 4.])
        """
        return series.combine(c1, c2, um.add)

    @public("{}sub")
    def sub(self, c1, c2) -> ndarray:
        """Subtract two Legendre series.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients, lowest degree first, of one dimension.

        Returns
        -------
        ndarray
            The difference. Trailing zeros are dropped, which waits for the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legsub
        >>> legsub([1, 2, 3], [3, 2, 1])
        array([-2.,  0.,  2.])
        """
        return series.combine(c1, c2, um.subtract)

    @public("{}mulx")
    def mulx(self, c) -> ndarray:
        """Return the product of a Legendre series and x.

        Parameters
        ----------
        c : array_like
            Coefficients, lowest degree first, of one dimension.

        Returns
        -------
        ndarray
            The product: one coefficient more than `c` without its trailing zeros, which waits for
            the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legmulx, legval
        >>> legval([0.0, 2.0], legmulx([3.0]))
        array([0., 6.])
        """
        (c,) = pu.as_series([c])
        return c if c.size == 1 and bool(c[0] == 0) else series.times_x(c, self.numbers)

    @public("{}mul")
    def mul(self, c1, c2) -> ndarray:
        """Multiply two Legendre series.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients, lowest degree first, of one dimension.

        Returns
        -------
        ndarray
            The product. Trailing zeros are dropped, which waits for the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legline, legmul, legval
        >>> legval([0.0, 1.0], legmul(legline(1, 2), legline(3, 4))).round(6)
        array([ 3., 21.])
        """
        return series.multiply(c1, c2, self.numbers)

    @public("{}div")
    def div(self, c1, c2) -> tuple[ndarray, ndarray]:
        """Divide two Legendre series and return quotient and remainder. Waits for the device.

        Parameters
        ----------
        c1, c2 : array_like
            Coefficients of the dividend and the divisor, lowest degree first, of one dimension.

        Returns
        -------
        quo, rem : ndarray
            Quotient and remainder, of degrees len(c1) - len(c2) and below len(c2) - 1.

        Raises
        ------
        ZeroDivisionError
            If the divisor is zero.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legdiv
        >>> legdiv([1, 2, 3], [2])
        (array([0.5, 1. , 1.5]), array([0.]))
        """
        return series.divide(c1, c2, self.mul)

    @public("{}pow")
    def pow(self, c, pow, maxpower=16) -> ndarray:
        """Return a power of a Legendre series.

        Parameters
        ----------
        c : array_like
            Coefficients, lowest degree first, of one dimension.
        pow : int
            Nonnegative integer exponent; others raise ValueError.
        maxpower : int, optional
            Largest exponent allowed, to bound the length of the result; a larger one raises
            ValueError. None means no limit.

        Returns
        -------
        ndarray
            The power. Trailing zeros are dropped, which waits for the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legline, legpow, legval
        >>> legval([0.0, 1.0], legpow(legline(1, 2), 3)).round(6)
        array([ 1., 27.])
        """
        return series.raise_to(c, pow, maxpower, self.mul)

    # ---- calculus ------------------------------------------------------------------------------

    @public("{}der")
    def der(self, c, m=1, scl=1, axis=0) -> ndarray:
        """Return the derivative of a Legendre series.

        Parameters
        ----------
        c : array_like
            Coefficients, lowest degree first, along `axis`.
        m : int, optional
            Order of the derivative, a nonnegative integer.
        scl : number, optional
            Factor of each derivative, for a change of variable.
        axis : int, optional
            Axis of the degrees; the other axes hold independent series.

        Returns
        -------
        ndarray
            Coefficients of the derivative: `m` fewer, but at least one.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legder, legline, legpow, legval
        >>> legval([0.0, 1.0], legder(legpow(legline(1, 2), 3))).round(6)
        array([ 6., 54.])
        """
        return series.derive(c, m, scl, axis, self.numbers)

    @public("{}int")
    def integ(self, c, m=1, k=[], lbnd=0, scl=1, axis=0) -> ndarray:  # noqa: B006
        """Return the antiderivative of a Legendre series.

        Parameters
        ----------
        c : array_like
            Coefficients, lowest degree first, along `axis`.
        m : int, optional
            Order of the integral, a nonnegative integer.
        k : list or scalar, optional
            Value of each antiderivative at `lbnd`, that of the first integral first; missing ones
            are zero.
        lbnd : scalar, optional
            Lower bound of the integrals.
        scl : scalar, optional
            Factor by which each antiderivative is multiplied before the constant is added.
        axis : int, optional
            Axis of the degrees; the other axes hold independent series.

        Returns
        -------
        ndarray
            Coefficients of the antiderivative: `m` more, but none more if `c` is the single
            coefficient zero; testing a single coefficient waits for the device.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legint, legline, legval
        >>> legval([0.0, 1.0], legint(legline(1, 2), k=7)).round(6)
        array([7., 9.])
        """
        how = series.Integration(m, k, lbnd, scl, axis)
        return series.integrate(c, how, self.numbers, self.val)

    # ---- values --------------------------------------------------------------------------------

    @public("{}val")
    def val(self, x, c, tensor=True) -> Any:
        """Evaluate a Legendre series at x.

        Parameters
        ----------
        x : array_like or series
            Points at which to evaluate. A series object gives the composition, as a series of its
            class.
        c : array_like
            Coefficients, lowest degree first, along the first axis; the other axes hold more
            series.
        tensor : bool, optional
            If True, evaluate each series at each x: the result has shape c.shape[1:] + x.shape.
            Otherwise x is broadcast over the series.

        Returns
        -------
        ndarray
            Values of the series.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legline, legval
        >>> legval([0.0, 1.0, 2.0], legline(3, 4))
        array([ 3.,  7., 11.])
        """
        return series.values(x, c, tensor, self.numbers)

    @public("{}val2d")
    def val2d(self, x, y, c) -> Any:
        """Evaluate a Legendre series in two variables at points (x, y).

        Parameters
        ----------
        x, y : array_like
            Coordinates of the points; different shapes raise ValueError.
        c : array_like
            Coefficients: c[i, j] belongs to degree i in x and j in y; further axes hold more
            series.

        Returns
        -------
        ndarray
            Values, of shape c.shape[2:] + x.shape.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legval2d
        >>> legval2d([0.0, 1.0], [2.0, 3.0], [[5.0]])
        array([5., 5.])
        """
        return series.values_nd(self.val, c, x, y)

    @public("{}val3d")
    def val3d(self, x, y, z, c) -> Any:
        """Evaluate a Legendre series in three variables at points (x, y, z).

        Parameters
        ----------
        x, y, z : array_like
            Coordinates of the points; different shapes raise ValueError.
        c : array_like
            Coefficients: c[i, j, k] belongs to degrees i in x, j in y and k in z; further axes hold
            more series.

        Returns
        -------
        ndarray
            Values, of shape c.shape[3:] + x.shape.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legval3d
        >>> legval3d([0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [[[6.0]]])
        array([6., 6.])
        """
        return series.values_nd(self.val, c, x, y, z)

    @public("{}valnd")
    def valnd(self, pts, c) -> Any:
        """Evaluate a Legendre series in any number of variables at points.

        Parameters
        ----------
        pts : sequence of array_like
            Coordinates of the points, one array for each variable; different shapes raise
            ValueError. An array of shape (N, M) holds M points in N variables.
        c : array_like
            Coefficients: c[i, j, ...] belongs to degree i in the first variable, j in the second
            and so on; further axes hold more series.

        Returns
        -------
        ndarray
            Values, of shape c.shape[N:] + pts[0].shape.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legvalnd
        >>> legvalnd([[0.0, 1.0], [2.0, 3.0]], [[5.0]])
        array([5., 5.])
        """
        points = tuple(pts)
        if not points:
            raise ValueError("pts must hold at least one array of coordinates")
        return series.values_nd(self.val, c, *points)

    @public("{}grid2d")
    def grid2d(self, x, y, c) -> Any:
        """Evaluate a Legendre series in two variables on the grid of all x and all y.

        Parameters
        ----------
        x, y : array_like
            Coordinates of the grid, of any shapes.
        c : array_like
            Coefficients: c[i, j] belongs to degree i in x and j in y; further axes hold more
            series.

        Returns
        -------
        ndarray
            Values, of shape c.shape[2:] + x.shape + y.shape.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import leggrid2d
        >>> leggrid2d([0.0, 1.0], [2.0, 3.0, 4.0], [[5.0]]).shape
        (2, 3)
        """
        return series.grid_nd(self.val, c, x, y)

    @public("{}grid3d")
    def grid3d(self, x, y, z, c) -> Any:
        """Evaluate a Legendre series in three variables on the grid of all x, all y and all z.

        Parameters
        ----------
        x, y, z : array_like
            Coordinates of the grid, of any shapes.
        c : array_like
            Coefficients: c[i, j, k] belongs to degrees i in x, j in y and k in z; further axes hold
            more series.

        Returns
        -------
        ndarray
            Values, of shape c.shape[3:] + x.shape + y.shape + z.shape.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import leggrid3d
        >>> leggrid3d([0.0, 1.0], [2.0, 3.0, 4.0], [5.0], [[[6.0]]]).shape
        (2, 3, 1)
        """
        return series.grid_nd(self.val, c, x, y, z)

    # ---- matrices ------------------------------------------------------------------------------

    @public("{}vander")
    def vander(self, x, deg) -> ndarray:
        """Return the basis functions at x as a matrix: ``legvander(x, n) @ c`` is ``legval(x, c)``.

        Parameters
        ----------
        x : array_like
            Points at which to evaluate; integers are converted to double precision.
        deg : int
            Highest degree, a nonnegative integer; others raise ValueError.

        Returns
        -------
        ndarray
            Array of shape x.shape + (deg + 1,), with the degrees along the last axis.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legvander
        >>> legvander([1.0, 2.0], 3).shape
        (2, 4)
        """
        return series.matrix(x, deg, self.numbers)

    @public("{}vander2d")
    def vander2d(self, x, y, deg) -> ndarray:
        """Return the products of the basis functions in x and in y as a matrix.

        Parameters
        ----------
        x, y : array_like
            Coordinates of the points, of equal shape.
        deg : list of int
            Highest degrees in x and in y.

        Returns
        -------
        ndarray
            Array of shape x.shape + ((deg[0] + 1) * (deg[1] + 1),); the degree in y varies fastest,
            as in a ravelled c of `legval2d`.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legvander2d
        >>> legvander2d([1.0, 2.0], [3.0, 4.0], [2, 1]).shape
        (2, 6)
        """
        return series.matrix_nd(self.vander, (x, y), deg)

    @public("{}vander3d")
    def vander3d(self, x, y, z, deg) -> ndarray:
        """Return the products of the basis functions in x, in y and in z as a matrix.

        Parameters
        ----------
        x, y, z : array_like
            Coordinates of the points, of equal shape.
        deg : list of int
            Highest degrees in x, in y and in z.

        Returns
        -------
        ndarray
            Array of shape x.shape + (n,), where n is the product of all deg + 1; the degree in z
            varies fastest, as in a ravelled c of `legval3d`.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legvander3d
        >>> legvander3d([1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [2, 1, 1]).shape
        (2, 12)
        """
        return series.matrix_nd(self.vander, (x, y, z), deg)

    @public("{}companion")
    def companion(self, c) -> ndarray:
        """Return the companion matrix of a Legendre series, whose eigenvalues are its roots.

        Parameters
        ----------
        c : array_like
            Coefficients, lowest degree first, of one dimension and at least degree 1; others raise
            ValueError.

        Returns
        -------
        ndarray
            Matrix of shape (degree, degree). It is scaled to be symmetric for a basis function of
            an orthogonal basis, so that its eigenvalues are more accurate.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legcompanion
        >>> legcompanion([1.0, 2.0, 3.0]).shape
        (2, 2)
        """
        return orthogonal.companion(c, self.numbers)

    @public("{}roots")
    def roots(self, c) -> ndarray:
        """Find the roots of a Legendre series. Waits for the device.

        Parameters
        ----------
        c : array_like
            Coefficients, lowest degree first, of one dimension.

        Returns
        -------
        ndarray
            Eigenvalues of `legcompanion`, sorted; real if all of them are.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legfromroots, legroots
        >>> legroots(legfromroots([3.0, 1.0, 2.0])).real.round(6)
        array([1., 2., 3.])
        """
        return orthogonal.roots(c, self.numbers, self.companion)

    @public("{}gauss")
    def gauss(self, deg) -> tuple[ndarray, ndarray]:
        """Compute the points and weights of Gauss quadrature with the weight function `legweight`.

        Parameters
        ----------
        deg : int
            Number of points, a positive integer; others raise ValueError. Polynomials up to degree
            2 * deg - 1 are integrated exactly, over the interval of `legweight`.

        Returns
        -------
        x, w : ndarray
            Points in ascending order, and their weights, in double precision.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import leggauss, legval
        >>> x, w = leggauss(4)
        >>> bool(abs((w * legval(x, [0.0, 1.0])).sum()) < 1e-9)
        True
        """
        return orthogonal.gauss(deg, self.numbers)

    @public("{}fit")
    def fit(self, x, y, deg, rcond=None, full=False, w=None) -> Any:
        """Fit a Legendre series to points by least squares.

        Parameters
        ----------
        x : array_like
            Positions of the points, of shape (M,).
        y : array_like
            Values at the points, of shape (M,), or (M, K) for K fits at once.
        deg : int or list of int
            Highest degree, or all degrees that the series has.
        rcond : float, optional
            Relative cutoff for small singular values. By default M times the precision of x.
        full : bool, optional
            If True, also return [residuals, rank, singular values, rcond].
        w : array_like, optional
            Weights, one for each point, that multiply the residuals.

        Returns
        -------
        ndarray, or (ndarray, list)
            Coefficients, lowest degree first, of shape (degree + 1,) or (degree + 1, K). Unless
            `full` is True the rank is checked, which waits for the device.

        Warns
        -----
        RankWarning
            The points do not determine the coefficients.

        Examples
        --------
        >>> from gpunp.polynomial.legendre import legfit
        >>> legfit([0.0, 1.0, 2.0], [5.0, 5.0, 5.0], [0]).round(6)
        array([5.])
        """
        return orthogonal.fit(self.vander, x, y, deg, (rcond, full, w))
