"""Compiles every kernel with its default knobs: `make kernels`; `--threads` compares threads.

Prints milliseconds, PTX bytes, cubin bytes, registers and spills for each architecture. Compile
time is a feature of gpunp: a kernel whose time doubles fails tests/meta/test_kernels.py.
"""

import concurrent.futures
import statistics
import struct
import sys
import time

import nvrtc

REGISTERS, FRAME = 0x2F, 0x11  # attributes of .nv.info
ARCHITECTURES = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]


def kernels():
    """The .cu files, each one kernel."""
    return sorted(nvrtc.KERNELS.rglob("*.cu"), key=lambda path: path.stem)


def compile_ms(compiler, path, arch, rounds=5):
    """(median milliseconds, image) of compiling one file."""
    source, headers = path.read_text(), nvrtc.kernel_headers()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        image = compiler.compile(source, arch, path.name, headers)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), image


def section(cubin, name):
    """The bytes of a section of an ELF file, or nothing."""
    table, size, count, names = struct.unpack_from("<Q", cubin, 40) + struct.unpack_from(
        "<HHH", cubin, 58
    )
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    for header in headers:
        at = headers[names][4] + header[0]
        if cubin[at : cubin.index(b"\0", at)].decode() == name:
            return cubin[header[4] : header[4] + header[5]]
    return b""


def resources(cubin):
    """(registers, bytes of stack) of the kernel, from the cubin's .nv.info section."""
    info, at, found = section(cubin, ".nv.info"), 0, {}
    while at + 4 <= len(info):
        form, attribute, value = struct.unpack_from("<BBH", info, at)
        at += 4
        if form == 4:  # sized: a symbol and a number
            if attribute in (REGISTERS, FRAME) and value >= 8:
                found[attribute] = struct.unpack_from("<II", info, at)[1]
            at += value
    return found.get(REGISTERS, 0), found.get(FRAME, 0)


def compare_threads(compiler, arch="sm_90", count=32):
    """Print how long some kernels take in one thread and in several: NVRTC's locks decide."""
    headers = nvrtc.kernel_headers()
    texts = [(path.read_text(), path.name) for path in kernels()[:count]]

    def one(item):
        return compiler.compile(item[0], arch, item[1], headers)

    one(texts[0])
    for threads in (1, 2, 4, 8):
        start = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            list(pool.map(one, texts))
        print(f"{threads} threads: {1e3 * (time.perf_counter() - start) / len(texts):6.1f} ms each")


def main():
    """Print the table; the exit status says whether everything compiled."""
    compiler = nvrtc.Compiler()
    if sys.argv[1:] == ["--threads"]:
        compare_threads(compiler)
        return
    print(f"NVRTC {compiler.version[0]}.{compiler.version[1]}")
    print(f"{'kernel':18} {'arch':8} {'ms':>6} {'bytes':>7} {'registers':>9} {'stack':>6}")
    failures = 0
    for path in kernels():
        for arch in ["compute_90", *(sys.argv[1:] or ARCHITECTURES)]:
            try:
                ms, image = compile_ms(compiler, path, arch)
            except ValueError as error:
                failures += 1
                print(f"{path.stem:18} {arch:8} does not compile:\n{error}")
                continue
            words = ["-", "-"]
            if arch.startswith("sm_"):
                words = resources(image)
            print(f"{path.stem:18} {arch:8} {ms:6.1f} {len(image):7} {words[0]:>9} {words[1]:>6}")
    raise SystemExit(failures)


if __name__ == "__main__":
    main()
