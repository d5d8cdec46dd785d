"""Dumps the approximate functions of a device over their reduced domains, for the exact mode.

    mufu.py --library libcuda.so.1 --out FOLDER [--only PATTERN]

One file a sweep: NAME.npy.xz, the difference (in steps of the last place) between the device's
result and the correctly rounded one as int8; results that differ by more are listed in NAME.far.npy.
"""

import argparse
import lzma
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import compare
import numpy as np
import snippets
from instructions import op

MOST_FAR = 5000


class Sweep(NamedTuple):
    """Inputs first + k * step, k < count, as f32 bits (f64: the high words)."""

    name: str
    opcode: str
    first: int
    step: int
    count: int


def sweeps():
    """What is dumped."""
    one, two, four, half = 0x3F800000, 0x40000000, 0x40800000, 0x3F000000
    full = 1 << 23
    yield Sweep("rcp", "rcp.approx.ftz.f32", one, 1, full)
    yield Sweep("ex2", "ex2.approx.ftz.f32", one, 1, full)
    yield Sweep("lg2", "lg2.approx.ftz.f32", one, 1, full)
    yield Sweep("rsqrt", "rsqrt.approx.ftz.f32", one, 1, 2 * full)
    yield Sweep("rcp64", "rcp.approx.ftz.f64", 0x3FF00000, 1, 1 << 20)
    yield Sweep("rsqrt64", "rsqrt.approx.ftz.f64", 0x3FF00000, 1, 1 << 21)
    yield Sweep("sqrt", "sqrt.approx.ftz.f32", one, 1, 2 * full)
    yield Sweep("lg2_two", "lg2.approx.ftz.f32", two, 8, full // 8)
    yield Sweep("lg2_half", "lg2.approx.ftz.f32", half, 1, full)
    yield Sweep("lg2_large", "lg2.approx.ftz.f32", 0x7E000000, 8, full // 8)
    yield Sweep("ex2_minus", "ex2.approx.ftz.f32", 0xBF800000, 8, full // 8)
    yield Sweep("ex2_small", "ex2.approx.ftz.f32", 0x39000000, 97, (one - 0x39000000) // 97)
    yield Sweep("ex2_large", "ex2.approx.ftz.f32", two, 61, (0x43000000 - two) // 61)
    yield Sweep("tanh", "tanh.approx.f32", 0x3A000000, 64, (0x41200000 - 0x3A000000) // 64)
    yield Sweep("tanh_half", "tanh.approx.f32", half, 1, full)
    yield Sweep("sin", "sin.approx.ftz.f32", 0x3C000000, 32, (0x41C90FDB - 0x3C000000) // 32)
    yield Sweep("cos", "cos.approx.ftz.f32", 0x3C000000, 32, (0x41C90FDB - 0x3C000000) // 32)
    yield Sweep("sin_one", "sin.approx.ftz.f32", one, 1, full // 2)
    yield Sweep("cos_four", "cos.approx.ftz.f32", four, 2, full // 4)


FUNCTIONS = {
    "rcp": lambda x: 1 / x,
    "ex2": np.exp2,
    "lg2": np.log2,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
}


def inputs(s):
    """The input bits of a sweep."""
    return (s.first + np.arange(s.count, dtype=np.uint64) * s.step).astype(np.uint32)


def expected(s):
    """Correctly rounded results, as integers whose order is that of the values."""
    function = FUNCTIONS[s.opcode.split(".")[0]]
    bits = inputs(s)
    with np.errstate(all="ignore"):
        if s.opcode.endswith("f64"):
            value = function((bits.astype(np.uint64) << np.uint64(32)).view(np.float64))
            return ordered((value.view(np.uint64) + (1 << 31) >> 32).astype(np.uint32))
        value = function(bits.view(np.float32).astype(np.float64))
        return ordered(value.astype(np.float32).view(np.uint32))


def ordered(bits):
    """Bits of floats to integers of the same order."""
    v = bits.astype(np.int64)
    return np.where(v & 0x80000000, -(v & 0x7FFFFFFF), v)


def kernel(opcode):
    """A kernel that applies an opcode to 32-bit patterns."""
    if opcode.endswith("f64"):
        text = "{{ .reg .b64 %w0; .reg .b32 %w1; mov.b32 %w1, 0; mov.b64 %w0, {{%w1, {a}}}; "
        text += f"{opcode} %w0, %w0; mov.b64 {{{{%w1, {{d}}}}}}, %w0; }}}}"
        return op(opcode, "b32", "b32", text=text)
    return op(opcode, "b32", "b32")


def results(runner, library, s, folder):
    """The device's results."""
    bundle, raw = folder / "b.bundle", folder / "b.raw"
    ptx = snippets.HEADER + snippets.kernel(kernel(s.opcode), "k")
    n = -(-s.count // 256) * 256
    bundle.write_text(
        f"ptx {len(ptx)}\n{ptx}case {s.name} k {n // 256},1,1 256,1,1 0\nout b32 {n}\n"
        f"in sweep {n} {s.step} {s.first}\nend\n"
    )
    subprocess.run([runner, library, bundle, folder / "b.hash", "--raw", raw], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    return np.fromfile(raw, np.uint32, offset=4)[: s.count]


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", default="libcuda.so.1")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    os.environ["CUDA_CACHE_DISABLE"] = "1"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        runner = compare.build(folder)
        for s in sweeps():
            if not re.fullmatch(args.only or ".*", s.name):
                continue
            got = results(runner, args.library, s, folder)
            step = ordered(got) - expected(s)
            kind = np.int8 if np.count_nonzero(np.abs(step) > 127) < MOST_FAR else np.int32
            far = np.abs(step) > np.iinfo(kind).max
            small = np.where(far, 0, step).astype(kind)
            data = lzma.compress(small.tobytes(), preset=2)
            (args.out / f"{s.name}.npy.xz").write_bytes(data)
            where = np.flatnonzero(far)[:MOST_FAR]
            np.save(args.out / f"{s.name}.far.npy", np.stack([where, got[where]]))
            near = step[~far]
            print(
                f"{s.name}: {s.count} values, {near.min() if near.size else 0} .. {near.max() if near.size else 0},"
                f" {np.count_nonzero(step)} differ, {np.count_nonzero(far)} far, {len(data)} bytes",
                flush=True,
            )


if __name__ == "__main__":
    main()
