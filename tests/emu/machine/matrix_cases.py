"""The matrix instructions on random fragments: opcodes, inputs, and a kernel for each. What an H200
answers is kept as a checksum per opcode in matrix_golden.txt."""

import zlib

import numpy as np

HEAD = ".version 8.4\n.target sm_90\n.address_size 64\n"
FORMATS = {  # exponent bits, fraction bits, bytes
    "f16": (5, 10, 2),
    "bf16": (8, 7, 2),
    "tf32": (8, 23, 4),
    "f32": (8, 23, 4),
    "f64": (11, 52, 8),
    "e4m3": (4, 3, 1),
    "e5m2": (5, 2, 1),
}


def rows():
    """(opcode, registers of d a b c, bits of a register, kinds of a b c)."""
    out = []
    for order in ("row.row", "row.col", "col.row", "col.col"):
        for d, c in (("f16", "f16"), ("f32", "f32"), ("f32", "f16")):
            counts = 8 if d == "f32" else 4, 2, 2, 8 if c == "f32" else 4
            op = f"mma.sync.aligned.m8n8k4.{order}.{d}.f16.f16.{c}"
            out.append((op, *counts, 32, "f16", "f16", c))
    for k, a, b in ((8, 2, 1), (16, 4, 2)):
        start = f"mma.sync.aligned.m16n8k{k}.row.col"
        for d in ("f16", "f32"):
            n = 4 if d == "f32" else 2
            out.append((f"{start}.{d}.f16.f16.{d}", n, a, b, n, 32, "f16", "f16", d))
        out.append((f"{start}.f32.bf16.bf16.f32", 4, a, b, 4, 32, "bf16", "bf16", "f32"))
    for k, a, b in ((4, 2, 1), (8, 4, 2)):
        op = f"mma.sync.aligned.m16n8k{k}.row.col.f32.tf32.tf32.f32"
        out.append((op, 4, a, b, 4, 32, "tf32", "tf32", "f32"))
    for s, a, b, c in (
        ("m8n8k4", 1, 1, 2),
        ("m16n8k4", 2, 1, 4),
        ("m16n8k8", 4, 2, 4),
        ("m16n8k16", 8, 4, 4),
    ):
        op = f"mma.sync.aligned.{s}.row.col.f64.f64.f64.f64"
        out.append((op, c, a, b, c, 64, "f64", "f64", "f64"))
    for s, a, b, c in (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)):
        for types in ("u8.u8", "u8.s8", "s8.u8", "s8.s8"):
            for sat in ("", ".satfinite"):
                op = f"mma.sync.aligned.{s}.row.col{sat}.s32.{types}.s32"
                out.append((op, c, a, b, c, 32, "i", "i", "i"))
    for s, a, b, c in (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)):
        for types in (".s32.u4.u4", ".s32.s4.s4", ".satfinite.s32.u4.s4", ".satfinite.s32.s4.u4"):
            op = f"mma.sync.aligned.{s}.row.col{types}.s32"
            out.append((op, c, a, b, c, 32, "i", "i", "i"))
    for s, a, b, c in (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)):
        for name in ("xor", "and"):
            op = f"mma.sync.aligned.{s}.row.col.s32.b1.b1.s32.{name}.popc"
            out.append((op, c, a, b, c, 32, "i", "i", "i"))
    for ta in ("e4m3", "e5m2"):
        for tb in ("e4m3", "e5m2"):
            op = f"mma.sync.aligned.m16n8k32.row.col.f32.{ta}.{tb}.f32"
            out.append((op, 4, 4, 2, 4, 32, ta, tb, "f32"))
    return out


def sparse_rows():
    """The same of mma.sp, with the number of bits that an index has and the selector at the end."""
    out = []
    for ordered in ("", "::ordered_metadata"):
        start = f"mma.sp{ordered}.sync.aligned.m16n8k"
        for k, n, selectors in ((16, 2, 4), (32, 4, 2)):
            for d, t in (("f16", "f16"), ("f32", "f16"), ("f32", "bf16")):
                regs = (2, n, n, 2) if d == "f16" else (4, n, n, 4)
                op = f"{start}{k}.row.col.{d}.{t}.{t}.{d}"
                out += [(op, *regs, 32, t, t, d, 2, f) for f in range(selectors)]
        for k, n, selectors in ((8, 2, 4), (16, 4, 2)):
            op = f"{start}{k}.row.col.f32.tf32.tf32.f32"
            out += [(op, 4, n, n, 4, 32, "tf32", "tf32", "f32", 4, f) for f in range(selectors)]
        for k, n, selectors, types in (
            (32, 2, 2, ("u8.s8", "s8.s8")),
            (64, 4, 1, ("s8.u8", "u8.u8")),
            (64, 2, 2, ("u4.s4", "s4.s4")),
            (128, 4, 1, ("s4.u4", "u4.u4")),
        ):
            for t, sat in zip(types, ("", ".satfinite")):
                op = f"{start}{k}.row.col{sat}.s32.{t}.s32"
                out += [(op, 4, n, n, 4, 32, "i", "i", "i", 2, f) for f in range(selectors)]
        for ta, tb in (("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e5m2", "e5m2")):
            op = f"{start}64.row.col.f32.{ta}.{tb}.f32"
            out.append((op, 4, 4, 4, 4, 32, ta, tb, "f32", 2, 0))
    return out


def text(op, nd, na, nb, nc, bits, selector=None):
    """A kernel k(a, b, c, d) over raw fragments, one warp per block; k(a, b, c, d, e) of mma.sp."""
    width = bits // 8
    main = "f64" if bits == 64 else "b32"
    words = op.split(".")
    if bits == 64:
        accumulator = result = "f64"
    else:
        accumulator = "f32" if words[-1] == "f32" else "b32"
        result = "f32" if "col.f32" in op or "row.f32" in op else "b32"
    body = [
        f".reg .{main} a<{na}>, b<{nb}>; .reg .{accumulator} c<{nc}>; .reg .{result} d<{nd}>;",
        ".reg .b64 p<9>; .reg .b32 t<4>;",
        "mov.u32 t0, %tid.x; mov.u32 t1, %ctaid.x; mad.lo.u32 t0, t1, 32, t0;",
    ]
    for i, (n, k, kind) in enumerate(((na, "a", main), (nb, "b", main), (nc, "c", accumulator))):
        body.append(f"ld.param.u64 p{i}, [q{i}]; mad.wide.u32 p{i}, t0, {n * width}, p{i};")
        body += [f"ld.global.{kind} {k}{j}, [p{i}+{j * width}];" for j in range(n)]
    body.append(f"ld.param.u64 p3, [q3]; mad.wide.u32 p3, t0, {nd * width}, p3;")
    sets = [
        "{" + ",".join(f"{k}{j}" for j in range(n)) + "}" for k, n in zip("dabc", (nd, na, nb, nc))
    ]
    params = ",".join(f".param .u64 q{i}" for i in range(4))
    if selector is not None:
        body.append("ld.param.u64 p4, [q4]; mad.wide.u32 p4, t0, 4, p4; ld.global.b32 t2, [p4];")
        params += ", .param .u64 q4"
        sets += ["t2", str(selector)]
    body.append(f"{op} {', '.join(sets)};")
    body += [f"st.global.{result} [p3+{j * width}], d{j};" for j in range(nd)]
    return (
        HEAD.replace("8.4", "8.5")
        + f".visible .entry k({params}){{\n"
        + "\n".join(body)
        + "\nret;\n}\n"
    )


def elements(rng, kind, n, category):
    """Raw codes: 0 near one, 1 spread widely, 2 few digits, so that sums cancel, 3 anything, 4 small."""
    e, m, width = FORMATS[kind]
    bias = (1 << (e - 1)) - 1
    sign = rng.integers(0, 2, n, dtype=np.uint64)
    man = rng.integers(0, 1 << m, n, dtype=np.uint64)
    if category == 0:
        ex = bias + rng.integers(-2, 2, n)
    elif category == 1:
        ex = bias + np.clip(rng.integers(-14, 14, n), -(bias - 1), bias)
    elif category == 2:
        ex = bias + rng.integers(-1, 2, n)
        high = ((1 << m) - 1) ^ ((1 << max(m - 2, 0)) - 1)
        man &= np.uint64(high) | (rng.integers(0, 8, n, dtype=np.uint64) == 0).astype(np.uint64)
    elif category == 3:
        ex = rng.integers(0, 1 << e, n)
    else:
        ex = bias + np.clip(rng.integers(-8, 0, n), -(bias - 1), bias)
    ex = np.asarray(ex).astype(np.uint64)
    codes = (sign << np.uint64(e + m)) | (ex << np.uint64(m)) | man
    return codes.astype(f"u{width}")


def metadata(row, warps):
    """Register e: pairs of different places among four, in order, or the one place among two."""
    rng = np.random.default_rng(zlib.crc32(row[0].encode()) + 1)
    pairs = np.array([0x4, 0x8, 0xC, 0x9, 0xD, 0xE] if row[9] == 2 else [0x4, 0xE], "u4")
    nibbles = pairs[rng.integers(0, len(pairs), (warps, 32, 8))]
    return (nibbles << (4 * np.arange(8, dtype="u4"))).sum(2, dtype="u4")


def inputs(row, warps):
    """The registers of a, b and c for so many warps."""
    op, _, na, nb, nc, bits, *kinds = row[:9]
    rng = np.random.default_rng(zlib.crc32(op.encode()))
    out = []
    for which, (n, kind) in enumerate(zip((na, nb, nc), kinds)):
        if kind == "i":
            raw = rng.integers(0, 1 << 32, (warps, 32, n), dtype=np.uint64).astype("u4")
            if which == 2:
                raw[::2] = (raw[::2].astype("i4") >> 12).view("u4")
            out.append(raw)
            continue
        each = n * 32 * (bits // 8) // FORMATS[kind][2]
        parts = []
        for w in range(warps):
            category = w % 6
            c = elements(rng, kind, each, min(category, 4))
            if which == 2:
                if category == 5:
                    c = elements(rng, kind, each, 0)
                if category == 4:
                    c = elements(rng, kind, each, 1)
                if category in (0, 2) and w % 12 >= 6:
                    c = c * 0
            parts.append(c.view("u8" if bits == 64 else "u4").reshape(32, n))
        out.append(np.stack(parts))
    return out


def warps(row):
    """How many warps a case has."""
    return 24 if row[6] == "i" else 96


def golden(path):
    """{opcode: checksum} as measured on an H200."""
    lines = path.read_text().splitlines()
    return {op: int(crc, 16) for op, crc in (line.split() for line in lines if line[0] != "#")}
