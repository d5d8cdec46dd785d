"""Functions with very many virtual registers."""

import time

import harness
import numpy as np
import pytest

HEADER = ".version 8.3\n.target sm_90\n.address_size 64\n"


@pytest.fixture(params=(0, 2), autouse=True)
def level(request):
    """Plain rows, and everything tracked."""
    harness.library().stub_optimise(request.param)
    yield
    harness.library().stub_optimise(2)


def run(body, registers, out, block=32):
    text = f"""{HEADER}.visible .entry k(.param .u64 q0) {{
        .reg .b64 %p; .reg .b32 %r<{registers}>; .reg .pred %c;
        ld.param.u64 %p, [q0]; mov.u32 %r0, %tid.x; {body}
        mad.wide.u32 %p, %r0, 4, %p; st.global.b32 [%p], %r{registers - 1}; ret; }}"""
    module = harness.Module(text)
    module.launch("k", 1, block, out)
    module.close()


@pytest.mark.parametrize("registers", (33001, 70000))
def test_a_chain(registers):
    """Each register is made of the one before."""
    out = harness.Buffer(np.zeros(32, "u4"))
    body = "".join(f"add.u32 %r{i}, %r{i - 1}, 1;\n" for i in range(1, registers))
    run(body, registers, out)
    assert (out.array == np.arange(32) + registers - 1).all()


def test_many_alive_at_once():
    """40,000 values that all live until the end, over a branch."""
    n, out = 40000, harness.Buffer(np.zeros(32, "u4"))
    body = "".join(f"add.u32 %r{i}, %r0, {i};\n" for i in range(1, n))
    body += (
        f"setp.lt.u32 %c, %r0, 16; mov.u32 %r{n}, 0; @%c bra NEXT; add.u32 %r1, %r1, 100; NEXT:\n"
    )
    body += "".join(f"add.u32 %r{n}, %r{n}, %r{i};\n" for i in range(1, n))
    run(body, n + 1, out)
    t = np.arange(32, dtype="u8")
    want = (n - 1) * t + n * (n - 1) // 2 + np.where(t < 16, 0, 100)
    assert (out.array == (want % 2**32).astype("u4")).all()


def test_only_mentioned():
    """A wide declaration costs nothing by itself; more than a million is refused."""
    out = harness.Buffer(np.zeros(32, "u4"))
    run("mov.u32 %r999999, 7;", 1000000, out)
    assert (out.array == 7).all()
    with pytest.raises(RuntimeError, match="register"):
        run("", 2000000, out)


def test_many_blocks():
    """Branches and registers by the thousand are decoded in a moment."""
    n, out = 4000, harness.Buffer(np.zeros(32, "u4"))
    body = "mov.u32 %r1, 0;"
    for i in range(2, n):
        body += f"setp.eq.u32 %c, %r0, {i}; @%c bra L{i}; add.u32 %r{i + n}, %r{i - 1}, 1;"
        body += f"mov.u32 %r{i}, %r{i + n}; bra M{i}; L{i}: mov.u32 %r{i}, %r{i - 1}; M{i}:\n"
    begin = time.process_time()
    run(body + f"mov.u32 %r{2 * n}, %r{n - 1};", 2 * n + 1, out)
    assert time.process_time() - begin < 20
    assert (out.array == n - 2 - (np.arange(32) >= 2)).all()
