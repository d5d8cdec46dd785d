// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/erf.py.
#ifndef GNP_SPECIAL_ERF_FITS_CUH
#define GNP_SPECIAL_ERF_FITS_CUH

#include "gnp.cuh"

namespace special {

// D(x) / x by x^2 for x in [0.0, 1.0]: relative error 2^-56.74.
static __constant__ f64 DAWSON_NEAR_P[] = {
    0x1p+0, -0x1.66693ad29f1c5p-3, 0x1.9da488c582ea1p-5, -0x1.14eb43cf911fdp-8, 0x1.c05f8613997f1p-12,
    -0x1.3b6fb9213ae5ep-16, 0x1.71ef3084cdc24p-21, -0x1.65bd6876a520dp-27,
};
static __constant__ f64 DAWSON_NEAR_Q[] = {
    0x1p+0, 0x1.f7760d415b1c8p-2, 0x1.c91e237770277p-4, 0x1.f3e8d605fe03bp-7, 0x1.664631970ca0ep-10,
    0x1.53a39d1de9a65p-14, 0x1.8ee90e7de77e5p-19, 0x1.c68ffb516f068p-25,
};

// D(x) / x by x^2 for x in [1.0, 5.5]: relative error 2^-53.74.
static __constant__ f64 DAWSON_MIDDLE_P[] = {
    0x1.0000000000014p+0, -0x1.16f63772c2bb9p-3, 0x1.7e6735ffdd83bp-5, -0x1.6545b4d4f6df7p-9, 0x1.a4fa15a5ac02bp-12,
    -0x1.813bd31296fb4p-17, 0x1.e900c35560909p-21, -0x1.9949c9818d44fp-27, 0x1.c10d691d6e601p-32,
    -0x1.5f61018f8b73cp-39,
};
static __constant__ f64 DAWSON_MIDDLE_Q[] = {
    0x1p+0, 0x1.0f97c778a4bc7p-1, 0x1.11b7149f8b1dep-3, 0x1.59de050aac41ep-6, 0x1.2ffd00947ed4ap-9,
    0x1.84b2d6d3d8f5fp-13, 0x1.6d73f08ad1d36p-17, 0x1.ee60b72e08b81p-22, 0x1.bde48665351e6p-27, 0x1.a78421200a487p-33,
};

// D(x) / x by x^2 for x in [5.5, 16.0]: relative error 2^-54.17.
static __constant__ f64 DAWSON_WIDE_P[] = {
    0x1.000c647c9dd1fp+0, -0x1.802025bd465afp-5, 0x1.45b8522f0453dp-5, 0x1.d15cb44d34302p-11, 0x1.9550e7f774c51p-12,
    0x1.1063522664af3p-16, 0x1.eeb933ffa98cfp-20, 0x1.65729d6e46bbdp-25, 0x1.2fd0846bf7889p-28,
    -0x1.2308fd802738cp-43,
};
static __constant__ f64 DAWSON_WIDE_Q[] = {
    0x1p+0, 0x1.3d9775bb9bd3dp-1, 0x1.7ccbb86268053p-3, 0x1.28a3ca2b5ae8p-5, 0x1.41d1a408d8983p-8,
    0x1.2019acdb0f705p-11, 0x1.466c480f47e52p-15, 0x1.c8fe013736cb5p-19, 0x1.656cd05a3f8bep-24, 0x1.2e1a5064e8e51p-27,
};

// 2 x D(x) by x - 5 for x in [-1.0, 1.0]: relative error 2^-53.4.
static __constant__ f64 DAWSON_OUTER[] = {
    0x1.0576964698515p+0, -0x1.2b79f383f4b6ep-7, 0x1.8b2debedd9227p-9, -0x1.dd6fbc2403b0ap-11, 0x1.178f17bf8c6a8p-12,
    -0x1.46b9cd6c55ecp-14, 0x1.84fe9f5da386cp-16, -0x1.e049f1bbb3d7fp-18, 0x1.379770135e893p-19,
    -0x1.a8460ef2c3fbbp-21, 0x1.269b56479bd8cp-22, -0x1.88759847bca75p-24, 0x1.c32909876ead7p-26,
    -0x1.55a2f92ce3b5bp-28, -0x1.0cebadd544207p-31, 0x1.1cf135ecda1f8p-30, -0x1.40425a5ca47fbp-31,
    0x1.d3a7ec4433353p-33, -0x1.b5b2ddb2a8368p-35, 0x1.a42c2847210c4p-39, 0x1.10be88d12a6ap-38,
    -0x1.535924794f882p-39, 0x1.6f437dde432d7p-41, 0x1.251cc20dcc89ap-45, -0x1.9a308be0c1a35p-45,
};

// 2 x D(x) by 1 / x^2 for x in [0.0, 0.027777778]: relative error 2^-54.31.
static __constant__ f64 DAWSON_FAR_P[] = {
    0x1p+0, -0x1.4a413c903827ap+5, 0x1.0c132cf7730b2p+9, -0x1.31c96a295fc2ap+11, 0x1.213b453afa529p+11,
    0x1.dc9c10984270ap+11, -0x1.c7fa2c5144b7dp+10,
};
static __constant__ f64 DAWSON_FAR_Q[] = {
    0x1p+0, -0x1.4e413c903827ap+5, 0x1.162536dbf4ce6p+9, -0x1.50df4d4f2ed45p+11, 0x1.9e7cdae0d14f5p+11,
    0x1.a638db0f1a6eap+11, -0x1.b8bad6b9fc7b6p+11,
};

// erfinv(y) / y by -log(1 - y^2) - 3 for x in [-3.0, 3.01]: relative error 2^-52.6.
static __constant__ f64 ERFINV[] = {
    0x1.9fa072ed72dbbp+0, 0x1.eedbebdce73e7p-3, -0x1.780def1d3f3e3p-8, -0x1.b6666b152b8cep-11, 0x1.9912c04a4f315p-13,
    -0x1.aab13d1c094e3p-17, -0x1.d539ca169736cp-20, 0x1.e32b0d4454e7p-22, -0x1.96f81edb08c5dp-26,
    -0x1.77b3a0321481fp-28, 0x1.31556cb40b1fep-30, -0x1.146c4c62ef636p-35, -0x1.30d8e56ff31d6p-36,
    0x1.7bd9adea1f13dp-39, 0x1.be63fe4d568aap-48, -0x1.dccf08dd2df8ap-45, 0x1.c8bc77d4135afp-48,
    0x1.3cf76ee5474eep-52, -0x1.76b7a943337a3p-53, 0x1.d864861706b43p-57, 0x1.2cf719a4e4f18p-59,
    -0x1.ca83f143037e4p-62, -0x1.8078cb2d04c9fp-67, 0x1.42c2f30ca04e6p-68,
};

// x / r - 1 with erfc(x) = exp(-r^2) for x in [2.58, 8.0]: weighted error 2^-57.14.
static __constant__ f64 ERFCINV_MIDDLE_P[] = {
    -0x1.0037adb82b541p+0, -0x1.571ce3e504aaap+0, -0x1.10f7bc4a25c9fp+1, -0x1.314b24c407534p+0, -0x1.4d41e19ec9cc4p-3,
    -0x1.4d90c51aa8a24p-8, -0x1.34a8cc541a956p-17, 0x1.19851cc06a2f2p-25,
};
static __constant__ f64 ERFCINV_MIDDLE_Q[] = {
    0x1p+0, 0x1.1c36c2b0bd5p+1, 0x1.0aa5166b51dcap+2, 0x1.0cf795c8c8611p+2, 0x1.b028099be4cc3p+1,
    0x1.0095a4b57ad45p+0, 0x1.6e8ec68089d8ep-4, 0x1.f00e6217074a9p-10,
};

// x / r - 1 with erfc(x) = exp(-r^2) for x in [8.0, 27.5]: weighted error 2^-60.07.
static __constant__ f64 ERFCINV_FAR_P[] = {
    -0x1.d01abda95115bp-1, -0x1.22bb334a1ead2p+0, -0x1.32b87eec8cea6p-2, -0x1.95d00ef39f21ep-6,
    -0x1.6025851a005b2p-11, -0x1.463ec60621abfp-18, -0x1.075ebfac4b17bp-29, 0x1.0e792ce653455p-39,
};
static __constant__ f64 ERFCINV_FAR_Q[] = {
    0x1p+0, 0x1.9f84396a3939dp+0, 0x1.383002a3f1d86p+1, 0x1.3baa41c7b384cp+0, 0x1.ac054c4c4d3bbp-3,
    0x1.a1e26ebeb62c7p-7, 0x1.17d49383823eep-12, 0x1.85389163ab02cp-20,
};

}

#endif
