"""One PTX instruction over arrays: the kernel around it, and exact references in Python."""

import functools

import harness
import numpy as np

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
KINDS = {"pred": 1, "8": 1, "16": 2, "32": 4, "64": 8}
REG = {"8": ".b16", "16": ".b16", "32": ".b32", "64": ".b64", "pred": ".pred"}


def width(kind):
    """'f32' -> '32', 'f16x2' -> '32', 'pred' -> 'pred'."""
    if kind == "pred":
        return "pred"
    digits = "".join(c for c in kind.lstrip("busf") if c.isdigit() or c == "x")
    return {"16x2": "32"}.get(digits, digits)


@functools.cache
def kernel(lines, result, sources):
    """A loaded module whose kernel `k` applies the lines to %s0.. and stores %d."""
    params = ", ".join(f".param .u64 p{i}" for i in range(len(sources) + 1))
    body = [
        ".reg .b64 %a<9>; .reg .b32 %t<4>; .reg .pred %pp<9>; .reg .pred %q<4>;",
        "mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x; mov.u32 %t2, %ntid.x;",
        "mad.lo.u32 %t0, %t1, %t2, %t0;",
    ]
    for i, kind in enumerate([result, *sources]):
        name = "d" if i == 0 else f"s{i - 1}"
        bits = width(kind)
        size = KINDS[bits]
        body.append(f".reg {REG[bits]} %{name};")
        body.append(f"ld.param.u64 %a{i}, [p{i}]; mad.wide.u32 %a{i}, %t0, {size}, %a{i};")
        if i and kind == "pred":
            body.append(f"ld.global.u8 %t3, [%a{i}]; setp.ne.u32 %{name}, %t3, 0;")
        elif i:
            body.append(f"ld.global.{'u' if bits == '8' else 'b'}{bits} %{name}, [%a{i}];")
    body.append(lines)
    if result == "pred":
        body.append("selp.u32 %t3, 1, 0, %d; st.global.u8 [%a0], %t3;")
    else:
        bits = width(result)
        body.append(f"st.global.b{bits} [%a0], %d;")
    text = HEADER + f".visible .entry k({params})\n{{\n" + "\n".join(body) + "\nret;\n}\n"
    return harness.Module(text)


def run(lines, result, sources, *arrays, block=64):
    """Apply; `result` is (kind, NumPy dtype), sources kinds such as 'f32'."""
    kind, dtype = result
    n = len(arrays[0])
    assert n % block == 0
    out = harness.Buffer(np.zeros(n, dtype))
    buffers = [harness.Buffer(a) for a in arrays]
    kernel(lines, kind, tuple(sources)).launch("k", n // block, block, out, *buffers)
    values = out.array.copy()
    for b in [out, *buffers]:
        b.free()
    return values


def corners(dtype, n=1024, seed=0):
    """Special values first, then random ones of all magnitudes."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        bits = {2: "u2", 4: "u4", 8: "u8"}[dtype.itemsize]
        raw = rng.integers(0, np.iinfo(bits).max, n, dtype=bits, endpoint=True).view(dtype)
        info = np.finfo(dtype)
        special = [
            0.0,
            -0.0,
            1,
            -1,
            0.5,
            1.5,
            2.5,
            -2.5,
            np.inf,
            -np.inf,
            np.nan,
            info.max,
            -info.max,
            info.tiny,
            -info.tiny,
            info.tiny / 2,
            3.75,
            -3.75,
            100.5,
        ]
        raw[: n // 2] = rng.standard_normal(n // 2).astype(dtype)
        raw[rng.permutation(n)[: 4 * len(special)]] = np.array(special * 4).astype(dtype)
        return raw
    info = np.iinfo(dtype)
    raw = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    special = [
        0,
        1,
        2,
        3,
        info.max,
        info.max - 1,
        info.min,
        info.min + 1,
        info.bits - 1,
        info.bits,
        info.bits + 1,
    ]
    raw[: n // 4] = rng.integers(0, 100, n // 4).astype(dtype)
    raw[rng.permutation(n)[: 4 * len(special)]] = np.array(special * 4, dtype=object).astype(dtype)
    return raw
