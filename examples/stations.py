"""Stations on a map: who is nearest, who are neighbours, and what they surround.

python examples/stations.py [picture.png]      the picture needs Matplotlib
"""

import sys

import gpunp as cp
from gpunp.scipy.spatial import ConvexHull, Delaunay, KDTree


def stations(count=40):
    """Places of shape (count, 2) between 0 and 1."""
    return 0.1 + 0.8 * cp.random.default_rng(11).random((count, 2))


def pixels(side):
    """The places of a picture's elements, of shape (side, side, 2)."""
    line = (cp.arange(side) + 0.5) / side
    return cp.stack(cp.meshgrid(line, line), axis=-1)


def regions(places, side=240):
    """The nearest station of each element, and its triangle: -1 outside of all."""
    at = pixels(side)
    _, nearest = KDTree(places).query(at)
    return nearest, Delaunay(places).find_simplex(at)


def covered(places):
    """The share of the map that the stations surround."""
    return ConvexHull(places).volume


def draw(path):
    """Write the regions with the triangulation and the hull as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    places = stations()
    nearest, triangle = regions(places)
    shade = cp.where(triangle < 0, 0.25, 1.0) * (0.3 + (nearest * 7 % 13) / 18)
    x, y = places.get().T
    hull = ConvexHull(places).vertices.get()
    figure, axes = pyplot.subplots(figsize=(4.8, 4.8), dpi=75)
    axes.imshow(shade.get(), origin="lower", extent=(0, 1, 0, 1), cmap="viridis", vmin=0, vmax=1)
    axes.triplot(x, y, Delaunay(places).simplices.get(), color="white", linewidth=0.5)
    axes.fill(x[hull], y[hull], fill=False, edgecolor="orange", linewidth=1.5)
    axes.plot(x, y, "k.", markersize=4)
    axes.axis("off")
    figure.tight_layout(pad=0)
    figure.savefig(path)
    pyplot.close(figure)


if __name__ == "__main__":
    found = stations()
    nearest_one, inside = regions(found)
    print(f"the stations surround {covered(found):.3f} of the map,", end=" ")
    print(f"{float((inside >= 0).mean()):.3f} of the picture's elements")
    if len(sys.argv) > 1:
        draw(sys.argv[1])
