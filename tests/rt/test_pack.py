"""Kernel packs: what a pack has is not compiled, and what is wrong with one costs a compilation."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import child
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from pack import PTX_TARGET, wheel_tasks

import gpunp
from gpunp import _C, _pack

pytestmark = pytest.mark.null  # programs run in processes of their own

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "tools" / "pack.txt"
PROGRAM = """
import sys
import gpunp as cp
a = cp.arange(5)
k = cp.RawKernel('extern "C" __global__ void f(long long *x) { x[threadIdx.x] += 1; }', 'f')
k((1,), (5,), (a,))
square = cp.ElementwiseKernel('T x', 'T y', 'y = x * x', 'square')
print((square(a) * 3 + 1).tolist(), *sys.argv[1:])
"""
ANSWER = "[4, 13, 28, 49, 76]"


def python(*arguments, **environment):
    """Run Python with the kernel cache off unless told otherwise; return the finished process."""
    variables = child.environment(
        **{"GPUNP_CACHE_DIR": "off", "GPUNP_DEBUG": "3", "GPUNP_PACK": "off"} | environment
    )
    return subprocess.run(
        [sys.executable, *arguments],
        env=variables,
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        check=False,
    )


def counts(process):
    """How many kernels the process compiled, and how many came from a pack."""
    assert process.returncode == 0, process.stderr
    lines = process.stderr.splitlines()
    return (
        sum(line.startswith("gpunp: compiled") for line in lines),
        sum(line.startswith("gpunp: loaded") and " from a pack" in line for line in lines),
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The cache that the program leaves, and a pack of it."""
    folder = tmp_path_factory.mktemp("pack")
    process = python("-c", PROGRAM, GPUNP_CACHE_DIR=str(folder / "cache"))
    assert process.stdout == ANSWER + "\n", process.stderr
    entries = []
    for key, stored in _pack.read_cache(folder / "cache"):
        version, target, request = _pack.read_key(key)
        name = "compute_90" if target == "emulated" else target
        entries.append(_pack.Entry(name, request.file, key, stored))
    assert len(entries) == counts(process)[0]
    return entries, version


@pytest.fixture
def pack(made, tmp_path):
    path = tmp_path / "program.pack"
    _pack.write(path, *made)
    return path


# ---- using one -------------------------------------------------------------------------------


def test_packed_kernels_are_not_compiled_and_need_no_compiler(pack, made):
    program = PROGRAM + "from gpunp import _C; print(_C._library_paths().get('nvrtc'))"
    process = python("-c", program, GPUNP_PACK=str(pack))
    assert counts(process) == (0, len(made[0]))
    on_emulated = "emulated" in os.environ.get("GPUNP_DEVICE", "")
    assert process.stdout.splitlines()[0] == ANSWER
    assert not on_emulated or process.stdout.splitlines()[1] == "None"


def test_off_and_other_files(pack, made, tmp_path):
    assert counts(python("-c", PROGRAM, GPUNP_PACK="off"))[1] == 0
    listed = f":{tmp_path / 'absent.pack'}:{pack}"
    process = python("-W", "always", "-c", PROGRAM, GPUNP_PACK=listed)
    assert counts(process) == (0, len(made[0]))
    assert "absent.pack cannot be read, and is not used" in process.stderr


def cut(data):
    return data[:-9]


def foreign(data):
    return b"#!/bin/sh\n" + data


def flip_index(data):
    return data[:150] + bytes([data[150] ^ 1]) + data[151:]


def flip_block(data):
    return data[:-99] + bytes([data[-99] ^ 4]) + data[-98:]


def many_entries(data):
    return data[:24] + b"\xff\xff\xff\xff" + data[28:]


@pytest.mark.parametrize("damage", [cut, foreign, flip_index, flip_block, many_entries])
def test_damaged_pack_is_a_warning_and_a_miss(pack, made, damage):
    pack.write_bytes(damage(pack.read_bytes()))
    process = python("-W", "always", "-c", PROGRAM, GPUNP_PACK=str(pack))
    compiled, loaded = counts(process)
    assert compiled + loaded == len(made[0]) and compiled > 0
    assert process.stdout == ANSWER + "\n"
    assert "and is not used" in process.stderr and "RuntimeWarning" in process.stderr


def test_kernels_of_another_source_are_not_found(pack, tmp_path):
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    text = (ROOT / "kernels" / "gnp.cuh").read_text()
    (kernels / "gnp.cuh").write_text(text + "// edited\n")
    process = python("-c", PROGRAM, GPUNP_PACK=str(pack), GPUNP_KERNELS=str(kernels))
    assert counts(process)[1] == 0 and process.stdout == ANSWER + "\n"


def test_image_that_does_not_load_is_compiled(made, tmp_path):
    entries, version = made
    broken = [entry._replace(stored=b"\0" + b"not an image\0") for entry in entries]
    _pack.write(tmp_path / "broken.pack", broken, version)
    process = python("-c", PROGRAM, GPUNP_PACK=str(tmp_path / "broken.pack"))
    assert counts(process)[0] == len(entries) and process.stdout == ANSWER + "\n"


def test_asked_compiler_must_have_made_it(pack, made):
    entries, (major, minor) = made
    path = _C._library_paths().get("nvrtc") or nvrtc_path()
    assert counts(python("-c", PROGRAM, GPUNP_PACK=str(pack), GPUNP_NVRTC=path))[0] == 0
    _pack.write(pack, entries, (major, minor + 1))
    assert counts(python("-c", PROGRAM, GPUNP_PACK=str(pack), GPUNP_NVRTC=path))[1] == 0


def nvrtc_path():
    _C._compiler()
    return _C._library_paths()["nvrtc"]


def test_report_without_a_compiler(tmp_path):
    process = python("-m", "gpunp", GPUNP_NVRTC=str(tmp_path / "absent.so"))
    assert process.returncode == 0 and "not usable" in process.stdout, process.stderr


# ---- making one ------------------------------------------------------------------------------


def test_same_entries_give_the_same_file_and_texts_stand_once(made, tmp_path):
    entries, version = made
    first, second = tmp_path / "first.pack", tmp_path / "second.pack"
    size = _pack.write(first, entries, version)
    assert _pack.write(second, entries[::-1] * 2, version) == size == first.stat().st_size
    assert first.read_bytes() == second.read_bytes()
    same = [entry._replace(key=entry.key + b"!") for entry in entries]
    assert _pack.place([*entries, *same])[0] == _pack.place(entries)[0]


PTX = b"""\0//
.version 9.0
.target sm_75
.address_size 64

.func (.param .b32 r) twice
(
\t.param .b32 a
)
;
.func (.param .b32 r) twice
{
\tret;
}
.entry f()
{
\tcall (r), twice, (a);
}
"""


def cubin(code):
    """An ELF file with two sections of code and a table of names between them and its sections."""
    names = b"\0.text.f\0.text.g\0.shstrtab\0"
    sections = [(0, 0, 0), (1, 64, 16), (9, 80, len(code) - 16), (17, 64 + len(code), len(names))]
    table = b"".join(struct.pack("<2I4Q24x", n, 1, 0, 0, at, size) for n, at, size in sections)
    start = 64 + len(code) + len(names)
    head = b"\x7fELF".ljust(0x28, b"x") + struct.pack("<Q10x3H", start, 64, len(sections), 3)
    return b"\0" + head + code + names + table


def test_parts_of_kernels():
    parts = _pack.parts_of(PTX)
    assert b"".join(part for _, part in parts) == PTX and {kind for kind, _ in parts} == {"ptx"}
    assert [part.split(b"\n", 1)[0] for _, part in parts] == [
        b"\0//", b"", b".func (.param .b32 r) twice", b".entry f()",
    ]  # fmt: skip
    code = bytes(range(48))
    parts = _pack.parts_of(cubin(code))
    assert [kind for kind, _ in parts] == ["frame", "code", "frame"] and parts[1][1] == code
    assert b"".join(part for _, part in parts) == cubin(code)


def test_parts_stand_once_and_are_joined(tmp_path, made):
    """Kernels that call the same function, and such as are next to each other."""
    entries, version = made
    more = [
        _pack.Entry(
            "compute_75", "g.cu", b"\nheader %d" % i, PTX.replace(b"entry f", b"entry g%d" % i)
        )
        for i in range(3)
    ]
    blocks, lists = _pack.place(more)
    assert [list_bytes // _pack.PART.size for _, _, list_bytes in lists.values()] == [1, 2, 2]
    assert len(blocks) == 1 and blocks[0].count(b"ret;") == 1
    assert blocks[0].count(b"call") == 3
    for entry in more:
        number, offset, size = lists[entry.stored]
        rows = _pack.PART.iter_unpack(blocks[number][offset : offset + size])
        assert b"".join(blocks[b][at : at + n] for b, at, n in rows) == entry.stored


def test_parts_of_ptx_are_near(monkeypatch):
    """The function that all call stands again where its block is not the one before."""
    monkeypatch.setitem(_pack.BLOCK_BYTES, "ptx", 2 * len(PTX))
    filled = [
        PTX.replace(b"entry f", b"entry g%d" % i).replace(b"(a)", b"(%08d)" % i) for i in range(40)
    ]
    blocks = _pack.Blocks()
    for stored in filled:
        number, offset, size = blocks.put_kernel(stored)
        rows = list(_pack.PART.iter_unpack(blocks.blocks[number][offset : offset + size]))
        assert b"".join(blocks.blocks[b][at : at + n] for b, at, n in rows) == stored
        assert max(row[0] for row in rows) - min(row[0] for row in rows) <= 2
    calls = sum(block.count(b"ret;") for block in blocks.blocks)
    assert 2 < calls < len(blocks.blocks) < 40


@pytest.mark.parametrize("wrong", ["check", "parts"])
def test_damage_that_unpacks(made, tmp_path, monkeypatch, wrong):
    """The index is right and the contents are not: other bytes, and parts outside of the blocks."""
    entries, version = made
    if wrong == "check":
        monkeypatch.setattr(_pack, "check_of", lambda entry: 1)
    else:
        monkeypatch.setattr(_pack, "PART", Shifted("<3I"))
    _pack.write(tmp_path / "wrong.pack", entries, version)
    process = python("-W", "always", "-c", PROGRAM, GPUNP_PACK=str(tmp_path / "wrong.pack"))
    assert counts(process) == (len(entries), 0) and process.stdout == ANSWER + "\n"
    assert "wrong.pack is damaged, and is not used" in process.stderr


class Shifted(struct.Struct):
    """Writes parts that end behind their block."""

    def pack(self, block, offset, size):
        return super().pack(block, offset + (1 << 31), size)


def test_key_is_read_and_compiles_to_itself(made):
    entries, _ = made
    for entry in entries:
        _, target, request = _pack.read_key(entry.key)
        again = _pack.compile_one(request, target)
        assert (again.target, again.file, again.key) == (entry.target, entry.file, entry.key)
        # Names of files in PTX are those of the folder where it was compiled.
        assert without_files(again.stored) == without_files(entry.stored)


def without_files(stored):
    return [line for line in stored.split(b"\n") if b".file" not in line]


def test_list_of_kernels(made, tmp_path):
    entries, _ = made
    own = [_pack.own_kernel(_pack.read_key(entry.key)[2]) for entry in entries]
    own = [request for request in own if request is not None]
    assert 0 < len(own) < len(entries)  # the program's own kernels are not among them
    _pack.write_list(tmp_path / "list.txt", own, "two\nlines")
    assert _pack.read_list(tmp_path / "list.txt") == own
    count, size, targets = _pack.build(
        tmp_path / "list.txt", tmp_path / "list.pack", ["emulated", "sm_90", "sm_1"]
    )
    assert targets == ["emulated", "sm_90"] and count == 2 * len(own)
    assert (tmp_path / "list.pack").stat().st_size == size
    process = python("-c", PROGRAM, GPUNP_PACK=str(tmp_path / "list.pack"))
    on_emulated = "emulated" in os.environ.get("GPUNP_DEVICE", "")
    assert not on_emulated or counts(process) == (len(entries) - len(own), len(own))


def test_list_of_kernels_with_code_around_them(made, tmp_path):
    """The ElementwiseKernel is such a kernel, the RawKernel is none of ours."""
    requests = [_pack.read_key(entry.key)[2] for entry in made[0]]
    kept = [_pack.own_kernel(each) or _pack.surrounded_kernel(each) for each in requests]
    kept = [request for request in kept if request is not None]
    assert len(kept) == len(requests) - 1
    assert sum(request.source is not None for request in kept) == 1
    _pack.write_list(tmp_path / "list.txt", sorted(kept, key=_pack.list_order), "one line")
    assert _pack.read_list(tmp_path / "list.txt") == sorted(kept, key=_pack.list_order)
    _pack.build(tmp_path / "list.txt", tmp_path / "list.pack", ["emulated"])
    process = python("-c", PROGRAM, GPUNP_PACK=str(tmp_path / "list.pack"))
    on_emulated = "emulated" in os.environ.get("GPUNP_DEVICE", "")
    assert not on_emulated or counts(process) == (1, len(kept))


def test_wheels_list_is_that_of_these_kernels(made):
    """Where this fails after a change of kernels' parameters: `python tools/pack.py record`."""
    listed = _pack.read_list(LIST)
    assert len(set(listed)) == len(listed) > 300
    assert all(_C._kernel_source(request.file) is not None for request in listed)
    own = [_pack.own_kernel(_pack.read_key(entry.key)[2]) for entry in made[0]]
    assert {request for request in own if request is not None} <= set(listed)


# Functions of one and several results, with numbers and integers, real and complex.
SPECIAL = """
import numpy as np
import gpunp as cp
from gpunp.scipy import special
x, z = cp.asarray([0.25, 1.5, 3.0]), cp.asarray([0.5 + 1j, -2.0])
y = cp.asarray(np.float32([0.25, 0.5]))
for result in (special.gamma(x), special.gamma(y), special.jv(2, x), special.jv(x, x), *special.sici(y),
               special.eval_legendre(3, x), special.betainc(2, 3.5, y), special.psi(z)):
    print(result.get().tobytes().hex())
"""
ASKED = (
    ("gamma(", "f64"), ("gamma(", "f32"), ("jv(", "f64"), ("sici(", "f32"),
    ("eval_legendre(", "f64"), ("betainc(", "f32"), ("psi(", "c128"),
)  # fmt: skip


@pytest.fixture(scope="module")
def special_pack(tmp_path_factory):
    """PTX of some loops of special functions, as wheels have it; its number of kernels."""
    path = tmp_path_factory.mktemp("special") / "special.pack"
    chosen = [
        (request, target)
        for request, target in wheel_tasks()
        if target == PTX_TARGET
        and any(
            f"special::{name}" in request.header and f"typedef {result} R;" in request.header
            for name, result in ASKED
        )
    ]
    count, _, names = _pack.make(chosen, path)
    assert names == [PTX_TARGET] and count == len(chosen) < 30
    return path


def test_special_functions_of_a_wheel_are_not_compiled(special_pack):
    expected = python("-c", SPECIAL)
    process = python("-c", SPECIAL, GPUNP_PACK=str(special_pack))
    assert counts(expected) == (8, 0)
    assert counts(process) == (0, 8) or driver_is_older()
    assert process.stdout == expected.stdout


def driver_is_older():
    """Whether the driver does not know the version of PTX that this compiler makes."""
    major, minor, _ = _C._compiler()
    return gpunp.cuda.runtime.driverGetVersion() < 1000 * major + 10 * minor


def made_by(entry, version):
    """The entry as if another compiler had made it."""
    own = b"nvrtc %d.%d\n" % _C._compiler()[:2]
    assert own in entry.key
    return entry._replace(key=entry.key.replace(own, b"nvrtc %d.%d\n" % tuple(version)))


def test_driver_takes_no_newer_ptx(tmp_path, made):
    """The emulated device as if it were NVIDIA's driver: it says its version and reads no cubin."""
    own = [_pack.own_kernel(_pack.read_key(entry.key)[2]) for entry in made[0]]
    entries = [_pack.compile_one(request, PTX_TARGET) for request in own if request is not None]
    variables = {"GPUNP_DRIVER": str(Path(gpunp.__file__).with_name("libgpunp_emu.so"))}
    variables |= {"GPUNP_DEVICE": "cuda", "GPUNP_PACK": str(tmp_path / "ptx.pack")}
    asked = python(
        "-c", "import gpunp as cp; print(cp.cuda.runtime.driverGetVersion())", **variables
    )
    version = int(asked.stdout) // 10
    for newer in (False, True):
        maker = divmod(version + newer, 100)
        _pack.write(tmp_path / "ptx.pack", [made_by(entry, maker) for entry in entries], maker)
        process = python("-c", "import gpunp as cp; print(int(cp.arange(5)[3]))", **variables)
        assert (process.stdout == "3\n") == (not newer), process.stderr
        assert ("from a pack" in process.stderr) == (not newer)


def test_special_functions_of_another_source_are_not_found(special_pack, tmp_path):
    text = (ROOT / "kernels" / "special" / "basic.cuh").read_text()
    (tmp_path / "special").mkdir()
    (tmp_path / "special" / "basic.cuh").write_text(text + "// edited\n")
    variables = {"GPUNP_PACK": str(special_pack), "GPUNP_KERNELS": str(tmp_path)}
    process = python("-c", SPECIAL.replace("jv(x, x)", "jv(2, x)"), **variables)
    assert counts(process)[1] == 0


def test_wheel_has_each_loop_of_special_functions():
    headers = {r.header for r, target in wheel_tasks() if target == PTX_TARGET}
    loops = sum(len(row["types"]) for row in _C.special_table())
    assert sum("special::" in header for header in headers) > loops > 600


def test_target_that_is_none():
    with pytest.raises(ValueError, match="a target is sm_90 or compute_90, got sm90"):
        _C._compile_for("fill.cu", None, None, None, None, (), "sm90", False)
    with pytest.raises(ValueError, match="no kernel file nothing.cu"):
        _C._compile_for("nothing.cu", None, None, None, None, (), "sm_90", False)


# ---- LZMA ------------------------------------------------------------------------------------


def compressed(data, preset=9, **parameters):
    lzma = pytest.importorskip("lzma")
    filters = [{"id": lzma.FILTER_LZMA1, "preset": preset} | _pack.LZMA_PARAMETERS | parameters]
    return lzma.compress(data, lzma.FORMAT_RAW, filters=filters)


@pytest.mark.parametrize("preset", [0, 6, 9])
def test_unpacked_as_it_was_packed(preset, rng):
    source = (ROOT / "kernels" / "gnp.cuh").read_bytes()
    texts = [b"", b"a", b"ab" * 70000, bytes(300000), source, rng.bytes(70000)]
    # Matches at all distances and of all lengths, between bytes that nothing predicts.
    texts.append(
        b"".join(source[i % 9000 : i % 9000 + i % 300] + rng.bytes(3) for i in range(3000))
    )
    texts.append(rng.bytes(200000) * 2 + source)
    texts.append(rng.integers(0, 4, 50000).astype("u1").tobytes() + source[::-1])
    for text in texts:
        assert _C._lzma(compressed(text, preset), len(text)) == text
        assert _C._lzma(compressed(text, preset, nice_len=5, dict_size=4096), len(text)) == text


def test_other_sizes_and_damage_are_refused(rng):
    text = (ROOT / "kernels" / "gnp.cuh").read_bytes()
    packed = compressed(text)
    assert _C._lzma(packed, len(text) + 1) is None
    assert _C._lzma(packed, len(text) - 1) == text[:-1]  # the checksum of a block tells
    for n in (0, 1, 4, 10, len(packed) // 2, len(packed) - 20):
        assert _C._lzma(packed[:n], len(text)) is None
    for _ in range(500):
        damaged = bytearray(packed)
        damaged[rng.integers(len(packed))] ^= 1 << rng.integers(8)
        got = _C._lzma(bytes(damaged), len(text))
        assert got is None or len(got) == len(text)
        rubbish = rng.bytes(40)
        got = _C._lzma(rubbish, 300)
        assert got is None or len(got) == 300


def test_pack_that_was_made_without_lzma(pack, made, tmp_path, monkeypatch):
    monkeypatch.setattr(_pack, "lzma", None)
    plain = tmp_path / "plain.pack"
    assert _pack.write(plain, *made) > 2 * pack.stat().st_size
    assert counts(python("-c", PROGRAM, GPUNP_PACK=str(plain))) == (0, len(made[0]))


# ---- python -m gpunp warm --------------------------------------------------------------------


def warm(tmp_path, *arguments, program=PROGRAM):
    (tmp_path / "program.py").write_text(program)
    return python("-m", "gpunp", "warm", *arguments, str(tmp_path / "program.py"), "-x", "1")


def test_warm_makes_a_pack_for_the_device(tmp_path, made):
    output = tmp_path / "out.pack"
    process = warm(tmp_path, "-o", str(output))
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith(ANSWER + " -x 1\n")
    assert f"{output}: {len(made[0])} kernels for " in process.stdout
    again = python("-c", PROGRAM, GPUNP_PACK=str(output))
    assert counts(again) == (0, len(made[0]))
    report = python("-m", "gpunp", "cache", GPUNP_PACK=str(output)).stdout
    assert f"{output}: {len(made[0])} kernels" in report


def test_warm_for_other_architectures(tmp_path, made):
    output = tmp_path / "out.pack"
    process = warm(tmp_path, "-o", str(output), "--arch", "sm_80,sm_90,emulated")
    assert process.returncode == 0, process.stderr
    assert f"{3 * len(made[0])} kernels for sm_90, sm_80, compute_90" in process.stdout


def test_warm_says_before_the_program_runs_where_it_cannot_write(tmp_path):
    ran, program = tmp_path / "ran", "open('ran', 'w').close()"
    for output, words in (
        (tmp_path / "absent" / "x.pack", "there is no folder"),
        (tmp_path, "is a folder"),
    ):
        process = warm(tmp_path, "-o", str(output), program=program.replace("ran", str(ran)))
        assert process.returncode == 1 and words in process.stderr
        assert "Traceback" not in process.stderr and not ran.exists()
    process = python("-m", "gpunp", "warm")
    assert process.returncode == 2 and process.stderr.endswith("are required: SCRIPT\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["warmer"], "there is no command 'warmer'"),
        (["cache", "cleer"], "wrong arguments of 'cache'"),
        (["timeline", "x"], "wrong arguments of 'timeline'"),
        (["emulate"], "wrong arguments of 'emulate'"),
        (["emu"], "there is no command 'emu'"),
    ],
)
def test_unknown_commands(arguments, words):
    process = python("-m", "gpunp", *arguments)
    assert process.returncode == 2
    assert process.stderr.startswith(f"python -m gpunp: {words}\n")


def test_warm_that_fails(tmp_path):
    process = warm(tmp_path, program="raise SystemExit(3)")
    assert process.returncode == 3 and "no pack was made" in process.stderr
    process = warm(tmp_path, program="pass")
    assert process.returncode == 1 and "compiled no kernels" in process.stderr
    process = warm(tmp_path, "--arch", "sm_80,hopper")
    assert process.returncode != 0 and "'hopper' is no architecture" in process.stderr
    assert not list(tmp_path.glob("*.pack"))
