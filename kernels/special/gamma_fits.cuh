// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/gamma.py.
#ifndef GNP_SPECIAL_GAMMA_FITS_CUH
#define GNP_SPECIAL_GAMMA_FITS_CUH

#include "gnp.cuh"

namespace special {

// Gamma(2 + x) for x in [0.0, 1.0]: relative error 2^-56.82.
static __constant__ f64 GAMMA[] = {
    0x1p+0, 0x1.b0ee607209404p-2, 0x1.a5b978b96a4b6p-2, 0x1.4e2399857f23dp-4, 0x1.301fbaf6e6852p-4,
    -0x1.17f2352882e6bp-12, 0x1.6d7e94e5f6e3dp-7, -0x1.75dee16f1caa3p-9, 0x1.13a1a23ae3cc9p-9, -0x1.e0643557dcd7fp-11,
    0x1.f9e127a5748f1p-12, -0x1.dab7965adf46dp-13, 0x1.a8204944551b9p-14, -0x1.41f6da99de909p-15,
    0x1.7d433e26b07d7p-17, -0x1.2d14428646751p-19, 0x1.d26d2a429edccp-23,
};

// Gamma(2 + x) for x in [0, 1]: a polynomial in two parts, error 2^-102.
static __constant__ f64 GAMMA_HIGH[] = {
    0x1p+0, 0x1.b0ee6072093cep-2, 0x1.a5b978b96bebfp-2, 0x1.4e239984650acp-4, 0x1.301fbb0f25a92p-4,
    -0x1.17f3740fe2a71p-12, 0x1.6d7eeac9ea41bp-7, -0x1.75e6e90492e5fp-9, 0x1.13c449c8531eap-9, -0x1.e21f1c83190b5p-11,
    0x1.011ad2de68fp-11, -0x1.f94a72c842889p-13, 0x1.fe56413244c2fp-14, -0x1.fdf7bc9f6f209p-15, 0x1.feed00652571p-16,
    -0x1.ff32dd9e89015p-17, 0x1.ff7b95ef0cccfp-18, -0x1.ff9dfe3c640bp-19, 0x1.ff985947250bep-20,
    -0x1.ff1bfdcea239ep-21, 0x1.fd3998ff1662bp-22, -0x1.f793bc844f255p-23, 0x1.e96c599204e51p-24,
    -0x1.cb81a85214ac8p-25, 0x1.96623264247acp-26, -0x1.47d139c40bec7p-27, 0x1.d081f6089685ep-29,
    -0x1.14b1a0913a991p-30, 0x1.06bb8ba24eb6p-32, -0x1.7149504b48ec3p-35, 0x1.5322aed8dbd7ap-38,
    -0x1.2fc62743c417cp-42,
};

// The second parts.
static __constant__ f64 GAMMA_LOW[] = {
    -0x1.6621022aef8d3p-107, 0x1.6cb9070201c0ap-58, 0x1.653aa89d3dc9fp-60, 0x1.37277ddca4ff2p-61,
    0x1.254741fd0f06ep-58, -0x1.d129e62c81ce8p-67, -0x1.dad77536c56fp-61, -0x1.e400ac5f82fc7p-65,
    0x1.36d3c11e9dd65p-65, -0x1.bc4c9dbf632dap-65, -0x1.2597692b89c2bp-67, -0x1.051540f60f7e9p-70,
    -0x1.938046a87e5d4p-68, 0x1.8575de9d2a438p-71, 0x1.14c661eee264fp-72, 0x1.56d8af8f06191p-71,
    -0x1.1839c9ed7cce8p-72, -0x1.5c4092f29126dp-74, -0x1.b8fc15d6bcd87p-77, 0x1.e4f02f21cd2dbp-75,
    0x1.ee96325946b5p-76, 0x1.997ea2370cd18p-77, -0x1.51be0107784fp-78, -0x1.1fa7f4adddd9p-79, -0x1.3ea095c5d326dp-83,
    -0x1.7203511a92a2ap-82, 0x1.9781f383ede42p-87, 0x1.63832ad3707ep-85, -0x1.4a314d2cd178fp-88,
    -0x1.d3e702493ad46p-89, -0x1.65e8c731a7404p-94, 0x1.c89c5fd961ab2p-97,
};

// ln Gamma(x + 1/2)/((x - 1/2)(x - 3/2)) - 7/16 for x in [0.0, 2.5]: weighted error 2^-54.74.
static __constant__ f64 LOG_GAMMA_P[] = {
    0x1.4d780c269af4dp-2, 0x1.a47b2c4062288p+0, 0x1.686dfe7d2aecep+1, 0x1.7e984e0d28933p+0, -0x1.9e782b312c8cap-1,
    -0x1.2e20d52a0a55fp+0, -0x1.bbbba3357343fp-2, -0x1.d8ef5e88dc5bbp-5, -0x1.1da6b4f302967p-9,
    -0x1.58f7cbf9eb7dcp-21,
};
static __constant__ f64 LOG_GAMMA_Q[] = {
    0x1p+0, 0x1.b55ca3cc8cd89p+2, 0x1.2ace584aec0d5p+4, 0x1.a2cbabe7c8dbcp+4, 0x1.41b18a72f2a2cp+4,
    0x1.0d3e4e648af0bp+3, 0x1.cd91f667330d8p+0, 0x1.60022a5941b29p-3, 0x1.53803686112c5p-8,
};

// ln Gamma(x + 3) - 11/16 - 3 x/2 for x in [0.0, 5.0]: weighted error 2^-55.6.
static __constant__ f64 LOG_GAMMA_MIDDLE_P[] = {
    0x1.7217f7d1cf79ap-8, -0x1.24b27de001c41p-1, -0x1.77a76b3dbb688p-2, -0x1.6dc8cac78155ep-5, 0x1.cb305f164ad08p-7,
    0x1.04adc736a3e9ap-8, 0x1.5ab3661ccc5p-12, 0x1.3c4b5559fe293p-17, 0x1.0c6254708aeffp-24,
};
static __constant__ f64 LOG_GAMMA_MIDDLE_Q[] = {
    0x1p+0, 0x1.f66861b9ada97p-1, 0x1.7a113b9ac0159p-2, 0x1.12778ddb59c7fp-4, 0x1.8d5ef1a53a05dp-8,
    0x1.0ba480447b16cp-12, 0x1.124a55085d50bp-18, 0x1.eac9cde9afdb5p-27,
};

// ln Gamma(2 + x)/(x (x + 1)) for x in [-1.0, 0.5]: relative error 2^-24.25.
static __device__ constexpr f32 LOG_GAMMA_F32[] = {
    0x1.b0ee6p-2f, -0x1.9ae6ap-4f, 0x1.0e0e54p-5f, -0x1.95663ap-7f, 0x1.46f548p-8f, -0x1.27a98cp-9f, 0x1.ce0ce6p-11f,
    0x1.0e563cp-12f, 0x1.a68754p-11f, -0x1.eebd02p-11f, -0x1.86b356p-10f, -0x1.542a44p-11f,
};

// x times the rest of Stirling's formula by 1/x^2 for x in [0.0, 0.16]: relative error 2^-25.0.
static __device__ constexpr f32 TAIL_F32[] = {
    0x1.555556p-4f, -0x1.6c264p-9f, 0x1.a6faa4p-11f, -0x1.6fb42ap-11f, 0x1.d63df2p-11f,
};

// (log(1 + x) - x + x^2/2)/x^3 for x in [-0.33333333, 0.33333333]: relative error 2^-23.36.
static __device__ constexpr f32 LOG_F32[] = {
    0x1.555556p-2f, -0x1.ffff9cp-3f, 0x1.99978cp-3f, -0x1.558038p-3f, 0x1.250d08p-3f, -0x1.f6203cp-4f, 0x1.b408f2p-4f,
    -0x1.01aa6p-3f, 0x1.025bd2p-3f,
};

// Gamma(2 + x) for x in [0.0, 1.0]: relative error 2^-25.64.
static __device__ constexpr f32 GAMMA_F32[] = {
    0x1p+0f, 0x1.b0eedp-2f, 0x1.a5ad94p-2f, 0x1.4fd796p-4f, 0x1.28babep-4f, 0x1.03e736p-8f, 0x1.692ce6p-8f,
    0x1.8ab3fep-10f,
};

}

#endif
