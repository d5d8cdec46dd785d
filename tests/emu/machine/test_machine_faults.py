"""Every kind of mistake ends as a fault that names the kernel, the place and the thread; texts that
are not PTX are refused with the line."""

from pathlib import Path

import harness
import numpy as np
import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz" / "seeds"

pytestmark = pytest.mark.skipif(harness.nvrtc() is None, reason="NVRTC is not installed")

OUT_OF_BOUNDS, MISALIGNED, READ_ONLY, SHARED, LOCAL, STACK = 1, 2, 3, 4, 5, 6
ASSERT, TRAP, DEADLOCK, BAD_MASK, TIMEOUT, UNSUPPORTED = 7, 8, 9, 10, 11, 12


@pytest.fixture(params=(0, 2), autouse=True)
def level(request):
    """Plain rows, and everything tracked."""
    harness.library().stub_optimise(request.param)
    yield
    harness.library().stub_optimise(2)


def fault(source, grid, block, *args, options=harness.OPTIONS, **more):
    """The fault of one launch."""
    m = harness.module('extern "C" ' + source if "extern" not in source else source, options)
    with pytest.raises(harness.KernelFault) as caught:
        m.launch("k", grid, block, *args, **more)
    f = caught.value.fault
    return f.kind, f.code, f.text.decode(), f


@pytest.mark.parametrize("index", ("i", "i * 1", "t[i]"))
def test_out_of_bounds(index):
    """Affine, and data-dependent addresses."""
    a = harness.Buffer(np.zeros(100, "f4"))
    t = harness.Buffer(np.arange(128, dtype="i4"))
    kind, code, text, f = fault(
        f"""__global__ void k(float *a, const int *t) {{
            int i = threadIdx.x;
            a[{index}] = 1; }}""",
        1,
        128,
        a,
        t,
        options=(*harness.OPTIONS, "-lineinfo"),
    )
    assert (kind, code) == (OUT_OF_BOUNDS, 700)
    assert "kernel k" in text and "line 3" in text and "thread (100,0,0)" in text
    assert f.address == a.address + 400 and list(f.thread) == [100, 0, 0] and f.source_line == 3
    assert "4-byte store" in text


def test_two_allocations_are_fine_but_a_hole_is_not():
    bufs = [harness.Buffer(np.full(8, v, "i4")) for v in (1, 2)]
    out = harness.Buffer(np.zeros(32, "i4"))
    m = harness.module("""extern "C" __global__ void k(const int *a, const int *b, int *o) {
        const int *p = threadIdx.x & 1 ? a : b; o[threadIdx.x] = p[threadIdx.x & 7]; }""")
    m.launch("k", 1, 32, *bufs, out)
    assert (out.array == np.where(np.arange(32) & 1, 1, 2)).all()


def test_freed_and_host_pointers():
    a = harness.Buffer(np.zeros(100, "f4"))
    source = "__global__ void k(float *a) { a[threadIdx.x] += 1; }"
    a.free()
    assert fault(source, 1, 32, a)[:2] == (OUT_OF_BOUNDS, 700)
    host = np.zeros(100, "f4")
    assert fault(source, 1, 32, np.uint64(host.ctypes.data))[:2] == (OUT_OF_BOUNDS, 700)
    assert fault(source, 1, 32, np.uint64(0))[:2] == (OUT_OF_BOUNDS, 700)


def test_misaligned():
    a = harness.Buffer(np.zeros(100, "f4"))
    source = "__global__ void k(char *a, int d) { *(float *)(a + threadIdx.x * 4 + d) = 1; }"
    kind, code, text, f = fault(source, 1, 32, a, np.int32(2))
    assert (kind, code) == (MISALIGNED, 716) and f.address == a.address + 2


def test_constant_memory():
    out = harness.Buffer(np.zeros(4, "i4"))
    kind, code, text, _ = fault(
        """__constant__ int c[4] = {1, 2, 3, 4};
        extern "C" __global__ void k(int *o) { o[0] = c[1];
            asm volatile("st.u32 [%0], 5;" ::"l"(c + threadIdx.x)); }""",
        1,
        4,
        out,
    )
    assert (kind, code) == (READ_ONLY, 700) and out.array[0] == 2


@pytest.mark.parametrize("index", ("threadIdx.x + d", "a[threadIdx.x] + d"))
def test_shared_overrun(index):
    a = harness.Buffer(np.arange(64, dtype="i4"))
    kind, code, text, f = fault(
        f"""__global__ void k(int *a, int d) {{ __shared__ int s[64];
        s[{index}] = 1; __syncthreads(); a[threadIdx.x] = s[0]; }}""",
        1,
        64,
        a,
        np.int32(10),
    )
    assert (kind, code) == (SHARED, 700) and list(f.thread) == [54, 0, 0] and "256 bytes" in text


def test_local_overrun():
    a = harness.Buffer(np.arange(64, dtype="i4"))
    kind, code, _, _ = fault(
        """__global__ void k(int *a) { int l[8];
        for (int i = 0; i < 8; i++) l[i] = a[i];
        l[a[threadIdx.x]] = 7; a[threadIdx.x] = l[a[1]]; }""",
        1,
        64,
        a,
    )
    assert (kind, code) == (LOCAL, 700)


def test_stack_overflow():
    a = harness.Buffer(np.full(64, 100000, "i4"))
    kind, code, text, _ = fault(
        """
        __device__ __noinline__ int f(int n, int *p) { int l[8]; l[n & 7] = n;
            return n == 0 ? 0 : f(n - 1, l + (p[0] & 7)) + l[n & 3]; }
        extern "C" __global__ void k(int *a) { int z[8] = {1}; a[threadIdx.x] = f(a[threadIdx.x], z); }""",
        1,
        64,
        a,
    )
    assert (kind, code) == (STACK, 700) and "stack overflow" in text


def recursion(live, depot):
    """A function with so many values alive across its call of itself, and bytes of its own."""
    values = "".join(f"int v{i} = x * {7 * i + 3} ^ n;" for i in range(live))
    own = f"volatile char a[{depot}]; a[n & {depot - 1}] = (char)n;" if depot else ""
    uses = "".join(f" + v{i} * r" for i in range(live)) + (
        f" + a[x & {depot - 1}]" if depot else ""
    )
    return f"""__device__ __noinline__ int f(int n, int x) {{ if (n <= 0) return x; {values} {own}
        int r = f(n - 1, x + n); return r{uses} + 1; }}
        extern "C" __global__ void k(int *a, int n) {{ a[threadIdx.x] = f(n, threadIdx.x); }}"""


DEEPEST = {  # of an H200 with 1,024 bytes of stack
    **{(0, 0): 63, (0, 64): 10, (0, 256): 3, (4, 0): 31, (4, 64): 8, (4, 256): 3},
    **{(12, 0): 15, (12, 64): 6, (12, 256): 2},
}


@pytest.mark.parametrize("live,depot", DEEPEST)
def test_recursion_goes_as_deep_as_on_hardware(live, depot):
    a = harness.Buffer(np.zeros(32, "i4"))
    module = harness.module(recursion(live, depot))
    module.launch("k", 1, 32, a, np.int32(DEEPEST[live, depot]))
    with pytest.raises(harness.KernelFault, match="stack overflow calling"):
        module.launch("k", 1, 32, a, np.int32(DEEPEST[live, depot] + 1))


def test_addresses_on_both_sides_of_zero():
    text = (FUZZ / "addresses_around_zero.ptx").read_text()
    for space in ("global", "shared", "local"):
        with pytest.raises(harness.KernelFault, match="address 0x"):
            harness.Module(text.replace(".global", f".{space}")).launch("k", 1, 32)


def test_endless_recursion_without_a_stack():
    text = (FUZZ / "recursion_without_a_stack.ptx").read_text()
    with pytest.raises(harness.KernelFault, match="stack overflow calling f: 1024 bytes"):
        harness.Module(text).launch("k", 1, 256)


def test_trap_and_assert():
    a = harness.Buffer(np.arange(64, dtype="i4"))
    kind, code, text, f = fault(
        "__global__ void k(int *a) { if (a[threadIdx.x] == 40) __trap(); }", 1, 64, a
    )
    assert (kind, code) == (TRAP, 719) and list(f.thread) == [40, 0, 0]
    kind, code, text, f = fault(
        """
        extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
        extern "C" __global__ void k(int *a) {
            if (!(a[threadIdx.x] < 50)) __assertfail("a < 50", "file.cu", 12, "k", 1); }""",
        1,
        64,
        a,
        options=("-no-cache",),
    )
    assert (kind, code) == (ASSERT, 710) and "file.cu:12" in text and "a < 50" in text
    assert list(f.thread) == [50, 0, 0]


def test_barrier_deadlock():
    a = harness.Buffer(np.arange(64, dtype="i4"))
    kind, code, text, _ = fault(
        """__global__ void k(int *a) {
        if (threadIdx.x < 32) asm volatile("bar.sync 1;"); else asm volatile("bar.sync 2;");
        a[0] = 1; }""",
        1,
        64,
        a,
    )
    assert (kind, code) == (DEADLOCK, 719) and "32 threads wait" in text


def test_threads_that_left_do_not_block_a_barrier():
    a = harness.Buffer(np.zeros(64, "i4"))
    m = harness.module("""extern "C" __global__ void k(int *a) {
        if (threadIdx.x >= 40) return; __syncthreads(); a[threadIdx.x] = 1; }""")
    m.launch("k", 1, 64, a)
    assert a.array.sum() == 40


def test_bad_masks():
    a = harness.Buffer(np.zeros(64, "i4"))
    kind, code, text, _ = fault(
        """__global__ void k(int *a) {
        a[threadIdx.x] = __shfl_sync(0x0000ffffu, (int)threadIdx.x, 0); }""",
        1,
        32,
        a,
    )
    assert (kind, code) == (BAD_MASK, 719) and "0x0000ffff" in text
    kind, code, text, _ = fault(
        """__global__ void k(int *a) {
        if (threadIdx.x < 16) a[threadIdx.x] = __ballot_sync(~0u, 1);
        else asm volatile("bar.sync 1, 64;"); }""",
        1,
        32,
        a,
    )
    assert (kind, code) == (BAD_MASK, 719)


def test_watchdog():
    a = harness.Buffer(np.zeros(64, "i4"))
    for word in ("volatile int *a", "int *a"):
        kind, code, text, _ = fault(
            f"__global__ void k({word}) {{ while (a[0] == 0) __nanosleep(10); }}",
            2,
            32,
            a,
            watchdog=1 << 18,
        )
        assert (kind, code) == (TIMEOUT, 702) and "no progress" in text


def test_unsupported_instructions_only_matter_when_reachable():
    head = ".version 8.0\n.target sm_90\n.address_size 64\n"
    text = (
        head
        + """
.func bad() { tcgen05.alloc.b32 [%r1], 4; ret; }
.visible .entry fine() { ret; }
.visible .entry worse() { call bad, (); ret; }
.visible .entry odd() { .reg .b32 %r<3>;
   frobnicate.u32 %r1, %r2; ret; }
"""
    )
    m = harness.Module(text)
    m.launch("fine", 1, 32)
    with pytest.raises(harness.KernelFault) as caught:
        m.launch("odd", 1, 32)
    assert caught.value.code == 218 and "frobnicate.u32" in str(caught.value)
    assert "line 9" in str(caught.value)
    with pytest.raises(harness.KernelFault):
        m.launch("worse", 1, 32)
    m.launch("fine", 1, 32)


def test_functions_that_call_a_broken_one_in_a_cycle():
    """A function whose decoding failed takes along those that call it, also from below."""
    text = """.version 8.0
.target sm_90
.address_size 64
.func bad() { frobnicate.u32 %r1, %r2; ret; }
.func above();
.func below() { .reg .pred %p; setp.eq.u32 %p, 0, 1; @%p call above, (); ret; }
.func above() { call below, (); call bad, (); ret; }
.visible .entry first() { call above, (); ret; }
.visible .entry second() { call below, (); ret; }
"""
    m = harness.Module(text)
    for name in ("first", "second", "first"):
        with pytest.raises(harness.KernelFault, match="in bad") as caught:
            m.launch(name, 1, 32)
        assert caught.value.code == 218


BROKEN = {
    "no version": ".target sm_90\n.address_size 64\n.visible .entry k() { ret; }",
    "not ptx": "\x7fELF and so on",
    "no end": ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret;",
    "32 bits": ".version 8.0\n.target sm_90\n.address_size 32\n.visible .entry k() { ret; }",
    "too many": ".version 8.0\n.target sm_90\n.address_size 64\n.global .u8 a[2] = {1, 2, 3};",
    "no name": ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 = 4;",
    "unknown": ".version 8.0\n.target sm_90\n.address_size 64\n.global .u64 a = nothing;",
    "stray": ".version 8.0\n.target sm_90\n.address_size 64\nhello",
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_texts(name):
    with pytest.raises(RuntimeError, match=r"218|222"):
        harness.Module(BROKEN[name])


BODIES = {
    "label": "bra NOWHERE;",
    "register": "add.u32 %r1, %r2, %r9;",
    "operands": "add.u32 %r1, %r2;",
    "semicolon": "mov.u32 %r1, %r2",
    "type": ".reg .q32 %q<3>;",
    "bracket": "ld.global.u32 %r1, [%rd1;",
    "call": "call nobody, ();",
    "vector": "ld.global.v4.u32 {%r1, %r2, %r3, %r1, %r1, %r1, %r1, %r1, %r1}, [%rd1];",
    "destination": "mov.u32 4, %r1;",
    "negated": "mov.u32 %r1, !%tid.x;",
}


@pytest.mark.parametrize("name", BODIES)
def test_broken_bodies(name):
    head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
    m = harness.Module(head + ".reg .b32 %r<4>; .reg .b64 %rd<3>;\n" + BODIES[name] + "\nret;\n}\n")
    with pytest.raises(harness.KernelFault) as caught:
        m.launch("k", 1, 1)
    assert caught.value.code == 218 and "ptx line" in str(caught.value)


REFUSED = {
    "shfl.up.b32 %r1, %r2, 1, 0;": "'shfl' without .sync .* write 'shfl.sync",
    "vote.ballot.b32 %r1, %p1;": "'vote' without .sync .* write 'vote.sync",
    "wgmma.fence.sync.aligned;": "unsupported instruction 'wgmma",
    "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, %rd2, {%f1, %f1}];": "unsupported "
    "instruction 'tex.2d",
}


@pytest.mark.parametrize("body", REFUSED)
def test_refused_instructions(body):
    """What the device does not take is named, with its line."""
    head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
    names = ".reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f<2>; .reg .pred %p<2>;\n"
    m = harness.Module(head + names + body + "\nret;\n}\n")
    with pytest.raises(harness.KernelFault, match=REFUSED[body]) as caught:
        m.launch("k", 1, 1)
    assert caught.value.code == 218 and "ptx line 7" in str(caught.value)


# as ptxas 13.0 evaluates them
EXPRESSIONS = {
    "(1+2)*3": 9,
    "~5&0xff": 250,
    "-5 % 3": 2,
    "5%3": 2,
    "-5 / 2": -2,
    "-8 >> 1": -4,
    "-8U >> 1": 9223372036854775804,
    "1 ? 2 : 3": 2,
    "1 + !0": 2,
    "-1 < 1U": 0,
    "-1 < 1": 1,
    "(.u64)-8 / 2": 9223372036854775804,
    "1 << 2 + 1": 8,
    "7 & 3 == 3": 1,
    "0 || 2": 1,
    "-1 == 0xffffffffffffffff": 1,
    "~0 >> 4": 1152921504606846975,
    "1|2^3&6": 1,
    "-(3)": -3,
    "+4": 4,
    "(~5) / 2": 9223372036854775805,
    "(-1 & -1) / 2": 0,
    "1 << 70": 64,
    "5 - -3": 8,
    "(5 % 3 - 3) / 2": 9223372036854775807,
}


def test_constant_expressions():
    lines = [
        f"mov.b64 %rd2, {e}; st.global.b64 [%rd1+{8 * i}], %rd2;" for i, e in enumerate(EXPRESSIONS)
    ]
    m = harness.Module(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b64 %rd<3>; ld.param.u64 %rd1, [p];\n" + "\n".join(lines) + "\nret;\n}\n"
    )
    out = harness.Buffer(np.zeros(len(EXPRESSIONS), "u8"))
    m.launch("k", 1, 1, out)
    want = [v % 2**64 for v in EXPRESSIONS.values()]
    assert out.array.tolist() == want


def test_launch_shapes():
    m = harness.module('extern "C" __global__ void __launch_bounds__(64) k(int *a) { a[0] = 1; }')
    a = harness.Buffer(np.zeros(1, "i4"))
    for grid, block, code in ((0, 32, 1), (1, 0, 1), (1, 2048, 1), (1, 128, 701)):
        with pytest.raises(harness.KernelFault) as caught:
            m.launch("k", grid, block, a)
        assert caught.value.code == code
