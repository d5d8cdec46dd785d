"""Sequences, zeros and quadrature nodes: computed by SciPy on the host and uploaded."""

import importlib

import numpy as np

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
SEQUENCES = ["bernoulli", "euler"]

__all__ = [*ZEROS.split(), *NODES.split(), *SEQUENCES]  # noqa: PLE0604


def uploaded(result):
    """Host arrays of a result as device arrays; numbers stay as they are."""
    if isinstance(result, tuple):
        return tuple(uploaded(part) for part in result)
    return array(result) if isinstance(result, np.ndarray) else result


def on_host(name):
    """The function that calls SciPy's of this name and uploads what it returns."""

    def function(*args, **kwargs):
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


globals().update({name: on_host(name) for name in __all__})
