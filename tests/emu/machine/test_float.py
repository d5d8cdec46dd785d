"""Floating-point instructions: exact rational references for the rounded ones, tolerances for the
approximate ones."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import ops
import pytest

MODES = ("rn", "rz", "rm", "rp")
FORMATS = {
    "f32": (24, -149, np.float32, "u4"),
    "f64": (53, -1074, np.float64, "u8"),
    "f16": (11, -24, np.float16, "u2"),
    "bf16": (8, -133, ml_dtypes.bfloat16, "u2"),
}
LARGEST = {
    "f32": float(np.finfo("f4").max),
    "f64": float(np.finfo("f8").max),
    "f16": 65504.0,
    "bf16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).max),
}


def round_exact(value, kind, mode):
    """The Fraction as the nearest number of the format in that direction, as a float."""
    digits, smallest, _, _ = FORMATS[kind]
    if value == 0:
        return 0.0
    sign, value = (-1 if value < 0 else 1), abs(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - digits + 1, smallest)
    q = value / unit
    n = q.numerator // q.denominator
    rest = q - n
    up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and n & 1),
        "rz": False,
        "rm": sign < 0 and rest > 0,
        "rp": sign > 0 and rest > 0,
    }[mode]
    value = (n + up) * unit
    limit = Fraction(LARGEST[kind])
    if value > limit:
        stays = mode == "rz" or (mode == "rm" and sign > 0) or (mode == "rp" and sign < 0)
        return sign * (LARGEST[kind] if stays else math.inf)
    return sign * float(value)


def finite_only(*arrays):
    """Where all are finite."""
    return np.logical_and.reduce([np.isfinite(a.astype("f8")) for a in arrays])


def compare(got, want, where):
    """Equal values, zero signs aside."""
    want = np.array(want, got.dtype)
    wrong = np.flatnonzero(got[where] != want)
    assert wrong.size == 0, (wrong[:5], got[where][wrong[:5]], want[wrong[:5]])


EXACT = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "fma": lambda a, b, c: a * b + c,
    "div": lambda a, b, c: a / b if b else None,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ("f32", "f64"))
@pytest.mark.parametrize("op", EXACT)
def test_rounded(op, kind, mode):
    dtype = FORMATS[kind][2]
    a, b, c = (ops.corners(dtype, 512, seed=s) for s in (1, 2, 3))
    c[::2] = (-(a.astype("f8") * b.astype("f8")))[::2].astype(dtype)
    names = ", ".join(["%s0", "%s1", "%s2"][: 3 if op == "fma" else 2])
    got = ops.run(f"{op}.{mode}.{kind} %d, {names};", (kind, dtype), (kind,) * 3, a, b, c)
    where = finite_only(a, b, c)
    if op == "div":
        where &= b != 0
    with np.errstate(all="ignore"):
        want = [
            round_exact(EXACT[op](*(Fraction(float(v)) for v in r)), kind, mode)
            for r in zip(a[where], b[where], c[where])
        ]
    compare(got, want, where)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ("f32", "f64"))
def test_sqrt_rcp(kind, mode):
    dtype = FORMATS[kind][2]
    a = np.abs(ops.corners(dtype, 512, seed=4))
    where = finite_only(a) & (a > 0)
    got = ops.run(f"rcp.{mode}.{kind} %d, %s0;", (kind, dtype), (kind,), a)
    compare(got, [round_exact(1 / Fraction(float(v)), kind, mode) for v in a[where]], where)
    got = ops.run(f"sqrt.{mode}.{kind} %d, %s0;", (kind, dtype), (kind,), a)
    want = []
    for v in a[where]:
        f = Fraction(float(v))
        # an integer square root with many guard bits and a sticky one
        shift = 2**2400
        n = f.numerator * shift // f.denominator
        r = math.isqrt(n)
        exact = r * r == n and f.numerator * shift % f.denominator == 0
        want.append(round_exact(Fraction(2 * r + (not exact), 2**1201), kind, mode))
    compare(got, want, where)


@pytest.mark.parametrize("kind", ("f16", "bf16"))
@pytest.mark.parametrize("op", ("add", "sub", "mul", "fma"))
def test_half(op, kind):
    dtype, bits = FORMATS[kind][2:]
    raw = [ops.corners("u2", 1024, seed=s) for s in (1, 2, 3)]
    a, b, c = (r.view(dtype) for r in raw)
    with np.errstate(all="ignore"):
        c[::2] = (-(a.astype("f8") * b.astype("f8")))[::2].astype(dtype)
    names = ", ".join(["%s0", "%s1", "%s2"][: 3 if op == "fma" else 2])
    rounding = ".rn" if op == "fma" else ""
    got = ops.run(f"{op}{rounding}.{kind} %d, {names};", ("b16", bits), ("b16",) * 3, *raw)
    where = finite_only(a, b, c)
    want = [
        round_exact(EXACT[op](*(Fraction(float(v)) for v in r)), kind, "rn")
        for r in zip(a[where], b[where], c[where])
    ]
    compare(got.view(dtype).astype("f8"), want, where)
    nan = np.isnan(
        (a.astype("f8") * 0 + b.astype("f8") * 0) + (c.astype("f8") * 0 if op == "fma" else 0)
    )
    inputs = np.isnan(a.astype("f8")) | np.isnan(b.astype("f8"))
    assert (got[inputs & nan] == 0x7FFF).all()
    others = [np.stack([r, r[::-1]], 1).copy().view("u4").ravel() for r in raw]
    twice = ops.run(f"{op}{rounding}.{kind}x2 %d, {names};", ("b32", "u4"), ("b32",) * 3, *others)
    assert (twice.view("u2")[::2] == got).all()


@pytest.mark.parametrize("kind", ("f16", "bf16"))
def test_half_every_value(kind):
    dtype, bits = FORMATS[kind][2:]
    raw = np.arange(65536, dtype="u2")
    wide = ops.run(f"cvt.f32.{kind} %d, %s0;", ("f32", "f4"), ("b16",), raw)
    want = raw.view(dtype).astype("f4")
    assert ((wide == want) | (np.isnan(wide) & np.isnan(want))).all()
    nans = 0x7FFFFFFF if kind == "f16" else want[np.isnan(want)].view("u4")  # as measured
    assert (wide[np.isnan(want)].view("u4") == nans).all()
    back = ops.run(f"cvt.rn.{kind}.f32 %d, %s0;", ("b16", bits), ("f32",), want)
    good = ~np.isnan(want)
    assert (back[good] == raw[good]).all()
    assert (back[~good] == 0x7FFF).all()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source", ("f32", "f64"))
@pytest.mark.parametrize("kind", ("f16", "bf16", "f32"))
def test_narrow(kind, source, mode):
    if kind == source or (kind == "bf16" and mode in ("rm", "rp")):
        pytest.skip("no such instruction")
    dtype = FORMATS[source][2]
    a = ops.corners(dtype, 1024, seed=6)
    a[1::2] = np.random.default_rng(7).standard_normal(512).astype(
        dtype
    ) * 2.0 ** np.random.default_rng(8).integers(-28, 17, 512).astype(dtype)
    bits, out = FORMATS[kind][3], FORMATS[kind][2]
    reg = "f32" if kind == "f32" else "b16"
    got = ops.run(f"cvt.{mode}.{kind}.{source} %d, %s0;", (reg, bits), (source,), a)
    where = finite_only(a)
    want = [round_exact(Fraction(float(v)), kind, mode) for v in a[where]]
    compare(got.view(out).astype("f8"), want, where)


INTS = [f"{k}{b}" for b in (8, 16, 32, 64) for k in "us"]
WHOLE = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}


def whole(value, mode):
    """A Fraction rounded to an integer."""
    down = math.floor(value)
    return {"rn": round(value), "rz": math.trunc(value), "rm": down, "rp": math.ceil(value)}[mode]


@pytest.mark.parametrize("mode", WHOLE)
@pytest.mark.parametrize("source", ("f32", "f64", "f16"))
@pytest.mark.parametrize("target", INTS)
def test_to_integer(target, source, mode):
    dtype, raw_dtype = FORMATS[source][2:]
    bits = int(target[1:])
    a = ops.corners(dtype if source != "f16" else "u2", 1024, seed=8).view(dtype)
    near = np.random.default_rng(9).uniform(-70000, 70000, 256)
    a[::4] = (np.round(near * 2) / 2).astype(dtype)
    reg = source if source != "f16" else "b16"
    got = ops.run(
        f"cvt.{mode}.{target}.{source} %d, %s0;",
        (target if bits > 8 else "b16", f"u{max(bits, 16) // 8}"),
        (reg,),
        a if source != "f16" else a.view("u2"),
    )
    low = -(1 << (bits - 1)) if target[0] == "s" else 0
    high = (1 << (bits - (target[0] == "s"))) - 1
    nan = 1 << (bits - 1) if source == "f64" or bits == 64 else 0
    nan -= (1 << bits) if target[0] == "s" and nan else 0
    want = []
    for v in a.astype("f8"):
        if math.isnan(v):
            want.append(nan)
        elif math.isinf(v):
            want.append(high if v > 0 else low)
        else:
            want.append(min(max(whole(Fraction(v), WHOLE[mode]), low), high))
    mask = (1 << max(bits, 16)) - 1
    wrong = [i for i in range(len(a)) if (int(got[i]) ^ want[i]) & mask]
    assert not wrong, [(a[i], hex(int(got[i])), want[i]) for i in wrong[:5]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("target", ("f32", "f64", "f16", "bf16"))
@pytest.mark.parametrize("source", INTS[2:])
def test_from_integer(source, target, mode):
    if target == "bf16" and mode != "rn":
        pytest.skip("no such instruction")
    bits = int(source[1:])
    a = ops.corners(f"{'i' if source[0] == 's' else 'u'}{bits // 8}", 512, seed=10)
    out, raw = FORMATS[target][2:]
    reg = target if target in ("f32", "f64") else "b16"
    got = ops.run(f"cvt.{mode}.{target}.{source} %d, %s0;", (reg, raw), (source,), a)
    want = [round_exact(Fraction(int(v)), target, mode) for v in a]
    compare(got.view(out).astype("f8"), want, np.ones(len(a), bool))


@pytest.mark.parametrize("kind", ("f32", "f64", "f16", "bf16"))
def test_minimum_maximum(kind):
    dtype, raw = FORMATS[kind][2:]
    reg = kind if kind in ("f32", "f64") else "b16"
    pool = np.array([0.0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 2.5], dtype)
    a, b = (x.ravel().copy().view(raw) for x in np.meshgrid(pool, pool))
    x, y = a.view(dtype).astype("f8"), b.view(dtype).astype("f8")
    for op, pick in (("min", np.fmin), ("max", np.fmax)):
        got = ops.run(f"{op}.{kind} %d, %s0, %s1;", (reg, raw), (reg, reg), a, b)
        got = got.view(dtype).astype("f8")
        want = pick(x, y)
        zeros = (x == 0) & (y == 0)
        signs = np.signbit(x) | np.signbit(y) if op == "min" else np.signbit(x) & np.signbit(y)
        want[zeros] = np.where(signs, -0.0, 0.0)[zeros]
        assert np.array_equal(got, want, equal_nan=True)
        assert (np.signbit(got) == np.signbit(want))[zeros].all()
        got = ops.run(f"{op}.NaN.{kind} %d, %s0, %s1;", (reg, raw), (reg, reg), a, b)
        got = got.view(dtype).astype("f8")
        assert (np.isnan(got) == (np.isnan(x) | np.isnan(y))).all()


COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: (a != b) & ~np.isnan(a) & ~np.isnan(b),
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "equ": lambda a, b: ~((a < b) | (a > b)),
    "neu": lambda a, b: a != b,
    "ltu": lambda a, b: ~(a >= b),
    "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b),
    "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: ~np.isnan(a) & ~np.isnan(b),
    "nan": lambda a, b: np.isnan(a) | np.isnan(b),
}


@pytest.mark.parametrize("kind", ("f32", "f64", "f16", "bf16"))
def test_comparisons(kind):
    dtype, raw = FORMATS[kind][2:]
    reg = kind if kind in ("f32", "f64") else "b16"
    pool = np.array([0.0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 2.5], dtype)
    a, b = (x.ravel().copy().view(raw) for x in np.meshgrid(pool, pool))
    x, y = a.view(dtype).astype("f8"), b.view(dtype).astype("f8")
    for op, test in COMPARE.items():
        got = ops.run(f"setp.{op}.{kind} %d, %s0, %s1;", ("pred", "u1"), (reg, reg), a, b)
        assert (got == test(x, y)).all(), op


def test_boolean_comparison():
    a, b = ops.corners("i4", seed=1), ops.corners("i4", seed=2)
    c = (np.arange(1024) % 3 == 0).astype("u1")
    for word, f in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        got = ops.run(
            f"setp.lt.{word}.s32 %d, %s0, %s1, !%s2;",
            ("pred", "u1"),
            ("s32", "s32", "pred"),
            a,
            b,
            c,
        )
        assert (got == f(a < b, c == 0)).all()
    got = ops.run(
        "setp.lt.and.s32 %q1|%d, %s0, %s1, %s2;", ("pred", "u1"), ("s32", "s32", "pred"), a, b, c
    )
    assert (got == ((a >= b) & (c != 0))).all()


def test_flush():
    tiny = np.array([1e-40, -1e-40, 1e-38, -1e-38, 1.5e-45, 2e-38, 1.0, 0.0] * 8, "f4")
    one = np.full(64, 0.5, "f4")
    flushed = np.where(np.abs(tiny) < np.finfo("f4").tiny, np.copysign(np.float32(0), tiny), tiny)
    got = ops.run("add.ftz.f32 %d, %s0, 0f00000000;", ("f32", "f4"), ("f32",), tiny)
    assert (got == flushed).all()
    got = ops.run("mul.ftz.f32 %d, %s0, %s1;", ("f32", "f4"), ("f32", "f32"), tiny, one)
    half = flushed * one
    half = np.where(np.abs(half) < np.finfo("f4").tiny, np.copysign(np.float32(0), half), half)
    assert (got == half).all() and (np.signbit(got) == np.signbit(half)).all()
    for op in ("neg", "abs"):
        got = ops.run(f"{op}.ftz.f32 %d, %s0;", ("f32", "f4"), ("f32",), tiny)
        want = -flushed if op == "neg" else np.abs(flushed)
        assert (got.view("u4") == want.view("u4")).all()
    got = ops.run(
        "add.sat.f32 %d, %s0, %s0;",
        ("f32", "f4"),
        ("f32",),
        np.array([0.25, -1, 3, np.nan, np.inf, -np.inf, 0.5, 0.75] * 8, "f4"),
    )
    assert (got == np.array([0.5, 0, 1, 0, 1, 0, 1, 1] * 8, "f4")).all()


def test_nan_is_canonical():
    a = np.array([0x7F800001, 0xFFC12345, 0x7FC00000, 0xFF800000] * 16, "u4")
    got = ops.run("add.f32 %d, %s0, %s0;", ("b32", "u4"), ("b32",), a)
    assert list(got) == ([0x7FFFFFFF] * 3 + [0xFF800000]) * 16
    got = ops.run("neg.f32 %d, %s0;", ("b32", "u4"), ("b32",), a)
    assert list(got) == ([0x7FFFFFFF] * 3 + [0x7F800000]) * 16
    wide = np.array([0x7FF0000000000001, 0xFFF8123456789ABC, 0x7FF8000000000000] * 64, "u8")
    other = np.repeat(
        np.array([0xFFF8000000000777, 0x3FF0000000000000, 0x7FF4000000000000], "u8"), 64
    )
    got = ops.run("add.rn.f64 %d, %s0, %s1;", ("b64", "u8"), ("b64", "b64"), wide, other)
    nan = np.where(np.isnan(other.view("f8")), other, wide) | np.uint64(1 << 51)
    assert (got == nan).all()
    got = ops.run("neg.f64 %d, %s0;", ("b64", "u8"), ("b64",), wide)
    assert (got == wide | np.uint64(1 << 51)).all()


APPROXIMATE = {
    "ex2.approx": (np.exp2, 2),
    "lg2.approx": (np.log2, 2),
    "rcp.approx": (lambda x: 1 / x, 1),
    "rsqrt.approx": (lambda x: 1 / np.sqrt(x), 2),
    "sqrt.approx": (np.sqrt, 1),
    "tanh.approx": (np.tanh, 1),
    "sin.approx": (np.sin, 1),
    "cos.approx": (np.cos, 1),
}


@pytest.mark.parametrize("op", APPROXIMATE)
def test_approximate(op):
    f, ulps = APPROXIMATE[op]
    rng = np.random.default_rng(3)
    positive = op.split(".")[0] in ("lg2", "rsqrt", "sqrt")
    a = rng.uniform(0.001 if positive else -30, 30, 4096).astype("f4")
    got = ops.run(f"{op}.f32 %d, %s0;", ("f32", "f4"), ("f32",), a)
    want = f(a.astype("f8"))
    least = 2.0**-22 if op == "lg2.approx" else 0  # the bound of PTX near 1 is absolute
    bound = np.maximum(ulps * np.spacing(np.abs(want).astype("f4")), least)
    assert (np.abs(got - want) <= bound).all()
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0] * 8, "f4")
    got = ops.run(f"{op}.f32 %d, %s0;", ("f32", "f4"), ("f32",), special)[:8]
    with np.errstate(all="ignore"):
        want = f(special[:8].astype("f8")).astype("f4")
    assert np.array_equal(got[np.isnan(want)].view("u4"), [0x7FFFFFFF] * int(np.isnan(want).sum()))
    fine = ~np.isnan(want)
    np.testing.assert_allclose(got[fine], want[fine], rtol=1e-6, atol=1e-30)


@pytest.mark.parametrize("op", ("sin", "cos"))
def test_huge_arguments(op):
    a = np.array([3.4e38, -3.4e38, 1e30, 1e20, -1e10, 2.0**28, 7e5, 0], "f4").repeat(8)
    got = ops.run(f"{op}.approx.f32 %d, %s0;", ("f32", "f4"), ("f32",), a)
    assert (np.abs(got) <= 1).all()


def test_seeds():
    a = np.random.default_rng(3).uniform(0.01, 100, 1024)
    for op, f in (("rcp", lambda x: 1 / x), ("rsqrt", lambda x: 1 / np.sqrt(x))):
        got = ops.run(f"{op}.approx.ftz.f64 %d, %s0;", ("f64", "f8"), ("f64",), a)
        assert (got.view("u8") & np.uint64(0xFFFFFFFF) == 0).all()
        np.testing.assert_allclose(got, f(a), rtol=2e-6)


def test_bytes_are_packed():
    a, b = ops.corners("u2", 1024, seed=1), ops.corners("u2", 1024, seed=2)
    text = "{ .reg .b8 %x, %y; cvt.u8.u16 %x, %s0; cvt.u8.u16 %y, %s1; mov.b16 %d, {%x, %y}; }"
    got = ops.run(text, ("b16", "u2"), ("b16", "b16"), a, b)
    assert (got == (a & 0xFF) | (b << 8)).all()


@pytest.mark.parametrize("kind", ("f32", "f64"))
def test_bits(kind):
    dtype, raw = FORMATS[kind][2:]
    a, b = ops.corners(dtype, seed=1), ops.corners(dtype, seed=2)
    got = ops.run(f"copysign.{kind} %d, %s0, %s1;", (kind, raw), (kind, kind), a, b)
    assert (got == np.copysign(b, a).view(raw)).all()
    for op, f in (("abs", np.abs), ("neg", np.negative)):
        got = ops.run(f"{op}.{kind} %d, %s0;", (kind, raw), (kind,), a)
        number = ~np.isnan(a)
        assert (got == f(a).view(raw))[number].all(), op
    tests = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda v: ~np.isnan(v),
        "notanumber": np.isnan,
        "normal": lambda v: np.isfinite(v) & ((np.abs(v) >= np.finfo(dtype).tiny) | (v == 0)),
        "subnormal": lambda v: (v != 0) & (np.abs(v) < np.finfo(dtype).tiny),
    }
    for name, f in tests.items():
        got = ops.run(f"testp.{name}.{kind} %d, %s0;", ("pred", "u1"), (kind,), a)
        assert (got == f(a)).all(), name


@pytest.mark.parametrize("kind", ("e4m3", "e5m2"))
def test_eight_bits(kind):
    dtype = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[kind]
    codes = np.arange(256, dtype="u2")
    pairs = codes | (codes[::-1] << 8)
    got = ops.run(f"cvt.rn.f16x2.{kind}x2 %d, %s0;", ("b32", "u4"), ("b16",), pairs)
    want = codes.astype("u1").view(dtype).astype("f2")
    low, high = got.view("f2").reshape(-1, 2).T
    assert np.array_equal(low, want, equal_nan=True)
    assert np.array_equal(high, want[::-1], equal_nan=True)
    a = ops.corners("f4", 4096, seed=1)
    a[::2] = np.random.default_rng(2).standard_normal(2048) * 2.0 ** np.random.default_rng(
        3
    ).integers(-18, 17, 2048)
    largest = np.float32(ml_dtypes.finfo(dtype).max)
    want = np.clip(a, -largest, largest).astype(dtype).view("u1")
    want[np.isnan(a)] = 0x7F
    got = ops.run(
        f"cvt.rn.satfinite.{kind}x2.f32 %d, %s0, %s1;",
        ("b16", "u2"),
        ("f32", "f32"),
        a[::-1].copy(),
        a,
    )
    assert (got.astype("u1") == want).all()
    assert ((got >> 8).astype("u1") == want[::-1]).all()


MEASURED = [  # what an H200 gave
    ("cvt.rn.tf32.f32", "b32", 0x227FE2E3, "b32", 0x227FE000),
    ("cvt.rn.tf32.f32", "b32", 0x3F803000, "b32", 0x3F804000),
    ("cvt.rn.tf32.f32", "b32", 0x7FC00000, "b32", 0x7FFFE000),
    ("cvt.ftz.f32.bf16", "b16", 0x0001, "b32", 0),
    ("cvt.ftz.f32.bf16", "b16", 0x7FC0, "b32", 0x7FFFFFFF),
    ("cvt.rn.relu.satfinite.bf16.f32", "b32", 0x7F800000, "b16", 0x7F7F),
    ("cvt.rz.satfinite.f16.f32", "b32", 0xFF800000, "b16", 0xFBFF),
]


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: f"{row[0]} {row[2]:#x}")
def test_conversions_of_special_values(row):
    opcode, source, value, result, want = row
    a = np.full(64, value, "u4" if source == "b32" else "u2")
    got = ops.run(f"{opcode} %d, %s0;", (result, "u4" if result == "b32" else "u2"), (source,), a)
    assert set(got.tolist()) == {want}
