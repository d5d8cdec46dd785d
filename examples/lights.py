"""A picture from its blurred and noisy measurement: a minimum in as many variables as pixels.

python examples/lights.py [width] [picture.png]      the picture needs Matplotlib
"""

import sys

import gpunp as cp
from gpunp.scipy.optimize import minimize

SPARE = 0.02  # weight of the roughness


def scene(width):
    """Lights of several sizes and a bar, between 0 and 1."""
    axis = cp.linspace(-1.0, 1.0, width)
    x, y = axis[None, :], axis[:, None]
    picture = cp.zeros((width, width))
    for k in range(7):
        distance = cp.hypot(x - 0.7 * cp.cos(0.9 * k), y - 0.7 * cp.sin(0.9 * k))
        picture = cp.where(distance < 0.04 * (k + 1) ** 0.7, 0.4 + 0.1 * k, picture)
    bar = (abs(x) < 0.35) & (abs(y) < 0.05)
    return cp.where(bar, 1.0, picture)


def blur(width, size=0.06):
    """The function that blurs, by its spectrum; it is its own transpose."""
    f = cp.fft.fftfreq(width, 2.0 / width)
    decay = cp.exp(-2 * (cp.pi * size) ** 2 * (f[:, None] ** 2 + f[None, :] ** 2))
    return lambda a: cp.fft.ifft2(cp.fft.fft2(a) * decay).real


def restored(measured, blurred, steps=60):
    """The picture that explains a measurement with few edges."""
    width = measured.shape[0]

    def value_and_gradient(v):
        a = v.reshape(width, width)
        rest = blurred(a) - measured
        right, down = cp.roll(a, -1, 1) - a, cp.roll(a, -1, 0) - a
        edges = cp.sqrt(right**2 + down**2 + 1e-4)
        across, along = right / edges, down / edges
        rough = cp.roll(across, 1, 1) - across + cp.roll(along, 1, 0) - along
        value = (rest**2).sum() / 2 + SPARE * edges.sum()
        return value, (blurred(rest) + SPARE * rough).ravel()

    start = measured.ravel()
    return minimize(
        value_and_gradient, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}
    )


def draw(pictures, path):
    """Write pictures side by side."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.imsave(path, cp.concatenate(pictures, axis=1).get(), cmap="magma", vmin=0, vmax=1)


if __name__ == "__main__":
    width = int(sys.argv[1]) if len(sys.argv) > 1 else 96
    truth, blurred = scene(width), blur(width)
    noise = 0.02 * cp.random.default_rng(1).standard_normal(truth.shape)
    measured = blurred(truth) + noise
    found = restored(measured, blurred)
    print(f"{truth.size} variables, {found.nit} steps, {found.nfev} evaluations")
    for name, picture in (("measured", measured), ("restored", found.x.reshape(truth.shape))):
        print(f"{name}: mean error {float(abs(picture - truth).mean()):.4f}")
    if len(sys.argv) > 2:
        draw([truth, measured, found.x.reshape(truth.shape)], sys.argv[2])
