"""The loops of every instruction set give the same bits; mutated texts never crash the decoder."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import harness
import numpy as np
import ops
import pytest

LINES = {
    "ex2.approx.ftz.f32 %d, %s0;": ("f32", "f4"),
    "lg2.approx.f32 %d, %s0;": ("f32", "f4"),
    "sin.approx.f32 %d, %s0;": ("f32", "f4"),
    "tanh.approx.f32 %d, %s0;": ("f32", "f4"),
    "fma.rm.f32 %d, %s0, %s0, %s0;": ("f32", "f4"),
    "fma.rn.f64 %d, %s0, %s0, %s0;": ("f64", "f8"),
    "div.rp.f32 %d, %s0, %s0;": ("f32", "f4"),
    "cvt.rni.s32.f32 %d, %s0;": ("f32", "f4"),
    "cvt.rzi.u64.f64 %d, %s0;": ("f64", "f8"),
    "cvt.rz.f32.u64 %t2, %s0; mov.b64 %d, {%t2, %t2};": ("u64", "u8"),
    "mul.hi.s64 %d, %s0, %s0;": ("s64", "i8"),
    "rem.u32 %d, %s0, 77;": ("u32", "u4"),
}


def digest():
    """A hash of the results of all lines."""
    h = hashlib.sha256()
    for line, (kind, dtype) in LINES.items():
        a = ops.corners(dtype, seed=3)
        h.update(ops.run(line, (kind, f"u{a.itemsize}"), (kind,), a).tobytes())
    return h.hexdigest()


@pytest.mark.parametrize("isa", (2, 3))
def test_instruction_sets_agree(isa):
    text = "import test_robust; print(test_robust.digest())"
    folder = Path(__file__).parent
    env = dict(os.environ, GPUNP_EMU_ISA=str(isa), PYTHONPATH=str(folder))
    done = subprocess.run(
        [sys.executable, "-c", text], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest()


SEED_TEXT = """.version 8.0
.target sm_90
.address_size 64
.global .align 8 .b8 table[16] = {1, 2, 3, 4};
.global .align 8 .u64 where = generic(table)+8;
.func (.param .b32 out) twice(.param .b32 in)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [in+0];
    add.s32 %r2, %r1, %r1;
    st.param.b32 [out+0], %r2;
    ret;
}
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<5>;
    .shared .align 4 .b8 s[64];
    .local .align 8 .b8 l[32];
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1|%p2, %r1, 40;
    @%p1 bra DONE;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    ld.global.v2.u32 {%r2, _}, [%rd2+-8];
    { .reg .b32 %x; mov.b64 {%r3, %x}, %rd2; }
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), twice, (a);
      ld.param.b32 %r4, [b]; }
    shfl.sync.down.b32 %r5|%p2, %r4, 1, 31, -1;
    atom.global.add.u32 %r6, [table+4], %r5;
LOOP:
    add.s32 %r6, %r6, -1;
    setp.gt.s32 %p1, %r6, 0;
    @%p1 bra LOOP;
    bar.sync 0;
    st.shared.u32 [s+4], %r6;
DONE:
    ret;
}
"""
WORDS = (
    ".reg .b32 { } ; , [ ] ( ) .v4 add.s32 ld.global.u32 call @%p1 bra 0f3F800000 - + .param "
    '.local .shared 99999999999 .align " // /* %tid.x _ | ! mov.b64 x: .entry .func < >'
)


def mutate(text, rng):
    """A text with one to four small changes."""
    for _ in range(rng.randint(1, 4)):
        text = text or " "
        i = rng.randrange(len(text))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:i] + text[i + rng.randint(1, 20) :]
        elif kind == 1:
            text = text[:i] + rng.choice(WORDS.split()) + text[i:]
        elif kind == 2:
            text = text[:i] + chr(rng.randint(1, 126)) + text[i + 1 :]
        elif kind == 3:
            j = rng.randrange(len(text))
            text = text[:i] + text[j : j + rng.randint(1, 60)] + text[i:]
        else:
            text = text[:i]
    return text


def test_mutated_texts():
    """Refused or decoded, but nothing else; the unchanged text is fine."""
    rng = random.Random(7)
    names = harness.Module(SEED_TEXT).names()
    assert names == ["k"]
    accepted = 0
    for _ in range(1500):
        try:
            m = harness.Module(mutate(SEED_TEXT, rng))
        except RuntimeError:
            continue
        accepted += sum(name is not None for name in m.names())
        m.close()
    assert accepted > 10


def test_constants_and_empty_blocks():
    """Rows of constants survive from block to block."""
    a = np.arange(256, dtype="u4")
    got = ops.run("mul.lo.u32 %d, %s0, 3; add.u32 %d, %d, 7;", ("u32", "u4"), ("u32",), a, block=32)
    assert (got == 3 * a + 7).all()


def test_predicates_are_zero_or_one():
    """`mov.pred p, -1` is true, and its negation false."""
    a = np.arange(64, dtype="u4")
    line = (
        "mov.pred %q1, -1; not.pred %q2, %q1; setp.lt.u32 %q0, %s0, 10; "
        "@%q0 xor.pred %q2, %q1, %q2; mov.pred %d, %q2;"
    )
    got = ops.run(line, ("pred", "u1"), ("u32",), a)
    assert (got == (a < 10)).all()
