"""Programs for lazy.py, in the manner of public collections of numerical kernels.

Each function takes a module and a size, makes its arrays and returns a function without arguments
that does the work on them and returns an array or a tuple of arrays. The table at the end gives a
small size, for tests, and a usual one.
"""

# ---- stencils ------------------------------------------------------------------------------------


def jacobi_1d(xp, n):
    """Averages of three neighbours, from one array into another and back."""
    a, b = xp.arange(n) / n, xp.arange(n) / n + 1

    def run():
        for _ in range(20):
            b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
            a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
        return a, b

    return run


def jacobi_2d(xp, n):
    """Averages of five neighbours, from one array into another and back."""
    a = xp.arange(n * n).reshape(n, n) / n
    b = a + 1

    def run():
        for _ in range(10):
            b[1:-1, 1:-1] = 0.2 * (
                a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
            )
            a[1:-1, 1:-1] = 0.2 * (
                b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
            )
        return a, b

    return run


def laplace(xp, n):
    """Relaxation in place, slices of one array assigned."""
    a = xp.zeros((n, n))
    a[0] = 1.0

    def run():
        for _ in range(20):
            a[1:-1, 1:-1] = 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])
        return a

    return run


def heat_3d(xp, n):
    """Explicit steps of the heat equation in three dimensions."""
    a = xp.arange(n**3).reshape(n, n, n) / n
    b = a.copy()
    c = (slice(1, -1),) * 3

    def second(u, axis):
        up, down = list(c), list(c)
        up[axis], down[axis] = slice(2, None), slice(None, -2)
        return 0.125 * (u[tuple(up)] - 2.0 * u[c] + u[tuple(down)])

    def run():
        for _ in range(6):
            b[c] = second(a, 0) + second(a, 1) + second(a, 2) + a[c]
            a[c] = second(b, 0) + second(b, 1) + second(b, 2) + b[c]
        return a

    return run


def fdtd_2d(xp, n):
    """Maxwell's equations on a staggered grid."""
    ex = xp.arange(n * n).reshape(n, n) / n
    ey, hz = ex + 1, ex + 2
    source = [float(t) for t in range(10)]

    def run():
        for t in range(10):
            ey[0] = source[t]
            ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
            ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
            hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return ex, ey, hz

    return run


def seidel_2d(xp, n):
    """Rows relaxed one after the other, each with the new values of the one above."""
    a = xp.arange(n * n).reshape(n, n) / n

    def run():
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:]
            a[i, 1:-1] += a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            a[i, 1:-1] /= 9.0
        return a

    return run


def wave(xp, n):
    """Leapfrog in one dimension, with new arrays."""
    start = xp.exp(-100 * (xp.linspace(0, 1, n) - 0.5) ** 2)

    def run():
        u, before = start, start.copy()
        for _ in range(30):
            after = xp.zeros_like(u)
            after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.5 * (u[2:] - 2 * u[1:-1] + u[:-2])
            before, u = u, after
        return u

    return run


def heat_copies(xp, n):
    """Explicit steps of the heat equation with a copy for each."""
    start = xp.sin(xp.linspace(0, 3, n))

    def run():
        u = start
        for _ in range(30):
            v = u.copy()
            v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
            u = v
        return u

    return run


# ---- fluids and weather --------------------------------------------------------------------------


def cavity_flow(xp, n):
    """A lid driven flow: pressure by relaxation, then velocities."""
    u, v, p, b = (xp.zeros((n, n)) for _ in range(4))
    dx, dt, nu = 2 / (n - 1), 0.001, 0.1

    def source():
        x = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
        y = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dx)
        cross = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dx) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
        b[1:-1, 1:-1] = 1 / dt * (x + y) - x**2 - 2 * cross - y**2

    def pressure():
        for _ in range(5):
            q = p.copy()
            p[1:-1, 1:-1] = 0.25 * (q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1])
            p[1:-1, 1:-1] -= dx**2 / 4 * b[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
            p[0] = p[1]
            p[:, 0] = p[:, 1]
            p[-1] = 0

    def velocity(w, along, slope):
        inner = w[1:-1, 1:-1]
        moved = inner - along[0] * dt / dx * (inner - w[1:-1, :-2])
        moved = moved - along[1] * dt / dx * (inner - w[:-2, 1:-1]) - dt / (2 * dx) * slope
        spread = w[1:-1, 2:] - 4 * inner + w[1:-1, :-2] + w[2:, 1:-1] + w[:-2, 1:-1]
        return moved + nu * dt / dx**2 * spread

    def run():
        for _ in range(4):
            source()
            pressure()
            un, vn = u.copy(), v.copy()
            along = un[1:-1, 1:-1], vn[1:-1, 1:-1]
            u[1:-1, 1:-1] = velocity(un, along, p[1:-1, 2:] - p[1:-1, :-2])
            v[1:-1, 1:-1] = velocity(vn, along, p[2:, 1:-1] - p[:-2, 1:-1])
            for w in (u, v):
                w[0] = w[:, 0] = w[:, -1] = 0
                w[-1] = 1 if w is u else 0
        return u, v, p

    return run


def channel_flow(xp, n):
    """A periodic channel: until the velocity hardly changes, asked in each step."""
    u = xp.zeros((n, n))

    def run():
        change, steps = 1.0, 0
        while change > 0.001 and steps < 8:
            un = u.copy()
            u[1:-1, 1:-1] = un[1:-1, 1:-1] + 0.1 * (
                un[1:-1, 2:] + un[1:-1, :-2] + un[2:, 1:-1] + un[:-2, 1:-1] - 4 * un[1:-1, 1:-1]
            )
            u[1:-1, 1:-1] += 0.01
            u[1:-1, 0] = un[1:-1, -1]
            change = float((u.sum() - un.sum()) / u.sum())
            steps += 1
        return u

    return run


def horizontal_diffusion(xp, n):
    """Diffusion of fourth order with limited fluxes, as in weather models."""
    f = xp.sin(xp.arange((n + 4) ** 2 * 8.0)).reshape(n + 4, n + 4, 8)
    c = 0.025 * xp.ones((n, n, 8))

    def run():
        lap = 4.0 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])
        r = lap[1:, 1:-1] - lap[:-1, 1:-1]
        fx = xp.where(r * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0.0, r)
        r = lap[1:-1, 1:] - lap[1:-1, :-1]
        fy = xp.where(r * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0.0, r)
        return f[2:-2, 2:-2] - c * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1])

    return run


def vertical_advection(xp, n):
    """An implicit solver in each column: forwards and backwards over levels."""
    levels = 16
    w = xp.sin(xp.arange(n * n * (levels + 1.0))).reshape(n, n, levels + 1)
    u, out = xp.cos(w[:, :, :-1]), xp.zeros((n, n, levels))
    c, d = xp.zeros((n, n, levels)), xp.zeros((n, n, levels))

    def run():
        for k in range(levels):
            above = 0.25 * w[:, :, k] if k > 0 else 0.0
            below = 0.25 * w[:, :, k + 1]
            b = 3.0 - above - below
            if k == 0:
                c[:, :, k] = below / b
                d[:, :, k] = u[:, :, k] / b
            else:
                divided = 1.0 / (b - c[:, :, k - 1] * above)
                c[:, :, k] = below * divided
                d[:, :, k] = (u[:, :, k] - d[:, :, k - 1] * above) * divided
        out[:, :, -1] = d[:, :, -1]
        for k in range(levels - 2, -1, -1):
            out[:, :, k] = d[:, :, k] - c[:, :, k] * out[:, :, k + 1]
        return out

    return run


def advection(xp, n):
    """Upwind transport with a limiter."""
    u = xp.where(abs(xp.linspace(-1, 1, n)) < 0.3, 1.0, 0.0)

    def run():
        for _ in range(15):
            d = u[1:] - u[:-1]
            left, right = d[:-1], d[1:]
            slope = xp.where(left * right > 0, xp.minimum(abs(left), abs(right)), 0.0)
            flux = u[1:-1] + 0.5 * slope * xp.sign(left)
            u[2:-1] -= 0.4 * (flux[1:] - flux[:-1])
        return u

    return run


# ---- solvers by rows and dense factorisations ----------------------------------------------------


def adi(xp, n):
    """Alternating directions: tridiagonal solvers along columns, then rows."""
    u = xp.arange(n * n).reshape(n, n) / n
    v, p, q = (xp.zeros((n, n)) for _ in range(3))

    def sweep(x, y):
        x[0], q[1:-1, 0] = 1.0, 1.0
        p[1:-1, 0] = 0.0
        for j in range(1, n - 1):
            p[1:-1, j] = 0.3 / (1.6 - 0.3 * p[1:-1, j - 1])
            right = 0.2 * y[j, :-2] + 0.6 * y[j, 1:-1] + 0.2 * y[j, 2:]
            q[1:-1, j] = (right + 0.3 * q[1:-1, j - 1]) / (1.6 - 0.3 * p[1:-1, j - 1])
        x[-1] = 1.0
        for j in range(n - 2, 0, -1):
            x[j, 1:-1] = p[1:-1, j] * x[j + 1, 1:-1] + q[1:-1, j]

    def run():
        for _ in range(2):
            sweep(v, u.T)
            sweep(u.T, v)
        return u

    return run


def thomas(xp, n):
    """Tridiagonal systems, one for each column, row by row."""
    rows = 24
    right = xp.ones((rows, n)) + xp.arange(n) / 7
    c = xp.zeros((rows, n))

    def run():
        d = right.copy()
        c[0] = -1 / 4.0
        d[0] = d[0] / 4.0
        for i in range(1, rows):
            m = 4.0 + c[i - 1]
            c[i] = -1.0 / m
            d[i] = (d[i] + d[i - 1]) / m
        for i in range(rows - 2, -1, -1):
            d[i] -= c[i] * d[i + 1]
        return d

    return run


def cholesky(xp, n):
    """Column by column, with products of shrinking pieces."""
    start = xp.eye(n) * n + xp.ones((n, n))

    def run():
        a = start.copy()
        for k in range(n):
            a[k, k] = xp.sqrt(a[k, k])
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[None, k + 1 :, k]
        return a

    return run


def lu(xp, n):
    """Gauss's elimination in place."""
    start = xp.eye(n) * n + xp.sin(xp.arange(n * n * 1.0)).reshape(n, n)

    def run():
        a = start.copy()
        for k in range(n - 1):
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
        return a

    return run


def gramschmidt(xp, n):
    """Orthogonal columns."""
    start = xp.sin(xp.arange(n * n * 1.0)).reshape(n, n) + xp.eye(n)

    def run():
        a, q, r = start.copy(), xp.zeros((n, n)), xp.zeros((n, n))
        for k in range(n):
            r[k, k] = xp.sqrt((a[:, k] * a[:, k]).sum())
            q[:, k] = a[:, k] / r[k, k]
            r[k, k + 1 :] = (q[:, k, None] * a[:, k + 1 :]).sum(axis=0)
            a[:, k + 1 :] -= q[:, k, None] * r[k, k + 1 :]
        return q, r

    return run


def durbin(xp, n):
    """Toeplitz systems by recursion, with reversed slices."""
    r = xp.sin(xp.arange(n * 1.0)) / n

    def run():
        y = xp.zeros(n)
        alpha, beta = -r[0], xp.asarray(1.0)
        y[0] = -r[0]
        for k in range(1, n):
            beta = beta * (1.0 - alpha * alpha)
            alpha = -(r[k] + (r[:k][::-1] * y[:k]).sum()) / beta
            y[:k] += alpha * y[:k][::-1]
            y[k] = alpha
        return y

    return run


def conjugate_gradient(xp, n):
    """A positive definite system; the scalars stay on the device."""
    a, right = xp.eye(n) * 4 + xp.ones((n, n)) / n, xp.ones(n)

    def run():
        x, r = xp.zeros(n), right.copy()
        p = r.copy()
        s = (r * r).sum()
        for _ in range(10):
            q = a @ p
            alpha = s / (p * q).sum()
            x += alpha * p
            r -= alpha * q
            new = (r * r).sum()
            p = r + (new / s) * p
            s = new
        return x

    return run


def gemver(xp, n):
    """Updates of a matrix of rank two, and products with it."""
    a = xp.arange(n * n).reshape(n, n) / n
    u, v, y, z = (xp.arange(n) / n + k for k in range(4))

    def run():
        b = a + u[:, None] * v + y[:, None] * z
        x = 1.5 * (y @ b) + z
        return 1.2 * (b @ x)

    return run


# ---- networks ------------------------------------------------------------------------------------


def softmax(xp, n):
    """Attention's softmax over the last of four axes."""
    x = xp.sin(xp.arange(n * n * 4.0, dtype="f4")).reshape(2, 2, n, n)

    def run():
        e = xp.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return run


def mlp(xp, n):
    """Three dense layers."""
    x = xp.sin(xp.arange(n * n * 1.0, dtype="f4")).reshape(n, n)
    layers = [(xp.cos(x * k), x[0] * k) for k in (1, 2, 3)]

    def run():
        y = x
        for w, b in layers[:-1]:
            y = xp.maximum(y @ w + b, 0)
        y = y @ layers[-1][0] + layers[-1][1]
        e = xp.exp(y - y.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return run


def conv2d(xp, n):
    """A convolution as sums over windows, with a bias."""
    x = xp.sin(xp.arange(2 * n * n * 3.0, dtype="f4")).reshape(2, n, n, 3)
    w = xp.cos(xp.arange(3 * 3 * 3 * 4.0, dtype="f4")).reshape(3, 3, 3, 4)
    bias = xp.ones(4, "f4")
    size = n - 2

    def run():
        out = xp.empty((2, size, size, 4), "f4")
        for i in range(size):
            for j in range(size):
                part = x[:, i : i + 3, j : j + 3, :, None] * w
                out[:, i, j] = part.sum(axis=(1, 2, 3))
        return out + bias

    return run


def pooling(xp, n):
    """A network's ends: rectifier, pooling by windows, normalisation."""
    x = xp.sin(xp.arange(2 * n * n * 4.0, dtype="f4")).reshape(2, n, n, 4)
    half = n // 2

    def run():
        y = xp.maximum(x, 0)
        out = xp.empty((2, half, half, 4), "f4")
        for i in range(half):
            for j in range(half):
                out[:, i, j] = y[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2].max(axis=(1, 2))
        mean = out.mean(axis=0, keepdims=True)
        deviation = xp.sqrt(((out - mean) ** 2).mean(axis=0, keepdims=True) + 1e-5)
        return (out - mean) / deviation

    return run


def gradient_descent(xp, n):
    """Logistic regression by steps."""
    x = xp.sin(xp.arange(n * 4.0)).reshape(n, 4)
    y = (xp.arange(n) % 2).astype("f8")

    def run():
        w = xp.zeros(4)
        for _ in range(20):
            p = 1 / (1 + xp.exp(-(x @ w)))
            w -= 0.1 * (x.T @ (p - y)) / n
        return w

    return run


# ---- physics and finance -------------------------------------------------------------------------


def nbody(xp, n):
    """All pairs, with kinetic and potential energies."""
    x = xp.sin(xp.arange(n * 3.0)).reshape(n, 3)
    v = xp.zeros((n, 3))

    def run():
        for _ in range(10):
            d = x[None] - x[:, None]
            r = (d * d).sum(axis=2) + 0.01
            v[:] = v + 0.01 * (d / (r * xp.sqrt(r))[..., None]).sum(axis=1)
            x[:] = x + 0.01 * v
        return x, 0.5 * (v * v).sum()

    return run


def runge_kutta(xp, n):
    """Four stages for many pendulums."""
    start = xp.linspace(0, 1, n)
    h = 0.1

    def run():
        x, v = start, xp.zeros(n)
        for _ in range(10):
            k1, l1 = v, -xp.sin(x)
            k2, l2 = v + h / 2 * l1, -xp.sin(x + h / 2 * k1)
            k3, l3 = v + h / 2 * l2, -xp.sin(x + h / 2 * k2)
            k4, l4 = v + h * l3, -xp.sin(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            v = v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        return x

    return run


def gray_scott(xp, n):
    """Two reacting fields, with borders that are copied."""
    u, v = xp.ones((n, n)), xp.zeros((n, n))
    v[n // 3 : n // 2, n // 3 : n // 2] = 0.5

    def spread(w):
        c = w[1:-1, 1:-1]
        return w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] - 4 * c

    def run():
        for _ in range(10):
            lu_, lv = spread(u), spread(v)
            r = u[1:-1, 1:-1] * v[1:-1, 1:-1] ** 2
            u[1:-1, 1:-1] += 0.16 * lu_ - r + 0.035 * (1 - u[1:-1, 1:-1])
            v[1:-1, 1:-1] += 0.08 * lv + r - 0.1 * v[1:-1, 1:-1]
            for w in (u, v):
                w[0] = w[-2]
                w[-1] = w[1]
        return u, v

    return run


def black_scholes(xp, n):
    """Prices of options for growing rates: numbers that differ in each round."""
    s = xp.linspace(50, 150, n)

    def run():
        total = xp.zeros(n)
        for i in range(10):
            rate = 0.01 * (i + 1)
            d = (xp.log(s / 100) + rate) / 0.2
            total += s * xp.tanh(d) - 100 * xp.exp(-rate) * xp.tanh(d - 0.2)
        return total

    return run


def arc_distance(xp, n):
    """Distances on a sphere."""
    t0, p0, t1, p1 = (xp.sin(xp.arange(n * 1.0) + k) for k in range(4))

    def run():
        a = xp.sin((t1 - t0) / 2) ** 2 + xp.cos(t0) * xp.cos(t1) * xp.sin((p1 - p0) / 2) ** 2
        return 2 * xp.arctan2(xp.sqrt(a), xp.sqrt(1 - a))

    return run


# ---- statistics, images, search ------------------------------------------------------------------


def correlation(xp, n):
    """Correlations of columns, one column after the other."""
    data = xp.sin(xp.arange(2.0 * n * n)).reshape(2 * n, n)

    def run():
        mean, deviation = data.mean(axis=0), data.std(axis=0)
        deviation = xp.where(deviation <= 0.1, 1.0, deviation)
        x = (data - mean) / (2 * n**0.5 * deviation)
        c = xp.eye(n)
        for i in range(n - 1):
            c[i, i + 1 :] = c[i + 1 :, i] = (x[:, i, None] * x[:, i + 1 :]).sum(axis=0)
        return c

    return run


def covariance(xp, n):
    """Covariances of columns by one product."""
    data = xp.sin(xp.arange(2.0 * n * n)).reshape(2 * n, n)

    def run():
        d = data - data.mean(axis=0)
        return d.T @ d / (2 * n - 1)

    return run


def azimuthal_sums(xp, n):
    """Means of rings: a mask for each."""
    values = xp.sin(xp.arange(n * 1.0))
    radius = abs(xp.cos(xp.arange(n * 3.0)[::3]))

    def run():
        out = xp.zeros(16)
        for i in range(16):
            inside = (radius >= i / 16) & (radius < (i + 1) / 16)
            out[i] = (values * inside).sum() / xp.maximum(inside.sum(), 1)
        return out

    return run


def kmeans(xp, n):
    """Two clusters on a line."""
    x = xp.sin(xp.arange(n * 1.0) * 3)

    def run():
        a, b = x[:1].copy(), x[1:2].copy()
        for _ in range(8):
            near = abs(x - a) < abs(x - b)
            count = near.sum()
            a = (x * near).sum() / xp.maximum(count, 1)
            b = (x * ~near).sum() / xp.maximum(n - count, 1)
        return a + b

    return run


def sobel(xp, n):
    """Edges of an image."""
    a = xp.sin(xp.arange(n * n * 1.0)).reshape(n, n)

    def run():
        gx = a[:-2, 2:] + 2 * a[1:-1, 2:] + a[2:, 2:] - a[:-2, :-2] - 2 * a[1:-1, :-2] - a[2:, :-2]
        gy = a[2:, :-2] + 2 * a[2:, 1:-1] + a[2:, 2:] - a[:-2, :-2] - 2 * a[:-2, 1:-1] - a[:-2, 2:]
        g = xp.sqrt(gx * gx + gy * gy)
        return (g > g.mean()).astype("i4")

    return run


def deriche(xp, n):
    """A recursive filter along rows, both ways."""
    a = xp.sin(xp.arange(n * n * 1.0)).reshape(n, n)
    y, z = xp.zeros((n, n)), xp.zeros((n, n))

    def run():
        for j in range(2, n):
            y[:, j] = 0.3 * a[:, j] + 0.1 * a[:, j - 1] + 0.9 * y[:, j - 1] - 0.2 * y[:, j - 2]
        for j in range(n - 3, -1, -1):
            z[:, j] = 0.2 * a[:, j + 1] + 0.05 * a[:, j + 2] + 0.9 * z[:, j + 1] - 0.2 * z[:, j + 2]
        return 0.5 * (y + z)

    return run


def mandelbrot(xp, n):
    """Escape times with a mask."""
    c = xp.linspace(-2, 1, n)[None] + 1j * xp.linspace(-1, 1, n)[:, None]

    def run():
        z, count = xp.zeros_like(c), xp.zeros(c.shape, "i4")
        for _ in range(15):
            z = xp.where(abs(z) < 2, z * z + c, z)
            count += abs(z) < 2
        return count

    return run


def life(xp, n):
    """Conway's game, with neighbours as slices of a padded array."""
    start = (xp.arange(n * n).reshape(n, n) * 7 % 3 == 0).astype("i4")

    def run():
        a = start.copy()
        for _ in range(10):
            c = a[:-2, :-2] + a[:-2, 1:-1] + a[:-2, 2:] + a[1:-1, :-2] + a[1:-1, 2:]
            c += a[2:, :-2] + a[2:, 1:-1] + a[2:, 2:]
            alive = a[1:-1, 1:-1]
            born, stays = (c == 3) & (alive == 0), ((c == 2) | (c == 3)) & (alive == 1)
            a[...] = 0
            a[1:-1, 1:-1][...] = (born | stays).astype("i4")
        return a

    return run


def floyd_warshall(xp, n):
    """Shortest paths in place."""
    start = (xp.arange(n * n * 1.0).reshape(n, n) * 37) % 11 + 1

    def run():
        d = start.copy()
        for k in range(n):
            d[:] = xp.minimum(d, d[:, k, None] + d[None, k])
        return d

    return run


def edit_distance(xp, n):
    """Rows of a dynamic program, each with a scan."""
    a, b = xp.arange(12) * 7 % 5, xp.arange(n) * 3 % 5
    index = xp.arange(n + 1)

    def run():
        row = index
        for i in range(12):
            new = xp.empty(n + 1, index.dtype)
            new[0] = i + 1
            new[1:] = xp.minimum(row[1:] + 1, row[:-1] + (a[i] != b))
            row = xp.minimum.accumulate(new - index) + index
        return row

    return run


def spmv(xp, n):
    """A product with a sparse matrix in rows of equal length."""
    columns = (xp.arange(n * 5).reshape(n, 5) * 7) % n
    values, x = xp.sin(columns * 1.0), xp.cos(xp.arange(n * 1.0))

    def run():
        y = x
        for _ in range(8):
            y = (values * y[columns]).sum(axis=1)
            y = y / xp.sqrt((y * y).sum())
        return y

    return run


def horner(xp, n):
    """A polynomial with different coefficients."""
    x = xp.linspace(-1, 1, n)

    def run():
        y = xp.zeros(n)
        for i in range(20):
            y = y * x + 1 / (i + 1)
        return y

    return run


# Name: (function, size in tests, usual size).
PROGRAMS = {
    f.__name__: (f, small, usual)
    for f, small, usual in [
        (jacobi_1d, 12, 3200),
        (jacobi_2d, 7, 150),
        (laplace, 7, 150),
        (heat_3d, 5, 25),
        (fdtd_2d, 6, 200),
        (seidel_2d, 7, 40),
        (wave, 12, 2000),
        (heat_copies, 12, 2000),
        (cavity_flow, 7, 61),
        (channel_flow, 7, 61),
        (horizontal_diffusion, 5, 64),
        (vertical_advection, 4, 60),
        (advection, 16, 2000),
        (adi, 7, 100),
        (thomas, 6, 2000),
        (cholesky, 6, 64),
        (lu, 6, 64),
        (gramschmidt, 5, 40),
        (durbin, 8, 60),
        (conjugate_gradient, 8, 200),
        (gemver, 6, 400),
        (softmax, 6, 128),
        (mlp, 6, 128),
        (conv2d, 5, 12),
        (pooling, 4, 16),
        (gradient_descent, 9, 2000),
        (nbody, 5, 60),
        (runge_kutta, 9, 2000),
        (gray_scott, 9, 128),
        (black_scholes, 9, 20000),
        (arc_distance, 9, 100000),
        (correlation, 5, 60),
        (covariance, 5, 100),
        (azimuthal_sums, 20, 20000),
        (kmeans, 12, 20000),
        (sobel, 7, 256),
        (deriche, 7, 64),
        (mandelbrot, 6, 125),
        (life, 7, 128),
        (floyd_warshall, 6, 64),
        (edit_distance, 9, 500),
        (spmv, 9, 4000),
        (horner, 9, 2000),
    ]
}
