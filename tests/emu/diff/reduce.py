"""Makes programs that differ small: lines are left out as long as the difference stays.

reduce.py --other gpunp/libgpunp_emu.so SEED ...
"""

import argparse
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import compare
import programs

# lines that hold the program together
KEPT = re.compile(
    r"^\.|^ret|[:{}]|bra |brx|%a\d|%t\d|%c\d|%q\d|param|call|bar|%block|%depot|%gid|%thread|%xs|%out"
)


class Reducer:
    """One program."""

    def __init__(self, args, runner, seed, folder):
        self.args, self.runner, self.seed, self.folder = args, runner, seed, Path(folder)
        self.removed = set()
        self.rounds = 0

    def text(self, name, removed):
        """PTX of the program without some lines."""
        lines = programs.Program(self.seed, name).text().splitlines()
        return "".join(x + "\n" for i, x in enumerate(lines) if i not in removed)

    def differing(self, variants):
        """Which sets of removed lines still differ."""
        ptx, cases = programs.HEADER, ""
        for j, removed in enumerate(variants):
            name = f"{self.seed}v{j}"
            ptx += self.text(name, removed)
            cases += programs.case(self.seed, name).replace(f"case P{self.seed}", f"case V{j}")
        self.rounds += 1
        bundle = self.folder / f"{self.seed}.bundle"
        bundle.write_text(f"ptx {len(ptx)}\n{ptx}{cases}")
        results = []
        for k, library in enumerate((self.args.golden, self.args.other)):
            hashes = self.folder / f"{self.seed}.{k}"
            compare.run(self.runner, library, bundle, hashes)
            lines = [x.split() for x in hashes.read_text().splitlines() if x[0] == "V"]
            results.append({x[0]: x[1:] for x in lines})
        golden, other = results
        return [
            removed
            for j, removed in enumerate(variants)
            if golden.get(f"V{j}", ["?"])[0] == "0" and golden[f"V{j}"] != other.get(f"V{j}")
        ]

    def reduce(self):
        """The smallest text found."""
        lines = programs.Program(self.seed, "x").text().splitlines()
        left = [i for i, x in enumerate(lines) if not KEPT.search(x.split("//")[0])]
        size = max(1, len(left) // 4)
        while self.rounds < self.args.rounds:
            chunks = [set(left[i : i + size]) for i in range(0, len(left), size)]
            good = self.differing([self.removed | c for c in chunks][:64])
            if not good and size == 1:
                break
            if good:
                union = set().union(*good)
                keeps = self.differing([union]) if len(good) > 1 else good
                self.removed = (keeps or good)[0]
                left = [i for i in left if i not in self.removed]
            size = max(1, min(size // 2, len(left) // 2))
        kept = [lines[i] for i in left]
        return f"P{self.seed}: {len(kept)} lines, {self.rounds} rounds\n  " + "\n  ".join(kept)


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", type=int, nargs="*")
    parser.add_argument("--report", type=Path, help="differences.txt with seeds to take")
    parser.add_argument("--most", type=int, default=32)
    parser.add_argument("--golden", default="libcuda.so.1")
    parser.add_argument("--other", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=14)
    args = parser.parse_args()
    if args.report:
        found = re.findall(r"^P(\d+) p\d: ", args.report.read_text(), re.MULTILINE)
        args.seeds += list(dict.fromkeys(map(int, found)))[: args.most]
    with tempfile.TemporaryDirectory() as folder:
        runner = compare.build(folder)
        work = [Reducer(args, runner, s, folder) for s in args.seeds]
        with ThreadPoolExecutor(args.jobs) as pool:
            for done in as_completed([pool.submit(w.reduce) for w in work]):
                print(done.result(), flush=True)


if __name__ == "__main__":
    main()
