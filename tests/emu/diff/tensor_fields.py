"""tensormap.replace and tensormap.cp_fenceproxy: a map that a kernel has changed is the map that
cuTensorMapEncodeTiled makes of the new values, byte for byte, whatever a driver's bytes mean.

    python tensor_fields.py LIBRARY    names the fields that differ
"""

import ctypes
import sys

import numpy as np
import tensors

# CUtensorMapDataType by the number that .elemtype takes
ELEMENT_TYPES = [tensors.U8, tensors.U16, tensors.U32, tensors.I32, tensors.U64, tensors.I64]
ELEMENT_TYPES += [tensors.F16, tensors.F32, tensors.F32_FTZ, tensors.F64, tensors.BF16]
ELEMENT_TYPES += [tensors.TF32, tensors.TF32_FTZ]

BASE = {
    **{"type": tensors.F32, "dims": [64, 8, 4], "strides": [256, 2048], "box": [16, 4, 2]},
    **{"steps": [1, 1, 1], "interleave": 0, "swizzle": 0, "fill": 0},
}


def cases():
    """{name: (field, its type, ordinal, new value, what changes in the map)}"""
    out = {
        "rank": ("rank", "b32", None, 1, {"rank": 2}),
        "swizzle": ("swizzle_mode", "b32", None, 2, {"swizzle": 2}),
        "fill": ("fill_mode", "b32", None, 1, {"fill": 1}),
        "address": ("global_address", "b64", None, "moved", {"moved": 1024}),
    }
    for i in range(3):
        for name, field, value in (
            ("box", "box_dim", 8),
            ("dims", "global_dim", 48),
            ("steps", "element_stride", 2),
        ):
            new = list(BASE[name])
            new[i] = value
            out[f"{name} {i}"] = (field, "b32", i, value, {name: new})
    for i in range(2):
        new = list(BASE["strides"])
        new[i] = 4096
        out[f"strides {i}"] = ("global_stride", "b64", i, 4096, {"strides": new})
    for code, kind in enumerate(ELEMENT_TYPES):
        out[f"type {code}"] = ("elemtype", "b32", None, code, {"type": kind})
    return out


def text(field, kind, ordinal, value, shared):
    """k(map, address): changes the map, in shared memory and back if asked for."""
    place, where = ("shared::cta", "s") if shared else ("global", "m")
    operand = "a" if value == "moved" else value
    operands = f"[{where}], " + (f"{ordinal}, " if ordinal is not None else "") + str(operand)
    replace = f"tensormap.replace.tile.{field}.{place}.b1024.{kind} {operands};"
    before = after = ""
    if shared:
        words = range(0, 128, 8)
        before = "".join(f"ld.global.b64 v, [m+{i}]; st.shared.b64 [s+{i}], v;" for i in words)
        after = (
            "bar.warp.sync -1; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
            "release.gpu.sync.aligned [m], [s], 128;"
        )
    return f""".version 8.6\n.target sm_90a\n.address_size 64
    .visible .entry k(.param .u64 map, .param .u64 address) {{
    .shared .align 128 .b8 box[128]; .reg .b64 m, a, v; .reg .b32 s, t; .reg .pred p;
    ld.param.u64 m, [map]; ld.param.u64 a, [address]; mov.u32 s, box; mov.u32 t, %tid.x;
    setp.ne.u32 p, t, 0; @p bra DONE;
    {before} {replace}
    DONE: bar.warp.sync -1; {after} ret; }}"""


def encoded(driver, address, change):
    case = BASE | {k: v for k, v in change.items() if k in BASE}
    rank = change.get("rank", 3)
    case |= {k: case[k][:rank] for k in ("dims", "box", "steps")}
    case["strides"] = case["strides"][: rank - 1]
    return tensors.Map(driver.lib, case, address + change.get("moved", 0))


def check(driver, name, shared):
    """The words in which a changed map differs from a map made so."""
    field, kind, ordinal, value, change = cases()[name]
    array = driver.buffer(np.zeros(1 << 16, "u1"))
    there = driver.buffer(np.frombuffer(bytes(encoded(driver, array.value, {}).bytes), "u4"))
    module, f = driver.load(text(field, kind, ordinal, value, shared))
    launch = (ctypes.c_uint64(there.value), ctypes.c_uint64(array.value + 1024))
    arguments = (ctypes.c_void_p * 2)(*[ctypes.addressof(x) for x in launch])
    driver.call("cuLaunchKernel", f, 1, 1, 1, 32, 1, 1, 0, None, arguments, None)
    driver.call("cuCtxSynchronize")
    got = driver.read(there, np.zeros(32, "u4"))
    wanted = encoded(driver, array.value, change)
    want = np.frombuffer(bytes(wanted.bytes), "u4")
    driver.call("cuModuleUnload", module)
    driver.call("cuMemFree_v2", there), driver.call("cuMemFree_v2", array)
    assert wanted.status == 0
    return [f"{i}: {g:08x} {w:08x}" for i, (g, w) in enumerate(zip(got, want)) if g != w]


def main():
    driver = tensors.Driver(sys.argv[1])
    for name in cases():
        for shared in (False, True):
            try:
                different = check(driver, name, shared)
            except (RuntimeError, AssertionError) as error:
                different = [repr(error)]
            if different:
                print(name, "shared" if shared else "global", *different)


if __name__ == "__main__":
    main()
