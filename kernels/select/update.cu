// update: at[place(o)] = op(at[place(o)], value[o]) for every o, the elements selected by integer arrays,
// where one element may occur repeatedly. The order of updates of one element is undefined.
// Knobs: as indexed.cuh; S, L, V, R: the stored, first, second and result types; combine(); SCALAR takes the
// value from its slot, UNARY has none; HOW: the hardware's own operation (UPDATE_ADD, UPDATE_LEAST,
// UPDATE_MOST, UPDATE_AND, UPDATE_OR, UPDATE_XOR; of the NEGATED value) or UPDATE_SWAP: a compare-and-swap
// loop.
// Launch: one thread per element.
#include "knobs/update.cuh"
#include "select/indexed.cuh"
#include "select/atomic.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
update(char *at, const char *values, const Slot scalar, const Axes axes,
       const Layout<Index, ND, 2 + NINDICES> layout, const Index n, u32 *locks)
{
    Index i = (Index)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        Element e;
        e.load(axes, layout, i);
        Raw<V> value;
        if constexpr (SCALAR != 0) {
            value = slot_value<Raw<V>>(scalar);
        }
        else if constexpr (UNARY == 0) {
            value = *(const Raw<V> *)(values + e.beside);
        }
        else {
            value = Raw<V>();
        }
        update_one((Raw<S> *)(at + e.place(axes)), In<V, V>::value(value), locks);
    }
}
