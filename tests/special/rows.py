"""The rows of tables/special.def as test cases: points, references and limits by name.

`points_<family>.py` beside this file holds, by names of functions:

POINTS      a list of tuples of argument values, which are combined by product; complex values are for
            the complex loops.
REFERENCE   the function in mpmath, where that is reliable and quick; SciPy otherwise.
COMPLEX_REFERENCE   the same for complex arguments, asked where SciPy's value is another.
LIMITS      {"f64": ulp, "f32": ulp, "c128": relative error, "scipy": relative error against SciPy,
            "scale": function of the arguments whose value errors are relative to, "why": ...}: where
            they differ from the row's.
DIFFERS     [(arguments ..., our value, why)]: where SciPy is wrong; None stands for any argument.
"""

import importlib
import itertools
import math
from pathlib import Path

import mpmath
import numpy as np
import scipy.special

import gpunp as cp
from gpunp.scipy.special import _ufuncs

__all__ = [
    "COMPLEX_REFERENCE",
    "LIMITS",
    "REFERENCE",
    "ROWS",
    "arguments",
    "differs",
    "error_in_ulps",
    "exact_outputs",
    "ours",
    "theirs",
]

ROWS = {row["name"]: row for row in cp._C.special_table()}
POINTS, REFERENCE, COMPLEX_REFERENCE, LIMITS, DIFFERS = {}, {}, {}, {}, {}
for path in sorted(Path(__file__).parent.glob("points_*.py")):
    module = importlib.import_module(path.stem)
    for table in ("REFERENCE", "COMPLEX_REFERENCE", "LIMITS", "DIFFERS"):
        globals()[table].update(getattr(module, table, {}))
    for key, lists in module.POINTS.items():
        POINTS[key] = [*POINTS.get(key, []), *lists]

DEFAULT = [
    -2.5,
    -1.0,
    -0.5,
    0.0,
    0.1,
    0.5,
    1.0,
    1.5,
    2.0,
    3.7,
    10.0,
    50.0,
    math.nan,
    math.inf,
    -math.inf,
]


def theirs(name):
    """SciPy's ufunc of that name, private ones included; None where it has none."""
    found = getattr(scipy.special, name, None)
    return found if isinstance(found, np.ufunc) else getattr(scipy.special._ufuncs, name, None)


def ours(name):
    """The ufunc of that name."""
    return getattr(_ufuncs, name)


def arguments(name, kind, limit=4000):
    """Arrays of arguments, one for each input, for the real (`f`) or complex (`c`) loops."""
    nin = ROWS[name]["nin"]
    sets = POINTS.get(name) or [(DEFAULT,) * nin]
    columns = [[] for _ in range(nin)]
    for lists in sets:
        if any(np.iscomplexobj(values) for values in lists) != (kind == "c"):
            continue
        combined = list(itertools.product(*[np.ravel(values).tolist() for values in lists]))
        for point in combined[:: len(combined) // limit + 1]:
            for column, value in zip(columns, point, strict=True):
                column.append(value)
    return [np.array(column) for column in columns]


def differs(name, point):
    """Whether SciPy is known to be wrong at this point."""
    return any(
        all(a is None or a == b or (a != a and b != b) for a, b in zip(entry, point, strict=False))
        for entry in DIFFERS.get(name, ())
    )


def exact_outputs(name, point):
    """mpmath's values at a point, as a tuple of real numbers; None where it has none."""
    if name not in REFERENCE or not all(math.isfinite(p) for p in point):
        return None
    try:
        found = REFERENCE[name](*[mpmath.mpf(p) for p in point])
    except (ArithmeticError, ValueError, TypeError, RecursionError, mpmath.libmp.NoConvergence):
        return None
    found = found if isinstance(found, tuple) else (found,)
    if any(mpmath.im(value) or not mpmath.isfinite(value) for value in found):
        return None
    return tuple(mpmath.mpf(mpmath.re(value)) for value in found)


def error_in_ulps(actual, exact, scale=0.0):
    """The distance of a float64 from an mpmath number, in units of the latter's last place."""
    nearest = float(exact)
    if math.isnan(actual) or math.isinf(actual) or math.isinf(nearest):
        return (
            0.0 if actual == nearest or (math.isnan(actual) and mpmath.isnan(exact)) else math.inf
        )
    unit = math.ulp(max(abs(nearest), abs(scale)))
    return float(abs(mpmath.mpf(actual) - exact) / unit)
