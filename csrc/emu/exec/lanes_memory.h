/* Loops between rows and memory, and the small ones the groups need. Bounds and alignment were
 * checked before; addresses are real addresses. Included by lanes_v*.c after lanes.h. */

/* memory element M, lane D */
#define LOADS(M, D, name)                                                                          \
    static void get_line_##name(void *dv, const unsigned char *base, size_t n)                     \
    {                                                                                              \
        D *d = dv;                                                                                 \
        const M *s = (const M *)(const void *)base;                                                \
        LANES                                                                                      \
        {                                                                                          \
            d[i] = (D)s[i];                                                                        \
        }                                                                                          \
    }                                                                                              \
    static void get_step_##name(void *dv, const unsigned char *base, int64_t step, size_t n)       \
    {                                                                                              \
        D *d = dv;                                                                                 \
        LANES                                                                                      \
        {                                                                                          \
            d[i] = (D) * (const M *)(const void *)(base + (int64_t)i * step);                      \
        }                                                                                          \
    }                                                                                              \
    static void get_each_##name(void *dv, const uint64_t *address, int64_t delta, size_t n)        \
    {                                                                                              \
        D *d = dv;                                                                                 \
        LANES                                                                                      \
        {                                                                                          \
            d[i] = (D) * (const M *)(uintptr_t)(address[i] + (uint64_t)delta);                     \
        }                                                                                          \
    }
/* Scattered and strided stores stay in the order of lanes, without a vector pragma: when two lanes
 * hit one address, the last one wins. */
#define STORES(M, S, name)                                                                         \
    static void put_line_##name(const void *sv, unsigned char *base, size_t n)                     \
    {                                                                                              \
        const S *s = sv;                                                                           \
        M *d = (M *)(void *)base;                                                                  \
        LANES                                                                                      \
        {                                                                                          \
            d[i] = (M)s[i];                                                                        \
        }                                                                                          \
    }                                                                                              \
    static void put_step_##name(const void *sv, unsigned char *base, int64_t step, size_t n)       \
    {                                                                                              \
        const S *s = sv;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            *(M *)(void *)(base + (int64_t)i * step) = (M)s[i];                                    \
        }                                                                                          \
    }                                                                                              \
    static void put_each_##name(const void *sv, const uint64_t *address, int64_t delta, size_t n)  \
    {                                                                                              \
        const S *s = sv;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            *(M *)(uintptr_t)(address[i] + (uint64_t)delta) = (M)s[i];                             \
        }                                                                                          \
    }
#define LOADS_TO(M, name) LOADS(M, u16, name##_1) LOADS(M, u32, name##_2) LOADS(M, u64, name##_3)
LOADS_TO(u8, u8)
LOADS_TO(s8, s8)
LOADS_TO(u16, u16)
LOADS_TO(s16, s16)
LOADS(u32, u32, u32_2)
LOADS(u32, u64, u32_3)
LOADS(s32, u32, s32_2)
LOADS(s32, u64, s32_3)
LOADS(u64, u64, u64_3)
#define STORES_FROM(M, name)                                                                       \
    STORES(M, u16, name##_1) STORES(M, u32, name##_2) STORES(M, u64, name##_3)
STORES_FROM(u8, u8)
STORES_FROM(u16, u16)
STORES(u32, u32, u32_2)
STORES(u32, u64, u32_3)
STORES(u64, u64, u64_3)

/* Blend keeps the lanes outside of the mask; fill and ramp expand the uniform and the affine form
 * of a row. */
#define BLEND(T_, name)                                                                            \
    static void blend_##name(void *dv, const void *sv, const uint8_t *mask, size_t n)              \
    {                                                                                              \
        T_ *d = dv;                                                                                \
        const T_ *s = sv;                                                                          \
        LANES                                                                                      \
        {                                                                                          \
            d[i] = mask[i] ? s[i] : d[i];                                                          \
        }                                                                                          \
    }                                                                                              \
    static void fill_##name(void *dv, uint64_t value, size_t n)                                    \
    {                                                                                              \
        T_ *d = dv;                                                                                \
        LANES                                                                                      \
        {                                                                                          \
            d[i] = (T_)value;                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void ramp_##name(void *dv, uint64_t base, int64_t step, size_t n)                       \
    {                                                                                              \
        T_ *d = dv;                                                                                \
        LANES                                                                                      \
        {                                                                                          \
            d[i] = (T_)((T_)base + (T_)step * (T_)i);                                              \
        }                                                                                          \
    }
BLEND(u8, 0)
BLEND(u16, 1)
BLEND(u32, 2)
BLEND(u64, 3)

static void
range(const uint64_t *a, size_t n, uint64_t *min, uint64_t *max, uint64_t *bits)
{
    uint64_t low = ~0ull, high = 0, all = 0;
    LANES
    {
        low = a[i] < low ? a[i] : low;
        high = a[i] > high ? a[i] : high;
        all |= a[i];
    }
    *min = low;
    *max = high;
    *bits = all;
}

/* Lanes outside of the mask count as the neutral elements of minimum, maximum and OR. */
static void
range_mask(const uint64_t *a, const uint8_t *mask, size_t n, uint64_t *min, uint64_t *max,
           uint64_t *bits)
{
    uint64_t low = ~0ull, high = 0, all = 0;
    LANES
    {
        uint64_t v = a[i];
        uint64_t up = mask[i] ? v : ~0ull, down = mask[i] ? v : 0;
        low = up < low ? up : low;
        high = down > high ? down : high;
        all |= down;
    }
    *min = low;
    *max = high;
    *bits = all;
}

/* d = s + add, round at 32 bits */
static void
widen(uint64_t *d, const uint32_t *s, uint32_t add, size_t n)
{
    LANES
    {
        d[i] = s[i] + add;
    }
}

/* d = s + add + step * lane, the addresses of private memory */
static void
scale(uint64_t *d, const uint64_t *s, uint64_t add, uint64_t step, size_t n)
{
    LANES
    {
        d[i] = s[i] + add + step * (uint64_t)i;
    }
}

static size_t
count(const uint8_t *p, size_t n)
{
    size_t total = 0;
    LANES
    {
        total += p[i] != 0; /* a lane that is not active may hold anything */
    }
    return total;
}

/* Tables by size of the element, signedness and width of the lane; NULL where a lane would be
 * narrower than the element. */
#define TO3(kind, M) {NULL, kind##_##M##_1, kind##_##M##_2, kind##_##M##_3}
#define LOAD_TABLE(kind)                                                                           \
    {                                                                                              \
        {TO3(kind, u8), TO3(kind, s8)}, {TO3(kind, u16), TO3(kind, s16)},                          \
            {{NULL, NULL, kind##_u32_2, kind##_u32_3}, {NULL, NULL, kind##_s32_2, kind##_s32_3}},  \
        {                                                                                          \
            {NULL, NULL, NULL, kind##_u64_3},                                                      \
            {                                                                                      \
                NULL, NULL, NULL, kind##_u64_3                                                     \
            }                                                                                      \
        }                                                                                          \
    }
#define STORE_TABLE(kind)                                                                          \
    {                                                                                              \
        TO3(kind, u8), TO3(kind, u16), {NULL, NULL, kind##_u32_2, kind##_u32_3},                   \
        {                                                                                          \
            NULL, NULL, NULL, kind##_u64_3                                                         \
        }                                                                                          \
    }

const MemoryLanes GLUE(emu_memory_, EMU_ISA) = {
    .load_line = LOAD_TABLE(get_line),
    .load_step = LOAD_TABLE(get_step),
    .load_each = LOAD_TABLE(get_each),
    .store_line = STORE_TABLE(put_line),
    .store_step = STORE_TABLE(put_step),
    .store_each = STORE_TABLE(put_each),
    .blend = {blend_0, blend_1, blend_2, blend_3},
    .fill = {fill_0, fill_1, fill_2, fill_3},
    .ramp = {ramp_0, ramp_1, ramp_2, ramp_3},
    .range = range,
    .range_mask = range_mask,
    .widen = widen,
    .scale = scale,
    .count = count,
};
