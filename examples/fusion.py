"""Heat on a plate, a step of it written four ways: how many kernels each takes.

    python examples/fusion.py [size]

Plain operations, the same in lazy mode, the same fused, and as an ElementwiseKernel. All four give
the same numbers, bit for bit.
"""

import sys

import numpy as np

import gpunp as cp


def step(inside, up, down, left, right, rate):
    """One step of the diffusion of heat, from the five points around each."""
    return inside + rate * (up + down + left + right - 4 * inside)


fused_step = cp.fuse(step, kernel_name="heat")

heat_kernel = cp.ElementwiseKernel(
    "T inside, T up, T down, T left, T right, T rate",
    "T next",
    "next = inside + rate * (up + down + left + right - 4 * inside)",
    "heat",
    options=("--fmad=false",),  # as the separate operations round
)


def parts(plate):
    """A plate without its edge, and the same moved by one in each direction."""
    return plate[1:-1, 1:-1], plate[:-2, 1:-1], plate[2:, 1:-1], plate[1:-1, :-2], plate[1:-1, 2:]


def lazily(*args):
    """The plain step in lazy mode."""
    with cp.lazy():
        return step(*args)


def main(size=256):
    """The plate after 20 steps, for each way."""
    plates = []
    for advance in (step, lazily, fused_step, heat_kernel):
        plate = cp.zeros((size, size), "f4")
        plate[0] = 100
        for _ in range(20):
            plate[1:-1, 1:-1] = advance(*parts(plate), np.float32(0.2))
        plates.append(plate)
    return plates


if __name__ == "__main__":
    results = main(*map(int, sys.argv[1:]))
    print("the same in all four:", all(bool((p == results[0]).all()) for p in results))
    print("mean temperature:", float(results[0].mean()))
