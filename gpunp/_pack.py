"""Kernel packs: files of compiled kernels for several architectures.

`csrc/rt/pack.c` reads them and describes the format. A pack is made in two ways: of a list of
kernels when a wheel is built (`setup.py`, `tools/pack.txt`), and of what a program compiled
(`python -m gpunp warm`). Both end in `compile_all` and `write`. No device is needed, only NVRTC.
"""

import concurrent.futures
import contextlib
import multiprocessing
import os
import re
import struct
from pathlib import Path
from typing import NamedTuple

from . import _C

try:
    import lzma
except ImportError:  # a Python built without liblzma
    lzma = None  # type: ignore[assignment]

__all__ = ["build", "make", "read_cache", "read_list", "write", "write_list"]

MAGIC = b"GNPPACK3"
CACHE_HEADER = struct.Struct("<8sQQQ")  # csrc/rt/cache.c
HEADER = struct.Struct("<8s6IQ96s")
BLOCK = struct.Struct("<QII")
ENTRY = struct.Struct("<2Q4I")
PART = struct.Struct("<3I")
TARGET = struct.Struct("<II")
# Bytes of a block, by what is in it: machine code, the rest of its files, PTX. One is unpacked as a
# whole, which takes 1 to 2 ms; larger ones are packed better. PTX repeats itself most.
BLOCK_BYTES = {"code": 3 << 16, "frame": 1 << 18, "ptx": 1 << 19}
# Where PTX is cut: behind its head, a declaration, a function.
PTX_PARTS = re.compile(rb"(?<=\.address_size 64\n)|(?<=\n;\n)|(?<=\n\}\n)")
LZMA_PARAMETERS = {"lc": 3, "lp": 0, "pb": 2}  # those of csrc/rt/lzma.c
EMULATED_ARCH = 90
# Lines of a list: the compiler's options and the code around a kernel file; where its text stands.
AROUND = "-- around, compiled with "
FILE_HERE = "-- the kernel file\n"


# What csrc/rt/compile.c adds to the options of a request.
ADDED_OPTIONS = {"-no-cache", "-Xptxas=--split-compile=8"}


class Request(NamedTuple):
    """What is compiled: `source` is None for a file of ours, `options` for those of our kernels."""

    file: str
    source: str | None
    header_name: str | None
    header: str | None
    options: tuple | None
    names: tuple


class Entry(NamedTuple):
    """A compiled kernel: its target, the cache's key and what the cache stores under it."""

    target: str
    file: str
    key: bytes
    stored: bytes


# ---- keys ------------------------------------------------------------------------------------


def take_line(data, word):
    """Split `word REST\\n...` into REST and what follows; None and all where the word differs."""
    if not data.startswith(word + b" "):
        return None, data
    line, rest = data[len(word) + 1 :].split(b"\n", 1)
    return line.decode(), rest


def take_lines(data, word):
    """All lines that begin with the word, one behind the other, and what follows."""
    found = []
    while True:
        line, rest = take_line(data, word)
        if line is None:
            return found, data
        found.append(line)
        data = rest


def read_key(key):
    """Read a key of the cache (make_key in csrc/rt/compile.c): version, target and Request."""
    _, data = key.split(b"\n", 1)
    _, data = take_line(data, b"gpunp")
    version, data = take_line(data, b"nvrtc")
    _, data = take_line(data, b"headers")
    options, data = take_lines(data, b"option")
    names, data = take_lines(data, b"name")
    file, data = take_line(data, b"file")
    header_name = header = None
    line, rest = take_line(data, b"header")
    if line is not None:
        header_name, size = line.rsplit(" ", 1)
        header, data = rest[: int(size)].decode(), rest[int(size) + 1 :]
    _, source = take_line(data, b"source")
    target = options.pop(0).split("=")[1]
    while options and options[0] in ADDED_OPTIONS:
        del options[0]
    if target.startswith("compute_") and options and options[0] == "-lineinfo":
        target = "emulated"
        del options[0]
    request = Request(file, source.decode(), header_name, header, tuple(options), tuple(names))
    return tuple(int(part) for part in version.split(".")), target, request


def _cache_files(directory):
    """Each file of the kernel cache: its key, the file open behind it, the bytes that follow."""
    for path in sorted(Path(directory).glob("*.kernel")):
        with contextlib.suppress(OSError), path.open("rb") as file:
            header = file.read(CACHE_HEADER.size)
            if len(header) == CACHE_HEADER.size and header.startswith(b"GNPKERN1"):
                _, key_bytes, stored_bytes, _ = CACHE_HEADER.unpack(header)
                yield file.read(key_bytes), file, stored_bytes


def cached_keys(directory):
    """The keys of a directory of the kernel cache, one by one."""
    return (key for key, _, _ in _cache_files(directory))


def read_cache(directory):
    """Read the entries of a directory of the kernel cache: (key, stored) pairs."""
    found = [(key, file.read(), size) for key, file, size in _cache_files(directory)]
    return [(key, stored) for key, stored, size in found if len(stored) == size]


# ---- lists -----------------------------------------------------------------------------------


def own_kernel(request):
    """The Request without what is the same for all kernels of ours; None for a program's own."""
    if request.header is None or request.names or request.source != _C._kernel_source(request.file):
        return None
    if request.options != _C._kernel_options:
        return None
    return request._replace(source=None, options=None)


def surrounded_kernel(request):
    """The Request of a kernel file of ours with a program's code around it; None for others."""
    if request.header is None or request.names:
        return None
    return request if (_C._kernel_source(request.file) or "\0") in request.source else None


def list_order(request):
    """By what requests of a list are sorted."""
    return request.file, request.header, request.source or ""


def write_list(path, requests, comment):
    """Write requests for kernels of ours: a line with two names for each, and its header.

    Code around the kernel file follows: the compiler's options, what is before the file's text, and
    what is behind it.
    """
    lines = [f"# {line}\n" for line in comment.splitlines()]
    for request in requests:
        lines.append(f"== {request.file} {request.header_name}\n{request.header.rstrip()}\n")
        if request.source is not None:
            before, behind = request.source.split(_C._kernel_source(request.file))
            lines.append(f"{AROUND}{' '.join(request.options)}\n{before}{FILE_HERE}{behind}")
    Path(path).write_text("".join(lines))


def read_list(path):
    """Read what `write_list` wrote."""
    found = []
    for part in Path(path).read_text().split("\n== ")[1:]:
        names, header = part.split("\n", 1)
        file, header_name = names.split()
        header, mark, around = header.partition(AROUND)
        source = options = None
        if mark:
            words, text = f"{around}\n".split("\n", 1)
            before, behind = text.rstrip("\n").split(FILE_HERE)
            source = f"{before}{_C._kernel_source(file)}{behind}\n"
            options = tuple(words.split())
        request = Request(file, source, header_name, header.rstrip("\n") + "\n", options, ())
        found.append(request)
    return found


# ---- compiling -------------------------------------------------------------------------------


def compiler():
    """Return NVRTC's major and minor version, and the architectures it knows."""
    return _C._compiler()


def usable_targets(wanted):
    """Those of the targets that the installed NVRTC compiles for."""
    known = compiler()[2]
    return [name for name in wanted if name == "emulated" or int(name.split("_")[1]) in known]


def compile_one(request, target):
    """Compile one request; None where it does not compile for the target."""
    emulated = target == "emulated"
    name = f"compute_{EMULATED_ARCH}" if emulated else target
    try:
        key, stored = _C._compile_for(*request, name, emulated)
    except _C.CompileException:
        return None
    return Entry(name, request.file, key, stored)


def compile_all(tasks, progress=None):
    """Compile each (request, target), in as many processes as there are processors."""
    processes = min(len(os.sched_getaffinity(0)), len(tasks) // 8)
    found = []
    with contextlib.ExitStack() as stack:
        if processes > 1:  # NVRTC does parts of its work for one thread at a time
            context = multiprocessing.get_context("spawn")
            pool = concurrent.futures.ProcessPoolExecutor(processes, mp_context=context)
            stack.enter_context(pool)
            results = pool.map(compile_one, *zip(*tasks, strict=True), chunksize=8)
        else:
            results = (compile_one(*task) for task in tasks)
        for i, entry in enumerate(results):
            if progress is not None:
                progress(i + 1, len(tasks))
            if entry is not None:
                found.append(entry)
    return found


# ---- files -----------------------------------------------------------------------------------


def likeness(entry):
    """Entries with similar compile-time parameters have similar code.

    Those of special functions differ by the function more than by types and operands.
    """
    header = entry.key.partition(b"\nheader ")[2].partition(b"\n")[2]
    function = re.search(rb"special::\w+", header)
    first = header.partition(b"\n")[0] + function[0] if function else b""
    return entry.target, entry.file, first, header, entry.key


def code_of(image, start):
    """Where the machine code of a cubin begins and ends, an ELF file from `start` on."""
    table, entry_bytes, count, names = (
        struct.unpack_from(form, image, start + at)[0]
        for form, at in (("<Q", 0x28), ("<H", 0x3A), ("<H", 0x3C), ("<H", 0x3E))
    )
    rows = [
        struct.unpack_from("<2I4Q", image, start + table + i * entry_bytes) for i in range(count)
    ]
    texts = start + rows[names][4]
    found = [
        (start + row[4], start + row[4] + row[5])
        for row in rows
        if image.startswith(b".text", texts + row[0])
    ]
    return min(begin for begin, _ in found), max(end for _, end in found)


def parts_of(stored):
    """(Kind, bytes) of each part: kernels have parts in common.

    PTX consists of functions, of which many kernels call the same; a cubin of its code and what
    stands around it, which is alike for all kernels.
    """
    start = stored.find(b"\x7fELF")
    if start < 0:
        return [("ptx", part) for part in re.split(PTX_PARTS, stored) if part]
    begin, end = code_of(stored, start)
    parts = [("frame", stored[:begin]), ("code", stored[begin:end]), ("frame", stored[end:])]
    return [(kind, part) for kind, part in parts if part]


class Blocks:
    """Blocks that are being filled, one of each kind at a time, with each text once.

    PTX stands once in two blocks that follow each other: a kernel whose functions were in many
    blocks would take long to unpack.
    """

    def __init__(self):
        self.blocks = []
        self.current = {}  # the number of the block of each kind
        self.places = {}

    def put(self, kind, data):
        """The block and the offset of the data, which are added unless they are there."""
        number = self.current.get(kind, 0)
        is_far = kind == "ptx" and data in self.places and number - self.places[data][0] > 1
        if data not in self.places or is_far:
            if kind not in self.current or len(self.blocks[number]) + len(data) > BLOCK_BYTES[kind]:
                number = self.current[kind] = len(self.blocks)
                self.blocks.append(bytearray())
            self.places[data] = (number, len(self.blocks[number]))
            self.blocks[number] += data
        return self.places[data]

    def put_kernel(self, stored):
        """The block, the offset and the size of the list of a kernel's parts."""
        rows = []
        for kind, part in parts_of(stored):
            block, offset = self.put(kind, part)
            if rows and rows[-1][0] == block and sum(rows[-1][1:]) == offset:
                rows[-1][2] += len(part)
            else:
                rows.append([block, offset, len(part)])
        recipe = b"".join(PART.pack(*row) for row in rows)
        return *self.put("ptx" if kind == "ptx" else "frame", recipe), len(recipe)


def place(entries):
    """Put what is stored into blocks: the blocks, {stored: (block, offset, bytes) of its list}."""
    blocks, lists = Blocks(), {}
    for entry in sorted(entries, key=likeness):
        if entry.stored not in lists:
            lists[entry.stored] = blocks.put_kernel(entry.stored)
    return [bytes(block) for block in blocks.blocks], lists


def packed_block(block):
    """The block as csrc/rt/lzma.c reads it, or as it is where packing does not help."""
    if lzma is None:
        return block
    filters = [
        {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 20}
        | LZMA_PARAMETERS
    ]
    packed = lzma.compress(block, lzma.FORMAT_RAW, filters=filters)
    if len(packed) >= len(block):
        return block
    if _C._lzma(packed, len(block)) != block:
        raise AssertionError("what was packed is not unpacked to the same bytes")
    return packed


def check_of(entry):
    """32 bits that tell a kernel that is damaged, or of a key of another size."""
    return _C._hash64(entry.stored, len(entry.key)) & 0xFFFFFFFF


def target_order(name):
    """Machine code first, and the newest architecture of each kind first."""
    kind, arch = name.split("_")
    return kind != "sm", -int(arch)


def write(path, entries, version):
    """Write a pack; return its size in bytes. The same entries give the same bytes."""
    entries = sorted({entry.key: entry for entry in entries}.values())
    targets = sorted({entry.target for entry in entries}, key=target_order)
    blocks, lists = place(entries)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        packed = list(pool.map(packed_block, blocks))  # liblzma works without the GIL
    rows = sorted(
        _C._pack_hash(entry.key) + (check_of(entry), *lists[entry.stored]) for entry in entries
    )
    offset = HEADER.size + TARGET.size * len(targets)
    offset += BLOCK.size * len(blocks) + ENTRY.size * len(rows)
    index = bytearray()
    for name in targets:
        index += TARGET.pack(int(name.split("_")[1]), name.startswith("sm_"))
    for block, data in zip(blocks, packed, strict=True):
        index += BLOCK.pack(offset, len(data), len(block))
        offset += len(data)
    for row in rows:
        index += ENTRY.pack(*row)
    checksum = _C._hash64(bytes(index), len(rows))
    counts = (len(targets), len(blocks), len(rows), 0)
    header = HEADER.pack(MAGIC, *version, *counts, checksum, _C._pack_origin().encode())
    temporary = Path(f"{path}.new")
    temporary.write_bytes(b"".join([header, index, *packed]))
    temporary.replace(path)  # a process that has the old one mapped keeps it
    return offset


def build(list_path, path, targets, progress=None):
    """Make the pack of a list of kernels: (entries, bytes, names of the targets)."""
    requests, usable = read_list(list_path), usable_targets(targets)
    return make([(r, target) for target in usable for r in requests], path, progress)


def make(tasks, path, progress=None):
    """Make the pack of each (request, target): (entries, bytes, names of the targets)."""
    entries = compile_all(tasks, progress)
    names = list(dict.fromkeys(target for _, target in tasks))
    return len(entries), write(path, entries, compiler()[:2]), names
