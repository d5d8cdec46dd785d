"""Waves from a shot, by a kernel that reads its neighbours; a graph replays the steps of time."""

import cupy as cp
import numpy as np

NX, NZ, STEPS = 48, 32, 40

step = cp.ElementwiseKernel(
    "raw T now, raw T before, raw T speed, int32 nx, int32 nz",
    "T after",
    """
    const int x = i % nx, z = i / nx;
    const bool inside = x > 0 && x < nx - 1 && z > 0 && z < nz - 1;
    after = !inside ? T(0)
        : 2 * now[i] - before[i]
          + speed[i] * (now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 4 * now[i]);
    """,
    "wave_step",
)


def host(now, speed):
    before = np.zeros_like(now)
    for _ in range(STEPS):
        after = np.zeros_like(now)
        around = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1]
        middle = now[1:-1, 1:-1]
        after[1:-1, 1:-1] = (
            2 * middle - before[1:-1, 1:-1] + speed[1:-1, 1:-1] * (around - 4 * middle)
        )
        before, now = now, after
    return now


def device(shot, speed):
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        fields = [cp.asarray(shot), cp.zeros(shot.shape, shot.dtype), cp.empty_like(shot)]
        speed = cp.asarray(speed)
        step(fields[0], fields[1], speed, NX, NZ, cp.empty_like(fields[2]))  # compiled before
        stream.begin_capture()
        for k in range(3):  # after three steps the fields have their places again
            now, before, after = fields[-k % 3], fields[(1 - k) % 3], fields[(2 - k) % 3]
            step(now, before, speed, NX, NZ, after)
        graph = stream.end_capture()
        for _ in range(STEPS // 3):
            graph.launch()
        now, before, after = fields
        for _ in range(STEPS % 3):
            step(now, before, speed, NX, NZ, after)
            now, before, after = after, now, before
    stream.synchronize()
    return now


shot = np.zeros((NZ, NX))
shot[NZ // 2, NX // 3] = 1
speed = np.where(np.arange(NZ)[:, None] < 20, 0.2, 0.4) * np.ones(NX)
seismogram = device(shot, speed)
cp.testing.assert_allclose(seismogram, host(shot, speed), rtol=1e-9, atol=1e-12)
print(float(abs(seismogram).max()))
