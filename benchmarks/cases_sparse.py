"""Sparse matrices: functions of each library's `scipy.sparse`; sizes are of 16 values a row."""

import importlib
import warnings

from case import Case
from libraries import mixed_noise

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}
PER_ROW = 16


def module_of(lib):
    """The library's module of sparse matrices."""
    return importlib.import_module(f"{WAYS[lib.name]}.sparse")


def matrix(lib, n):
    """A square csr matrix of n random values."""
    xp, rows = lib.module, max(n // PER_ROW, 1)
    columns = (abs(lib.noise((rows, PER_ROW), "f4")) * 1e6).astype("i4") % rows
    columns.sort(axis=1)
    begins = xp.arange(rows + 1, dtype="i4") * PER_ROW
    values = lib.noise((rows * PER_ROW,), "f4")
    return module_of(lib).csr_matrix((values, columns.ravel(), begins), shape=(rows, rows))


def product(columns=0, transposed=False):
    """A matrix, or its transpose, times a vector or so many of them."""

    def setup(lib, n=16000):
        m = matrix(lib, n)
        x = lib.noise((m.shape[0], columns) if columns else (m.shape[0],), "f4")
        return (lambda: m.T @ x) if transposed else (lambda: m @ x)

    return setup


def of_diagonals(lib, n=16000):
    """A matrix of five diagonals times a vector."""
    offsets = lib.module.asarray([-100, -1, 0, 1, 100])
    m = module_of(lib).dia_matrix((lib.noise((5, n), "f4"), offsets), shape=(n, n))
    x = lib.noise((n,), "f4")
    return lambda: m @ x


def both(operation):
    """An operation of two matrices."""

    def setup(lib, n=16000):
        a, b = matrix(lib, n), matrix(lib, n)
        return lambda: operation(a, b)

    return setup


def to_csr(lib, n=16000):
    """Coordinates in random order to compressed rows."""
    sparse, rows = module_of(lib), max(n // PER_ROW, 1)
    i, j = (mixed_noise(lib, (2, n)) * rows).astype("i4")
    values = lib.noise((n,), "f4")
    return lambda: sparse.coo_matrix((values, (i, j)), shape=(rows, rows)).tocsr()


def some_rows(lib, n=16000):
    """Every tenth row, by an array of indices."""
    m = matrix(lib, n)
    at = lib.module.arange(0, m.shape[0], 10)
    return lambda: m[at]


def laplacian(lib, n):
    """The five-point matrix of a square grid of about n points, and a right-hand side."""
    sparse, xp, k = module_of(lib), lib.module, max(int(n**0.5), 8)
    one = sparse.eye(k, format="csr")
    line = 2 * one - sparse.eye(k, k=1, format="csr") - sparse.eye(k, k=-1, format="csr")
    grid = (sparse.kron(line, one) + sparse.kron(one, line)).tocsr()
    return grid, xp.ones(k * k)


def linalg_of(lib):
    """The library's module of solvers."""
    return importlib.import_module(f"{WAYS[lib.name]}.sparse.linalg")


def conjugate_gradients(lib, n=16000):
    """A hundred steps, too few to converge."""
    grid, b = laplacian(lib, n)
    cg = linalg_of(lib).cg
    return lambda: cg(grid, b, atol=0.0, maxiter=100)


def one_restart(lib, n=16000):
    """Thirty steps of gmres: CuPy's `maxiter` counts steps, SciPy's restarts."""
    grid, b = laplacian(lib, n)
    gmres, maxiter = linalg_of(lib).gmres, 30 if lib.name == "cupy" else 1
    return lambda: gmres(grid, b, restart=30, maxiter=maxiter)


def minimal_residuals(lib, n=16000):
    """A hundred steps of minres, too few to converge."""
    grid, b = laplacian(lib, n)
    names = {"rtol": 0.0} if lib.name != "cupy" else {"tol": 0.0}
    minres = linalg_of(lib).minres
    return lambda: minres(grid, b, maxiter=100, **names)


def triangle(lib, n=16000):
    """The lower triangle of a grid's matrix, in which rows depend on neighbours."""
    grid, b = laplacian(lib, n)
    lower = module_of(lib).tril(grid, format="csr")
    solve = linalg_of(lib).spsolve_triangular
    return lambda: solve(lower, b)


def few_diagonals(lib, n=16000):
    """A system of five diagonals."""
    xp, sparse = lib.module, module_of(lib)
    values = [lib.noise((n - abs(k),), "f8") + 3 * (k == 0) for k in range(-2, 3)]
    a = sparse.diags(values, offsets=list(range(-2, 3)), format="csr")
    solve, b = linalg_of(lib).spsolve, xp.ones(n)
    return lambda: solve(a, b)


def block_of_eigenvectors(lib, n=16000):
    """Twenty iterations for the four largest eigenvalues."""
    grid, b = laplacian(lib, n)
    start = lib.noise((b.size, 4), "f8")
    lobpcg = linalg_of(lib).lobpcg

    def call():
        with warnings.catch_warnings():  # of a tolerance that is not reached
            warnings.simplefilter("ignore")
            return lobpcg(grid, start.copy(), tol=1e-12, maxiter=20)

    return call


def six_eigenvalues(lib, n=16000):
    """The six largest eigenvalues and their vectors."""
    grid, _ = laplacian(lib, n)
    eigsh = linalg_of(lib).eigsh
    return lambda: eigsh(grid, k=6)


def components(connection):
    """Components of a graph of 16 random edges a node."""

    def setup(lib, n=16000):
        graph = importlib.import_module(f"{WAYS[lib.name]}.sparse.csgraph")
        m = matrix(lib, n)
        return lambda: graph.connected_components(m, connection=connection)

    return setup


def graph_function(name, **options):
    """A function of a graph of 16 random edges a node, with positive weights."""

    def setup(lib, n=16000):
        graph = importlib.import_module(f"{WAYS[lib.name]}.sparse.csgraph")
        m = abs(matrix(lib, n)).astype("f8")
        return lambda: getattr(graph, name)(m, **options)

    return setup


HOST = [
    Case("sparse @ vector", product()),
    Case("sparse + sparse", both(lambda a, b: a + b)),
]
DEVICE = [
    Case("sparse @ vector, 16 a row", product(), 8, 1 / 16),
    Case("diagonals @ vector, 5 a row", of_diagonals, 68, 1 / 16),
    Case("sparse.T @ vector", product(transposed=True), 12, 1 / 16),
    Case("sparse @ dense, 32 columns", product(32), 8, 1 / 16),
    Case("sparse + sparse, 16 a row", both(lambda a, b: a + b), 40, 1 / 16),
    Case("sparse @ sparse, 16 a row", both(lambda a, b: a @ b), 8, 1 / 64),
    Case("coo to csr", to_csr, 20, 1 / 16),
    Case("rows of a sparse matrix", some_rows, 2, 1 / 16),
    Case("cg, 100 steps on a grid", conjugate_gradients, 0, 1 / 16),
    Case("gmres, 30 steps on a grid", one_restart, 0, 1 / 64),
    Case("minres, 100 steps on a grid", minimal_residuals, 0, 1 / 16),
    Case("triangle of a grid", triangle, 0, 1 / 16),
    Case("spsolve, 5 diagonals", few_diagonals, 48, 1 / 256),
    Case("lobpcg, 4 of a grid", block_of_eigenvectors, 0, 1 / 64),
    Case("eigsh, 6 of a grid", six_eigenvalues, 0, 1 / 4096),
    Case("weak components, 16 edges a node", components("weak"), 4, 1 / 16),
    Case("strong components, 16 edges a node", components("strong"), 4, 1 / 16),
    Case("dijkstra, one source", graph_function("dijkstra", indices=0), 0, 1 / 16),
    Case("dijkstra, 64 sources", graph_function("dijkstra", indices=list(range(64))), 0, 1 / 256),
    Case("floyd_warshall, 4096 nodes", graph_function("floyd_warshall"), 0, 1 / 4096),
    Case("breadth-first order", graph_function("breadth_first_order", i_start=0), 0, 1 / 16),
    Case("minimum spanning tree", graph_function("minimum_spanning_tree"), 0, 1 / 16),
]
