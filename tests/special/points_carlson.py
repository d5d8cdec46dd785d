"""Points of Carlson's R_J: 0, equal arguments, both signs of p, arguments far apart, infinities."""

import math

SIDES = [0.0, 1e-5, 0.3, 1.0, 2.0, 700.0]

POINTS = {
    "elliprj": [
        (SIDES, SIDES, SIDES, [-40.0, -1.0, -1e-3, 0.0, 1e-6, 0.5, 1.0, 2e4]),
        ([-1.0, 1.0, math.inf, math.nan], [1.0], [2.0], [-math.inf, -1.0, 1.0, math.inf, math.nan]),
    ],
}

LIMITS = {
    "elliprj": {
        "absent": ["FFFF->F", "DDDD->D"],
        "scipy": 2e-12,
        "why": "SciPy's error is 5.5e-13 where p is far below the rest",
    }
}
