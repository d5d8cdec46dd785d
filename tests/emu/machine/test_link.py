"""Several texts as one module: names that texts share and names they keep, aliases."""

import harness
import numpy as np
import pytest

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
FIRST = (
    HEADER
    + """
.extern .global .align 4 .u32 common;
.extern .func (.param .b32 r) other(.param .b32 a);
.global .align 4 .u32 kept = 5;
.weak .global .align 4 .u32 soft = 70;
.func (.param .b32 r) helper(.param .b32 a)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 100; st.param.b32 [r], %r2; ret; }
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<9>; .reg .b64 %a;
    ld.param.u64 %a, [p]; mov.u32 %r1, 1;
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), helper, (x);
      ld.param.b32 %r2, [y]; }
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), other, (x);
      ld.param.b32 %r3, [y]; }
    ld.global.u32 %r4, [kept]; ld.global.u32 %r5, [common]; ld.global.u32 %r6, [soft];
    st.global.v4.u32 [%a], {%r2, %r3, %r4, %r5}; st.global.u32 [%a+16], %r6; ret;
}
"""
)
SECOND = (
    HEADER
    + """
.visible .global .align 4 .u32 common = 9;
.global .align 4 .u32 kept = 6;
.weak .global .align 4 .u32 soft = 71;
.func (.param .b32 r) helper(.param .b32 b)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [b]; add.u32 %r2, %r1, 2000; st.param.b32 [r], %r2; ret; }
.visible .func (.param .b32 r) other(.param .b32 a)
{ .reg .b32 %r<4>; ld.param.u32 %r1, [a];
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), helper, (x); ld.param.b32 %r2, [y]; }
  ld.global.u32 %r3, [kept]; mad.lo.u32 %r2, %r3, 10000, %r2; st.param.b32 [r], %r2; ret; }
"""
)


@pytest.mark.parametrize("texts", ((FIRST, SECOND), (SECOND, FIRST)))
def test_two_texts(texts):
    """`helper` and `kept` exist twice; `other` and `common` are found in the other text."""
    module = harness.Module("\n".join(texts))
    out = harness.Buffer(np.zeros(5, "u4"))
    module.launch("k", 1, 1, out)
    soft = 70 if texts[0] is FIRST else 71
    assert list(out.array[:4]) == [101, 62001, 5, 9] and out.array[4] in (soft, 70, 71)


def test_missing():
    module = harness.Module(FIRST)
    with pytest.raises(harness.KernelFault, match="unresolved extern"):
        module.launch("k", 1, 1, harness.Buffer(np.zeros(5, "u4")))


def test_twice():
    with pytest.raises(RuntimeError, match="defined twice"):
        harness.Module(SECOND + SECOND)


def test_alias():
    text = (
        HEADER
        + """
.visible .func (.param .b32 r) plain(.param .b32 a)
{ .reg .b32 %r<3>; ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 7; st.param.b32 [r], %r2; ret; }
.visible .func (.param .b32 q) same(.param .b32 z);
.alias same, plain;
.visible .entry k(.param .u64 p)
{ .reg .b32 %r<4>; .reg .b64 %a; ld.param.u64 %a, [p]; mov.u32 %r1, 3;
  { .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call (y), same, (x); ld.param.b32 %r2, [y]; }
  st.global.u32 [%a], %r2; ret; }
"""
    )
    out = harness.Buffer(np.zeros(1, "u4"))
    harness.Module(text).launch("k", 1, 1, out)
    assert out.array[0] == 10
