// edges.cuh: rows whose wide accesses begin between their elements.
#ifndef GNP_EDGES_CUH
#define GNP_EDGES_CUH

// Elements start to stop of a row: whole accesses of W lie between `begin` and `end`, and what is before the first
// and behind the last boundary of an access are its edges, fewer than 2 W elements.
template <class Index, int W> struct Edges {
    Index start, begin, end, stop;

    // All from the first element on.
    GNP_FN Edges(Index stop) : start(0), begin(0), end(stop), stop(stop) {}
    // past: elements from a boundary to the row's first.
    GNP_FN Edges(Index past, Index start, Index stop) : start(start), stop(stop)
    {
        Index missing = (0 - past - start) % W, all = stop - start;
        begin = start + (missing < all ? missing : all);
        end = stop - (stop - begin) % W;
    }
    GNP_FN Index count() const { return begin - start + (stop - end); }
    GNP_FN Index at(Index k) const { return start + k < begin ? start + k : end + (k - (begin - start)); }
};

// How many elements of the edges a thread has at most.
template <int W, int LANES> GNP_FN constexpr int edge_rounds() { return W > 1 ? (2 * W - 3) / LANES + 1 : 1; }

#endif
