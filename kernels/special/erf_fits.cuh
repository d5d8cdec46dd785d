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

// erfinv(y) / y by y^2 for x in [0.0, 0.36]: relative error 2^-54.35.
static __constant__ f64 ERFINV_CENTRE[] = {
    0x1.c5bf891b4ef6bp-1, 0x1.db29fb2fedd49p-3, 0x1.053c2c0b4782ap-3, 0x1.62847bd355deep-4, 0x1.0a1331b1a150cp-4,
    0x1.a7c1d046cfa91p-5, 0x1.5f7b50ca96841p-5, 0x1.221c3289e0a26p-5, 0x1.626ce13effab4p-5, -0x1.0cd47073cd6a1p-4,
    0x1.2d3ae7672d8bap-1, -0x1.413b1d8bafbc5p+1, 0x1.0f7e772c48f7ep+3, -0x1.4b3510025805bp+4, 0x1.2096554e947f6p+5,
    -0x1.516a6110fe7c1p+5, 0x1.dbd66e4ac3854p+4, -0x1.2f4edec271317p+3,
};

// erfinv(y) / y by 1 - y^2 for x in [0.2775, 0.64]: relative error 2^-55.28.
static __constant__ f64 ERFINV_OUTER_P[] = {
    0x1.270e8a148a885p+1, 0x1.96ca95e3981cp+7, 0x1.befa3c605a7bdp+11, 0x1.339da963bc7cfp+14, 0x1.2d6895b9b7304p+15,
    0x1.99f1479e67d72p+14, 0x1.3ac6dba7b16cep+12, 0x1.f9ac1062436e4p+6,
};
static __constant__ f64 ERFINV_OUTER_Q[] = {
    0x1p+0, 0x1.c0907c480b651p+6, 0x1.2b972a433b9dap+11, 0x1.f6da7a657a7f9p+13, 0x1.352a9abb4e38ap+15,
    0x1.18fe1f8f9e99dp+15, 0x1.4c44434401e61p+13, 0x1.4f934cf1abc4bp+9,
};

// x with erfc(x) = exp(-r^2) for x in [1.37, 3.0]: relative error 2^-53.28.
static __constant__ f64 ERFCINV_NEAR_P[] = {
    -0x1.cb0674e6b3cc3p-11, 0x1.5019f17a3b8fep-7, 0x1.a9166e13ab4c9p-1, 0x1.ebaabd54daafap+0, 0x1.3a0b1b5a1efe5p+1,
    0x1.60a7dd4e87ad3p+1, 0x1.2a2c54a369b6fp-1, -0x1.0769faa066461p-4, -0x1.7914493c8affp-7,
};
static __constant__ f64 ERFCINV_NEAR_Q[] = {
    0x1p+0, 0x1.f4f391c7a050dp+0, 0x1.de1ad2d1e2607p+1, 0x1.b1bf01ffc52fep+1, 0x1.5f6a30e216846p+1,
    0x1.1f3c1498555e8p-1, -0x1.088a029a95834p-4, -0x1.78e5a72a050bfp-7, -0x1.5db571af79ec4p-24,
};

// x with erfc(x) = exp(-r^2) for x in [3.0, 8.0]: relative error 2^-53.11.
static __constant__ f64 ERFCINV_MIDDLE_P[] = {
    0x1.24deb780e93abp-7, -0x1.7234154552f3dp-5, 0x1.ef5589485a1abp-1, 0x1.002c28cd732f9p+1, 0x1.8bd1925cdddf5p+1,
    0x1.dd0c6bf22bb72p+1, 0x1.413fb193f812cp+0, 0x1.00a743c4a1f49p-3, 0x1.9b7e0dad006cdp-9,
};
static __constant__ f64 ERFCINV_MIDDLE_Q[] = {
    0x1p+0, 0x1.1fabae4d58bf3p+1, 0x1.1713169251337p+2, 0x1.22b598fb69414p+2, 0x1.f92b493563e1fp+1,
    0x1.4352de7475979p+0, 0x1.00b1f37eed80dp-3, 0x1.9b79b3440d692p-9, 0x1.5ce48d1c95df7p-31,
};

// x with erfc(x) = exp(-r^2) for x in [8.0, 27.5]: relative error 2^-54.6.
static __constant__ f64 ERFCINV_FAR_P[] = {
    0x1.2d8bbf642a473p-5, -0x1.12c647dca2a8dp-8, 0x1.2a67c713862a7p-1, 0x1.1d07270d5a66bp+1, 0x1.303c428ff4cafp+0,
    0x1.a03377d54c7b9p-3, 0x1.a8ecfd1fa5053p-7, 0x1.3adea0cb74314p-12, 0x1.064fb5e222c76p-19,
};
static __constant__ f64 ERFCINV_FAR_Q[] = {
    0x1p+0, 0x1.b7fab740bcb6bp+0, 0x1.423ef8c32bb96p+1, 0x1.3692678db0171p+0, 0x1.a1b507f1dcafdp-3,
    0x1.a9220bf9f5b6dp-7, 0x1.3adf930945dp-12, 0x1.064f7cb1094a8p-19, 0x1.55112c6456491p-47,
};

}

#endif
