"""Runs kernels on the machine half alone: NVRTC makes the PTX, a stub stands in for the driver."""

import ctypes
import fcntl
import functools
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
EMU = ROOT / "csrc" / "emu"
OPTIONS = ("--minimal", "-no-cache", "--fmad=false")


class Fault(ctypes.Structure):
    """EmuFault of emu.h."""

    _fields_ = [
        ("kind", ctypes.c_int),
        ("code", ctypes.c_int),
        ("block", ctypes.c_uint32 * 3),
        ("thread", ctypes.c_uint32 * 3),
        ("address", ctypes.c_uint64),
        ("ptx_line", ctypes.c_int),
        ("source_line", ctypes.c_int),
        ("text", ctypes.c_char * 1536),
    ]


class Info(ctypes.Structure):
    """EmuFunctionInfo of emu.h."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("params_count", ctypes.c_size_t),
        ("params_bytes", ctypes.c_size_t),
        ("shared_bytes", ctypes.c_size_t),
        ("local_bytes", ctypes.c_size_t),
        ("const_bytes", ctypes.c_size_t),
        ("registers", ctypes.c_int),
        ("max_threads", ctypes.c_int),
        ("cluster", ctypes.c_uint32 * 3),
        ("needs_cluster", ctypes.c_int),
        ("ptx_version", ctypes.c_int),
        ("sm_version", ctypes.c_int),
    ]


class KernelFault(RuntimeError):
    """A launch that ended with a fault; `fault` has the details."""

    def __init__(self, fault):
        super().__init__(f"{fault.code}: {fault.text.decode()}")
        self.fault = fault
        self.code = fault.code


def machine_sources():
    """The C files of the machine half."""
    return sorted(p for folder in ("ptx", "exec", "check") for p in (EMU / folder).glob("*.c"))


def header_time():
    """When a header or table of the device changed last."""
    headers = [p for p in EMU.rglob("*") if p.suffix in (".h", ".def")]
    return max(p.stat().st_mtime for p in headers)


def build_flags():
    """{path below csrc/emu: flags} from build.txt, for x86-64."""
    flags = {}
    for line in (EMU / "build.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line and "[aarch64]" not in line:
            name, rest = line.split(":", 1)
            flags[name.split()[0]] = shlex.split(rest)
    return flags


def flags_of(source):
    """What build.txt says about a source."""
    return build_flags().get("/".join(source.parts[-2:]), [])


def is_fresh(obj, source, headers):
    """Whether an object is newer than all it was made from."""
    return obj.exists() and obj.stat().st_mtime > max(source.stat().st_mtime, headers)


def built_object(source, headers):
    """The package's own object of a source, when it is up to date; saves half a minute."""
    if "CC" in os.environ:
        return None
    for obj in ROOT.glob(f"build/release-*/emu/{source.stem}.o"):
        if is_fresh(obj, source, headers):
            return obj
    return None


def build(folder):
    """The machine half and the stub as one library, made anew when a source is newer."""
    target = folder / "libmachine.so"
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    headers = header_time()
    objects, changed = [], False
    for source in [*machine_sources(), Path(__file__).with_name("stub.c")]:
        built = built_object(source, headers)
        obj = built or folder / f"{source.stem}.o"
        objects.append(str(obj))
        if is_fresh(obj, source, headers):
            changed |= target.exists() and obj.stat().st_mtime > target.stat().st_mtime
            continue
        changed = True
        subprocess.run(
            [*compiler, "-std=gnu11", "-O2", "-g", "-fPIC", f"-I{ROOT / 'csrc'}"]
            + flags_of(source)
            + ["-c", str(source), "-o", str(obj)],
            check=True,
        )
    if changed or not target.exists():
        fresh = folder / "libmachine.new.so"
        subprocess.run(
            [*compiler, "-shared", "-pthread", *objects, "-lm", "-o", str(fresh)], check=True
        )
        fresh.replace(target)  # whoever has the old one open keeps it
    return target


@functools.cache
def library():
    """That library, opened. Test processes that run side by side build it once."""
    folder = Path(os.environ.get("GPUNP_TEST_BUILD", ROOT / "build" / "machine"))
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        target = build(folder)
    lib = ctypes.CDLL(str(target))
    lib.stub_isa(int(os.environ.get("GPUNP_EMU_ISA", "0")))
    lib.stub_alloc.restype = ctypes.c_uint64
    lib.stub_alloc.argtypes = [ctypes.c_size_t]
    lib.stub_free.argtypes = [ctypes.c_uint64]
    lib.stub_load.restype = ctypes.c_void_p
    lib.stub_load.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    lib.stub_launch.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_uint64,
        ctypes.c_void_p,
    ]
    lib.stub_decode.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    lib.stub_shuffle.argtypes = [ctypes.c_uint64]
    lib.stub_checks.argtypes = [ctypes.c_uint]
    lib.stub_printed.restype = ctypes.c_size_t
    lib.stub_printed.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    lib.stub_function.restype = ctypes.c_void_p
    lib.stub_function.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    lib.stub_function_count.restype = ctypes.c_size_t
    lib.stub_function_count.argtypes = [ctypes.c_void_p]
    lib.stub_function_at.restype = ctypes.c_void_p
    lib.stub_function_at.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    lib.stub_unload.argtypes = [ctypes.c_void_p]
    return lib


@functools.cache
def nvrtc():
    """libnvrtc from a wheel, a toolkit or the loader's path; None where there is none."""
    sys.path.insert(0, str(ROOT / "tools"))
    import nvrtc as finder

    return finder.find()


@functools.cache
def ptx(source, options=OPTIONS, arch="compute_90", name="t.cu"):
    """The PTX of CUDA C++ text."""
    lib = nvrtc()
    program, n = ctypes.c_void_p(), ctypes.c_size_t()
    lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    words = [f"--gpu-architecture={arch}", *options]
    array = (ctypes.c_char_p * len(words))(*[w.encode() for w in words])
    failed = lib.nvrtcCompileProgram(program, len(words), array)
    if failed:
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(n))
        text = ctypes.create_string_buffer(n.value)
        lib.nvrtcGetProgramLog(program, text)
        raise RuntimeError(text.value.decode())
    lib.nvrtcGetPTXSize(program, ctypes.byref(n))
    text = ctypes.create_string_buffer(n.value)
    lib.nvrtcGetPTX(program, text)
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return text.value.decode()


class Buffer:
    """Device memory that looks at host memory through NumPy."""

    def __init__(self, data):
        data = np.ascontiguousarray(data)
        self.address = library().stub_alloc(max(data.nbytes, 1))
        assert self.address != 0
        raw = (ctypes.c_uint8 * max(data.nbytes, 1)).from_address(self.address)
        self.array = np.frombuffer(raw, np.uint8)[: data.nbytes].view(data.dtype)
        self.array = self.array.reshape(data.shape)
        self.array[...] = data

    def free(self):
        """Give the memory back."""
        library().stub_free(self.address)


PTXAS = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"


@functools.cache
def assemble(text):
    """Raise when the toolkit's assembler does not take the text (GPUNP_TEST_PTXAS=1 asks each)."""
    target = text.split(".target", 1)[1].split()[0].strip(",")
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        command = [PTXAS, f"-arch={target}", "-O0", file.name, "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr + text)


class Module:
    """A loaded PTX text."""

    def __init__(self, text):
        lib = library()
        if os.environ.get("GPUNP_TEST_PTXAS"):
            assemble(text)
        error = ctypes.create_string_buffer(2000)
        data = text.encode()
        self.handle = lib.stub_load(data, len(data), error, len(error))
        if not self.handle:
            raise RuntimeError(error.value.decode())

    def names(self):
        """Names of all kernels."""
        lib = library()
        out = []
        for i in range(lib.stub_function_count(self.handle)):
            function = lib.stub_function_at(self.handle, i)
            out.append(self.info(function)[0])
        return out

    def info(self, function):
        """(name, error text, Info) of a function, which is decoded for it."""
        info, error = Info(), ctypes.create_string_buffer(2000)
        code = library().stub_decode(function, ctypes.byref(info), error, len(error))
        name = info.name.decode() if code == 0 else None
        return name, error.value.decode(), info

    def launch(
        self,
        name,
        grid,
        block,
        *args,
        shared=0,
        workers=1,
        cooperative=0,
        watchdog=0,
        cluster=(0, 0, 0),
    ):
        """Run a kernel. Arguments: Buffers, NumPy scalars, arrays (by value)."""
        lib = library()
        lib.stub_cluster(*cluster)
        function = lib.stub_function(self.handle, name.encode())
        assert function, name
        packed = b""
        for arg in args:
            arg = np.uint64(arg.address) if isinstance(arg, Buffer) else arg
            align = arg.dtype.alignment
            packed += b"\0" * (-len(packed) % align) + arg.tobytes()
        as3 = [
            tuple(v) + (1,) * (3 - len(v)) if isinstance(v, tuple) else (v, 1, 1)
            for v in (grid, block)
        ]
        shape = (ctypes.c_uint32 * 6)(*as3[0], *as3[1])
        fault = Fault()
        code = lib.stub_launch(
            function, shape, shared, packed, workers, cooperative, watchdog, ctypes.byref(fault)
        )
        if code:
            raise KernelFault(fault)

    def printed(self):
        """What device printf wrote since the last question."""
        text = ctypes.create_string_buffer(1 << 16)
        n = library().stub_printed(text, len(text))
        return text.raw[:n].decode()

    def close(self):
        """Unload."""
        library().stub_unload(self.handle)
        self.handle = None


def module(source, options=OPTIONS):
    """Compile and load CUDA C++ text."""
    return Module(ptx(source, options))
