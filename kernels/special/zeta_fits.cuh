// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/zeta.py.
#ifndef GNP_SPECIAL_ZETA_FITS_CUH
#define GNP_SPECIAL_ZETA_FITS_CUH

#include "gnp.cuh"

namespace special {

// (zeta(x) - 1)(x - 1) - 1 for x in [0.0, 1.0]: weighted error 2^-62.55.
static __constant__ f64 ZETAC_LOW[] = {
    0x1p-1, -0x1.2980e379b414bp-1, 0x1.590bb8df9815dp-4, -0x1.39a8e10bb1f23p-9, -0x1.daf32a64f7288p-11,
    0x1.013299660f045p-13, -0x1.5777b9a3dceb9p-21, -0x1.8a87faf309a32p-20, 0x1.766b074a276c7p-23,
    -0x1.4b98fcf140a79p-28, -0x1.28567f0e0b741p-30, 0x1.6ab7876d2f568p-33, -0x1.667b869cb894ep-37,
};

// (zeta(1 + x) - 1) x - 1 for x in [0.0, 1.0]: weighted error 2^-64.37.
static __constant__ f64 ZETAC_HIGH[] = {
    0x1.cd0bf336591d3p-67, -0x1.b0ee6072093cep-2, 0x1.2a40f2afba48fp-4, -0x1.3d88a87ff68c1p-8, -0x1.66eeff1cfb5cap-12,
    0x1.96634bb8606f4p-14, -0x1.bba8aa184725dp-18, -0x1.641445cbf6856p-22, 0x1.c15ae1abf306fp-24,
    -0x1.2c441caf462a9p-27, 0x1.bf37ed3ec8f35p-34, 0x1.c5ae6eb356b87p-35, -0x1.4e008fe873d7bp-38,
};

// 2^(2 + x) (zeta(2 + x) - 1) - 1 for x in [0.0, 2.0]: weighted error 2^-54.51.
static __constant__ f64 ZETAC_2_P[] = {
    0x1.94699894c1f4dp+0, -0x1.3ae891a43f8dap-3, 0x1.c8882100e9c58p-9, 0x1.4a252b4fdb06p-16, 0x1.ee8a81d729079p-17,
    -0x1.d4ae09bf6c806p-20, 0x1.59baad248242ep-24, -0x1.fc7182c48e80fp-30, 0x1.3ddd942af9484p-36,
};
static __constant__ f64 ZETAC_2_Q[] = {
    0x1p+0, 0x1.2509bc40e8b82p+0, 0x1.44d5bf37706ebp-3, 0x1.e28cfe6d7ca8p-7, 0x1.b34cc3f80dbe1p-11,
    0x1.2d466bee85d53p-15, 0x1.f335a2f3c634p-21, 0x1.39fa62d95c2ecp-26,
};

// 2^(4 + x) (zeta(4 + x) - 1) - 1 for x in [0.0, 6.0]: weighted error 2^-56.07.
static __constant__ f64 ZETAC_4_P[] = {
    0x1.44c8ab1f6120ep-2, -0x1.14211ab3dcb7cp-5, 0x1.4500a5951ed12p-10, -0x1.8ebab6a26fcd3p-16, 0x1.078cf34898f99p-19,
    -0x1.6916aba4b1b7ap-23, 0x1.d9a08234278bep-28, -0x1.386aa3023f7ffp-33, 0x1.5a22f85e3fd82p-40,
};
static __constant__ f64 ZETAC_4_Q[] = {
    0x1p+0, 0x1.f742e97ac6882p-2, 0x1.1947264c7375fp-4, 0x1.9effaf897723dp-8, 0x1.94245f72201bfp-12,
    0x1.26cdd1db575b3p-16, 0x1.2c7656243f15ep-21, 0x1.b2a3573e274b2p-27, 0x1.5e7a340d69867p-33,
};

// 2^(10 + x) (zeta(10 + x) - 1) - 1 for x in [0.0, 20.0]: weighted error 2^-55.68.
static __constant__ f64 ZETAC_10_P[] = {
    0x1.2e33a5bb97e13p-6, -0x1.af60d4fa94207p-9, 0x1.1a599e967525fp-12, -0x1.bb2d5a74b4c4bp-17, 0x1.c886537236334p-22,
    -0x1.3c40cc6238a3ap-27, 0x1.1fdc87a812c18p-33, -0x1.3ac771d640069p-40, 0x1.3c7c3813f8994p-48,
};
static __constant__ f64 ZETAC_10_Q[] = {
    0x1p+0, 0x1.f7ea237fdcdbap-3, 0x1.a7c7d945e2b58p-6, 0x1.cc6c2223f0b9fp-10, 0x1.53e8a191cf427p-14,
    0x1.6f14ebc6f3c8dp-19, 0x1.149226068cdccp-24, 0x1.22671dccb3d16p-30, 0x1.34c6d5b7883bbp-37,
};

// B(2 k)/(2 k)!, k = 1 ....
static __constant__ f64 BERNOULLI_OVER_FACTORIAL[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15, -0x1.bbd779334ef0bp-21,
    0x1.66a8f2bf70ebep-26, -0x1.22805d644267fp-31, 0x1.d6db2c4e09162p-37, -0x1.7da4e1f79955cp-42,
    0x1.355871d652e9ep-47, -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58, -0x1.497d9033a2b5cp-63,
};

// log2(n/2), n = 3 ....
static __constant__ f64 LOG2_HALF[] = {
    0x1.2b803473f7ad1p-1, 0x1p+0, 0x1.5269e12f346e3p+0, 0x1.95c01a39fbd68p+0, 0x1.ceaecfea8085ap+0,
};

}

#endif
