"""Differential equations, minimization and fits; sizes are of systems, variables and residuals."""

import importlib

from case import Case

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}
FEW = 16  # systems that SciPy solves one after another
MANY = 4096  # and how many it is asked for at most


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
        if len(y0) > MANY:
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


def within_bounds(lib, n=1000):
    """Twenty steps towards the minimum of a convex function in a box."""
    xp, optimize = lib.module, module_of(lib, "optimize")
    place, weight = 2 * lib.noise((n,), "f8"), 1 + 9 * lib.noise((n,), "f8")

    def both(x):
        away, beside = x - place, x - xp.roll(x, 1)
        value = (weight * away**2 + beside**2).sum()
        return value, 2 * (weight * away + beside + x - xp.roll(x, -1))

    bounds, start = optimize.Bounds(xp.zeros(n), xp.ones(n)), xp.full(n, 0.5)
    options = {"maxiter": 20, "ftol": 0.0, "gtol": 0.0}
    return lambda: optimize.minimize(both, start, jac=True, bounds=bounds, options=options)


def between_ends(lib, n=1000):
    """A boundary layer, from a mesh of n nodes."""
    xp, integrate = lib.module, module_of(lib, "integrate")
    x = xp.linspace(0.0, 1.0, n)

    def layer(x, y):
        return xp.stack([y[1], 400 * (y[0] - xp.cos(x))])

    def ends(ya, yb):
        return xp.stack([ya[0], yb[0]])

    options = {"tol": 1e-4, "max_nodes": 4 * n}
    return lambda: integrate.solve_bvp(layer, ends, x, xp.zeros((2, n)), **options)


def fitted(lib, n=1000):
    """Three parameters of a decay."""
    xp, optimize = lib.module, module_of(lib, "optimize")
    t = xp.linspace(0.0, 4.0, n)
    y = 2.5 * xp.exp(-1.3 * t) + 0.5 + 0.01 * lib.noise((n,), "f8")

    def decay(t, a, b, c):
        return a * xp.exp(-b * t) + c

    return lambda: optimize.curve_fit(decay, t, y)


def bell(t, height, place, width):
    """A peak, of numbers."""
    z = (t - place) / width
    return height * 2.718281828459045 ** (-0.5 * z * z)


def many_fits(count=None):
    """Peaks of 40 points, in one launch; SciPy fits them one after another."""

    def setup(lib, n=1000):
        xp, optimize = lib.module, module_of(lib, "optimize")
        t, systems = xp.linspace(-3.0, 3.0, 40), count or max(n // 40, 1)
        places = xp.linspace(-1.0, 1.0, systems)
        curves = bell(t, 2.0, places[:, None], 0.7) + 0.01 * lib.noise((systems, 40), "f8")
        start = xp.asarray([1.0, 0.0, 1.0])
        if lib.name == "gpunp":
            return lambda: optimize.curve_fit_batched(bell, t, curves, start)
        if systems > MANY:
            raise AttributeError("SciPy's loop over so many fits takes hours")
        return lambda: [optimize.curve_fit(bell, t, row, start) for row in curves]

    return setup


def wells(x, a):
    """A function of four numbers with a minimum near a, of numbers or of an array."""
    p, q, r, s = x
    near = (p - a) ** 2 + (q - a) ** 2 + (r + a) ** 2 + (s + a) ** 2
    return near + 0.1 * (p * q - r * s) ** 2


def many_minima(count=None):
    """Minima of four variables, in one launch; SciPy finds them one after another."""

    def setup(lib, n=1000):
        systems = count or n
        optimize, a = module_of(lib, "optimize"), lib.noise((systems,), "f8")
        start = lib.module.zeros((systems, 4))
        if lib.name == "gpunp":
            return lambda: optimize.minimize_batched(wells, start, (a,))
        if systems > MANY:
            raise AttributeError("SciPy's loop over so many searches takes hours")
        return lambda: [optimize.minimize(wells, x, (b,)) for x, b in zip(start, a, strict=True)]

    return setup


def equations(method):
    """Eight iterations for a reaction with diffusion on a ring."""

    def setup(lib, n=1000):
        xp, optimize = lib.module, module_of(lib, "optimize")
        side = 1 + 0.5 * lib.noise((n,), "f8")

        def residual(u):
            return 4 * u - xp.roll(u, 1) - xp.roll(u, -1) + 0.1 * u**3 - side

        start, options = xp.zeros(n), {"nit": 8}
        return lambda: optimize.root(residual, start, method=method, options=options)

    return setup


def on_a_grid(lib, n=1000):
    """The smallest value of a function of two variables at n points."""
    xp, optimize = lib.module, module_of(lib, "optimize")
    count = max(int(n**0.5), 2)

    def waves(x):
        return xp.sin(3 * x[0]) * xp.cos(2 * x[1]) + 0.1 * (x[0] - 1) ** 2

    options = {"vectorized": True} if lib.name == "gpunp" else {}
    box = ((-3.0, 3.0), (-3.0, 3.0))
    return lambda: optimize.brute(waves, box, Ns=count, finish=None, **options)


def samples(name, **options):
    """An integral of samples in rows of 1024."""

    def setup(lib, n=1000):
        function = getattr(module_of(lib, "integrate"), name)
        y = lib.noise((max(n // 1024, 1), 1024), "f8")
        return lambda: function(y, dx=0.5, axis=1, **options)

    return setup


def vector_of_integrals(lib, n=1000):
    """Integrals of n functions over one interval."""
    xp, integrate, k = lib.module, module_of(lib, "integrate"), 1 + 9 * lib.noise((n,), "f8")
    return lambda: integrate.quad_vec(lambda x: xp.cos(k * x) / (1 + x * x), 0, 1, epsrel=1e-6)


def least_squares(lib, n=1000):
    """A circle through n points, by residuals and their derivatives."""
    xp, optimize = lib.module, module_of(lib, "optimize")
    angle = 6 * lib.noise((n,), "f8")
    x, y = 3 + 2 * xp.cos(angle), -1 + 2 * xp.sin(angle)

    def residuals(p):
        return xp.sqrt((x - p[0]) ** 2 + (y - p[1]) ** 2) - p[2]

    def derivatives(p):
        r = xp.sqrt((x - p[0]) ** 2 + (y - p[1]) ** 2)
        return xp.stack([(p[0] - x) / r, (p[1] - y) / r, xp.full(n, -1.0)], axis=1)

    start = xp.asarray([1.0, 1.0, 1.0])
    return lambda: optimize.least_squares(residuals, start, derivatives)


HOST = [
    Case(f"{FEW} Lorenz systems", many_systems("RK45", 1.0, FEW)),
    Case("solve_ivp RK45", one_system("RK45")),
    Case("minimize L-BFGS-B", minimized("L-BFGS-B")),
    Case("minimize L-BFGS-B in a box", within_bounds),
    Case("solve_bvp", between_ends),
    Case("curve_fit", fitted),
    Case(f"{FEW} fits of a peak", many_fits(FEW)),
    Case(f"{FEW} minima of 4 variables", many_minima(FEW)),
    Case("root by broyden1", equations("broyden1")),
    Case("root by krylov", equations("krylov")),
    Case("brute of 1000 points", on_a_grid),
]
DEVICE = [
    Case("Lorenz systems, RK45 to 10", many_systems("RK45", 10.0), 0, 1 / 256),
    Case("Lorenz systems, DOP853 to 10", many_systems("DOP853", 10.0), 0, 1 / 256),
    Case("solve_ivp RK45 of a rod", one_system("RK45"), 0, 1 / 64),
    Case("minimize L-BFGS-B, 20 steps", minimized("L-BFGS-B"), 0, 1 / 64),
    Case("minimize L-BFGS-B in a box", within_bounds, 0, 1 / 64),
    Case("solve_bvp", between_ends, 0, 1 / 4096),
    Case("curve_fit of a decay", fitted, 0, 1 / 64),
    Case("fits of peaks of 40 points", many_fits(), 0, 1 / 16),
    Case("minima of 4 variables", many_minima(), 0, 1 / 256),
    Case("root by broyden1", equations("broyden1"), 0, 1 / 64),
    Case("root by krylov", equations("krylov"), 0, 1 / 64),
    Case("brute, one call", on_a_grid, 0, 1 / 64),
    Case("least_squares of a circle", least_squares, 0, 1 / 64),
    Case("simpson of rows", samples("simpson"), 8, 1 / 4),
    Case("cumulative_simpson of rows", samples("cumulative_simpson"), 16, 1 / 4),
    Case("quad_vec of functions", vector_of_integrals, 0, 1 / 256),
]
