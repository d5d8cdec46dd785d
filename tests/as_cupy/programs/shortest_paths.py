"""Distances in a graph by relaxation of all edges, and its components; SciPy on the host agrees."""

import cupy as cp
import cupyx
import numpy as np
import scipy.sparse as host_sparse
import scipy.sparse.csgraph as host_graph
from cupyx.scipy.sparse import csr_matrix
from cupyx.scipy.sparse.csgraph import connected_components

NODES, EDGES = 60, 90
rng = np.random.default_rng(8)
source, target = rng.integers(0, NODES, (2, EDGES))
weight = rng.uniform(1, 2, EDGES)


def distances(start):
    """Bellman's and Ford's method: an edge may shorten the way to its end."""
    tails, heads, lengths = cp.asarray(source), cp.asarray(target), cp.asarray(weight)
    far = cp.full(NODES, cp.inf)
    far[start] = 0
    for _ in range(NODES):
        new = far.copy()
        cupyx.scatter_min(new, heads, far[tails] + lengths)
        if (new == far).all():
            break
        far = new
    return far


pairs, first = np.unique(np.stack([source, target]), axis=1, return_inverse=True)
shortest = np.full(pairs.shape[1], np.inf)
np.minimum.at(shortest, first.ravel(), weight)
graph = host_sparse.csr_matrix((shortest, tuple(pairs)), (NODES, NODES))
cp.testing.assert_allclose(distances(0), host_graph.dijkstra(graph, indices=0), rtol=1e-12)

matrix = csr_matrix((cp.asarray(shortest), tuple(cp.asarray(pairs))), shape=(NODES, NODES))
count, labels = connected_components(matrix, directed=False)
expected, expected_labels = host_graph.connected_components(graph, directed=False)
assert count == expected
same = labels[:, None] == labels[None, :]
assert (same.get() == (expected_labels[:, None] == expected_labels)).all()

degree = cp.asarray((matrix != 0).sum(axis=1)).ravel()
cp.testing.assert_array_equal(degree, np.bincount(pairs[0], minlength=NODES))
print(count, "components")
