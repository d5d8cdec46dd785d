"""Colours for labels: numbers for raw parameters, the array of an output, CuPy's own headers."""

import cupy as cp
import cupyx.scipy.ndimage as ndi
import numpy as np

colour = cp.ElementwiseKernel(
    "L label, raw F colours, raw L background, raw int64 ncolours",
    "raw F out",
    """
    for (int channel = 0; channel < 3; ++channel) {
        out[3 * i + channel] = label == background ? F(0) : colours[3 * ((label - 1) % ncolours) + channel];
    }
    """,
    "colour_labels",
)
edge = cp.ElementwiseKernel(
    "raw L label",
    "bool out",
    """
    int rows = _raw_out.shape()[0], columns = _raw_out.shape()[1];
    int row = i / columns, column = i % columns;
    typedef typename std::make_unsigned<L>::type Unsigned;
    Unsigned here = label[i];
    out = (row + 1 < rows && (Unsigned)label[i + columns] != here)
        || (column + 1 < columns && (Unsigned)label[i + 1] != here);
    """,
    "edges_of_labels",
    preamble="#include <cupy/cuda_workaround.h>",
    reduce_dims=False,
)

image = np.random.default_rng(0).random((40, 50))
labels, n = ndi.label(cp.asarray(image) > 0.6)
colours = cp.asarray(np.random.default_rng(1).random((5, 3)))
painted = cp.empty((*labels.shape, 3))
colour(labels, colours, 0, len(colours), painted)

host = labels.get()
wanted = np.where(host[..., None] == 0, 0, colours.get()[(host - 1) % 5])
np.testing.assert_array_equal(painted.get(), wanted)

outline = edge(labels, cp.empty(labels.shape, bool))
wanted = np.zeros(host.shape, bool)
wanted[:-1] |= host[:-1] != host[1:]
wanted[:, :-1] |= host[:, :-1] != host[:, 1:]
np.testing.assert_array_equal(outline.get(), wanted)
print(int(n), "labels")
