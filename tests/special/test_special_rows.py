"""Every row of tables/special.def against SciPy and mpmath: loops, values, special values."""

import itertools
import math
import pickle
import sys
import warnings

import mpmath
import numpy as np
import pytest
import scipy.special
from rows import (
    COMPLEX_REFERENCE,
    LIMITS,
    REFERENCE,
    ROWS,
    arguments,
    differs,
    error_in_ulps,
    exact_outputs,
    ours,
    theirs,
)

import gpunp as cp

NAMES = sorted(name for name in ROWS if theirs(name) is not None)
SAMPLE, SLOW_SAMPLE = 40, 150  # points of a function that are compared with mpmath
WITH_COMPLEX = [
    name for name in NAMES if any(t[0] in "FD" or t[-1] in "FD" for t in ROWS[name]["types"])
]


def evaluate(name, columns):
    """The outputs on the device, as a list of NumPy arrays."""
    result = ours(name)(*[cp.asarray(column) for column in columns])
    return [cp.asnumpy(r) for r in (result if isinstance(result, tuple) else (result,))]


# SciPy 1.18 lists float32 before float64 in all its functions; until then 65 had float64 first.
SINGLE_FIRST = scipy.special.gammaln.types[0] == "f->f"


def expected(name, columns):
    """SciPy's outputs, as a list."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        result = theirs(name)(*columns)
    return list(result if isinstance(result, tuple) else (result,))


def scipy_types(name):
    """SciPy's loops but for long double's."""
    return [t for t in theirs(name).types if not set(t) & set("gG")]


@pytest.mark.null
@pytest.mark.parametrize("name", NAMES)
def test_loops_are_scipys_in_its_order(name):
    row, f = ROWS[name], theirs(name)
    desired = scipy_types(name)
    if SINGLE_FIRST:
        assert set(row["types"]) <= set(desired)
    else:
        assert [t for t in desired if t in row["types"]] == row["types"]
    missing = [t for t in desired if t not in row["types"]]
    assert not missing or sorted(LIMITS.get(name, {}).get("absent", [])) == sorted(missing)
    assert (row["nin"], row["nout"]) == (f.nin, f.nout)
    assert len(row["parameters"].split(", ")) == row["nin"]


def near(actual, desired, limit, scale):
    """Whether the error of `actual` relative to `desired`, or to a larger scale, is within the limit."""
    size = np.maximum(np.abs(desired), scale)
    return np.abs(actual - desired) <= limit * size + 5e-324


def is_exact(name, output, point, actual):
    """Whether mpmath says that the value is right where SciPy's is another."""
    with mpmath.workdps(40):
        exact = exact_outputs(name, point)
    limits = LIMITS.get(name, {})
    limit = limits.get("f64", ROWS[name]["ulp"])
    scale = float(abs(limits["scale"](*point))) if "scale" in limits else 0.0
    return exact is not None and error_in_ulps(float(actual), exact[output], scale) <= limit


@pytest.mark.parametrize("name", NAMES)
def test_float64_is_scipys_value(name):
    if not any(set(t) <= set("dl->") for t in ROWS[name]["types"]):
        pytest.skip("no loop for float64")
    columns = arguments(name, "f")
    limits = LIMITS.get(name, {})
    limit = limits.get("scipy", max(limits.get("f64", ROWS[name]["ulp"]), 450) * 2.0**-52)
    scale = np.abs(limits["scale"](*columns)) if "scale" in limits else 0.0
    for k, (actual, desired) in enumerate(
        zip(evaluate(name, columns), expected(name, columns), strict=True)
    ):
        with np.errstate(all="ignore"):
            same = (actual == desired) | (np.isnan(actual) & np.isnan(desired))
            same |= np.isfinite(actual) & np.isfinite(desired) & near(actual, desired, limit, scale)
        bad = [i for i in np.flatnonzero(~same) if not differs(name, [c[i] for c in columns])]
        bad = [i for i in bad if not is_exact(name, k, [float(c[i]) for c in columns], actual[i])]
        lines = [
            f"{name}({', '.join(repr(float(c[i])) for c in columns)})[{k}]: "
            f"{float(actual[i])!r}, SciPy {float(desired[i])!r}"
            for i in bad[:8]
        ]
        assert not bad, "\n".join([f"{len(bad)} of {actual.size} differ", *lines])


@pytest.mark.parametrize("name", sorted(set(REFERENCE) & set(NAMES)))
def test_float64_is_within_its_ulp_of_mpmath(name, request):
    columns = arguments(name, "f")
    finite = np.all([np.isfinite(c) for c in columns], axis=0)
    for values in expected(name, columns):
        finite &= np.isfinite(values) & (values != 0)
    chosen = np.flatnonzero(finite)
    sample = SLOW_SAMPLE if request.config.getoption("--slow") else SAMPLE
    chosen = chosen[:: len(chosen) // sample + 1]
    limits = LIMITS.get(name, {})
    limit = limits.get("f64", ROWS[name]["ulp"])
    outputs = evaluate(name, columns)
    worst = (0.0, "")
    with mpmath.workdps(40):
        for i in chosen:
            point = [float(c[i]) for c in columns]
            scale = float(abs(limits["scale"](*point))) if "scale" in limits else 0.0
            exact = exact_outputs(name, point)
            for output, value in zip(outputs, exact or (), strict=False):
                if abs(value) >= sys.float_info.min:
                    error = error_in_ulps(float(output[i]), value, scale)
                    words = f"{float(output[i])!r}, exactly {mpmath.nstr(value, 20)}"
                    worst = max(worst, (error, f"{point}: {words}"))
    assert worst[0] <= limit, f"{name}: {worst[0]:.1f} ulp at {worst[1]}"


def as_floats(name, columns, dtype):
    """Columns of that dtype, but those that are integers in every loop."""
    whole = [all(t[i] == "l" for t in ROWS[name]["types"]) for i in range(len(columns))]
    return [c if fixed else c.astype(dtype) for c, fixed in zip(columns, whole, strict=True)]


@pytest.mark.parametrize("name", NAMES)
def test_float32_is_the_rounded_float64(name):
    if not any("f" in t and set(t) <= set("fl->") for t in ROWS[name]["types"]):
        pytest.skip("no loop for float32")
    with np.errstate(all="ignore"):
        columns = as_floats(name, arguments(name, "f"), np.float32)
    limits = LIMITS.get(name, {})
    limit = limits.get("f32", ROWS[name]["ulp32"])
    wide = evaluate(name, as_floats(name, columns, np.float64))
    for actual, desired in zip(evaluate(name, columns), wide, strict=True):
        assert actual.dtype == np.float32
        with np.errstate(all="ignore"):
            rounded = desired.astype(np.float32)
            scale = (
                np.abs(limits["scale"](*[c.astype(np.float64) for c in columns]))
                if "scale" in limits
                else 0
            )
            unit = np.spacing(np.maximum(np.abs(rounded), scale).astype(np.float32))
            same = (actual == rounded) | (np.isnan(actual) & np.isnan(rounded))
            same |= np.isfinite(rounded) & (
                np.abs(actual - desired) <= (limit + 0.5) * np.abs(unit)
            )
            same |= np.isinf(rounded) & (np.abs(actual) > 3.4e38)
        bad = np.flatnonzero(~same)
        lines = [
            f"{name}({', '.join(repr(float(c[i])) for c in columns)}): {actual[i]!r}, {desired[i]!r}"
            for i in bad[:8]
        ]
        assert not len(bad), "\n".join([f"{len(bad)} of {actual.size} differ", *lines])


def is_exact_complex(name, output, point, actual):
    """Whether mpmath says that the value is right where SciPy's is another."""
    if name not in COMPLEX_REFERENCE or not np.all(np.isfinite(point)):
        return False
    limit = LIMITS.get(name, {}).get("c128", 1e-12)
    try:
        with mpmath.workdps(40):
            point = [complex(p) if isinstance(p, complex) else float(p) for p in point]
            exact = COMPLEX_REFERENCE[name](*[mpmath.mpmathify(p) for p in point])
            exact = exact[output] if isinstance(exact, tuple) else exact
            return bool(abs(mpmath.mpmathify(complex(actual)) - exact) <= limit * abs(exact))
    except (ArithmeticError, ValueError, TypeError, RecursionError, mpmath.libmp.NoConvergence):
        return False


@pytest.mark.parametrize("name", WITH_COMPLEX)
def test_complex_is_scipys_value(name):
    columns = arguments(name, "c")
    if not columns[0].size:  # no points of its own: a grid
        grid = np.array([-3.3, -1.0, -0.4, 0.0, 0.7, 1.0, 2.2, 6.5])
        values = (grid[:, None] + 1j * grid).ravel()
        loop = next(t for t in ROWS[name]["types"] if "D" in t)
        columns = [values if c == "D" else np.full(values.size, 1.25) for c in loop.split("->")[0]]
    limits = LIMITS.get(name, {})
    limit = limits.get("c128", 1e-12)
    for k, (actual, desired) in enumerate(
        zip(evaluate(name, columns), expected(name, columns), strict=True)
    ):
        assert actual.dtype == desired.dtype
        with np.errstate(all="ignore"):
            same = (actual == desired) | (np.isnan(actual) & np.isnan(desired))
            same |= near(actual, desired, limit, 0.0)
            same |= ~np.isfinite(desired) & ~np.isfinite(actual)
        bad = [i for i in np.flatnonzero(~same) if not differs(name, [c[i] for c in columns])]
        bad = [i for i in bad if not is_exact_complex(name, k, [c[i] for c in columns], actual[i])]
        lines = [
            f"{name}{tuple(c[i].item() for c in columns)}: {actual[i]}, SciPy {desired[i]}"
            for i in bad[:8]
        ]
        assert not bad, "\n".join([f"{len(bad)} of {actual.size} differ", *lines])


# How operands are read is one code for all rows: with each row it is three more kernels to compile.
OF_ALL_KINDS = [
    next(name for name in NAMES if (ROWS[name]["nin"], ROWS[name]["nout"]) == kind)
    for kind in sorted({(ROWS[name]["nin"], ROWS[name]["nout"]) for name in NAMES})
]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in {*OF_ALL_KINDS, *NAMES[::12]} else pytest.mark.slow)
        for name in NAMES
    ],
)
def test_empty_scalar_and_strided_operands(name):
    nin = ROWS[name]["nin"]
    loop = ROWS[name]["types"][0].split("->")[0]
    dtypes = [np.dtype(c) for c in loop]
    f = ours(name)
    first = f(*[cp.zeros((0, 3), d) for d in dtypes])
    assert (first[0] if isinstance(first, tuple) else first).shape == (0, 3)
    values = [cp.asarray(np.linspace(0.5, 3, 24).astype(d).reshape(4, 6)) for d in dtypes]
    plain = f(*[cp.ascontiguousarray(v[::-2, 1::2]) for v in values])
    strided = f(*[v[::-2, 1::2] for v in values])
    row = f(values[0], *[cp.broadcast_to(v[0], (4, 6)) for v in values[1:]])
    same = f(values[0], *[v[0] for v in values[1:]])
    for a, b in [(plain, strided), (row, same)]:
        for x, y in zip(*[r if isinstance(r, tuple) else (r,) for r in (a, b)], strict=True):
            assert cp.array_equal(x, y, equal_nan=True)
    assert nin == len(values)


@pytest.mark.null
@pytest.mark.parametrize("name", NAMES)
def test_a_ufunc_pickles_and_documents_itself(name):
    f = ours(name)
    assert pickle.loads(pickle.dumps(f)) is f
    assert f.__doc__.startswith(f"{name}({ROWS[name]['parameters']}, /, out=")
    assert ROWS[name]["summary"].endswith(".")


# ---- the choice of a loop, and the ways in ------------------------------------------------------

KINDS = [*map(np.dtype, "?bBhHiIlLefdFD"), int, float, complex]


def outcome(find, dtypes):
    try:
        return find(dtypes)
    except TypeError:
        return "TypeError"


@pytest.mark.null
@pytest.mark.parametrize("name", NAMES)
def test_types_of_results_are_scipys(name, rng):
    if "absent" in LIMITS.get(name, {}):
        pytest.skip("not all of its loops")
    if SINGLE_FIRST:
        pytest.skip("this SciPy lists loops in another order")
    nin, nout = ROWS[name]["nin"], ROWS[name]["nout"]
    combined = list(itertools.product(KINDS, repeat=nin))
    if len(combined) > 300:
        combined = [combined[i] for i in rng.choice(len(combined), 300, replace=False)]
    for chosen in combined:
        if any(isinstance(c, np.dtype) for c in chosen):
            dtypes = (*chosen, *[None] * nout)
            actual = outcome(ours(name)._loop_dtypes, dtypes)
            assert actual == outcome(theirs(name).resolve_dtypes, dtypes), chosen


@pytest.mark.skipif(SINGLE_FIRST, reason="ours are the orders of SciPy before 1.18")
@pytest.mark.parametrize("dtype", "?bHiLefd")
def test_type_of_a_result_is_that_of_the_loop(dtype):
    host, device = np.ones(2, dtype), cp.ones(2, dtype)
    for call in (
        lambda sp, x: sp.erf(x),
        lambda sp, x: sp.gammainc(x, 2),
        lambda sp, x: sp.jv(0.5, x),
    ):
        assert call(cp.special, device).dtype == call(scipy.special, host).dtype


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(scipy.special, name)])
def test_scipys_ufunc_calls_ours(name):
    dtypes = [np.dtype(c) for c in ROWS[name]["types"][0].split("->")[0]]
    operands = [cp.ones(2, d) for d in dtypes]
    a, b = theirs(name)(*operands), ours(name)(*operands)
    for x, y in zip(*[r if isinstance(r, tuple) else (r,) for r in (a, b)], strict=True):
        assert isinstance(x, cp.ndarray)
        assert cp.array_equal(x, y, equal_nan=True)


def test_special_is_one_module_under_both_names():
    import gpunp.special

    assert gpunp.special is gpunp.scipy.special
    assert cp.ones(1).__array_namespace__().special is gpunp.special


def test_absent_names_raise_attribute_error():
    with pytest.raises(AttributeError, match="no_such_function"):
        _ = cp.special.no_such_function


def test_a_ufunc_of_two_packages_is_told_apart():
    a = cp.asarray(np.array([0.5], np.float16))
    assert np.exp2(a).dtype == np.float16
    if "exp2" in ROWS:
        assert scipy.special.exp2(a).dtype == np.float64
    assert math.isfinite(float(np.exp2(a)[0]))


# ---- fusion, lazy mode, kernels written in Python -------------------------------------------------


def test_special_functions_fuse(rng):
    x = cp.asarray(rng.random(50) + 0.5)
    fused = cp.fuse(lambda x: cp.special.entr(x + 1) * 2)
    assert cp.allclose(fused(x), cp.special.entr(x + 1) * 2, rtol=1e-15)


def test_special_functions_in_jitted_code(rng):
    x = rng.random(50) + 0.5

    @cp.vectorize
    def both(x):
        return cp.special.entr(x) + scipy.special.entr(x)

    for dtype in (np.float32, np.float64):
        desired = 2 * scipy.special.entr(x.astype(dtype))
        actual = both(cp.asarray(x.astype(dtype)))
        assert actual.dtype == desired.dtype
        np.testing.assert_allclose(cp.asnumpy(actual), desired, rtol=4 * np.finfo(dtype).eps)


def test_out_where_and_dtype():
    x = cp.asarray([0.5, 1.5, 2.5])
    out = cp.zeros(3, np.float32)
    result = cp.special.entr(x, out=out, where=cp.asarray([True, False, True]))
    assert result is out
    desired = np.where([True, False, True], scipy.special.entr(cp.asnumpy(x)), 0)
    np.testing.assert_allclose(cp.asnumpy(out), desired, rtol=1e-6)
    assert cp.special.entr(x, dtype=np.float32).dtype == np.float32


@pytest.mark.null
@pytest.mark.parametrize("n", [2**62, -(2**63), 2**31 - 1, -(2**31) - 1])
def test_recurrences_of_huge_degrees_end(n):
    for name in ROWS:
        if name.startswith("eval_") and "ld->d" in ROWS[name]["types"]:
            value = float(getattr(cp.special, name)(cp.array(n), cp.array(0.3)))
            assert np.isnan(value) or name.startswith("eval_hermite") or (n < 0 and value == 0), (
                name
            )
    value = float(cp.special.eval_genlaguerre(cp.array(n), 0.0, 0.3))
    assert np.isnan(value) if n > 0 else value == 0


@pytest.mark.parametrize("name", ["j0", "fresnel", "kl_div"])
def test_times_are_refused(name):
    function = getattr(cp.special, name)
    for operand in (np.datetime64("NaT"), cp.zeros((2, 2), "M8[D]"), cp.ones(3, "m8[ns]")):
        with pytest.raises(TypeError, match=f"ufunc '{name}' not supported for the input types"):
            function(*[operand] * function.nin)


def test_dtypes_of_loops_are_numpys():
    f4, f8, i2 = np.dtype("f4"), np.dtype("f8"), np.dtype("i2")
    for dtypes in [(f4, float, None), (f8, f4, None), (i2, int, None), (i2, float, None)]:
        assert cp.add._loop_dtypes(dtypes) == np.add.resolve_dtypes(dtypes)
    assert cp.special.entr._loop_dtypes((i2, None)) == (f4, f4)
    with pytest.raises(TypeError, match="tuple of 3"):
        cp.add._loop_dtypes((f4, f4))
    with pytest.raises(TypeError):
        cp.bitwise_and._loop_dtypes((f4, f4, None))
