// Operands of one step in registers: load, apply op, store. Included after the knobs, which declare Operands,
// Index and op(inputs..., outputs&...).
#ifndef GNP_OPERANDS_CUH
#define GNP_OPERANDS_CUH

typedef Signed<Index>::type Stride;

// Location of elements: i, i + 1, ... of contiguous memory.
struct Linear {
    Index i;
    GNP_FN Linear next() const { return *this; }
    template <class E> GNP_FN E *address(const Slot &s) const { return (E *)s.lo + i; }
    template <class E> GNP_FN E *fixed(const Slot &s) const { return (E *)s.lo; }
    GNP_FN Stride step() const { return 0; }
};

// Location of elements: at a byte offset for each operand, `steps` apart.
struct Scattered {
    const Stride *offset, *steps;
    GNP_FN Scattered next() const { return Scattered{offset + 1, steps + 1}; }
    template <class E> GNP_FN E *address(const Slot &s) const { return (E *)((char *)s.lo + *offset); }
    template <class E> GNP_FN E *fixed(const Slot &s) const { return address<E>(s); } // its row's
    GNP_FN Stride step() const { return *steps; }
};

// V elements of each operand that advances, one of each that is broadcast. A List is processed recursively
// from its head: the inputs come first, then a mask if any, then the outputs, so `apply` collects op's
// arguments in order and `store` has the mask before it reaches the first output.
template <class L, int V> struct Registers;

template <int V> struct Registers<List<>, V> {
    template <bool Again, bool Whole, class W> GNP_FN void load_list(const Slot *, W, int) {}
    GNP_FN void repeat(const Registers &) {}
    template <class... Done> GNP_FN auto apply(int, Done &...done) { return op(done...); }
    template <bool Whole, class W> GNP_FN void store_list(const Slot *, W, int) {}
    template <class W> GNP_FN void store_one(const Slot *, W, int, bool) {}
};

template <class A, class... Rest, int V> struct Registers<List<A, Rest...>, V> {
    typedef Raw<typename A::Stored> Element;
    enum {
        stays = A::follow == ACCESS_BROADCAST || A::follow == ACCESS_SCALAR,
        width = stays ? 1 : V,
        vector = A::follow == ACCESS_CONTIGUOUS || A::follow == ACCESS_ROW_BROADCAST,
    };

    Vec<Element, width> mine;
    Registers<List<Rest...>, V> others;

    // Loads the inputs' elements at `where`. At the end of an axis there may be fewer than V: the rest
    // repeats the first. Again: broadcast operands are loaded already. Transposed ones come from shared
    // memory later.
    template <bool Again = false, class W> GNP_FN void load(const Slot *s, W where, int count)
    {
        if constexpr (V == 1) { // full accesses only: half the code to compile
            load_list<Again, true>(s, where, 1);
        }
        else if (count >= V) {
            load_list<Again, true>(s, where, V);
        }
        else {
            load_list<Again, false>(s, where, count);
        }
    }
    template <bool Again, bool Whole, class W> GNP_FN void load_list(const Slot *s, W where, int count)
    {
        if constexpr ((!A::is_output || A::is_read) && A::follow != ACCESS_TRANSPOSED && !(Again && A::follow == ACCESS_ROW_BROADCAST)) {
            load_mine<Whole>(*s, where, count);
        }
        others.template load_list<Again, Whole>(s + 1, where.next(), count);
    }

    template <bool Whole, class W> GNP_FN void load_mine(const Slot &s, W where, int count)
    {
        if constexpr (A::follow == ACCESS_SCALAR) {
            mine.at[0] = slot_value<Element>(s);
        }
        else if constexpr (A::follow == ACCESS_BROADCAST) {
            mine.at[0] = *where.template fixed<const Element>(s);
        }
        else if constexpr (vector && Whole) {
            mine = *(const Vec<Element, width> *)where.template address<const Element>(s);
        }
        else {
            const char *p = (const char *)where.template address<const Element>(s);
            Stride step = vector ? (Stride)sizeof(Element) : where.step();
#pragma unroll
            for (int v = 0; v < width; v++) {
                mine.at[v] = *(const Element *)(p + (v < count ? v : 0) * step);
            }
        }
    }

    // Copies from the first row what is broadcast over rows.
    GNP_FN void repeat(const Registers &first)
    {
        if constexpr (A::follow == ACCESS_ROW_BROADCAST) {
            mine = first.mine;
        }
        others.repeat(first.others);
    }

    // Applies op to element v of the inputs and the outputs; returns op's value where there are no outputs.
    template <class... Done> GNP_FN auto apply(int v, Done &...done)
    {
        if constexpr (A::is_output) {
            typename A::Computed r;
            if constexpr (A::is_read) {
                r = A::value(mine.at[v]);
            }
            others.apply(v, done..., r);
            mine.at[v] = A::raw(r);
        }
        else if constexpr (A::is_mask) {
            others.apply(v, done...);
        }
        else {
            typename A::Computed x = A::value(mine.at[width == 1 ? 0 : v]);
            return others.apply(v, done..., x);
        }
    }

    // Stores the outputs' first `count` elements, where the mask is true.
    template <class W> GNP_FN void store(const Slot *s, W where, int count)
    {
        if constexpr (V == 1) {
            store_list<true>(s, where, 1);
        }
        else if (count >= V) {
            store_list<true>(s, where, V);
        }
        else {
            store_list<false>(s, where, count);
        }
    }
    template <bool Whole, class W> GNP_FN void store_list(const Slot *s, W where, int count)
    {
        if constexpr (A::is_output && vector && Whole) {
            *(Vec<Element, width> *)where.template address<Element>(*s) = mine;
        }
        else if constexpr (A::is_output) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                put(*s, where, v, v < count);
            }
        }
        else if constexpr (A::is_mask) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                store_one(s, where, v, v < count);
            }
        }
        if constexpr (!A::is_mask) {
            others.template store_list<Whole>(s + 1, where.next(), count);
        }
    }

    template <class W> GNP_FN void store_one(const Slot *s, W where, int v, bool keep)
    {
        if constexpr (A::is_output) {
            put(*s, where, v, keep);
        }
        else {
            keep = keep && mine.at[width == 1 ? 0 : v] != 0;
        }
        others.store_one(s + 1, where.next(), v, keep);
    }

    template <class W> GNP_FN void put(const Slot &s, W where, int v, bool keep)
    {
        if (keep) {
            Stride step = vector ? (Stride)sizeof(Element) : where.step();
            *(Element *)((char *)where.template address<Element>(s) + v * step) = mine.at[v];
        }
    }
};

// An index: nothing is loaded but its first value.
template <Access F, class... Rest, int V> struct Registers<List<Position<F>, Rest...>, V> {
    i64 first, step;
    Registers<List<Rest...>, V> others;

    template <bool Again = false, class W> GNP_FN void load(const Slot *s, W where, int count)
    {
        if (V == 1 || count >= V) {
            load_list<Again, true>(s, where, V);
        }
        else {
            load_list<Again, false>(s, where, count);
        }
    }
    template <bool Again, bool Whole, class W> GNP_FN void load_list(const Slot *s, W where, int count)
    {
        first = (i64)where.template address<const u8>(*s);
        step = F == ACCESS_CONTIGUOUS ? 1 : F == ACCESS_BROADCAST ? 0 : (i64)where.step();
        others.template load_list<Again, Whole>(s + 1, where.next(), count);
    }
    GNP_FN void repeat(const Registers &from) { others.repeat(from.others); }
    template <class... Done> GNP_FN auto apply(int v, Done &...done)
    {
        i64 x = first + v * step;
        return others.apply(v, done..., x);
    }
    template <class W> GNP_FN void store(const Slot *s, W where, int count) { others.store(s + 1, where.next(), count); }
    template <bool Whole, class W> GNP_FN void store_list(const Slot *s, W where, int count)
    {
        others.template store_list<Whole>(s + 1, where.next(), count);
    }
};

#endif
