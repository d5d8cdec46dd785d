// atomic.cuh: atomic update of one element. Included after the knobs of update.cu.
#ifndef GNP_ATOMIC_CUH
#define GNP_ATOMIC_CUH

enum { NLOCKS = 1024 };

// ---- atomic instructions: S, L, V and R are one type -----------------------------------------------

GNP_FN void native_add(i32 *p, i32 v) { atomicAdd(p, v); }
GNP_FN void native_add(u32 *p, u32 v) { atomicAdd(p, v); }
GNP_FN void native_add(i64 *p, i64 v) { atomicAdd((u64 *)p, (u64)v); }
GNP_FN void native_add(u64 *p, u64 v) { atomicAdd(p, v); }
GNP_FN void native_add(f32 *p, f32 v) { atomicAdd(p, v); }
GNP_FN void native_add(f64 *p, f64 v) { atomicAdd(p, v); }
template <class F> GNP_FN void native_add(Complex<F> *p, Complex<F> v)
{
    atomicAdd(&p->re, v.re);
    atomicAdd(&p->im, v.im);
}
template <class X> GNP_FN void native_add(X *, X) {}

template <class X> GNP_FN void native(X *p, X v)
{
    if constexpr (HOW == UPDATE_ADD) {
        native_add(p, v);
    }
    else if constexpr ((Info<X>::cls == 'i' || Info<X>::cls == 'u') && sizeof(X) >= 4) {
        if constexpr (HOW == UPDATE_LEAST) {
            if (v < *(volatile X *)p) {
                atomicMin(p, v);
            }
        }
        else if constexpr (HOW == UPDATE_MOST) {
            if (v > *(volatile X *)p) {
                atomicMax(p, v);
            }
        }
        else if constexpr (HOW == UPDATE_AND) {
            atomicAnd(p, v);
        }
        else if constexpr (HOW == UPDATE_OR) {
            atomicOr(p, v);
        }
        else if constexpr (HOW == UPDATE_XOR) {
            atomicXor(p, v);
        }
    }
}

// ---- compare-and-swap ------------------------------------------------------------------------------

GNP_FN Raw<S> updated(Raw<S> old, Compute<V> v)
{
    return Out<S, R>::raw(combine(In<S, L>::value(old), v));
}

// Compares words, so that a NaN equals itself. An update that would change nothing is skipped: minima and
// maxima are soon reached, after which most updates are only a read.
template <class Word> GNP_FN void swap(Word *at, int shift, Compute<V> v)
{
    Word old = *(volatile Word *)at;
    bool done;
    do {
        Raw<S> x;
        Word bits = old >> shift, mask = (Word)(~0ull >> (64 - 8 * (sizeof(S) < 8 ? sizeof(S) : 8)));
        memcpy(&x, &bits, sizeof(S) < sizeof(Word) ? sizeof(S) : sizeof(Word));
        x = updated(x, v);
        bits = 0;
        memcpy(&bits, &x, sizeof(S) < sizeof(Word) ? sizeof(S) : sizeof(Word));
        Word fresh = (old & ~(mask << shift)) | bits << shift;
        Word seen = fresh == old ? old : atomicCAS(at, old, fresh);
        done = seen == old;
        old = seen;
    } while (!done);
}

// Elements wider than a compare-and-swap are updated under a lock, of which there are a few, shared by
// hashing the address.
GNP_FN void locked(Raw<S> *p, Compute<V> v, u32 *locks)
{
    u32 *lock = locks + (u32)((u64)p >> 4) % NLOCKS;
    volatile u64 *word = (volatile u64 *)p;
    bool done = false;
#pragma unroll 1
    while (!done) {
        if (atomicCAS(lock, 0u, 1u) == 0) {
            u64 bits[2];
            Raw<S> x;
            __threadfence();
            bits[0] = word[0];
            bits[1] = word[sizeof(S) > 8];
            memcpy(&x, bits, sizeof(S) < 16 ? sizeof(S) : 16);
            x = updated(x, v);
            memcpy(bits, &x, sizeof(S) < 16 ? sizeof(S) : 16);
            word[0] = bits[0];
            if (sizeof(S) > 8) {
                word[1] = bits[1];
            }
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}

GNP_FN void update_one(Raw<S> *p, Compute<V> v, u32 *locks)
{
    if constexpr (HOW != UPDATE_SWAP) {
        native(p, (Raw<S>)Out<S, V>::raw(NEGATED ? negative(v) : v));
    }
    else if constexpr (sizeof(S) == 16) {
        locked(p, v, locks);
    }
    else if constexpr (sizeof(S) == 8) {
        swap((u64 *)p, 0, v);
    }
    else { // the word that contains it
        const u64 inside = (u64)p % 4;
        swap((u32 *)((u64)p - inside), (int)inside * 8, v);
    }
}

#endif
