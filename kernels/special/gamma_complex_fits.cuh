// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/gamma_complex.py.
#ifndef GNP_SPECIAL_GAMMA_COMPLEX_FITS_CUH
#define GNP_SPECIAL_GAMMA_COMPLEX_FITS_CUH

#include "gnp.cuh"

namespace special {

// Taylor coefficients of ln Gamma(2 + w) from w on (DLMF 5.7.3).
static __constant__ f64 LOG_GAMMA_AT_2[] = {
    0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6, -0x1.e404fc218f5f2p-8,
    0x1.7add6eadb6c3p-9, -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13, 0x1.a127b0f17d65ap-14,
    -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16, -0x1.3cbc963ce2243p-17, 0x1.2597a39f34aacp-18,
    -0x1.11b2eb7679541p-19, 0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22, 0x1.c76bbb3f07a4dp-23,
    -0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25, -0x1.862c734df3eacp-26, 0x1.7469daccfadcdp-27,
    -0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29, -0x1.47b1679258d0ep-30, 0x1.3b15d2b2fc10cp-31,
    -0x1.2f69a9fabe3ep-32, 0x1.24932a337434cp-33, -0x1.1a7c26ec2523cp-34, 0x1.11116e693ed98p-35,
    -0x1.08424cbc543d8p-36, 0x1.000026e3f644fp-37, -0x1.f07c514fc9f0ap-39, 0x1.e1e2026aafcd8p-40,
    -0x1.d41d56e5ee2e2p-41, 0x1.c71c7f6f10e37p-42, -0x1.bacf9a27bc89bp-43, 0x1.af28718a10d6ep-44,
    -0x1.a41a45603e5b6p-45, 0x1.99999c0716ee9p-46, -0x1.8f9c1a8df9d78p-47, 0x1.8618628d28905p-48,
    -0x1.7d05f4c31c56p-49, 0x1.745d17b56ba4ap-50, -0x1.6c16c1b4d6456p-51, 0x1.642c85c023d9dp-52,
    -0x1.5c9882d825e9dp-53, 0x1.555555698a866p-54, -0x1.4e5e0a8022bc9p-55, 0x1.47ae14838081fp-56,
};

// Stirling's series (5.11.1) times z, by 1/z^2.
static __constant__ f64 STIRLING_SERIES[] = {
    0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11,
    -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6, 0x1.6fe96381e068p-3, -0x1.6476701181f3ap+0,
    0x1.ace44322ce006p+3, -0x1.39b2525cccc1bp+7,
};

// ln z - 1/(2 z) - psi(z) (5.11.2) times z^2, by 1/z^2.
static __constant__ f64 PSI_SERIES[] = {
    0x1.5555555555555p-4, -0x1.1111111111111p-7, 0x1.041041041041p-8, -0x1.1111111111111p-8, 0x1.f07c1f07c1f08p-8,
    -0x1.5995995995996p-6, 0x1.5555555555555p-4, -0x1.c5e5e5e5e5e5ep-2, 0x1.86e7f9b9fe6e8p+1, -0x1.a74ca514ca515p+4,
    0x1.1975cc0ed7304p+8, -0x1.c2f0566566566p+11,
};

// Taylor coefficients of psi at its zero above 0, from the first power on.
static __constant__ f64 PSI_AT_ROOT[] = {
    0x1.ef72bc8ee38acp-1, -0x1.c563b54aa1a35p-2, 0x1.08b4294d50381p-2, -0x1.4fc1317257da8p-3, 0x1.b9a5b6370f3abp-4,
    -0x1.27baba261cc2cp-4, 0x1.8fce02b239ca7p-5, -0x1.0fa7ec36a7d8fp-5, 0x1.723d6807edccp-6, -0x1.f970508e1b6a2p-7,
    0x1.5955caaa962f3p-7, -0x1.d828079282eb8p-8, 0x1.42e1acf81d8dcp-8, -0x1.b9afc7cee8a14p-9, 0x1.2e23345f79aafp-9,
    -0x1.9d626f71d1f7ap-10, 0x1.1acebbd761089p-10, -0x1.82f6345c65b35p-11, 0x1.08bdae1a261d4p-11,
    -0x1.6a3fddea11304p-12, 0x1.efacab6fb8985p-13, -0x1.531f5dc5eb563p-13, 0x1.d0080f810fab5p-14,
    -0x1.3d7972688af67p-14, 0x1.b2691182c5c34p-15, -0x1.29357f7d6cb86p-15, 0x1.96ae4a8e32b49p-16,
    -0x1.163cc7373be8bp-16, 0x1.7cb8b3916fd29p-17, -0x1.047a1894e0fdep-17, 0x1.646b54f410bdfp-18,
    -0x1.e7b34a5b78a3cp-19, 0x1.4dab173747443p-19,
};

}

#endif
