"""What other programs ask of the driver: questions about captures, managed memory and attributes that must
be answered truly, architectures that the linker refuses, and linking against libcuda.so itself."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = Path(os.environ.get("EMU_TEST_LIBRARY", ROOT / "gpunp" / "libgpunp_emu.so"))
DIRECTORY = ROOT / "gpunp" / "emulator"

pytestmark = [
    pytest.mark.null,
    pytest.mark.skipif(not LIBRARY.exists(), reason="the library is not built"),
]
u64, size_t, pointer = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p


class Location(ctypes.Structure):
    """CUmemLocation."""

    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class EdgeData(ctypes.Structure):
    """CUgraphEdgeData."""

    _fields_ = [("from_port", ctypes.c_uint8), ("to_port", ctypes.c_uint8)]
    _fields_ += [("type", ctypes.c_uint8), ("reserved", ctypes.c_uint8 * 5)]


@pytest.fixture(scope="module")
def cu():
    """The library with the primary context current."""
    lib = ctypes.CDLL(str(LIBRARY))
    context = pointer()
    assert lib.cuInit(0) == 0
    assert lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert lib.cuCtxSetCurrent(context) == 0
    yield lib
    lib.cuDevicePrimaryCtxRelease_v2(0)


def made(call, *args, kind=pointer):
    """What a call gives through its first parameter."""
    out = kind()
    assert call(ctypes.byref(out), *args) == 0
    return out


# ---- captures ---------------------------------------------------------------------------------------


def test_edge_data_of_a_capture(cu):
    """One element for each dependency, all plain; nothing where there is no dependency."""
    stream = made(cu.cuStreamCreate, 1)
    memory = made(cu.cuMemAlloc_v2, size_t(64), kind=u64)

    def ask():
        status, number = ctypes.c_int(), u64()
        graph, needs, edges, count = pointer(), pointer(), ctypes.POINTER(EdgeData)(), size_t(99)
        ref = [ctypes.byref(x) for x in (status, number, graph, needs, edges, count)]
        assert cu.cuStreamGetCaptureInfo_v3(stream, *ref) == 0
        return status.value, edges, count.value, needs

    assert ask()[0] == 0 and not ask()[1]
    assert cu.cuStreamBeginCapture_v2(stream, 2) == 0
    assert ask()[0] == 1 and ask()[2] == 0 and not ask()[1]
    assert cu.cuMemsetD8Async(memory, 1, size_t(64), stream) == 0
    _, edges, count, _ = ask()
    assert count == 1 and bytes(edges[0]) == bytes(8)
    nodes, number, status, found = [], u64(), ctypes.c_int(), pointer()
    assert not cu.cuStreamGetCaptureInfo_v2(
        stream, ctypes.byref(status), ctypes.byref(number), ctypes.byref(found), None, None
    )
    for _ in range(40):
        nodes.append(made(cu.cuGraphAddEmptyNode, found, None, size_t(0)))
    list_of = (pointer * len(nodes))(*nodes)
    assert cu.cuStreamUpdateCaptureDependencies(stream, list_of, size_t(len(nodes)), 0) == 0
    _, edges, count, _ = ask()
    assert count == 41 and all(bytes(edges[i]) == bytes(8) for i in range(count))
    graph = made(lambda out: cu.cuStreamEndCapture(stream, out))
    assert ask()[0] == 0 and not ask()[1]
    cu.cuGraphDestroy(graph)
    cu.cuMemFree_v2(memory)
    cu.cuStreamDestroy_v2(stream)


# ---- managed memory ---------------------------------------------------------------------------------

READ_MOSTLY, PREFERRED, ACCESSED, PREFETCHED = 1, 2, 3, 4
CPU, INVALID = -1, -2


def test_advice_is_remembered(cu):
    """Of each page; a range has what all its pages have in common."""
    memory = made(cu.cuMemAllocManaged, size_t(8 * 4096), 1, kind=u64).value

    def ask(attribute, at=0, n=8, count=1):
        out = (ctypes.c_int * count)()
        size = size_t(4 * count)
        code = cu.cuMemRangeGetAttribute(
            out, size, attribute, u64(memory + 4096 * at), size_t(4096 * n)
        )
        assert code == 0
        return list(out) if count > 1 else out[0]

    def advise(advice, type_=1, id_=0, at=0, n=8):
        args = (u64(memory + 4096 * at), size_t(4096 * n), advice, Location(type_, id_))
        assert cu.cuMemAdvise_v2(*args) == 0

    assert [ask(a) for a in (READ_MOSTLY, PREFERRED, ACCESSED, PREFETCHED)] == [0, -2, -2, -2]
    advise(1)
    assert ask(READ_MOSTLY) == 1
    advise(2, at=3, n=1)
    assert ask(READ_MOSTLY) == 0 and ask(READ_MOSTLY, 0, 3) == 1 and ask(READ_MOSTLY, 3, 1) == 0
    advise(3)
    assert ask(PREFERRED) == 0 and ask(5) == 1 and ask(6) == 0
    advise(3, 2, at=4, n=4)
    assert ask(PREFERRED) == INVALID and ask(PREFERRED, 4, 4) == CPU and ask(5, 4, 4) == 2
    advise(4)
    assert ask(PREFERRED) == INVALID
    advise(5)
    advise(5, 2, n=4)
    assert ask(ACCESSED, count=3) == [0, INVALID, INVALID]
    assert ask(ACCESSED, 0, 4, count=3) == [0, CPU, INVALID]
    advise(6)
    assert ask(ACCESSED) == INVALID and ask(ACCESSED, 0, 4) == CPU
    assert cu.cuMemPrefetchAsync(u64(memory), size_t(4096 * 8), 0, None) == 0
    assert ask(PREFETCHED) == 0 and ask(7) == 1
    assert cu.cuMemPrefetchAsync_v2(u64(memory), size_t(4096), Location(2, 0), 0, None) == 0
    assert ask(PREFETCHED) == INVALID and ask(PREFETCHED, 0, 1) == CPU and ask(7, 1, 7) == 1
    assert cu.cuMemAdvise(u64(memory), size_t(4096), 3, CPU) == 0 and ask(PREFERRED, 0, 1) == CPU
    assert cu.cuMemAdvise(u64(memory), size_t(4096), 3, 77) == 101
    assert cu.cuMemFree_v2(u64(memory)) == 0


# ---- attributes -------------------------------------------------------------------------------------


class Properties(ctypes.Structure):
    """CUmemAllocationProp."""

    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location)]
    _fields_ += [("security", pointer), ("flags", ctypes.c_uint8 * 8)]


def test_attributes_tell_what_works(cu):
    """102 and 103: physical memory and its file descriptors; 125: event handles; 119: pool handles."""

    def attribute(number):
        return made(cu.cuDeviceGetAttribute, number, 0, kind=ctypes.c_int).value

    wanted = Properties(1, 1, Location(1, 0))
    step = made(cu.cuMemGetAllocationGranularity, ctypes.byref(wanted), 0, kind=size_t)
    handle = made(cu.cuMemCreate, step, ctypes.byref(wanted), u64(0), kind=u64)
    file = made(cu.cuMemExportToShareableHandle, handle, 1, u64(0), kind=ctypes.c_int)
    assert attribute(102) == 1 and attribute(103) == 1
    os.close(file.value)
    assert cu.cuMemRelease(handle) == 0
    event = made(cu.cuEventCreate, 6)  # interprocess, without times
    room = ctypes.create_string_buffer(64)
    assert (cu.cuIpcGetEventHandle(room, event) == 0) == attribute(125) == 1
    cu.cuEventDestroy_v2(event)
    assert attribute(119) & 1 and attribute(120) == 1 and attribute(127) == 1


# ---- nvJitLink --------------------------------------------------------------------------------------

OPTION, ARCH, OLD, MIXED = 1, 16, 17, 11
ANSWERS = {  # nvJitLink 13.0's
    "sm_90": 0, "sm_90a": 0, "sm_75": 0, "sm_103": 0, "sm_121": 0, "sm_90 ": 0, "sm_080": 0,
    "sm_9999": OLD, "sm_30": OLD, "sm_91": ARCH, "sm_122": ARCH, "sm_130": ARCH,
    "foo": OPTION, "": OPTION, "90": OPTION, "sm_": OPTION, "SM_90": OPTION, "compute_9": OPTION,
    "compute_90": MIXED, "lto_90": MIXED, "compute_90 -lto": MIXED, "compute_90 -lto -ptx": 0,
    "compute_91 -lto": ARCH, "sm_90 -ptx": MIXED, "sm_90 -arch=foo": OPTION,
}  # fmt: skip


@pytest.mark.parametrize("words", ANSWERS)
def test_the_linker_refuses_architectures(cu, words):
    options = [x.encode() for x in f"-arch={words}".split(" -")]
    options = [options[0], *[b"-" + x for x in options[1:]]]
    handle = pointer()
    array = (ctypes.c_char_p * len(options))(*options)
    code = cu.nvJitLinkCreate(ctypes.byref(handle), len(options), array)
    assert code == ANSWERS[words]
    assert bool(handle) == (code == 0)
    if code == 0:
        cu.nvJitLinkDestroy(ctypes.byref(handle))


# ---- programs ---------------------------------------------------------------------------------------

PROGRAM = r"""
#include <stdio.h>
int cuInit(unsigned);
int cuDriverGetVersion(int *);
int cuEmuIsEmulated(void);
int main(void)
{
    int version = 0, code = cuInit(0);
    code |= cuDriverGetVersion(&version);
    printf("%d %d %d\n", code, version, cuEmuIsEmulated());
    return 0;
}
"""


@pytest.mark.skipif("GPUNP_SANITIZE" in os.environ, reason="the sanitizer wants to load first")
@pytest.mark.parametrize("flags", ((), ("-Wl,--no-undefined", "-Wl,-z,now"), ("-Wl,--as-needed",)))
def test_programs_link_with_lcuda(tmp_path, flags):
    """-L$(python -m gpunp emulator-path) -lcuda, as with NVIDIA's stub library."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not DIRECTORY.exists():
        pytest.skip("no C compiler")
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    command = [compiler, str(source), f"-L{DIRECTORY}", "-lcuda", *flags, "-o", str(program)]
    subprocess.run(command, check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(DIRECTORY)}
    done = subprocess.run([str(program)], env=environment, capture_output=True, text=True)
    assert done.stdout == "0 13000 1\n", done.stderr
    needed = subprocess.run(["readelf", "-d", str(program)], capture_output=True, text=True).stdout
    assert "libcuda.so.1" in needed and "gpunp" not in needed
