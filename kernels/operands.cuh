// Operands of one step in registers: load, apply the knobs' op, store. Included after the knobs,
// which declare Operands, Index and op(inputs..., outputs&...).
#ifndef GNP_OPERANDS_CUH
#define GNP_OPERANDS_CUH

// V elements of each operand that moves, one of each that stays. A List is handled from its head: the
// inputs come first, then a mask if any, then the outputs, so `apply` meets op's arguments in order
// and `store` knows the mask before it reaches the first output.
template <class L, int V> struct Registers;

template <int V> struct Registers<List<>, V> {
    GNP_FN void load(const Slot *, Index) {}
    GNP_FN void load_some(const Slot *, Index, int) {}
    GNP_FN void load_at(const Slot *, const typename Signed<Index>::type *) {}
    template <class... Done> GNP_FN void apply(int, Done &...done) { op(done...); }
    GNP_FN void store(const Slot *, Index) {}
    GNP_FN void store_some(const Slot *, Index, int) {}
    GNP_FN void store_at(const Slot *, const typename Signed<Index>::type *, bool = true) {}
    GNP_FN void store_masked(const Slot *, Index, int, bool) {}
};

template <class A, class... Rest, int V> struct Registers<List<A, Rest...>, V> {
    typedef Raw<typename A::Stored> Element;
    enum { width = A::follow == MOVES ? V : 1 };

    Vec<Element, width> mine;
    Registers<List<Rest...>, V> others;

    // Elements i .. i + V.
    GNP_FN void load(const Slot *s, Index i)
    {
        if constexpr (!A::is_output) {
            if constexpr (A::follow == VALUE) {
                mine.at[0] = slot_value<Element>(*s);
            }
            else {
                mine = *(const Vec<Element, width> *)((const Element *)s->lo + (A::follow == MOVES ? i : 0));
            }
        }
        others.load(s + 1, i);
    }

    // Elements i .. i + count, count < V: the end of the index space. The rest repeats the first.
    GNP_FN void load_some(const Slot *s, Index i, int count)
    {
        if constexpr (A::is_output || A::follow != MOVES) {
            load_mine(s, i);
        }
        else {
#pragma unroll
            for (int v = 0; v < V; v++) {
                mine.at[v] = ((const Element *)s->lo)[i + (v < count ? v : 0)];
            }
        }
        others.load_some(s + 1, i, count);
    }
    GNP_FN void load_mine(const Slot *s, Index)
    {
        if constexpr (!A::is_output) {
            mine.at[0] = A::follow == VALUE ? slot_value<Element>(*s) : *(const Element *)s->lo;
        }
    }

    // One element at byte offsets, one offset per operand.
    GNP_FN void load_at(const Slot *s, const typename Signed<Index>::type *offset)
    {
        if constexpr (!A::is_output) {
            mine.at[0] = A::follow == VALUE ? slot_value<Element>(*s) : *(const Element *)((const char *)s->lo + *offset);
        }
        others.load_at(s + 1, offset + 1);
    }

    // Element v of the inputs through op into element v of the outputs.
    template <class... Done> GNP_FN void apply(int v, Done &...done)
    {
        if constexpr (A::is_output) {
            typename A::Computed r;
            others.apply(v, done..., r);
            mine.at[v] = A::raw(r);
        }
        else if constexpr (A::is_mask) {
            others.apply(v, done...);
        }
        else {
            typename A::Computed x = A::value(mine.at[width == 1 ? 0 : v]);
            others.apply(v, done..., x);
        }
    }

    GNP_FN void store(const Slot *s, Index i)
    {
        if constexpr (A::is_output) {
            *(Vec<Element, V> *)((Element *)s->lo + i) = mine;
            others.store(s + 1, i);
        }
        else if constexpr (A::is_mask) {
            store_some(s, i, V);
        }
        else {
            others.store(s + 1, i);
        }
    }

    GNP_FN void store_some(const Slot *s, Index i, int count)
    {
#pragma unroll
        for (int v = 0; v < V; v++) {
            store_masked(s, i, v, v < count);
        }
    }
    GNP_FN void store_masked(const Slot *s, Index i, int v, bool keep)
    {
        if constexpr (A::is_output) {
            if (keep) {
                ((Element *)s->lo)[i + v] = mine.at[v];
            }
        }
        else if constexpr (A::is_mask) {
            keep = keep && mine.at[width == 1 ? 0 : v] != 0;
        }
        others.store_masked(s + 1, i, v, keep);
    }

    GNP_FN void store_at(const Slot *s, const typename Signed<Index>::type *offset, bool keep = true)
    {
        if constexpr (A::is_output) {
            if (keep) {
                *(Element *)((char *)s->lo + *offset) = mine.at[0];
            }
        }
        else if constexpr (A::is_mask) {
            keep = keep && mine.at[0] != 0;
        }
        others.store_at(s + 1, offset + 1, keep);
    }
};

#endif
