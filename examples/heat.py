"""Heat in a plate: one step is a dozen small kernels, so replaying them as a graph pays.

python examples/heat.py [size] [steps] [picture.png]

It uses a GPU, or the emulated device where there is none. The picture needs Matplotlib.
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


def draw(plate, path):
    """Write the temperatures with lines of equal heat as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(4.6, 3.6), dpi=90)
    shown = axes.imshow(plate.get(), cmap="inferno")
    axes.contour(plate.get(), levels=range(10, 100, 10), colors="white", linewidths=0.5)
    figure.colorbar(shown, label="temperature")
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


if __name__ == "__main__":
    given = sys.argv[1:3]
    size, steps = (int(a) for a in (*given, *("64", "20")[len(given) :]))
    plate = hot_edge(size)
    with cp.profiler.time_range("eager"):
        eager = run(step, plate, steps)
    with cp.profiler.time_range("replayed"):
        graph = run(replayed, plate, steps)
    print("same bits:", bool((eager == graph).all()))
    print("nodes of the graph:", len(replayed.graphs[0]))
    for name, function in (("eager", step), ("graph", replayed)):
        print(cp.profiler.benchmark(function, (plate,), n_repeat=20, name=name))
    if len(sys.argv) > 3:
        draw(graph, sys.argv[3])
