"""Coefficients of kernels/special: `python tools/minimax.py [FAMILY...]`.

`tools/fits/FAMILY.py` lists fits and tables; this writes them to
`kernels/special/FAMILY_fits.cuh`. A fit is the polynomial, or the quotient of two, whose largest
weighted error over an interval is least, found by the exchange algorithm of Remez in 60 decimal
digits. A polynomial's coefficients are then rounded to the device's type one by one, lowest power
first, and after each the ones above it are fitted again to what remains (after the idea of
Brisebarre and Chevillard, "Efficient polynomial L-infinity approximations", 2007), or all at once
where that is better; those of a quotient all at once. Needs mpmath.
"""

import importlib
import sys
from dataclasses import dataclass, field
from pathlib import Path

import mpmath as mp

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(__file__).resolve().parent / "fits"
mp.mp.dps = 60
MOST_FITTED_AGAIN = 17  # a polynomial of higher degree is rounded at once: each fit takes seconds


@dataclass
class Fit:
    """One approximation: `function`(x) over `interval`, x an mpmath number.

    `degree` is that of a polynomial, or a pair for a quotient P/Q with Q(0) = 1. The error is
    relative unless `weight`, which it is multiplied by, is given. `type` is f64 or f32. `fixed` has
    leading coefficients (powers 0, 1 ...) that are given, not fitted. Odd and even functions are
    written by their square: `function` takes the variable of the polynomial.
    """

    name: str
    function: object
    interval: tuple
    degree: object
    about: str
    weight: object = None
    type: str = "f64"
    fixed: tuple = ()


@dataclass
class Table:
    """Numbers that are known without a fit: `values` is a list, or a function that returns it."""

    name: str
    values: object
    about: str
    type: str = "f64"
    rows: list = field(default_factory=list)


# ---- rounding ------------------------------------------------------------------------------------


def rounded(x, type_):
    """`x` rounded to nearest in f64 or f32, as an mpmath number; whole numbers stay."""
    if type_ == "u64":
        return x
    with mp.workprec(53 if type_ == "f64" else 24):
        return +mp.mpf(x)


def literal(x, type_):
    """A hexadecimal literal of C++17."""
    if type_ == "u64":
        return f"{x:#018x}ull"
    text = float(x).hex()
    if "p" in text:
        mantissa, power = text.split("p")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}p{power}"
    return text + ("f" if type_ == "f32" else "")


def horner(coefficients, x):
    """The polynomial with these coefficients, lowest power first."""
    total = mp.mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


# ---- exchange ------------------------------------------------------------------------------------


def chebyshev_points(a, b, n):
    """n points of [a, b], dense at the ends as extrema of a best approximation are."""
    return [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * i / (n - 1)) for i in range(n)]


def extremum(error, lo, mid, hi):
    """The place between lo and hi where |error| is largest, by parabolas through three points."""
    points = [(x, abs(error(x))) for x in (lo, mid, hi)]
    for _ in range(4):
        (x0, y0), (x1, y1), (x2, y2) = points
        below = (x1 - x0) * (y1 - y2) - (x1 - x2) * (y1 - y0)
        if below == 0:
            break
        x = x1 - ((x1 - x0) ** 2 * (y1 - y2) - (x1 - x2) ** 2 * (y1 - y0)) / (2 * below)
        if not x0 < x < x2 or x == x1:
            break
        y = abs(error(x))
        if y > y1:
            points = [points[0], (x, y), points[1]] if x < x1 else [points[1], (x, y), points[2]]
        else:
            points = [(x, y), *points[1:]] if x < x1 else [*points[:2], (x, y)]
    return points[1][0]


def alternation(error, a, b, n, values, grid):
    """n places where the error is extreme with alternating signs, from its values on a grid."""
    runs = []
    for x, e in zip(grid, values, strict=True):
        if runs and (e > 0) == (runs[-1][1] > 0):
            if abs(e) > abs(runs[-1][1]):
                runs[-1] = (x, e)
        else:
            runs.append((x, e))
    while len(runs) > n:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    if len(runs) < n:
        return None
    places = []
    for x, _ in runs:
        i = grid.index(x)
        inner = 0 < i < len(grid) - 1
        places.append(extremum(error, grid[i - 1], x, grid[i + 1]) if inner else x)
    return places


def polynomial_through(f, w, xs, p, first):
    """The coefficients of P and the levelled error through p + 2 points."""
    n = p + 2
    matrix, right = mp.matrix(n, n), mp.matrix(n, 1)
    for i, x in enumerate(xs):
        for k in range(p + 1):
            matrix[i, k] = x ** (k + first)
        matrix[i, n - 1] = (-1) ** i / w[i]
        right[i] = f[i]
    c = mp.lu_solve(matrix, right)
    return [c[k] for k in range(p + 1)], [mp.mpf(1)], abs(c[n - 1])


def quotient_through(f, w, xs, p, q):
    """P, Q and the levelled error through p + q + 2 points.

    P - f Q = +-E Q / w is an eigenvalue problem for the values of Q once P is eliminated; of its
    solutions one has a Q without a change of sign at the points (Powell 1981, section 10.2).
    """
    n = p + q + 2
    powers = mp.matrix(n, p + 1)
    for i, x in enumerate(xs):
        for k in range(p + 1):
            powers[i, k] = x**k
    basis, _ = mp.qr(powers)
    left, right = mp.matrix(q + 1, q + 1), mp.matrix(q + 1, q + 1)
    for row in range(q + 1):
        for k in range(q + 1):
            for i, x in enumerate(xs):
                item = basis[i, p + 1 + row] * x**k
                left[row, k] += item * f[i]
                right[row, k] += item * (-1) ** i / w[i]
    levels, vectors = mp.eig(mp.inverse(right) * left)
    found = None
    for j, level in enumerate(levels):
        if abs(mp.im(level)) > abs(level) * mp.mpf(10) ** -5:
            continue
        scale = vectors[0, j]
        bottom = [mp.re(vectors[k, j] / scale) for k in range(q + 1)]
        values = [horner(bottom, x) for x in xs]
        if all(v > 0 for v in values) or all(v < 0 for v in values):
            level = -mp.re(level)
            target = mp.matrix([(f[i] + (-1) ** i * level / w[i]) * values[i] for i in range(n)])
            top = mp.lu_solve(powers[: p + 1, :], target[: p + 1])
            if found is None or abs(level) < found[2]:
                found = [top[k] for k in range(p + 1)], bottom, abs(level)
    return found


def remez(function, interval, p, q=0, weight=None, first=0):
    """Coefficients of P (powers from `first`) and Q, and the largest weighted error.

    Raises
    ------
    ArithmeticError
        If the exchange does not settle: another degree or interval is wanted.
    """
    a, b = mp.mpf(interval[0]), mp.mpf(interval[1])
    n = p + q + 2
    known = {}

    def at(x):
        if x not in known:
            value = mp.mpf(function(x))
            known[x] = (value, mp.mpf(weight(x)) if weight else 1 / abs(value))
        return known[x]

    def error(x):
        value, scale = at(x)
        bottom = horner(coefficients_q, x)
        return (horner(coefficients_p, x) * x**first / bottom - value) * scale

    grid = chebyshev_points(a, b, 12 * n + 1)
    xs = chebyshev_points(a, b, n)
    if first:  # a common factor x**first leaves no error at 0
        xs = [x if x != 0 else (b - a) / (100 * n * n) for x in xs]
    best = None
    for _ in range(30):
        values = [at(x) for x in xs]
        f, w = [v[0] for v in values], [v[1] for v in values]
        found = quotient_through(f, w, xs, p, q) if q else polynomial_through(f, w, xs, p, first)
        if found is None:
            return best
        coefficients_p, coefficients_q, level = found
        errors = [error(x) for x in grid]
        largest = max(abs(e) for e in errors)
        if best is None or largest < best[2]:
            best = coefficients_p, coefficients_q, largest
        if largest <= level * mp.mpf("1.001"):
            return best
        following = alternation(error, a, b, n, errors, grid)
        if following is None:
            return best
        xs = following
    return best


# ---- fits with rounded coefficients --------------------------------------------------------------


def largest_error(fit, top, bottom=(1,)):
    """The largest weighted error of P / Q over the interval."""
    weight = fit.weight or (lambda x: 1 / abs(mp.mpf(fit.function(x))))
    ends = [mp.mpf(e) for e in fit.interval]
    grid = chebyshev_points(*ends, 12 * (len(top) + len(bottom)) + 40)
    return max(
        abs(horner(top, x) / horner(bottom, x) - mp.mpf(fit.function(x))) * weight(x) for x in grid
    )


def fitted_again(fit):
    """Coefficients that are rounded one by one, the rest fitted to what remains."""
    done = [rounded(c, fit.type) for c in fit.fixed]
    weight = fit.weight or (lambda x: 1 / abs(mp.mpf(fit.function(x))))
    known = {}

    def rest(x):
        if x not in known:
            known[x] = mp.mpf(fit.function(x))
        return known[x] - (horner(done, x) if done else 0)

    while len(done) <= fit.degree:
        found = remez(rest, fit.interval, fit.degree - len(done), 0, weight, len(done))
        if found is None:
            return None
        done.append(rounded(found[0][0], fit.type))
    return done


def rounded_polynomial(fit):
    """The rounded coefficients of a polynomial, and its largest error."""
    choices = [fitted_again(fit)] if fit.degree <= MOST_FITTED_AGAIN or fit.fixed else []
    if not fit.fixed:
        found = remez(fit.function, fit.interval, fit.degree, 0, fit.weight)
        choices.append(found and [rounded(c, fit.type) for c in found[0]])
    choices = [(largest_error(fit, c), c) for c in choices if c]
    if not choices:
        raise ArithmeticError(f"{fit.name}: no fit")
    error, best = min(choices, key=lambda choice: choice[0])
    return best, error


def rounded_quotient(fit):
    """The rounded coefficients of P and Q, and the largest error; of less degree where 60 digits do
    not suffice for the one wanted."""
    p, q = fit.degree
    found = None
    while found is None and p > 2 and q > 2:
        found = remez(fit.function, fit.interval, p, q, fit.weight)
        p, q = p - 1, q - 1
    if found is None:
        raise ArithmeticError(f"{fit.name}: no fit")
    top, bottom = ([rounded(c, fit.type) for c in part] for part in found[:2])
    return top, bottom, largest_error(fit, top, bottom)


# ---- text ----------------------------------------------------------------------------------------


def array(name, values, type_):
    """The definition of an array of constants."""
    lines, line = [], "   "
    for value in values:
        item = f" {literal(value, type_)},"
        if len(line) + len(item) > 118:
            lines.append(line)
            line = "   "
        line += item
    # In f32 the coefficients become immediate operands; instructions of f64 have none.
    space = "__constant__" if type_ == "f64" else "__device__ constexpr"
    return f"static {space} {type_} {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def text_of(item):
    """The lines of one fit or table."""
    if isinstance(item, Table):
        values = item.values() if callable(item.values) else item.values
        return f"// {item.about}.\n" + array(
            item.name, [rounded(v, item.type) for v in values], item.type
        )
    a, b = (mp.nstr(mp.mpf(e), 8) for e in item.interval)
    kind = "absolute" if item.weight else "relative"
    if isinstance(item.degree, tuple):
        top, bottom, largest = rounded_quotient(item)
        code = array(item.name + "_P", top, item.type) + array(item.name + "_Q", bottom, item.type)
    else:
        done, largest = rounded_polynomial(item)
        code = array(item.name, done, item.type)
    power = mp.nstr(mp.log(largest, 2), 4) if largest else "-inf"
    kind = "weighted" if item.weight else kind
    return f"// {item.about} for x in [{a}, {b}]: {kind} error 2^{power}.\n{code}"


def family(name):
    """The text of kernels/special/NAME_fits.cuh."""
    sys.path.insert(0, str(FOLDER))
    module = importlib.import_module(name)
    guard = f"GNP_SPECIAL_{name.upper()}_FITS_CUH"
    parts = [
        f"// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/{name}.py.\n"
        f'#ifndef {guard}\n#define {guard}\n\n#include "gnp.cuh"\n\nnamespace special {{\n'
    ]
    for item in module.FITS:
        print(f"{name}: {item.name}", file=sys.stderr, flush=True)
        parts.append(text_of(item))
    return "\n".join([*parts, "}\n\n#endif\n"])


def main(names):
    """Write the coefficients of the families named, or of all."""
    for name in names or sorted(p.stem for p in FOLDER.glob("*.py") if p.stem != "__init__"):
        (ROOT / "kernels" / "special" / f"{name}_fits.cuh").write_text(family(name))


if __name__ == "__main__":
    sys.modules["minimax"] = sys.modules["__main__"]
    main(sys.argv[1:])
