"""Sparse matrices: functions of each library's `scipy.sparse`; sizes are of 16 values a row."""

import importlib

from case import Case

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


def both(operation):
    """An operation of two matrices."""

    def setup(lib, n=16000):
        a, b = matrix(lib, n), matrix(lib, n)
        return lambda: operation(a, b)

    return setup


def to_csr(lib, n=16000):
    """Coordinates in random order to compressed rows."""
    sparse, rows = module_of(lib), max(n // PER_ROW, 1)
    i, j = ((abs(lib.noise((n,), "f4")) * 1e6).astype("i4") % rows for _ in range(2))
    values = lib.noise((n,), "f4")
    return lambda: sparse.coo_matrix((values, (i, j)), shape=(rows, rows)).tocsr()


def some_rows(lib, n=16000):
    """Every tenth row, by an array of indices."""
    m = matrix(lib, n)
    at = lib.module.arange(0, m.shape[0], 10)
    return lambda: m[at]


def components(connection):
    """Components of a graph of 16 random edges a node."""

    def setup(lib, n=16000):
        graph = importlib.import_module(f"{WAYS[lib.name]}.sparse.csgraph")
        m = matrix(lib, n)
        return lambda: graph.connected_components(m, connection=connection)

    return setup


HOST = [
    Case("sparse @ vector", product()),
    Case("sparse + sparse", both(lambda a, b: a + b)),
]
DEVICE = [
    Case("sparse @ vector, 16 a row", product(), 8, 1 / 16),
    Case("sparse.T @ vector", product(transposed=True), 12, 1 / 16),
    Case("sparse @ dense, 32 columns", product(32), 8, 1 / 16),
    Case("sparse + sparse, 16 a row", both(lambda a, b: a + b), 40, 1 / 16),
    Case("sparse @ sparse, 16 a row", both(lambda a, b: a @ b), 8, 1 / 64),
    Case("coo to csr", to_csr, 20, 1 / 16),
    Case("rows of a sparse matrix", some_rows, 2, 1 / 16),
    Case("weak components, 16 edges a node", components("weak"), 4, 1 / 16),
    Case("strong components, 16 edges a node", components("strong"), 4, 1 / 16),
]
