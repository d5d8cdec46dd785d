"""Builds the PTX fuzzer under the address and undefined-behaviour sanitizers and lets it run.

python tests/emu/fuzz/fuzz.py [RUNS]

With clang and its libFuzzer it is led by coverage and keeps what it finds interesting in
build/fuzz/corpus; with gcc alone it changes the seeds blindly. What fails lies in build/fuzz/found.
"""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "machine"))
import harness
import seeds

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FOLDER = ROOT / "build" / "fuzz"
# Short time slices: a text that loops is stopped soon, and groups of lanes change places often.
FLAGS = ["-std=gnu11", "-g", "-O1", "-D_GNU_SOURCE=", f"-I{ROOT / 'csrc'}", "-DEMU_BUDGET=256"]
FLAGS += ["-DEMU_FRAME_LIMIT=(4 << 20)"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


def lane_flags(source):
    """What build.txt says about a file, with less optimisation."""
    flags = [f for f in harness.flags_of(source) if f != "-O3"]
    return [*flags, "-Wno-pass-failed"] if source.name.startswith("lanes_") else flags


def led_by_coverage():
    """A clang that has libFuzzer, or None."""
    for name in ("clang", *(f"clang-{n}" for n in range(25, 13, -1))):
        if shutil.which(name) is None:
            continue
        probe = FOLDER / "probe.c"
        probe.write_text(
            "#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *d, size_t n)"
            "{ (void)d; return (int)(n & 0); }\n"
        )
        command = [name, "-fsanitize=fuzzer", str(probe), "-o", str(FOLDER / "probe")]
        if subprocess.run(command, capture_output=True).returncode == 0:
            return name
    return None


def build(compiler, objects, program):
    """Compile what changed and link; return the fuzzer's path."""
    wrap = [shutil.which("ccache")] if shutil.which("ccache") else []
    newest = harness.header_time()
    made = []
    for source in harness.machine_sources():
        obj = FOLDER / f"{source.stem}.o"
        made.append(str(obj))
        if obj.exists() and obj.stat().st_mtime > max(newest, source.stat().st_mtime):
            continue
        command = [*wrap, compiler, *FLAGS, *SANITIZE, *objects, *lane_flags(source)]
        print(f"  cc {source.name}", flush=True)
        subprocess.run([*command, "-c", str(source), "-o", str(obj)], check=True)
    target = FOLDER / "fuzz_ptx"
    command = [compiler, *FLAGS, *SANITIZE, *program, str(HERE / "fuzz_ptx.c"), *made]
    subprocess.run([*command, "-lm", "-pthread", "-o", str(target)], check=True)
    return target


def main(runs):
    """Build, make seeds, run."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    folders = [FOLDER / name for name in ("corpus", "found", "seeds")]
    for folder in folders:
        folder.mkdir(exist_ok=True)
    seeds.main(FOLDER / "seeds")
    clang = led_by_coverage()
    if clang:
        program = build(clang, ["-fsanitize=fuzzer-no-link"], ["-fsanitize=fuzzer"])
        options = f"-runs={runs} -max_len=8000 -timeout=60 -rss_limit_mb=2000 -print_final_stats=1"
        command = [str(program), *shlex.split(options), f"-artifact_prefix={folders[1]}/"]
        command += [str(folders[0]), str(folders[2])]
    else:
        program = build("gcc", [], ["-DFUZZ_MAIN"])
        command = [str(program), str(runs), "1", *map(str, sorted(folders[2].iterdir()))]
    return subprocess.run(command, cwd=folders[1]).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000))
