"""One job, three kinds of kernel: how far each pixel of the plane escapes (the Mandelbrot set).

    python examples/kernels.py [size]

As a function of one point for `vectorize`, as a kernel in Python for `jit`, as a kernel in CUDA C++
for `RawKernel`. All three draw the same picture.
"""

import sys

import numpy as np

import gpunp as cp
from gpunp import jit

MOST = 100


def escape(x, y):
    """Steps until a point leaves the circle of radius 2."""
    re, im = 0.0, 0.0
    for step in range(MOST):
        if re * re + im * im > 4:
            return step
        re, im = re * re - im * im + x, 2 * re * im + y
    return MOST


@jit.rawkernel(mode="numpy")
def draw(picture, left, top, width):
    """Each thread draws pixels of the picture, one grid's width apart."""
    columns = picture.shape[1]
    for i in range(jit.grid(1), picture.size, jit.gridsize(1)):
        row, column = divmod(i, columns)
        x, y = left + column * width, top + row * width
        picture[row, column] = escape(x, y)


RAW = r"""
extern "C" __global__ void draw(int *picture, int rows, int columns,
                                double left, double top, double width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns) {
        return;
    }
    double x = left + i % columns * width, y = top + i / columns * width, re = 0, im = 0;
    int step = 0;
    for (; step < MOST && re * re + im * im <= 4; step++) {
        double next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
    }
    picture[i] = step;
}
"""


def pictures(size):
    """The picture three times, by name."""
    left, top, width = -2.0, -1.25, 2.5 / size
    x = left + cp.arange(size) * width
    y = top + cp.arange(size)[:, None] * width
    blocks = (size * size + 127) // 128

    by_jit = cp.empty((size, size), np.int32)
    draw[blocks, 128](by_jit, left, top, width)

    by_raw = cp.empty((size, size), np.int32)
    raw = cp.RawKernel(RAW, "draw", (f"-DMOST={MOST}", "--fmad=false"))
    raw((blocks,), (128,), (by_raw, size, size, left, top, width))

    return {"vectorize": cp.vectorize(escape, otypes="i")(x, y), "jit": by_jit, "raw": by_raw}


def main(size=64):
    """Draw, compare, and print the picture in letters."""
    made = pictures(size)
    same = all(bool((picture == made["jit"]).all()) for picture in made.values())
    step = max(size // 32, 1)
    for row in made["jit"].get()[::step, ::step]:
        print("".join(" .:-=+*#%@"[min(int(n) * 10 // (MOST + 1), 9)] for n in row))
    print("vectorize, jit and RawKernel agree:", same)
    return same


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 64) else 1)
