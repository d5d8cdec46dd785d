// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/elliptic.py.
#ifndef GNP_SPECIAL_ELLIPTIC_FITS_CUH
#define GNP_SPECIAL_ELLIPTIC_FITS_CUH

#include "gnp.cuh"

namespace special {

// Factors of p^k log(1 / p) in E(1 - p) / p.
static __constant__ f64 ELLIPE_LOG[] = {
    0x1p-2, 0x1.8p-4, 0x1.ep-5, 0x1.5ep-5, 0x1.13ap-5, 0x1.c6c8p-6, 0x1.831bp-6, 0x1.50fd38p-6, 0x1.2a60344p-6,
    0x1.0bb59af8p-6, 0x1.e58709eep-7, 0x1.bc25b62cap-7, 0x1.9945363a5ap-7, 0x1.7b797de2694p-7, 0x1.61b979e9e798p-7,
    0x1.4b3f8eb34f02ep-7, 0x1.3775684af2ff3p-7, 0x1.25e6a1c93be3p-7,
};

// The rest of (E(1 - p) - 1) / p.
static __constant__ f64 ELLIPE_REST[] = {
    0x1.c5c85fdf473dep-2, 0x1.d1591f9dd5b9bp-5, 0x1.65af67854b282p-6, 0x1.7a4a76f7b8453p-7, 0x1.d40ee1c628a03p-8,
    0x1.3e2913dd14b75p-8, 0x1.ccad5bb85d2bfp-9, 0x1.5cf1cfd87ed2dp-9, 0x1.1177e0f25af55p-9, 0x1.b82f15c561cc2p-10,
    0x1.69e8a1d5c0d47p-10, 0x1.2ecf04be1a93dp-10, 0x1.0117d9adbaa4fp-10, 0x1.ba02190552e1ap-11, 0x1.80082148993c6p-11,
    0x1.50c2adfd25bc1p-11, 0x1.29b624b9fdbf4p-11, 0x1.09151799b2b12p-11,
};

}

#endif
