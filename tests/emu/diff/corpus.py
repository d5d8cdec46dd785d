"""Bundles from CUDA C++ sources: every `extern "C"` kernel with inputs made from its signature.

    corpus.py FOLDER_OF_CU_FILES FOLDER_OF_BUNDLES

Arrays get values that suit their type (integers stay small, they may be indices), integers called n
or size the number of elements, other scalars small numbers. Kernels with parameters of other types
(structures) are listed and left out.
"""

import argparse
import ctypes
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OPTIONS = ("--gpu-architecture=compute_90", "-no-cache", "--fmad=false", "--device-int128")
COUNT = 4096  # elements of an array
N = 500
KINDS = {
    "f32": "f32n", "float": "f32n", "f64": "f64n", "double": "f64n",
    "i8": "b8", "u8": "b8", "char": "b8", "signed char": "b8", "unsigned char": "b8", "bool": "pred",
    "i16": "b16", "u16": "b16", "short": "b16", "unsigned short": "b16",
    "i32": "small", "u32": "small", "int": "small", "unsigned": "small", "unsigned int": "small",
    "i64": "small64", "u64": "small64", "long long": "small64", "unsigned long long": "small64",
    "size_t": "small64", "i128": "b64", "u128": "b64", "short2": "b16", "long2": "b64", "char2": "b8",
    "half": "f16", "__half": "f16", "h16": "f16", "__nv_bfloat16": "bf16", "b16": "bf16",
    "float2": "f32n", "float4": "f32n", "double2": "f64n", "c64": "f32n", "c128": "f64n",
    "int2": "small", "int4": "small", "uint4": "small", "uint2": "small", "char4": "b8",
    "uchar4": "b8", "short4": "b16", "ushort4": "b16", "__half2": "f16x2", "__nv_bfloat162": "bf16x2",
}  # fmt: skip
WIDTH = {"C": 2, "short2": 2, "char2": 2, "longlong2": 2, "float2": 2, "float4": 4, "double2": 2, "c64": 2, "c128": 2, "i128": 2, "u128": 2, "int2": 2, "int4": 4, "uint4": 4, "uint2": 2, "char4": 4, "uchar4": 4, "short4": 4, "ushort4": 4}  # fmt: skip
APPROXIMATE = {"f32n": "f32", "f64n": "f64", "f16": "f16", "bf16": "bf16"}
SCALARS = {"float": "3fc00000", "f32": "3fc00000", "double": "3ff8000000000000", "f64": "3ff8000000000000"}  # fmt: skip


def compile_ptx(source):
    """PTX text of a source, or None and the log."""
    sys.path.insert(0, str(ROOT / "tools"))
    import nvrtc as finder

    lib = finder.find()
    program, n = ctypes.c_void_p(), ctypes.c_size_t()
    options = [*OPTIONS, "-I/usr/local/cuda/include", "-I/usr/local/cuda/include/cccl"]
    lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"t.cu", 0, None, None)
    words = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    if lib.nvrtcCompileProgram(program, len(options), words):
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(n))
        text = ctypes.create_string_buffer(n.value)
        lib.nvrtcGetProgramLog(program, text)
        return None, text.value.decode()
    lib.nvrtcGetPTXSize(program, ctypes.byref(n))
    text = ctypes.create_string_buffer(n.value)
    lib.nvrtcGetPTX(program, text)
    return text.value.decode(), ""


def signatures(source):
    """{kernel: list of C++ parameter texts}."""
    found = {}
    pattern = r"__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)"  # fmt: skip
    for name, params in re.findall(pattern, source):
        found[name] = [p.strip() for p in params.split(",")] if params.strip() else []
    return found


def parameter(text, ptx_type, k, kinds):
    """(bundle line, is output) of a parameter, or None where it cannot be guessed."""
    clean = re.sub(r"__restrict__|const|volatile|struct", " ", text)
    m = re.match(r"\s*([\w ]+?)\s*(\**)\s*(\w+)\s*(?:=.*)?$", clean)
    if m is None:
        return None
    kind, stars, name = m[1].strip(), len(m[2]), m[3]
    if stars > 1:
        return None
    if stars:
        filled = kinds.get(kind)
        if filled is None:
            return None
        count = COUNT * WIDTH.get(kind, 1)
        written = "const" not in text
        if not written:
            return f"in {filled} {count} {k + 1} {k % 3}"
        if filled in APPROXIMATE:
            # floating results are compared in ulp as well as by bits
            return f"approxio {filled} {count} {k + 1} {k % 3}"
        return f"io {filled} {count} {k + 1} {k % 3}"
    size = {"8": 1, "16": 2, "32": 4, "64": 8}.get(re.sub(r"\D", "", ptx_type))
    if size is None:
        return None
    if kind in SCALARS:
        return f"val {size} {SCALARS[kind]}"
    value = N if re.fullmatch(r"n|N|size|total|len|count", name) else 7
    return f"val {size} {value:x}"


def entries(ptx):
    """{kernel: its PTX parameter types}."""
    found = {}
    for name, params in re.findall(r"\.visible \.entry (\w+)\(([^)]*)\)", ptx):
        found[name] = re.findall(r"\.param (?:\.align \d+ )?\.(\w+)(?: \.ptr[^,\n]*?)? \w+(\[\d+\])?", params)  # fmt: skip
    return found


LAUNCHES = (("a", "1,1,1", "64,1,1"), ("b", "3,1,1", "128,1,1"))


def bundle(path, ptx, source, skip):
    """The text of a bundle, and the kernels left out."""
    known, cases, left = signatures(source), "", []
    kinds = {
        **KINDS,
        "C": "f64n" if re.search(r"(double|f64)\W+(re|x)\b|<double>", source) else "f32n",
    }
    for name, types in entries(ptx).items():
        params = known.get(name)
        if params is None or len(params) != len(types):
            left.append(name)
            continue
        lines = [
            None if array else parameter(p, t, k, kinds)
            for k, (p, (t, array)) in enumerate(zip(params, types, strict=True))
        ]
        if None in lines:
            left.append(name)
            continue
        for label, grid, block in LAUNCHES:
            if f"{path.stem}:{name}:{label}" in skip:
                continue
            cases += f"case {path.stem}:{name}:{label} {name} {grid} {block} 16384\n"
            cases += "".join(x + "\n" for x in lines) + "end\n"
    return f"ptx {len(ptx.encode())}\n{ptx}{cases}", left


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("bundles", type=Path)
    parser.add_argument("--skip", type=Path, help="hashes of a run: cases that failed are left out")
    args = parser.parse_args()
    args.bundles.mkdir(parents=True, exist_ok=True)
    total, out, skip = 0, [], set()
    if args.skip:
        lines = [x.split() for x in args.skip.read_text().splitlines() if x[0] != "#"]
        skip = {x[0] for x in lines if x[1] != "0"}
    for path in sorted(args.sources.glob("*.cu")):
        source = path.read_text()
        ptx, log = compile_ptx(source)
        if ptx is None:
            print(f"{path.name}: {log[:300]}")
            continue
        text, left = bundle(path, ptx, source, skip)
        (args.bundles / f"{path.stem}.bundle").write_text(text)
        total += len(entries(ptx))
        out += [f"{path.stem}:{x}" for x in left]
    print(f"{total} kernels, {len(out)} left out: {' '.join(out)}")


if __name__ == "__main__":
    main()
