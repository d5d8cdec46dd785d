"""The kernel cache on disk: found again, and never trusted more than it deserves."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import child
import pytest

pytestmark = pytest.mark.null  # every test works in processes of its own

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import gpunp as cp
a = cp.arange(5)
print((a * 3 + 1).tolist(), cp.cuda.compiler.CompileException.__name__)
"""
ANSWER = "[1, 4, 7, 10, 13] CompileException\n"


def run(cache, program=PROGRAM, **environment):
    """Run a program with its own cache; return the finished process."""
    variables = child.environment(**environment)
    if cache is not None:
        variables["GPUNP_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=child.PATIENCE, check=False
    )


def compiled(process):
    """How many kernels the process compiled, and how many it loaded, from its log."""
    lines = process.stderr.splitlines()
    return (
        sum(line.startswith("gpunp: compiled") for line in lines),
        sum(line.startswith("gpunp: loaded") for line in lines),
    )


def entries(cache):
    return sorted(path for path in cache.iterdir() if path.suffix == ".kernel")


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def filled(cache):
    process = run(cache)
    assert process.stdout == ANSWER, process.stderr
    return cache


def test_second_process_compiles_nothing(cache):
    first, second = run(cache, GPUNP_DEBUG="3"), run(cache, GPUNP_DEBUG="3")
    made, _ = compiled(first)
    assert made > 0 and compiled(second) == (0, made)
    assert first.stdout == second.stdout == ANSWER


def test_modes(filled):
    assert stat.S_IMODE(filled.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in entries(filled)} == {0o600}
    assert all(path.suffix == ".kernel" for path in filled.iterdir())  # no temporary file left


def test_modes_do_not_follow_the_umask(cache):
    run(cache, "import os; os.umask(0)" + PROGRAM)
    assert {stat.S_IMODE(path.stat().st_mode) for path in entries(cache)} == {0o600}
    assert stat.S_IMODE(cache.stat().st_mode) & 0o022 == 0


def test_off_keeps_nothing(tmp_path):
    process = run("off", HOME=str(tmp_path), XDG_CACHE_HOME="")
    assert (process.stdout, process.stderr) == (ANSWER, "")
    # NVIDIA's driver keeps a cache of its own.
    assert [path.name for path in tmp_path.iterdir() if path.name != ".nv"] == []


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "HOME"])
def test_default_directory(tmp_path, variable):
    environment = {"GPUNP_CACHE_DIR": "", "XDG_CACHE_HOME": "", variable: str(tmp_path)}
    process = run(None, **environment)
    assert process.stdout == ANSWER, process.stderr
    directory = tmp_path / "gpunp" if variable == "XDG_CACHE_HOME" else tmp_path / ".cache/gpunp"
    assert entries(directory)


def damage_truncate(path):
    path.write_bytes(path.read_bytes()[:-7])


def damage_empty(path):
    path.write_bytes(b"")


def damage_header_only(path):
    path.write_bytes(path.read_bytes()[:32])


def damage_tail_bit(path):
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


def damage_key_bit(path):
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(data)


def damage_sizes(path):
    data = bytearray(path.read_bytes())
    data[8:24] = b"\xff" * 16
    path.write_bytes(data)


def damage_longer(path):
    path.write_bytes(path.read_bytes() + b"x")


def damage_symlink(path):
    real = path.with_name("real")
    path.rename(real)
    path.symlink_to(real)


def damage_fifo(path):
    path.unlink()
    os.mkfifo(path)


def damage_directory(path):
    path.unlink()
    path.mkdir()


def damage_writable(path):
    path.chmod(0o666)


def damage_swapped(path):
    """The right file under the wrong name: the key inside says so."""
    other = next(p for p in entries(path.parent) if p != path)
    path.write_bytes(other.read_bytes())


@pytest.mark.parametrize(
    "damage", [f for name, f in sorted(globals().items()) if "damage_" in name]
)
def test_damaged_entry_is_a_miss(filled, damage):
    for path in entries(filled):
        damage(path)
    process = run(filled, GPUNP_DEBUG="3")
    assert process.stdout == ANSWER, process.stderr
    assert compiled(process)[0] > 0
    if damage is not damage_directory:  # in whose place no file can go
        again = run(filled, GPUNP_DEBUG="3")
        assert again.stdout == ANSWER and compiled(again)[0] == 0


def test_flipped_bytes(filled):
    """A wrong byte anywhere is a miss, after which the entry is as good as it was."""
    path = entries(filled)[0]
    good = path.read_bytes()
    for position in (9, len(good) // 3, len(good) * 2 // 3):
        data = bytearray(good)
        data[position] ^= 0x55
        path.write_bytes(data)
        process = run(filled)
        assert process.stdout == ANSWER, (position, process.stderr)
        assert path.read_bytes() == good


def test_symbolic_link_as_directory(tmp_path):
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    process = run(tmp_path / "link")
    assert process.stdout == ANSWER
    assert process.stderr.count("RuntimeWarning") == 1 and "in memory only" in process.stderr
    assert list((tmp_path / "real").iterdir()) == []


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_directory_that_others_may_write(cache, mode):
    cache.mkdir()
    cache.chmod(mode)
    process = run(cache)
    assert process.stdout == ANSWER
    assert process.stderr.count("RuntimeWarning") == 1 and "other users" in process.stderr
    assert list(cache.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_owner_of_directory_and_entries(filled):
    for path in entries(filled):
        os.chown(path, 12345, 12345)
    process = run(filled, GPUNP_DEBUG="3")
    assert process.stdout == ANSWER and compiled(process)[1] == 0
    os.chown(filled, 12345, 12345)
    process = run(filled)
    assert process.stdout == ANSWER and "belongs to another user" in process.stderr


def test_file_in_the_directorys_place(cache):
    cache.write_text("not a directory")
    process = run(cache)
    assert process.stdout == ANSWER and "in memory only" in process.stderr


def test_warning_as_error_leaves_the_kernel_usable(cache):
    cache.write_text("not a directory")
    program = """
import warnings; warnings.simplefilter("error")
import gpunp as cp
try:
    cp.arange(5)
except RuntimeWarning:
    print("warned")
print(cp.arange(5).tolist())
"""
    process = run(cache, program)
    assert process.stdout == "warned\n[0, 1, 2, 3, 4]\n", process.stderr


def test_eviction_takes_the_oldest(filled):
    files = entries(filled)
    for i, path in enumerate(files):
        os.utime(path, (1_000_000 + i, 1_000_000 + i))
    size = sum(path.stat().st_size for path in files)
    program = "import gpunp as cp\nprint((cp.arange(5.0) - 1).tolist())"
    process = run(filled, program, GPUNP_CACHE_LIMIT=str(size))
    assert process.stdout == "[-1.0, 0.0, 1.0, 2.0, 3.0]\n", process.stderr
    assert sum(path.stat().st_size for path in entries(filled)) <= size * 1.6
    assert not files[0].exists()


def test_forgotten_temporary_files_go(filled):
    old, new = filled / ".tmp-1-1-1", filled / ".tmp-2-2-2"
    old.write_text("x")
    new.write_text("x")
    os.utime(old, (1_000_000, 1_000_000))
    run(filled, "import gpunp as cp\nprint((cp.arange(5.0) - 1).tolist())")
    assert not old.exists() and new.exists()


def test_many_processes_at_once(cache):
    processes = [None] * 4

    def work(i):
        processes[i] = run(cache)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(p.stdout, p.stderr) for p in processes] == [(ANSWER, "")] * 4
    assert all(path.suffix == ".kernel" for path in cache.iterdir())
    assert compiled(run(cache, GPUNP_DEBUG="3"))[0] == 0


def test_edited_header_is_another_key(filled, tmp_path):
    """GPUNP_KERNELS: the text of every header is part of the key."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    header = (ROOT / "kernels" / "gnp.cuh").read_text()
    (kernels / "gnp.cuh").write_text(header + "\n// edited\n")
    process = run(filled, GPUNP_KERNELS=str(kernels), GPUNP_DEBUG="3")
    assert process.stdout == ANSWER and compiled(process)[0] > 0 and compiled(process)[1] == 0


def test_source_that_does_not_compile(cache, tmp_path):
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    header = (ROOT / "kernels" / "gnp.cuh").read_text()
    (kernels / "gnp.cuh").write_text(header + "\nthis is no C++;\n")
    program = """
import gpunp as cp
for _ in range(2):
    try:
        cp.arange(5)
    except cp.cuda.CompileException as error:
        print("NVRTC_ERROR_COMPILATION" in str(error), "this is no C++" in str(error))
print(cp.get_default_memory_pool().used_bytes())
"""
    process = run(cache, program, GPUNP_KERNELS=str(kernels))
    assert process.stdout == "True True\nTrue True\n0\n", process.stderr


def test_dump(cache, tmp_path):
    folder = tmp_path / "dump"
    process = run(cache, GPUNP_DUMP=str(folder))
    assert process.stdout == ANSWER, process.stderr
    kernels = list(folder.iterdir())
    assert kernels
    for kernel in kernels:
        names = {path.name for path in kernel.iterdir()}
        assert {"kernel.cu", "knobs.cuh", "key"} <= names and names & {"ptx", "cubin"}


def test_threads_share_a_compilation(cache):
    program = """
import threading
import gpunp as cp
cp.cuda.alloc(1)
results = []
threads = [threading.Thread(target=lambda: results.append((cp.arange(5) * 3).tolist()))
           for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(results == [[0, 3, 6, 9, 12]] * 8)
"""
    process = run(cache, program, GPUNP_DEBUG="3")
    assert process.stdout == "True\n", process.stderr
    assert compiled(process)[0] == len(entries(cache))
