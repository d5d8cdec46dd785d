"""Makes programs that differ small: statements are left out as long as the difference stays.

reduce.py --other gpunp/libgpunp_emu.so SEED ...

What goes is a whole statement of the generator, or the branch or loop around some; so every register
stays defined and every label stays. Before that, the program runs on the device with its compiler's
optimisation at each level: where the lowest agrees with the other library, it is the optimiser's doing.
"""

import argparse
import os
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import compare
import programs

LEVELS = (0, 1, 2, 3, 4)
VARIANTS = 24
NAME = "_ME_"  # in the place of the programs' own


class Reducer:
    """One program."""

    def __init__(self, args, runner, seed, folder):
        self.args, self.runner, self.seed, self.folder = args, runner, seed, Path(folder)
        program = programs.Program(seed, NAME)
        program.text()
        self.lines = program.lines
        self.case = programs.case(seed, NAME)
        self.units = []
        for first, behind in program.statements:
            inner = set()
            for a, b in program.statements:
                if first <= a and b <= behind and (a, b) != (first, behind):
                    inner.update(range(a, b))
            whole = frozenset(range(first, behind))
            self.units.append(whole)
            if inner:
                self.units.append(whole - inner)
        self.rounds = 0

    def results(self, variants, library, *more):
        """Status and hashes of variants, each the program without some lines."""
        ptx, cases = programs.HEADER, ""
        for j, removed in enumerate(variants):
            name = f"{self.seed}v{j}"
            kept = "".join(x + "\n" for i, x in enumerate(self.lines) if i not in removed)
            ptx += kept.replace(NAME, name)
            cases += self.case.replace(f"case P{self.seed}", f"case V{j}").replace(NAME, name)
        bundle, hashes = self.folder / f"{self.seed}.bundle", self.folder / f"{self.seed}.hash"
        bundle.write_text(f"ptx {len(ptx)}\n{ptx}{cases}")
        compare.run(self.runner, library, bundle, hashes, *more)
        lines = [x.split() for x in hashes.read_text().splitlines() if x[0] == "V"]
        return {x[0]: x[1:] for x in lines}

    def levels(self):
        """At which optimisation levels of the device's compiler there is a difference."""
        other = self.results([frozenset()], self.args.other)
        words = []
        for level in LEVELS:
            golden = self.results([frozenset()], self.args.golden, "--level", level)
            status = golden.get("V0", ["?"])[0]
            same = golden.get("V0") == other.get("V0")
            words.append(f"O{level} {'same' if same else 'differs' if status == '0' else status}")
        return ", ".join(words)

    def differing(self, variants):
        """Which sets of removed lines still differ."""
        self.rounds += 1
        golden = self.results(variants, self.args.golden)
        other = self.results(variants, self.args.other)
        return [
            removed
            for j, removed in enumerate(variants)
            if f"V{j}" in golden and golden[f"V{j}"] != other.get(f"V{j}")
        ]

    def reduce(self):
        """The smallest text found."""
        levels = self.levels()
        removed, before, left = frozenset(), None, []
        deadline = time.monotonic() + self.args.seconds
        while time.monotonic() < deadline:
            if not left:
                if removed == before:
                    break
                before, left = removed, sorted(self.units, key=len, reverse=True)
            left = [u for u in left if not u <= removed]
            good = self.differing([removed | u for u in left[:VARIANTS]])
            left = left[VARIANTS:]
            if len(good) > 1:
                steps = [frozenset().union(*good[: k + 1]) for k in range(len(good))]
                good = self.differing(steps) or good[:1]
            if good:
                removed = max(good, key=len)
        kept = "\n".join(x for i, x in enumerate(self.lines) if i not in removed).splitlines()
        start = kept.index("bar.sync 0;") + 1
        end = next(i for i, x in enumerate(kept) if x.startswith("mad.wide.u32 %a9, %gid, 196"))
        body = kept[start:end]
        inside = [x for x in kept[: kept.index("ret;")] if "param" not in x and "reg" not in x]
        return f"P{self.seed}: {levels}; {len(body)} lines, {self.rounds} rounds\n  " + "\n  ".join(
            [*inside, "----", *body]
        )


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="*")
    parser.add_argument("--report", type=Path, help="differences.txt with seeds to take")
    parser.add_argument("--most", type=int, default=32)
    parser.add_argument("--golden", default="libcuda.so.1")
    parser.add_argument("--other", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=20, help="for each")
    args = parser.parse_args()
    if args.report:
        found = re.findall(r"^P(\d+)(?: p\d)?: ", args.report.read_text(), re.MULTILINE)
        args.seeds += list(dict.fromkeys(map(int, found)))[: args.most]
    with tempfile.TemporaryDirectory() as folder:
        runner = compare.build(folder)
        work = [Reducer(args, runner, s, folder) for s in args.seeds]
        with ThreadPoolExecutor(args.jobs) as pool:
            for done in as_completed([pool.submit(w.reduce) for w in work]):
                print(done.result(), flush=True)


if __name__ == "__main__":
    main()
