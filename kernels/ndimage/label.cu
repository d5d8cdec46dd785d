// label: connected components of a C-contiguous image of flags, by union-find with the first element of a component as its
// root (Jaiganesh & Burtscher, "A High-Performance Connected Components Implementation for GPUs", 2018). Roots in
// ascending order are SciPy's numbers. Four steps, one launch each:
// LABEL_START: the parent of an element is the first one of its run within the warp; -1: background.
// LABEL_JOIN: elements are joined with the neighbours before them that the structure names.
// LABEL_ROOTS: the parent of an element becomes its root, and roots are flagged.
// LABEL_NUMBERS: elements get the number of their root, background 0.
// Knobs: P parents; R of the numbers; STEP of enum LabelStep; ND axes; ALONG: neighbours along the last axis are joined, so
// that a run is one element; BLOCK threads.
// Launch: a thread per element.
#include "knobs/label.cuh"
#include "unions.cuh"

GNP_FN void start(const bool *in, P *parents, const GnpImage &image, i64 i, bool is_there)
{
    const bool is_set = is_there && in[i];
    const u32 lane = threadIdx.x % 32, set = __ballot_sync(0xffffffffu, is_set);
    if (is_there) {
        i64 run = 0;
        if (ALONG && is_set) {
            const i64 column = i % image.shape[ND - 1];
            run = __clz(~(set << (31 - lane))) - 1; // elements before this one in the warp
            run = run < column ? run : column;
        }
        parents[i] = is_set ? (P)(i - run) : (P)-1;
    }
}

GNP_FN void join_neighbours(const bool *in, const bool *structure, P *parents, const GnpImage &image, i64 i)
{
    i64 at[ND], rest = i;
#pragma unroll
    for (int d = ND - 1; d >= 0; d--) {
        at[d] = rest % image.shape[d];
        rest /= image.shape[d];
    }
    const bool has_left = ALONG && at[ND - 1] > 0 && in[i - 1];
    if (has_left && threadIdx.x % 32 == 0) {
        join(parents, (P)i, (P)(i - 1));
    }
    int centre = 1;
#pragma unroll
    for (int d = 1; d < ND; d++) {
        centre *= 3;
    }
    centre += (centre - 1) / 2; // of 3^ND places
#pragma unroll 1
    for (int k = 0; k < centre - ALONG; k++) {
        i64 offset = 0, step = 1;
        int digits = k, last = 0;
        bool is_there = structure[k];
#pragma unroll
        for (int d = ND - 1; d >= 0; d--) {
            const int along = digits % 3 - 1;
            digits /= 3;
            last = d == ND - 1 ? along : last;
            is_there = is_there && at[d] + along >= 0 && at[d] + along < image.shape[d];
            offset += along * step;
            step *= image.shape[d];
        }
        if (!is_there || !in[i + offset]) {
            continue;
        }
        if (has_left && at[ND - 1] + last > 0 && in[i + offset - 1]) {
            continue; // the element to the left joins the same runs
        }
        join(parents, (P)i, (P)(i + offset));
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
label(const bool *in, const bool *structure, P *parents, bool *roots, const P *numbers, Raw<R> *out, const GnpImage image)
{
    const i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if constexpr (STEP == LABEL_START) {
        start(in, parents, image, i, i < image.size);
        return;
    }
    if (i >= image.size) {
        return;
    }
    const P parent = *(volatile P *)&parents[i]; // others lower it
    if constexpr (STEP == LABEL_JOIN) {
        if (parent >= 0) {
            join_neighbours(in, structure, parents, image, i);
        }
    }
    else if constexpr (STEP == LABEL_ROOTS) {
        const P root = parent < 0 ? parent : flattened(parents, (P)i);
        roots[i] = parent >= 0 && root == (P)i;
    }
    else {
        out[i] = Out<R, P>::raw(parent < 0 ? P(0) : numbers[parent]);
    }
}
