"""Copies by tensor maps (cp.async.bulk.tensor): what they leave in shared and global memory.

    python tensors.py LIBRARY --write FILE    checksums of every case on that driver
    python tensors.py LIBRARY --check FILE    names the cases that differ
    python tensors.py LIBRARY --raw FILE      all results, as an .npz

tests/emu/golden/tensors.txt is an H200's, CUDA 13.0.
"""

import ctypes
import sys
import zlib
from pathlib import Path

import numpy as np

POINTER = ctypes.c_void_p
SIZES = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4]  # of an element, by CUtensorMapDataType
U8, U16, U32, I32, U64, I64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ = range(13)
REDUCTIONS = (
    *((op, t) for op in ("add", "min", "max") for t in (U32, I32, U64, F16, BF16)),
    ("add", F32),
    *((op, t) for op in ("inc", "dec") for t in (U32,)),
    *((op, t) for op in ("and", "or", "xor") for t in (U32, U64)),
    *((op, I64) for op in ("min", "max")),
)


class Driver:
    """The few calls that are needed, of any driver library."""

    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        context = POINTER()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *args):
        status = getattr(self.lib, name)(*args)
        if status:
            raise RuntimeError(f"{name}: {status}")

    def load(self, text):
        module, f = POINTER(), POINTER()
        log = ctypes.create_string_buffer(2048)
        keys, values = (ctypes.c_int * 2)(5, 6), (POINTER * 2)(ctypes.addressof(log), 2048)
        status = self.lib.cuModuleLoadDataEx(ctypes.byref(module), text.encode(), 2, keys, values)
        if status:
            raise RuntimeError(f"load: {status} {log.value.decode()}")
        self.call("cuModuleGetFunction", ctypes.byref(f), module, b"k")
        self.call("cuFuncSetAttribute", f, 8, 100 << 10)
        return module, f

    def buffer(self, array):
        p = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(p), ctypes.c_size_t(array.nbytes))
        self.call("cuMemcpyHtoD_v2", p, POINTER(array.ctypes.data), ctypes.c_size_t(array.nbytes))
        return p

    def read(self, p, array):
        self.call("cuMemcpyDtoH_v2", POINTER(array.ctypes.data), p, ctypes.c_size_t(array.nbytes))
        return array

    def launch(self, f, grid, shared, *args):
        array = (POINTER * len(args))(*[ctypes.addressof(a) for a in args])
        self.call("cuLaunchKernel", f, grid, 1, 1, 128, 1, 1, shared, None, array, None)
        self.call("cuCtxSynchronize")


class Map:
    """128 bytes at a multiple of 64, and what cuTensorMapEncode* answers."""

    def __init__(self, lib, case, address):
        self.memory = ctypes.create_string_buffer(128 + 64)
        at = (ctypes.addressof(self.memory) + 63) & ~63
        # The bytes keep the memory they are in, also where this object has ended.
        offset = at - ctypes.addressof(self.memory)
        self.bytes = (ctypes.c_char * 128).from_buffer(self.memory, offset)
        c, n = case, len(case["dims"])
        common = (POINTER(at), c["type"], n, ctypes.c_uint64(address))
        common += ((ctypes.c_uint64 * n)(*c["dims"]), (ctypes.c_uint64 * n)(*c["strides"], 0))
        steps = (ctypes.c_uint32 * n)(*c["steps"])
        rest = (c["interleave"], c["swizzle"], 0, c["fill"])
        if "lower" in c:
            corners = [(ctypes.c_int * 3)(*c[k]) for k in ("lower", "upper")]
            self.status = lib.cuTensorMapEncodeIm2col(
                *common, *corners, c["channels"], c["pixels"], steps, *rest
            )
        else:
            box = (ctypes.c_uint32 * n)(*c["box"])
            self.status = lib.cuTensorMapEncodeTiled(*common, box, steps, *rest)


HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"


def text(case):
    """Shared memory from `out`, the copy, shared memory to `out`."""
    n = len(case["at"])
    place = ", ".join(f"c{i}" for i in range(n))
    op, mode = case["op"], "im2col" if "lower" in case else "tile"
    barrier = ".mbarrier::complete_tx::bytes"
    offsets = ""
    if mode == "im2col" and op == "load":
        offsets = ", {" + ", ".join(f"h{i}" for i in range(n - 2)) + "}"
    multicast, mask = (".multicast::cluster", ", h9") if case.get("blocks", 1) > 1 else ("", "")
    only = "@lead " if multicast else ""
    if op == "load":
        what = f"""mbarrier.arrive.expect_tx.shared.b64 st, [bar], {case["bytes"]};
        {only}cp.async.bulk.tensor.{n}d.shared::cluster.global.{mode}{barrier}{multicast}
            [s], [map, {{{place}}}], [bar]{offsets}{mask};"""
        wait = """WAIT: mbarrier.test_wait.parity.shared.b64 done, [bar], 0;
        add.u32 tries, tries, 1; setp.gt.u32 late, tries, 4000000; @late bra END; @!done bra WAIT;"""
    else:
        start = "cp" if op == "store" else "cp.reduce"
        full = (
            f"{start}.async.bulk.tensor.{n}d.global.shared::cta{'' if op == 'store' else '.' + op}"
        )
        mode = "im2col_no_offs" if mode == "im2col" else mode
        what = f"{full}.{mode}.bulk_group [map, {{{place}}}], [s]; cp.async.bulk.commit_group;"
        wait = "@p cp.async.bulk.wait_group 0;"
    params = f".param .align 64 .b8 mapping[128], .param .u64 out, .param .align 4 .b8 at[{4 * n}]"
    loads = "\n".join(f"ld.param.s32 c{i}, [at+{4 * i}];" for i in range(n))
    halves = "\n".join(f"mov.u16 h{i}, {v};" for i, v in enumerate(case.get("offsets", ())))
    cluster = f".reqnctapercluster {case['blocks']}, 1, 1" if multicast else ""
    sync = "barrier.cluster.arrive; barrier.cluster.wait;" if multicast else ""
    words = case["shared"] // 4
    return f"""{HEAD}.extern .shared .align 1024 .b8 all[];
    .visible .entry k({params}) {cluster} {{
    .shared .align 8 .b64 bar; .reg .pred p, done, late, lead; .reg .b32 s, t, i, v, x, tries, rank;
    .reg .b32 c<5>; .reg .b16 h<10>; .reg .b64 st, o, q, map; .reg .b64 m;
    {loads}
    {halves}
    mov.u16 h9, {(1 << case.get("blocks", 1)) - 1};
    mov.b64 m, mapping; cvta.param.u64 map, m;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mov.u32 rank, %ctaid.x;
    mul.wide.u32 q, rank, {case["shared"]}; add.u64 o, o, q;
    mov.u32 s, all; add.u32 s, s, {case["offset"]};
    mov.u32 i, t; mov.u32 tries, 0;
    FILL: setp.ge.u32 p, i, {words}; @p bra FILLED;
    mad.wide.u32 q, i, 4, o; ld.global.b32 v, [q]; mov.u32 x, all; mad.lo.u32 x, i, 4, x;
    st.shared.b32 [x], v; add.u32 i, i, 128; bra FILL;
    FILLED: fence.proxy.async; setp.eq.u32 p, t, 0;
    @p mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;
    bar.sync 0; {sync}
    setp.eq.u32 lead, rank, 0; setp.ne.u32 late, t, 0; @late bra ISSUED;
    {what}
    {wait}
    ISSUED: bar.sync 0; {sync}
    mov.u32 i, t;
    READ: setp.ge.u32 p, i, {words}; @p bra END;
    mad.wide.u32 q, i, 4, o; mov.u32 x, all; mad.lo.u32 x, i, 4, x; ld.shared.b32 v, [x];
    st.global.b32 [q], v; add.u32 i, i, 128; bra READ;
    END: ret; }}"""


def tensor(rng, kind, rank, inner=1):
    """Sizes and strides of an array of at most some 60,000 bytes, rows apart by a multiple of 16."""
    size = SIZES[kind]
    dims = [int(rng.integers(1, 40))] + [int(rng.integers(1, 9)) for _ in range(rank - 1)]
    strides, whole = [], dims[0] * size
    for d in dims[1:]:
        whole = (whole + 15) // 16 * 16 + 16 * int(rng.integers(0, 2)) * inner
        strides.append(whole)
        whole *= d
    return {"type": kind, "dims": dims, "strides": strides, "whole": whole}


def tiled(rng, kind, rank, swizzle=0, plain=False):
    """A box somewhere about the array."""
    c, size = tensor(rng, kind, rank), SIZES[kind]
    limit = {0: 160, 1: 32, 2: 64}.get(swizzle, 128)
    c["box"] = [int(rng.integers(1, limit // 16 + 1)) * 16 // size]
    c["box"] += [int(rng.integers(1, 7)) for _ in range(rank - 1)]
    steps = plain or rng.integers(0, 3) > 0
    c["steps"] = [1] + [1 if steps else int(rng.integers(1, 4)) for _ in range(rank - 1)]
    c["at"] = [int(rng.integers(-3, max(1, d - 1))) for d in c["dims"]]
    c["at"][0] = int(rng.integers(-2, c["dims"][0] * size // 16 + 1)) * 16 // size
    counts = [-(-b // s) for b, s in zip(c["box"], c["steps"])]
    while np.prod(counts) * size > 20000:
        c["box"][-1], counts[-1] = 1, 1
        rank -= 1
        c["box"][rank], counts[rank] = 1, 1
    c["bytes"] = int(np.prod(counts)) * size
    row = c["box"][0] * size
    c["padded"] = c["bytes"] // row * max(row, (1 << swizzle) * 16)
    return c | {
        "interleave": 0,
        "swizzle": swizzle,
        "fill": 0,
        "offset": 128 * int(rng.integers(0, 9)),
    }


def columns(rng, kind, rank, swizzle=0):
    """Pixels in the order of a convolution's windows."""
    c, size, spatial = tensor(rng, kind, rank), SIZES[kind], rank - 2
    limit = {0: 160, 1: 32, 2: 64}.get(swizzle, 128)
    c["channels"] = int(rng.integers(1, limit // 16 + 1)) * 16 // size
    c["pixels"] = int(rng.integers(1, 60))
    lower = [int(rng.integers(-2, 2)) for _ in range(spatial)]
    upper = [int(rng.integers(-2, 2)) for _ in range(spatial)]
    for i, d in enumerate(c["dims"][1:-1]):
        while d + upper[i] - lower[i] < 1:
            upper[i] += 1
    c |= {"lower": lower + [0] * (3 - spatial), "upper": upper + [0] * (3 - spatial)}
    c["steps"] = [1] * rank
    if rng.integers(0, 3) == 0:
        c["steps"] = [1] + [int(rng.integers(1, 4)) for _ in range(spatial)] + [1]
    c["at"] = [int(rng.integers(0, c["dims"][0] * size // 16 + 1)) * 16 // size]
    c["at"] += [int(rng.integers(lo, d + up)) for lo, up, d in zip(lower, upper, c["dims"][1:-1])]
    c["at"] += [int(rng.integers(0, c["dims"][-1]))]
    c["offsets"] = [int(rng.integers(0, 3)) for _ in range(spatial)]
    c["bytes"] = c["channels"] * c["pixels"] * size
    c["padded"] = c["pixels"] * max(c["channels"] * size, (1 << swizzle) * 16)
    return c | {"interleave": 0, "swizzle": swizzle, "fill": 0, "offset": 1024}


def cases():
    """{name: case}"""
    out = {}

    def add(name, case, op="load"):
        rng = np.random.default_rng(zlib.crc32(name.encode()) + 7)
        case |= {"op": op, "shared": (case["offset"] + case["padded"] + 1039) // 16 * 16}
        case["data"] = rng.integers(0, 256, max(case["whole"], 64) + 64, dtype="u1")
        kind = case["type"]
        if kind >= F32_FTZ:
            words = case["data"][: case["data"].size // 4 * 4].view("u4")
            words[::5] &= 0x807FFFFF  # subnormal
            words[1::7] = (words[1::7] & ~np.uint32(0x1FFF)) | 0x1000  # halfway between two of tf32
            words[3::11] |= 0x7F800000
        if op != "load":
            case["at"] = [abs(x) for x in case["at"]]
        if op != "load" and kind in (F16, F32, F64, BF16):
            dtype = {F16: "f2", F32: "f4", F64: "f8", BF16: "u2"}[kind]
            n = case["data"].size // SIZES[kind]
            values = rng.integers(-50, 50, n).astype("f4")
            case["data"] = (
                (values.view("u4") >> 16).astype("u2") if kind == BF16 else values.astype(dtype)
            ).view("u1")
            case["small"] = True
        out[name] = case

    for kind in range(13):
        for rank in range(1, 6):
            for k in range(4):
                name = f"load type {kind} rank {rank} {k}"
                rng = np.random.default_rng(zlib.crc32(name.encode()))
                case = tiled(rng, kind, rank)
                if k == 3 and kind >= F16:
                    case["fill"] = 1
                add(name, case)
    for swizzle in range(1, 4):
        for k in range(12):
            name = f"load swizzle {swizzle} {k}"
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            add(name, tiled(rng, (U8, U16, F32, F64)[k % 4], 2 + k % 3, swizzle))
    for k in range(36):
        name = f"store {k}"
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        add(name, tiled(rng, k % 13, 1 + k % 5, (0, 1, 2, 3)[k // 9] if k % 5 else 0), "store")
    for op, kind in REDUCTIONS:
        for k in range(2):
            name = f"reduce {op} type {kind} {k}"
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            add(name, tiled(rng, kind, 1 + (k * 2 + kind) % 4, 0, True), op)
    for rank in (3, 4, 5):
        for k in range(30):
            name = f"columns rank {rank} {k}"
            rng = np.random.default_rng(zlib.crc32(name.encode()))
            add(name, columns(rng, (U8, F16, F32)[k % 3], rank, (k // 6 % 4) if k > 20 else 0))
    for k in range(6):
        name = f"multicast {k}"
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        case = tiled(rng, F16, 2, k % 4)
        add(name, case | {"blocks": 2 + 2 * (k % 2)})
    return out


def run(driver, case):
    """(what the map's making answered, shared memory, the array) afterwards."""
    blocks = case.get("blocks", 1)
    shared = np.random.default_rng(3).integers(0, 256, case["shared"] * blocks, dtype="u1")
    if case.get("small"):
        shared = np.resize(case["data"], shared.size)
    data = case["data"].copy()
    there, out = driver.buffer(data), driver.buffer(shared)
    m = Map(driver.lib, case, there.value)
    if m.status == 0:
        module, f = driver.load(text(case))
        at = (ctypes.c_int * len(case["at"]))(*case["at"])
        driver.launch(f, blocks, case["shared"], m.bytes, out, at)
        driver.read(out, shared), driver.read(there, data)
        driver.call("cuModuleUnload", module)
    driver.call("cuMemFree_v2", there), driver.call("cuMemFree_v2", out)
    return m.status, shared, data


def main():
    driver = Driver(sys.argv[1])
    lines, raw = [], {}
    for name, case in cases().items():
        try:
            status, shared, data = run(driver, case)
            sum_ = zlib.crc32(data.tobytes(), zlib.crc32(shared.tobytes()))
            lines.append(f"{status:03d}{sum_:08x} {name}")
            raw[name] = shared if case["op"] == "load" else data
        except RuntimeError as error:
            lines.append(f"failed {name}: {str(error)[:300]}")
            driver.lib.cuDevicePrimaryCtxReset_v2(0)
            driver = Driver(sys.argv[1])
    what, path = sys.argv[2:4]
    if what == "--raw":
        np.savez_compressed(path, **raw)
        Path(path + ".txt").write_text("\n".join(lines) + "\n")
    elif what == "--write":
        Path(path).write_text("\n".join(lines) + "\n")
    else:
        golden = set(Path(path).read_text().splitlines())
        print("\n".join(sorted(set(lines) - golden)))


if __name__ == "__main__":
    main()
