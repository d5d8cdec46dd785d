// elementwise_single: out[i] = op(in[i]...) over contiguous memory, one element a thread: elementwise.cu for few elements, where a first
// call is mostly compilation. That grows with the number of functions, so there is one for each operand.
// Knobs: as elementwise.cu, of which WIDTH and UNROLL are 1.
// Launch: one thread per element, no loop.
#include "knobs/elementwise_single.cuh"

// Takes the operands L, of which the first is at `s`: loads inputs, calls op with `done` and them, stores outputs.
template <class L, class... Done> GNP_FN void single(const Slot *s, Index i, bool keep, Done &...done)
{
    typedef typename L::First A;
    typedef typename L::Others Others;
    typedef Raw<typename A::Stored> Element;
    typedef typename A::Computed Computed;
    const Index at = A::follow == ACCESS_BROADCAST ? 0 : i;

    if constexpr (A::is_output) {
        Computed r;
        if constexpr (A::is_read) {
            r = A::value(((const Element *)s->lo)[at]);
        }
        if constexpr (Others::size == 0) {
            op(done..., r);
        }
        else {
            single<Others>(s + 1, i, keep, done..., r);
        }
        if (keep) {
            if constexpr (Same<Element, Computed>::value) {
                ((Element *)s->lo)[at] = r;
            }
            else {
                ((Element *)s->lo)[at] = A::raw(r);
            }
        }
    }
    else if constexpr (A::is_index) {
        i64 x = (i64)s->lo + at;
        single<Others>(s + 1, i, keep, done..., x);
    }
    else {
        Element raw;
        if constexpr (A::follow == ACCESS_SCALAR) {
            raw = slot_value<Element>(*s);
        }
        else {
            raw = ((const Element *)s->lo)[at];
        }
        if constexpr (A::is_mask) {
            single<Others>(s + 1, i, raw != 0, done...);
        }
        else if constexpr (Same<Element, Computed>::value) {
            single<Others>(s + 1, i, keep, done..., raw);
        }
        else {
            Computed x = A::value(raw);
            single<Others>(s + 1, i, keep, done..., x);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
elementwise_single(const Slots<Operands::size> slots, const Index n)
{
    const Index i = (Index)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        single<Operands>(slots.at, i, true);
    }
}
