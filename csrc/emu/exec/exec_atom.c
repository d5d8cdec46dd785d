/* Read-modify-write of one lane. Global memory may be in use by other blocks and launches, so the
 * loop is a compare-and-swap there; shared memory belongs to one worker, and the plain form does.
 *
 * The functions are found by key when the instruction is decoded (emu_atom_find) and called by
 * exec_memory.c, by bulk copies and by tensor reductions. The caller has checked address and
 * alignment. `how` says whether the place may be reached by other workers and whether it is in
 * shared memory.
 */
#include "emu/exec/block.h"
#include "emu/exec/lanes_math.h"

/* T: the memory word; OLD: how the operation sees it; E: the new value from a (old), b, c; how:
 * EMU_ATOM_LOCKED, EMU_ATOM_SHARED */
#define ATOM(name, T, OLD, FROM_BITS, TO_BITS, E)                                                  \
    static uint64_t atom_##name(void *address, uint64_t vb, uint64_t vc, int how)                  \
    {                                                                                              \
        T *at = address;                                                                           \
        const int locked = how & EMU_ATOM_LOCKED;                                                  \
        T was = locked ? __atomic_load_n(at, __ATOMIC_RELAXED) : *at;                              \
        const OLD b = FROM_BITS((T)vb), c = FROM_BITS((T)vc);                                      \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (;;) {                                                                                 \
            const OLD a = FROM_BITS(was);                                                          \
            (void)a;                                                                               \
            T now = TO_BITS((OLD)(E));                                                             \
            if (!locked) {                                                                         \
                *at = now;                                                                         \
                return was;                                                                        \
            }                                                                                      \
            if (__atomic_compare_exchange_n(at, &was, now, 0, __ATOMIC_SEQ_CST,                    \
                                            __ATOMIC_SEQ_CST)) {                                   \
                return was;                                                                        \
            }                                                                                      \
        }                                                                                          \
    }
/* A compare-and-swap loop for every operation, though C has some of them: the semantics (NaN,
 * wrap-around, subnormals) are PTX's in one expression. A failed exchange loads the new value into
 * `was`. Sequentially consistent, the strongest order that PTX can ask for. */
#define SAME(v) (v)
#define INTEGERS(T)                                                                                \
    ATOM(add_##T, T, T, SAME, SAME, a + b)                                                         \
    ATOM(min_##T, T, T, SAME, SAME, a < b ? a : b)                                                 \
    ATOM(max_##T, T, T, SAME, SAME, a > b ? a : b)                                                 \
    ATOM(and_##T, T, T, SAME, SAME, a &b)                                                          \
    ATOM(or_##T, T, T, SAME, SAME, a | b)                                                          \
    ATOM(xor_##T, T, T, SAME, SAME, a ^ b)                                                         \
    ATOM(exch_##T, T, T, SAME, SAME, b)                                                            \
    ATOM(cas_##T, T, T, SAME, SAME, a == b ? c : a)                                                \
    ATOM(inc_##T, T, T, SAME, SAME, a >= b ? 0 : a + 1)                                            \
    ATOM(dec_##T, T, T, SAME, SAME, a == 0 || a > b ? b : a - 1)
INTEGERS(u16)
INTEGERS(u32)
INTEGERS(u64)

/* The identity under another name, for the pairs below. */
static inline u32
as_s32(u32 v)
{
    return v;
}

/* Signed forms convert to the operand's type by a cast, so the comparison is the signed one. */
ATOM(min_s32, u32, s32, (s32), (u32), a < b ? a : b)
ATOM(max_s32, u32, s32, (s32), (u32), a > b ? a : b)
ATOM(min_s64, u64, s64, (s64), (u64), a < b ? a : b)
ATOM(max_s64, u64, s64, (s64), (u64), a > b ? a : b)
/* The units beside the memory, which do the sums in global memory, flush subnormals of f32 and pass
 * on a NaN of f64 as it is; in shared memory the thread itself adds. */
static inline f32
flushed(f32 v)
{
    return fabsf(v) < 0x1p-126f ? float_of(bits_of(v) & 0x80000000u) : v;
}

static inline f64
add_far(f64 a, f64 b)
{
    return b != b ? b : a != a ? a : nan2(a + b, a, b);
}

ATOM(add_f32, u32, f32, float_of, bits_of,
     how &EMU_ATOM_SHARED ? canon(a + b) : flushed(canon(flushed(a) + flushed(b))))
ATOM(min_f32, u32, f32, float_of, bits_of, min32(a, b))
ATOM(max_f32, u32, f32, float_of, bits_of, max32(a, b))
ATOM(add_f64, u64, f64, double_of, bits_of_double,
     how &EMU_ATOM_SHARED ? nan2(a + b, b, a) : add_far(a, b))
/* Halves are added in f32, where the sum is exact enough that rounding to the half once is correct.
 */
ATOM(add_f16, u16, f32, from_f16, to_f16, a + b)
ATOM(add_bf16, u16, f32, from_bf16, to_bf16, a + b)
ATOM(min_f16, u16, f32, from_f16, to_f16, min32(a, b))
ATOM(max_f16, u16, f32, from_f16, to_f16, max32(a, b))
ATOM(min_bf16, u16, f32, from_bf16, to_bf16, min32(a, b))
ATOM(max_bf16, u16, f32, from_bf16, to_bf16, max32(a, b))

static inline f32
sum32(f32 a, f32 b)
{
    return a + b;
}

/* Both halves of a word. */
#define PAIR(name, H, F)                                                                           \
    ATOM(name##_##H##x2, u32, u32, as_s32, as_s32,                                                 \
         (u32)to_##H(F(from_##H((u16)a), from_##H((u16)b))) |                                      \
             (u32)to_##H(F(from_##H((u16)(a >> 16)), from_##H((u16)(b >> 16)))) << 16)
PAIR(add, f16, sum32)
PAIR(min, f16, min32)
PAIR(max, f16, max32)
PAIR(add, bf16, sum32)
PAIR(min, bf16, min32)
PAIR(max, bf16, max32)

/* The rows of one width. Operations whose result does not depend on the sign have one row, and the
 * signed keys below share it. */
#define INTEGER_ROWS(T)                                                                            \
    {"add." #T, atom_add_##T}, {"min." #T, atom_min_##T}, {"max." #T, atom_max_##T},               \
        {"and." #T, atom_and_##T}, {"or." #T, atom_or_##T}, {"xor." #T, atom_xor_##T},             \
        {"exch." #T, atom_exch_##T}, {"cas." #T, atom_cas_##T}, {"inc." #T, atom_inc_##T},         \
    {                                                                                              \
        "dec." #T, atom_dec_##T                                                                    \
    }

/* Lets the caller replace the call per lane by a loop of its own. */
int
emu_atom_adds_words(EmuAtomFn fn)
{
    return fn == atom_add_u32;
}

/* Searched linearly: once per instruction while decoding. */
EmuAtomFn
emu_atom_find(const char *key)
{
    static const struct {
        const char *key;
        EmuAtomFn fn;
    } rows[] = {
        INTEGER_ROWS(u16),
        INTEGER_ROWS(u32),
        INTEGER_ROWS(u64),
        {"add.s32", atom_add_u32},
        {"add.s64", atom_add_u64},
        {"min.s32", atom_min_s32},
        {"max.s32", atom_max_s32},
        {"min.s64", atom_min_s64},
        {"max.s64", atom_max_s64},
        {"and.s32", atom_and_u32},
        {"or.s32", atom_or_u32},
        {"xor.s32", atom_xor_u32},
        {"add.f32", atom_add_f32},
        {"min.f32", atom_min_f32},
        {"max.f32", atom_max_f32},
        {"add.f64", atom_add_f64},
        {"exch.f32", atom_exch_u32},
        {"exch.f64", atom_exch_u64},
        {"add.f16", atom_add_f16},
        {"add.bf16", atom_add_bf16},
        {"min.f16", atom_min_f16},
        {"max.f16", atom_max_f16},
        {"min.bf16", atom_min_bf16},
        {"max.bf16", atom_max_bf16},
        {"add.f16x2", atom_add_f16x2},
        {"min.f16x2", atom_min_f16x2},
        {"max.f16x2", atom_max_f16x2},
        {"add.bf16x2", atom_add_bf16x2},
        {"min.bf16x2", atom_min_bf16x2},
        {"max.bf16x2", atom_max_bf16x2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, key) == 0) {
            return rows[i].fn;
        }
    }
    return NULL;
}
