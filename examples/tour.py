"""A tour of gpunp on real input: a photograph, a fractal, a table. Run it with `make demo`.

Each step is one function of `xp`, the module it computes with. It runs with gpunp, on the GPU or on
the emulated device, and once more with NumPy on the host; the table at the end shows both times and
the largest difference between the two results. The pictures go to out/.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.image import imread, imsave

import gpunp as cp

SAMPLES = Path(matplotlib.get_data_path()) / "sample_data"


# ---- the photograph


def load(xp, path):
    """The picture as float32 in 0..1, rows x columns x colours, on xp's device."""
    return xp.asarray(imread(path)).astype(xp.float32) / 255


def blur(xp, image):
    """The mean of each pixel and its eight neighbours; the border keeps its values."""
    out = image.copy()
    rows = image[:-2] + image[1:-1] + image[2:]
    out[1:-1, 1:-1] = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9
    return out


def sharpen(xp, image, amount=1.5):
    """Add back what a blur takes away."""
    return xp.clip(image + amount * (image - blur(xp, image)), 0, 1)


def edges(xp, image):
    """The length of the brightness gradient, by Sobel's two 3 x 3 differences."""
    grey = 0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]
    down = grey[2:] - grey[:-2]
    across = grey[:, 2:] - grey[:, :-2]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    gx = across[:-2] + 2 * across[1:-1] + across[2:]
    length = xp.sqrt(gx * gx + gy * gy)
    return length / length.max()


def recolour(xp, image):
    """Warm lights, cool shadows: each colour on a curve of its own, chosen by brightness."""
    light = image.mean(axis=2, keepdims=True)
    warm = image ** xp.asarray([0.8, 1.0, 1.3], dtype=xp.float32)
    cool = image ** xp.asarray([1.4, 1.1, 0.8], dtype=xp.float32)
    return xp.where(light > 0.45, warm, cool)


# ---- the fractal


def mandelbrot(xp, width, height, steps, progress=None):
    """How soon z -> z*z + c leaves the circle of radius 2, smoothed, for a grid of c."""
    x = xp.linspace(-2.1, 0.7, width)
    y = xp.linspace(-1.2, 1.2, height)
    re, im = xp.meshgrid(x, y)
    c = re + 1j * im
    z = xp.zeros_like(c)
    speed = xp.zeros(c.shape)
    inside = xp.ones(c.shape, dtype=bool)
    for step in range(steps):
        z[inside] = z[inside] * z[inside] + c[inside]
        left = inside & (xp.abs(z) > 2.0)
        if left.any():
            speed[left] = step + 1 - xp.log2(xp.log2(xp.abs(z[left])))
            inside[left] = False
        if progress:
            progress(step + 1, steps)
    return speed


# ---- the table


def read_prices(path, name):
    """(years since 1990, price) of the rows of a CSV file that have a price."""
    with open(path) as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        pairs = [(np.datetime64(row["Date"]), row[name]) for row in rows if row[name]]
    days = np.array([date for date, _ in pairs]) - np.datetime64("1990-01-01")
    return days.astype(float) / 365.25, np.array([float(price) for _, price in pairs])


def fit_line(xp, x, y):
    """Slope and intercept of the least-squares line, and the root mean square of what is left."""
    x, y = xp.asarray(x), xp.log2(xp.asarray(y))
    dx, dy = x - x.mean(), y - y.mean()
    slope = (dx * dy).sum() / (dx * dx).sum()
    intercept = y.mean() - slope * x.mean()
    left = y - (slope * x + intercept)
    return xp.stack([slope, intercept, xp.sqrt((left * left).mean())])


# ---- running and reporting


def progress_bar(done, total, width=40):
    """One line that grows; silent when nobody watches."""
    if sys.stderr.isatty():
        filled = width * done // total
        end = "\n" if done == total else ""
        print(
            f"\r  [{'#' * filled}{'.' * (width - filled)}] {done}/{total}",
            end=end,
            file=sys.stderr,
            flush=True,
        )


def timed(body):
    """(result, seconds), the device's work included."""
    cp.cuda.Stream.null.synchronize()
    start = time.perf_counter()
    result = body()
    cp.cuda.Stream.null.synchronize()
    return result, time.perf_counter() - start


class Tour:
    """Runs each step on both sides and keeps the table's rows."""

    def __init__(self):
        self.rows = []

    def step(self, title, ours, theirs):
        """Run a step twice with gpunp and once with NumPy; return gpunp's result.

        The first run compiles the kernels it needs, unless an earlier run left them in the cache.
        """
        print(f"{title} ...", file=sys.stderr, flush=True)
        result, first = timed(ours)
        again = timed(ours)[1] if first < 3 else None
        expected, host = timed(theirs)
        difference = float(np.abs(result.get() - expected).max())
        self.rows.append((title, first, again, host, difference))
        return result

    def print_table(self):
        """The one table."""
        print(f"\n{'step':34} {'first run':>11} {'again':>11} {'NumPy':>11}   largest difference")
        for title, *times, difference in self.rows:
            cells = [f"{1e3 * t:8.2f} ms" if t is not None else " " * 11 for t in times]
            print(f"{title:34} {' '.join(cells)}   {difference:.1e}")


def device_name():
    """What runs the kernels."""
    name = cp.cuda.runtime.getDeviceProperties(0)["name"]
    return name.decode() if isinstance(name, bytes) else name


def main():
    """See the module's text."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--photo", default=SAMPLES / "grace_hopper.jpg", help="any picture")
    parser.add_argument("--width", type=int, help="of the fractal, in pixels")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the pictures")
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)

    start = time.perf_counter()
    name = device_name()
    emulated = "emulated" in name.lower()
    width = args.width or (480 if emulated else 1920)
    height, steps = width * 3 // 4, 60 if emulated else 200
    print(f"gpunp {cp.__version__} on {name}")

    tour = Tour()
    photo = tour.step(
        "load the photograph", lambda: load(cp, args.photo), lambda: load(np, args.photo)
    )
    host = photo.get()
    pixels = f"{host.shape[1]} x {host.shape[0]}"
    sharp = tour.step(f"sharpen, {pixels}", lambda: sharpen(cp, photo), lambda: sharpen(np, host))
    lines = tour.step("find the edges", lambda: edges(cp, photo), lambda: edges(np, host))
    toned = tour.step("recolour", lambda: recolour(cp, photo), lambda: recolour(np, host))
    fractal = tour.step(
        f"Mandelbrot, {width} x {height}, {steps} steps",
        lambda: mandelbrot(cp, width, height, steps, progress_bar),
        lambda: mandelbrot(np, width, height, steps),
    )
    years, prices = read_prices(SAMPLES / "Stocks.csv", "^GSPC")
    line = tour.step(
        f"fit a line to {len(years)} prices",
        lambda: fit_line(cp, years, prices),
        lambda: fit_line(np, years, prices),
    )

    imsave(args.out / "sharp.png", sharp.get())
    imsave(args.out / "edges.png", lines.get(), cmap="gray")
    imsave(args.out / "recoloured.png", toned.get())
    imsave(args.out / "mandelbrot.png", fractal.get(), cmap="magma")
    tour.print_table()
    slope, _, spread = (float(value) for value in line)
    print(
        f"\nThe S&P 500 doubled every {1 / slope:.1f} years since 1990, give or take a factor of "
        f"{2**spread:.2f}.\nPictures are in {args.out}/; all of it took "
        f"{time.perf_counter() - start:.1f} s."
    )


if __name__ == "__main__":
    main()
