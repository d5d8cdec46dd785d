"""Bundles of one kernel for each instruction: operands from memory, the instruction, results back."""

import argparse
import re
from pathlib import Path

import instructions

HEADER = ".version 8.3\n.target sm_90\n.address_size 64\n"
SHORT = {
    "pred": "pred",
    "shift": "b32",
    "lane": "b32",
    "few": "b32",
    "small": "b32",
    "few64": "b64",
}
FILLED_AS = {  # types whose values are plain integers
    **{f"{k}{n}": f"b{n}" for k in "us" for n in (8, 16, 32, 64)},
}
ELEMENTS = 8192
BLOCK = 256


def width(kind):
    """Bits in memory; a predicate is a byte."""
    kind = SHORT.get(kind, kind)
    if kind == "pred":
        return 8
    if kind.endswith("x2"):
        return 32
    return int(re.search(r"\d+$", kind.replace("tf32", "b32"))[0])


def register(kind):
    """The register class of a kind."""
    return "pred" if kind == "pred" else f"b{max(width(kind), 16)}"


def load(kind, name, address):
    """Lines that load one element."""
    if kind == "pred":
        return f"ld.global.u8 %t2, [{address}]; setp.ne.u32 {name}, %t2, 0;"
    signed = "s" if kind == "s8" else "u" if width(kind) == 8 else "b"
    return f"ld.global.{signed}{width(kind)} {name}, [{address}];"


def store(kind, name, address):
    """Lines that store one element."""
    if kind == "pred":
        return f"selp.u32 %t2, 1, 0, {name}; st.global.u8 [{address}], %t2;"
    # the whole register of an 8-bit result: it must be extended
    bits = max(width(kind), 16)
    return f"st.global.b{bits} [{address}], {name};"


def kernel(o, name):
    """PTX of the kernel for an Op."""
    names = {}
    regs, body = [], []
    cells = "cells" in o.tags
    count = len(o.results) + len(o.sources) + cells
    params = ", ".join(f".param .u64 p{i}" for i in range(count))
    places = [
        *zip("de", o.results, strict=False),
        *zip(instructions.LETTERS, o.sources, strict=False),
    ]
    for i, (letter, kind) in enumerate(places):
        names[letter] = f"%{letter}"
        regs.append(f".reg .{register(kind)} %{letter};")
        size = 2 if kind in ("u8", "s8") and letter in "de" else width(kind) // 8
        body.append(f"ld.param.u64 %a{i}, [p{i}]; mad.wide.u32 %a{i}, %t0, {size}, %a{i};")
        if letter not in "de":
            body.append(load(kind, names[letter], f"%a{i}"))
    if cells:
        body.append(f"ld.param.u64 %cells, [p{count - 1}];")
    body.append(o.text.format(**names))
    for i, (letter, kind) in enumerate(places[: len(o.results)]):
        body.append(store(kind, names[letter], f"%a{i}"))
    lines = [
        f".visible .entry {name}({params})",
        "{",
        f".reg .b64 %a<{count + 1}>, %cells; .reg .b32 %t<3>;",
        *regs,
        "mov.u32 %t1, %ctaid.x; mov.u32 %t2, %ntid.x; mov.u32 %t0, %tid.x;",
        "mad.lo.u32 %t0, %t1, %t2, %t0;",
        *body,
        "ret;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def case(o, name, seed, count=ELEMENTS, every=None):
    """The case of a kernel; `every` replaces the first source's kind by a sweep."""
    lines = [f"case {o.name} {name} {count // BLOCK},1,1 {BLOCK},1,1 0"]
    for kind in o.results:
        shown = {"u8": "b16", "s8": "b16"}.get(kind, FILLED_AS.get(kind, SHORT.get(kind, kind)))
        role = "approx" if "approx" in o.tags else "out"
        lines.append(f"{role} {shown} {count}")
    for k, kind in enumerate(o.sources):
        shown = every if every and k == 0 else FILLED_AS.get(kind, kind)
        lines.append(f"in {shown} {count} {seed} {k}")
    if "cells" in o.tags:
        lines.append(f"out b64 {count}")
    return "\n".join([*lines, "end"]) + "\n"


def bundle(ops, seed=1):
    """One module and its cases. Unary operations of 16 bits run over all values."""
    ptx, cases = HEADER, ""
    for i, o in enumerate(ops):
        ptx += kernel(o, f"k{i}")
        full = len(o.sources) == 1 and width(o.sources[0]) <= 16 and o.sources[0] != "pred"
        if full and "warp" not in o.tags:
            every = "all16" if width(o.sources[0]) == 16 else None
            cases += case(o, f"k{i}", seed, 65536, every)
        else:
            cases += case(o, f"k{i}", seed)
    return f"ptx {len(ptx)}\n{ptx}{cases}"


def main():
    """Write bundles of all instructions into a folder, a few modules in each."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--modules", type=int, default=48)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    ops = [o for o in instructions.every_op() if re.search(args.only, o.name)]
    args.folder.mkdir(parents=True, exist_ok=True)
    step = -(-len(ops) // args.modules)
    for i in range(0, len(ops), step):
        path = args.folder / f"ops{i // step:03}.bundle"
        path.write_text(bundle(ops[i : i + step]))


if __name__ == "__main__":
    main()
