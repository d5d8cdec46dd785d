"""How register and offset add up in an address: one kernel for each space, instruction, width and offset.

    addresses.py LIBRARY [--write]

runs them on a driver library and prints the rows that differ from their reference; --write keeps the results.

Each kernel reaches a place in memory as [base + offset], where the base is that place less the offset, and so
may lie below the variable, below zero or far above. A row belongs to a reference, the same kernel with the
offset 0: when the device adds as csrc/emu/exec/exec.h says (emu_space_wraps), both give the same words.
tests/emu/golden/addresses.txt is what a device gave, row by row: name, status, hash.
"""

import argparse
import functools
import itertools
import sys
import tempfile
from pathlib import Path

import compare

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "addresses.txt"
HEADER = ".version 8.3\n.target sm_90\n.address_size 64\n"
PLACE = 256  # of a kernel's target in its 1024 bytes
WORDS = 24  # 64-bit parameters behind the first three
OFFSETS = (0, 528, -528, 16777216, -16777216, 2147483632, -2147483632)
# how the lanes' bases differ: all the same, an arithmetic progression, neither, and only odd lanes
LANES = ("one", "line", "mixed", "half")


def start(space):
    """Lines that put 1024 bytes of the input into the space; %s is their address there."""
    if space == "shared":
        return "mov.u64 %s, words;" + fill("shared")
    if space == "local":
        return "mov.u64 %s, own;" + fill("local")
    if space == "const":
        return "mov.u64 %s, table;"
    if space == "param":
        return "mov.b64 %s, p0;"
    if space == "global":
        return "mov.u64 %s, %in;"
    inner = space.split()[1]
    if inner == "global":
        return "mov.u64 %s, %in;"
    name = "words" if inner == "shared" else "own"
    return f"mov.u64 %s, {name}; {fill(inner)} cvta.{inner}.u64 %s, %s;"


def fill(space):
    """Copies the input there: the whole for each thread's own memory, else each thread its part."""
    lines = ["mov.u32 %i, 0;" if space == "local" else "mul.lo.u32 %i, %t, 32;", "mov.u32 %n, 0;"]
    lines.append(f"$fill: cvt.u64.u32 %w, %i; add.u64 %w, %in, %w; ld.global.b32 %v, [%w];"
                 f" add.u32 %j, %i, %s32; st.{space}.b32 [%j], %v;"
                 f" add.u32 %i, %i, 4; add.u32 %n, %n, 1;"
                 f" setp.lt.u32 %p, %n, {256 if space == 'local' else 8}; @%p bra $fill;"
                 " bar.sync 0;")  # fmt: skip
    return "cvt.u32.u64 %s32, %s; " + " ".join(lines)


# name: (spaces, lines); {a} is the address in brackets, results in %r0 to %r3
INSTRUCTIONS = {
    "ld.b32": "ld{sp}.b32 %r0, {a};",
    "ld.b64": "ld{sp}.b64 %w, {a}; mov.b64 {{%r0, %r1}}, %w;",
    "ld.v4": "ld{sp}.v4.b32 {{%r0, %r1, %r2, %r3}}, {a};",
    "ld.volatile": "ld.volatile{sp}.b32 %r0, {a};",
    "st.b32": "st{sp}.b32 {a}, %t; ld{sp}.b32 %r0, [%c];",
    "st.v2": "st{sp}.v2.b32 {a}, {{%t, %t}}; ld{sp}.v4.b32 {{%r0, %r1, %r2, %r3}}, [%c];",
    "atom.add": "atom{sp}.add.u32 %r0, {a}, 0; red{sp}.add.u32 {a}, 0; ld{sp}.b32 %r1, [%c];",
    "atom.exch": "atom{sp}.exch.b32 %r0, {a}, 7; ld{sp}.b32 %r1, [%c];",
    "atom.cas": "atom{sp}.cas.b64 %w, {a}, 0, 0; mov.b64 {{%r0, %r1}}, %w;",
    "cp.async": "cp.async.ca.shared.global {a}, [%in + 16], 16; cp.async.wait_all;"
    " ld.shared.v4.b32 {{%r0, %r1, %r2, %r3}}, [%c];",
    "mbarrier": "@%q mbarrier.init.shared.b64 {a}, 32; bar.sync 0;"
    " mbarrier.arrive.shared.b64 %w, {a}; bar.sync 0;"
    " mbarrier.test_wait.shared.b64 %p, {a}, %w; selp.u32 %r0, 1, 0, %p;",
    "ldmatrix": "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r0, %r1, %r2, %r3}}, {a};",
    "stmatrix": "stmatrix.sync.aligned.m8n8.x2.shared.b16 {a}, {{%t, %t}}; bar.sync 0;"
    " ld.shared.v4.b32 {{%r0, %r1, %r2, %r3}}, [%c];",
    "bulk": "@%q mbarrier.init.shared.b64 [bar], 1; bar.sync 0; fence.proxy.async;"
    " @%q mbarrier.arrive.expect_tx.shared.b64 %w, [bar], 16;"
    " @%q cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {a}, [%in], 16, [bar];"
    " $wait: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra $wait;"
    " ld.shared.v4.b32 {{%r0, %r1, %r2, %r3}}, [%c];",
}
READS = ("ld.b32", "ld.b64", "ld.v4")
WRITES = (*READS, "ld.volatile", "st.b32", "st.v2")
ATOMS = (*WRITES, "atom.add", "atom.exch", "atom.cas")
SPACES = {
    "shared": tuple(INSTRUCTIONS),
    "local": (*READS, "st.b32", "st.v2"),
    "const": READS,
    "param": READS,
    "global": (*ATOMS,),
    "generic shared": ATOMS,
    "generic local": WRITES,
    "generic global": ATOMS,
}


class Row:
    """One kernel: its name, the row it must agree with, its text and its scalar parameters."""

    def __init__(self, space, instruction, wide, offset, lanes, shift=0):
        self.space, self.instruction, self.wide = space, instruction, wide
        self.offset, self.lanes, self.shift = offset, lanes, shift

    @property
    def name(self):
        """Of the row, without spaces."""
        more = f"+2^{self.shift}" if self.shift else ""
        words = (self.space, self.instruction, f"r{64 if self.wide else 32}", self.lanes)
        return "/".join(words).replace(" ", "-") + f"/{self.offset:+d}{more}"

    @property
    def reference(self):
        """The name of the same kernel without an offset."""
        return Row(self.space, self.instruction, self.wide, 0, self.lanes).name

    @property
    def place(self):
        """The target's distance from the start."""
        return 64 if self.space == "param" else PLACE

    @property
    def delta(self):
        """What the kernel adds to the start of the variable, besides the lane's part."""
        return (self.place - self.offset + (1 << self.shift if self.shift else 0)) % 2**64

    def text(self, name):
        """The kernel."""
        sp = "" if self.space.startswith("generic") else f".{self.space}"
        base = "%b" if self.wide else "%b32"
        lane = {
            "one": "mov.u32 %l, 0;",
            "line": "mul.lo.u32 %l, %t, 16;",
            "mixed": "xor.b32 %l, %t, 5; mul.lo.u32 %l, %l, 16;",
            "half": "xor.b32 %l, %t, 5; mul.lo.u32 %l, %l, 16;",
        }[self.lanes]
        lane += " and.b32 %l, %l, 112;" if self.space == "param" else ""
        params = ", ".join(f".param .u64 p{i}" for i in range(WORDS))
        body = INSTRUCTIONS[self.instruction].format(
            sp=sp, a=f"[{base}{f' + {self.offset}' if self.offset else ''}]"
        )
        if self.lanes == "half":
            body = f"and.b32 %v, %t, 1; setp.eq.u32 %h, %v, 0; @%h bra $skip; {body} $skip:"
        return f"""
.visible .entry {name}(.param .u64 out, .param .u64 in, .param .u64 delta, .param .u64 none, {params})
{{
.reg .b64 %s, %b, %c, %w, %in, %out, %d; .reg .pred %p, %q, %h;
.reg .b32 %s32, %b32, %t, %i, %j, %n, %v, %l, %r<4>;
.local .align 16 .b8 own[1024];
.shared .align 16 .b8 words[1024]; .shared .align 8 .b64 bar;
ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u64 %d, [delta];
mov.u32 %t, %tid.x; setp.eq.u32 %q, %t, 0;
mov.u32 %r0, 9; mov.u32 %r1, 9; mov.u32 %r2, 9; mov.u32 %r3, 9;
{start(self.space)}
{lane}
cvt.u64.u32 %w, %l; add.u64 %c, %s, {self.place}; add.u64 %c, %c, %w;
add.u64 %b, %s, %d; add.u64 %b, %b, %w; cvt.u32.u64 %b32, %b;
{body}
mul.wide.u32 %w, %t, 16; add.u64 %out, %out, %w;
st.global.v4.b32 [%out], {{%r0, %r1, %r2, %r3}};
ret;
}}
"""


@functools.cache
def rows():
    """All kernels."""
    out = []
    for space, names in SPACES.items():
        for instruction in names:
            for wide in (0, 1):
                if not wide and ("generic" in space or space == "global"):
                    continue  # a pointer does not fit
                lanes = ("one",) if instruction in ("mbarrier", "bulk") else LANES
                lanes = ("line", "mixed") if "matrix" in instruction else lanes
                lanes = [k for k in lanes if not ("st." in instruction and k == "one")]
                lanes = [k for k in lanes if not ("atom.exch" in instruction and k == "one")]
                for k in lanes:
                    out += [Row(space, instruction, wide, o, k) for o in OFFSETS]
            if instruction in READS and space not in ("generic shared", "generic local"):
                # bits above the width of the space
                out += [
                    Row(space, instruction, 1, o, "line", s) for o in (0, 528) for s in (32, 47)
                ]
    return out


def bundle(part):
    """The text that runner.c reads: one module, and a case for each row."""
    table = ", ".join(str((i * 40503 + 12345) % 2**32) for i in range(256))
    ptx = HEADER + f".const .align 16 .b32 table[256] = {{{table}}};\n"
    block = "".join(f"val 8 {(i + 1) * 0x9E3779B97F4A7C15 % 2**64:x}\n" for i in range(WORDS))
    cases = ""
    for i, row in enumerate(part):
        ptx += row.text(f"k{i}")
        cases += (
            f"case {row.name} k{i} 1,1,1 32,1,1 0\nout b32 128\nio b32 256 {len(row.instruction)} 0\n"
            f"val 8 {row.delta:x}\nval 8 0\n{block}end\n"
        )
    return f"ptx {len(ptx)}\n{ptx}{cases}"


def parts():
    """The rows of each space and instruction: a fault makes the runner load its whole file again."""
    return [list(g) for _, g in itertools.groupby(rows(), lambda r: (r.space, r.instruction))]


def run(library):
    """{name: (status, hashes)} of all rows on a driver library."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        runner = compare.build(temporary)
        path, hashes = Path(temporary) / "addresses.bundle", Path(temporary) / "addresses.hash"
        for part in parts():
            path.write_text(bundle(part))
            report = compare.run(runner, library, path, hashes)
            if "runner" in report:
                print(report[:500], file=sys.stderr)
            found.update(read(hashes))
    return found


def read(path):
    """{name: (status, hashes)} of a file."""
    lines = (x.split() for x in path.read_text().splitlines() if x and x[0] != "#")
    return {name: (int(status), tuple(rest)) for name, status, *rest in lines}


def differing(found):
    """Rows without the result of their reference."""
    return [r.name for r in rows() if found.get(r.name) != found.get(r.reference)]


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found = run(args.library)
    for name in differing(found):
        print(name, *found.get(name, ("no result",)))
    print(
        f"{len(found)} of {len(rows())} rows ran, {len(differing(found))} differ from their reference"
    )
    if args.write:
        lines = (" ".join([k, str(s), *words]) for k, (s, words) in sorted(found.items()))
        GOLDEN.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
