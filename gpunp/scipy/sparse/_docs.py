"""Docstrings that classes share."""

COMPRESSED = """Sparse {kind} of compressed {axis}.

    `data` has the values, {axis} after each other, `indices` their {other}, and `indptr` where each
    of the {axis} begins.

    Parameters
    ----------
    arg1 : array_like, sparse matrix or tuple
        Dense elements, a sparse matrix of this or another library (SciPy, CuPy, PyTorch), the
        shape, ``(data, coords)`` or ``(data, indices, indptr)``.
    shape : tuple of int, optional
        Lengths of the axes, by default the least that hold the indices.
    dtype : dtype, optional
        Type of the values, by default that of `arg1`.
    copy : bool, optional
        If True, the arrays given are copied.
    maxprint : int, optional
        Largest number of elements that `str` shows, by default 50.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.{name}(cp.array([[1.0, 0.0], [0.0, 2.0]]))
    >>> a @ cp.ones(2)
    array([1., 2.])
    """

COORDINATES = """Sparse {kind} of values and their coordinates.

    Coordinates may come in any order; elements with equal ones are summed by conversions.

    Parameters
    ----------
    arg1 : array_like, sparse matrix or tuple
        Dense elements, a sparse matrix of this or another library (SciPy, CuPy, PyTorch), the
        shape, or ``(data, coords)``.
    shape : tuple of int, optional
        Lengths of the axes, by default the least that hold the coordinates.
    dtype : dtype, optional
        Type of the values, by default that of `arg1`.
    copy : bool, optional
        If True, the arrays given are copied.
    maxprint : int, optional
        Largest number of elements that `str` shows, by default 50.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> rows, columns = cp.array([0, 0, 1]), cp.array([1, 1, 0])
    >>> sparse.{name}((cp.array([1.0, 2.0, 3.0]), (rows, columns)), shape=(2, 2)).toarray()
    array([[0., 3.],
           [3., 0.]])
    """

# Of the formats in host memory: what the format is, its kind and its name.
HOST = """Sparse {kind} of {what}, in host memory.

    Made for setting elements one by one; conversions move all of them at once, and operations are
    those of compressed rows on the device.

    Parameters
    ----------
    arg1 : array_like, sparse matrix or tuple
        Dense elements, a sparse matrix of this or another library, or the shape.
    shape : tuple of int, optional
        Lengths of the axes, by default those of `arg1`.
    dtype : dtype, optional
        Type of the values, by default that of `arg1`.
    copy : bool, optional
        Accepted for compatibility: elements are always copied.
    maxprint : int, optional
        Largest number of elements that `str` shows, by default 50.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> a = sparse.{name}((2, 2))
    >>> a[0, 1] = 3.0
    >>> a.tocsr().toarray()
    array([[0., 3.],
           [0., 0.]])
    """
