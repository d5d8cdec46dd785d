// unions.cuh: union-find on an array of parents, where a root is its own parent and every parent is less than its
// child (Jaiganesh & Burtscher, "A High-Performance Connected Components Implementation for GPUs", 2018).
#ifndef GNP_UNIONS_CUH
#define GNP_UNIONS_CUH

template <class P> GNP_FN P root_of(const P *parents, P i)
{
    const volatile P *parent = parents; // other threads lower it
#pragma unroll 1
    for (P next = parent[i]; next != i; next = parent[i]) {
        i = next;
    }
    return i;
}

// The root of i, where every second element on the way gets its grandparent as its parent, so that chains stay short.
// Another thread may lower that parent in between; what the write undoes then, that thread joins again from what it read.
template <class P> GNP_FN P root_of_halved(P *parents, P i)
{
    volatile P *parent = parents;
    P at = parent[i];
    if (at == i) {
        return i;
    }
#pragma unroll 1
    for (P before = i, next = parent[at]; next != at; next = parent[at]) {
        parent[before] = next;
        before = at;
        at = next;
    }
    return at;
}

// The greater root gets the lesser one as its parent; anew if another thread was faster. Where the parents are known to lie in
// shared memory, code within the caller reads them as such.
template <class P> GNP_FN void join_here(P *parents, P a, P b)
{
#pragma unroll 1
    while (true) {
        a = root_of_halved(parents, a);
        b = root_of_halved(parents, b);
        if (a == b) {
            return;
        }
        const P high = a < b ? b : a, low = a < b ? a : b;
        const P before = atomicMin(&parents[high], low);
        if (before == high) {
            return;
        }
        a = before;
        b = low;
    }
}
template <class P> static __device__ __noinline__ void join(P *parents, P a, P b)
{
    join_here(parents, a, b);
}

// The parent of element i becomes its root. Nothing is halved here: such a write could come after another thread's root.
template <class P> GNP_FN P flattened(P *parents, P i)
{
    const P parent = *(volatile P *)&parents[i], root = root_of(parents, parent);
    if (root != parent) {
        *(volatile P *)&parents[i] = root;
    }
    return root;
}

#endif
