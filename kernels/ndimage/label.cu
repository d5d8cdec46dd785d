// label: connected components of a C-contiguous image of flags, by union-find with the first element of a component as its
// root (Jaiganesh & Burtscher, "A High-Performance Connected Components Implementation for GPUs", 2018). Roots in
// ascending order are SciPy's numbers. Four steps, one launch each:
// LABEL_START: the parent of an element is the first one of its run within the warp; -1: background. With two axes, of its
// component within a tile: see label_tile.cuh.
// LABEL_JOIN: elements are joined with the neighbours before them that the structure names; with two axes those at the
// borders of tiles.
// LABEL_ROOTS: the parent of an element becomes its root, and roots are flagged.
// LABEL_NUMBERS: elements get the number of their root, background 0.
// Knobs: P parents; R of the numbers; STEP of enum LabelStep; ND axes; ALONG: neighbours along the last axis are joined, so
// that a run is one element; BLOCK threads.
// Launch: a thread per element; with two axes, a block per tile for LABEL_START, for LABEL_JOIN a thread per element of the
// first rows of tiles and two per tile and row.
#include "knobs/label.cuh"
#include "ndimage/label_tile.cuh"

GNP_FN constexpr int power_of_three(int n)
{
    return n == 0 ? 1 : 3 * power_of_three(n - 1);
}
enum { PLACES = power_of_three(ND) };

GNP_FN void start(const bool *in, P *parents, const GnpImage &image, P i, bool is_there)
{
    const bool is_set = is_there && in[i];
    const u32 lane = threadIdx.x % 32, set = __ballot_sync(0xffffffffu, is_set);
    if (is_there) {
        P run = 0;
        if (ALONG && is_set) {
            const P column = i % (P)image.shape[ND - 1];
            run = __clz(~(set << (31 - lane))) - 1; // elements before this one in the warp
            run = run < column ? run : column;
        }
        parents[i] = is_set ? i - run : (P)-1;
    }
}

GNP_FN void find_element(P (&at)[ND], P i, const GnpImage &image)
{
#pragma unroll
    for (int d = ND - 1; d >= 0; d--) {
        const P shape = (P)image.shape[d]; // 32 bits where they suffice: division is most of the work here
        at[d] = d > 0 ? i % shape : i;
        i /= shape;
    }
}

GNP_FN void join_neighbours(const bool *in, const bool *structure, P *parents, const GnpImage &image, const P (&at)[ND], P i)
{
    const bool has_left = ALONG && at[ND - 1] > 0 && in[i - 1];
    const bool begins_run = ND == 2 ? at[ND - 1] % SIDE == 0 : threadIdx.x % 32 == 0;
    if (has_left && begins_run) {
        join(parents, i, i - 1);
    }
    constexpr int BEFORE = (PLACES - 1) / 2 - ALONG;
#pragma unroll(ND < 3 ? BEFORE : 1)
    for (int k = 0; k < BEFORE; k++) {
        P offset = 0, step = 1;
        int digits = k, last = 0;
        bool is_there = structure[k];
#pragma unroll
        for (int d = ND - 1; d >= 0; d--) {
            const int along = digits % 3 - 1;
            digits /= 3;
            last = d == ND - 1 ? along : last;
            is_there = is_there && at[d] + along >= 0 && at[d] + along < (P)image.shape[d];
            offset += along * step;
            step *= (P)image.shape[d];
        }
        if (!is_there || !in[i + offset]) {
            continue;
        }
        if (has_left && at[ND - 1] + last > 0 && in[i + offset - 1]) {
            continue; // the element to the left joins the same runs
        }
        join(parents, i, i + offset);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
label(const bool *in, const bool *structure, P *parents, bool *roots, const P *numbers, Raw<R> *out, const GnpImage image)
{
    const i64 index = (i64)blockIdx.x * BLOCK + threadIdx.x;
    const P i = (P)index;
    if constexpr (STEP == LABEL_START && ND == 2) {
        start_tile(in, structure, parents, image);
        return;
    }
    if constexpr (STEP == LABEL_START) {
        start(in, parents, image, i, index < image.size);
        return;
    }
    if constexpr (STEP == LABEL_JOIN) {
        P at[ND];
        if constexpr (ND == 2) {
            if (find_at_border(index, image, at[0], at[1]) && in[at[0] * (P)image.shape[1] + at[1]]) {
                join_neighbours(in, structure, parents, image, at, at[0] * (P)image.shape[1] + at[1]);
            }
        }
        else if (index < image.size && in[i]) {
            find_element(at, i, image);
            join_neighbours(in, structure, parents, image, at, i);
        }
        return;
    }
    if (index >= image.size) {
        return;
    }
    const P parent = *(volatile P *)&parents[i]; // others lower it
    if constexpr (STEP == LABEL_ROOTS) {
        const P root = parent < 0 ? parent : flattened(parents, i);
        roots[i] = parent >= 0 && root == i;
    }
    else {
        out[i] = Out<R, P>::raw(parent < 0 ? P(0) : numbers[parent]);
    }
}
