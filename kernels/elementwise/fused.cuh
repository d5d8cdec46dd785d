// fused.cuh: values between the steps of a fused kernel, rounded as if they were stored in memory.
#ifndef GNP_FUSED_CUH
#define GNP_FUSED_CUH

// Conversions of an element stored as S to the input of an operation on L, and of its result to S.
template <class S, class L> GNP_FN Compute<L> taken(S x) { return (Compute<L>)cast<L>(x); }
template <class S, class L> GNP_FN S stored(Compute<L> x) { return cast<S>((L)x); }

#endif
