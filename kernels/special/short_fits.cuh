// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/short.py.
#ifndef GNP_SPECIAL_SHORT_FITS_CUH
#define GNP_SPECIAL_SHORT_FITS_CUH

#include "gnp.cuh"

namespace special {

// 1/k!.
static __constant__ f64 INVERSE_FACTORIALS[] = {
    0x1p+0, 0x1p+0, 0x1p-1, 0x1.5555555555555p-3, 0x1.5555555555555p-5, 0x1.1111111111111p-7, 0x1.6c16c16c16c17p-10,
    0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-16, 0x1.71de3a556c734p-19, 0x1.27e4fb7789f5cp-22, 0x1.ae64567f544e4p-26,
    0x1.1eed8eff8d898p-29, 0x1.6124613a86d09p-33, 0x1.93974a8c07c9dp-37, 0x1.ae7f3e733b81fp-41, 0x1.ae7f3e733b81fp-45,
    0x1.952c77030ad4ap-49, 0x1.6827863b97d97p-53, 0x1.2f49b46814157p-57,
};

// 2/pi after a word of zeros.
static __device__ constexpr u64 TWO_OVER_PI[] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull,
    0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
    0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
};

// sin(pi f / 2) / f by f^2 for x in [0.0, 0.25]: relative error 2^-54.51.
static __constant__ f64 SINE_OF_QUARTERS[] = {
    0x1.921fb54442d18p+0, -0x1.4abbce625bd8p-1, 0x1.466bc67740e97p-4, -0x1.32d2ccc04624ep-8, 0x1.5077ff5ccc8a3p-13,
    -0x1.e2baa2e92dcbcp-19, 0x1.b211ecfa6ef4bp-25, 0x1.c067b5dd0c689p-28,
};

// cos(pi f / 2) by f^2 for x in [0.0, 0.25]: relative error 2^-61.79.
static __constant__ f64 COSINE_OF_QUARTERS[] = {
    0x1p+0, -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5a38p-2, -0x1.55d3c7e3b99dp-6, 0x1.e1f506643d29fp-11,
    -0x1.a6d1caf5c4dd7p-16, 0x1.f9a47f7607687p-22, -0x1.99ea2ea10f9ap-28, -0x1.8734c9f937189p-32,
};

// (atanh(r) - r)/r^3 by r^2 for x in [0.0, 0.03]: relative error 2^-54.0.
static __constant__ f64 ATANH_CUBIC[] = {
    0x1.5555555555555p-2, 0x1.9999999999998p-3, 0x1.2492492492a0ep-3, 0x1.c71c71c632727p-4, 0x1.745d17e202df7p-4,
    0x1.3b1376bf8e218p-4, 0x1.111de5f083081p-4, 0x1.de9dd43d5a3f3p-5, 0x1.e7d7f90ddca77p-5,
};

}

#endif
