// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/psi.py.
#ifndef GNP_SPECIAL_PSI_FITS_CUH
#define GNP_SPECIAL_PSI_FITS_CUH

#include "gnp.cuh"

namespace special {

// The zero of psi above 0, in two parts.
static __constant__ f64 PSI_ROOT[] = {
    0x1.762d86356be3fp+0, 0x1.b86a722197829p-54,
};

// The first zero below 0, in two parts.
static __constant__ f64 PSI_ROOT_BELOW[] = {
    -0x1.02172b05ee26p-1, -0x1.2cd704405bff6p-57,
};

// psi(1 + x)/(1 + x - root) - 1 for x in [0.0, 1.0]: weighted error 2^-56.07.
static __constant__ f64 PSI_NEAR_P[] = {
    0x1.0063a69894978p-2, -0x1.19040a5a511fap-2, -0x1.7943f50774c5dp-1, -0x1.cc9c6d520100bp-2, -0x1.e06aaaf5c35dap-4,
    -0x1.cc496bbc5c49cp-7, -0x1.6fb41c1d6d212p-11, -0x1.568ab4f0fc673p-17,
};
static __constant__ f64 PSI_NEAR_Q[] = {
    0x1p+0, 0x1.28a4e0442ecabp+1, 0x1.f67ebddff1db5p+0, 0x1.95ee15baba3dfp-1, 0x1.4eef5ee842c42p-3,
    0x1.13298af715d33p-6, 0x1.8ba1970e9c345p-11, 0x1.58bc54249c383p-17,
};

// psi(2 + x) - 7/16 - x/4 for x in [0.0, 6.0]: weighted error 2^-56.28.
static __constant__ f64 PSI_MIDDLE_P[] = {
    -0x1.e233f1bed863dp-7, 0x1.7f047c163602p-2, 0x1.6394178097fcfp-2, 0x1.9625305ca8c7ep-4, 0x1.5fdc2808106c1p-8,
    -0x1.e5c9a07baab95p-10, -0x1.319a0dac5b81p-12, -0x1.c68436c7e1c9dp-17, -0x1.73bd81212ee03p-23,
};
static __constant__ f64 PSI_MIDDLE_Q[] = {
    0x1p+0, 0x1.6b78fea95e71fp+0, 0x1.8dbe9e4299779p-1, 0x1.ad73dbaa108d9p-3, 0x1.e4aeeefa17ac9p-6,
    0x1.15b5e95513856p-9, 0x1.1e33e118b208ap-14, 0x1.7c8b6542570f2p-21, -0x1.9fd6dce5e4bf5p-35,
};

// (ln x - 1/(2 x) - psi(x)) x^2 by 1/x^2 for x in [0.0, 0.015625]: relative error 2^-54.0.
static __constant__ f64 PSI_FAR[] = {
    0x1.5555555555555p-4, -0x1.111111110cec6p-7, 0x1.041040e25f8afp-8, -0x1.1110dd6bdc001p-8, 0x1.f055fbf111d8bp-8,
    -0x1.55e194acdf1b4p-6, 0x1.24e23d8046e89p-4, -0x1.28998123a193p-3,
};

// psi(x - 0.6)/(x - 0.6 - root) for the first zero below 0 for x in [0.0, 0.2]: relative error 2^-57.08.
static __constant__ f64 PSI_BELOW[] = {
    0x1.2a7f553a1344dp+3, -0x1.e3cfec96c2815p+2, 0x1.47d06f754a7a2p+5, -0x1.fd33ee8a0f88fp+5, 0x1.bd200616f30e1p+7,
    -0x1.c1df6754f9e04p+8, 0x1.456b820121001p+10, -0x1.71d63eb9b243bp+11, 0x1.ece6eaad0bd08p+12,
    -0x1.26ae00ca4ad27p+14, 0x1.77b8364426cdp+15, -0x1.be17216f91a16p+16, 0x1.01ee6fbffb14fp+18,
    -0x1.01aa184035da9p+19, 0x1.a7f033870bdebp+19, -0x1.df85ac5941ef9p+19, 0x1.2aea0e3cfed33p+19,
};

}

#endif
