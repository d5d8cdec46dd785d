"""Random PTX programs without undefined behaviour: the same seed gives the same text everywhere.

Registers live in pools by type; statements are instructions of instructions.py (not the approximate
ones), predicated ones, branches, loops, switches, calls, local arrays, shared memory exchanged over
barriers, warp operations where all threads are, and atomics whose order does not show. At the end
every thread stores all its registers.
"""

import argparse
import re
from pathlib import Path

import instructions
from snippets import HEADER

BLOCK, GRID = 128, 2
THREADS = BLOCK * GRID
POOLS = {"r": 8, "f": 8, "d": 6, "g": 6, "h": 4, "w": 4, "p": 5}
REG = {"r": "b32", "f": "b32", "d": "b64", "g": "b64", "h": "b16", "w": "b16", "p": "pred"}
WORDS = 8 + 8 + 12 + 12 + 4 + 4 + 1
CLASS = {
    **dict.fromkeys(("u32", "s32", "b32", "f16x2", "bf16x2", "shift", "lane", "few", "small"), "r"),
    **dict.fromkeys(("u64", "s64", "b64", "few64"), "d"),
    **dict.fromkeys(("u16", "s16", "b16", "u8", "s8"), "w"),
    **dict.fromkeys(("f16", "bf16"), "h"),
    "f32": "f",
    "f64": "g",
    "pred": "p",
}
INPUTS = (("b32", "r"), ("f32", "f"), ("b64", "d"), ("f64", "g"), ("f16", "h"), ("b16", "w"))
CELLS = (
    ("add.u32", "r"), ("min.s32", "r"), ("max.u32", "r"), ("and.b32", "r"), ("or.b32", "r"),
    ("xor.b32", "r"), ("add.u64", "d"), ("max.s64", "d"), ("min.u64", "d"), ("xor.b64", "d"),
)  # fmt: skip
FAMILIES = ("integer", "carry", "bits", "floats", "halves", "comparisons", "conversions", "packing")


class Random:
    """splitmix64: its numbers do not depend on the version of Python."""

    def __init__(self, seed):
        self.state = seed
        self.state = self.bits()

    def bits(self):
        """64 random bits."""
        self.state = self.state + 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        z = (z ^ z >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
        return z ^ z >> 31

    def below(self, n):
        """0 .. n - 1."""
        return (self.bits() >> 20) % n

    def pick(self, items):
        """One of a sequence."""
        return items[self.below(len(items))]

    def chance(self, percent):
        """True in so many cases of a hundred."""
        return self.below(100) < percent


def usable():
    """The instructions of programs, by family: each family is as likely as another."""
    tables = []
    for name in FAMILIES:
        found = {o.name: o for o in getattr(instructions, name)()}
        ops = [
            o
            for o in found.values()
            if all(k in CLASS for k in (*o.results, *o.sources)) and not LEFT_OUT.search(o.name)
        ]
        tables.append(ops)
    return tables


# not in programs: no numbers come of these that the snippets do not show
# and what ptxas 13.0 gets wrong or does as it likes: the upper half of a 16-bit set and of a packed fp8,
# the sign of a NaN, -(-32768) and sums above 32767 that are widened afterwards, the saturated
# difference of a sum, the carry of a sum with an absolute value
LEFT_OUT = re.compile(
    r"xorsign|^setp.*x2|^fns|^bf[ei].[bus]64|^set.*[.](b?f|u)16[.]b?f16$|^(neg|abs).*f16|^cnot|^pack2.b16"
    r"|^(neg|abs).s16|^abs.s(32|64)|^sad.[us]16|^sub.sat.s32|^cvt.rn.satfinite"
)
# ptxas 13.0 forgets the predicate of a part of what it makes of these
NEVER_PREDICATED = ("set.", "testp.")
# What is left of a NaN in an f64 depends on the order of operands, which ptxas chooses: where such a
# register leaves its pool, or where bits of a NaN come in, there is only one NaN.
ONE_NAN = {"f": ("f32", "0x7fffffff"), "g": ("f64", "0x7ff8000000000000")}
LEAVES = re.compile(r"^(copysign.f64|cvt.*\.(f32|f16|bf16)\.f64)")
ENTERS = re.compile(r"^cvt.*\.f32\.(f64|bf16)$|^(neg|abs).*\.f32$")
TABLES = usable()
CORNERS = (0, 1, 2, 7, 31, 32, 255, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


class Program:
    """The text of one kernel and of the function that it calls."""

    def __init__(self, seed, name):
        self.rng = Random(seed)
        self.name = name
        self.lines = []
        self.statements = []  # (first line, line behind) of each, for reduce.py
        self.labels = 0
        self.loops = 0
        self.callable = True
        self.counter = 0

    def emit(self, text):
        """Append a line."""
        self.lines.append(text)

    def label(self):
        """A fresh label."""
        self.labels += 1
        return f"L{self.name}_{self.labels}"

    def reg(self, letter):
        """A random register of a pool."""
        return f"%{letter}{self.rng.below(POOLS[letter])}"

    def source(self, kind, first):
        """A register, or now and then an immediate."""
        rng, letter = self.rng, CLASS[kind]
        if first or letter in "hp" or kind.endswith("x2") or not rng.chance(12):
            return self.reg(letter)
        v = rng.pick(CORNERS) if rng.chance(70) else rng.bits()
        if kind == "shift":
            return str(rng.below(32))  # a literal position above 31 ptxas evaluates its own way
        if letter == "f":
            return f"0f{rng.pick((0, 0x3F800000, 0xBFC00000, 0x7F800000, 0x00000001, v & 0x4FFFFFFF)):08x}"  # fmt: skip
        if letter == "g":
            return f"0d{rng.pick((0, 0x3FF << 52, 0xBFF8 << 48, 0x7FF << 52, 1)):016x}"
        if letter == "w":
            return str(v & 0x7FFF)
        return hex(v & 0xFFFFFFFF) if letter == "r" else hex(v)

    def one_nan(self, reg):
        """Make a NaN the one NaN of its type."""
        kind, bits = ONE_NAN[reg[1]]
        self.emit(f"setp.nan.{kind} %q3, {reg}, {reg}; @%q3 mov.b{kind[1:]} {reg}, {bits};")

    def operation(self):
        """An instruction, its text, and whether it is a single one."""
        o = self.rng.pick(self.rng.pick(TABLES))
        literal = (
            not o.name.startswith(("cvt", "pack", "unpack", "set", "testp", "mov"))
            and "x2" not in o.name
        )
        names = {}
        for letter, kind in zip("de", o.results, strict=False):
            names[letter] = self.reg(CLASS[kind])
        if len(o.results) == 2 and names["d"] == names["e"]:
            pool = CLASS[o.results[1]]
            names["e"] = f"%{pool}{(int(names['d'][2:]) + 1) % POOLS[pool]}"
        for k, (letter, kind) in enumerate(zip(instructions.LETTERS, o.sources, strict=False)):
            names[letter] = self.source(kind, k == 0 or not literal)
        if o.name[:4] in ("min.", "max.") and names["b"] == names["a"]:
            # ptxas makes a move of it, which keeps a NaN as it is
            pool = names["a"][1]
            names["b"] = f"%{pool}{(int(names['a'][2:]) + 1) % POOLS[pool]}"
        if o.name.startswith("lop3"):
            # ptxas takes the wrong one of two equal operands when it joins two of them
            for letter, k in (("b", 1 + self.rng.below(3)), ("c", 4 + self.rng.below(4))):
                names[letter] = f"%r{(int(names['a'][2:]) + k) % POOLS['r']}"
        if ".cc" in o.text:
            # ptxas doubles a word and negates a product without their carries: let it know nothing
            for k, letter in enumerate(x for x in "abc" if x in names):
                size, pool = (64, "k") if CLASS[o.sources[k]] == "d" else (32, "j")
                reg = names[letter] if names[letter][0] == "%" else self.reg(CLASS[o.sources[k]])
                self.emit(f"xor.b{size} %{pool}{k}, {reg}, %zero{size}_{k};")
                names[letter] = f"%{pool}{k}"
        if LEAVES.search(o.name):
            for x in sorted({v for k, v in names.items() if k in "abc" and v[:2] == "%g"}):
                self.one_nan(x)
        text = o.text.format(**names)
        return o, text, names["d"]

    # ---- statements ----------------------------------------------------------------------------

    def plain(self):
        """An instruction, sometimes predicated."""
        o, text, result = self.operation()
        single = text.count(";") == 1 and not o.name.startswith(NEVER_PREDICATED)
        if single and self.rng.chance(10):
            text = f"@{self.rng.pick(('', '!'))}{self.reg('p')} {text}"
        self.emit(text)
        if ENTERS.search(o.name):
            self.one_nan(result)

    def reload(self):
        """Registers from the input, so that values stay lively."""
        kind, letter = self.rng.pick(INPUTS)
        size = {"r": 4, "f": 4, "d": 8, "g": 8, "h": 2, "w": 2}[letter]
        n = self.rng.pick((1, 1, 2, 4) if size == 4 else (1, 2))
        k = INPUTS.index((kind, letter))
        first = self.rng.below(POOLS[letter] - n + 1)
        row = self.rng.below(3) * THREADS * size
        regs = ", ".join(f"%{letter}{first + i}" for i in range(n))
        vector = f".v{n}" if n > 1 else ""
        target = f"{{{regs}}}" if n > 1 else regs
        nc = self.rng.pick(("", ".nc", ".ca"))
        if n > 1:
            self.emit(f"and.b32 %t0, %gid, {THREADS // 2 - 1}; and.b32 %t0, %t0, -4;")
            self.emit(f"mad.wide.u32 %a9, %t0, {size}, %in{k};")
        else:
            self.emit(f"mad.wide.u32 %a9, %gid, {size}, %in{k};")
        self.emit(f"ld.global{nc}{vector}.b{8 * size} {target}, [%a9+{row}];")
        if letter in ONE_NAN:
            for i in range(n):
                self.one_nan(f"%{letter}{first + i}")

    def condition(self):
        """A predicate for a branch. ptxas takes what a branch says of a predicate for true in loops
        behind it that change the predicate; so it is another one, which says nothing of the pool's."""
        self.emit(f"and.b32 %t0, %thread, {1 << self.rng.below(7)};")
        self.emit(f"setp.ne.xor.u32 %q0, %t0, 0, {self.reg('p')};")
        return self.rng.pick(("%q0", "!%q0"))

    def branch(self, depth):
        """if / else."""
        rng, other, done = self.rng, self.label(), self.label()
        uni = rng.chance(15)
        if uni:
            self.emit(f"setp.lt.u32 %q0, %block, {rng.below(3)};")
            self.emit(f"@{rng.pick(('', '!'))}%q0 bra.uni {other};")
        else:
            self.emit(f"@{self.condition()} bra {other};")
        self.body(depth + 1, 2 + rng.below(6), False)
        if rng.chance(60):
            self.emit(f"bra{'.uni' if uni else ''} {done};")
            self.emit(f"{other}:")
            self.body(depth + 1, 2 + rng.below(6), False)
            self.emit(f"{done}:")
        else:
            self.emit(f"{other}:")

    def loop(self, depth, uniform):
        """A counted loop; the count may differ from thread to thread."""
        rng, again, done = self.rng, self.label(), self.label()
        k = self.loops
        self.loops += 1
        same = rng.chance(40)
        if same:
            self.emit(f"mov.u32 %c{k}, {1 + rng.below(3)};")
        else:
            self.emit(f"and.b32 %c{k}, {self.reg('r')}, {rng.pick((1, 3, 7))};")
        self.emit(f'{again}: .pragma "nounroll";')  # unrolled, ptxas loses sums of mad.hi
        self.emit(f"setp.eq.u32 %q{k + 1}, %c{k}, 0; @%q{k + 1} bra {done};")
        self.body(depth + 1, 2 + rng.below(6), uniform and same)
        if rng.chance(25) and not (uniform and same):
            self.emit(f"@{self.condition()} bra {done};")
            self.plain()
        self.emit(f"sub.u32 %c{k}, %c{k}, 1; bra {again};")
        self.emit(f"{done}:")
        self.loops -= 1

    def switch(self, depth):
        """brx.idx over a few labels."""
        rng, done = self.rng, self.label()
        n = rng.pick((2, 4))
        labels = [self.label() for _ in range(n)]
        self.emit(f"and.b32 %t0, {self.reg('r')}, {n - 1};")
        self.emit(f"{done}_T: .branchtargets {', '.join(labels)};")
        self.emit(f"brx.idx %t0, {done}_T;")
        for label in labels:
            self.emit(f"{label}:")
            self.body(depth + 1, 1 + rng.below(3), False)
            if rng.chance(75):
                self.emit(f"bra {done};")
        self.emit(f"{done}:")

    def local(self):
        """The array in local memory: a store and a load at computed places."""
        letter = self.rng.pick("rfdgw")
        size = {"r": 4, "f": 4, "d": 8, "g": 8, "w": 2}[letter]
        for way in ("st", "ld"):
            self.emit(f"and.b32 %t0, {self.reg('r')}, {64 // size - 1}; shl.b32 %t0, %t0, {size.bit_length() - 1};")  # fmt: skip
            self.emit("cvt.u64.u32 %a9, %t0; add.u64 %a9, %a9, %depot;")
            place, reg = "[%a9]", self.reg(letter)
            pair = f"{reg}, {place}" if way == "ld" else f"{place}, {reg}"
            self.emit(f"{way}.local.b{8 * size} {pair};")
        if letter in ONE_NAN:
            self.one_nan(reg)

    def atomic(self):
        """An atomic on a cell that belongs to its operation."""
        rng = self.rng
        k = rng.below(len(CELLS))
        name, letter = CELLS[k]
        # ptxas makes loops of the 64-bit ones in shared memory, and forgets that these part the warp
        if letter == "d" or rng.chance(50):
            space, place = "global", f"[%cells+{8 * k}]"
        else:
            space, place = "shared", f"[shared_cells{self.name}+{8 * k}]"
        if rng.chance(30):
            self.emit(f"red.{space}.{name} {place}, {self.reg(letter)};")
        else:
            self.emit(f"atom.{space}.{name} %{'a9' if letter == 'd' else 't0'}, {place}, {self.reg(letter)};")  # fmt: skip

    def call(self):
        """A call of the program's function."""
        self.emit("{ .param .b32 q0; .param .b64 q1; .param .b32 q2; .param .align 8 .b8 v[16];")
        wide = self.reg("g")
        self.one_nan(wide)
        self.emit(f"st.param.b32 [q0], {self.reg('r')}; st.param.b64 [q1], {wide};")
        self.emit(f"st.param.b32 [q2], {self.reg('f')};")
        self.emit(f"call (v), F{self.name}, (q0, q1, q2);")
        self.emit(f"ld.param.b32 {self.reg('r')}, [v]; ld.param.b64 {self.reg('d')}, [v+8]; }}")

    def exchange(self):
        """Values through shared memory, with barriers around."""
        rng = self.rng
        letter = rng.pick("rfdg")
        size = 4 if letter in "rf" else 8
        bar = rng.pick(("bar.sync 0;", "barrier.sync 0;", "bar.sync 1, 128;", "bar.sync 0;"))
        self.emit(f"mad.lo.u32 %t0, %thread, {size}, %xs; st.shared.b{8 * size} [%t0], {self.reg(letter)};")  # fmt: skip
        self.emit(bar)
        if rng.chance(50):
            self.emit(f"and.b32 %t0, {self.reg('r')}, {BLOCK - 1};")
        else:
            self.emit(f"mad.lo.u32 %t0, %thread, {rng.pick((1, 3, 31, 64))}, {rng.below(99)}; and.b32 %t0, %t0, {BLOCK - 1};")  # fmt: skip
        self.emit(f"mad.lo.u32 %t0, %t0, {size}, %xs;")
        self.emit(f"ld.shared.b{8 * size} {self.reg(letter)}, [%t0];")
        self.emit(bar)

    def warp(self):
        """A warp operation of all 32 lanes, or a reduction over the block."""
        rng = self.rng
        kind = rng.below(7)
        if kind <= 1:
            mode = rng.pick(("up", "down", "bfly", "idx"))
            letter = rng.pick("rf")
            lane = self.reg("r") if rng.chance(30) else str(rng.below(36))
            mask = rng.pick((31, 0, 0x1C1F, 0x181F, 0x100F, 0x0807))
            self.emit(f"shfl.sync.{mode}.b32 {self.reg(letter)}|{self.reg('p')}, {self.reg(letter)}, {lane}, {mask}, -1;")  # fmt: skip
        elif kind == 2:
            self.emit(f"vote.sync.ballot.b32 {self.reg('r')}, {rng.pick(('', '!'))}{self.reg('p')}, -1;")  # fmt: skip
        elif kind == 3:
            self.emit(f"vote.sync.{rng.pick(('all', 'any', 'uni'))}.pred {self.reg('p')}, {self.reg('p')}, -1;")  # fmt: skip
        elif kind == 4:
            self.emit(f"and.b32 %t0, {self.reg('r')}, 3; match.any.sync.b32 {self.reg('r')}, %t0, -1;")  # fmt: skip
        elif kind == 5:
            name = rng.pick(("add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"))
            self.emit(f"redux.sync.{name} {self.reg('r')}, {self.reg('r')}, -1;")
        else:
            name = rng.pick(("popc.u32", "and.pred", "or.pred"))
            to = self.reg("r" if name[:4] == "popc" else "p")
            self.emit(f"bar.red.{name} {to}, 0, {self.reg('p')};")

    def body(self, depth, statements, uniform):
        """Statements; `uniform`: all threads of the block are here."""
        rng = self.rng
        for _ in range(statements):
            first = len(self.lines)
            kind = rng.below(100)
            if kind < 60:
                self.plain()
            elif kind < 67:
                self.reload() if self.callable else self.plain()
            elif kind < 75 and depth < 3:
                self.branch(depth)
            elif kind < 79 and depth < 3 and self.loops < 2:
                self.loop(depth, uniform)
            elif kind < 81 and depth < 2 and self.callable:
                self.switch(depth)
            elif kind < 85 and self.callable:
                self.local()
            elif kind < 88 and self.callable:
                self.atomic()
            elif kind < 90 and self.callable and depth < 2:
                self.call()
            elif kind < 97 and uniform and self.callable:
                self.exchange() if rng.chance(30) else self.warp()
            else:
                self.plain()
            self.statements.append((first, len(self.lines)))

    # ---- the frame -----------------------------------------------------------------------------

    def registers(self):
        """Declarations and, for a kernel, the scaffold around its body."""
        for letter, n in POOLS.items():
            self.emit(f".reg .{REG[letter]} %{letter}<{n}>;")
        self.emit(".reg .pred %q<4>; .reg .b32 %c<3>, %t<2>, %block, %thread; .reg .b64 %a<10>;")
        self.emit("mov.u32 %block, %ctaid.x; mov.u32 %thread, %tid.x;")
        self.emit(".reg .b32 %j<3>, %zero32_<3>; .reg .b64 %k<3>, %zero64_<3>;")
        for i, name in enumerate(("%tid.y", "%tid.z", "%ctaid.y")):  # zero, which no compiler knows
            self.emit(f"mov.u32 %zero32_{i}, {name}; cvt.u64.u32 %zero64_{i}, %zero32_{i};")

    def function(self):
        """The function that calls go to."""
        self.emit(
            f".func (.param .align 8 .b8 v[16]) F{self.name}"
            "(.param .b32 q0, .param .b64 q1, .param .b32 q2)"
        )
        self.emit("{")
        self.registers()
        for letter, n in POOLS.items():
            for i in range(n):
                if letter == "r":
                    self.emit(f"ld.param.b32 %r{i}, [q0]; add.u32 %r{i}, %r{i}, {i * 77};")
                elif letter == "f":
                    self.emit(f"ld.param.b32 %f{i}, [q2]; xor.b32 %f{i}, %f{i}, {i << 21};")
                    self.one_nan(f"%f{i}")
                elif letter in "dg":
                    self.emit(f"ld.param.b64 %{letter}{i}, [q1];")
                    self.emit(
                        f"xor.b64 %{letter}{i}, %{letter}{i}, {hex(i * 0x10000000_00000011)};"
                    )
                    if letter == "g":
                        self.one_nan(f"%g{i}")
                elif letter == "p":
                    self.emit(f"setp.gt.s32 %p{i}, %r{i}, {i};")
                else:
                    self.emit(f"cvt.u16.u32 %{letter}{i}, %r{i};")
        self.callable = False
        self.body(1, 4 + self.rng.below(8), False)
        self.callable = True
        self.emit(f"st.param.b32 [v], {self.reg('r')}; st.param.b64 [v+8], {self.reg('d')};")
        self.emit("ret;\n}")

    def start(self):
        """Addresses, input, the initial values of memory."""
        params = ", ".join(f".param .u64 p{i}" for i in range(len(INPUTS) + 3))
        self.emit(f".visible .entry K{self.name}({params})\n{{")
        self.registers()
        self.emit(f".local .align 8 .b8 depot{self.name}[64];")
        self.emit(f".shared .align 8 .b8 shared_cells{self.name}[{8 * len(CELLS)}];")
        self.emit(f".shared .align 8 .b8 exchange{self.name}[{8 * BLOCK}];")
        self.emit(f".reg .b64 %in<{len(INPUTS)}>, %cells, %depot, %out, %outs;")
        self.emit(".reg .b32 %gid, %xs;")
        self.emit(f"mad.lo.u32 %gid, %block, {BLOCK}, %thread;")
        for i in range(len(INPUTS)):
            self.emit(f"ld.param.u64 %in{i}, [p{i}];")
        n = len(INPUTS)
        self.emit(f"ld.param.u64 %cells, [p{n}]; ld.param.u64 %out, [p{n + 1}];")
        self.emit(f"ld.param.u64 %outs, [p{n + 2}];")
        self.emit(f"mov.u64 %depot, depot{self.name}; mov.u32 %xs, exchange{self.name};")
        for i, (_, letter) in enumerate(INPUTS):
            size = {"r": 4, "f": 4, "d": 8, "g": 8, "h": 2, "w": 2}[letter]
            self.emit(f"mad.wide.u32 %a9, %gid, {size}, %in{i};")
            for k in range(POOLS[letter]):
                self.emit(f"ld.global.b{8 * size} %{letter}{k}, [%a9+{k * THREADS * size}];")
                if letter in ONE_NAN:
                    self.one_nan(f"%{letter}{k}")
        for k in range(POOLS["p"]):
            self.emit(f"and.b32 %t0, %r{k}, {1 << k}; setp.ne.u32 %p{k}, %t0, 0;")
        for k in range(8):
            self.emit(f"st.local.b64 [%depot+{8 * k}], %d{k % POOLS['d']};")
        self.emit(f"setp.ge.u32 %q0, %thread, {len(CELLS)};")
        self.emit(f"mov.u32 %t0, shared_cells{self.name}; mad.lo.u32 %t0, %thread, 8, %t0;")
        self.emit("@!%q0 st.shared.b64 [%t0], 0;")
        self.emit("bar.sync 0;")

    def finish(self):
        """Every register to memory."""
        self.emit(f"mad.wide.u32 %a9, %gid, {4 * WORDS}, %out;")
        at = 0
        for letter, n in POOLS.items():
            for i in range(n):
                if letter in "rf":
                    self.emit(f"st.global.b32 [%a9+{at}], %{letter}{i};")
                elif letter in "dg":
                    if letter == "g":
                        self.one_nan(f"%g{i}")
                    self.emit(f"mov.b64 {{%t0, %t1}}, %{letter}{i};")
                    self.emit(f"st.global.b32 [%a9+{at}], %t0; st.global.b32 [%a9+{at + 4}], %t1;")
                    at += 4
                elif letter in "hw":
                    self.emit(f"cvt.u32.u16 %t0, %{letter}{i}; st.global.b32 [%a9+{at}], %t0;")
                else:
                    first = f"selp.u32 %t0, {1 << i}, 0, %p{i};"
                    self.emit(
                        first + (" mov.u32 %t1, %t0;" if i == 0 else " or.b32 %t1, %t1, %t0;")
                    )
                    at -= 4 if i + 1 < n else 0
                at += 4
        self.emit(f"st.global.b32 [%a9+{at - 4}], %t1;")
        self.emit("bar.sync 0;")
        self.emit(f"setp.ge.u32 %q0, %thread, {len(CELLS)}; @%q0 bra END{self.name};")
        self.emit(f"mov.u32 %t0, shared_cells{self.name}; mad.lo.u32 %t0, %thread, 8, %t0;")
        self.emit(f"ld.shared.b64 %a8, [%t0]; mad.lo.u32 %t1, %block, {len(CELLS)}, %thread;")
        self.emit("mad.wide.u32 %a9, %t1, 8, %outs; st.global.b64 [%a9], %a8;")
        self.emit(f"END{self.name}:\nret;\n}}")

    def text(self):
        """The whole program."""
        self.function()
        self.start()
        self.body(0, 14 + self.rng.below(26), True)
        self.finish()
        return "\n".join(self.lines) + "\n"


def case(seed, name):
    """The launch of a program."""
    lines = [f"case P{seed} K{name} {GRID},1,1 {BLOCK},1,1 0"]
    lines += [f"in {kind} {THREADS * 10} {seed} {i % 3}" for i, (kind, _) in enumerate(INPUTS)]
    lines += [f"out b64 {len(CELLS)}", f"out b32 {THREADS * WORDS}", f"out b64 {GRID * len(CELLS)}"]
    return "\n".join([*lines, "end"]) + "\n"


def bundle(first, count, per_module=25):
    """Modules of programs with consecutive seeds."""
    parts = []
    for start in range(first, first + count, per_module):
        seeds = range(start, min(start + per_module, first + count))
        ptx = HEADER + "".join(Program(s, str(s)).text() for s in seeds)
        parts.append(f"ptx {len(ptx)}\n{ptx}" + "".join(case(s, str(s)) for s in seeds))
    return "".join(parts)


def main():
    """Write one bundle of programs."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    args = parser.parse_args()
    args.path.write_text(bundle(args.first, args.count))


if __name__ == "__main__":
    main()
