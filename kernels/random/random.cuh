// random.cuh: sources of random words, and conversions to numbers. A source gives four words for the number
// of a group of elements; distributions are in random_draws.cuh.
#ifndef GNP_RANDOM_CUH
#define GNP_RANDOM_CUH

#include "random/random_math.cuh"

struct alignas(16) Words {
    u32 at[4];
    GNP_FN u64 wide(int i) const { return (u64)at[2 * i + 1] << 32 | at[2 * i]; }
};

// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011. Counter: group number of the whole sequence, round, stream. The ten rounds' keys come from
// the host, where computing them costs nothing.
struct Philox {
    enum { keeps_state = 0, sequences = 0, rounds = 10 };
    u64 first; // the group number of this call's first group
    u32 stream, key[rounds][2];
};

GNP_FN Words philox(u32 c0, u32 c1, u32 c2, u32 c3, const u32 (&key)[Philox::rounds][2])
{
#pragma unroll
    for (int i = 0; i < Philox::rounds; i++) {
        u64 a = (u64)c0 * 0xd2511f53u, b = (u64)c2 * 0xcd9e8d57u;
        c0 = (u32)(b >> 32) ^ c1 ^ key[i][0];
        c2 = (u32)(a >> 32) ^ c3 ^ key[i][1];
        c1 = (u32)b;
        c3 = (u32)a;
    }
    return Words{c0, c1, c2, c3};
}

// XORWOW: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), section 3.1; d is
// its Weyl sequence. Row t of `states` is sequence t, 2^67 steps behind sequence t + 1.
struct Xorwow {
    enum { keeps_state = 1 };
    u32 *states;
    u64 sequences;
};

// MRG32k3a: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
// number generators", Operations Research 47 (1999). Sequences are 2^76 steps apart.
struct Mrg32k3a {
    enum { keeps_state = 1 };
    u32 *states;
    u64 sequences;
};

// Words given in memory, four for each group (cuRAND's). A group that needs more gets them from Philox with
// these four as key and counter.
struct Given {
    enum { keeps_state = 0, sequences = 0 };
    const Words *words;
};

// The words of one thread: begin(group) selects the elements; words() gives the next four; after fork(i, n)
// they are those of the i-th of a group's n elements, independent of what the others draw.
template <class Origin> struct Source;

template <> struct Source<Philox> {
    const Philox &origin;
    u64 group;
    u32 round, stride;
    GNP_FN Source(const Philox &o, u64) : origin(o), group(0), round(0), stride(1) {}
    GNP_FN void begin(u64 g)
    {
        group = origin.first + g;
        round = 0;
        stride = 1;
    }
    GNP_FN void fork(int i, int n)
    {
        round = 1 + i;
        stride = n;
    }
    GNP_FN Words words()
    {
        u32 r = round;
        round += stride;
        return philox((u32)group, (u32)(group >> 32), r, origin.stream, origin.key);
    }
    GNP_FN void end() {}
};

// A state of six words in memory, one column per word.
template <class Origin> struct Kept {
    const Origin &origin;
    u64 sequence;
    u32 s[6];
    GNP_FN Kept(const Origin &o, u64 t) : origin(o), sequence(t)
    {
#pragma unroll
        for (int i = 0; i < 6; i++) {
            s[i] = origin.states[i * origin.sequences + t];
        }
    }
    GNP_FN void begin(u64) {}
    GNP_FN void fork(int, int) {}
    GNP_FN void end()
    {
#pragma unroll
        for (int i = 0; i < 6; i++) {
            origin.states[i * origin.sequences + sequence] = s[i];
        }
    }
};

template <> struct Source<Xorwow> : Kept<Xorwow> {
    GNP_FN Source(const Xorwow &o, u64 t) : Kept<Xorwow>(o, t) {}
    GNP_FN u32 next()
    {
        u32 t = s[0] ^ s[0] >> 2;
        s[0] = s[1];
        s[1] = s[2];
        s[2] = s[3];
        s[3] = s[4];
        s[4] = s[4] ^ s[4] << 4 ^ t ^ t << 1;
        s[5] += 362437u;
        return s[4] + s[5];
    }
    GNP_FN Words words()
    {
        u32 a = next(), b = next(), c = next();
        return Words{a, b, c, next()};
    }
};

template <> struct Source<Mrg32k3a> : Kept<Mrg32k3a> {
    GNP_FN Source(const Mrg32k3a &o, u64 t) : Kept<Mrg32k3a>(o, t) {}
    // x modulo 2^32 - C, for x below 2^54.
    template <u32 C> GNP_FN static u32 reduced(u64 x)
    {
        const u64 prime = (1ull << 32) - C;
        x = (x >> 32) * C + (u32)x; // since 2^32 is C modulo the prime
        if constexpr (C > 1024) {
            x = (x >> 32) * C + (u32)x;
        }
        return (u32)(x >= prime ? x - prime : x);
    }
    // Uniform in [0, 2^32 - 209).
    GNP_FN u32 next()
    {
        const u32 m1 = 4294967087u, m2 = 4294944443u;
        u32 p = reduced<209>(1403580ull * s[1] + 810728ull * (m1 - s[0]));
        u32 q = reduced<22853>(527612ull * s[5] + 1370589ull * (m2 - s[3]));
        s[0] = s[1];
        s[1] = s[2];
        s[2] = p;
        s[3] = s[4];
        s[4] = s[5];
        s[5] = q;
        return p >= q ? p - q : p + m1 - q;
    }
    GNP_FN Words words()
    {
        u32 a = next(), b = next(), c = next();
        return Words{a, b, c, next()};
    }
};

template <> struct Source<Given> {
    const Given &origin;
    Words first;
    u32 round, stride;
    GNP_FN Source(const Given &o, u64) : origin(o) {}
    GNP_FN void begin(u64 group)
    {
        first = origin.words[group];
        round = 0;
        stride = 1;
    }
    GNP_FN void fork(int i, int n)
    {
        round = 1 + i;
        stride = n;
    }
    GNP_FN Words words()
    {
        u32 r = round;
        round += stride;
        if (r == 0) {
            return first;
        }
        u32 key[Philox::rounds][2];
#pragma unroll
        for (u32 i = 0; i < Philox::rounds; i++) {
            key[i][0] = first.at[0] + i * 0x9e3779b9u;
            key[i][1] = first.at[1] + i * 0xbb67ae85u;
        }
        return philox(first.at[2], first.at[3], r, 0, key);
    }
    GNP_FN void end() {}
};

// ---- words as numbers -------------------------------------------------------------------------------

// An element of type F is made from one word; a group consists of the elements of four 32-bit words.
template <class F> struct Word;
template <> struct Word<f32> {
    enum { group = 4 };
    u32 bits;
    GNP_FN Word(const Words &w, int i) : bits(w.at[i]) {}
};
template <> struct Word<f64> {
    enum { group = 2 };
    u64 bits;
    GNP_FN Word(const Words &w, int i) : bits(w.wide(i)) {}
    GNP_FN explicit Word(u64 b) : bits(b) {}
};

// In [0, 1): the multiples of 2^-24 and 2^-53.
GNP_FN f32 unit(Word<f32> w) { return (f32)(w.bits >> 8) * 5.9604644775390625e-08f; }
GNP_FN f64 unit(Word<f64> w) { return (f64)(w.bits >> 11) * 1.1102230246251565e-16; }
// In (0, 1), symmetric: the middles of 2^52 parts.
GNP_FN f64 open_unit(Word<f64> w) { return ((f64)(w.bits >> 12) + 0.5) * 2.220446049250313e-16; }

// -ln of a unit in (0, 1): an exponential variate.
GNP_FN f32 exponential(Word<f32> w) { return minus_log_unit(w.bits); }
// In (0, 1), close to 0 as finely as a word has bits.
GNP_FN f64 open_word(Word<f64> w) { return __ull2double_rz(w.bits | 1) * 5.421010862427522e-20; }
GNP_FN f64 exponential(Word<f64> w) { return -log_normal(open_word(w)); }

// Two normal variates of two words: G. E. P. Box, M. E. Muller, Annals of Mathematical Statistics 29
// (1958).
template <class F> GNP_FN void normal_pair(Word<F> length, Word<F> angle, F &a, F &b)
{
    on_circle(angle.bits, root_of((F)2 * exponential(length)), a, b);
}

// ---- a stream of words for one element --------------------------------------------------------------

// As many numbers as an element needs, two per group of words: for rejection algorithms. The first normal
// variate may be given already.
template <class S> struct Stream {
    S &source;
    u64 second;
    f64 ready;
    bool has_second, has_ready;
    GNP_FN Stream(S &s) : source(s), has_second(false), has_ready(false) {}
    GNP_FN Stream(S &s, f64 normal) : source(s), ready(normal), has_second(false), has_ready(true) {}
    GNP_FN Word<f64> wide()
    {
        if (has_second) {
            has_second = false;
            return Word<f64>(second);
        }
        Words w = source.words();
        second = w.wide(1);
        has_second = true;
        return Word<f64>(w, 0);
    }
    // A unit and an open unit from one group: a number left from the previous group is dropped.
    GNP_FN void units(f64 &u, f64 &v)
    {
        Words w = source.words();
        has_second = false;
        u = ::unit(Word<f64>(w, 0));
        v = ::open_unit(Word<f64>(w, 1));
    }
    GNP_FN f64 unit() { return ::unit(wide()); }
    GNP_FN f64 open_unit() { return ::open_unit(wide()); }
    GNP_FN f64 exponential() { return ::exponential(wide()); }
    GNP_FN f64 normal()
    {
        f64 a, b;
        if (has_ready) {
            has_ready = false;
            return ready;
        }
        Word<f64> length = wide(), angle = wide();
        normal_pair(length, angle, a, b);
        return a;
    }
};

#endif
