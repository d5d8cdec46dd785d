"""Heat in a plate that is shared by several devices: each step exchanges a row with each neighbour.

python examples/two_devices.py [size] [steps]

Each device has a band of rows and, above and below it, a copy of its neighbour's nearest row. A
step computes the outermost rows first; while those are copied between the devices, in streams of
their own, the rest is computed. The host only queues work: it waits once, at the end.

Without two GPUs:
GPUNP_DEVICE=emulated GPUNP_EMU_DEVICES=2 python examples/two_devices.py
"""

import itertools
import sys
import time

import numpy as np

import gpunp as cp
from gpunp.cuda import Device, Stream

HEAT = cp.RawKernel(
    r"""
extern "C" __global__ void heat(const float *before, float *after, int width, int first, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width || blockIdx.y >= rows) {
        return;
    }
    size_t at = (size_t)(first + blockIdx.y) * width + x;
    float t = before[at];
    if (x > 0 && x < width - 1) { // the sides keep their temperature
        float around = before[at - width] + before[at + width] + before[at - 1] + before[at + 1];
        t += 0.2f * (around - 4 * t);
    }
    after[at] = t;
}""",
    "heat",
)


class Band:
    """The rows of one device, between two rows of its neighbours (or of the edge of the plate)."""

    def __init__(self, device, rows):
        self.device = device
        with Device(device):
            self.work, self.exchange = Stream(non_blocking=True), Stream(non_blocking=True)
            self.before, self.after = cp.asarray(rows), cp.asarray(rows)
            Device(device).synchronize()
        self.rows, self.width = rows.shape[0] - 2, rows.shape[1]

    def compute(self, first, rows):
        """New temperatures of some rows."""
        if rows > 0:
            grid = (-(-self.width // 256), rows)
            HEAT(grid, (256,), (self.before, self.after, self.width, first, rows))


def send(source, row, target, to):
    """Copy a row between two devices, in order with the exchange streams of both."""
    with Device(source.device), source.exchange, Device(target.device), target.exchange:
        target.after[to] = source.after[row]


def step(bands):
    """One step of the whole plate, queued."""
    for band in bands:
        with Device(band.device), band.work:
            band.compute(1, 1)
            band.compute(band.rows, 1 if band.rows > 1 else 0)
            band.exchange.wait_event(band.work.record())
    for upper, lower in itertools.pairwise(bands):
        send(upper, -2, lower, 0)
        send(lower, 1, upper, -1)
    for band in bands:
        with Device(band.device), band.work:
            band.compute(2, band.rows - 2)
            band.work.wait_event(band.exchange.record())
        band.before, band.after = band.after, band.before


def share(plate, devices):
    """The bands of a plate, a NumPy array whose first and last row keep their temperature."""
    ends = np.linspace(1, plate.shape[0] - 1, len(devices) + 1).astype(int)
    return [
        Band(device, plate[first - 1 : last + 1])
        for device, first, last in zip(devices, ends[:-1], ends[1:], strict=True)
    ]


def gather(bands, plate):
    """The plate on the host."""
    result, row = plate.copy(), 1
    for band in bands:
        with Device(band.device), band.work:
            result[row : row + band.rows] = band.before[1:-1].get()
        row += band.rows
    return result


def run(plate, steps, devices):
    """The plate after so many steps on these devices, and the seconds they took."""
    bands = share(plate, devices)
    for band in bands:  # compiles the kernel
        with Device(band.device), band.work:
            band.compute(1, 1)
    begin = time.perf_counter()
    with cp.allow_synchronize(False):
        for _ in range(steps):
            step(bands)
    for band in bands:
        Device(band.device).synchronize()
    seconds = time.perf_counter() - begin
    return gather(bands, plate), seconds


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    usual = (256, 20) if cp.cuda.is_emulated() else (32768, 200)
    size, steps = given + list(usual[len(given) :])
    plate = np.zeros((size, size), "f4")
    plate[0] = 100
    count = cp.cuda.runtime.getDeviceCount()
    alone, seconds = run(plate, steps, [0])
    print(f"one device: {seconds * 1e3 / steps:.3f} ms a step")
    if count > 1:
        shared, others = run(plate, steps, list(range(count)))
        print(f"{count} devices: {others * 1e3 / steps:.3f} ms a step")
        print(f"{seconds / others:.2f} times as fast")
        print(f"largest difference: {abs(alone - shared).max()}")
