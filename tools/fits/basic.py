"""The logit in float32."""

import mpmath as mp
from minimax import Fit

FITS = [
    Fit(
        "LOGIT_F32",
        lambda t: 2 * mp.atanh(mp.sqrt(t)) / mp.sqrt(t) if t > mp.mpf(10) ** -30 else 2 + t * 2 / 3,
        (0, mp.mpf("0.16")),
        5,
        "logit((1 + s)/2)/s by s^2",
        type="f32",
    ),
]
