// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/bessel01.py.
#ifndef GNP_SPECIAL_BESSEL01_FITS_CUH
#define GNP_SPECIAL_BESSEL01_FITS_CUH

#include "gnp.cuh"

namespace special {

// J0(x)/x^0, a polynomial in x^2 for |x| <= 1.6.
static __constant__ f64 J0_SMALL[] = {
    0x1p+0, -0x1p-2, 0x1.fffffffffffffp-7, -0x1.c71c71c71c664p-12, 0x1.c71c71c7156e5p-18, -0x1.2345678733485p-24,
    0x1.02e85af8025a8p-31, -0x1.5229b1f34337fp-39, 0x1.51facf7e0dce9p-47, -0x1.029c07b7671c3p-55,
};

// Zero 1 of J0 in two words.
static __constant__ f64 J0_ZERO1[] = {
    0x1.33d152e971b4p+1, -0x1.0f539d7da258ep-53,
};

// J0(x)/(x - zero 1), a polynomial in x - zero 1 for 1.6 < |x| <= 4.
static __constant__ f64 J0_NEAR1[] = {
    -0x1.09cdb3655128p-1, 0x1.ba1deea029494p-4, 0x1.cfae864368d7p-5, -0x1.1bb1cbe1a4071p-7, -0x1.1f992590d12bdp-9,
    0x1.15382ba06cc45p-12, 0x1.6ed3b9f07eb26p-15, -0x1.232c77d2287ecp-18, -0x1.1cce302822153p-21,
    0x1.7ff991667cfc6p-25, 0x1.2951bd4910297p-28, -0x1.5c2c38804f915p-32, -0x1.bdc46d6d83cd2p-36,
    0x1.cd41bdf5b3b3p-40, 0x1.f70fe52c051bdp-44, -0x1.d24e10c6189ecp-48, -0x1.bc0dda31092aep-52,
    0x1.8cc86bd1ec4f9p-56, 0x1.5c2a6a6d29207p-61,
};

// Zero 2 of J0 in two words.
static __constant__ f64 J0_ZERO2[] = {
    0x1.6148f5b2c2e45p+2, 0x1.75054cd60a517p-54,
};

// J0(x)/(x - zero 2), a polynomial in x - zero 2 for 4 < |x| <= 8.
static __constant__ f64 J0_NEAR2[] = {
    0x1.5c6e60a097823p-2, -0x1.f8f72e7a848ep-6, -0x1.b2150cb41e8c1p-5, 0x1.2f7ffe90256bap-8, 0x1.27e31fe9a9778p-9,
    -0x1.6f641f419567cp-13, -0x1.863f481a43002p-15, 0x1.ad77d7489c035p-19, 0x1.32e6d99c6ddc7p-21,
    -0x1.2da37e36ecbaep-25, -0x1.41d72d979ap-28, 0x1.1d043368f6195p-32, 0x1.e2f33cbe2d9ap-36, -0x1.8498dbdab092ep-40,
    -0x1.1048877e47454p-43, 0x1.91189abfd1445p-48, 0x1.deea7d8985865p-52, -0x1.467314fe2cbe7p-56,
    -0x1.5a527db2019fcp-60, 0x1.2537a065d26fp-64,
};

// Zero 3 of J0 in two words.
static __constant__ f64 J0_ZERO3[] = {
    0x1.14eb56cccdecap+3, -0x1.51970714c7c25p-52,
};

// J0(x)/(x - zero 3), a polynomial in x - zero 3 for 7 < |x| <= 8.
static __constant__ f64 J0_NEAR3[] = {
    -0x1.15f7977a6850ap-2, 0x1.00f7fcfcf342dp-6, 0x1.68b9850c81795p-5, -0x1.48e62f32ccea3p-9, -0x1.0e0d50b262b04p-9,
    0x1.d79929110a258p-14, 0x1.780822d441677p-15, -0x1.32be18f7c1c55p-19, -0x1.2fe6b2fc07256p-21,
    0x1.dd3c00292a283p-26, 0x1.566c715e12928p-28, -0x1.7596b11376b24p-33, -0x1.f1508d94388cdp-36,
};

// P0 of DLMF 10.17.3 a polynomial in 2 (8/x)^2 - 1 for x >= 8.
static __constant__ f64 HANKEL0_P[] = {
    0x1.ffb8dd328503dp-1, -0x1.193600c1de9d9p-11, 0x1.9be00160cdbc3p-18, -0x1.b8d2d71b3fa3p-23, 0x1.b7ef14b3a4bdep-27,
    -0x1.4d2ea5213f5eap-30, 0x1.54db47893f3e3p-33, -0x1.b63f5ce493cf9p-36, 0x1.5121a3cad0a45p-38,
    -0x1.1de6d3ad6093bp-40, 0x1.10450d19ae561p-42, -0x1.cdbc4ac1346d3p-44, 0x1.374837524dc97p-45,
};

// Q0 of DLMF 10.17.3, times x/8, a polynomial in 2 (8/x)^2 - 1 for x >= 8.
static __constant__ f64 HANKEL0_Q[] = {
    -0x1.fdb5c0b2f3d5cp-7, 0x1.1e9a6138fe313p-14, -0x1.8c843527d1a76p-20, 0x1.3135a8eb598e5p-24,
    -0x1.858d223e84b9ep-28, 0x1.61a4302565e7dp-31, -0x1.a07a41ee6c03cp-34, 0x1.2c215ee372555p-36,
    -0x1.fbfb357d3f97ap-39, 0x1.cc0df74976036p-41, -0x1.cfa690b26c262p-43, 0x1.bda3637ce47c5p-44,
    -0x1.3f7ff7a098026p-45,
};

// J1(x)/x^1, a polynomial in x^2 for |x| <= 2.
static __constant__ f64 J1_SMALL[] = {
    0x1p-1, -0x1p-4, 0x1.5555555555555p-9, -0x1.c71c71c71c718p-15, 0x1.6c16c16c169b9p-21, -0x1.845c8a0ccf7d7p-28,
    0x1.27e4fb6fd93e7p-35, -0x1.522a406ed1e4ep-43, 0x1.2c964dc675a5fp-51, -0x1.ab1f92067a9a2p-60,
    0x1.dce63b29a6bc3p-69,
};

// Zero 1 of J1 in two words.
static __constant__ f64 J1_ZERO1[] = {
    0x1.ea75575af6f09p+1, -0x1.60155a9d1b256p-53,
};

// J1(x)/(x - zero 1), a polynomial in x - zero 1 for 2 < |x| <= 5.4.
static __constant__ f64 J1_NEAR1[] = {
    -0x1.9c6cf582cbf7fp-2, 0x1.ae8a39f51ad04p-5, 0x1.b589d1da13905p-5, -0x1.537544c331da6p-8, -0x1.24b3409959069p-9,
    0x1.6e4c2d53541dap-13, 0x1.83a06e30c4573p-15, -0x1.9799d4c9eef3ap-19, -0x1.33825cd304f0fp-21,
    0x1.1706923284d1fp-25, 0x1.4569b23d8d389p-28, -0x1.03b9e8b3521d2p-32, -0x1.ec623cd514972p-36,
    0x1.5ec7e0b67a387p-40, 0x1.17a63321b3e99p-43, -0x1.67a25c0ed7c34p-48, -0x1.ef4ed8944eb09p-52,
    0x1.199971f89027dp-56, 0x1.6a9334179caa2p-60,
};

// Zero 2 of J1 in two words.
static __constant__ f64 J1_ZERO2[] = {
    0x1.c0ff5f3b4725p+2, -0x1.b226d9d243827p-54,
};

// J1(x)/(x - zero 2), a polynomial in x - zero 2 for 5.4 < |x| <= 8.
static __constant__ f64 J1_NEAR2[] = {
    0x1.33518b3874e8ap-2, -0x1.5e70dc60362bfp-6, -0x1.80c83bdeee5bp-5, 0x1.9a4b292e3de42p-9, 0x1.13fbc7d698217p-9,
    -0x1.07358bbdbff91p-13, -0x1.796a751f89051p-15, 0x1.4255b015adf53p-19, 0x1.3026e0ce97b49p-21,
    -0x1.d48dcdae9e9c8p-26, -0x1.44639d7f04e3dp-28, 0x1.c62ccb539d0cdp-33, 0x1.ecae93269e761p-36,
    -0x1.3bb68d7084f2fp-40, -0x1.183f01dd3926cp-43, 0x1.4ae4e26b47114p-48, 0x1.efe90d05d30d6p-52,
    -0x1.0e868e0215c7p-56, -0x1.68913db5cdd53p-60, 0x1.6639931d630bbp-66,
};

// P1 of DLMF 10.17.3 a polynomial in 2 (8/x)^2 - 1 for x >= 8.
static __constant__ f64 HANKEL1_P[] = {
    0x1.003b716033732p+0, 0x1.d73b8ea3c10d9p-11, -0x1.0b1541bfb58f4p-17, 0x1.07762654b6fdfp-22, -0x1.f96173f4d876p-27,
    0x1.75ea62bf48121p-30, -0x1.78b62887bc2aap-33, 0x1.df1d6ed21685dp-36, -0x1.6d96ded97ba58p-38,
    0x1.34585b7a8f83p-40, -0x1.2454cc1818928p-42, 0x1.ebfe95abf1971p-44, -0x1.4a832e228bf22p-45,
};

// Q1 of DLMF 10.17.3, times x/8, a polynomial in 2 (8/x)^2 - 1 for x >= 8.
static __constant__ f64 HANKEL1_Q[] = {
    0x1.7f323705062fbp-5, -0x1.938da0a0a5dcap-14, 0x1.e8e009ca10bd9p-20, -0x1.642312ca36672p-24,
    0x1.b930317b097efp-28, -0x1.8921a1267c8e1p-31, 0x1.c924bf3897abap-34, -0x1.4665be93af1e5p-36,
    0x1.1246117b8a276p-38, -0x1.ee8948a49db29p-41, 0x1.f07309c0832dfp-43, -0x1.d9a0c5f5f1dcfp-44,
    0x1.528a9c1bcda3cp-45,
};

}

#endif
