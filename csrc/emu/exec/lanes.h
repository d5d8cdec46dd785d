/* The lane loops of one instruction set. A file that includes this defines EMU_ISA (v2, v3, v4) and
 * is compiled with the matching -march (build.txt); ptx.def is read twice, first to make the loops,
 * then to make the table. No loop may contract a product and a sum (-ffp-contract=off). */

#include "emu/exec/block.h"
#include "emu/exec/lanes_math.h"
#include "emu/exec/approx.h"

/* The rows of a loop may overlap only where an instruction's destination is one of its sources,
 * lane for lane; the compiler may therefore vectorise without looking for other overlaps. */
#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)

#if defined(__clang__)
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (size_t i = 0; i < n; i++)
#else
#define LANES _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++)
#endif
#define UNUSED __attribute__((unused))

/* W: unsigned, wide enough not to be promoted to int, whose overflow C leaves undefined; D2: twice
 * the width, for products. */
typedef u32 W_u16, W_s16, W_u32, W_s32, W_b16, W_b32;
typedef u64 W_u64, W_s64, W_b64;
typedef u8 W_pred, D2_pred;
typedef f32 W_f32, D2_f32;
typedef f64 W_f64, D2_f64;
typedef u32 D2_u16, D2_b16;
typedef s32 D2_s16;
typedef u64 D2_u32, D2_b32;
typedef s64 D2_s32;
typedef unsigned __int128 D2_u64, D2_b64;
typedef __int128 D2_s64;
typedef u32 BITS_f32;
typedef u64 BITS_f64;

#define FMA(x, y, z)                                                                               \
    (sizeof(T) == 4 ? (T)fmaf((f32)(x), (f32)(y), (f32)(z)) : (T)fma((x), (y), (z)))
#define SQRT(x) (sizeof(T) == 4 ? (T)sqrtf((f32)(x)) : (T)sqrt(x))
#define NAN_OUT(x) (sizeof(T) == 4 ? (T)canon((f32)(x)) : (T)(x))
/* NaN results: f32 has one, f64 keeps the payload of the last operand that is NaN. */
#define NAN2(x) (sizeof(T) == 4 ? (T)canon((f32)(x)) : (T)nan2(x, a, b))
#define NAN3(x) (sizeof(T) == 4 ? (T)canon((f32)(x)) : (T)nan3(x, a, b, c))
#define QUIET(x) (sizeof(T) == 4 ? (T)float_of(0x7fffffffu) : (T)quiet(x))
#define NAN_OF(type)                                                                               \
    (sizeof(T) == 4 ? (T)float_of(0x7fffffffu) : (T)double_of(0x7ff8000000000000ull))
#define MINIMUM(x, y) (sizeof(T) == 4 ? (T)min32((f32)(x), (f32)(y)) : (T)min64((x), (y)))
#define MAXIMUM(x, y) (sizeof(T) == 4 ? (T)max32((f32)(x), (f32)(y)) : (T)max64((x), (y)))
/* Sign bit operations; the mask is written for f64, its upper half is f32's. */
#define SIGN SIGN64
#define BITS(x, op, mask)                                                                          \
    (sizeof(T) == 4 ? (T)float_of(bits_of((f32)(x)) op(u32)((mask) >> 32))                         \
                    : (T)double_of(bits_of_double((f64)(x)) op(u64)(mask)))
#define MULHIS32 (u32)(((s64)(s32)a * (s32)b) >> 32)
#define MULHIS64 (u64)(((__int128)(s64)a * (s64)b) >> 64)
#define MULHI64 (u64)(((unsigned __int128)a * b) >> 64)

/* Both floats of a doubled word: x, y and z name those of a, b and c. */
#define HALF_F32(expr, at)                                                                         \
    ({                                                                                             \
        f32 x = float_of((u32)(a >> (at))), y = float_of((u32)(b >> (at)));                        \
        (u64) bits_of(canon(expr)) << (at);                                                        \
    })
#define PAIR_F32(expr) (HALF_F32(expr, 0) | HALF_F32(expr, 32))
#define THIRD_F32(expr, at)                                                                        \
    ({                                                                                             \
        f32 x = float_of((u32)(a >> (at))), y = float_of((u32)(b >> (at)));                        \
        f32 z = float_of((u32)(c >> (at)));                                                        \
        (u64) bits_of(canon(expr)) << (at);                                                        \
    })
#define TRIPLE_F32(expr) (THIRD_F32(expr, 0) | THIRD_F32(expr, 32))

/* Parts of a word: x and y name the parts of a and b. */
#define PAIR(type, expr) (PAIR_ONE(type, expr, 0) | PAIR_ONE(type, expr, 16))
#define PAIR_ONE(type, expr, at)                                                                   \
    ({                                                                                             \
        type x = (type)(a >> (at)), y = (type)(b >> (at));                                         \
        (u32)(u16)(expr) << (at);                                                                  \
    })
#define QUAD_ONE(type, expr, at)                                                                   \
    ({                                                                                             \
        type x = (type)(a >> (at)), y = (type)(b >> (at));                                         \
        (u32)(u8)(expr) << (at);                                                                   \
    })
#define QUAD(type, expr)                                                                           \
    (QUAD_ONE(type, expr, 0) | QUAD_ONE(type, expr, 8) | QUAD_ONE(type, expr, 16) |                \
     QUAD_ONE(type, expr, 24))
#define QSUM(type, expr)                                                                           \
    (QUAD_ONE(type, expr, 0) + (QUAD_ONE(type, expr, 8) >> 8) + (QUAD_ONE(type, expr, 16) >> 16) + \
     (QUAD_ONE(type, expr, 24) >> 24))
#define MAP2(v, expr)                                                                              \
    (({                                                                                            \
         u16 x = (u16)(v);                                                                         \
         (u32)(expr);                                                                              \
     }) |                                                                                          \
     ({                                                                                            \
         u16 x = (u16)((v) >> 16);                                                                 \
         (u32)(expr) << 16;                                                                        \
     }))

/* An expression of ptx.def names its operands a, b, c; T is its type, W and D2 the types above. The
 * macros of the sets (SET_U ...) write one loop for each type of a row. */

/* ---- first reading: the loops ---------------------------------------------------------------- */

#define TYPES(T_)                                                                                  \
    typedef T_ T UNUSED;                                                                           \
    typedef GLUE(W_, T_) W UNUSED;                                                                 \
    typedef GLUE(D2_, T_) D2 UNUSED;

#define LOOP1(id, D, A, more, E)                                                                   \
    static void id(void *const *p, size_t n)                                                       \
    {                                                                                              \
        more D *d = p[0];                                                                          \
        const A *pa = p[1];                                                                        \
        LANES                                                                                      \
        {                                                                                          \
            const A a = pa[i];                                                                     \
            d[i] = (D)(E);                                                                         \
        }                                                                                          \
    }
#define LOOP2(id, D, A, B, more, E)                                                                \
    static void id(void *const *p, size_t n)                                                       \
    {                                                                                              \
        more D *d = p[0];                                                                          \
        const A *pa = p[1];                                                                        \
        const B *pb = p[2];                                                                        \
        LANES                                                                                      \
        {                                                                                          \
            const A a = pa[i];                                                                     \
            const B b = pb[i];                                                                     \
            d[i] = (D)(E);                                                                         \
        }                                                                                          \
    }
#define LOOP3(id, D, A, B, C, more, E)                                                             \
    static void id(void *const *p, size_t n)                                                       \
    {                                                                                              \
        more D *d = p[0];                                                                          \
        const A *pa = p[1];                                                                        \
        const B *pb = p[2];                                                                        \
        const C *pc = p[3];                                                                        \
        LANES                                                                                      \
        {                                                                                          \
            const A a UNUSED = pa[i];                                                              \
            const B b UNUSED = pb[i];                                                              \
            const C c UNUSED = pc[i];                                                              \
            d[i] = (D)(E);                                                                         \
        }                                                                                          \
    }
#define OP1(key, id, D, A, E) LOOP1(id, D, A, , E)
#define OP2(key, id, D, A, B, E) LOOP2(id, D, A, B, , E)
#define OP3(key, id, D, A, B, C, E) LOOP3(id, D, A, B, C, , E)
#define OP4(key, id, D, A, B, C, EE, X)                                                            \
    static void id(void *const *p, size_t n)                                                       \
    {                                                                                              \
        D *d = p[0];                                                                               \
        const A *pa = p[1];                                                                        \
        const B *pb = p[2];                                                                        \
        const C *pc = p[3];                                                                        \
        const EE *pe = p[4];                                                                       \
        LANES                                                                                      \
        {                                                                                          \
            const A a = pa[i];                                                                     \
            const B b = pb[i];                                                                     \
            const C c = pc[i];                                                                     \
            const EE e = pe[i];                                                                    \
            d[i] = (D)(X);                                                                         \
        }                                                                                          \
    }
/* destinations d and CC, sources a b (c) and the old CC */
#define CARRY2(key, id, T_, E, K)                                                                  \
    static void id(void *const *p, size_t n)                                                       \
    {                                                                                              \
        T_ *d = p[0];                                                                              \
        pred *flag = p[1];                                                                         \
        const T_ *pa = p[2], *pb = p[3];                                                           \
        const pred *pk = p[4];                                                                     \
        LANES                                                                                      \
        {                                                                                          \
            const T_ a = pa[i], b = pb[i], k UNUSED = pk[i];                                       \
            d[i] = (T_)(E);                                                                        \
            flag[i] = (pred)(K);                                                                   \
        }                                                                                          \
    }
#define CARRY3(key, id, T_, E, K)                                                                  \
    static void id(void *const *p, size_t n)                                                       \
    {                                                                                              \
        T_ *d = p[0];                                                                              \
        pred *flag = p[1];                                                                         \
        const T_ *pa = p[2], *pb = p[3], *pc = p[4];                                               \
        const pred *pk = p[5];                                                                     \
        LANES                                                                                      \
        {                                                                                          \
            const T_ a = pa[i], b = pb[i], c = pc[i], k UNUSED = pk[i];                            \
            d[i] = (T_)(E);                                                                        \
            flag[i] = (pred)(K);                                                                   \
        }                                                                                          \
    }
#define ONE1(key, name, T_, E) LOOP1(name##_##T_, T_, T_, TYPES(T_), E)
#define ONE2(key, name, T_, E) LOOP2(name##_##T_, T_, T_, T_, TYPES(T_), E)
#define ONE3(key, name, T_, E) LOOP3(name##_##T_, T_, T_, T_, T_, TYPES(T_), E)
#define CMP2(key, name, T_, E) LOOP2(setp_##name##_##T_, pred, T_, T_, TYPES(T_), E)
#define CVTI(key, id, D, S, cast) OP1(key, id, D, S, (D)cast(a))

/* sets */
#define SET_U(M, key, name, E) M(key, name, u16, E) M(key, name, u32, E) M(key, name, u64, E)
#define SET_S(M, key, name, E) M(key, name, s16, E) M(key, name, s32, E) M(key, name, s64, E)
#define SET_B(M, key, name, E) M(key, name, b16, E) M(key, name, b32, E) M(key, name, b64, E)
#define SET_L(M, key, name, E) SET_B(M, key, name, E) M(key, name, pred, E)
#define SET_I(M, key, name, E) SET_U(M, key, name, E) SET_S(M, key, name, E)
#define SET_F(M, key, name, E) M(key, name, f32, E) M(key, name, f64, E)
#define SET_A(M, key, name, E) SET_I(M, key, name, E) SET_F(M, key, name, E)
#define ROW1(key, name, set, E) SET_##set(ONE1, key, name, E)
#define ROW2(key, name, set, E) SET_##set(ONE2, key, name, E)
#define ROW3(key, name, set, E) SET_##set(ONE3, key, name, E)
#define SETP(key, name, set, E) SET_##set(CMP2, key, name, E)
#define CVT_INT(D, L, cast)                                                                        \
    CVTI("cvt." #D ".u8", cvt_##D##_u8, L, u16, cast(u8))                                          \
    CVTI("cvt." #D ".s8", cvt_##D##_s8, L, u16, cast(s8))                                          \
    CVTI("cvt." #D ".u16", cvt_##D##_u16, L, u16, cast)                                            \
    CVTI("cvt." #D ".s16", cvt_##D##_s16, L, s16, cast)                                            \
    CVTI("cvt." #D ".u32", cvt_##D##_u32, L, u32, cast)                                            \
    CVTI("cvt." #D ".s32", cvt_##D##_s32, L, s32, cast)                                            \
    CVTI("cvt." #D ".u64", cvt_##D##_u64, L, u64, cast)                                            \
    CVTI("cvt." #D ".s64", cvt_##D##_s64, L, s64, cast)
#define CVT_FROM(D, L, cast)                                                                       \
    CVTI("cvt." #D ".u8", cvt_##D##_u8, L, u16, cast(u8))                                          \
    CVTI("cvt." #D ".s8", cvt_##D##_s8, L, u16, cast(s8))                                          \
    CVTI("cvt." #D ".u16", cvt_##D##_u16, L, u16, cast)                                            \
    CVTI("cvt." #D ".s16", cvt_##D##_s16, L, s16, cast)                                            \
    CVTI("cvt." #D ".u32", cvt_##D##_u32, L, u32, cast)                                            \
    CVTI("cvt." #D ".s32", cvt_##D##_s32, L, s32, cast)                                            \
    CVTI("cvt." #D ".u64", cvt_##D##_u64, L, u64, cast)                                            \
    CVTI("cvt." #D ".s64", cvt_##D##_s64, L, s64, cast)

/* half precision rows: one scalar function per type, used for the plain and the x2 loop */
#define HALF1(key, name, E) HALF1_(key, name, f16, E) HALF1_(key, name, bf16, E)
#define HALF2(key, name, E) HALF2_(key, name, f16, E) HALF2_(key, name, bf16, E)
#define HALF3(key, name, E) HALF3_(key, name, f16, E) HALF3_(key, name, bf16, E)
#define HALF1_(key, name, T_, E) HALF1__(key, name, T_, E)
#define HALF1__(key, name, T_, E)                                                                  \
    static inline u16 half_##name##_##T_(u16 a)                                                    \
    {                                                                                              \
        enum { IS_BF16 = sizeof(#T_) == 5 };                                                       \
        return (u16)(E);                                                                           \
    }                                                                                              \
    OP1(key "." #T_, name##_##T_, u16, u16, half_##name##_##T_(a))                                 \
    OP1(key "." #T_ "x2", name##_##T_##x2, u32, u32,                                               \
        (u32)half_##name##_##T_((u16)a) | (u32)half_##name##_##T_((u16)(a >> 16)) << 16)
#define HALF2_(key, name, T_, E)                                                                   \
    static inline u16 half_##name##_##T_(u16 a, u16 b)                                             \
    {                                                                                              \
        enum { IS_BF16 = sizeof(#T_) == 5 };                                                       \
        return (u16)(E);                                                                           \
    }                                                                                              \
    OP2(key "." #T_, name##_##T_, u16, u16, u16, half_##name##_##T_(a, b))                         \
    OP2(key "." #T_ "x2", name##_##T_##x2, u32, u32, u32,                                          \
        (u32)half_##name##_##T_((u16)a, (u16)b) |                                                  \
            (u32)half_##name##_##T_((u16)(a >> 16), (u16)(b >> 16)) << 16)
#define HALF3_(key, name, T_, E)                                                                   \
    static inline u16 half_##name##_##T_(u16 a, u16 b, u16 c)                                      \
    {                                                                                              \
        enum { IS_BF16 = sizeof(#T_) == 5 };                                                       \
        return (u16)(E);                                                                           \
    }                                                                                              \
    OP3(key "." #T_, name##_##T_, u16, u16, u16, u16, half_##name##_##T_(a, b, c))                 \
    OP3(key "." #T_ "x2", name##_##T_##x2, u32, u32, u32, u32,                                     \
        (u32)half_##name##_##T_((u16)a, (u16)b, (u16)c) |                                          \
            (u32)half_##name##_##T_((u16)(a >> 16), (u16)(b >> 16), (u16)(c >> 16)) << 16)
#define FROM(v) (IS_BF16 ? from_bf16(v) : from_f16(v))
#define TO(f) (IS_BF16 ? to_bf16(f) : to_f16(f))
#define HNAN(v) (((v) & 0x7fff) > (IS_BF16 ? 0x7f80 : 0x7c00))
#define HMIN(x, y) (HNAN(x) && HNAN(y) ? 0x7fff : TO(min32(FROM(x), FROM(y))))
#define HMAX(x, y) (HNAN(x) && HNAN(y) ? 0x7fff : TO(max32(FROM(x), FROM(y))))
#define HXOR(v) xor_half((u16)(v), a, b, IS_BF16 ? 0x7f80 : 0x7c00)
#define HFMA(x, y, z) (IS_BF16 ? half_fused_bf16(x, y, z) : half_fused_f16(x, y, z))
#define RELU(v)                                                                                    \
    ({                                                                                             \
        u16 r = (v);                                                                               \
        HNAN(r) ? 0x7fff : r & 0x8000 ? 0 : r;                                                     \
    })
/* The NaN that stands for an element out of bounds, as an H200 knows it: both formats, both signs.
 */
#define IS_OOB(v) (((v) & 0x7fff) == 0x7ff7)
#define HSAT(v) (FROM(v) > 0 ? (FROM(v) < 1 ? (v) : TO(1.0f)) : 0)
#define HSETP(key, name, E) HSETP_(key, name, f16, E) HSETP_(key, name, bf16, E)
#define HSETP_(key, name, T_, E)                                                                   \
    OP2("setp." key "." #T_, setp_##name##_##T_, pred, u16, u16, ({                                \
            const float x = from_##T_(a), y = from_##T_(b);                                        \
            E;                                                                                     \
        }))

#include "emu/exec/ptx.def"

/* ---- second reading: the table --------------------------------------------------------------- */

#undef OP1
#undef OP2
#undef OP3
#undef OP4
#undef CARRY2
#undef CARRY3
#undef ONE1
#undef ONE2
#undef ONE3
#undef CMP2
#undef HALF1__
#undef HALF1_
#undef HALF2_
#undef HALF3_
#define SHIFT(T_) (sizeof(T_) == 1 ? 0 : sizeof(T_) == 2 ? 1 : sizeof(T_) == 4 ? 2 : 3)
#define OP1(key, id, D, A, E) {key, id, 1, 1, {SHIFT(D), SHIFT(A)}},
#define OP2(key, id, D, A, B, E) {key, id, 1, 2, {SHIFT(D), SHIFT(A), SHIFT(B)}},
#define OP3(key, id, D, A, B, C, E) {key, id, 1, 3, {SHIFT(D), SHIFT(A), SHIFT(B), SHIFT(C)}},
#define OP4(key, id, D, A, B, C, X, E)                                                             \
    {key, id, 1, 4, {SHIFT(D), SHIFT(A), SHIFT(B), SHIFT(C), SHIFT(X)}},
#define CARRY2(key, id, T_, E, K) {key, id, 2, 3, {SHIFT(T_), 0, SHIFT(T_), SHIFT(T_), 0}},
#define CARRY3(key, id, T_, E, K)                                                                  \
    {key, id, 2, 4, {SHIFT(T_), 0, SHIFT(T_), SHIFT(T_), SHIFT(T_), 0}},
#define ONE1(key, name, T_, E) OP1(key "." #T_, name##_##T_, T_, T_, E)
#define ONE2(key, name, T_, E) OP2(key "." #T_, name##_##T_, T_, T_, T_, E)
#define ONE3(key, name, T_, E) OP3(key "." #T_, name##_##T_, T_, T_, T_, T_, E)
#define CMP2(key, name, T_, E) OP2("setp." key "." #T_, setp_##name##_##T_, pred, T_, T_, E)
#define HALF1_(key, name, T_, E)                                                                   \
    OP1(key "." #T_, name##_##T_, u16, u16, E)                                                     \
    OP1(key "." #T_ "x2", name##_##T_##x2, u32, u32, E)
#define HALF2_(key, name, T_, E)                                                                   \
    OP2(key "." #T_, name##_##T_, u16, u16, u16, E)                                                \
    OP2(key "." #T_ "x2", name##_##T_##x2, u32, u32, u32, E)
#define HALF3_(key, name, T_, E)                                                                   \
    OP3(key "." #T_, name##_##T_, u16, u16, u16, u16, E)                                           \
    OP3(key "." #T_ "x2", name##_##T_##x2, u32, u32, u32, u32, E)

static const LaneEntry entries[] = {
#include "emu/exec/ptx.def"
};

const LaneTable GLUE(emu_lanes_, EMU_ISA) = {entries, sizeof entries / sizeof *entries};
