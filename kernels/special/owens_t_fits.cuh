// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/owens_t.py.
#ifndef GNP_SPECIAL_OWENS_T_FITS_CUH
#define GNP_SPECIAL_OWENS_T_FITS_CUH

#include "gnp.cuh"

namespace special {

// zeros of the Legendre polynomial of degree 40.
static __constant__ f64 LEGENDRE_NODES[] = {
    0x1.ff190359ae7c8p-1, 0x1.fb40783501aafp-1, 0x1.f45b6a89bde77p-1, 0x1.ea7412c59f876p-1, 0x1.dd99a3f1b1943p-1,
    0x1.cddfe5136244fp-1, 0x1.bb5f0b43ea03fp-1, 0x1.a63393069f11p-1, 0x1.8e7e140e5677p-1, 0x1.74630eefa6276p-1,
    0x1.580ab4e17e33ap-1, 0x1.39a0a9d652b8fp-1, 0x1.1953c149057cap-1, 0x1.eeab6c46ecaa8p-2, 0x1.a7b5bc5a29ed2p-2,
    0x1.5e33b2ee16696p-2, 0x1.12967c83d411p-2, 0x1.8aa507790bb18p-3, 0x1.db7af8723039bp-4, 0x1.3d9fa7259c6f9p-5,
};

// their weights.
static __constant__ f64 LEGENDRE_WEIGHTS[] = {
    0x1.284e71463c0d6p-8, 0x1.5801fe5cda0ap-7, 0x1.0d0ae92dd2f62p-6, 0x1.6c79dab0af3a4p-6, 0x1.c9b84cd4f2e15p-6,
    0x1.121b1d8e9a25p-5, 0x1.3db419e3c9685p-5, 0x1.6763f67ce7b6cp-5, 0x1.8eea82a7d6915p-5, 0x1.b40ae2c10a3f5p-5,
    0x1.d68bed38b1964p-5, 0x1.f638825187601p-5, 0x1.096feee7215d1p-4, 0x1.162af0fc7e7f7p-4, 0x1.2139adc43238p-4,
    0x1.2a8b1efb50a42p-4, 0x1.3210ebf5b8207p-4, 0x1.37bf7fb3ffa5fp-4, 0x1.3b8e1ab8156dfp-4, 0x1.3d76e07d0147p-4,
};

}

#endif
