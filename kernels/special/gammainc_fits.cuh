// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/gammainc.py.
#ifndef GNP_SPECIAL_GAMMAINC_FITS_CUH
#define GNP_SPECIAL_GAMMAINC_FITS_CUH

#include "gnp.cuh"

namespace special {

// c_k(eta), k = 0 ... 3, for eta in [-0.76, 1]: 18 coefficients each.
static __constant__ f64 TEMME_0[] = {
    -0x1.5555555555555p-2, 0x1.5555555555553p-4, -0x1.e573ac901e682p-7, 0x1.2f684bda160d1p-10, 0x1.71de3a55b3e59p-12,
    -0x1.76e06fee973c4p-13, 0x1.48c589137cad8p-15, -0x1.25536ae245f7p-19, -0x1.f1b21a9b9086fp-20,
    0x1.bd6ca6c253c8dp-21, -0x1.7b61883776a1ep-23, 0x1.cdbc5a21c28e7p-28, 0x1.60c05ada5167fp-27,
    -0x1.2e92e560f5dadp-28, 0x1.f704b6f07ba53p-31, -0x1.43cb0f2ffea5bp-38, -0x1.1db3f703579f5p-34,
    0x1.14e93faa2bf4cp-36, -0x1.e573ac901e56p-10, -0x1.c71c71c71c65bp-9, 0x1.5ac056b015425p-9, -0x1.0394f6f0a50dcp-10,
    0x1.af83440f153f4p-13, -0x1.af833bc74c51ep-22, -0x1.2fa4aed23a6ddp-16, 0x1.00a9c86e0e966p-17,
    -0x1.b0bddf849cdf6p-20, 0x1.3fb0319f6059bp-28, 0x1.280b9136b4afdp-23, -0x1.ee408ec21623ep-25,
    0x1.9b37b1548db3ap-27, 0x1.8160a1d84195ep-40, -0x1.1c4dac81639adp-30, 0x1.bc0abf04ff286p-32,
    -0x1.1adc7cad9804dp-34, 0x0p+0, 0x1.0ee643b990d1dp-8, -0x1.5f7268edada5ep-9, 0x1.948b0fcde7f72p-11,
    0x1.0db20ccfc13abp-19, -0x1.c253f0026b725p-14, 0x1.bbf43b45d45bfp-15, -0x1.ac2ceb517e39cp-17,
    0x1.265b47ed71507p-25, 0x1.705465e92f448p-20, -0x1.523c923552593p-21, 0x1.3311f065b0b2bp-23,
    0x1.533e55a02be63p-37, -0x1.efbf002b72de7p-27, 0x1.a0334c5eaf362p-28, -0x1.1c6ef402b5e8ep-30, 0x0p+0, 0x0p+0,
    0x0p+0, 0x1.547d93b3596a9p-11, 0x1.e13ce46783128p-13, -0x1.ebfb1898c16d7p-12, 0x1.18b9b59dd2459p-12,
    -0x1.3d2a34f5262d4p-14, -0x1.014ce70b0869ep-22, 0x1.73ddb7b9893e8p-17, -0x1.7cd82d4e8d66dp-18,
    0x1.7e3b58a100e35p-20, -0x1.49de2de2bcca3p-34, -0x1.706b5179ac934p-23, 0x1.5f2488e7e05bbp-24,
    -0x1.21834d85ecea6p-26, -0x1.9e6b2a94f03dfp-30, 0x1.4c3b58177e7aap-30, 0x0p+0, 0x0p+0, 0x0p+0,
};

// c_k(eta), k = 4 ... 7, for eta in [-0.76, 1]: 14 coefficients each.
static __constant__ f64 TEMME_4[] = {
    -0x1.c3e0b02dcf049p-11, 0x1.9b0ff68e2fcfcp-11, -0x1.3999a8345ca1p-12, -0x1.88f502d3d814p-20,
    0x1.169080d2b933cp-14, -0x1.4ce311c4845bp-15, 0x1.7db66a4c5bcc4p-17, -0x1.23ca50a3ad64bp-29,
    -0x1.c72247bac869dp-20, 0x1.e1b88bd6c3862p-21, -0x1.f0082d3de1461p-23, -0x1.2db9582abe29ep-27,
    0x1.1d560c638614cp-25, -0x1.44ef6e09ea373p-27, -0x1.6128ac5b671cap-12, -0x1.2476049dd255ep-14,
    0x1.22be87a79b471p-12, -0x1.a20428b895cbap-13, 0x1.1d1e7bc109d36p-14, 0x1.2fdf725c2194ep-23,
    -0x1.c81bca5332b56p-17, 0x1.0d22cb553b538p-17, -0x1.341dd07c357d8p-19, -0x1.cbf058486fc3ap-28,
    0x1.7f2fdcd2f23b2p-22, -0x1.7db153d7c4f01p-23, 0x1.2c5552115dc54p-25, 0x0p+0, 0x1.168ef1ca7c577p-11,
    -0x1.36773b76249b9p-11, 0x1.1c093f5f2f603p-12, 0x1.a7b759f809becp-21, -0x1.55fc2bcebffc3p-14,
    0x1.d6d86b6707109p-15, -0x1.33fbeb1eaa1bap-16, -0x1.c806ce3ab140bp-25, 0x1.ddfe8fa9a3bb1p-19,
    -0x1.06e6042ca02e1p-19, 0x1.c622db1ab5a0ap-22, 0x0p+0, 0x0p+0, 0x0p+0, 0x1.691872c2a3cc1p-12,
    0x1.b1d79cbcbced2p-15, -0x1.5f315adc6b2d6p-12, 0x1.26ed1cf8af93fp-12, -0x1.ccd1a4e9eaa33p-14,
    -0x1.9737f95bc90c5p-25, 0x1.d8fb26bd11e9dp-16, -0x1.39326612b86adp-16, 0x1.50a8404b98794p-18,
    0x1.c4f9615dd2ad2p-21, -0x1.76a5684d4c553p-21, 0x0p+0, 0x0p+0, 0x0p+0,
};

// c_k(eta), k = 8 ... 11, for eta in [-0.76, 1]: 10 coefficients each.
static __constant__ f64 TEMME_8[] = {
    -0x1.5629b8ca4c5b8p-11, 0x1.b8225efed05f2p-11, -0x1.cb934e2df5a92p-12, -0x1.0ab443a5e9e39p-21,
    0x1.5cb6fcc46d7fcp-13, -0x1.0e929220f557fp-13, 0x1.8c4249cd54357p-15, 0x1.64f797d048e0ap-19,
    -0x1.af398d9231b6ap-17, 0x1.3bb324efd26e3p-18, -0x1.38dd4a73f5673p-11, -0x1.2cb89818e3f74p-14,
    0x1.63226db2c093bp-11, -0x1.522246f8fa634p-11, 0x1.2a2750e5c46abp-12, 0x1.17c95af90ec13p-16,
    -0x1.b62bb1231ce9cp-14, 0x1.720105608231fp-15, 0x0p+0, 0x0p+0, 0x1.5d4bb1faf7fe5p-10, -0x1.f5ec61fac2c31p-10,
    0x1.22e6ec0123564p-10, 0x1.c4b4b70f1138ap-18, -0x1.11dfa76e176f7p-11, 0x1.ac2665c1f24c5p-12,
    -0x1.f34515232b411p-14, 0x0p+0, 0x0p+0, 0x0p+0, 0x1.9edc72ceaa5f2p-10, 0x1.7c5b714c2f391p-13,
    -0x1.1974b94bb5a22p-9, 0x1.0c3d671e72bcbp-9, -0x1.524ef50058f72p-11, -0x1.5affeedf26b5p-15, 0x0p+0, 0x0p+0,
    0x0p+0, 0x0p+0,
};

// c_k(eta), k = 12 ... 14, for eta in [-0.76, 1]: 5 coefficients each.
static __constant__ f64 TEMME_12[] = {
    -0x1.0cfcdc4dc6e1cp-8, 0x1.b33985e17e2b6p-8, -0x1.db380be3f69cep-9, -0x1.83cc3fe2d3598p-10, 0x1.d84b99959aa4bp-10,
    -0x1.953ee9f888ebp-8, -0x1.3e546cc97ef52p-10, 0x1.758c4d2215df4p-7, -0x1.f905f633350d5p-8, 0x0p+0,
    0x1.7f0e4f2a8ba44p-6, -0x1.9d0f9eeaf1e1bp-6, 0x0p+0, 0x0p+0, 0x0p+0,
};

}

#endif
