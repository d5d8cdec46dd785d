"""ABCPolyBase: base class of the series classes, as in numpy.polynomial."""

import abc
import numbers
import operator
from typing import Any

import numpy as np

from .._core._convert import as_array, as_host
from .._core.function_base import linspace
from .._core.multiarray import ndarray, zeros
from . import polyutils as pu
from ._basis import Basis

__all__ = ["ABCPolyBase", "set_default_printstyle"]

_style = {"unicode": True}

# What a class calls the functions of its basis, and what `Basis` calls them.
_FUNCTIONS = {
    "_add": "add",
    "_sub": "sub",
    "_mul": "mul",
    "_div": "div",
    "_pow": "pow",
    "_val": "val",
    "_int": "integ",
    "_der": "der",
    "_fit": "fit",
    "_line": "line",
    "_roots": "roots",
    "_fromroots": "fromroots",
}

_CLASS = """Series of the {name} basis, with arithmetic, evaluation, roots and fits.

Parameters
----------
coef : array_like
    Coefficients of the series, lowest degree first.
domain, window : pair of numbers, optional
    Domain, which is mapped linearly to the window before the series is evaluated.
symbol : str, optional
    Name of the variable of the series.

Examples
--------
>>> import gpunp as cp
>>> p = cp.polynomial.{kind}(cp.array([1.0, 2.0, 3.0]))
>>> p.degree(), p.deriv().coef.size
(2, 2)
"""


def set_default_printstyle(style) -> None:
    """Set the style in which `str` writes polynomials.

    Parameters
    ----------
    style : {'ascii', 'unicode'}
        Whether powers and subscripts are ASCII or Unicode.
    """
    if style not in ("unicode", "ascii"):
        raise ValueError(
            f"Unsupported format string '{style}'. Valid options are 'ascii' and 'unicode'"
        )
    _style["unicode"] = style == "unicode"


class ABCPolyBase(abc.ABC):
    """Series with a domain, a window and a symbol; subclasses name the functions of their basis.

    Coefficients are a device array; domain and window are host arrays of two numbers.
    """

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None
    maxpower = 100
    _symbol = "x"
    domain: Any
    window: Any
    basis_name: str | None
    _add: Any
    _sub: Any
    _mul: Any
    _div: Any
    _pow: Any
    _val: Any
    _int: Any
    _der: Any
    _fit: Any
    _line: Any
    _roots: Any
    _fromroots: Any

    def __init_subclass__(cls, functions: Basis | None = None, **kwargs: Any) -> None:
        """A class of series in a basis; a subclass of such a class needs no `functions`."""
        super().__init_subclass__(**kwargs)
        if functions is None:
            return
        for name, own in _FUNCTIONS.items():
            setattr(cls, name, staticmethod(getattr(functions, own)))
        cls.domain, cls.window = (np.array(functions.domain, float) for _ in range(2))
        cls.__doc__ = _CLASS.format(name=functions.name, kind=cls.__name__)

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        (coef,) = pu.as_series([coef], trim=False)
        self.coef = coef
        self.domain = _interval(self.domain if domain is None else domain, "Domain")
        self.window = _interval(self.window if window is None else window, "Window")
        if not isinstance(symbol, str) or not symbol.isidentifier():
            kind = ValueError if isinstance(symbol, str) else TypeError
            raise kind("Symbol string must be a valid Python identifier")
        self._symbol = symbol

    @property
    def symbol(self) -> str:
        """The variable's name."""
        return self._symbol

    def _made(self, coef: Any) -> Any:
        """Another series like this one."""
        return self.__class__(coef, self.domain, self.window, self.symbol)

    # ---- comparison ----------------------------------------------------------------------------

    def has_samecoef(self, other) -> bool:
        """Return whether both series have the same coefficients. Waits for the device.

        Parameters
        ----------
        other : series
            Series to compare with.

        Returns
        -------
        bool
            True if the lengths agree as well.
        """
        return self.coef.size == other.coef.size and bool((self.coef == other.coef).all())

    def has_samedomain(self, other) -> bool:
        """Return whether both series have the same domain.

        Parameters
        ----------
        other : series
            Series to compare with.

        Returns
        -------
        bool
            The domains are on the host: nothing waits.
        """
        return bool(np.all(self.domain == other.domain))

    def has_samewindow(self, other) -> bool:
        """Return whether both series have the same window.

        Parameters
        ----------
        other : series
            Series to compare with.

        Returns
        -------
        bool
            The windows are on the host: nothing waits.
        """
        return bool(np.all(self.window == other.window))

    def has_sametype(self, other) -> bool:
        """Return whether `other` is an instance of this class.

        Parameters
        ----------
        other : object
            Object to compare with.

        Returns
        -------
        bool
            True for subclasses as well.
        """
        return isinstance(other, self.__class__)

    def __eq__(self, other):
        return (
            isinstance(other, self.__class__)
            and self.has_samedomain(other)
            and self.has_samewindow(other)
            and self.has_samecoef(other)
            and self.symbol == other.symbol
        )

    def __ne__(self, other):
        return not self.__eq__(other)

    # ---- text ----------------------------------------------------------------------------------

    def _host(self) -> Any:
        """NumPy's series of the same coefficients, for its texts."""
        kind = next(c for c in type(self).__mro__ if hasattr(np.polynomial, c.__name__))
        return getattr(np.polynomial, kind.__name__)(
            self.coef.get(), self.domain, self.window, self.symbol
        )

    def _text(self, unicode: bool) -> str:
        """NumPy's text of the same series."""
        return format(self._host(), "unicode" if unicode else "ascii")

    def _repr_latex_(self) -> str:
        """What a notebook shows."""
        return self._host()._repr_latex_()

    def __repr__(self) -> str:
        parts = [
            repr(self.coef)[6:-1],
            f"domain={repr(self.domain)[6:-1]}",
            f"window={repr(self.window)[6:-1]}",
            f"symbol='{self.symbol}'",
        ]
        return f"{self.__class__.__name__}({', '.join(parts)})"

    def __format__(self, spec: str) -> str:
        if spec not in ("", "ascii", "unicode"):
            raise ValueError(
                f"Unsupported format string '{spec}' passed to {self.__class__}.__format__. "
                "Valid options are 'ascii' and 'unicode'"
            )
        unicode = _style["unicode"] if spec == "" else spec == "unicode"
        return self._text(unicode)

    def __str__(self) -> str:
        return self._text(_style["unicode"])

    # ---- pickling, iteration, values -----------------------------------------------------------

    def __getstate__(self):
        return {**self.__dict__, "coef": self.coef.copy()}

    def __setstate__(self, state):
        self.__dict__ = state

    def __call__(self, arg):
        return self._val(pu.mapdomain(arg, self.domain, self.window), self.coef)

    def __iter__(self):
        return iter(self.coef)

    def __len__(self) -> int:
        return len(self.coef)

    # ---- arithmetic ----------------------------------------------------------------------------

    def _other(self, other: Any) -> Any:
        """The coefficients of the other operand."""
        if not isinstance(other, ABCPolyBase):
            return other
        if not isinstance(other, self.__class__):
            raise TypeError("Polynomial types differ")
        if not self.has_samedomain(other):
            raise TypeError("Domains differ")
        if not self.has_samewindow(other):
            raise TypeError("Windows differ")
        if self.symbol != other.symbol:
            raise ValueError("Polynomial symbols differ")
        return other.coef

    def _operate(self, function: Any, other: Any, swapped: bool = False) -> Any:
        """function(self, other), or the other way round; NotImplemented where that cannot be."""
        other = self._other(other)
        try:
            coef = function(other, self.coef) if swapped else function(self.coef, other)
        except ZeroDivisionError:
            raise
        except Exception:
            return NotImplemented
        return self._made(coef)

    def __neg__(self):
        return self._made(-self.coef)

    def __pos__(self):
        return self

    def __add__(self, other):
        return self._operate(self._add, other)

    def __sub__(self, other):
        return self._operate(self._sub, other)

    def __mul__(self, other):
        return self._operate(self._mul, other)

    def __radd__(self, other):
        return self._operate(self._add, other, True)

    def __rsub__(self, other):
        return self._operate(self._sub, other, True)

    def __rmul__(self, other):
        return self._operate(self._mul, other, True)

    def __truediv__(self, other):
        if not isinstance(other, numbers.Number) or isinstance(other, bool):
            raise TypeError(
                f"unsupported types for true division: '{type(self)}', '{type(other)}'; "
                "use // for a quotient and remainder of polynomials"
            )
        return self.__floordiv__(other)

    def __rtruediv__(self, other):
        return NotImplemented

    def __divmod__(self, other):
        other = self._other(other)
        try:
            quotient, rest = self._div(self.coef, other)
        except ZeroDivisionError:
            raise
        except Exception:
            return NotImplemented
        return self._made(quotient), self._made(rest)

    def __rdivmod__(self, other):
        try:
            quotient, rest = self._div(other, self.coef)
        except ZeroDivisionError:
            raise
        except Exception:
            return NotImplemented
        return self._made(quotient), self._made(rest)

    def __floordiv__(self, other):
        both = self.__divmod__(other)
        return both if both is NotImplemented else both[0]

    def __mod__(self, other):
        both = self.__divmod__(other)
        return both if both is NotImplemented else both[1]

    def __rfloordiv__(self, other):
        both = self.__rdivmod__(other)
        return both if both is NotImplemented else both[0]

    def __rmod__(self, other):
        both = self.__rdivmod__(other)
        return both if both is NotImplemented else both[1]

    def __pow__(self, other):
        return self._made(self._pow(self.coef, other, maxpower=self.maxpower))

    # ---- lengths -------------------------------------------------------------------------------

    def copy(self):
        """Return a copy of the series.

        Returns
        -------
        series
            Series with its own coefficients.
        """
        return self._made(self.coef)

    def degree(self) -> int:
        """Return the degree: the number of coefficients minus one, including zeros.

        Returns
        -------
        int
            The degree; nothing waits.
        """
        return len(self) - 1

    def cutdeg(self, deg):
        """Return the series without the terms above a degree.

        Parameters
        ----------
        deg : int
            Highest degree that is kept.

        Returns
        -------
        series
            Series with the terms up to `deg`.
        """
        return self.truncate(deg + 1)

    def trim(self, tol=0):
        """Drop trailing terms that are no larger than `tol`. Waits for the device.

        Parameters
        ----------
        tol : number, optional
            Largest absolute value that is dropped.

        Returns
        -------
        series
            Series of at least one term.
        """
        return self._made(pu.trimcoef(self.coef, tol))

    def truncate(self, size):
        """Return the first `size` terms of the series.

        Parameters
        ----------
        size : int
            Number of terms to keep, a positive integer; others raise ValueError.

        Returns
        -------
        series
            Series of `size` terms.
        """
        count = int(size)
        if count != size or count < 1:
            raise ValueError("size must be a positive integer")
        return self._made(self.coef if count >= len(self.coef) else self.coef[:count])

    # ---- other bases, domains ------------------------------------------------------------------

    def convert(self, domain=None, kind=None, window=None):
        """Convert to a series of another class, domain or window.

        Parameters
        ----------
        domain : pair of numbers, optional
            Domain of the result. By default that of its class.
        kind : class, optional
            Class of the result. By default this class.
        window : pair of numbers, optional
            Window of the result. By default that of its class.

        Returns
        -------
        series
            Series of the same function.

        Examples
        --------
        >>> from gpunp.polynomial import Legendre, Polynomial
        >>> Polynomial([0.0, 0.0, 3.0]).convert(kind=Legendre).coef.round(6) + 0
        array([1., 0., 2.])
        """
        kind = self.__class__ if kind is None else kind
        domain = kind.domain if domain is None else domain
        window = kind.window if window is None else window
        return self(kind.identity(domain, window=window, symbol=self.symbol))

    def mapparms(self):
        """Return offset and scale of the line that maps the domain to the window.

        Returns
        -------
        offset, scale : number
            Numbers with window = offset + scale * domain.
        """
        return pu.mapparms(self.domain, self.window)

    def linspace(self, n=100, domain=None):
        """Evaluate the series at `n` evenly spaced points of the domain.

        Parameters
        ----------
        n : int, optional
            Number of points to evaluate.
        domain : pair of numbers, optional
            Interval of the points. By default the domain of the series.

        Returns
        -------
        x, y : ndarray
            Points and values.
        """
        first, last = self.domain if domain is None else domain
        x = linspace(first, last, n)
        return x, self(x)

    # ---- calculus, roots -----------------------------------------------------------------------

    def integ(self, m=1, k=[], lbnd=None):  # noqa: B006
        """Return the antiderivative of order `m`.

        Parameters
        ----------
        m : int, optional
            Order of the antiderivative, a nonnegative integer.
        k : list or scalar, optional
            Values at `lbnd`, that of the first integral first; missing ones are zero.
        lbnd : number, optional
            Lower bound of the integrals, in the domain. By default 0 of the window.

        Returns
        -------
        series
            Series with `m` more terms.
        """
        offset, scale = self.mapparms()
        lower = 0 if lbnd is None else offset + scale * lbnd
        return self._made(self._int(self.coef, m, k, lower, 1.0 / scale))

    def deriv(self, m=1):
        """Return the derivative of order `m`.

        Parameters
        ----------
        m : int, optional
            Order of the derivative, a nonnegative integer.

        Returns
        -------
        series
            Series with `m` fewer terms, but at least one.
        """
        _, scale = self.mapparms()
        return self._made(self._der(self.coef, m, scale))

    def roots(self) -> ndarray:
        """Compute the roots, in the domain. Waits for the device.

        Returns
        -------
        ndarray
            Sorted roots; real if all of them are.

        Examples
        --------
        >>> from gpunp.polynomial import Polynomial
        >>> Polynomial([2.0, -3.0, 1.0]).roots().real.round(6)
        array([1., 2.])
        """
        return pu.mapdomain(self._roots(self.coef), self.window, self.domain)

    # ---- constructors---------------------------------------------------------------------------

    @classmethod
    def fit(cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        """Fit a series to points by least squares.

        Parameters
        ----------
        x, y : array_like
            Positions of the points, and values there.
        deg : int or list of int
            Highest degree, or all degrees that the series has.
        domain : pair of numbers, optional
            Domain of the result. None means the range of `x`, which waits for the device; [] means
            that of the class.
        rcond, full, w
            Options of the fit, as for the function of the basis.
        window : pair of numbers, optional
            Window of the result. By default that of the class.
        symbol : str, optional
            Name of the variable of the series.

        Returns
        -------
        series, or (series, list) with `full`
            Fitted series; with `full` also [residuals, rank, singular values, rcond].
        """
        x = as_array(x)
        if domain is None:
            domain = pu.getdomain(x).get()
            if domain[0] == domain[1]:
                domain = domain + np.array([-1, 1])
        elif isinstance(domain, list) and len(domain) == 0:
            domain = cls.domain
        window = cls.window if window is None else window
        found = cls._fit(pu.mapdomain(x, domain, window), y, deg, w=w, rcond=rcond, full=full)
        if not full:
            return cls(found, domain=domain, window=window, symbol=symbol)
        return cls(found[0], domain=domain, window=window, symbol=symbol), found[1]

    @classmethod
    def fromroots(cls, roots, domain=[], window=None, symbol="x"):  # noqa: B006
        """Return the series with given roots whose highest coefficient in the window is 1.

        Parameters
        ----------
        roots : array_like
            Roots of the series, in one dimension.
        domain : pair of numbers, optional
            Domain of the result. None means the range of the roots, which waits for the device. By
            default that of the class.
        window : pair of numbers, optional
            Window of the result. By default that of the class.
        symbol : str, optional
            Name of the variable of the series.

        Returns
        -------
        series
            Series with len(roots) + 1 terms.
        """
        (roots,) = pu.as_series([roots], trim=False)
        if domain is None:
            domain = pu.getdomain(roots).get()
        elif isinstance(domain, list) and len(domain) == 0:
            domain = cls.domain
        window = cls.window if window is None else window
        offset, scale = pu.mapparms(domain, window)
        coef = cls._fromroots(offset + scale * roots) / scale ** len(roots)
        return cls(coef, domain=domain, window=window, symbol=symbol)

    @classmethod
    def identity(cls, domain=None, window=None, symbol="x"):
        """Return the series p with p(x) = x.

        Parameters
        ----------
        domain, window : pair of numbers, optional
            Domain and window of the result. By default those of the class.
        symbol : str, optional
            Name of the variable of the series.

        Returns
        -------
        series
            Series of degree 1.
        """
        domain = cls.domain if domain is None else domain
        window = cls.window if window is None else window
        offset, scale = pu.mapparms(window, domain)
        return cls(cls._line(offset, scale), domain, window, symbol)

    @classmethod
    def basis(cls, deg, domain=None, window=None, symbol="x"):
        """Return the basis function of a degree as a series.

        Parameters
        ----------
        deg : int
            Degree, a nonnegative integer; others raise ValueError.
        domain, window : pair of numbers, optional
            Domain and window of the result. By default those of the class.
        symbol : str, optional
            Name of the variable of the series.

        Returns
        -------
        series
            Series whose last of deg + 1 coefficients is 1 and the others 0.
        """
        n = operator.index(deg) if not isinstance(deg, float) else int(deg)
        if n != deg or n < 0:
            raise ValueError("deg must be non-negative integer")
        coefficients = zeros(n + 1, int)
        coefficients[n] = 1
        return cls(coefficients, domain, window, symbol)

    @classmethod
    def cast(cls, series, domain=None, window=None):
        """Convert a series of any class to this class.

        Parameters
        ----------
        series : series
            Series of any class of polynomials.
        domain, window : pair of numbers, optional
            Domain and window of the result. By default those of the class.

        Returns
        -------
        series
            Series of the same function.
        """
        domain = cls.domain if domain is None else domain
        window = cls.window if window is None else window
        return series.convert(domain, cls, window)


def _interval(given: Any, name: str) -> Any:
    """Two numbers on the host, in floating-point, the series' own."""
    given = given.get() if isinstance(given, ndarray) else as_host(given).copy()
    if given.shape != (2,):
        raise ValueError(f"{name} has wrong number of elements.")
    return given if given.dtype.kind in "fc" else given.astype(float)
