// pad: out[i] = in[source of i], for each axis by itself: beyond the input a constant, its edge, a
// reflection, or a periodic repetition. Rolling an array is periodic repetition too.
// Knobs: Index u32 or u64; Item, an element's bytes; ND axes, fastest first; RULE (PAD_CONSTANT, PAD_EDGE, PAD_WRAP,
// PAD_REFLECT or PAD_SYMMETRIC); WIDTH consecutive elements per thread, stored at once; BLOCK threads.
// Launch: one thread per WIDTH elements of `out`, which begins at a multiple of the access.
#include "knobs/pad.cuh"
#include "border.cuh"

typedef Signed<Index>::type Stride;

// For each axis the output's length, the position of the input in it, the input's length and its stride in
// bytes.
struct Frame {
    Divisor<Index> size[ND];
    Stride before[ND], length[ND], step[ND];
};

extern "C" __global__ void __launch_bounds__(BLOCK)
pad(Item *out, const char *in, const Slot value, const Frame frame, const Index n)
{
    const Index first = ((Index)blockIdx.x * BLOCK + threadIdx.x) * WIDTH;
    Vec<Item, WIDTH> items;
    Stride column = 0, row = 0; // along the fastest axis; in bytes along the others
    bool inside = false;

    auto locate = [&](Index i) {
        Index rest = ND == 1 ? 0 : frame.size[0].quotient(i);
        column = (Stride)(i - rest * frame.size[0].d);
        row = 0;
        inside = true;
#pragma unroll
        for (int axis = 1; axis < ND; axis++) {
            Index next = axis == ND - 1 ? 0 : frame.size[axis].quotient(rest);
            Stride x = border_source<RULE>((Stride)(rest - next * frame.size[axis].d) - frame.before[axis], frame.length[axis]);
            inside = inside && x >= 0;
            row += x * frame.step[axis];
            rest = next;
        }
    };
    if (first < n) {
        locate(first);
#pragma unroll
        for (int v = 0; v < WIDTH; v++) {
            Stride x = border_source<RULE>(column - frame.before[0], frame.length[0]);
            items.at[v] = slot_value<Item>(value);
            if (inside && x >= 0 && first + v < n) {
                items.at[v] = *(const Item *)(in + row + x * frame.step[0]);
            }
            column++;
            if (v + 1 < WIDTH && column == (Stride)frame.size[0].d) {
                locate(first + v + 1);
            }
        }
        if (first + WIDTH <= n) {
            *(Vec<Item, WIDTH> *)(out + first) = items;
        }
        else {
#pragma unroll
            for (int v = 0; v < WIDTH; v++) {
                if (first + v < n) {
                    out[first + v] = items.at[v];
                }
            }
        }
    }
}
