"""Files and protocols of others, with wrong contents: an exception, and nothing lost.

tests/core/test_interop.py lies about one field at a time, tests/rt/test_cache.py damages the kernel
cache; here are combinations, objects that change while they are read, and files.
"""

import ctypes
import gc
import io
import os
import random
import socket
import struct
import subprocess
import sys
import zipfile

import child
import numpy as np
import pytest

import gpunp as cp

ERRORS = (ValueError, TypeError, BufferError, MemoryError, AttributeError, OSError, EOFError)


def used():
    gc.collect()
    return cp.get_default_memory_pool().used_bytes()


# ---- __cuda_array_interface__


class Interface:
    def __init__(self, description):
        self.description = description

    @property
    def __cuda_array_interface__(self):
        if isinstance(self.description, Exception):
            raise self.description
        return self.description


class Shape(tuple):
    def __len__(self):
        return 65

    def __getitem__(self, i):
        return 2**62


class RaisingDict(dict):
    def __getitem__(self, key):
        raise LookupError(key)

    get = __contains__ = __getitem__


PARTS = {
    "shape": [(2,), (0,), (), (-1,), (2**62, 4), (2**63,), "x", None, [2], Shape((2,)), (True,), (2.0,)],
    "typestr": ["<f8", ">f8", "|b1", "<c16", "O", "", "<f128", 8, None, "|V8", "f" * 10**6, "\0"],
    "data": [(0, False), (64, False), (-1, False), (2**64, False), (2**64 - 1, True), None, (), 5,
             (None, None), ("1", False), [64, False]],
    "strides": [None, (8,), (-8,), (2**62,), (-(2**63),), (2**64,), (8, 8), (), "8", (0,)],
    "version": [3, 2, 0, -1, 2**70, None, "3", 3.0],
    "stream": [None, 1, 2, 0, -1, 2**64, "x"],
    "mask": [None, (1,), object()],
    "descr": [None, [("", "<f8")], [("a", "<i4"), ("b", "O")], "x", 5],
}  # fmt: skip


def test_interfaces_of_random_parts():
    """As wrong as can be: an exception, or an array that nobody reads."""
    choose = random.Random(1)
    real = cp.zeros(2)
    before = used()
    for _ in range(3000):
        d = {k: choose.choice(v) for k, v in PARTS.items() if choose.random() < 0.8}
        if choose.random() < 0.5:
            d["data"] = (real.data.ptr, choose.random() < 0.5)
        try:
            made = cp.asarray(Interface(d))
        except ERRORS:
            continue
        assert made.nbytes <= 64 or 0 in made.strides, d
        del made
    assert used() == before


@pytest.mark.parametrize(
    "description", [RaisingDict(shape=(2,)), LookupError("mine"), MemoryError(), None, 5, [], "x"]
)
def test_interfaces_that_raise(description):
    with pytest.raises((*ERRORS, LookupError)):
        cp.asarray(Interface(description))


# ---- DLPack

api = ctypes.pythonapi
NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
new_capsule = NEW(("PyCapsule_New", api))
NAMES = [b"used_dltensor", b""]  # a capsule keeps the address of its name


class Pack:
    def __init__(self, result, device=(2, 0)):
        self.result, self.device = result, device

    def __dlpack__(self, **kwargs):
        return self.result() if callable(self.result) else self.result

    def __dlpack_device__(self):
        return self.device() if callable(self.device) else self.device


def test_a_capsule_is_taken_once():
    x = cp.arange(4.0)
    capsule = x.__dlpack__()
    assert (cp.from_dlpack(Pack(capsule)) == x).all()
    for _ in range(2):
        with pytest.raises(ERRORS):
            cp.from_dlpack(Pack(capsule))


def test_structures_of_random_bytes():
    """A managed tensor whose every byte may be wrong but for its pointers and its deleter."""
    choose = random.Random(2)
    real = cp.zeros(4)
    before = used()
    shape, strides = (ctypes.c_int64 * 64)(), (ctypes.c_int64 * 64)()
    wide = [0, 1, 2, -1, 64, 65, 2**31 - 1, 2**40, 2**62, 2**63 - 1, -(2**63)]
    for _ in range(3000):
        ndim = choose.choice([0, 1, 1, 2, 3, 64, 65, -1, 2**31 - 1])
        for i in range(64):
            shape[i], strides[i] = choose.choice(wide), choose.choice(wide)
        tensor = struct.pack(
            "<QiiiBBHQQq",
            choose.choice([0, 64, real.data.ptr, 2**64 - 8]),
            choose.choice([2, 2, 13, 1, 3, 0, -1]), choose.choice([0, 0, 7, -1]), ndim,
            choose.choice([2, 0, 1, 4, 5, 6, 200]), choose.choice([64, 32, 8, 7, 0, 255]),
            choose.choice([1, 0, 4]),
            ctypes.addressof(shape) if choose.random() < 0.9 else 0,
            ctypes.addressof(strides) if choose.random() < 0.7 else 0,
            choose.choice([0, 8, 2**63 - 1, -1]),
        )  # fmt: skip
        if choose.random() < 0.5:
            body, name = tensor + struct.pack("<QQ", 0, 0), b"dltensor"
        else:
            version = struct.pack(
                "<II", choose.choice([1, 1, 0, 2, 2**32 - 1]), choose.choice([0, 3])
            )
            flags = choose.choice([0, 1, 2, 3, 2**64 - 1])
            body, name = version + struct.pack("<QQQ", 0, 0, flags) + tensor, b"dltensor_versioned"
        memory = ctypes.create_string_buffer(body, len(body))
        pack = Pack(new_capsule(ctypes.addressof(memory), name, None))
        try:
            made = cp.from_dlpack(pack)
        except ERRORS:
            continue
        assert made.size == 0 or 0 <= made.data.ptr - real.data.ptr < 512  # inside its block
        del made
    assert used() == before


@pytest.mark.parametrize(
    "pack",
    [
        Pack(lambda: 1 / 0),
        Pack(None, lambda: 1 / 0),
        Pack(None, lambda: (2, 0, 0)),
        Pack(None, lambda: (2**40, 0)),
        Pack(lambda: cp.zeros(2)),
        Pack(lambda: Pack(None)),
        Pack(new_capsule(64, NAMES[0], None)),
        Pack(new_capsule(64, None, None)),
        Pack(new_capsule(64, NAMES[1], None)),
    ],
)
def test_producers_that_misbehave(pack):
    with pytest.raises((*ERRORS, ZeroDivisionError)):
        cp.from_dlpack(pack)


# ---- .npy and .npz


def npy(header, data=b"", version=(1, 0), magic=b"\x93NUMPY", length=None):
    text = header.encode("latin1") if isinstance(header, str) else header
    size = struct.pack("<H" if version[0] == 1 else "<I", len(text) if length is None else length)
    return magic + bytes(version) + size + text + data


def header(descr="'<f8'", order="False", shape="(2,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


FILES = {
    "nothing": b"",
    "magic alone": b"\x93NUMPY",
    "no header": b"\x93NUMPY\x01\x00",
    "short header": npy(header(), length=5000),
    "short data": npy(header(), b"1234567"),
    "huge shape": npy(header(shape="(2**60,)"), b"1" * 16),
    "huge number": npy(header(shape="(1000000000000000000,)"), b"1" * 16),
    "beyond 64 bits": npy(header(shape="(100000000000000000000,)"), b"1" * 16),
    "product beyond": npy(header(shape="(4294967296, 4294967296, 4)"), b"1" * 16),
    "negative shape": npy(header(shape="(-2,)"), b"1" * 16),
    "float shape": npy(header(shape="(2.0,)"), b"1" * 16),
    "65 dimensions": npy(header(shape="(1,)" + "*65"), b"1" * 8),
    "65 ones": npy(header(shape="(" + "1, " * 65 + ")"), b"1" * 8),
    "objects": npy(header(descr="'|O'"), b"1" * 16),
    "text": npy(header(descr="'<U2'"), b"\0" * 16),
    "wrong dtype": npy(header(descr="'nonsense'"), b"1" * 16),
    "longdouble": npy(header(descr="'<f16'"), b"1" * 32),
    "code": npy("__import__('os').system('true')\n"),
    "deep": npy(header(shape="(" * 300 + ")" * 300)),
    "not a dict": npy("[1, 2]\n"),
    "keys": npy("{'descr': '<f8'}\n"),
    "bytes": npy(b"\xff\xfe\x00{"),
    "version 9": npy(header(), b"1" * 16, version=(9, 0)),
    "a pickle": b"\x80\x04\x95\x00",
    "zip's magic": b"PK\x03\x04" + b"\0" * 30,
    "an archive cut off": None,
}  # fmt: skip


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
@pytest.mark.parametrize("name", FILES)
def test_npy_files(name, tmp_path):
    data = FILES[name]
    if data is None:
        whole = io.BytesIO()
        np.savez(whole, a=np.zeros(100))
        data = whole.getvalue()[:-30]
    before = used()
    path = tmp_path / "file.npy"
    path.write_bytes(data)
    for file in (path, io.BytesIO(data)):
        with pytest.raises(Exception) as caught:  # NumPy's and zipfile's readers raise many
            cp.load(file)
        assert not isinstance(caught.value, (SystemError, RecursionError))
    del caught
    assert used() == before


def test_npy_files_of_changed_bytes():
    """Every load ends, with an array or an exception."""
    whole = io.BytesIO()
    np.save(whole, np.arange(12.0).reshape(3, 4))
    good, choose = whole.getvalue(), random.Random(3)
    before = used()
    for _ in range(400):
        data = bytearray(good)
        for _ in range(choose.choice([1, 1, 2, 8])):
            data[choose.randrange(128)] = choose.randrange(256)
        try:
            cp.load(io.BytesIO(bytes(data)))
        except Exception as error:
            assert not isinstance(error, (SystemError, RecursionError)), bytes(data)
    assert used() == before


def test_archives():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", npy(header(), b"short"))
        archive.writestr("b.npy", b"no array")
        archive.writestr("../c.npy", npy(header(), b"\0" * 16))
        archive.writestr("d.txt", b"text")
    file.seek(0)
    with cp.load(file) as loaded:
        with pytest.raises(ERRORS):
            loaded["a"]
        with pytest.raises(ERRORS):
            loaded["b"]
        with pytest.raises(ERRORS):
            loaded["d.txt"]
        with pytest.raises(KeyError):
            loaded["missing"]
        assert (loaded["../c"] == 0).all()


# ---- the kernel cache

PROGRAM = "import gpunp as cp; print(float((cp.arange(7) * 3).sum()))"


def run(cache):
    environment = {**os.environ, "GPUNP_CACHE_DIR": str(cache), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )


def endless(path):
    """A file of a terabyte, which takes no room."""
    with open(path, "r+b") as file:
        file.truncate(1 << 40)


def a_socket(path):
    os.unlink(path)
    with socket.socket(socket.AF_UNIX) as s:
        os.chdir(path.parent)
        s.bind(path.name)


def a_device(path):
    os.unlink(path)
    os.symlink("/dev/zero", path)


def a_loop(path):
    os.unlink(path)
    os.symlink(path.name, path)


@pytest.mark.parametrize("damage", [endless, a_socket, a_device, a_loop])
def test_cache_entries_that_are_no_files(damage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cache = tmp_path / "c"
    assert run(cache).stdout == "63.0\n"
    entries = [p for p in cache.rglob("*") if p.is_file()]
    assert entries
    for path in entries:
        damage(path)
    done = run(cache)
    assert done.stdout == "63.0\n", done.stderr[-2000:]
