"""Writes seeds for the fuzzer: small kernels as NVRTC compiles them, one feature each, and a fatbin.

python tests/emu/fuzz/seeds.py FOLDER
"""

import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "machine"))
import harness

KERNELS = {
    "add": "float *o, const float *a, int n { int i = blockIdx.x * blockDim.x + threadIdx.x;"
    " if (i < n) o[i] = a[i] + a[n - i]; }",
    "double": "double *o, int n { o[threadIdx.x] = o[threadIdx.x] * 1.5 + n / 3.0; }",
    "divide": "long long *o, int n { o[threadIdx.x] = o[threadIdx.x + 1] / (n | 1) % 7; }",
    "math": "float *o { o[threadIdx.x] = expf(o[threadIdx.x]) + sinf(o[0]) + rsqrtf(o[1]); }",
    "trig": "double *o { o[threadIdx.x] = sin(o[threadIdx.x]); }",
    "shared": "int *o { __shared__ int s[64]; s[threadIdx.x] = o[threadIdx.x]; __syncthreads();"
    " o[threadIdx.x] = s[63 - threadIdx.x]; }",
    "dynamic": "int *o { extern __shared__ int s[]; s[threadIdx.x] = 1; __syncthreads(); o[0] = s[1]; }",
    "warp": "int *o { int v = __shfl_down_sync(~0u, o[threadIdx.x & 31], 1); v += __popc(__ballot_sync(~0u, v));"
    " v += __reduce_add_sync(~0u, v); o[threadIdx.x] = __match_any_sync(~0u, v); }",
    "atomic": "int *o, float *f { atomicAdd(o, 1); atomicCAS(o + 1, 0, 2); atomicAdd(f, 1.f); atomicMax(o + 2, 5); }",
    "loop": "int *o, int n { int s = 0; for (int i = 0; i < n; i++) s += o[i & 15]; o[threadIdx.x] = s; }",
    "branches": "int *o { int i = threadIdx.x; if (i & 1) { if (i & 2) o[i] = 1; else o[i] = 2; } else o[i] = 3; }",
    "switch": "int *o { switch (o[threadIdx.x] & 7) { case 0: o[1] = 5; break; case 1: o[2] = 6; break;"
    " case 2: o[3]++; break; case 3: o[4]--; break; case 5: o[6] = 1; } }",
    "local": "int *o, int n { int a[16]; for (int i = 0; i < 16; i++) a[i] = o[i] * i; o[0] = a[n & 15]; }",
    "half": "unsigned short *o { unsigned r; asm(\"add.rn.f16x2 %0, %1, %2;\" : \"=r\"(r) : \"r\"((unsigned)o[0]),"
    " \"r\"((unsigned)o[1])); o[2] = r; }",
    "vector": "float4 *o { float4 v = o[threadIdx.x]; v.x += v.w; o[threadIdx.x] = v; }",
    "convert": "double *o, int *p { p[0] = (int)o[0]; o[1] = (float)p[1]; ((char *)p)[9] = (char)o[2]; }",
    "carry": "unsigned long long *o { o[0] = __umul64hi(o[1], o[2]); unsigned a; asm(\"add.cc.u32 %0, %1, 1;"
    " addc.u32 %0, %0, 0;\" : \"=r\"(a) : \"r\"((unsigned)o[3])); o[4] = a; }",
    "bits": "unsigned *o { o[0] = __byte_perm(o[1], o[2], 0x5410) ^ __brev(o[3]) ^ __clz(o[4]) ^ __ffs(o[5]);"
    " o[6] = __funnelshift_l(o[0], o[1], 5); }",
    "spin": "int *o { while (atomicCAS(o, 0, 1) != 0) { } o[1]++; __threadfence(); atomicExch(o, 0); }",
    "barriers": "int *o { asm volatile(\"bar.sync 1, 32;\"); o[0] = __syncthreads_count(o[threadIdx.x]); }",
    "heap": "int **o { int *p = (int *)malloc(16); if (p) { p[0] = 1; o[1] = p; free(p); } }",
    "copy": "float *o { __shared__ float s[64]; unsigned at = (unsigned)__cvta_generic_to_shared(s);"
    " asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group; cp.async.wait_all;\""
    " :: \"r\"(at), \"l\"(o)); __syncthreads(); o[1] = s[0]; }",
    "matrix": "float *o, unsigned *a { float d[4] = {}; asm(\"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
    " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])"
    " : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2])); o[threadIdx.x] = d[0]; }",
    "sparse": "float *o, unsigned *a { float d[4] = {}; asm(\"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 1;\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])"
    " : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(a[4])); o[threadIdx.x] = d[0]; }",
    "tensor": "float *o, unsigned long long map { __shared__ __align__(128) float s[64]; __shared__ unsigned long long b;"
    " unsigned at = (unsigned)__cvta_generic_to_shared(s), bar = (unsigned)__cvta_generic_to_shared(&b);"
    " asm volatile(\"mbarrier.init.shared.b64 [%0], 1; cp.async.bulk.tensor.2d.shared::cluster.global.tile"
    ".mbarrier::complete_tx::bytes [%1], [%2, {%3, %3}], [%0];\" :: \"r\"(bar), \"r\"(at), \"l\"(map), \"r\"(0));"
    " asm volatile(\"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%2];\""
    " :: \"l\"(map), \"r\"(4), \"r\"(at)); o[1] = s[0]; }",
}  # fmt: skip

SOURCES = {
    "calls": "__device__ __noinline__ int f(int n) { return n < 2 ? 1 : n * f(n - 1); }"
    'extern "C" __global__ void k(int *o) { o[threadIdx.x] = f(o[0] & 7); }',
    "pointers": "typedef int (*F)(int); __device__ int a(int x) { return x + 1; }"
    "__device__ int b(int x) { return x - 1; } __device__ F table[] = {a, b};"
    'extern "C" __global__ void k(int *o) { o[threadIdx.x] = table[threadIdx.x & 1](o[0]); }',
    "globals": "__device__ int g[8] = {1, 2, 3}; __constant__ float c[4] = {1, 2}; __device__ int *p = g + 2;"
    'extern "C" __global__ void k(float *o) { o[0] = c[1] + g[2] + *p; g[3]++; }',
    "prints": "#define NULL 0\nextern \"C\" int printf(const char *, ...);"
    'extern "C" __global__ void k(int *o) { printf("%d %s %f\\n", o[0], "x", 1.5); }',
}  # fmt: skip


def fatbin(text):
    """An uncompressed fatbin with one PTX entry, as `fatbinary` lays it out."""
    payload = text.encode() + b"\0"
    payload += b"\0" * (-len(payload) % 8)
    entry = struct.pack("<HHIQIIIIQQQQ", 1, 0x101, 64, len(payload), 0, 0, 0, 90, 0, 0, 0, 0)
    assert len(entry) == 64
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(payload)) + entry + payload


def main(folder):
    """Write every seed that NVRTC compiles."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in (Path(__file__).parent / "seeds").iterdir():
        shutil.copy(path, folder)
    sources = {}
    for name, body in KERNELS.items():
        params, code = body.split(" {", 1)
        sources[name] = f'extern "C" __global__ void k({params}) {{{code}'
    for name, source in {**sources, **SOURCES}.items():
        for arch, options in (("compute_90", ("--fmad=false",)), ("compute_75", ("-G",))):
            try:
                text = harness.ptx(source, options, arch)
            except RuntimeError as error:
                print(f"{name} {arch}: {str(error).splitlines()[0]}")
                continue
            text = "\n".join(x for x in text.splitlines() if x.strip() and not x.startswith("//"))
            if len(text) < 12000:
                (folder / f"{name}.{arch}.ptx").write_text(text + "\n")
            if name == "add":
                (folder / f"{name}.{arch}.fatbin").write_bytes(fatbin(text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
