// peers.cuh: which lanes of a warp have the same number.
#ifndef GNP_PEERS_CUH
#define GNP_PEERS_CUH

// For numbers below 2^BITS, by a vote for each bit (Ashkiani et al., "GPU Multisplit", 2016, section 5): the instruction
// that matches whole words takes a step for each of the different ones. All lanes of the warp call it.
template <int BITS> GNP_FN u32 lanes_of_same(u32 number)
{
    u32 same = 0xffffffffu;
#pragma unroll
    for (int b = 0; b < BITS; b++) { // the compiler's code takes one instruction more
        u32 with;
        asm volatile("{.reg .pred p; .reg .b32 t;\n"
                     "and.b32 t, %1, %2;\n"
                     "setp.ne.u32 p, t, 0;\n"
                     "vote.sync.ballot.b32 %0, p, -1;\n"
                     "@!p not.b32 %0, %0;}"
                     : "=r"(with)
                     : "r"(number), "r"(1u << b));
        same &= with;
    }
    return same;
}

#endif
