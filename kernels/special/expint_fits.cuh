// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/expint.py.
#ifndef GNP_SPECIAL_EXPINT_FITS_CUH
#define GNP_SPECIAL_EXPINT_FITS_CUH

#include "gnp.cuh"

namespace special {

// (E1(x) + log x + Euler's constant) / x, DLMF 6.6.2.
static __constant__ f64 EIN[] = {
    0x1p+0, -0x1p-2, 0x1.c71c71c71c71cp-5, -0x1.5555555555555p-7, 0x1.b4e81b4e81b4fp-10, -0x1.e573ac901e574p-13,
    0x1.db8b6f9266dd5p-16, -0x1.a01a01a01a01ap-19, 0x1.48c5892f7cd83p-22, -0x1.d96e5f25a9894p-26,
    0x1.390327a26bdbdp-29, -0x1.7e9213ff6762p-33, 0x1.b2a2edd1e100cp-37, -0x1.cd3f30a008e6ap-41,
    0x1.cb3264bf2e688p-45, -0x1.ae7f3e733b81fp-49, 0x1.7d570699739afp-53, -0x1.402321fc15331p-57,
};

// The zero of Ei in two words.
static __constant__ f64 EI_ZERO[] = {
    0x1.7d72952b4b5fcp-2, 0x1.e4c986021c6f2p-57,
};

// The first zero of Ci in two words.
static __constant__ f64 CI_ZERO[] = {
    0x1.3ba69b6517559p-1, -0x1.844beee0210fep-55,
};

// The zero of Chi in two words.
static __constant__ f64 CHI_ZERO[] = {
    0x1.0c3278da0d5c1p-1, -0x1.ec000b0a540ecp-56,
};

// Shi(x) / x by powers of x^2, DLMF 6.6.5.
static __constant__ f64 SINE_INTEGRAL[] = {
    0x1p+0, 0x1.c71c71c71c71cp-5, 0x1.b4e81b4e81b4fp-10, 0x1.db8b6f9266dd5p-16, 0x1.48c5892f7cd83p-22,
    0x1.390327a26bdbdp-29, 0x1.b2a2edd1e100cp-37, 0x1.cb3264bf2e688p-45, 0x1.7d570699739afp-53, 0x1.feccf9f2a88ffp-62,
    0x1.19b179783c732p-70, 0x1.043f7b43bfa81p-79, 0x1.989fbfc45992ap-89, 0x1.13f39eebbbcd2p-98,
    0x1.43ff8e04a5032p-108,
};

// (Chi(x) - log x - Euler's constant) / x^2 by powers of x^2, DLMF 6.6.6.
static __constant__ f64 CHI_SERIES[] = {
    0x1p-2, 0x1.5555555555555p-7, 0x1.e573ac901e574p-13, 0x1.a01a01a01a01ap-19, 0x1.d96e5f25a9894p-26,
    0x1.7e9213ff6762p-33, 0x1.cd3f30a008e6ap-41, 0x1.ae7f3e733b81fp-49, 0x1.402321fc15331p-57, 0x1.843561cce681ep-66,
    0x1.871c7e568af04p-75, 0x1.4c8a010f74e5p-84, 0x1.e394271bdea47p-94, 0x1.301c274cee4fdp-103,
};

// (Ci(x) - log(x / x0)) / (x0^2 - x^2) by powers of -x^2.
static __constant__ f64 CI_DIVIDED[] = {
    0x1.f7f5b478e1cap-3, 0x1.5277098cda121p-7, 0x1.e2fd3345666d1p-13, 0x1.9eb2fc6138cc3p-19, 0x1.d84c13cf52e36p-26,
    0x1.7de302b256ad2p-33, 0x1.cc9bbf5eb774cp-41, 0x1.ae05ad0b1f78fp-49, 0x1.3fd969b641cfap-57, 0x1.83eb1a31b68afp-66,
    0x1.86dd550090219p-75, 0x1.4c5c13783dcbcp-84, 0x1.e35a62278a483p-94, 0x1.2ffc6bbf49251p-103,
};

// (Chi(x) - log(x / x0)) / (x^2 - x0^2) by powers of x^2.
static __constant__ f64 CHI_DIVIDED[] = {
    0x1.02f1da783298bp-2, 0x1.576c1bdca131p-7, 0x1.e73d7c8b5b896p-13, 0x1.a11e4440aa639p-19, 0x1.da40972583b24p-26,
    0x1.7f10c431d9bd8p-33, 0x1.cdb56884e3351p-41, 0x1.aed724bf8119ap-49, 0x1.40586bfb94856p-57, 0x1.846b10a57097dp-66,
    0x1.874a224e256f6p-75, 0x1.4cab3008540c1p-84, 0x1.e3bde32eeee4ep-94, 0x1.3033138edd557p-103,
};

// Bernoulli numbers B(2k) / (2k + 1)!.
static __constant__ f64 DEBYE[] = {
    0x1.c71c71c71c71cp-6, -0x1.23456789abcdfp-12, 0x1.3d079fb6ef3e3p-18, -0x1.8a86a49f629d1p-24,
    0x1.04d7f65caf373p-29, -0x1.658a4b8f16a75p-35, 0x1.f63f1e311ac24p-41, -0x1.6731c59dbd7dep-46,
    0x1.04805fdce7819p-51, -0x1.7e168b15d7793p-57, 0x1.1ac70a7618abdp-62, -0x1.a5bf70e5eefd2p-68,
};

// x exp(x) E1(x) by powers of 1 / x for x in [0.25, 1.0]: relative error 2^-54.22.
static __constant__ f64 E1_NEAR_P[] = {
    0x1.fffff68bfa65p-1, 0x1.ce96a36a034e6p+3, 0x1.185cfe98e0b26p+6, 0x1.1af0f19ed14c4p+7, 0x1.e2bf1e53167e9p+6,
    0x1.3a55637ef6b5fp+5, 0x1.ce7ae9daf1592p+1, 0x1.681bbb085a8f3p-6,
};
static __constant__ f64 E1_NEAR_Q[] = {
    0x1p+0, 0x1.ee96831297842p+3, 0x1.4e304029f45b4p+6, 0x1.9031f411d4ef5p+7, 0x1.bd1c94aa2df35p+7,
    0x1.b8e64876e82bep+6, 0x1.516c13dcb70bp+4, 0x1.119b12b84f39bp+0,
};

// x exp(x) E1(x) by powers of 1 / x for x in [0.0, 0.25]: relative error 2^-54.18.
static __constant__ f64 E1_FAR_P[] = {
    0x1p+0, 0x1.3fbf23dace013p+5, 0x1.2c25ea7697e5fp+9, 0x1.0db16740c2e82p+12, 0x1.e95a1a8e52fadp+13,
    0x1.b1eedd65bbe7p+14, 0x1.4ce56fa21c7ebp+14, 0x1.44ee3dd28dba3p+12, 0x1.a7ae62014de02p+6,
};
static __constant__ f64 E1_FAR_Q[] = {
    0x1p+0, 0x1.47bf23dace012p+5, 0x1.3fa1dcb444c82p+9, 0x1.30e6a647dff5ep+12, 0x1.3063d6797b328p+14,
    0x1.3c286234a7752p+15, 0x1.3fcff476a3322p+15, 0x1.0da2f1012d1a7p+14, 0x1.017c1854abe35p+11,
};

// (Ei(x) - log(x / x0)) / (x - x0) by powers of x - 3 for x in [-3.0, 3.0]: relative error 2^-54.07.
static __constant__ f64 EI_REST_P[] = {
    0x1.7e4e8d89143cfp+1, 0x1.6181d3ff7362dp-4, 0x1.673addbd39995p-4, 0x1.c0b74ba1fde2ap-9, 0x1.4cd98b3a5dfb7p-11,
    0x1.c6a065628c796p-16, 0x1.cbf73da80b74ap-20, 0x1.021c2851a96a5p-24, 0x1.d9248c275259ep-30, 0x1.1950da3ec33p-35,
    0x1.531416052e6a9p-42,
};
static __constant__ f64 EI_REST_Q[] = {
    0x1p+0, -0x1.9acd818351a19p-2, 0x1.2f9854fb4d373p-4, -0x1.0ea830371f14cp-7, 0x1.3f52dc3e6ca85p-11,
    -0x1.001f88ae87197p-15, 0x1.11c9a6d0e6f9dp-20, -0x1.661983acf65dap-26, 0x1.b8cb62558635cp-33,
};

// x exp(-x) Ei(x) by powers of 1 / x - 3 / 24 for x in [-0.041666667, 0.041666667]: relative error 2^-53.48.
static __constant__ f64 EI_6_12_P[] = {
    0x1.2e8d96f4f4181p+0, 0x1.43ca3fa82bcd4p+5, 0x1.4f1d4e90afae1p+9, 0x1.a6aba3d9d9633p+12, 0x1.5f393198a62e2p+15,
    0x1.7addf883bfbbdp+17, 0x1.da2fd90415cfcp+18, 0x1.986b89b3715acp+18, -0x1.c5d4cabe2b218p+18,
    0x1.bdbb6460339edp+16,
};
static __constant__ f64 EI_6_12_Q[] = {
    0x1p+0, 0x1.033069f166d7dp+5, 0x1.f64b850a0ff75p+8, 0x1.241008e6e6ce6p+12, 0x1.bd68689fde8fbp+14,
    0x1.c43254ee58c5cp+16, 0x1.2e6922629110fp+18, 0x1.e5ce86efacdf2p+18, 0x1.924983d78ce61p+18,
};

// x exp(-x) Ei(x) by powers of 1 / x - 3 / 48 for x in [-0.020833333, 0.020833333]: relative error 2^-54.86.
static __constant__ f64 EI_12_24_P[] = {
    0x1.1285334ccb79ep+0, 0x1.4fdc8a71fb286p+4, 0x1.4d7dd2c0a5897p+9, 0x1.344f7e61251dp+12, 0x1.99bed23ba07f2p+16,
    0x1.c819de7bb9b4ep+16, 0x1.87c433d7770edp+22, -0x1.13dc1f5de5a0ap+23, 0x1.eeb6a6746a5f9p+25,
};
static __constant__ f64 EI_12_24_Q[] = {
    0x1p+0, 0x1.24de818cae0bap+4, 0x1.2946f90d71ba9p+9, 0x1.d392d02b1e60ep+11, 0x1.5f1b0a2ae6656p+16,
    -0x1.36382523d2a1cp+15, 0x1.5120eb4c17ebfp+22, -0x1.f8ec9688a3192p+23, 0x1.0ef82c856b64ep+26,
};

// x exp(-x) Ei(x) by powers of 1 / x - 3 / 96 for x in [-0.010416667, 0.010416667]: relative error 2^-53.65.
static __constant__ f64 EI_24_48_P[] = {
    0x1.088dca958d327p+0, -0x1.6f5c706caab39p+6, 0x1.7534cedda431ep+12, -0x1.ed82b4b703bf1p+17, 0x1.bc1bc379e6e6dp+22,
    -0x1.f3925ab6cec04p+26, 0x1.153e6b5e0e055p+30, -0x1.8c9c84cd61b9ap+31, 0x1.f0d88937a71efp+29,
};
static __constant__ f64 EI_24_48_Q[] = {
    0x1p+0, -0x1.67eb7efbd32dbp+6, 0x1.6f35e6047f92dp+12, -0x1.e9d5923028f37p+17, 0x1.bdd370ab3c2d4p+22,
    -0x1.fffe075e2d892p+26, 0x1.2baf1ca5c2fbp+30, -0x1.017d0606d018cp+32, 0x1.a2bc39226176bp+31,
};

// x exp(-x) Ei(x) by powers of 1 / x for x in [0.0, 0.020833333]: relative error 2^-53.23.
static __constant__ f64 EI_48_P[] = {
    0x1p+0, -0x1.a3db7c3987acep+5, 0x1.e044a2a0f7f8bp+9, -0x1.d688cd3e355bfp+12, 0x1.8236e840cb132p+14,
    -0x1.a66b6e480db3p+14, 0x1.9cc39688f55cap+11,
};
static __constant__ f64 EI_48_Q[] = {
    0x1p+0, -0x1.abdb7c3987acep+5, 0x1.fa025a6490738p+9, -0x1.07bcd54cf0a48p+13, 0x1.eb18bfb5a5d02p+14,
    -0x1.6b3cbfe7e2a64p+15, 0x1.289c9fb537269p+14,
};

// x f(x) of DLMF 6.2.17 by powers of 1 / x^2 for x in [0.027777778, 0.25]: relative error 2^-52.59.
static __constant__ f64 AUXILIARY_F_2_6_P[] = {
    0x1.ffffeed9577fap-1, 0x1.3594c8b450376p+7, 0x1.e59b2d4bb2eacp+12, 0x1.3d5ff966eff61p+17, 0x1.7056397d33513p+20,
    0x1.74420d80aa26fp+22, 0x1.283f56330873dp+23, 0x1.205a7bd066511p+22, 0x1.2ea264ca1d572p+18,
};
static __constant__ f64 AUXILIARY_F_2_6_Q[] = {
    0x1p+0, 0x1.3994a5fdebd7cp+7, 0x1.f7b5ab6d24ed3p+12, 0x1.56e1b1d3e05dp+17, 0x1.a9555e0b8c28cp+20,
    0x1.de933af43a04cp+22, 0x1.c6eb9789d690ep+23, 0x1.32775ace122abp+23, 0x1.7377c538826bdp+20,
};

// x^2 g(x) of DLMF 6.2.17 by powers of 1 / x^2 for x in [0.027777778, 0.25]: relative error 2^-51.47.
static __constant__ f64 AUXILIARY_G_2_6_P[] = {
    0x1.ffff8436da952p-1, 0x1.5a62641fe9d8bp+7, 0x1.2c98ab85afb0dp+13, 0x1.ac97aa89a1292p+17, 0x1.0a9e4faceb013p+21,
    0x1.1a98288f29f5cp+23, 0x1.c87b45859add6p+23, 0x1.a347b90348c8ap+22, 0x1.f05f725c8ce44p+17,
};
static __constant__ f64 AUXILIARY_G_2_6_Q[] = {
    0x1p+0, 0x1.66615723ade08p+7, 0x1.4a76de011a707p+13, 0x1.04086df33ce9fp+18, 0x1.78c3ab3015aeep+21,
    0x1.f74da341d69c7p+23, 0x1.23c68b6c4e29cp+25, 0x1.f7e2081c72621p+24, 0x1.b63e4b6edb6ap+22,
};

// x f(x) of DLMF 6.2.17 by powers of 1 / x^2 for x in [0.0069444444, 0.027777778]: relative error 2^-55.31.
static __constant__ f64 AUXILIARY_F_6_12_P[] = {
    0x1.fffffffcc02ffp-1, 0x1.6c82abdb11e1fp+8, 0x1.5975057b732e4p+15, 0x1.12431322f71d8p+21, 0x1.783ed9b444f55p+25,
    0x1.9bdc5d0047143p+28, 0x1.1a7a4e9eef8f2p+30, 0x1.b29eb862fa952p+28,
};
static __constant__ f64 AUXILIARY_F_6_12_Q[] = {
    0x1p+0, 0x1.6e82abd018d78p+8, 0x1.5eff10752de88p+15, 0x1.1c3ea6f27b6e8p+21, 0x1.9541ab1f830c5p+25,
    0x1.e008c50bc71b7p+28, 0x1.8b2f5ea9b6a7dp+30, 0x1.180f0d821bf7p+30,
};

// x^2 g(x) of DLMF 6.2.17 by powers of 1 / x^2 for x in [0.0069444444, 0.027777778]: relative error 2^-55.73.
static __constant__ f64 AUXILIARY_G_6_12_P[] = {
    0x1.ffffffdf5615p-1, 0x1.93cd5d11e7bb3p+8, 0x1.a8c0f2692d596p+15, 0x1.7649ac6fef45bp+21, 0x1.1bd8706e2ad94p+26,
    0x1.530fc2aa65cdep+29, 0x1.e60fa44d91bfcp+30, 0x1.199048e6ba803p+29,
};
static __constant__ f64 AUXILIARY_G_6_12_Q[] = {
    0x1p+0, 0x1.99cd5c9f597f2p+8, 0x1.bb0695ee1e2a9p+15, 0x1.9a6ee9427d8ap+21, 0x1.55585e8012b91p+26,
    0x1.e6adaa955b30cp+29, 0x1.fe31b227782eep+31, 0x1.05e5771c442ddp+32,
};

// x f(x) of DLMF 6.2.17 by powers of 1 / x^2 for x in [0.0, 0.0069444444]: relative error 2^-57.29.
static __constant__ f64 AUXILIARY_F_12_P[] = {
    0x1p+0, 0x1.e1085fce633e8p+9, 0x1.31af611e8370cp+18, 0x1.496906ea6721fp+25, 0x1.35508b4275cd7p+31,
    0x1.d23d6a40d784fp+35, 0x1.ba7fb60b6cfd6p+38, 0x1.db1d3c237dacap+38,
};
static __constant__ f64 AUXILIARY_F_12_Q[] = {
    0x1p+0, 0x1.e2085fce633e8p+9, 0x1.338b697e51d47p+18, 0x1.4e0b6bc764f41p+25, 0x1.3eee31efcf2d5p+31,
    0x1.f3b42fd62eeb4p+35, 0x1.07fc4d6d7b5d2p+39, 0x1.c0934233e9d3ap+39,
};

// x^2 g(x) of DLMF 6.2.17 by powers of 1 / x^2 for x in [0.0, 0.0069444444]: relative error 2^-53.4.
static __constant__ f64 AUXILIARY_G_12_P[] = {
    0x1p+0, 0x1.0ab7632768172p+10, 0x1.7b20a2c8448dfp+18, 0x1.cd7053b0f01cap+25, 0x1.ee8ed3229cbdfp+31,
    0x1.acfa6e7031be6p+36, 0x1.d0563274a92e6p+39, 0x1.ce308d3e93f2bp+39,
};
static __constant__ f64 AUXILIARY_G_12_Q[] = {
    0x1p+0, 0x1.0c3763276817p+10, 0x1.814bef1b31045p+18, 0x1.de8e46f93ffe4p+25, 0x1.0b309f0e9d545p+32,
    0x1.fb3d7dac01f18p+36, 0x1.59ee466c62cf8p+40, 0x1.b7407075434cfp+41,
};

}

#endif
