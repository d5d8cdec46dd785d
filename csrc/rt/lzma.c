/* The decoder of LZMA, for the blocks of kernel packs.
 *
 * LZMA packs compiled kernels into half of what deflate needs, which is what the size of the wheels
 * hangs on. It is written here because no library is at hand: liblzma and zlib are not on every
 * system, Python's modules work under the GIL alone, and a copy of either would be larger.
 *
 * The stream has no header: its parameters are lc = 3, lp = 0, pb = 2, which gpunp/_pack.py packs
 * with, and the size of the result is known. Whatever the input is, nothing is read or written
 * outside of the buffers. The names are those of Igor Pavlov's specification of the format. No
 * Python API, any thread. */
#include "rt/internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    STATES = 12,
    FIRST_AFTER_MATCH = 7, /* states below it follow a literal */
    POSITIONS = 4,         /* 1 << pb */
    CONTEXTS = 8,          /* 1 << lc */
    LITERAL = 0x300,       /* probabilities of a literal in one context */
    SHORTEST = 2,
    LENGTH_CLASSES = 4, /* lengths that share the codes of distances */
    SLOTS = 64,
    FIRST_DIRECT_SLOT = 14, /* distances from here on have bits that are not modelled */
    ALIGN_BITS = 4,
    HALF = 1024 /* a probability of 2048 */
};

typedef uint16_t Probability;

typedef struct {
    Probability choice, choice2, low[POSITIONS][8], middle[POSITIONS][8], high[256];
} Lengths;

/* Everything but the arrays' shapes is probabilities, which all begin with HALF. */
typedef struct {
    Probability is_match[STATES][POSITIONS], is_rep[STATES];
    Probability is_rep0[STATES], is_rep1[STATES], is_rep2[STATES], is_long[STATES][POSITIONS];
    Probability slot[LENGTH_CLASSES][SLOTS], special[128], align[1 << ALIGN_BITS];
    Lengths match, rep;
    Probability literal[CONTEXTS][LITERAL];
} Model;

/* The function that unpacks works on a copy, and all others are inlined into it, so that range and
 * code stay in registers: in memory, each change of a probability might have changed them. */
typedef struct {
    const unsigned char *in, *end;
    uint32_t range, code;
    int is_over; /* more was asked for than there is */
    unsigned char *out;
    size_t used, capacity;
    uint32_t rep[4]; /* the distances used last, less one */
    int state;
    Model *model;
} Decoder;

#define INLINE static inline __attribute__((always_inline))

/* ---- bits ------------------------------------------------------------------------------------ */

INLINE uint32_t
next_byte(Decoder *d)
{
    if (d->in == d->end) {
        d->is_over = 1;
        return 0;
    }
    return *d->in++;
}

INLINE void
normalise(Decoder *d)
{
    if (d->range < (uint32_t)1 << 24) {
        d->range <<= 8;
        d->code = d->code << 8 | next_byte(d);
    }
}

INLINE unsigned
bit(Decoder *d, Probability *p)
{
    const uint32_t bound = (d->range >> 11) * *p;
    const unsigned is_one = d->code >= bound;
    if (is_one) {
        d->range -= bound;
        d->code -= bound;
        *p = (Probability)(*p - (*p >> 5));
    }
    else {
        d->range = bound;
        *p = (Probability)(*p + ((2048 - *p) >> 5));
    }
    normalise(d);
    return is_one;
}

/* n bits, the highest first. */
INLINE unsigned
bits(Decoder *d, Probability *tree, int n)
{
    unsigned node = 1;
    for (int i = 0; i < n; i++) {
        node = node << 1 | bit(d, &tree[node]);
    }
    return node - (1u << n);
}

/* The lowest first. */
INLINE uint32_t
reversed_bits(Decoder *d, Probability *tree, int n)
{
    unsigned node = 1;
    uint32_t value = 0;
    for (int i = 0; i < n; i++) {
        const unsigned b = bit(d, &tree[node]);
        node = node << 1 | b;
        value |= (uint32_t)b << i;
    }
    return value;
}

INLINE uint32_t
direct_bits(Decoder *d, int n)
{
    uint32_t value = 0;
    for (int i = 0; i < n; i++) {
        d->range >>= 1;
        const unsigned b = d->code >= d->range;
        d->code -= b ? d->range : 0;
        value = value << 1 | b;
        normalise(d);
    }
    return value;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* After a match the byte that it would have gone on with helps to predict: its bits choose the
 * probabilities until the first that differs. */
INLINE void
literal(Decoder *d)
{
    const unsigned before = d->used > 0 ? d->out[d->used - 1] : 0;
    Probability *p = d->model->literal[before >> 5];
    unsigned node = 1;
    if (d->state >= FIRST_AFTER_MATCH) {
        const unsigned expected = d->out[d->used - d->rep[0] - 1];
        unsigned is_same = 1;
        for (int i = 7; i >= 0 && is_same; i--) {
            const unsigned wanted = expected >> i & 1;
            const unsigned got = bit(d, &p[(1 + wanted) * 0x100 + node]);
            node = node << 1 | got;
            is_same = got == wanted;
        }
    }
    while (node < 0x100) {
        node = node << 1 | bit(d, &p[node]);
    }
    d->out[d->used++] = (unsigned char)node;
    d->state = d->state < 4 ? 0 : d->state < 10 ? d->state - 3 : d->state - 6;
}

INLINE unsigned
length(Decoder *d, Lengths *l, size_t position)
{
    if (!bit(d, &l->choice)) {
        return SHORTEST + bits(d, l->low[position], 3);
    }
    if (!bit(d, &l->choice2)) {
        return SHORTEST + 8 + bits(d, l->middle[position], 3);
    }
    return SHORTEST + 16 + bits(d, l->high, 8);
}

INLINE uint32_t
distance(Decoder *d, unsigned matched)
{
    unsigned class = matched - SHORTEST;
    class = class < LENGTH_CLASSES ? class : LENGTH_CLASSES - 1;
    const unsigned slot = bits(d, d->model->slot[class], 6);
    if (slot < 4) {
        return slot;
    }
    const int more = (int)(slot >> 1) - 1;
    const uint32_t base = (2 | (slot & 1)) << more;
    if (slot < FIRST_DIRECT_SLOT) {
        return base + reversed_bits(d, d->model->special + base - slot, more);
    }
    const uint32_t high = direct_bits(d, more - ALIGN_BITS) << ALIGN_BITS;
    return base + high + reversed_bits(d, d->model->align, ALIGN_BITS);
}

/* Takes one of the last distances to the front. */
INLINE void
recall(Decoder *d)
{
    int i = 1;
    if (bit(d, &d->model->is_rep1[d->state])) {
        i = 2 + (int)bit(d, &d->model->is_rep2[d->state]);
    }
    const uint32_t found = d->rep[i];
    memmove(d->rep + 1, d->rep, (size_t)i * sizeof *d->rep);
    d->rep[0] = found;
}

/* The length of a match, whose distance is d->rep[0] then. */
INLINE unsigned
match(Decoder *d, size_t position)
{
    Model *m = d->model;
    const int after_literal = d->state < FIRST_AFTER_MATCH;
    unsigned n;
    if (!bit(d, &m->is_rep[d->state])) {
        n = length(d, &m->match, position);
        memmove(d->rep + 1, d->rep, 3 * sizeof *d->rep);
        d->rep[0] = distance(d, n);
        d->state = after_literal ? 7 : 10;
        return n;
    }
    if (bit(d, &m->is_rep0[d->state])) {
        recall(d);
    }
    else if (!bit(d, &m->is_long[d->state][position])) {
        d->state = after_literal ? 9 : 11;
        return 1;
    }
    n = length(d, &m->rep, position);
    d->state = after_literal ? 8 : 11;
    return n;
}

/* Byte by byte where the match overlaps what it writes. -1 where it begins before the output or
 * does not fit; the mark of an end has such a distance. */
INLINE int
copy(Decoder *d, unsigned n)
{
    const size_t back = (size_t)d->rep[0] + 1;
    if (back > d->used || n > d->capacity - d->used) {
        return -1;
    }
    unsigned char *to = d->out + d->used;
    if (back >= n) {
        memcpy(to, to - back, n);
    }
    else {
        for (unsigned i = 0; i < n; i++) {
            to[i] = to[(ptrdiff_t)i - (ptrdiff_t)back];
        }
    }
    d->used += n;
    return 0;
}

/* ---- streams --------------------------------------------------------------------------------- */

INLINE void
begin(Decoder *d)
{
    Probability *p = (Probability *)(void *)d->model;
    for (size_t i = 0; i < sizeof *d->model / sizeof *p; i++) {
        p[i] = HALF;
    }
    d->range = UINT32_MAX;
    for (int i = 0; i < 5; i++) { /* the first byte is 0 */
        d->code = d->code << 8 | next_byte(d);
    }
}

struct GnpLzma {
    Decoder decoder;
    Model model; /* 15 KiB, too much for the stacks of some threads */
};

GnpLzma *
gnp_lzma_new(const void *in, size_t bytes, void *out, size_t out_bytes)
{
    GnpLzma *lzma = malloc(sizeof *lzma);
    if (lzma != NULL) {
        lzma->decoder = (Decoder){.in = in, .end = (const unsigned char *)in + bytes, .out = out};
        lzma->decoder.capacity = out_bytes;
        lzma->decoder.model = &lzma->model;
        begin(&lzma->decoder);
    }
    return lzma;
}

int
gnp_lzma_until(GnpLzma *lzma, size_t wanted)
{
    Decoder copied = lzma->decoder;
    Decoder *d = &copied;
    int status = wanted <= d->capacity ? 0 : -1;
    while (status == 0 && d->used < wanted && !d->is_over) {
        const size_t position = d->used % POSITIONS;
        if (!bit(d, &d->model->is_match[d->state][position])) {
            literal(d);
        }
        else {
            status = copy(d, match(d, position));
        }
    }
    lzma->decoder = copied;
    return d->is_over ? -1 : status;
}

int
gnp_lzma(const void *in, size_t bytes, void *out, size_t out_bytes)
{
    GnpLzma *lzma = gnp_lzma_new(in, bytes, out, out_bytes);
    const int status = lzma != NULL ? gnp_lzma_until(lzma, out_bytes) : -1;
    free(lzma);
    return status;
}
