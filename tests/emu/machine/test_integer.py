"""Integer and bit instructions against Python's own integers."""

import numpy as np
import ops
import pytest

SIZES = (16, 32, 64)


def signed(v, bits):
    """The value of a bit pattern in two's complement."""
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def quotient(a, b):
    """Division that truncates."""
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def divide(a, b):
    """All ones when the divisor is zero."""
    return -1 if b == 0 else quotient(a, b)


def remainder(a, b):
    """All ones when the divisor is zero, as an H200 has it."""
    return -1 if b == 0 else a - b * quotient(a, b)


BINARY = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul.lo": lambda a, b, w: a * b,
    "mul.hi": lambda a, b, w: (a * b) >> w,
    "div": lambda a, b, w: divide(a, b),
    "rem": lambda a, b, w: remainder(a, b),
    "min": lambda a, b, w: min(a, b),
    "max": lambda a, b, w: max(a, b),
}
COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def operands(kind, bits, count):
    """Arrays of corner values and the same as Python integers."""
    dtype = f"{'i' if kind == 's' else 'u'}{bits // 8}"
    arrays = [ops.corners(dtype, seed=i + bits) for i in range(count)]
    return arrays, [[int(v) for v in a] for a in arrays]


def check(got, want, bits):
    """Equal as bit patterns."""
    mask = (1 << bits) - 1
    wrong = [i for i, (g, w) in enumerate(zip(got, want)) if (int(g) ^ int(w)) & mask]
    assert not wrong, (
        wrong[:5],
        [hex(int(got[i])) for i in wrong[:5]],
        [hex(int(want[i]) & mask) for i in wrong[:5]],
    )


@pytest.mark.parametrize("bits", SIZES)
@pytest.mark.parametrize("kind", "us")
@pytest.mark.parametrize("op", BINARY)
def test_binary(op, kind, bits):
    t = f"{kind}{bits}"
    arrays, values = operands(kind, bits, 2)
    got = ops.run(f"{op}.{t} %d, %s0, %s1;", (t, f"u{bits // 8}"), (t, t), *arrays)
    check(got, [BINARY[op](a, b, bits) for a, b in zip(*values)], bits)


@pytest.mark.parametrize("bits", SIZES)
@pytest.mark.parametrize("kind", "us")
@pytest.mark.parametrize("op", COMPARE)
def test_compare(op, kind, bits):
    t = f"{kind}{bits}"
    arrays, values = operands(kind, bits, 2)
    arrays[1][::3] = arrays[0][::3]
    values[1][::3] = values[0][::3]
    got = ops.run(f"setp.{op}.{t} %d, %s0, %s1;", ("pred", "u1"), (t, t), *arrays)
    check(got, [COMPARE[op](a, b) for a, b in zip(*values)], 8)


@pytest.mark.parametrize("kind", "us")
@pytest.mark.parametrize("bits", (16, 32))
def test_wide(kind, bits):
    t, d = f"{kind}{bits}", f"{kind}{2 * bits}"
    arrays, values = operands(kind, bits, 2)
    c = ops.corners(f"u{bits // 4}", seed=9)
    got = ops.run(f"mul.wide.{t} %d, %s0, %s1;", (d, f"u{bits // 4}"), (t, t), *arrays)
    check(got, [a * b for a, b in zip(*values)], 2 * bits)
    got = ops.run(f"mad.wide.{t} %d, %s0, %s1, %s2;", (d, f"u{bits // 4}"), (t, t, d), *arrays, c)
    check(got, [a * b + int(z) for a, b, z in zip(*values, c)], 2 * bits)


@pytest.mark.parametrize("bits", SIZES)
def test_shifts(bits):
    a = ops.corners(f"u{bits // 8}", seed=1)
    s = ops.corners("u4", seed=2)
    s[::2] %= bits + 3
    got = ops.run(f"shl.b{bits} %d, %s0, %s1;", (f"b{bits}", a.dtype), (f"b{bits}", "u32"), a, s)
    check(got, [int(x) << min(int(k), 100) for x, k in zip(a, s)], bits)
    got = ops.run(f"shr.u{bits} %d, %s0, %s1;", (f"b{bits}", a.dtype), (f"b{bits}", "u32"), a, s)
    check(got, [int(x) >> int(k) for x, k in zip(a, s)], bits)
    got = ops.run(f"shr.s{bits} %d, %s0, %s1;", (f"b{bits}", a.dtype), (f"b{bits}", "u32"), a, s)
    check(got, [signed(int(x), bits) >> int(k) for x, k in zip(a, s)], bits)


@pytest.mark.parametrize("bits", (32, 64))
def test_counts(bits):
    a = ops.corners(f"u{bits // 8}", seed=3)
    t = f"b{bits}"
    values = [int(x) for x in a]
    got = ops.run(f"popc.{t} %d, %s0;", ("b32", "u4"), (t,), a)
    check(got, [bin(v).count("1") for v in values], 32)
    got = ops.run(f"clz.{t} %d, %s0;", ("b32", "u4"), (t,), a)
    check(got, [bits - v.bit_length() for v in values], 32)
    got = ops.run(f"brev.{t} %d, %s0;", (t, a.dtype), (t,), a)
    check(got, [int(f"{v:0{bits}b}"[::-1], 2) for v in values], bits)
    got = ops.run(f"bfind.u{bits} %d, %s0;", ("b32", "u4"), (t,), a)
    check(got, [v.bit_length() - 1 for v in values], 32)
    got = ops.run(f"bfind.s{bits} %d, %s0;", ("b32", "u4"), (t,), a)
    flipped = [v ^ ((1 << bits) - 1) if v >> (bits - 1) else v for v in values]
    check(got, [v.bit_length() - 1 for v in flipped], 32)
    got = ops.run(f"bfind.shiftamt.u{bits} %d, %s0;", ("b32", "u4"), (t,), a)
    check(got, [bits - v.bit_length() if v else -1 for v in values], 32)


def extract(a, pos, length, bits, is_signed):
    """The PTX manual's pseudocode of bfe."""
    msb = bits - 1
    pos, length = pos & 0xFF, length & 0xFF
    sign = 0
    if is_signed and length:
        sign = (a >> min(pos + length - 1, msb)) & 1
    d = 0
    for i in range(bits):
        bit = (a >> (pos + i)) & 1 if i < length and pos + i <= msb else sign
        d |= bit << i
    return d


def insert(a, b, pos, length, bits):
    """The PTX manual's pseudocode of bfi."""
    pos, length = pos & 0xFF, length & 0xFF
    for i in range(length):
        if pos + i <= bits - 1:
            b = (b & ~(1 << (pos + i))) | ((a >> i & 1) << (pos + i))
    return b


@pytest.mark.parametrize("bits", (32, 64))
def test_fields(bits):
    a = ops.corners(f"u{bits // 8}", seed=4)
    b = ops.corners(f"u{bits // 8}", seed=5)
    rng = np.random.default_rng(6)
    pos = rng.integers(0, bits + 8, len(a)).astype("u4")
    length = rng.integers(0, bits + 8, len(a)).astype("u4")
    rows = [tuple(map(int, r)) for r in zip(a, b, pos, length)]
    for kind in "us":
        t = f"{kind}{bits}"
        got = ops.run(
            f"bfe.{t} %d, %s0, %s1, %s2;", (t, a.dtype), (t, "u32", "u32"), a, pos, length
        )
        check(got, [extract(x, p, n, bits, kind == "s") for x, _, p, n in rows], bits)
    t = f"b{bits}"
    got = ops.run(
        f"bfi.{t} %d, %s0, %s1, %s2, %s3;", (t, a.dtype), (t, t, "u32", "u32"), a, b, pos, length
    )
    check(got, [insert(x, y, p, n, bits) for x, y, p, n in rows], bits)


def permute(a, b, selector):
    """prmt in its default mode."""
    v, d = (b << 32) | a, 0
    for k in range(4):
        s = (selector >> (4 * k)) & 15
        byte = (v >> (8 * (s & 7))) & 255
        d |= (byte if s < 8 else 255 * (byte >> 7)) << (8 * k)
    return d


def test_words():
    a, b, c = (ops.corners("u4", seed=s) for s in (7, 8, 9))
    rows = [tuple(map(int, r)) for r in zip(a, b, c)]
    t3 = ("u32", "u32", "u32")
    got = ops.run("prmt.b32 %d, %s0, %s1, %s2;", ("b32", "u4"), t3, a, b, c)
    check(got, [permute(*r) for r in rows], 32)
    for table in (0x96, 0xE8, 0x1D, 0x80):
        want = []
        for x, y, z in rows:
            r = 0
            for k in range(32):
                index = (x >> k & 1) << 2 | (y >> k & 1) << 1 | (z >> k & 1)
                r |= (table >> index & 1) << k
            want.append(r)
        got = ops.run(f"lop3.b32 %d, %s0, %s1, %s2, {table};", ("b32", "u4"), t3, a, b, c)
        check(got, want, 32)
    for mode, amount in (("wrap", lambda n: n & 31), ("clamp", lambda n: min(n, 32))):
        got = ops.run(f"shf.l.{mode}.b32 %d, %s0, %s1, %s2;", ("b32", "u4"), t3, a, b, c)
        check(got, [((y << 32 | x) << amount(z)) >> 32 for x, y, z in rows], 32)
        got = ops.run(f"shf.r.{mode}.b32 %d, %s0, %s1, %s2;", ("b32", "u4"), t3, a, b, c)
        check(got, [(y << 32 | x) >> amount(z) for x, y, z in rows], 32)
    got = ops.run("sad.s32 %d, %s0, %s1, %s2;", ("b32", "u4"), t3, a, b, c)
    check(got, [abs(signed(x, 32) - signed(y, 32)) + z for x, y, z in rows], 32)
    got = ops.run("mul24.lo.s32 %d, %s0, %s1;", ("b32", "u4"), t3[:2], a, b)
    check(got, [signed(x, 24) * signed(y, 24) for x, y, _ in rows], 32)
    got = ops.run("dp4a.s32.u32 %d, %s0, %s1, %s2;", ("b32", "u4"), t3, a, b, c)
    check(
        got,
        [z + sum(signed(x >> 8 * k, 8) * (y >> 8 * k & 255) for k in range(4)) for x, y, z in rows],
        32,
    )
    got = ops.run("dp2a.hi.u32.s32 %d, %s0, %s1, %s2;", ("b32", "u4"), t3, a, b, c)
    check(
        got,
        [
            z + sum((x >> 16 * k & 65535) * signed(y >> (16 + 8 * k), 8) for k in range(2))
            for x, y, z in rows
        ],
        32,
    )


@pytest.mark.parametrize("bits", (32, 64))
def test_carry(bits):
    a, b, c, e = (ops.corners(f"u{bits // 8}", seed=s) for s in (1, 2, 3, 4))
    a[::4] = np.iinfo(a.dtype).max
    t = f"u{bits}"
    rows = [tuple(map(int, r)) for r in zip(a, b, c, e)]
    high = f".reg .b{bits} %x; "
    two = (t, t, t, t)
    for lo, hi, op in (("add.cc", "addc", 1), ("sub.cc", "subc", -1)):
        text = high + f"{lo}.{t} %x, %s0, %s2; {hi}.{t} %d, %s1, %s3;"
        got = ops.run(text, (t, a.dtype), two, a, b, c, e)
        want = [((y << bits | x) + op * (w << bits | z)) >> bits for x, y, z, w in rows]
        check(got, want, bits)
    text = high + f"mad.lo.cc.{t} %x, %s0, %s1, %s2; madc.hi.{t} %d, %s0, %s1, %s3;"
    got = ops.run(text, (t, a.dtype), two, a, b, c, e)
    check(got, [(x * y + (w << bits | z)) >> bits for x, y, z, w in rows], bits)


TYPES = [f"{k}{b}" for b in (8, 16, 32, 64) for k in "us"]


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_convert(target, source):
    from_bits, to_bits = int(source[1:]), int(target[1:])
    dtype = f"{'i' if source[0] == 's' else 'u'}{from_bits // 8}"
    a = ops.corners(dtype, seed=5)
    load = (source if from_bits > 8 else "u8",)
    out = (target if to_bits > 8 else "b16", f"u{max(to_bits, 16) // 8}")
    got = ops.run(f"cvt.{target}.{source} %d, %s0;", out, load, a)
    want = [int(x) for x in a]
    if to_bits == 8:
        want = [signed(v, 8) if target[0] == "s" else v & 255 for v in want]
    check(got, want, max(to_bits, 16))
    got = ops.run(f"cvt.sat.{target}.{source} %d, %s0;", out, load, a)
    low = -(1 << (to_bits - 1)) if target[0] == "s" else 0
    high = (1 << (to_bits - (target[0] == "s"))) - 1
    check(got, [min(max(int(x), low), high) for x in a], max(to_bits, 16))
