"""ruff and clang-format over the tree: `python tools/lint.py [--fix]`."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def c_sources():
    """The C files that clang-format lays out; tables and kernels keep their own columns."""
    return [
        str(path) for pattern in ("*.c", "*.h") for path in sorted(ROOT.glob(f"csrc/**/{pattern}"))
    ]


def run(*command):
    """Run a tool; return whether it was content."""
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT).returncode == 0


def clang_format(*options):
    """Run clang-format, which the wheel installs as a program beside Python."""
    program = Path(sys.executable).with_name("clang-format")
    command = [str(program) if program.exists() else "clang-format", *options, *c_sources()]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def main():
    """Check everything, or with --fix lay it out."""
    if "--fix" in sys.argv:
        good = [
            run("ruff", "format", "-q", "."),
            run("ruff", "check", "-q", "--fix", "."),
            clang_format("-i"),
        ]
    else:
        good = [
            run("ruff", "check", "."),
            run("ruff", "format", "--check", "-q", "."),
            clang_format("--dry-run", "-Werror", "--ferror-limit=5"),
        ]
    raise SystemExit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
