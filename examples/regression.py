"""Fitting data in four ways, and what the matrix says about how far to trust them.

python examples/regression.py      uses a GPU, or the emulated device where there is none
"""

import gpunp as cp
from gpunp.scipy import linalg

DEGREE = 5
TRUTH = [1.0, -2.0, 0.5, 3.0, -1.0, 0.25]  # coefficients, lowest power first


def data(samples=400, noise=0.01):
    """Points of a polynomial on [-1, 1], and noise: the same on every device."""
    x = cp.linspace(-1, 1, samples)
    matrix = x[:, None] ** cp.arange(DEGREE + 1)
    y = matrix @ cp.asarray(TRUTH) + noise * cp.random.default_rng(1).standard_normal(samples)
    return matrix, y


def by_normal_equations(matrix, y):
    """The fastest way: squares the condition number."""
    factor = linalg.cho_factor(matrix.T @ matrix)
    return linalg.cho_solve(factor, matrix.T @ y)


def by_qr(matrix, y):
    """Orthonormal columns, then one triangle."""
    q, r = cp.linalg.qr(matrix)
    return linalg.solve_triangular(r, q.T @ y)


def by_singular_values(matrix, y):
    """Takes any rank: `lstsq` cuts what counts as zero."""
    return cp.linalg.lstsq(matrix, y)[0]


def resampled(matrix, y, times=50):
    """Spread of the coefficients over random halves of the data: `times` small systems at once."""
    rng = cp.random.default_rng(2)
    picks = rng.integers(0, len(y), (times, len(y) // 2))
    a, b = matrix[picks], y[picks]
    normal = a.swapaxes(-1, -2) @ a
    return cp.linalg.solve(normal, a.swapaxes(-1, -2) @ b[..., None])[..., 0].std(axis=0)


if __name__ == "__main__":
    matrix, y = data()
    print("truth:              ", *(f"{c:8.4f}" for c in TRUTH))
    for fit in (by_normal_equations, by_qr, by_singular_values):
        print(f"{fit.__name__:20}", *(f"{c:8.4f}" for c in fit(matrix, y).get()))
    print(f"{'spread':20}", *(f"{c:8.4f}" for c in resampled(matrix, y).get()))
    print("condition number:", f"{float(cp.linalg.cond(matrix)):.1f}")
