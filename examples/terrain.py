"""Heights of a terrain at scattered places, interpolated in three ways.

python examples/terrain.py [picture.png]      the picture needs Matplotlib
"""

import sys

import gpunp as cp
from gpunp.scipy.interpolate import griddata

METHODS = ("nearest", "linear", "cubic")


def height(x, y):
    """Hills and valleys between 0 and 1 in both directions."""
    hills = cp.sin(7 * x) * cp.cos(6 * y + x)
    return hills + 1.5 * cp.exp(-40 * ((x - 0.6) ** 2 + (y - 0.4) ** 2))


def measured(count=150):
    """Places of shape (count, 2), the corners among them, and the heights there."""
    places = cp.random.default_rng(4).random((count, 2))
    places[:4] = cp.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    return places, height(places[:, 0], places[:, 1])


def maps(side=150, count=150):
    """The true map and one for each method, and the places."""
    line = cp.linspace(0, 1, side)
    grid = cp.meshgrid(line, line)
    places, heights = measured(count)
    made = {method: griddata(places, heights, tuple(grid), method) for method in METHODS}
    return height(*grid), made, places


def draw(path):
    """Write the maps as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    true, made, places = maps()
    figure, rows = pyplot.subplots(1, 4, figsize=(8, 2.3), dpi=64)
    for axes, (name, values) in zip(rows, {"terrain": true, **made}.items(), strict=True):
        axes.imshow(values.get(), origin="lower", extent=(0, 1, 0, 1), cmap="terrain")
        axes.contour(values.get(), 8, extent=(0, 1, 0, 1), colors="black", linewidths=0.4)
        axes.set(title=name, xticks=[], yticks=[])
    rows[0].plot(*places.get().T, "k.", markersize=2)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


if __name__ == "__main__":
    terrain, found, _ = maps()
    for way, heights in found.items():
        print(f"{way}: mean error {float(abs(heights - terrain).mean()):.4f}")
    if len(sys.argv) > 1:
        draw(sys.argv[1])
