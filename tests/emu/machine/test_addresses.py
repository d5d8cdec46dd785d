"""Addresses that come round at 32 bits, and what is said of those that reach nothing."""

import harness
import numpy as np
import pytest

HEADER = ".version 8.6\n.target sm_90\n.address_size 64\n"


@pytest.fixture(params=(0, 1, 2), autouse=True)
def level(request):
    """Every test runs with plain rows, uniform scalars, and affine tracking."""
    harness.library().stub_optimise(request.param)
    yield
    harness.library().stub_optimise(2)


def run(body, *args, grid=1, block=32, **options):
    """A kernel with 1024 bytes of shared memory; %p0 and %d are its parameters, %t the thread."""
    text = f"""{HEADER}.const .align 16 .b32 table[64];
        .visible .entry k(.param .u64 q0, .param .u64 q1) {{
        .reg .b64 %p0, %d, %a<9>; .reg .b32 %r<9>, %t; .reg .pred %c<5>;
        .shared .align 16 .b8 data[1024];
        mov.u32 %t, %tid.x; ld.param.u64 %p0, [q0]; ld.param.u64 %d, [q1];
        {body} ret; }}"""
    harness.Module(text).launch("k", grid, block, *args, **options)


def fault(body, *args, **options):
    """The text of a launch's fault."""
    with pytest.raises(harness.KernelFault) as caught:
        run(body, *args, **options)
    return caught.value.fault.text.decode()


@pytest.mark.parametrize("shape", (32, (8, 4)))
def test_a_base_below_the_variable(shape):
    """What compilers make of loops over shared memory: the base is negative, the offset brings it back."""
    out = harness.Buffer(np.zeros(32, "u4"))
    body = """mov.u32 %r1, data; mov.u32 %r5, %tid.y; mad.lo.u32 %t, %r5, 8, %t;
        mad.lo.u32 %r1, %t, 4, %r1; st.shared.b32 [%r1], %t;
        bar.sync 0; cvt.u32.u64 %r2, %d; xor.b32 %r3, %t, 1; mad.lo.u32 %r3, %r3, 4, %r2;
        mov.u32 %r4, data; add.u32 %r3, %r3, %r4; ld.shared.b32 %r5, [%r3+528];
        mad.wide.u32 %p0, %t, 4, %p0; st.global.b32 [%p0], %r5;"""
    run(body, out, np.int64(-528), block=shape)
    assert (out.array == np.arange(32) ^ 1).all()


def test_cluster():
    """The rank stands in the upper bits of the address, which takes part in the addition."""
    sync = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"
    out = harness.Buffer(np.zeros((2, 2), "u4"))
    body = f"""mov.u32 %r1, data; mov.u32 %r2, %cluster_ctarank; add.u32 %r3, %r2, 70;
        st.shared.b32 [%r1+16], %r3; {sync}
        xor.b32 %r4, %r2, 1; mapa.shared::cluster.u32 %r5, %r1, %r4; sub.u32 %r5, %r5, 1000;
        ld.shared::cluster.b32 %r6, [%r5+1016]; cvta.shared.u64 %a0, %d;
        cvt.u64.u32 %a1, %r1; cvta.shared.u64 %a1, %a1; mapa.u64 %a2, %a1, %r4;
        add.u64 %a2, %a2, %d; ld.b32 %r7, [%a2+100016];
        sub.u32 %r8, %r1, 5000; ld.shared::cluster.b32 %r8, [%r8+5016]; sub.u32 %r8, %r8, %r3;
        add.u32 %r7, %r7, %r8;
        mad.wide.u32 %p0, %r2, 8, %p0; st.global.v2.b32 [%p0], {{%r6, %r7}}; {sync}"""
    run(body, out, np.int64(-100000), grid=2, block=1, cluster=(2, 1, 1))
    assert out.array.tolist() == [[71, 71], [70, 70]]


def test_without_a_cluster_none_is_named():
    """An address far above shared memory is no other block's."""
    out = harness.Buffer(np.zeros(1, "u4"))
    for at in (1 << 24, (1 << 24) + 1024, 1 << 25, 0xFFFFFEF8, 2048):
        body = "cvt.u32.u64 %r1, %d; ld.shared.b64 %a1, [%r1];"
        if at >> 24 == 1 and at & 1023 == 0 and at < (1 << 24) + 1024:
            run(body, out, np.int64(at))  # rank 0 of a cluster of one
            continue
        text = fault(body, out, np.int64(at))
        assert "cluster" not in text and "beyond the block's 1024 bytes" in text


def test_the_low_half_of_a_generic_address():
    """A generic address is none of shared or local memory, in registers of either width."""
    out = harness.Buffer(np.zeros(1, "u4"))
    for space in ("shared", "local"):
        take = f"mov.u64 %a1, {'data' if space == 'shared' else 'own'}; cvta.{space}.u64 %a1, %a1;"
        take = ".local .b32 own; " + take
        assert space in fault(f"{take} ld.{space}.b32 %r1, [%a1];", out, np.int64(0))
        assert space in fault(
            f"{take} cvt.u32.u64 %r1, %a1; ld.{space}.b32 %r1, [%r1];", out, np.int64(0)
        )


def test_constants_are_the_module_s():
    """A global address is none of constant memory, and its end is seen."""
    out = harness.Buffer(np.zeros(1, "u4"))
    assert "constant address" in fault("ld.const.b32 %r1, [%p0];", out, np.int64(0))
    at = "mov.u64 %a1, table; add.u64 %a1, %a1, %d; ld.const.b32 %r1, [%a1+4];"
    assert "256 bytes" in fault(at, out, np.int64(252))
    run(at, out, np.int64(248))


def test_offsets_of_parameters():
    out = harness.Buffer(np.zeros(1, "u8"))
    body = """mov.b64 %a1, q0; add.u64 %a1, %a1, %d; cvt.u32.u64 %r1, %a1;
        ld.param.u64 %a2, [%a1+4096]; ld.param.u64 %a3, [%r1+4096]; add.u64 %a2, %a2, %a3;
        sub.u64 %a2, %a2, %p0; sub.u64 %a2, %a2, %p0; sub.u64 %a2, %d, %a2;
        st.global.u64 [%p0], %a2;"""
    run(body, out, np.int64(-4096))
    assert out.array.view("i8")[0] == -4096
