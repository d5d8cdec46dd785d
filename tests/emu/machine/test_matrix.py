"""Matrix instructions of a warp against NumPy's own products, over every shape and type; fragments
are taken apart by the tables of the PTX manual, written here once more."""

import functools
import zlib
from pathlib import Path

import harness
import matrix_cases
import ml_dtypes
import numpy as np
import pytest

HEADER = ".version 8.4\n.target sm_90\n.address_size 64\n"
DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
    "s32": np.int32,
}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8}
BITS |= {"s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "s32": 32}


@pytest.fixture(params=(0, 2), autouse=True)
def level(request):
    """Plain rows, and everything tracked."""
    harness.library().stub_optimise(request.param)
    yield
    harness.library().stub_optimise(2)


def fragment_a(m, k, bits):
    """{(lane, register, part): (row, column)} of the left factor."""
    per = max(1, 32 // bits)
    out = {}
    for lane in range(32):
        group, four = divmod(lane, 4)
        for r in range(max(1, m * k // 32 // per)):
            for i in range(per):
                row = group + (8 if r % 2 and m == 16 else 0)
                block = r // 2 if m == 16 else r
                out[lane, r, i] = row, four * per + i + block * 4 * per
    return out


def fragment_b(k, n, bits):
    """The same of the right factor, eight columns wide."""
    per = max(1, 32 // bits)
    return {
        (lane, r, i): ((lane % 4) * per + i + r * 4 * per, lane // 4)
        for lane in range(32)
        for r in range(max(1, n * k // 32 // per))
        for i in range(per)
    }


def fragment_c(m, n, bits):
    """The same of accumulators."""
    per = 2 if bits == 16 else 1
    out = {}
    for lane in range(32):
        for e in range(m * n // 32):
            row = lane // 4 + (8 if e >= 2 else 0)
            out[lane, e // per, e % per] = row, (lane % 4) * 2 + e % 2
    return out


def codes(values, kind):
    """Numbers as bit patterns of the type."""
    if kind in ("s4", "u4", "b1"):
        return values.astype("i8").astype("u8") & np.uint64((1 << BITS[kind]) - 1)
    raw = values.astype(DTYPES[kind])
    return raw.view(f"u{raw.itemsize}").astype("u8")


def pack(matrix, places, kind):
    """A matrix as the registers of 32 lanes."""
    bits = BITS[kind]
    count = 1 + max(r for _, r, _ in places)
    out = np.zeros((32, count), "u8" if bits == 64 else "u4")
    values = codes(matrix, kind)
    for (lane, r, i), (row, col) in places.items():
        out[lane, r] |= (values[row, col] << np.uint64(0 if bits == 64 else i * bits)).astype(
            out.dtype
        )
    return out


def unpack(regs, places, kind, shape):
    """Registers as a matrix of numbers."""
    out = np.zeros(shape, DTYPES[kind])
    wide = regs.view({16: "u2", 32: "u4", 64: "u8"}[BITS[kind]]).reshape(32, -1)
    per = max(1, 32 // BITS[kind])
    for (lane, r, i), (row, col) in places.items():
        out[row, col] = wide[lane, r * per + i].view(DTYPES[kind])
    return out


@functools.cache
def kernel(op, counts, kinds):
    """Loads the fragments of a, b, c from p1.., runs `op` and stores d at p0."""
    body, names = [], "dabc"
    for i, (name, n, kind) in enumerate(zip(names, counts, kinds)):
        t = kind if kind in ("f32", "f64") else "b32"
        size = 8 if t == "f64" else 4
        body.append(f".reg .{t} {name}<{n}>; .reg .b64 p{i}; ld.param.u64 p{i}, [q{i}];")
        body.append(f"mad.wide.u32 p{i}, t, {n * size}, p{i};")
        body += [f"ld.global.{t} {name}{k}, [p{i}+{k * size}];" for k in range(n) if i]
    sets = ["{" + ",".join(f"{c}{k}" for k in range(n)) + "}" for c, n in zip(names, counts)]
    body.append(f"{op} {', '.join(sets)};")
    t = kinds[0] if kinds[0] in ("f32", "f64") else "b32"
    body += [f"st.global.{t} [p0+{k * (8 if t == 'f64' else 4)}], d{k};" for k in range(counts[0])]
    text = HEADER + ".visible .entry k(" + ",".join(f".param .u64 q{i}" for i in range(4))
    return harness.Module(
        text + "){\n.reg .b32 t; mov.u32 t, %tid.x;\n" + "\n".join(body) + "\nret;}\n"
    )


def product(op, kinds, places, matrices):
    """The registers of d."""
    regs = [pack(x, p, k) for x, p, k in zip(matrices, places[1:], kinds[1:])]
    count = 1 + max(r for _, r, _ in places[0])
    d = np.zeros((32, count), "u8" if kinds[0] == "f64" else "u4")
    buffers = [harness.Buffer(x) for x in (d, *regs)]
    module = kernel(op, tuple(x.shape[1] for x in (d, *regs)), kinds)
    module.launch("k", 1, 32, *buffers)
    out = buffers[0].array.copy()
    for b in buffers:
        b.free()
    return out


FLOATS = [
    *[(16, 8, k, d, "f16", d) for k in (8, 16) for d in ("f16", "f32")],
    *[(16, 8, k, "f32", "bf16", "f32") for k in (8, 16)],
    *[(16, 8, k, "f32", "tf32", "f32") for k in (4, 8)],
    *[(m, 8, k, "f64", "f64", "f64") for m, k in ((8, 4), (16, 4), (16, 8), (16, 16))],
    *[(16, 8, 32, "f32", t, "f32") for t in ("e4m3", "e5m2")],
]


@pytest.mark.parametrize("m,n,k,d,a,c", FLOATS)
def test_floats(m, n, k, d, a, c):
    """Small whole numbers, whose sums are exact in any order."""
    rng = np.random.default_rng(k)
    places = (
        fragment_c(m, n, BITS[d]),
        fragment_a(m, k, BITS[a]),
        fragment_b(k, n, BITS[a]),
        fragment_c(m, n, BITS[c]),
    )
    x, y, z = (rng.integers(-4, 5, s).astype("f8") for s in ((m, k), (k, n), (m, n)))
    op = f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{d}.{a}.{a}.{c}"
    got = unpack(product(op, (d, a, a, c), places, (x, y, z)), places[0], d, (m, n))
    assert (got.astype("f8") == x @ y + z).all()


INTEGERS = [
    *[
        (m, k, t, u)
        for m, k in ((8, 16), (16, 16), (16, 32))
        for t in ("s8", "u8")
        for u in ("s8", "u8")
    ],
    *[
        (m, k, t, u)
        for m, k in ((8, 32), (16, 32), (16, 64))
        for t in ("s4", "u4")
        for u in ("s4", "u4")
    ],
]


@pytest.mark.parametrize("m,k,a,b", INTEGERS)
def test_integers(m, k, a, b):
    rng = np.random.default_rng(k)
    places = (
        fragment_c(m, 8, 32),
        fragment_a(m, k, BITS[a]),
        fragment_b(k, 8, BITS[b]),
        fragment_c(m, 8, 32),
    )

    def values(kind, shape):
        half = 1 << (BITS[kind] - 1)
        return (
            rng.integers(-half, half, shape) if kind[0] == "s" else rng.integers(0, 2 * half, shape)
        )

    x, y = values(a, (m, k)), values(b, (k, 8))
    z = rng.integers(-(2**31), 2**31, (m, 8))
    exact = x @ y + z
    for name, want in (("", exact.astype("i4")), (".satfinite", exact.clip(-(2**31), 2**31 - 1))):
        op = f"mma.sync.aligned.m{m}n8k{k}.row.col{name}.s32.{a}.{b}.s32"
        got = unpack(product(op, ("s32", a, b, "s32"), places, (x, y, z)), places[0], "s32", (m, 8))
        assert (got == want).all()


@pytest.mark.parametrize("m,k", ((8, 128), (16, 128), (16, 256)))
def test_bits(m, k):
    rng = np.random.default_rng(k)
    places = (fragment_c(m, 8, 32), fragment_a(m, k, 1), fragment_b(k, 8, 1), fragment_c(m, 8, 32))
    x, y = rng.integers(0, 2, (m, k)), rng.integers(0, 2, (k, 8))
    z = rng.integers(-1000, 1000, (m, 8))
    for op, table in (("xor", x[:, :, None] ^ y), ("and", x[:, :, None] & y)):
        text = f"mma.sync.aligned.m{m}n8k{k}.row.col.s32.b1.b1.s32.{op}.popc"
        got = unpack(
            product(text, ("s32", "b1", "b1", "s32"), places, (x, y, z)), places[0], "s32", (m, 8)
        )
        assert (got == table.sum(1) + z).all()


@pytest.mark.parametrize("d,c", (("f16", "f16"), ("f32", "f32"), ("f32", "f16")))
@pytest.mark.parametrize("rows", ("row.row", "row.col", "col.row", "col.col"))
def test_quads(rows, d, c):
    """m8n8k4: four products side by side, each by lanes q, q+1, q+2, q+3 and those 16 above."""
    rng = np.random.default_rng(7)
    first, second = rows.split(".")

    def where(which, kind, lane, e):
        low, high = lane % 4, 4 if lane >= 16 else 0
        if which == "a":
            return (low + high, e) if first == "row" else (e + high, low)
        if which == "b":
            return (low, e + high) if second == "row" else (e, low + high)
        if kind == "f16":
            return low + high, e
        return (lane & 1) + high + (e & 2), (e & 4) + (lane & 2) + (e & 1)

    x, y, z = (rng.integers(-4, 5, (4, *s)).astype("f8") for s in ((8, 4), (4, 8), (8, 8)))

    def regs(values, which, kind, count):
        out = np.zeros((32, count), DTYPES[kind])
        for lane in range(32):
            for e in range(count):
                row, col = where(which, kind, lane, e)
                out[lane, e] = values[lane % 16 // 4, row, col]
        return out.view("u4")

    inputs = [regs(x, "a", "f16", 4), regs(y, "b", "f16", 4), regs(z, "c", c, 8)]
    counts = [8 if d == "f32" else 4, *(r.shape[1] for r in inputs)]
    buffers = [harness.Buffer(v) for v in (np.zeros((32, counts[0]), "u4"), *inputs)]
    op = f"mma.sync.aligned.m8n8k4.{rows}.{d}.f16.f16.{c}"
    kernel(op, tuple(counts), (d, "f16", "f16", c)).launch("k", 1, 32, *buffers)
    got = buffers[0].array.view(DTYPES[d]).reshape(32, 8)
    want = x @ y + z
    for lane in range(32):
        for e in range(8):
            assert got[lane, e] == want[lane % 16 // 4][where("c", d, lane, e)]


WMMA = [
    *[(*s, d, "f16", d) for s in ((16, 16, 16), (32, 8, 16), (8, 32, 16)) for d in ("f16", "f32")],
    *[(*s, "f32", "bf16", "f32") for s in ((16, 16, 16), (32, 8, 16), (8, 32, 16))],
    *[
        (*s, "s32", t, "s32")
        for s in ((16, 16, 16), (32, 8, 16), (8, 32, 16))
        for t in ("s8", "u8")
    ],
    (16, 16, 8, "f32", "tf32", "f32"),
    (8, 8, 4, "f64", "f64", "f64"),
]


def wmma_registers(shape, which, kind):
    """How many registers a fragment has."""
    m, n, k = shape
    cells = {"a": m * k, "b": n * k, "c": m * n, "d": m * n}[which]
    if kind == "f16" and which in "ab":
        return 8
    return cells // 32 if kind == "f64" else cells * BITS[kind] // 1024


@pytest.mark.parametrize("layout", ("row.col", "col.row", "row.row", "col.col"))
@pytest.mark.parametrize("m,n,k,d,a,c", WMMA)
def test_wmma(m, n, k, d, a, c, layout):
    """Load, multiply and store through memory, in all orders of both factors."""
    rng = np.random.default_rng(m)
    first, second = layout.split(".")
    x, y, z = (rng.integers(-4, 5, s).astype("f8") for s in ((m, k), (k, n), (m, n)))
    if a == "u8":
        x, y = abs(x), abs(y)
    body = []
    for name, kind, order in zip("abcd", (a, a, c, d), (first, second, "row", "col")):
        t = kind if kind in ("f32", "f64") else "b32"
        count = wmma_registers((m, n, k), name, kind)
        body.append(f".reg .{t} {name}<{count}>;")
        regs = "{" + ",".join(f"{name}{i}" for i in range(count)) + "}"
        body.append(f"// {name} {order}")
        rows, cols = {"a": (m, k), "b": (k, n), "c": (m, n), "d": (m, n)}[name]
        ld = (cols if order == "row" else rows) + 8
        shape = f"m{m}n{n}k{k}"
        if name != "d":
            body.append(
                f"wmma.load.{name}.sync.aligned.{order}.{shape}.global.{kind} {regs}, [p{name}], {ld};"
            )
        else:
            sets = [
                "{" + ",".join(f"{v}{i}" for i in range(wmma_registers((m, n, k), v, w))) + "}"
                for v, w in zip("dabc", (d, a, a, c))
            ]
            types = f"{d}.{c}" if a == "f16" else f"{d}.{a}.{a}.{c}"
            rounding = ".rn" if a == "f64" else ""
            body.append(
                f"wmma.mma.sync.aligned.{layout}.{shape}{rounding}.{types} {', '.join(sets)};"
            )
            body.append(
                f"wmma.store.d.sync.aligned.{order}.{shape}.global.{kind} [pd], {regs}, {ld};"
            )
    params = ",".join(f".param .u64 q{v}" for v in "abcd")
    loads = "".join(f".reg .b64 p{v}; ld.param.u64 p{v}, [q{v}];\n" for v in "abcd")
    module = harness.Module(
        HEADER + f".visible .entry k({params}){{\n{loads}" + "\n".join(body) + "\nret;}\n"
    )

    def memory(values, kind, order):
        values = values if order == "row" else values.T
        return np.pad(values, ((0, 0), (0, 8)), constant_values=9).astype(DTYPES[kind])

    arrays = [
        memory(x, a, first),
        memory(y, a, second),
        memory(z, c, "row"),
        memory(0 * z, d, "col"),
    ]
    buffers = [harness.Buffer(v.view(f"u{v.itemsize}")) for v in arrays]
    module.launch("k", 1, 32, *buffers)
    got = buffers[3].array.view(DTYPES[d]).reshape(n, m + 8)
    assert (got[:, :m].T.astype("f8") == x @ y + z).all() and (got[:, m:].astype("f8") == 9).all()


@pytest.mark.parametrize("kind,k", (("s4", 32), ("u4", 32), ("b1", 128)))
def test_wmma_small_elements(kind, k):
    rng = np.random.default_rng(k)
    bits = BITS[kind]
    low, high = (-8, 8) if kind == "s4" else (0, 1 << bits)
    x, y = rng.integers(low, high, (8, k)), rng.integers(low, high, (8, k))
    z = rng.integers(-100, 100, (8, 8)).astype("i4")

    def memory(v):
        parts = (v & ((1 << bits) - 1))[..., None] >> np.arange(bits) & 1
        return np.packbits(parts.reshape(-1).astype("u1"), bitorder="little")

    shape = f"m8n8k{k}"
    module = harness.Module(
        HEADER
        + f""".visible .entry k(.param .u64 qa,.param .u64 qb,.param .u64 qc){{
        .reg .b64 p<3>; .reg .b32 r<8>; ld.param.u64 p0,[qa]; ld.param.u64 p1,[qb]; ld.param.u64 p2,[qc];
        wmma.load.a.sync.aligned.row.{shape}.global.{kind} {{r0}}, [p0], {k};
        wmma.load.b.sync.aligned.col.{shape}.global.{kind} {{r1}}, [p1], {k};
        wmma.load.c.sync.aligned.row.{shape}.global.s32 {{r2,r3}}, [p2];
        wmma.mma{".xor.popc" if kind == "b1" else ""}.sync.aligned.row.col.{shape}.s32.{kind}.{kind}.s32
            {{r4,r5}}, {{r0}}, {{r1}}, {{r2,r3}};
        wmma.store.d.sync.aligned.row.{shape}.global.s32 [p2], {{r4,r5}}, 8; ret; }}"""
    )
    buffers = [harness.Buffer(v) for v in (memory(x), memory(y), z)]
    module.launch("k", 1, 32, *buffers)
    want = (x[:, None] ^ y).sum(2) if kind == "b1" else x @ y.T
    assert (buffers[2].array == want + z).all()


@pytest.mark.parametrize("count", (1, 2, 4))
@pytest.mark.parametrize("transposed", ("", ".trans"))
def test_rows(count, transposed):
    """ldmatrix gives each lane two halves of every matrix; stmatrix puts them back elsewhere."""
    a = np.arange(32 * 8, dtype="u2").reshape(4, 8, 8) * 3
    regs = "{" + ",".join(f"r{i}" for i in range(count)) + "}"
    module = harness.Module(
        HEADER
        + f""".visible .entry k(.param .u64 qa,.param .u64 qo,.param .u64 qs){{
        .shared .align 16 .b8 s[1024]; .reg .b64 p<4>; .reg .b32 r<4>, t, u, v; .reg .v4 .b32 w;
        ld.param.u64 p0,[qa]; ld.param.u64 p1,[qo]; ld.param.u64 p2,[qs]; mov.u32 t, %tid.x;
        mad.wide.u32 p0, t, 16, p0; ld.global.v4.b32 w, [p0];
        mov.u32 u, s; mad.lo.u32 u, t, 16, u; st.shared.v4.b32 [u], w;
        bar.warp.sync -1;
        ldmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16 {regs}, [u];
        stmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16 [u+512], {regs};
        mad.wide.u32 p1, t, {4 * count}, p1;
        {"".join(f"st.global.b32 [p1+{4 * i}], r{i};" for i in range(count))}
        bar.warp.sync -1;
        ld.shared.v4.b32 {{w.x, w.y, w.z, w.w}}, [u+512]; mad.wide.u32 p2, t, 16, p2;
        st.global.v4.b32 [p2], w; ret; }}"""
    )
    out = harness.Buffer(np.zeros((32, count, 2), "u2"))
    stored = harness.Buffer(np.zeros((4, 8, 8), "u2"))
    module.launch("k", 1, 32, harness.Buffer(a), out, stored)
    lane = np.arange(32)
    for j in range(count):
        m = a[j].T if transposed else a[j]
        for i in range(2):
            assert (out.array[:, j, i] == m[lane // 4, lane % 4 * 2 + i]).all()
    assert (stored.array[:count] == a[:count]).all()


def test_turn():
    a = np.arange(64, dtype="u2")
    module = harness.Module(
        HEADER
        + """.visible .entry k(.param .u64 qa){
        .reg .b64 p; .reg .b32 r<2>, t; ld.param.u64 p,[qa]; mov.u32 t, %tid.x;
        mad.wide.u32 p, t, 4, p; ld.global.b32 r0, [p];
        movmatrix.sync.aligned.m8n8.trans.b16 r1, r0; st.global.b32 [p], r1; ret; }"""
    )
    buffer = harness.Buffer(a)
    module.launch("k", 1, 32, buffer)
    assert (buffer.array.reshape(8, 8) == a.reshape(8, 8).T).all()


def test_wrong_fragments_are_refused():
    with pytest.raises(RuntimeError, match="registers, not"):
        text = (
            HEADER
            + """.visible .entry k(){ .reg .f32 d<4>; .reg .b32 a<4>;
            mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {d0,d1,d2,d3}, {a0,a1,a2,a3}, {a0},
            {d0,d1,d2,d3}; ret; }"""
        )
        harness.Module(text).launch("k", 1, 32)


GOLDEN = matrix_cases.golden(Path(__file__).with_name("matrix_golden.txt"))


def result(row, warps):
    """The checksum of d."""
    module = harness.Module(matrix_cases.text(*row[:6], *row[10:]))
    d = np.zeros((warps, 32, row[1]), "u8" if row[5] == 64 else "u4")
    arrays = [*matrix_cases.inputs(row, warps), d]
    if row[10:]:
        arrays.append(matrix_cases.metadata(row, warps))
    buffers = [harness.Buffer(x) for x in arrays]
    module.launch("k", warps, 32, *buffers)
    checksum = zlib.crc32(buffers[3].array.tobytes())
    for b in buffers:
        b.free()
    return checksum


@pytest.mark.parametrize("row", matrix_cases.rows(), ids=lambda row: row[0])
def test_as_on_hardware(row):
    """Every bit of what an H200 answers: cancellation, subnormals, infinities and NaN included."""
    warps = matrix_cases.warps(row)
    assert result(row, warps) == GOLDEN[row[0]]


@pytest.mark.parametrize("row", matrix_cases.sparse_rows(), ids=lambda row: f"{row[0]}/{row[10]}")
def test_sparse_as_on_hardware(row):
    """The same of mma.sp, for every selector."""
    assert result(row, matrix_cases.warps(row)) == GOLDEN[f"{row[0]}/{row[10]}"]


def sparse_text(op, selector):
    return (
        HEADER
        + f""".visible .entry k(){{ .reg .f32 d<4>; .reg .b32 a<2>, e;
        {op} {{d0,d1,d2,d3}}, {{a0,a1}}, {{a0,a1}}, {{d0,d1,d2,d3}}, e, {selector}; ret; }}"""
    )


@pytest.mark.parametrize("selector,wanted", (("4", "below 4"), ("e", "constant below 4")))
def test_wrong_selectors_are_refused(selector, wanted):
    with pytest.raises(RuntimeError, match=wanted):
        op = "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
        harness.Module(sparse_text(op, selector)).launch("k", 1, 32)


def test_sparse_shapes_without_hardware_are_refused():
    with pytest.raises(RuntimeError, match="unsupported instruction"):
        op = "mma.sp.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"
        harness.Module(sparse_text(op, "0")).launch("k", 1, 32)
