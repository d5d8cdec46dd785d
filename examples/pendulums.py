"""A magnet that swings over three others: where it comes to rest, for each place it starts from.

python examples/pendulums.py [width] [picture.png]      the picture needs Matplotlib
"""

import sys

import gpunp as cp
from gpunp.scipy.integrate import solve_ivp_batched

HEIGHT = 0.3  # of the swinging magnet over the others
MAGNETS = [(1.0, 0.0), (-0.5, 0.8660254037844386), (-0.5, -0.8660254037844386)]


def pull(x, y, magnet_x, magnet_y):
    """The force of a magnet over the cube of its distance."""
    dx, dy = magnet_x - x, magnet_y - y
    square = dx * dx + dy * dy + HEIGHT * HEIGHT
    return dx / square**1.5, dy / square**1.5


def pendulum(t, state):
    """Place and velocity of a magnet with friction, and a spring to the middle."""
    x, y, u, v = state
    ax, ay = pull(x, y, 1.0, 0.0)
    bx, by = pull(x, y, -0.5, 0.8660254037844386)
    cx, cy = pull(x, y, -0.5, -0.8660254037844386)
    return u, v, ax + bx + cx - 0.5 * x - 0.2 * u, ay + by + cy - 0.5 * y - 0.2 * v


def resting(width, seconds=25.0):
    """The number of the magnet that each place leads to, and the evaluations it took."""
    axis = cp.linspace(-2.0, 2.0, width)
    start = cp.zeros((width, width, 4))
    start[..., 0], start[..., 1] = axis[None, :], axis[:, None]
    found = solve_ivp_batched(pendulum, (0.0, seconds), start, rtol=1e-5, atol=1e-6)
    places = found.y[..., None, :2] - cp.array(MAGNETS)
    return (places**2).sum(axis=-1).argmin(axis=-1), found.nfev


def draw(magnet, work, path):
    """Write a picture: colours are magnets, darker where more steps were needed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    colours = cp.array([[0.93, 0.69, 0.13], [0.16, 0.55, 0.76], [0.80, 0.27, 0.33]])
    shade = 1 - 0.7 * (work - work.min()) / (work.max() - work.min())
    pyplot.imsave(path, (colours[magnet] * shade[..., None]).get(), origin="lower")


if __name__ == "__main__":
    width = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    magnet, work = resting(width)
    print(f"{width * width} pendulums, {float(work.mean()):.0f} evaluations each")
    print("ends at each magnet:", cp.bincount(magnet.ravel(), minlength=3).get().tolist())
    if len(sys.argv) > 2:
        draw(magnet, work, sys.argv[2])
