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
    assert list(out.array) == [101, 62001, 5, 9, 70 if texts[0] is FIRST else 71]


def test_each_text_has_its_own_version():
    """shfl without .sync is of old texts; a newer one beside them does not forbid it."""
    old = """.version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 p) {
        .reg .b32 r<3>; .reg .b64 a; ld.param.u64 a, [p]; mov.u32 r0, %tid.x;
        shfl.idx.b32 r1, r0, 3, 31; mad.wide.u32 a, r0, 4, a; st.global.u32 [a], r1; ret; }\n"""
    new = HEADER + ".visible .entry other() { ret; }\n"
    for text in (old + new, new + old):
        out = harness.Buffer(np.zeros(32, "u4"))
        harness.Module(text).launch("k", 1, 32, out)
        assert (out.array == 3).all()
    with pytest.raises(harness.KernelFault, match="without .sync"):
        harness.Module(new + old.replace("6.0", "8.0").replace("sm_60", "sm_90")).launch("k", 1, 32)


def test_missing():
    module = harness.Module(FIRST)
    with pytest.raises(harness.KernelFault, match="unresolved extern"):
        module.launch("k", 1, 1, harness.Buffer(np.zeros(5, "u4")))


def test_twice():
    with pytest.raises(RuntimeError, match="defined twice"):
        harness.Module(SECOND + SECOND)


READER = """
.visible .entry k(.param .u64 p)
{ .reg .b32 %r<3>; .reg .b64 %a; ld.param.u64 %a, [p]; ld.global.u32 %r1, [name];
  ld.global.u32 %r2, [name+4]; st.global.v2.u32 [%a], {%r1, %r2}; ret; }
"""
VARIABLES = {
    "extern": ".extern .global .align 4 .b8 name[8];",
    "weak": ".weak .global .align 4 .u32 name[2] = {1, 2};",
    "common": ".common .global .align 4 .u32 name[2];",
    "strong": ".visible .global .align 4 .u32 name[2] = {3, 4};",
}
WINNERS = {
    ("extern", "weak"): [1, 2],
    ("extern", "common"): [0, 0],
    ("extern", "strong"): [3, 4],
    ("weak", "common"): [0, 0],
    ("weak", "strong"): [3, 4],
    ("common", "strong"): [3, 4],
}


@pytest.mark.parametrize("back", (0, 1))
@pytest.mark.parametrize("pair", WINNERS)
def test_linkage_of_variables(pair, back):
    first, second = (VARIABLES[x] for x in (pair[::-1] if back else pair))
    out = harness.Buffer(np.full(2, 99, "u4"))
    harness.Module(HEADER + first + READER + HEADER + second).launch("k", 1, 1, out)
    assert list(out.array) == WINNERS[pair]


def test_variables_defined_twice():
    text = HEADER + VARIABLES["strong"]
    with pytest.raises(RuntimeError, match="variable defined twice"):
        harness.Module(text + READER + text)
    weak = HEADER + VARIABLES["weak"]
    out = harness.Buffer(np.zeros(2, "u4"))
    harness.Module(weak + READER + weak.replace("{1, 2}", "{7, 8}")).launch("k", 1, 1, out)
    assert list(out.array) == [1, 2]


def test_the_larger_common_variable_stays():
    small = HEADER + ".common .global .align 4 .u32 name[1];" + READER
    large = HEADER + VARIABLES["common"].replace("[2]", "[1024]")
    large += READER.replace("entry k(", "entry far(").replace("[name+4]", "[name+4092]")
    for text in (small + large, large + small):
        out = harness.Buffer(np.full(2, 5, "u4"))
        module = harness.Module(text)
        module.launch("far", 1, 1, out)
        module.launch("k", 1, 1, out)
        assert list(out.array) == [0, 0]


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
