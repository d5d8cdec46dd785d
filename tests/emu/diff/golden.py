"""Golden hashes of a real device: written from the files of compare.py, and compared with a run.

    golden.py write FOLDER_OF_RESULTS ... --date 2026-11-21 [--bundles FOLDER]
    golden.py check LIBRARY [--programs N] [--only PATTERN] [--bundles FOLDER]

tests/emu/golden/ holds device.json, snippets.txt.xz (name, hash of the PTX, hash of the results),
programs.txt.xz (one hash a program, and one of the text of each hundred), corpus.txt.xz (kernels that
are not here but in the folder of --bundles: name, hash of the PTX, hash of the results) and
corpus-left-out.txt.
"""

import argparse
import hashlib
import json
import lzma
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import addresses
import compare
import instructions
import programs
import snippets

FOLDER = Path(__file__).resolve().parents[1] / "golden"
CHUNK = 100


def short(text, size=4):
    """A hash as hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


def results(path):
    """{case: hash of its line} of a file of compare.py."""
    raw = path.read_bytes()
    text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode()
    lines = [x.split(" ", 1) for x in text.splitlines() if x and x[0] != "#"]
    return {name: short(rest) for name, rest in lines}


def snippet_text(o):
    """What the golden hash of an instruction belongs to."""
    return snippets.kernel(o, "k") + snippets.case(o, "k", 1)


def program_text(first):
    """The text of a hundred programs."""
    return "".join(programs.Program(s, str(s)).text() for s in range(first, first + CHUNK))


def read(name):
    """Lines of a golden file as lists of words."""
    path = FOLDER / f"{name}.txt.xz"
    with lzma.open(path, "rt") as f:
        return [x.split() for x in f.read().splitlines()]


def write_lines(name, lines):
    """A golden file."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.txt.xz").write_bytes(
        lzma.compress("".join(x + "\n" for x in lines).encode())
    )


def find(folders, name):
    """The results of that name in the folders of GPU runs."""
    merged = {}
    for folder in folders:
        for path in (folder / f"{name}-hashes.txt", folder / f"{name}-hashes.txt.xz"):
            if path.exists():
                merged.update(results(path))
    return merged


def write(args):
    """Golden files from the results of GPU runs."""
    seen = find(args.folders, "snippets")
    ops = [o for o in instructions.every_op() if o.name in seen]
    if ops:
        write_lines("snippets", [f"{o.name} {short(snippet_text(o))} {seen[o.name]}" for o in ops])
    seen = find(args.folders, "programs")
    lines = []
    for first in range(0, 1 + max((int(n[1:]) for n in seen), default=-1), CHUNK):
        names = [f"P{s}" for s in range(first, first + CHUNK)]
        if all(n in seen for n in names):
            lines += [f"text {first} {short(program_text(first))}", *(seen[n] for n in names)]
    if lines:
        write_lines("programs", lines)
    seen = find(args.folders, "bundles")
    if seen:
        texts = corpus_texts(args.bundles)
        out = left_out()
        rows = [
            f"{name} {texts[name.split(':')[0]]} {h}"
            for name, h in sorted(seen.items())
            if name not in out
        ]
        write_lines("corpus", rows)
    about = {"device": args.device, "driver": args.driver, "date": args.date}
    (FOLDER / "device.json").write_text(json.dumps(about, indent=1) + "\n")


def stale():
    """Golden rows whose PTX is not what the tables make now: measure them again on a device."""
    now = {o.name: short(snippet_text(o)) for o in instructions.every_op()}
    return [name for name, text, _ in read("snippets") if now.get(name) != text]


def run_all(library, bundles, jobs):
    """{case: hash} of bundles (text) run on a library."""
    with tempfile.TemporaryDirectory() as temporary:
        runner = compare.build(temporary)

        def one(k):
            path = Path(temporary) / f"{k}.bundle"
            path.write_text(bundles[k]())
            report = compare.run(runner, library, path, path.with_suffix(".hash"))
            return report, results(path.with_suffix(".hash"))

        with ThreadPoolExecutor(jobs) as pool:
            done = list(pool.map(one, range(len(bundles))))
    merged = {}
    for report, found in done:
        if "runner:" in report or "runner failed" in report:
            print(report[:500], file=sys.stderr)
        merged.update(found)
    return merged


def check_snippets(library, jobs=2, only="", approximate=False):
    """Names of instructions that do not give what the device gave."""
    golden = {name: (text, h) for name, text, h in read("snippets")}
    ops = [
        o
        for o in instructions.every_op()
        if o.name in golden
        and golden[o.name][0] == short(snippet_text(o))
        and re.search(only, o.name)
        and ("approx" in o.tags) == approximate
    ]
    step = 200
    bundles = [lambda i=i: snippets.bundle(ops[i : i + step]) for i in range(0, len(ops), step)]
    seen = run_all(library, bundles, jobs)
    return len(ops), [o.name for o in ops if seen.get(o.name) != golden[o.name][1]]


def program_chunks():
    """{first seed: (hash of the text, hashes of the results)}."""
    chunks = {}
    for words in read("programs"):
        if words[0] == "text":
            chunks[int(words[1])] = (words[2], [])
            last = chunks[int(words[1])][1]
        else:
            last.append(words[0])
    return chunks


def corpus_texts(folder):
    """{name: hash of its PTX} of bundles."""
    return {p.stem: short(p.read_text().split("\ncase ")[0]) for p in folder.glob("*.bundle")}


def left_out():
    """Launches of the corpus without one result: see the file."""
    lines = (FOLDER / "corpus-left-out.txt").read_text().splitlines()
    return {x.split()[0] for x in lines if x and x[0] != "#"}


def check_corpus(library, folder, jobs=2):
    """How many launches of the corpus were tried, and those that do not give what the device gave."""
    texts = corpus_texts(folder)
    rows = [(n, h) for n, text, h in read("corpus") if texts.get(n.split(":")[0]) == text]
    seen = run_all(library, [p.read_text for p in sorted(folder.glob("*.bundle"))], jobs)
    return len(rows), [n for n, h in rows if seen.get(n) != h]


def check_programs(library, count, jobs=2, first=0):
    """How many programs were tried, and the seeds of those that do not give what the device gave."""
    chunks = {k: v for k, v in program_chunks().items() if first <= k < first + count}
    for k, (text, _) in list(chunks.items())[:1]:
        if text != short(program_text(k)):
            raise ValueError("the programs changed: measure them again on a device")
    seen = run_all(library, [lambda k=k: programs.bundle(k, CHUNK) for k in chunks], jobs)
    pairs = [(k + i, h) for k, (_, hashes) in chunks.items() for i, h in enumerate(hashes)]
    return len(pairs), [s for s, h in pairs if seen.get(f"P{s}") != h]


def check_addresses(library):
    """How many address forms were tried, and those that do not give what the device gave.

    An H200 has one of several codes for the same address beyond its memory (700, 715, 717), so
    failures are equal.
    """
    measured = addresses.read(addresses.GOLDEN)
    seen = addresses.run(library)
    off = [
        name
        for name, (status, words) in measured.items()
        if name not in seen
        or bool(seen[name][0]) != bool(status)
        or (not status and seen[name][1] != words)
    ]
    return len(measured), off


def main():
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["write", "check"])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--device", default="NVIDIA H200")
    parser.add_argument("--driver", default="13.0")
    parser.add_argument("--date", default="")
    parser.add_argument("--programs", type=int, default=20000)
    parser.add_argument("--only", default="")
    parser.add_argument("--bundles", type=Path, help="of the corpus")
    args = parser.parse_args()
    if args.what == "write":
        write(args)
        return 0
    library = args.folders[0].resolve()
    jobs = os.cpu_count()
    tried, bad = check_snippets(library, jobs, args.only)
    print(f"{tried} instructions, {len(bad)} differ: {' '.join(bad[:20])}")
    os.environ["GPUNP_EMU_EXACT"] = "1"
    tried, far = check_snippets(library, jobs, args.only, approximate=True)
    print(f"{tried} approximate instructions, {len(far)} differ: {' '.join(far)}")
    tried, wrong = check_programs(library, args.programs, jobs)
    print(f"{tried} programs, {len(wrong)} differ: {wrong[:20]}")
    tried, off = check_addresses(library)
    print(f"{tried} address forms, {len(off)} differ: {' '.join(off[:20])}")
    wrong += off
    if args.bundles:
        tried, off = check_corpus(library, args.bundles, jobs)
        print(f"{tried} launches of the corpus, {len(off)} differ: {' '.join(off[:20])}")
        wrong += off
    return int(bool(bad or far or wrong))


if __name__ == "__main__":
    sys.exit(main())
