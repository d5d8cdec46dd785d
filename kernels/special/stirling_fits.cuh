// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/stirling.py.
#ifndef GNP_SPECIAL_STIRLING_FITS_CUH
#define GNP_SPECIAL_STIRLING_FITS_CUH

#include "gnp.cuh"

namespace special {

// x tail(x) by 1/x^2 for x in [0.0, 0.015625]: relative error 2^-54.0.
static __constant__ f64 STIRLING_FAR[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c068fep-9, 0x1.a01a009f30335p-11, -0x1.381202f1c8964p-11, 0x1.b842cb9ec8d56p-11,
    -0x1.c53bb32bc7814p-10, -0x1.35e95b52f518p-9, 0x1.1322374f2c694p-3,
};

// x tail(x) by 1/x for x in [0.125, 1.0]: relative error 2^-54.03.
static __constant__ f64 STIRLING_NEAR_P[] = {
    0x1.5555555558acbp-4, 0x1.0cb36228fe9a5p-1, 0x1.a8cfc39c34393p+0, 0x1.80bc04f4c7cdcp+1, 0x1.a4610be35a75ep+1,
    0x1.06e3c779b7187p+1, 0x1.46b43034bea06p-1, 0x1.cc909959835f2p-5, 0x1.7224f4118d819p-12,
};
static __constant__ f64 STIRLING_NEAR_Q[] = {
    0x1p+0, 0x1.930d133da6fd6p+2, 0x1.3f245b3c7532dp+4, 0x1.223aef938847cp+5, 0x1.4086f34723e18p+5,
    0x1.9cb94f03c5d86p+4, 0x1.19e969071f721p+3, 0x1.3c0712a961a29p+0, 0x1.7af54d359415fp-5,
};

// (atanh(r)/r - 1)/r^2 by r^2 for x in [0.0, 0.16]: relative error 2^-54.0.
static __constant__ f64 ATANH_REST[] = {
    0x1.5555555555555p-2, 0x1.9999999999dc7p-3, 0x1.249249244d1b4p-3, 0x1.c71c71ff08208p-4, 0x1.745d0ba4e3fb5p-4,
    0x1.3b151c6b494dep-4, 0x1.10f531dd45853p-4, 0x1.e4aafbb423d55p-5, 0x1.97c37248149c6p-5, 0x1.024ff2b8728f2p-4,
    -0x1.d273710559813p-8, 0x1.00d81a29dde5dp-3,
};

}

#endif
