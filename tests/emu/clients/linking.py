"""The emulator's directory as programs meet it, through ctypes alone: run by test_clients.py."""

import ctypes
import os
import sys
from pathlib import Path

driver = ctypes.CDLL("libcuda.so.1")
linker = ctypes.CDLL("libnvJitLink.so.13")

CALLEE = """
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 r) seven(.param .b32 a)
{ .reg .b32 %r; ld.param.u32 %r, [a]; mul.lo.u32 %r, %r, 7; st.param.b32 [r], %r; ret; }
"""
# Declares what was defined before, and is the grid's barrier's only other side.
CALLER = """
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) seven(.param .b32 a);
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<5>; .reg .b64 %rd<6>; .shared .align 4 .u32 box[4];
    ld.param.u64 %rd1, [out];
    { .param .b32 a; .param .b64 h; st.param.b32 [a], 1;
      call (h), cudaCGGetIntrinsicHandle, (a); ld.param.b64 %rd2, [h]; }
    mov.u32 %r1, %ctaid.x;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), seven, (a); ld.param.b32 %r2, [b]; }
    mov.u64 %rd5, box[2];
    st.shared.u32 [%rd5], %r2;
    ld.shared.u32 %r2, box[2];
    mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r2;
    { .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a], %rd2; st.param.b32 [b], 0;
      call (c), cudaCGSynchronize, (a, b); ld.param.b32 %r4, [c]; }
    xor.b32 %r1, %r1, 3; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd4, %rd4, %rd1;
    ld.volatile.global.u32 %r3, [%rd4]; add.u32 %r3, %r3, %r4; st.global.u32 [%rd3+16], %r3;
    ret;
}
"""


def check(code):
    assert code == 0, code


def linked():
    """The cubin that the emulated nvJitLink makes of two texts and the device runtime."""
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(b"-arch=sm_90")
    check(linker.nvJitLinkCreate(ctypes.byref(handle), 1, options))
    for text in (CALLEE, CALLER):
        data = text.encode()  # without its NUL
        check(linker.nvJitLinkAddData(handle, 2, data, ctypes.c_size_t(len(data)), b"t.ptx"))
    archive = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64/libcudadevrt.a")
    runtime = b"!<arch>\n cuda_device_runtime"  # what libcudadevrt.a is known by
    if archive.exists():
        runtime = archive.read_bytes()
    check(linker.nvJitLinkAddData(handle, 6, runtime, ctypes.c_size_t(len(runtime)), b"l.a"))
    check(linker.nvJitLinkComplete(handle))
    check(linker.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)))
    cubin = ctypes.create_string_buffer(size.value)
    check(linker.nvJitLinkGetLinkedCubin(handle, cubin))
    check(linker.nvJitLinkDestroy(ctypes.byref(handle)))
    return cubin


def test_linked_code_runs():
    device, context = ctypes.c_int(), ctypes.c_void_p()
    module, kernel, out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    check(driver.cuInit(0))
    check(driver.cuDeviceGet(ctypes.byref(device), 0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(driver.cuCtxSetCurrent(context))
    check(driver.cuModuleLoadData(ctypes.byref(module), linked()))
    check(driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"k"))
    check(driver.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(32)))
    params = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(out), ctypes.c_void_p))
    check(driver.cuLaunchCooperativeKernel(kernel, 4, 1, 1, 1, 1, 1, 0, None, params))
    got = (ctypes.c_uint32 * 8)()
    check(driver.cuMemcpyDtoH_v2(got, out, ctypes.c_size_t(32)))
    assert list(got) == [0, 7, 14, 21, 21, 14, 7, 0], list(got)


def test_what_the_linker_refuses():
    handle = ctypes.c_void_p()
    assert linker.nvJitLinkCreate(ctypes.byref(handle), 0, None) == 2  # no -arch
    options = (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-nonsense")
    assert linker.nvJitLinkCreate(ctypes.byref(handle), 2, options) == 1
    check(linker.nvJitLinkCreate(ctypes.byref(handle), 1, options))
    assert linker.nvJitLinkAddData(handle, 1, b"\x7fELF 1234", ctypes.c_size_t(9), b"a") == 15
    assert linker.nvJitLinkAddData(handle, 3, b"BC", ctypes.c_size_t(2), b"a") == 18  # no -lto
    assert linker.nvJitLinkComplete(handle) == 3
    size = ctypes.c_size_t()
    check(linker.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size)))
    assert size.value > 1
    check(linker.nvJitLinkDestroy(ctypes.byref(handle)))


assert driver.cuEmuIsEmulated() == 1
for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("passed", name, flush=True)
sys.exit(0)
