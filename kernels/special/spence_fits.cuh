// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/spence.py.
#ifndef GNP_SPECIAL_SPENCE_FITS_CUH
#define GNP_SPECIAL_SPENCE_FITS_CUH

#include "gnp.cuh"

namespace special {

// Bernoulli numbers B(2k) / (2k + 1)!.
static __constant__ f64 DEBYE_LONG[] = {
    0x1.c71c71c71c71cp-6, -0x1.23456789abcdfp-12, 0x1.3d079fb6ef3e3p-18, -0x1.8a86a49f629d1p-24,
    0x1.04d7f65caf373p-29, -0x1.658a4b8f16a75p-35, 0x1.f63f1e311ac24p-41, -0x1.6731c59dbd7dep-46,
    0x1.04805fdce7819p-51, -0x1.7e168b15d7793p-57, 0x1.1ac70a7618abdp-62, -0x1.a5bf70e5eefd2p-68,
    0x1.3c8881c2dd68cp-73, -0x1.ddc14c868f2dbp-79, 0x1.6a45025fc86a2p-84, -0x1.13d916dfdf3ecp-89,
    0x1.a5a26479b86cp-95, -0x1.434a4aab89c3dp-100, 0x1.f138b40614ceap-106, -0x1.7f5f58356eed3p-111,
    0x1.284be7dea0f2dp-116, -0x1.cafd4d179e626p-122, 0x1.643613376ba51p-127, -0x1.14f2ea64ff5d8p-132,
    0x1.af5da8e3360cdp-138, -0x1.507523f3ea286p-143, 0x1.06ce190814b9fp-148, -0x1.9b183a070f137p-154,
    0x1.41ecd611436fp-159, -0x1.f8c63e262d4ap-165, 0x1.8c2a693233fbp-170, -0x1.373d3b48c3567p-175,
    0x1.e9801b02f9e08p-181,
};

}

#endif
