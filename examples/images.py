"""Coins on a table: their edges, number, sizes, and how far each element is from the rim.

python examples/images.py [folder]      saves two pictures, to out/ without a folder
"""

import sys
from pathlib import Path

import gpunp as cp
from gpunp.scipy import ndimage


def coins(height=240, width=320, count=24, noise=0.15):
    """A noisy picture of bright discs that may touch each other: the same on every device."""
    dice = cp.random.default_rng(3)
    y, x = cp.arange(height)[:, None], cp.arange(width)
    picture = cp.zeros((height, width))
    for row, column, size in dice.random((count, 3)):
        radius = height * (0.03 + 0.06 * size)
        is_disc = (y - row * height) ** 2 + (x - column * width) ** 2 < radius**2
        picture = cp.where(is_disc, 0.6 + 0.4 * size, picture)
    return picture + noise * dice.standard_normal((height, width))


def edges(picture):
    """How steep the smoothed picture is."""
    return ndimage.gaussian_gradient_magnitude(picture, 2.5)


def objects(picture):
    """A number for each object, 0 for the table, and how many there are."""
    is_bright = ndimage.gaussian_filter(picture, 1.5) > 0.35
    is_object = ndimage.binary_fill_holes(ndimage.binary_opening(is_bright, iterations=2))
    return ndimage.label(is_object)


def measure(picture, labels, count):
    """Area, mean brightness and centers of the objects."""
    index = cp.arange(1, count + 1)
    area = ndimage.sum_labels(labels > 0, labels, index)
    centers = ndimage.center_of_mass(labels > 0, labels, index)
    return area, ndimage.mean(picture, labels, index), centers


def depth(labels):
    """The distance of each element of an object from the table."""
    return ndimage.distance_transform_edt(labels > 0)


def save(folder, picture):
    """Save the edges with the objects' numbers, and the distances."""
    import matplotlib.pyplot as plt

    labels, count = objects(picture)
    _, _, centers = measure(picture, labels, count)
    pictures = {"edges": (edges(picture), "magma"), "distances": (depth(labels), "viridis")}
    names = []
    for name, (values, colours) in pictures.items():
        height, width = values.shape
        figure = plt.figure(figsize=(width / 80, height / 80), dpi=64)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.imshow(values.get(), cmap=colours)
        axes.axis("off")
        if name == "edges":
            axes.contour((labels > 0).get(), [0.5], colors="white", linewidths=0.6)
            for k, (row, column) in enumerate(centers):
                axes.text(
                    float(column), float(row), str(k + 1), color="white", ha="center", va="center"
                )
        names.append(Path(folder) / f"images-{name}.png")
        figure.savefig(names[-1])
        plt.close(figure)
    return names


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    target.mkdir(exist_ok=True)
    table = coins()
    numbers, found = objects(table)
    areas, brightness, _ = measure(table, numbers, found)
    largest = int(cp.argmax(areas))
    print(
        f"{found} objects; the largest, number {largest + 1}, has {int(areas[largest])} elements",
        end=" ",
    )
    print(f"and the brightness {float(brightness[largest]):.2f}")
    print(*save(target, table), sep="\n")
