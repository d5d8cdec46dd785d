// label: connected components of a C-contiguous image of flags, by union-find with the first element of a component as its
// root (Jaiganesh & Burtscher, "A High-Performance Connected Components Implementation for GPUs", 2018). Roots in
// ascending order are SciPy's numbers. Four steps, one launch each:
// LABEL_START: the parent of an element is the first one of its run within the warp; -1: background. With two axes, of its
// component within a tile: see label_tile.cuh.
// LABEL_JOIN: elements are joined with the neighbours before them that the structure names; with two axes those at the
// borders of tiles.
// LABEL_ROOTS: the parent of an element becomes its root. Roots are bits of `roots`, a word for 32 elements, counted in `counts`.
// LABEL_NUMBERS: elements get the number of their root, background 0, by the roots up to the end of each word.
// Knobs: P parents; R of the numbers; STEP of enum LabelStep; ND axes; ALONG: neighbours along the last axis are joined, so
// that a run is one element; BLOCK threads.
// Launch: a thread per element; with two axes, a warp per tile for LABEL_START, for LABEL_JOIN a thread per element of the
// first rows of tiles but the uppermost, and per row of the first columns of tiles but the leftmost. For the other steps, a
// thread per four elements.
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
    if (has_left && threadIdx.x % 32 == 0) { // others begin in the run of the warp
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

enum { EACH = 4 };

// The four parents from i on, background behind the end. `i` is a multiple of four, as all of `parents` is aligned.
GNP_FN Vec<P, EACH> load_parents(const P *parents, i64 i, i64 size)
{
    Vec<P, EACH> found;
    if (i + EACH <= size) {
        return *(const Vec<P, EACH> *)(parents + i);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        found.at[k] = i + k < size ? parents[i + k] : (P)-1;
    }
    return found;
}

template <class V> GNP_FN void store_each(V *out, i64 i, i64 size, const Vec<V, EACH> &x)
{
    if (i + EACH <= size && (u64)out % alignof(Vec<V, EACH>) == 0) {
        *(Vec<V, EACH> *)(out + i) = x;
        return;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (i + k < size) {
            out[i + k] = x.at[k];
        }
    }
}

GNP_FN void find_roots(P *parents, u32 *roots, P *counts, i64 i, i64 size)
{
    const Vec<P, EACH> mine = load_parents(parents, i, size);
    P last = -1, root = -1;
    u32 bits = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const P parent = mine.at[k];
        if (parent < 0) {
            continue;
        }
        if (parent != last) { // neighbours often have the same
            last = parent;
            root = parent == (P)(i + k) ? parent : root_of(parents, parent);
        }
        if (parent != root) { // other threads read it
            *(volatile P *)&parents[i + k] = root;
        }
        bits |= root == (P)(i + k) ? 1u << k : 0;
    }
    bits <<= threadIdx.x % 8 * EACH;
#pragma unroll
    for (int d = 1; d < 32 / EACH; d *= 2) {
        bits |= __shfl_xor_sync(0xffffffffu, bits, d);
    }
    if (threadIdx.x % 8 == 0 && i < size) {
        roots[i / 32] = bits;
        counts[i / 32] = __popc(bits);
    }
}

GNP_FN void write_numbers(const P *parents, const u32 *roots, const P *counts, Raw<R> *out, i64 i, i64 size)
{
    const Vec<P, EACH> mine = load_parents(parents, i, size);
    Vec<Raw<R>, EACH> found;
    P last = -1, number = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (mine.at[k] != last) {
            last = mine.at[k];
            number = last < 0 ? P(0) : counts[last / 32] - (P)__popc(roots[last / 32] >> (last % 32)) + 1;
        }
        found.at[k] = Out<R, P>::raw(number);
    }
    store_each(out, i, size, found);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
label(const bool *in, const bool *structure, P *parents, u32 *roots, P *counts, Raw<R> *out, const GnpImage image)
{
    const i64 index = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if constexpr (STEP == LABEL_START && ND == 2) {
        start_tile(in, structure, parents, image);
    }
    else if constexpr (STEP == LABEL_START) {
        start(in, parents, image, (P)index, index < image.size);
    }
    else if constexpr (STEP == LABEL_JOIN && ND == 2) {
        join_tiles(in, structure, parents, image, index);
    }
    else if constexpr (STEP == LABEL_JOIN) {
        P at[ND];
        const P i = (P)index;
        if (index < image.size && in[i]) {
            find_element(at, i, image);
            join_neighbours(in, structure, parents, image, at, i);
        }
    }
    else if constexpr (STEP == LABEL_ROOTS) {
        find_roots(parents, roots, counts, index * EACH, image.size);
    }
    else {
        write_numbers(parents, roots, counts, out, index * EACH, image.size);
    }
}
