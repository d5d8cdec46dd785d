"""Rarer forms of instructions against Python: values, not only that they decode."""

import harness
import numpy as np
import ops
import pytest

B32 = ("b32", "u4")


@pytest.fixture(params=(0, 2), autouse=True)
def level(request):
    """Plain rows, and everything tracked."""
    harness.library().stub_optimise(request.param)
    yield
    harness.library().stub_optimise(2)


def words(seed, n=3):
    """Columns of corner values."""
    return [ops.corners("u4", 512, seed=seed + k) for k in range(n)]


def part(v, at, bits, is_signed):
    """Some bits as a number."""
    v = (int(v) >> at) & ((1 << bits) - 1)
    return v - (1 << bits) if is_signed and v >> (bits - 1) else v


def test_lop3_with_predicate():
    a, b, c = words(1)
    b[::2] = a[::2]
    line = (
        ".reg .b32 %x; setp.gt.u32 %q0, %s2, 77; lop3.{0}.b32 %x|%d, %s0, %s1, %s2, 0x3c, {1}%q0;"
    )
    for op, sign in (("or", ""), ("and", ""), ("and", "!")):
        got = ops.run(line.format(op, sign), ("pred", "u1"), ("u32",) * 3, a, b, c)
        q = (c > 77) ^ (sign == "!")
        nonzero = (a ^ b) != 0
        assert (got == (nonzero | q if op == "or" else nonzero & q)).all()


@pytest.mark.parametrize("kind", ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"))
def test_pack(kind):
    a, b, c = words(4)
    a[::3] = a[::3].astype("i4") >> 24
    bits, high = int(kind[1:]), (1 << (int(kind[1:]) - (kind[0] == "s"))) - 1
    low = -high - 1 if kind[0] == "s" else 0
    tail = "" if bits == 16 else ", %s2"
    line = f"cvt.pack.sat.{kind}.s32{'' if bits == 16 else '.b32'} %d, %s0, %s1{tail};"
    got = ops.run(line, B32, ("u32",) * 3, a, b, c)
    x, y = (v.view("i4").clip(low, high).astype("u4") & np.uint32((1 << bits) - 1) for v in (a, b))
    want = x << np.uint32(bits) | y | (0 if bits == 16 else c << np.uint32(2 * bits))
    assert (got == want).all()


@pytest.mark.parametrize("op", ("min", "max"))
def test_relu(op):
    a, b, _ = words(7)
    f = np.minimum if op == "min" else np.maximum
    for line in (f"{op}.relu.s32 %d, %s0, %s1;", f"{op}.s32.relu %d, %s0, %s1;"):
        got = ops.run(line, B32, ("u32",) * 2, a, b)
        assert (got.view("i4") == np.maximum(f(a.view("i4"), b.view("i4")), 0)).all()
    got = ops.run(f"{op}.s16x2.relu %d, %s0, %s1;", B32, ("u32",) * 2, a, b)
    assert (got.view("i2") == np.maximum(f(a.view("i2"), b.view("i2")), 0)).all()


def test_three_operands():
    a, b, c = (ops.corners("f4", 512, seed=s) for s in (1, 2, 3))
    for op, f in (("min", np.fmin), ("max", np.fmax)):
        got = ops.run(f"{op}.f32 %d, %s0, %s1, %s2;", ("f32", "f4"), ("f32",) * 3, a, b, c)
        want = f(f(a, b), c)
        assert ((got == want) | (np.isnan(got) & np.isnan(want))).all()
        got = ops.run(f"{op}.NaN.abs.f32 %d, %s0, %s1, %s2;", ("f32", "f4"), ("f32",) * 3, a, b, c)
        g = np.minimum if op == "min" else np.maximum
        want = g(g(abs(a), abs(b)), abs(c))
        assert ((got == want) | (np.isnan(got) & np.isnan(want))).all()


def test_parts_of_words():
    """Lists of parts, places that are written, and the negated operands of vmad."""
    a, b, c = words(11)
    got = ops.run(
        "vadd4.u32.u32.u32 %d.b20, %s0.b7531, %s1.b0246, %s2;", B32, ("u32",) * 3, a, b, c
    )
    for x, y, z, g in zip(a, b, c, got):
        both = int(y) << 32 | int(x)
        want = int(z)
        # the sources name a first, then b; here both lists read the pair (%s0, %s1)
        for place, first, second in ((0, 1, 6), (2, 5, 2)):
            v = part(both, 8 * first, 8, False) + part(both, 8 * second, 8, False)
            want = want & ~(255 << 8 * place) | (v & 255) << 8 * place
        assert int(g) == want
    got = ops.run("vsub2.s32.s32.s32.sat %d.h1, %s0.h32, %s1.h01, %s2;", B32, ("u32",) * 3, a, b, c)
    for x, y, z, g in zip(a, b, c, got):
        both = int(y) << 32 | int(x)
        v = part(both, 48, 16, True) - part(both, 0, 16, True)
        assert int(g) == int(z) & 0xFFFF | (min(max(v, -32768), 32767) & 0xFFFF) << 16
    got = ops.run("vmad.s32.s32.s32 %d, -%s0, %s1, %s2;", B32, ("u32",) * 3, a, b, c)
    x, y, z = (v.view("i4").astype("i8") for v in (a, b, c))
    assert (got == (z - x * y).astype("u4")).all()
    got = ops.run("vmad.s32.s32.s32 %d, %s0.h1, %s1.b2, -%s2;", B32, ("u32",) * 3, a, b, c)
    want = [
        part(i, 16, 16, True) * part(j, 16, 8, True) - part(k, 0, 32, True)
        for i, j, k in zip(a, b, c)
    ]
    assert (got == (np.array(want) & 0xFFFFFFFF).astype("u4")).all()


def test_wide_registers():
    """128-bit registers and vectors with components."""
    a, b, _ = words(15)
    line = (
        ".reg .b128 %w; .reg .b64 %x<4>; .reg .v2 .b32 %v; cvt.u64.u32 %x0, %s0; cvt.u64.u32 %x1, %s1;"
        "mov.b128 %w, {%x1, %x0}; mov.b128 {%x2, %x3}, %w; cvt.u32.u64 %v.x, %x2;"
        "cvt.u32.u64 %v.y, %x3; sub.u32 %d, %v.x, %v.y;"
    )
    assert (ops.run(line, B32, ("u32",) * 2, a, b) == b - a).all()


def test_vector_and_wide_atomics():
    text = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q) {
    .reg .b64 %a, %b, %x<4>; .reg .f32 %f<4>; .reg .b128 %w<3>; .reg .b16 %h<2>;
    ld.param.u64 %a, [p]; ld.param.u64 %b, [q];
    atom.global.v2.f32.add {%f0, %f1}, [%a], {0f3F800000, 0f40000000};
    red.global.add.v2.f32 [%a+8], {0f3F800000, 0f40000000};
    ld.global.b128 %w0, [%b]; mov.b64 %x0, 7; mov.b64 %x1, 8; mov.b128 %w1, {%x0, %x1};
    atom.global.cas.b128 %w2, [%b], %w0, %w1;
    atom.global.exch.b128 %w2, [%b+16], %w0;
    st.global.b128 [%b+32], %w2; ret; }
"""
    f, q = harness.Buffer(np.zeros(4, "f4")), harness.Buffer(np.arange(1, 7, dtype="u8"))
    harness.Module(text).launch("k", 1, 1, f, q)
    assert list(f.array) == [1, 2, 1, 2] and list(q.array) == [7, 8, 1, 2, 3, 4]


@pytest.mark.parametrize("kind,one", (("f16", 0x3C00), ("bf16", 0x3F80)))
def test_out_of_bounds_nan(kind, one):
    """The two patterns that an H200 takes for elements out of bounds make a product zero."""
    a = np.arange(65536, dtype="u2")
    b, c = np.full_like(a, one), np.full_like(a, 0x4000)
    plain = ops.run(f"fma.rn.{kind} %d, %s0, %s1, %s2;", ("b16", "u2"), ("b16",) * 3, a, b, c)
    for args in ("%s0, %s1", "%s1, %s0"):
        got = ops.run(f"fma.rn.oob.{kind} %d, {args}, %s2;", ("b16", "u2"), ("b16",) * 3, a, b, c)
        assert (got == np.where((a & 0x7FFF) == 0x7FF7, 0, plain)).all()


@pytest.mark.parametrize("mode", ("", ".rn", ".rz.ftz", ".rm", ".rp", ".ftz"))
def test_pairs_of_floats(mode):
    """Each half of an f32x2 is what the plain instruction gives."""
    a, b, c = (ops.corners("f4", 1024, seed=20 + k).view("u8") for k in range(3))
    for op, n in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
        if op == "fma" and not mode.startswith(".r"):
            continue
        given = (a, b, c)[:n]
        names = ", ".join(f"%s{k}" for k in range(n))
        line = f"{op}{mode}.f32x2 %d, {names};"
        got = ops.run(line, ("b64", "u8"), ("b64",) * n, *given)
        plain = f"{op}{mode}.f32 %d, {names};"
        want = ops.run(plain, B32, ("u32",) * n, *(v.view("u4") for v in given))
        assert (got.view("u4") == want).all()


@pytest.mark.parametrize("kind", ("f16", "bf16"))
@pytest.mark.parametrize("mode", (".rn", ".rz.sat", ".rm", ".rp"))
def test_mixed_widths(kind, mode):
    """add, sub and fma of a half operand are those of its value."""
    a, b = ops.corners("u2", 512, seed=30), ops.corners("u2", 512, seed=31)
    c = ops.corners("u4", 512, seed=32)
    widen = f".reg .f32 %w<2>; cvt.f32.{kind} %w0, %s0; cvt.f32.{kind} %w1, %s1; "
    for op in ("add", "sub", "fma"):
        half, wide = ("%s0, %s1", "%w0, %w1") if op == "fma" else ("%s0", "%w0")
        given = ("b16", "b16", "u32")
        got = ops.run(f"{op}{mode}.f32.{kind} %d, {half}, %s2;", B32, given, a, b, c)
        want = ops.run(f"{widen}{op}{mode}.f32 %d, {wide}, %s2;", B32, given, a, b, c)
        assert (got == want).all()


ALLOCA = """.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 r) sum(.param .b32 n, .param .b64 above) {
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;
    .param .b32 out; .param .b32 in; .param .b64 where;
    ld.param.u32 %r1, [n]; ld.param.u64 %d5, [above];
    mad.lo.u32 %r2, %r1, 4, 4; cvt.u64.u32 %d1, %r2;
    alloca.u64 %d2, %d1, 16; cvta.local.u64 %d3, %d2;
    mul.wide.u32 %d4, %r1, 4; add.u64 %d4, %d3, %d4;
    st.u32 [%d4], %r1; st.u32 [%d3], %r1;
    ld.u32 %r3, [%d5];
    setp.eq.u32 %p, %r1, 0;
    @%p bra DONE;
    sub.u32 %r4, %r1, 1;
    st.param.u32 [in], %r4; st.param.u64 [where], %d4;
    call (out), sum, (in, where);
    ld.param.u32 %r5, [out]; add.u32 %r3, %r3, %r5;
DONE:
    ld.u32 %r6, [%d4]; add.u32 %r3, %r3, %r6;
    st.param.u32 [r], %r3; ret; }
.visible .entry k(.param .u64 p, .param .u32 turns) {
    .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p; .local .align 8 .b8 first[8];
    ld.param.u64 %d1, [p]; ld.param.u32 %r5, [turns];
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
    mov.u64 %d3, first; cvta.local.u64 %d3, %d3; mov.u32 %r3, 100; st.u32 [%d3], %r3;
    mov.u64 %d7, 64;
AGAIN:
    stacksave.u64 %d5; alloca.u64 %d6, %d7; st.local.u32 [%d6+60], %r5; stackrestore.u64 %d5;
    sub.u32 %r5, %r5, 1; setp.gt.s32 %p, %r5, 0; @%p bra AGAIN;
    setp.lt.u32 %p, %r2, 3;
    @%p bra SMALL;
    { .param .b32 out; .param .b32 in; .param .b64 where;
    st.param.u32 [in], %r2; st.param.u64 [where], %d3; call (out), sum, (in, where);
    ld.param.u32 %r4, [out]; }
    bra DONE;
SMALL:
    { .param .b32 out; .param .b32 in; .param .b64 where;
    st.param.u32 [in], %r2; st.param.u64 [where], %d3; call (out), sum, (in, where);
    ld.param.u32 %r4, [out]; }
DONE:
    st.u32 [%d1], %r4; ret; }
"""


def test_alloca():
    """Memory of a size known at run time: by recursion, by parted threads, given back in a loop."""
    out = harness.Buffer(np.zeros(64, "u4"))
    m = harness.Module(ALLOCA)
    m.launch("k", 1, 64, out, np.uint32(5000))
    n = np.arange(64) % 8
    # each call adds what its caller left and its own number
    assert (out.array == 100 + n * (n + 1) // 2 + n * (n + 1) // 2).all()


def test_alloca_beyond_the_stack():
    text = ALLOCA.replace("stackrestore.u64 %d5;", "")
    with pytest.raises(harness.KernelFault, match="stack overflow: alloca of 64 bytes"):
        out = harness.Buffer(np.zeros(64, "u4"))
        harness.Module(text).launch("k", 1, 64, out, np.uint32(1 << 20))


def test_alloca_has_an_end():
    text = ALLOCA.replace("[%d6+60]", "[%d6+64]")
    out = harness.Buffer(np.zeros(64, "u4"))
    with pytest.raises(harness.KernelFault, match="local"):
        harness.Module(text).launch("k", 1, 64, out, np.uint32(1))
