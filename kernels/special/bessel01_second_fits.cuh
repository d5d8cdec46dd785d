// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/bessel01_second.py.
#ifndef GNP_SPECIAL_BESSEL01_SECOND_FITS_CUH
#define GNP_SPECIAL_BESSEL01_SECOND_FITS_CUH

#include "gnp.cuh"

namespace special {

// Zero 1 of Y0 in two words.
static __constant__ f64 Y0_ZERO1[] = {
    0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56,
};

// The logarithm of zero 1 of Y0.
static __constant__ f64 Y0_LOG_ZERO1[] = {
    -0x1.cce4b73e6f025p-4,
};

// (Y0(x) - (2/pi) log(x/zero 1) J0(x))/(x^2 - zero 1^2), a polynomial in x^2 for x <= 1.6.
static __constant__ f64 Y0_SMALL[] = {
    0x1.750811790a13cp-3, -0x1.12583f4a4abcfp-6, 0x1.268a9aaaeb0c7p-11, -0x1.4c030d99a8676p-17, 0x1.cf0413da6a182p-24,
    -0x1.b797036d6e909p-31, 0x1.2eb3f46c55e31p-38, -0x1.3c55db999845ep-46, 0x1.037f646383bbfp-54,
    -0x1.5709385ef29dep-63, 0x1.6c3f6926351f8p-72,
};

// Y0(x), a polynomial in x - 2.25 for 1.6 < x <= 2.9.
static __constant__ f64 Y0_MIDDLE[] = {
    0x1.0a45edb51cae8p-1, -0x1.bd83c1ac86cc2p-6, -0x1.0415e059d3b2cp-2, 0x1.520ac57750ddcp-5, 0x1.13d6eb8ca2f56p-7,
    0x1.343d4a6545edap-11, -0x1.22e543cd6f87cp-10, 0x1.4f2f75a3c6aa7p-12, -0x1.c9db73cfa8d65p-14,
    0x1.7dfb4af68231ap-15, -0x1.37b83ecf1f9afp-16, 0x1.f99e20885d551p-18, -0x1.9dad6bf642edbp-19,
    0x1.547b62752a123p-20, -0x1.19bb2c17b8345p-21, 0x1.d924fabc016bcp-23, -0x1.8c628c4dc543ep-24,
    0x1.2956ab38b1ad3p-25, -0x1.e77393635e806p-27, 0x1.5ef47f0335cbfp-27, -0x1.344941c85bd2dp-28,
};

// Zero 2 of Y0 in two words.
static __constant__ f64 Y0_ZERO2[] = {
    0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54,
};

// Y0(x)/(x - zero 2), a polynomial in x - zero 2 for 2.9 < x <= 5.4.
static __constant__ f64 Y0_NEAR2[] = {
    -0x1.9c34256a12a0cp-2, 0x1.a09c9290367eep-5, 0x1.df6d59bf50ebdp-5, -0x1.c116fdc59801p-8, -0x1.1e32bc4ef8a95p-9,
    0x1.9982765157a6fp-13, 0x1.ab2c1fecf71cbp-15, -0x1.486371db469ap-18, -0x1.3b2168ab64bbcp-22,
    -0x1.77707ecd6beebp-26, 0x1.452ebc018a89ap-26, -0x1.f6913788aca3fp-29, 0x1.a599aaede883bp-31,
    -0x1.997706ebb782cp-33, 0x1.896655dbcabc8p-35, -0x1.73d629e0a5732p-37, 0x1.5b17341b9ffcp-39,
    -0x1.5662a4a5e7a67p-41, 0x1.83132fdffd808p-43, -0x1.7bea076f5c556p-45, 0x1.74cd17e53a379p-48,
};

// Zero 3 of Y0 in two words.
static __constant__ f64 Y0_ZERO3[] = {
    0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54,
};

// Y0(x)/(x - zero 3), a polynomial in x - zero 3 for 5.4 < x <= 8.
static __constant__ f64 Y0_NEAR3[] = {
    0x1.334cca0697a5bp-2, -0x1.5aef611fc4d57p-6, -0x1.8969c64cbf452p-5, 0x1.b2f14a95527cbp-9, 0x1.1d35e85fde2a3p-9,
    -0x1.26dd71e391c8fp-13, -0x1.8177e4fe52262p-15, 0x1.6a92273530412p-19, 0x1.34aa7573e3a98p-21,
    -0x1.0a2814d8794cfp-25, -0x1.442a3d287a056p-28, 0x1.fa6c529f28d35p-33, 0x1.f14e4cc9b5c99p-36,
    -0x1.714d8b714bb39p-40, -0x1.067ab5ad498c1p-43, 0x1.344d828cb3b7ep-48, 0x1.3c70f27bcd74cp-51,
    -0x1.406222480e6eep-55, -0x1.0437c6a422e2ap-59, -0x1.2f4b6feaa52b1p-60,
};

}

#endif
