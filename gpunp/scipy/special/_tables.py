"""Sequences, zeros, quadrature nodes: computed by SciPy on the host and uploaded.

So are functions of one number that return an array.
"""

import importlib
import inspect

import numpy as np

from ..._core._convert import check_device_memory, number_on_host
from ..._core.multiarray import array

ZEROS = """
    ai_zeros bi_zeros bei_zeros beip_zeros ber_zeros berp_zeros erf_zeros fresnel_zeros
    fresnelc_zeros fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros kei_zeros keip_zeros
    kelvin_zeros ker_zeros kerp_zeros y0_zeros y1_zeros y1p_zeros yn_zeros ynp_zeros
"""
NODES = """
    roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer roots_genlaguerre
    roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre roots_sh_chebyt
    roots_sh_chebyu roots_sh_jacobi roots_sh_legendre
"""
# Parameters of weight functions, which most do not have.
WEIGHTS = {
    "roots_gegenbauer": ["alpha"],
    "roots_genlaguerre": ["alpha"],
    "roots_jacobi": ["alpha", "beta"],
    "roots_sh_jacobi": ["p1", "q1"],
}
ONE_ARGUMENT = """
    lmbda mathieu_even_coef mathieu_odd_coef obl_cv_seq pbdn_seq pro_cv_seq
    riccati_jn riccati_yn
"""
SECOND_NAMES = {
    "c_roots": "roots_chebyc",
    "cg_roots": "roots_gegenbauer",
    "h_roots": "roots_hermite",
    "he_roots": "roots_hermitenorm",
    "j_roots": "roots_jacobi",
    "js_roots": "roots_sh_jacobi",
    "l_roots": "roots_laguerre",
    "la_roots": "roots_genlaguerre",
    "p_roots": "roots_legendre",
    "ps_roots": "roots_sh_legendre",
    "s_roots": "roots_chebys",
    "t_roots": "roots_chebyt",
    "ts_roots": "roots_sh_chebyt",
    "u_roots": "roots_chebyu",
    "us_roots": "roots_sh_chebyu",
}
SEQUENCES = ["bernoulli", "euler"]
FIRST_NAMES = [*ZEROS.split(), *NODES.split(), *ONE_ARGUMENT.split(), *SEQUENCES]

__all__ = [*FIRST_NAMES, *SECOND_NAMES]  # noqa: PLE0604


def uploaded(result):
    """Host arrays of a result as device arrays; numbers stay as they are."""
    if isinstance(result, tuple):
        return tuple(uploaded(part) for part in result)
    return array(result) if isinstance(result, np.ndarray) else result


def on_host(name):
    """The function that calls SciPy's of this name and uploads what it returns."""

    def function(*args, **kwargs):
        args = [number_on_host(value) for value in args]
        kwargs = {key: number_on_host(value) for key, value in kwargs.items()}
        counts = args[: 2 if name in ZEROS.split() else 1]
        for count in (*counts, kwargs.get("n"), kwargs.get("nt")):
            check_device_memory(count)
        return uploaded(getattr(importlib.import_module("scipy.special"), name)(*args, **kwargs))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Compute SciPy's ``{name}`` on the host and upload the result.

    Parameters
    ----------
    *args : object
        Numbers on the host, as SciPy's function takes them.
    **kwargs : object
        Keyword arguments of SciPy's function.

    Returns
    -------
    gpunp.ndarray or tuple of gpunp.ndarray
        What SciPy returns, with arrays on the device.
    """
    return function


def _nodes(name):
    """The function of SciPy's nodes and weights, with its parameters."""
    function, kind = on_host(name), inspect.Parameter.POSITIONAL_OR_KEYWORD
    weights = WEIGHTS.get(name, [])
    names = [inspect.Parameter(n, kind) for n in ("n", *weights)]
    names.append(inspect.Parameter("mu", kind, default=False))
    function.__signature__ = inspect.Signature(names)
    described = "".join(
        f"    {n} : float\n        Parameter of the weight function.\n" for n in weights
    )
    function.__doc__ = f"""Compute the nodes and weights of a Gauss rule by SciPy on the host.

    Parameters
    ----------
    n : int
        Number of nodes, the degree of the polynomial.
{described}    mu : bool, optional
        If True, return the sum of the weights as well.

    Returns
    -------
    x, w : gpunp.ndarray
        Nodes and weights, each of n elements.
    mu : float
        Sum of the weights, if asked for.
    """
    return function


globals().update({name: on_host(name) for name in FIRST_NAMES})
globals().update({name: _nodes(name) for name in NODES.split()})
globals().update({second: globals()[first] for second, first in SECOND_NAMES.items()})
