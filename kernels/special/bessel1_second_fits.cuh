// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/bessel1_second.py.
#ifndef GNP_SPECIAL_BESSEL1_SECOND_FITS_CUH
#define GNP_SPECIAL_BESSEL1_SECOND_FITS_CUH

#include "gnp.cuh"

namespace special {

// The logarithm of zero 1 of Y1.
static __constant__ f64 Y1_LOG_ZERO1[] = {
    0x1.930641fe98869p-1,
};

// (Y1(x) - (2/pi) log(x/zero 1) J1(x)) x/(x^2 - zero 1^2), a polynomial in x^2 for x <= 1.6.
static __constant__ f64 Y1_SMALL[] = {
    0x1.0e14beba09e96p-3, 0x1.069922dcaf0ep-6, -0x1.7c2ca06d8e36p-10, 0x1.5ba2f20a55ab6p-15, -0x1.4f2940694cdp-21,
    0x1.96551dc3d5463p-28, -0x1.549cf895fa598p-35, 0x1.a3ab327a799bcp-43, -0x1.8cad43b36f542p-51,
    0x1.28e84d24668ep-59, -0x1.5f70a37132526p-68,
};

// Zero 1 of Y1 in two words.
static __constant__ f64 Y1_ZERO1[] = {
    0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55,
};

// Y1(x)/(x - zero 1), a polynomial in x - zero 1 for 1.6 < x <= 3.2.
static __constant__ f64 Y1_NEAR1[] = {
    0x1.0aa48442f014bp-1, -0x1.e56f82217b8f1p-4, -0x1.0d2af4e93237ep-5, -0x1.3a6dec3729182p-8, 0x1.e671c7d11847fp-8,
    -0x1.5429dc5a3f0ffp-9, 0x1.17ab4afb48655p-10, -0x1.0b2d87802a618p-11, 0x1.eea7bb7be2fa6p-13,
    -0x1.c3fae24fd18b5p-14, 0x1.9d1753e4173f7p-15, -0x1.7956e031cfc1cp-16, 0x1.5865651e3a5cep-17,
    -0x1.3a23801888d6fp-18, 0x1.1e74e54482c46p-19, -0x1.0557d24a3858ap-20, 0x1.dc7c097c19487p-22,
    -0x1.ae6d88664b3dfp-23, 0x1.828cb7da673aap-24, -0x1.6e162dab3ae32p-25, 0x1.774efecc065a1p-26,
    -0x1.59fbfeb5d03bap-27, 0x1.abe070f004c72p-29, -0x1.e7d31e69776b8p-32,
};

// Zero 2 of Y1 in two words.
static __constant__ f64 Y1_ZERO2[] = {
    0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52,
};

// Y1(x)/(x - zero 2), a polynomial in x - zero 2 for 3.2 < x <= 7.
static __constant__ f64 Y1_NEAR2[] = {
    -0x1.5c7c556f0c19ap-2, 0x1.00b9f8571ca1fp-5, 0x1.a15d92dfe3e26p-5, -0x1.10a329e2c2403p-8, -0x1.1be6db9923ac8p-9,
    0x1.337c7e138fee5p-13, 0x1.85b940eb60248p-15, -0x1.80619148688cdp-19, -0x1.255e6cf721195p-21,
    0x1.b62cd0f36a9e7p-26, 0x1.80b1ab4909bf3p-28, -0x1.a7ee53037b77bp-32, 0x1.405afe388ad12p-39,
    -0x1.383548d16540fp-38, 0x1.499cca97fbfcp-40, -0x1.c16da63a5ebb9p-43, 0x1.3d69c61b42409p-45,
    -0x1.ce66f260974c6p-48, 0x1.8edf4c7ec037cp-50, -0x1.3cb8f7993fc29p-52, -0x1.950ce72177b1cp-59,
    -0x1.85dfd0b5f4dc3p-58, 0x1.47cc4033d9b35p-57, 0x1.4e109108c1f51p-61, -0x1.170c0d6037854p-61,
    -0x1.38b0bebdc3427p-63,
};

// Zero 3 of Y1 in two words.
static __constant__ f64 Y1_ZERO3[] = {
    0x1.13127ae6169b4p+3, 0x1.479cc068d9046p-52,
};

// Y1(x)/(x - zero 3), a polynomial in x - zero 3 for 7 < x <= 8.
static __constant__ f64 Y1_NEAR3[] = {
    0x1.15f993fce42c2p-2, -0x1.02b393424facp-6, -0x1.6395dff4ad9e8p-5, 0x1.3ced268f8960bp-9, 0x1.07a6700e09b0dp-9,
    -0x1.b50f611ea914ap-14, -0x1.6f8062fbe8976p-15, 0x1.172932ad91104p-19, 0x1.2b33b498690d4p-21,
    -0x1.ae7300a4308a5p-26, -0x1.4f8fd547ecb89p-28, 0x1.5440469af1652p-33, 0x1.eb1d49181b554p-36,
};

}

#endif
