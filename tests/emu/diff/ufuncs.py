"""Every ufunc over corner values in every type, and reductions, scans and sorts, on two devices.

    ufuncs.py --out FOLDER [--part K/N]     once with each GPUNP_DEVICE, cuda first

The first run writes raw results into FOLDER, the second (another device) compares and prints lines
"name types: elements differ, at most N ulp".
"""

import argparse
import json
from pathlib import Path

import numpy as np

import gpunp as gp

ELEMENTS = 4096
CHARS = "?bBhHiIlLefdFD"
CORNERS = {
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.5, 10.0, 0.1, 1e-3, 100.0, -100.0, np.inf, -np.inf,
          np.nan, 1.5, 4.0, 0.75, 0.9999, 1.0001, 7.0, -7.0, 20.0, -20.0, 88.0, -88.0, 3.14159265, 1.5707963],
    "i": [0, 1, 2, 3, 5, 7, 8, 15, 31, 32, 63, 64, 100, 127],
}  # fmt: skip


def mix(x):
    """splitmix64 of an array."""
    with np.errstate(over="ignore"):
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def values(char, operand, count=ELEMENTS):
    """Corner values in all pairs, then random bits, then random values of everyday size."""
    dtype = np.dtype(char)
    if dtype.kind == "c":
        part = {"F": "f", "D": "d"}[char]
        out = np.empty(count, dtype)
        out.real, out.imag = values(part, operand, count), values(part, operand + 2, count)
        return out
    r = mix(np.arange(count, dtype=np.uint64) + np.uint64(operand * 1000003 + ord(char) * 7919))
    if dtype.kind == "b":
        return (r & np.uint64(1)).astype(dtype)
    bits = r.astype(f"u{dtype.itemsize}").view(dtype).copy()
    where = np.arange(count) % 3
    if dtype.kind == "f":
        info = np.finfo(dtype)
        corners = np.array([*CORNERS["f"], info.max, -info.max, info.tiny, info.smallest_subnormal, -info.tiny, info.eps], dtype)  # fmt: skip
        plain = ((r >> np.uint64(11)).astype("f8") / 2.0**53 * 16 - 8).astype(dtype)
        bits[where == 1] = plain[where == 1]
    else:
        info = np.iinfo(dtype)
        corners = np.array([*CORNERS["i"], info.max, info.max - 1, info.min, info.min + 1], dtype)
        bits[where == 1] %= 100
    n = len(corners)
    side = min(n * n, count // 2)
    k = np.arange(side)
    bits[:side] = corners[k % n if operand == 0 else k // n % n]
    return bits


def ufunc_cases():
    """(name, function of no arguments) of every ufunc and type."""
    for name in sorted(n for n in dir(gp) if type(getattr(gp, n)) is type(gp.add)):
        f = getattr(gp, name)
        if f.__name__ != name:
            continue
        for sig in f.types:
            inputs = sig.split("->")[0]
            if len(inputs) == f.nin and all(c in CHARS for c in inputs):
                yield (
                    f"{name} {sig}",
                    lambda f=f, inputs=inputs: f(
                        *(gp.asarray(values(c, k)) for k, c in enumerate(inputs))
                    ),
                )


def other_cases():
    """Functions whose kernels are not ufuncs'."""
    for char in "bBhHiIlLefdFD":
        x = values(char, 3)
        if x.dtype.kind in "fc":
            x = np.where(np.isfinite(x) & (abs(x) < 1e4) & (abs(x) > 1e-4), x, 1).astype(char)
        box = x.reshape(32, 128)
        for name in ("sum", "prod", "max", "min", "mean", "cumsum", "cumprod", "sort", "argmax", "argsort"):  # fmt: skip
            if x.dtype.kind == "c" and name not in ("sum", "prod", "mean", "cumsum", "cumprod"):
                continue
            f = getattr(gp, name)
            for axis in (None, 0, 1):
                if axis is None and name in ("sort", "argsort"):
                    continue
                yield (
                    f"{name} {char} axis={axis}",
                    lambda f=f, b=box, axis=axis: f(gp.asarray(b), axis=axis),
                )
        yield f"nonzero {char}", lambda x=x: gp.nonzero(gp.asarray(x) > 1)[0] if x.dtype.kind != "c" else gp.asarray(x)  # fmt: skip


def distance(a, b):
    """Largest difference in units of the last place; NaNs are equal."""
    if a.dtype.kind == "c":
        part = {8: "f4", 16: "f8"}[a.dtype.itemsize]
        a, b = a.view(part), b.view(part)
    if a.dtype.kind != "f":
        return np.iinfo(np.int64).max
    ints = []
    for v in (a, b):
        i = v.view(f"i{v.dtype.itemsize}").astype(np.int64)
        ints.append(np.where(i < 0, -(i & np.iinfo(f"i{v.dtype.itemsize}").max), i).astype("f8"))
    nan = np.isnan(a) | np.isnan(b)
    both = np.isnan(a) & np.isnan(b)
    d = np.where(nan, np.where(both, 0, np.inf), abs(ints[0] - ints[1]))
    return d.max()


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", default="0/1")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    part, parts = map(int, args.part.split("/"))
    raw = args.out / f"raw-{part}.npz"
    golden = dict(np.load(raw)) if raw.exists() else None
    kept, report = {}, []
    for i, (name, run) in enumerate([*ufunc_cases(), *other_cases()]):
        if i % parts != part:
            continue
        try:
            results = run()
        except Exception as error:
            report.append(f"{name}: {type(error).__name__} {error}"[:150])
            continue
        results = results if isinstance(results, tuple) else (results,)
        for k, r in enumerate(results):
            got = np.ascontiguousarray(gp.asnumpy(r)).reshape(-1)
            key = f"{name} {k}"
            kept[key] = got
            if golden is None:
                continue
            want = golden.get(key)
            if want is None or want.dtype != got.dtype or want.shape != got.shape:
                report.append(f"{key}: only here")
                continue
            size = got.dtype.itemsize
            wrong = np.flatnonzero((want.view("u1") != got.view("u1")).reshape(-1, size).any(1))
            if wrong.size:
                w = wrong[0]
                report.append(
                    f"{key}: {wrong.size} of {got.size} differ, at most {distance(want, got):.0f} ulp,"
                    f" [{w}] want {want[w]!r} got {got[w]!r}"
                )
    if golden is None:
        np.savez(raw, **kept)
    report.append(json.dumps({"part": part, "results": len(kept)}))
    print("\n".join(report))


if __name__ == "__main__":
    main()
