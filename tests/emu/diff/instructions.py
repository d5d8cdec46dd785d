"""The PTX instructions that are compared: one `Op` for each opcode with its modifiers and types.

`Op.text` is a format string: {d}, {e} are destinations, {a}, {b}, {c}, {f} sources. Kinds name both
the type (and so the register) and the values that fill.c makes for it.
"""

import itertools
from typing import NamedTuple


class Op(NamedTuple):
    """One instruction (or a short chain of them) from sources to destinations."""

    name: str
    text: str
    results: tuple
    sources: tuple
    tags: frozenset = frozenset()


INTS = ("u16", "s16", "u32", "s32", "u64", "s64")
WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
ROUND = ("rn", "rz", "rm", "rp")
HALVES = ("f16", "bf16", "f16x2", "bf16x2")
LETTERS = "abcf"


def op(name, results, sources, *tags, text=None):
    """The plain form: opcode, destinations, sources in order."""
    results = (results,) if isinstance(results, str) else tuple(results)
    sources = (sources,) if isinstance(sources, str) else tuple(sources)
    if text is None:
        d = "{d}" if len(results) == 1 else "{d}|{e}"
        text = f"{name} {', '.join([d, *('{' + x + '}' for x in LETTERS[: len(sources)])])};"
    return Op(name, text, results, sources, frozenset(tags))


def integer():
    """Integer arithmetic."""
    for t in INTS:
        for name in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield op(f"{name}.{t}", t, (t, t))
        for name in ("mad.lo", "mad.hi", "sad"):
            yield op(f"{name}.{t}", t, (t, t, t))
    for t in ("s16", "s32", "s64"):
        yield op(f"abs.{t}", t, t)
        yield op(f"neg.{t}", t, t)
    for t, w in WIDE.items():
        yield op(f"mul.wide.{t}", w, (t, t))
        yield op(f"mad.wide.{t}", w, (t, t, w))
    for name in ("add.sat.s32", "sub.sat.s32"):
        yield op(name, "s32", ("s32", "s32"))
    yield op("mad.hi.sat.s32", "s32", ("s32", "s32", "s32"))
    for half, t in itertools.product(("lo", "hi"), ("u32", "s32")):
        yield op(f"mul24.{half}.{t}", t, (t, t))
        yield op(f"mad24.{half}.{t}", t, (t, t, t))
    yield op("mad24.hi.sat.s32", "s32", ("s32", "s32", "s32"))
    for t in ("u16x2", "s16x2"):
        for name in ("add", "min", "max"):
            yield op(f"{name}.{t}", "b32", ("b32", "b32"))
    for x, y in itertools.product(("u32", "s32"), repeat=2):
        yield op(f"dp4a.{x}.{y}", "b32", ("b32", "b32", "b32"))
        for half in ("lo", "hi"):
            yield op(f"dp2a.{half}.{x}.{y}", "b32", ("b32", "b32", "b32"))


def carry():
    """Carry chains: the flag is set by one instruction and read by the next."""
    for t in ("u32", "s32", "u64", "s64"):
        b = "b" + t[1:]
        for first, second in (("add.cc", "addc"), ("sub.cc", "subc")):
            yield op(
                f"{first}.{t}",
                (b, b),
                (b, b),
                text=f"{first}.{t} {{d}}, {{a}}, {{b}}; {second}.{t} {{e}}, {{a}}, {{b}};",
            )
            yield op(
                f"{second}.cc.{t}",
                (b, b),
                (b, b, b),
                text=f"{first}.{t} {{d}}, {{a}}, {{b}}; {second}.cc.{t} {{d}}, {{b}}, {{c}};"
                f" addc.{t} {{e}}, {{c}}, {{a}};",
            )
        for first, second in itertools.product(
            ("mad.lo.cc", "mad.hi.cc", "madc.lo.cc", "madc.hi.cc"), ("madc.lo", "madc.hi", "addc")
        ):
            more = ", {c}" if second != "addc" else ""
            yield op(
                f"{first}.{t}+{second}",
                (b, b),
                (b, b, b),
                text=f"add.cc.{t} {{d}}, {{b}}, {{c}}; {first}.{t} {{d}}, {{a}}, {{b}}, {{c}};"
                f" {second}.{t} {{e}}, {{b}}, {{a}}{more};",
            )


def bits():
    """Logic, shifts and bit fields."""
    for t in ("b16", "b32", "b64"):
        for name in ("and", "or", "xor"):
            yield op(f"{name}.{t}", t, (t, t))
        yield op(f"not.{t}", t, t)
        yield op(f"cnot.{t}", t, t)
        yield op(f"shl.{t}", t, (t, "shift"))
    for t in INTS:
        yield op(f"shr.{t}", t, (t, "shift"))
    for name in ("and", "or", "xor"):
        yield op(f"{name}.pred", "pred", ("pred", "pred"))
    yield op("not.pred", "pred", "pred")
    for side, mode in itertools.product("lr", ("wrap", "clamp")):
        yield op(f"shf.{side}.{mode}.b32", "b32", ("b32", "b32", "shift"))
    for table in (0x00, 0x01, 0x1B, 0x3C, 0x6A, 0x80, 0x96, 0xCA, 0xE8, 0xF8, 0xFE, 0xFF):
        yield op(
            f"lop3.b32.{table:02x}",
            "b32",
            ("b32", "b32", "b32"),
            text=f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};",
        )
    for t in ("b32", "b64"):
        yield op(f"popc.{t}", "b32", t)
        yield op(f"clz.{t}", "b32", t)
        yield op(f"brev.{t}", t, t)
        yield op(f"bfi.{t}", t, (t, t, "shift", "shift"))
    for t in ("u32", "s32", "u64", "s64"):
        yield op(f"bfind.{t}", "u32", t)
        yield op(f"bfind.shiftamt.{t}", "u32", t)
        yield op(f"bfe.{t}", t, (t, "shift", "shift"))
    for mode in ("clamp", "wrap"):
        yield op(f"bmsk.{mode}.b32", "b32", ("shift", "shift"))
        for t in ("u32", "s32"):
            yield op(f"szext.{mode}.{t}", t, (t, "shift"))
    yield op("fns.b32", "b32", ("b32", "small", "s32"))
    yield op("prmt.b32", "b32", ("b32", "b32", "b32"))
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield op(f"prmt.b32.{mode}", "b32", ("b32", "b32", "shift"))


def video():
    """The SIMD-in-a-register and scalar video instructions."""
    parts = ("", ".b0", ".b3", ".h0", ".h1")
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d, x, y in itertools.product(("u32", "s32"), repeat=3):
            yield op(f"{name}.{d}.{x}.{y}", "b32", ("b32", "b32"), "video")
            yield op(f"{name}.{d}.{x}.{y}.sat", "b32", ("b32", "b32"), "video")
        for k, second in enumerate(("add", "min", "max")):
            p, q = parts[k + 1], parts[4 - k]
            yield op(
                f"{name}.s32.u32.s32.sat{p}{q}.{second}",
                "b32",
                ("b32", "b32", "b32"),
                "video",
                text=f"{name}.s32.u32.s32.sat.{second} {{d}}, {{a}}{p}, {{b}}{q}, {{c}};",
            )
    for name, mode in itertools.product(("vshl", "vshr"), ("clamp", "wrap")):
        for t in ("u32", "s32"):
            yield op(f"{name}.{t}.{t}.u32.{mode}", "b32", ("b32", "b32"), "video")
    for x, y in (("u32", "u32"), ("s32", "s32")):
        for more in ("", ".sat", ".shr7", ".shr15"):
            yield op(f"vmad.{x}.{x}.{y}{more}", "b32", ("b32", "b32", "b32"), "video")
    for cmp in ("eq", "lt", "ge"):
        yield op(f"vset.u32.s32.{cmp}", "b32", ("b32", "b32"), "video")
    for n in (2, 4):
        names = ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax")
        for name, x, y in itertools.product(names, ("u32", "s32"), ("u32", "s32")):
            for d, more in (("u32", ""), ("s32", ".sat"), ("s32", ".add")):
                sat = more if name != "vavrg" or more != ".sat" else ""
                yield op(f"{name}{n}.{d}.{x}.{y}{sat}", "b32", ("b32", "b32", "b32"), "video")
        for cmp in ("eq", "ne", "lt", "le", "gt", "ge"):
            for t in ("u32", "s32"):
                yield op(f"vset{n}.{t}.{t}.{cmp}", "b32", ("b32", "b32", "b32"), "video")


def floats():
    """f32 and f64 arithmetic with every rounding, .ftz and .sat."""
    for name, n in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("mad", 3)):
        for r, ftz, sat in itertools.product(ROUND, ("", ".ftz"), ("", ".sat")):
            yield op(f"{name}.{r}{ftz}{sat}.f32", "f32", ("f32",) * n)
        for r in ROUND:
            yield op(f"{name}.{r}.f64", "f64", ("f64",) * n)
    for name, n in (("div", 2), ("rcp", 1), ("sqrt", 1)):
        for r in ROUND:
            for ftz in ("", ".ftz"):
                yield op(f"{name}.{r}{ftz}.f32", "f32", ("f32",) * n)
            yield op(f"{name}.{r}.f64", "f64", ("f64",) * n)
    for name, n in (("neg", 1), ("abs", 1)):
        for ftz in ("", ".ftz"):
            yield op(f"{name}{ftz}.f32", "f32", ("f32",) * n)
        yield op(f"{name}.f64", "f64", ("f64",) * n)
    for name in ("min", "max"):
        for more in ("", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
            yield op(f"{name}{more}.f32", "f32", ("f32", "f32"))
        yield op(f"{name}.f64", "f64", ("f64", "f64"))
    for t in ("f32", "f64"):
        yield op(f"copysign.{t}", t, (t, t))
        for kind in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield op(f"testp.{kind}.{t}", "pred", t)


def approximate():
    """The functions of the hardware's tables; compared apart, in ulp."""
    for name, n in (("ex2", 1), ("lg2", 1), ("rcp", 1), ("rsqrt", 1), ("sqrt", 1), ("sin", 1),
                    ("cos", 1), ("div", 2)):  # fmt: skip
        for ftz in ("", ".ftz"):
            yield op(f"{name}.approx{ftz}.f32", "f32", ("f32",) * n, "approx")
    yield op("tanh.approx.f32", "f32", "f32", "approx")
    for ftz in ("", ".ftz"):
        yield op(f"div.full{ftz}.f32", "f32", ("f32", "f32"), "approx")
    yield op("rcp.approx.ftz.f64", "f64", "f64", "approx")
    yield op("rsqrt.approx.ftz.f64", "f64", "f64", "approx")
    yield op("rsqrt.approx.f64", "f64", "f64", "approx")
    yield op("ex2.approx.f16", "f16", "f16", "approx")
    yield op("ex2.approx.f16x2", "f16x2", "f16x2", "approx")
    yield op("ex2.approx.ftz.bf16", "bf16", "bf16", "approx")
    yield op("ex2.approx.ftz.bf16x2", "bf16x2", "bf16x2", "approx")
    for t in HALVES:
        yield op(f"tanh.approx.{t}", t, t, "approx")


def halves():
    """f16 and bf16, scalar and packed."""
    for t in HALVES:
        is_f16 = t.startswith("f16")
        for name in ("add", "sub", "mul"):
            yield op(f"{name}.rn.{t}", t, (t, t))
            if is_f16:
                yield op(f"{name}.rn.sat.{t}", t, (t, t))
                yield op(f"{name}.rn.ftz.{t}", t, (t, t))
                yield op(f"{name}.rn.ftz.sat.{t}", t, (t, t))
        for more in ("", ".relu", *((".ftz", ".sat", ".ftz.sat", ".ftz.relu") if is_f16 else ())):
            yield op(f"fma.rn{more}.{t}", t, (t, t, t))
        for name in ("neg", "abs"):
            yield op(f"{name}.{t}", t, t)
            if is_f16:
                yield op(f"{name}.ftz.{t}", t, t)
        for name in ("min", "max"):
            for more in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                yield op(f"{name}{more}.{t}", t, (t, t))
            if is_f16:
                yield op(f"{name}.ftz.{t}", t, (t, t))
                yield op(f"{name}.ftz.NaN.{t}", t, (t, t))


ORDERED = ("eq", "ne", "lt", "le", "gt", "ge")
FLOAT_ONLY = ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def comparisons():
    """setp, set, selp, slct."""
    cases = [(t, ORDERED) for t in INTS] + [(t, ORDERED[:2]) for t in ("b16", "b32", "b64")]
    cases += [(t, ("lo", "ls", "hi", "hs")) for t in ("u16", "u32", "u64")]
    cases += [(t, ORDERED + FLOAT_ONLY) for t in ("f32", "f64", "f16", "bf16")]
    for t, compares in cases:
        for k, cmp in enumerate(compares):
            yield op(f"setp.{cmp}.{t}", "pred", (t, t))
            both = ("and", "or", "xor")[k % 3]
            pair = ("pred", "pred") if t not in ("f16", "bf16") else "pred"
            yield op(f"setp.{cmp}.{both}.{t}", pair, (t, t, "pred"))
            if t in ("f32", "f16"):
                yield op(f"setp.{cmp}.ftz.{t}", "pred", (t, t))
            if t in ("bf16", "b16", "b64") or (t == "f16" and k % 3):
                continue
            for d in ("u32", "s32", "f32" if t != "f16" else "u16"):
                yield op(f"set.{cmp}.{d}.{t}", d, (t, t))
            yield op(
                f"set.{cmp}.{both}.u32.{t}",
                "u32",
                (t, t, "pred"),
                text=f"set.{cmp}.{both}.u32.{t} {{d}}, {{a}}, {{b}}, !{{c}};",
            )
    for t, x in itertools.product(("f16", "bf16"), ORDERED + FLOAT_ONLY):
        yield op(f"setp.{x}.{t}x2", ("pred", "pred"), (t + "x2", t + "x2"))
        yield op(f"set.{x}.{t}.{t}", t, (t, t))
        yield op(f"set.{x}.{t}x2.{t}x2", t + "x2", (t + "x2", t + "x2"))
        yield op(f"set.{x}.u32.{t}x2", "u32", (t + "x2", t + "x2"))
    for t in ("b16", "b32", "b64", "f32", "f64"):
        yield op(f"selp.{t}", t, (t, t, "pred"))
        yield op(f"slct.{t}.s32", t, (t, t, "s32"))
        yield op(f"slct.{t}.f32", t, (t, t, "f32"))
        yield op(f"slct.ftz.{t}.f32", t, (t, t, "f32"))


BYTES = ("u8", "s8")
ALL_INTS = ("u8", "s8", *INTS)
ALL_FLOATS = ("f16", "bf16", "f32", "f64")


def fits(source, result):
    """Whether an integer type holds all values of another."""
    more = int(result[1:]) - int(source[1:])
    return more >= 0 if source[0] == result[0] else source[0] == "u" and more > 0


def conversions():
    """cvt between all pairs, all roundings."""
    for d, s in itertools.product(ALL_INTS, ALL_INTS):
        yield op(f"cvt.{d}.{s}", d, s)
        if not fits(s, d):
            yield op(f"cvt.sat.{d}.{s}", d, s)
    for d, s, r in itertools.product(ALL_FLOATS, ALL_INTS, ROUND):
        if d == "bf16" and s in BYTES:
            continue
        yield op(f"cvt.{r}.{d}.{s}", d, s)
        if d in ("f32", "f64") and r == "rn":
            yield op(f"cvt.{r}.sat.{d}.{s}", d, s)
    for d, s, r in itertools.product(ALL_INTS, ALL_FLOATS, ROUND):
        if s == "bf16" and d in BYTES:
            continue
        yield op(f"cvt.{r}i.{d}.{s}", d, s)
        if r == "rz" and s != "bf16":
            yield op(f"cvt.{r}i.sat.{d}.{s}", d, s)
        if s == "f32":
            yield op(f"cvt.{r}i.ftz.{d}.{s}", d, s)
    for t in ("f16", "bf16", "f32", "f64"):
        for r in ROUND:
            yield op(f"cvt.{r}i.{t}.{t}", t, t)
        if t != "bf16":
            yield op(f"cvt.rzi.sat.{t}.{t}", t, t)
    yield op("cvt.rni.ftz.f32.f32", "f32", "f32")
    for more in ("sat", "ftz", "ftz.sat"):
        yield op(f"cvt.{more}.f32.f32", "f32", "f32")
    yield op("cvt.sat.f64.f64", "f64", "f64")
    yield op("cvt.f32.f16", "f32", "f16")
    yield op("cvt.ftz.f32.f16", "f32", "f16")
    yield op("cvt.sat.f32.f16", "f32", "f16")
    yield op("cvt.f64.f16", "f64", "f16")
    yield op("cvt.f32.bf16", "f32", "bf16")
    yield op("cvt.f64.bf16", "f64", "bf16")
    yield op("cvt.f64.f32", "f64", "f32")
    yield op("cvt.ftz.f64.f32", "f64", "f32")
    yield op("cvt.sat.f64.f32", "f64", "f32")
    for r in ROUND:
        yield op(f"cvt.{r}.f32.f64", "f32", "f64")
        yield op(f"cvt.{r}.ftz.f32.f64", "f32", "f64")
        yield op(f"cvt.{r}.sat.f32.f64", "f32", "f64")
        for d in ("f16", "bf16"):
            yield op(f"cvt.{r}.{d}.f64", d, "f64")
            yield op(f"cvt.{r}.{d}.f32", d, "f32")
    for d, s in (("f16", "bf16"), ("bf16", "f16")):
        yield op(f"cvt.rn.{d}.{s}", d, s)
    for d, r, relu in itertools.product(("f16", "bf16"), ("rn", "rz"), ("", ".relu")):
        yield op(f"cvt.{r}{relu}.{d}.f32", d, "f32")
        yield op(f"cvt.{r}{relu}.{d}x2.f32", d + "x2", ("f32", "f32"))
    yield op("cvt.rna.tf32.f32", "b32", "f32")
    for d, relu in itertools.product(("e4m3x2", "e5m2x2"), ("", ".relu")):
        yield op(f"cvt.rn.satfinite{relu}.{d}.f32", "b16", ("f32", "f32"))
        yield op(f"cvt.rn.satfinite{relu}.{d}.f16x2", "b16", "f16x2")
        yield op(f"cvt.rn{relu}.f16x2.{d}", "f16x2", "b16")


def packing():
    """Moves between a register and its parts."""
    for n, (whole, part) in ((2, ("b32", "b16")), (2, ("b64", "b32")), (4, ("b64", "b16"))):
        letters = LETTERS[:n]
        vector = ", ".join("{" + x + "}" for x in letters)
        yield op(
            f"pack{n}.{whole}", whole, (part,) * n, text=f"mov.{whole} {{d}}, {{{{{vector}}}}};"
        )
        if n == 2:
            text = f"mov.{whole} {{{{{{d}}, {{e}}}}}}, {{a}};"
            yield op(f"unpack{n}.{whole}", (part, part), whole, text=text)
    yield op(
        "pack2.b16",
        "b16",
        ("b16", "b16"),
        text="{{ .reg .b8 %w0, %w1; cvt.u8.u16 %w0, {a}; cvt.s8.s16 %w1, {b};"
        " mov.b16 {d}, {{%w0, %w1}}; }}",
    )


def warp():
    """Shuffles, votes, matches and reductions of full and partial warps."""
    for mode in ("up", "down", "bfly", "idx"):
        yield op(
            f"shfl.sync.{mode}.b32",
            ("b32", "pred"),
            ("b32", "lane", "shift"),
            "warp",
            text=f"shfl.sync.{mode}.b32 {{d}}|{{e}}, {{a}}, {{b}}, {{c}}, -1;",
        )
        for width in (0x1F, 0x181F, 0x1C03, 0x0008, 0):
            yield op(
                f"shfl.sync.{mode}.b32.{width:x}",
                ("b32", "pred"),
                ("b32", "lane"),
                "warp",
                text=f"shfl.sync.{mode}.b32 {{d}}|{{e}}, {{a}}, {{b}}, {width}, -1;",
            )
    lanes = "mov.u32 %w0, %laneid; setp.{} %w1, %w0, {};"
    for mode in ("all", "any", "uni"):
        yield op(
            f"vote.sync.{mode}.pred",
            ("pred", "pred"),
            ("pred", "few"),
            "warp",
            text=f"vote.sync.{mode}.pred {{d}}, {{a}}, -1; setp.eq.u32 {{e}}, {{b}}, -1;"
            f" vote.sync.{mode}.pred {{e}}, {{e}}, -1;",
        )
        yield op(
            f"vote.sync.{mode}.not",
            "pred",
            "small",
            "warp",
            text=f"setp.ne.u32 {{d}}, {{a}}, 3; vote.sync.{mode}.pred {{d}}, !{{d}}, -1;",
        )
    yield op("vote.sync.ballot.b32", "b32", "pred", "warp", text="vote.sync.ballot.b32 {d}, {a}, -1;")  # fmt: skip
    for t, kind in (("b32", "few"), ("b64", "few64")):
        yield op(f"match.any.sync.{t}", "b32", kind, "warp", text=f"match.any.sync.{t} {{d}}, {{a}}, -1;")  # fmt: skip
        yield op(
            f"match.all.sync.{t}",
            ("b32", "pred"),
            kind,
            "warp",
            text=f"match.all.sync.{t} {{d}}|{{e}}, {{a}}, -1;",
        )
    for name, t in itertools.product(("add", "min", "max"), ("u32", "s32")):
        yield op(f"redux.sync.{name}.{t}", t, t, "warp", text=f"redux.sync.{name}.{t} {{d}}, {{a}}, -1;")  # fmt: skip
    for name in ("and", "or", "xor"):
        yield op(f"redux.sync.{name}.b32", "b32", "b32", "warp", text=f"redux.sync.{name}.b32 {{d}}, {{a}}, -1;")  # fmt: skip
    yield op("elect.sync", ("b32", "pred"), "b32", "warp", text="elect.sync {d}|{e}, -1;")
    # a part of the warp: the lanes of the mask take the branch, the others keep their operand
    part = {
        "shfl.sync.idx.b32": "and.b32 %w0, %w0, 14; shfl.sync.idx.b32 {d}, {a}, %w0, 31, {m};",
        "shfl.sync.bfly.b32": "shfl.sync.bfly.b32 {d}, {a}, 8, 31, {m};",
        "vote.sync.ballot.b32": "setp.gt.s32 %w2, {a}, 5; vote.sync.ballot.b32 {d}, %w2, {m};",
        "match.any.sync.b32": "and.b32 {d}, {a}, 3; match.any.sync.b32 {d}, {d}, {m};",
        "redux.sync.add.s32": "redux.sync.add.s32 {d}, {a}, {m};",
        "redux.sync.max.u32": "redux.sync.max.u32 {d}, {a}, {m};",
        "redux.sync.xor.b32": "redux.sync.xor.b32 {d}, {a}, {m};",
        "activemask.b32": "bar.warp.sync {m}; mov.b32 {d}, {m};",
    }
    masks = {"low16": ("lt.u32", 16, 0xFFFF), "even": ("", 0, 0x55555555)}
    for name, code in part.items():
        for label, (cmp, limit, mask) in masks.items():
            test = lanes.format(cmp, limit) if cmp else (
                "mov.u32 %w0, %laneid; and.b32 %w3, %w0, 1; setp.eq.u32 %w1, %w3, 0;"
            )  # fmt: skip
            body = code.replace("{m}", f"0x{mask:x}")
            yield op(
                f"{name}.{label}",
                "b32",
                "b32",
                "warp",
                text="{{ .reg .b32 %w0, %w3; .reg .pred %w1, %w2;"
                + f" {test} mov.b32 {{d}}, {{a}}; @!%w1 bra SKIP; {body}\nSKIP: }}}}",
            )


ATOMS = (
    ("add", ("u32", "s32", "u64", "f32", "f64", "f16x2", "bf16x2", "f16", "bf16")),
    ("min", ("u32", "s32", "u64", "s64")),
    ("max", ("u32", "s32", "u64", "s64")),
    ("and", ("b32", "b64")),
    ("or", ("b32", "b64")),
    ("xor", ("b32", "b64")),
    ("exch", ("b32", "b64")),
    ("inc", ("u32",)),
    ("dec", ("u32",)),
    ("cas", ("b16", "b32", "b64")),
)


def atomics():
    """Old and new value of a cell of each thread's own, in global and shared memory."""
    size = {"16": 2, "32": 4, "64": 8}
    for name, types in ATOMS:
        for t, space in itertools.product(types, ("global", "shared")):
            digits = "32" if t.endswith("x2") else t[-2:]
            noftz = ".noftz" if t in ("f16", "bf16", "f16x2", "bf16x2") else ""
            code = f"atom.{space}.{name}{noftz}.{t}"
            more = ", {c}" if name == "cas" else ""
            n = size[digits]
            if space == "shared":
                cell = (
                    f"{{{{ .shared .align 8 .b8 cells[{256 * n}]; .reg .b32 %w0, %w1;"
                    f" mov.u32 %w0, %tid.x; mov.u32 %w1, cells; mad.lo.u32 %w0, %w0, {n}, %w1;"
                    f" st.shared.b{digits} [%w0], {{a}};"
                    f" {code} {{d}}, [%w0], {{b}}{more}; ld.shared.b{digits} {{e}}, [%w0]; }}}}"
                )
            else:
                cell = (
                    "{{ .reg .b64 %w0;"
                    f" mad.wide.u32 %w0, %t0, {n}, %cells; st.global.b{digits} [%w0], {{a}};"
                    f" {code} {{d}}, [%w0], {{b}}{more}; ld.global.b{digits} {{e}}, [%w0]; }}}}"
                )
            sources = (t, t, t) if name == "cas" else (t, t)
            yield op(code, (t, t), sources, "cells", text=cell)
    for t in ("u32", "s32", "f32", "f64", "u64"):
        n = size[t[-2:]]
        code = f"red.global.add.{t}"
        yield op(
            code, t, (t, t), "cells",
            text=f"{{{{ .reg .b64 %w0; mad.wide.u32 %w0, %t0, {n}, %cells;"
            f" st.global.b{t[-2:]} [%w0], {{a}}; {code} [%w0], {{b}};"
            f" ld.global.b{t[-2:]} {{d}}, [%w0]; }}}}",
        )  # fmt: skip


FAMILIES = (
    integer, carry, bits, video, floats, approximate, halves, comparisons, conversions, packing,
    warp, atomics,
)  # fmt: skip


def every_op():
    """All of them, by name."""
    found = {}
    for family in FAMILIES:
        for o in family():
            found.setdefault(o.name, o)
    return list(found.values())
