"""Heat in a plate: one step is a dozen small kernels, so replaying them as a graph pays.

python examples/heat.py [size] [steps]      uses a GPU, or the emulated device where there is none
"""

import sys

import numpy as np

import gpunp as cp

CONDUCTIVITY = np.float32(0.2)


def step(plate):
    """One explicit step of the heat equation; the edges keep their temperature."""
    inner = plate[1:-1, 1:-1]
    flow = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:] - 4 * inner
    after = plate.copy()
    after[1:-1, 1:-1] = inner + CONDUCTIVITY * flow
    return after


replayed = cp.cuda.graph(step)


def hot_edge(size):
    """A cold plate with one hot side."""
    plate = cp.zeros((size, size), dtype=cp.float32)
    plate[0] = 100
    return plate


def run(function, plate, steps):
    """The plate after so many steps."""
    for _ in range(steps):
        plate = function(plate)
    return plate


if __name__ == "__main__":
    size, steps = (int(a) for a in (*sys.argv[1:], *("64", "20")[len(sys.argv) - 1 :]))
    plate = hot_edge(size)
    with cp.profiler.time_range("eager"):
        eager = run(step, plate, steps)
    with cp.profiler.time_range("replayed"):
        graph = run(replayed, plate, steps)
    print("same bits:", bool((eager == graph).all()))
    print("nodes of the graph:", len(replayed.graphs[0]))
    for name, function in (("eager", step), ("graph", replayed)):
        print(cp.profiler.benchmark(function, (plate,), n_repeat=20, name=name))
