"""Differential equations, minimization and fits; sizes are of systems, variables and residuals."""

import importlib

from case import Case

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}
FEW = 16  # systems that SciPy solves one after another


def module_of(lib, name):
    """The library's counterpart of a module of SciPy."""
    return importlib.import_module(f"{WAYS[lib.name]}.{name}")


def lorenz(t, y):
    """The system of Lorenz, of numbers."""
    x, v, z = y
    return 10.0 * (v - x), x * (28.0 - z) - v, x * v - 2.6666666666666665 * z


def many_systems(method, end, count=None):
    """Systems with steps of their own, in one launch; SciPy solves them one after another."""

    def setup(lib, n=1000):
        y0 = 1 + lib.noise((count or n, 3), "f8")
        integrate = module_of(lib, "integrate")
        if lib.name == "gpunp":
            return lambda: integrate.solve_ivp_batched(lorenz, (0.0, end), y0, method)
        if not count:
            raise AttributeError("SciPy's loop over so many systems takes hours")
        return lambda: [integrate.solve_ivp(lorenz, (0.0, end), row, method) for row in y0]

    return setup


def one_system(method):
    """Heat in a rod, whose state is one vector."""

    def setup(lib, n=1000):
        xp, integrate = lib.module, module_of(lib, "integrate")
        start = lib.noise((n,), "f8")

        def heat(t, u):
            return xp.roll(u, 1) - 2 * u + xp.roll(u, -1)

        return lambda: integrate.solve_ivp(heat, (0.0, 1.0), start, method)

    return setup


def minimized(method):
    """Twenty steps towards the minimum of a sum of Rosenbrock's functions."""

    def setup(lib, n=1000):
        optimize, start = module_of(lib, "optimize"), 0.1 * lib.noise((n // 2, 2), "f8")
        xp = lib.module

        def both(x):
            a, b = x.reshape(-1, 2).T
            rest = b - a * a
            value = (100 * rest * rest + (1 - a) ** 2).sum()
            gradient = xp.stack([-400 * a * rest - 2 * (1 - a), 200 * rest], axis=1)
            return value, gradient.reshape(-1)

        options, x0 = {"maxiter": 20}, start.reshape(-1)
        return lambda: optimize.minimize(both, x0, jac=True, method=method, options=options)

    return setup


def fitted(lib, n=1000):
    """Three parameters of a decay."""
    xp, optimize = lib.module, module_of(lib, "optimize")
    t = xp.linspace(0.0, 4.0, n)
    y = 2.5 * xp.exp(-1.3 * t) + 0.5 + 0.01 * lib.noise((n,), "f8")

    def decay(t, a, b, c):
        return a * xp.exp(-b * t) + c

    return lambda: optimize.curve_fit(decay, t, y)


HOST = [
    Case(f"{FEW} Lorenz systems", many_systems("RK45", 1.0, FEW)),
    Case("solve_ivp RK45", one_system("RK45")),
    Case("minimize L-BFGS-B", minimized("L-BFGS-B")),
    Case("curve_fit", fitted),
]
DEVICE = [
    Case("Lorenz systems, RK45 to 10", many_systems("RK45", 10.0), 0, 1 / 256),
    Case("Lorenz systems, DOP853 to 10", many_systems("DOP853", 10.0), 0, 1 / 256),
    Case("solve_ivp RK45 of a rod", one_system("RK45"), 0, 1 / 64),
    Case("minimize L-BFGS-B, 20 steps", minimized("L-BFGS-B"), 0, 1 / 64),
    Case("curve_fit of a decay", fitted, 0, 1 / 64),
]
