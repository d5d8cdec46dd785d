"""Fourier, cosine and sine transforms, and convolutions by them."""

import importlib

from case import Case, expression

WAYS = {"gpunp": "gpunp.scipy", "cupy": "cupyx.scipy", "numpy": "scipy"}


def scipys(module, body, shape, dtype="f4"):
    """An expression with `sp`, a module of the library's scipy; PyTorch has none."""

    def setup(lib, n=1000):
        sp = importlib.import_module(f"{WAYS[lib.name]}.{module}")
        scope = {"sp": sp, "a": lib.noise(shape(n), dtype), "lib": lib}
        scope["v"] = scope["a"].reshape(-1)[:4097]
        return eval("lambda: " + body, scope)

    return setup


def transform(text, shape, dtype="c8", axis=None):
    """An expression of `xp.fft`, whose axis PyTorch calls dim."""
    if axis is None:
        return expression(text, shape=shape, dtype=dtype)
    return expression(
        text.replace("AXIS", f"axis={axis}"),
        text.replace("AXIS", f"dim={axis}"),
        shape=shape,
        dtype=dtype,
    )


HOST = [
    Case("fft of 1024", transform("xp.fft.fft(a)", (1024,))),
    Case("ifft of 1024", transform("xp.fft.ifft(a)", (1024,))),
    Case("rfft of 1024", transform("xp.fft.rfft(a)", (1024,), "f4")),
    Case("fft2 of 32 x 32", transform("xp.fft.fft2(a)", (32, 32))),
]

# Sizes are parts of the group's 2^28 elements; bytes are those of the input and the result.
DEVICE = [
    Case("fft, one row", transform("xp.fft.fft(a)", (-1,)), 16, 1 / 16),
    Case("ifft, one row", transform("xp.fft.ifft(a)", (-1,)), 16, 1 / 16),
    Case("fft, rows of 4096", transform("xp.fft.fft(a)", (-1, 4096)), 16, 1 / 16),
    Case("ifft, rows of 4096", transform("xp.fft.ifft(a)", (-1, 4096)), 16, 1 / 16),
    Case(
        "fft axis 0, 4096 columns", transform("xp.fft.fft(a, AXIS)", (-1, 4096), axis=0), 16, 1 / 16
    ),
    Case(
        "fft axis 0, 8192 columns", transform("xp.fft.fft(a, AXIS)", (-1, 8192), axis=0), 16, 1 / 4
    ),
    Case("fft axis 0 of 729", transform("xp.fft.fft(a, AXIS)", (729, -1), axis=0), 16, 1 / 16),
    Case("fft axis 1 of 3", transform("xp.fft.fft(a, AXIS)", (-1, 256, 256), axis=1), 16, 1 / 16),
    Case("fft of 1000003", transform("xp.fft.fft(a)", (1000003,)), 16, 1000003 / (1 << 28)),
    Case("fft2", transform("xp.fft.fft2(a)", (-1, 8192)), 16, 1 / 4),
    Case("fftn of 256 x 256 x 256", transform("xp.fft.fftn(a)", (-1, 256, 256)), 16, 1 / 16),
    Case("rfft, rows of 4096", transform("xp.fft.rfft(a)", (-1, 4096), "f4"), 8, 1 / 16),
    Case("irfft, rows of 4096", transform("xp.fft.irfft(a)", (-1, 2049), "c8"), 16, 1 / 32),
    Case("rfft axis 0", transform("xp.fft.rfft(a, AXIS)", (-1, 4096), "f4", 0), 8, 1 / 16),
    Case("rfft2", transform("xp.fft.rfft2(a)", (-1, 4096), "f4"), 8, 1 / 16),
    Case("fft of real rows", transform("xp.fft.fft(a)", (-1, 4096), "f4"), 12, 1 / 16),
    Case("dct, rows of 4096", scipys("fft", "sp.dct(a)", lambda n: (n // 4096, 4096)), 8, 1 / 16),
    Case("dctn", scipys("fft", "sp.dctn(a)", lambda n: (n // 4096, 4096)), 8, 1 / 16),
    Case(
        "convolve2d with 5 x 5",
        scipys(
            "signal", "sp.convolve2d(a, v[:25].reshape(5, 5), 'same')", lambda n: (n // 4096, 4096)
        ),
        8,
        1 / 16,
    ),
    Case("fftconvolve", scipys("signal", "sp.fftconvolve(a, v)", lambda n: (n,)), 8, 1 / 64),
]
