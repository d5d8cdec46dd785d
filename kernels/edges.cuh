// edges.cuh: reading rows by wide accesses although they do not start or end on their boundaries.
#ifndef GNP_EDGES_CUH
#define GNP_EDGES_CUH

// Elements start to stop of a row: whole accesses of W elements are between `begin` and `end`; the elements
// before and after these are its edges, fewer than 2 W.
template <class Index, int W> struct Edges {
    Index start, begin, end, stop;

    // past: elements from the last boundary to the row's first element.
    GNP_FN Edges(Index past, Index start, Index stop) : start(start), stop(stop)
    {
        Index missing = (0 - past - start) % W, all = stop - start;
        begin = start + (missing < all ? missing : all);
        end = stop - (stop - begin) % W;
    }
    GNP_FN Index count() const { return begin - start + (stop - end); }
    GNP_FN Index at(Index k) const { return start + k < begin ? start + k : end + (k - (begin - start)); }
};

// How many elements of the edges a thread has at most, and at least 1; rows that are not ragged have but one edge.
template <int W, int LANES, int RAGGED> GNP_FN constexpr int edge_rounds()
{
    return W > 1 ? ((RAGGED ? 2 : 1) * (W - 1) - 1) / LANES + 1 : 1;
}

#endif
