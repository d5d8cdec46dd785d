"""Memory barriers, asynchronous copies and clusters, in PTX."""

import harness
import numpy as np
import pytest

HEADER = ".version 8.6\n.target %s\n.address_size 64\n"


@pytest.fixture(params=(0, 1, 2), autouse=True)
def level(request):
    """Every test runs with plain rows, uniform scalars, and affine tracking."""
    harness.library().stub_optimise(request.param)
    yield
    harness.library().stub_optimise(2)


def run(body, grid, block, *arrays, head="", target="sm_90", **options):
    """Run a kernel whose parameters p0.. are the arrays' addresses; %t is the thread."""
    params = ", ".join(f".param .u64 q{i}" for i in range(len(arrays)))
    loads = "".join(f"ld.param.u64 %p{i}, [q{i}];\n" for i in range(len(arrays)))
    text = f"""{HEADER % target}.visible .entry k({params}) {head} {{
        .reg .b64 %p<9>, %a<9>; .reg .b32 %r<20>, %t; .reg .pred %c<5>;
        .shared .align 128 .b8 data[4096]; .shared .align 8 .b64 bar; .shared .align 8 .b64 bar2;
        mov.u32 %t, %tid.x;
        {loads}{body} ret; }}"""
    module = harness.Module(text)
    buffers = [harness.Buffer(a) for a in arrays]
    try:
        module.launch("k", grid, block, *buffers, **options)
        return [b.array.copy() for b in buffers]
    finally:
        for b in buffers:
            b.free()


WAIT = """{ .reg .pred done;
WAIT%s: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%s], %s, 1000;
@!done bra WAIT%s; }"""


def wait(bar, parity, label):
    """Wait in a loop for the end of a phase."""
    return WAIT % (label, bar, parity, label)


def test_phases():
    """All threads arrive; a token tells its phase; counts go down."""
    body = """
        setp.eq.u32 %c0, %t, 0;
        @%c0 mbarrier.init.shared::cta.b64 [bar], 64;
        bar.sync 0;
        mbarrier.arrive.shared::cta.b64 %a0, [bar];
        TOKEN: mbarrier.try_wait.shared::cta.b64 %c1, [bar], %a0;
        @!%c1 bra TOKEN;
        mbarrier.test_wait.parity.shared::cta.b64 %c2, [bar], 0;
        selp.u32 %r0, 1, 0, %c2;
        mbarrier.test_wait.parity.shared::cta.b64 %c2, [bar], 1;
        selp.u32 %r1, 2, 0, %c2;
        mbarrier.pending_count.b64 %r2, %a0;
        add.u32 %r0, %r0, %r1;
        mad.lo.u32 %r0, %r2, 10, %r0;
        mad.wide.u32 %p0, %t, 4, %p0;
        st.global.b32 [%p0], %r0;"""
    (out,) = run(body, 1, 64, np.zeros(64, "u4"))
    assert (out % 10 == 1).all()
    assert (out // 10 == np.repeat([64, 32], 32)).all()  # what a warp sees before it arrives


def test_drop_and_counts():
    body = """
        setp.ne.u32 %c0, %t, 0;
        @%c0 ret;
        mbarrier.init.shared::cta.b64 [bar], 5;
        mbarrier.arrive.noComplete.shared::cta.b64 %a0, [bar], 2;
        mbarrier.arrive_drop.shared::cta.b64 %a1, [bar], 2;
        mbarrier.arrive.shared::cta.b64 %a2, [bar];
        mbarrier.test_wait.shared::cta.b64 %c1, [bar], %a2;
        selp.u32 %r0, 1, 0, %c1;
        mbarrier.arrive.shared::cta.b64 %a3, [bar], 2;
        mbarrier.test_wait.shared::cta.b64 %c1, [bar], %a3;
        selp.u32 %r1, 1, 0, %c1;
        mbarrier.arrive.shared::cta.b64 _, [bar];
        mbarrier.test_wait.shared::cta.b64 %c1, [bar], %a3;
        selp.u32 %r2, 1, 0, %c1;
        mbarrier.inval.shared::cta.b64 [bar];
        st.global.v2.b32 [%p0], {%r0, %r1}; st.global.b32 [%p0+8], %r2;"""
    (out,) = run(body, 1, 32, np.zeros(3, "u4"))
    assert list(out) == [1, 0, 1]


@pytest.mark.parametrize(
    "what,body",
    (
        ("before mbarrier.init", "mbarrier.arrive.shared::cta.b64 %a0, [bar];"),
        ("more arrivals", "mbarrier.arrive.shared::cta.b64 %a0, [bar], 9;"),
        ("out of range", "mbarrier.init.shared::cta.b64 [bar], 0;"),
    ),
)
def test_misuse(what, body):
    start = (
        "st.shared.b64 [bar], 0;" if "before" in what else "mbarrier.init.shared::cta.b64 [bar], 2;"
    )
    with pytest.raises(harness.KernelFault, match=what):
        run(f"{start} {body}", 1, 1)


@pytest.mark.parametrize("bytes_", (4, 8, 16))
@pytest.mark.parametrize("form", ("", ", %r1", ", %c1"))
def test_copies(bytes_, form):
    """Whole, in part (the rest is zero), and ignored."""
    kind = "cg" if bytes_ == 16 else "ca"
    body = f"""
        and.b32 %r1, %t, {bytes_ - 1}; and.b32 %r2, %t, 1; setp.eq.u32 %c1, %r2, 1;
        mov.u32 %r3, data; mad.lo.u32 %r3, %t, 16, %r3; mad.wide.u32 %p0, %t, {bytes_}, %p0;
        cp.async.{kind}.shared.global [%r3], [%p0], {bytes_}{form};
        cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;
        mad.wide.u32 %p1, %t, {bytes_}, %p1;
        """ + "".join(
        f"ld.shared.b32 %r4, [%r3+{i}]; st.global.b32 [%p1+{i}], %r4;" for i in range(0, bytes_, 4)
    )
    a = np.random.default_rng(1).integers(1, 256, 64 * bytes_, dtype="u1")
    _, out = run(body, 1, 64, a, np.zeros_like(a))
    t, at = np.divmod(np.arange(64 * bytes_), bytes_)
    keep = np.ones_like(t, bool)
    if form == ", %r1":
        keep = at < (t & (bytes_ - 1))
    if form == ", %c1":
        keep = t % 2 == 0
    assert (out == np.where(keep, a, 0)).all()


def test_copy_arrives():
    body = (
        """
        setp.eq.u32 %c0, %t, 0;
        @%c0 mbarrier.init.shared.b64 [bar], 32; bar.sync 0;
        mov.u32 %r3, data; mad.lo.u32 %r3, %t, 4, %r3; mad.wide.u32 %p0, %t, 4, %p0;
        cp.async.ca.shared.global [%r3], [%p0], 4;
        cp.async.mbarrier.arrive.shared.b64 [bar];
        cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"""
        + wait("bar", 0, "A")
        + """
        xor.b32 %r3, %r3, 124; ld.shared.b32 %r4, [%r3]; mad.wide.u32 %p1, %t, 4, %p1;
        st.global.b32 [%p1], %r4;"""
    )
    a = np.arange(32, dtype="u4") + 5
    _, out = run(body, 1, 32, a, np.zeros_like(a))
    assert (out == a[::-1]).all()


def test_bulk_round_trip():
    """Global to shared with a memory barrier, shared to global in a group, and sums on the way."""
    body = (
        """
        setp.ne.u32 %c0, %t, 0; @%c0 bra REST;
        mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
        fence.proxy.async.shared::cta;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024;
        mov.u32 %r0, data; mov.u32 %r5, bar;
        createpolicy.fractional.L2::evict_first.b64 %a1, 1.0;
        cp.async.bulk.prefetch.L2.global [%p0], 1024;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint
            [%r0], [%p0], 512, [%r5], %a1;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
            [%r0+512], [%p0+512], 512, [bar];
        REST: bar.sync 0;"""
        + wait("bar", 0, "A")
        + """
        mov.u32 %r0, data; mad.lo.u32 %r1, %t, 4, %r0; ld.shared.b32 %r2, [%r1];
        mul.lo.u32 %r2, %r2, 3; st.shared.b32 [%r1], %r2;
        fence.proxy.async; bar.sync 0;
        @%c0 ret;
        cp.async.bulk.global.shared::cta.bulk_group [%p1], [%r0], 1024;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p2], [%r0], 1024;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%p3], [%r0], 16;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;"""
    )
    a = np.random.default_rng(1).integers(0, 1000, 256).astype("u4")
    low = np.array([0, 10**6, -5, 600], "i4")
    _, out, total, least = run(body, 1, 256, a, np.zeros_like(a), a.copy(), low)
    assert (out == a * 3).all() and (total == a * 4).all()
    assert (least == np.minimum(low, a[:4] * 3)).all()


@pytest.mark.parametrize(
    "op,dtype",
    (("add.noftz.f16", "f2"), ("add.f32", "f4"), ("add.f64", "f8"), ("max.f16", "f2")),
)
def test_bulk_sums(op, dtype):
    body = f"""
        setp.ne.u32 %c0, %t, 0; @%c0 ret; mov.u32 %r0, data;
        {"".join(f"ld.global.b64 %a0, [%p0+{8 * i}]; st.shared.b64 [%r0+{8 * i}], %a0;" for i in range(8))}
        fence.proxy.async;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.{op} [%p1], [%r0], 64;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"""
    n = 64 // np.dtype(dtype).itemsize
    a, b = np.arange(n).astype(dtype), (np.arange(n) * 2 - 20).astype(dtype)
    _, out = run(body, 1, 32, a, b)
    assert (out == (np.maximum(a, b) if "max" in op else a + b)).all()


def test_bulk_byte_mask():
    body = """
        mov.u32 %r0, data; ld.global.v2.b64 {%a0, %a1}, [%p0]; st.shared.v2.b64 [%r0], {%a0, %a1};
        mov.b16 %h, 0x00f5;
        cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%p1], [%r0], 16, %h;"""
    a = np.arange(16, dtype="u1") + 1
    _, out = run(".reg .b16 %h;" + body, 1, 1, a, np.zeros_like(a), target="sm_100")
    mask = 0xF5 >> np.arange(16) & 1
    assert (out == a * mask).all()


# ---- clusters ---------------------------------------------------------------------------------------


def test_cluster_registers():
    names = [
        "cluster_ctaid.x", "cluster_ctaid.y", "cluster_nctaid.x", "cluster_nctaid.y", "cluster_ctarank",
        "cluster_nctarank", "clusterid.x", "clusterid.y", "nclusterid.x", "nclusterid.y", "ctaid.x", "ctaid.y",
    ]  # fmt: skip
    body = """mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mad.lo.u32 %r0, %r1, 4, %r0;
        mad.wide.u32 %p0, %r0, 64, %p0; mov.pred %c1, %is_explicit_cluster;
        selp.u32 %r2, 1, 0, %c1; st.global.b32 [%p0+60], %r2;"""
    for i, name in enumerate(names):
        body += f"mov.u32 %r2, %{name}; st.global.b32 [%p0+{4 * i}], %r2;"
    for options in (
        {"cluster": (2, 2, 1)},
        {"head": ".explicitcluster .reqnctapercluster 2, 2, 1"},
    ):
        (out,) = run(body, (4, 6), 1, np.zeros((6, 4, 16), "u4"), **options)
        y, x = np.indices((6, 4))
        want = [x % 2, y % 2, 0 * x + 2, 0 * x + 2, x % 2 + y % 2 * 2, 0 * x + 4, x // 2, y // 2]
        want += [0 * x + 2, 0 * x + 3, x, y]
        assert (out[..., :12] == np.stack(want, -1)).all() and (out[..., 15] == 1).all()
    (out,) = run(body, (4, 6), 1, np.zeros((6, 4, 16), "u4"))
    assert (out[..., 4] == 0).all() and (out[..., 5] == 1).all() and (out[..., 15] == 0).all()


SYNC = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;"


@pytest.mark.parametrize("workers", (1, 2))
@pytest.mark.parametrize("form", ("shared::cluster", "generic", "bulk", "st.async"))
def test_neighbours(form, workers):
    """Each block gets the words of the next block of its cluster."""
    moves = {
        "shared::cluster": """mapa.shared::cluster.u32 %r5, %r1, %r3;
            getctarank.shared::cluster.u32 %r7, %r5; ld.shared::cluster.b32 %r6, [%r5];""",
        "generic": """cvta.shared.u64 %a0, %a1; mapa.u64 %a2, %a0, %r3; getctarank.u64 %r7, %a2;
            isspacep.shared::cta %c1, %a2; selp.u32 %r8, 1000, 0, %c1; add.u32 %r7, %r7, %r8;
            isspacep.shared::cluster %c1, %a2; selp.u32 %r8, 0, 5000, %c1; add.u32 %r7, %r7, %r8;
            ld.b32 %r6, [%a2];""",
    }
    push = {
        "bulk": """setp.ne.u32 %c0, %t, 0; @%c0 bra SKIP;
            mapa.shared::cluster.u32 %r5, %r9, %r4; mapa.shared::cluster.u32 %r6, %r10, %r4;
            cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
                [%r5+1024], [%r9], 256, [%r6]; SKIP:""",
        "st.async": """mapa.shared::cluster.u32 %r5, %r1, %r4; mapa.shared::cluster.u32 %r6, %r10, %r4;
            st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5+1024], %r0, [%r6];""",
    }
    if form in moves:
        exchange = moves[form] + SYNC
    else:
        exchange = (
            push[form] + wait("bar", 0, "X") + "ld.shared.b32 %r6, [%r1+1024]; mov.u32 %r7, %r3;"
        )
        exchange += SYNC
    body = f"""
        mov.u32 %r9, data; mov.u32 %r10, bar; mov.u32 %r2, %cluster_ctarank;
        setp.ne.u32 %c0, %t, 0;
        @!%c0 mbarrier.init.shared::cta.b64 [bar], 1;
        @!%c0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
        mad.lo.u32 %r1, %t, 4, %r9; cvt.u64.u32 %a1, %r1;
        mov.u32 %r0, %ctaid.x; mad.lo.u32 %r0, %r0, 64, %t; st.shared.b32 [%r1], %r0;
        add.u32 %r3, %r2, 1; and.b32 %r3, %r3, 3; add.u32 %r4, %r2, 3; and.b32 %r4, %r4, 3;
        {SYNC} {exchange}
        mad.wide.u32 %p0, %r0, 8, %p0; st.global.v2.b32 [%p0], {{%r6, %r7}};"""
    (out,) = run(body, 8, 64, np.zeros((8, 64, 2), "u4"), cluster=(4, 1, 1), workers=workers)
    block = np.arange(8)
    neighbour = block // 4 * 4 + (block + 1) % 4
    assert (out[:, :, 0] == (neighbour * 64)[:, None] + np.arange(64)).all()
    assert (out[:, :, 1] == (neighbour % 4)[:, None]).all()


def test_cluster_sums():
    """Atomics, remote arrivals and red.async on the shared memory of block 0."""
    body = f"""
        mov.u32 %r9, data; mov.u32 %r10, bar; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, 0;
        or.b32 %r4, %r2, %t; setp.ne.u32 %c0, %r4, 0; @%c0 bra GO;
        mbarrier.init.shared::cta.b64 [bar], 64; st.shared.v2.b32 [data], {{0, 0}};
        mbarrier.init.shared::cta.b64 [bar2], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar2], 256;
        GO: {SYNC}
        mapa.shared::cluster.u32 %r5, %r9, %r3; mapa.shared::cluster.u32 %r6, %r10, %r3;
        mov.u32 %r11, bar2; mapa.shared::cluster.u32 %r12, %r11, %r3;
        atom.shared::cluster.add.u32 %r7, [%r5], %r2;
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5+4], 2, [%r12];
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];
        setp.ne.u32 %c0, %r2, 0; @%c0 bra END;
        {wait("bar", 0, "A")} {wait("bar2", 0, "B")}
        ld.shared.v2.b32 {{%r7, %r8}}, [data]; st.global.v2.b32 [%p0], {{%r7, %r8}};
        END: {SYNC}"""
    (out,) = run(body, 4, 16, np.zeros(2, "u4"), cluster=(4, 1, 1))
    assert list(out) == [16 * (0 + 1 + 2 + 3), 128]


def test_multicast():
    body = f"""
        mov.u32 %r9, data; mov.u32 %r10, bar; mov.u32 %r2, %cluster_ctarank;
        setp.ne.u32 %c0, %t, 0; @%c0 bra GO;
        mbarrier.init.shared::cta.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128; GO: {SYNC}
        or.b32 %r4, %r2, %t; setp.ne.u32 %c0, %r4, 0; @%c0 bra WAIT_; mov.b16 %h, 13;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
            [%r9], [%p0], 128, [%r10], %h;
        WAIT_: setp.eq.u32 %c0, %r2, 1; @%c0 bra END;
        {wait("bar", 0, "A")} mad.lo.u32 %r5, %t, 4, %r9; ld.shared.b32 %r6, [%r5];
        mad.lo.u32 %r7, %r2, 32, %t; mad.wide.u32 %p1, %r7, 4, %p1; st.global.b32 [%p1], %r6;
        END: {SYNC}"""
    a = np.arange(32, dtype="u4") + 100
    _, out = run(".reg .b16 %h;" + body, 4, 32, a, np.zeros((4, 32), "u4"), cluster=(4, 1, 1))
    assert (out[[0, 2, 3]] == a).all() and not out[1].any()


def test_cluster_faults():
    read = "mov.u32 %r9, data; mov.u32 %r3, %s; mapa.shared::cluster.u32 %r5, %r9, %r3; ld.shared::cluster.b32 %r6, [%r5];"
    for rank in ("7", "1"):
        gone = (
            "mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %c0, %r2, 1; @%c0 ret;"
            + "nanosleep.u32 10;" * 3
        )
        with pytest.raises(harness.KernelFault, match=f"block {rank} of the cluster"):
            run(
                (gone if rank == "1" else "")
                + (f"L: bra.uni M; M: {SYNC}" if rank == "1" else "")
                + read.replace("%s", rank),
                2,
                32,
                cluster=(2, 1, 1),
            )
    with pytest.raises(harness.KernelFault, match="912"):
        run("", 3, 32, cluster=(2, 1, 1))
    with pytest.raises(harness.KernelFault, match="cluster's barrier"):
        run(
            "mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %c0, %r2, 1; setp.ge.and.u32 %c0, %t, 32, %c0;"
            "@%c0 bar.sync 1, 96; barrier.cluster.arrive; barrier.cluster.wait;",
            2,
            64,
            cluster=(2, 1, 1),
        )
