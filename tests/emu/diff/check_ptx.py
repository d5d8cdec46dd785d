"""Assembles every module of bundles with ptxas and prints what it refuses."""

import re
import subprocess
import sys
from pathlib import Path


def modules(path):
    """PTX texts of a bundle."""
    text = path.read_text()
    at = 0
    while (m := re.compile(r"^ptx (\d+)\n", re.MULTILINE).search(text, at)) is not None:
        at = m.end() + int(m[1])
        yield text[m.end() : at]


def main():
    """Paths of bundles as arguments."""
    bad = 0
    for name in sys.argv[1:]:
        for text in modules(Path(name)):
            done = subprocess.run(
                ["ptxas", "-arch=sm_90", "-O0", "-o", "/dev/null", "-"],
                input=text, capture_output=True, text=True,
            )  # fmt: skip
            lines = text.splitlines()
            for number, message in re.findall(r"line (\d+); error\s*: (.*)", done.stderr):
                bad += 1
                print(f"{name}: {lines[int(number) - 1]}  # {message}")
            if done.returncode and "line" not in done.stderr:
                print(name, done.stderr[:500])
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
