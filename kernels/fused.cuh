// fused.cuh: values between the steps of a fused kernel, which mean what they would mean in memory.
#ifndef GNP_FUSED_CUH
#define GNP_FUSED_CUH

// What an operation on L is given of an element stored as S, and what is stored as S of its result.
template <class S, class L> GNP_FN Compute<L> taken(S x) { return (Compute<L>)cast<L>(x); }
template <class S, class L> GNP_FN S stored(Compute<L> x) { return cast<S>((L)x); }

#endif
