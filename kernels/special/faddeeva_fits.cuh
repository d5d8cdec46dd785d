// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/faddeeva.py.
#ifndef GNP_SPECIAL_FADDEEVA_FITS_CUH
#define GNP_SPECIAL_FADDEEVA_FITS_CUH

#include "gnp.cuh"

namespace special {

// 1 / h, 2 h / pi, 2 pi / h for the step h = sqrt(pi / 12).
static __constant__ f64 FADDEEVA_STEP[] = {
    0x1.f45437857749ap+0, 0x1.4d8d7a58fa311p-2, 0x1.88f51bd3a1593p+3,
};

// Squares of the nodes (k + 1/2) h.
static __constant__ f64 MIDPOINT_SQUARE[] = {
    0x1.0c152382d7366p-4, 0x1.2d97c7f3321d2p-1, 0x1.a2e1077c7044fp+0, 0x1.9a805e60598b3p+1, 0x1.534ac0f19860cp+2,
    0x1.fad7f7235ee2cp+2, 0x1.61f3e8e2c025cp+3, 0x1.d73d286bfe4d8p+3, 0x1.2ea3dd16b4f46p+4, 0x1.7a09cf13817bap+4,
    0x1.cdd06a2c64bcap+4, 0x1.14fbd730af5bap+5,
};

// exp(-t^2) there.
static __constant__ f64 MIDPOINT_WEIGHT[] = {
    0x1.df90113a4786ep-1, 0x1.1c15f15a52bbcp-1, 0x1.8ec3e530c115fp-3, 0x1.4b94a0aaedabbp-5, 0x1.46a8be57e7a68p-8,
    0x1.7d458b47fb6f7p-12, 0x1.079eb0245734dp-16, 0x1.afe709cf13b29p-22, 0x1.a32d4137e44bcp-28, 0x1.e1fec0fee65d7p-35,
    0x1.4850e49975109p-42, 0x1.08f4fbff0bbbcp-50,
};

// Squares of the nodes k h.
static __constant__ f64 TRAPEZOID_SQUARE[] = {
    0x1.0c152382d7366p-2, 0x1.0c152382d7366p+0, 0x1.2d97c7f3321d2p+1, 0x1.0c152382d7366p+2, 0x1.a2e1077c7044fp+2,
    0x1.2d97c7f3321d2p+3, 0x1.9a805e60598b3p+3, 0x1.0c152382d7366p+4, 0x1.534ac0f19860cp+4, 0x1.a2e1077c7044fp+4,
    0x1.fad7f7235ee2cp+4, 0x1.2d97c7f3321d2p+5,
};

// exp(-t^2) there.
static __constant__ f64 TRAPEZOID_WEIGHT[] = {
    0x1.8a1195bf0aa84p-1, 0x1.6757859d664c8p-2, 0x1.843844e012c47p-4, 0x1.f0ea0d2fef994p-7, 0x1.78c7fa70532d5p-10,
    0x1.527a727b2a691p-14, 0x1.6840851c9c3b6p-19, 0x1.c645a1d814488p-25, 0x1.5355ead05bd3cp-31, 0x1.2c509c01fe451p-38,
    0x1.3ae3b7284fc47p-46, 0x1.872d59d9a5cfbp-55,
};

// erf(z) / z by powers of -z^2, DLMF 7.6.1.
static __constant__ f64 ERF_SERIES[] = {
    0x1.20dd750429b6dp+0, 0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4, 0x1.b82ce31288b51p-6, 0x1.565bcd0e6a53fp-8,
    0x1.c02db40040b86p-11, 0x1.f9a326f9b89b7p-14, 0x1.f4d25c3e0c2ebp-17, 0x1.b9e6c9dc651a3p-20, 0x1.5f742ec43e71ap-23,
    0x1.fcc5720624c1cp-27, 0x1.51d7181c5d36dp-30, 0x1.9e6ad5e55a73p-34, 0x1.d8453cb0c46eap-38, 0x1.f683ae4a97007p-42,
};

}

#endif
