/* Inflate (RFC 1951): the blocks of kernel packs.
 *
 * Both sizes are known beforehand, so a stream that would read or write one byte more is refused,
 * as is any other error. Codes of up to ROOT bits, nearly all, are one look into a table; longer
 * ones go bit by bit through the canonical order, which section 3.2.2 of the RFC defines. No Python
 * API, any thread. */
#include "rt/internal.h"

#include <string.h>

enum {
    LONGEST = 15,
    ROOT = 10,
    LITERALS = 288,
    END_OF_BLOCK = 256,
    FIRST_LENGTH = 257,
    LENGTHS = 29,
    DISTANCES = 30,
    ORDERED = 19 /* symbols of the code that describes the lengths of the other two */
};

typedef struct {
    const unsigned char *in, *end;
    uint64_t bits; /* not used yet, lowest first */
    int nbits;
    int padding; /* bits behind the end that were taken for zeros */
    unsigned char *out;
    size_t used, capacity;
} Stream;

typedef struct {
    uint16_t quick[1 << ROOT];   /* symbol * 16 + length; 0: a longer code, or none */
    uint16_t count[LONGEST + 1]; /* codes of each length */
    uint16_t symbols[LITERALS];  /* in the order of their codes */
} Code;

/* ---- bits ------------------------------------------------------------------------------------ */

/* At least 32 bits; zeros behind the end, which are counted: valid streams use none of them. */
static void
refill(Stream *s)
{
    while (s->nbits <= 56) {
        if (s->in < s->end) {
            s->bits |= (uint64_t)*s->in++ << s->nbits;
        }
        else {
            s->padding += 8;
        }
        s->nbits += 8;
    }
}

static unsigned
take(Stream *s, int n)
{
    if (s->nbits < n) {
        refill(s);
    }
    unsigned value = (unsigned)(s->bits & (((uint64_t)1 << n) - 1));
    s->bits >>= n;
    s->nbits -= n;
    return value;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static unsigned
reversed(unsigned code, int length)
{
    unsigned out = 0;
    for (int i = 0; i < length; i++) {
        out = out << 1 | (code >> i & 1);
    }
    return out;
}

/* The canonical code with these lengths; 0 stands for a symbol that does not occur. -1 when there
 * are more codes than bits can tell apart. */
static int
make_code(Code *code, const unsigned char *lengths, int n)
{
    unsigned next[LONGEST + 2] = {0}, at[LONGEST + 2] = {0};
    memset(code, 0, sizeof *code);
    for (int i = 0; i < n; i++) {
        code->count[lengths[i]] += lengths[i] != 0;
    }
    for (int length = 1; length <= LONGEST; length++) {
        if (next[length] + code->count[length] > 1u << length) {
            return -1;
        }
        next[length + 1] = (next[length] + code->count[length]) << 1;
        at[length + 1] = at[length] + code->count[length];
    }
    for (int i = 0; i < n; i++) {
        const int length = lengths[i];
        if (length == 0) {
            continue;
        }
        code->symbols[at[length]++] = (uint16_t)i;
        const unsigned first = reversed(next[length]++, length);
        for (unsigned j = first; length <= ROOT && j < 1u << ROOT; j += 1u << length) {
            code->quick[j] = (uint16_t)(i << 4 | length);
        }
    }
    return 0;
}

/* The next symbol, or -1. */
static int
decode(Stream *s, const Code *code)
{
    if (s->nbits < LONGEST) {
        refill(s);
    }
    const unsigned quick = code->quick[s->bits & ((1u << ROOT) - 1)];
    if (quick != 0) {
        s->bits >>= quick & 15;
        s->nbits -= (int)(quick & 15);
        return (int)(quick >> 4);
    }
    int value = 0, first = 0, index = 0;
    for (int length = 1; length <= LONGEST; length++) {
        value |= (int)take(s, 1);
        if (value - first < code->count[length]) {
            return code->symbols[index + value - first];
        }
        index += code->count[length];
        first = (first + code->count[length]) << 1;
        value <<= 1;
    }
    return -1;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Copies a match, which may overlap what it writes; -1 when it begins before the output. */
static int
copy_match(Stream *s, size_t length, size_t distance)
{
    if (distance > s->used || length > s->capacity - s->used) {
        return -1;
    }
    for (unsigned char *p = s->out + s->used, *end = p + length; p < end; p++) {
        *p = p[-(ptrdiff_t)distance];
    }
    s->used += length;
    return 0;
}

static int
inflate_codes(Stream *s, const Code *literals, const Code *distances)
{
    static const uint16_t lengths[LENGTHS] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                              15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                              67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint16_t starts[DISTANCES] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (;;) {
        int symbol = decode(s, literals);
        if (symbol < 0 || s->padding > s->nbits) {
            return -1;
        }
        if (symbol < END_OF_BLOCK) {
            if (s->used == s->capacity) {
                return -1;
            }
            s->out[s->used++] = (unsigned char)symbol;
            continue;
        }
        if (symbol == END_OF_BLOCK) {
            return 0;
        }
        symbol -= FIRST_LENGTH;
        if (symbol >= LENGTHS) {
            return -1;
        }
        /* Four symbols for each number of further bits; the last length has none. */
        int further = symbol < 8 || symbol == LENGTHS - 1 ? 0 : symbol / 4 - 1;
        const size_t length = lengths[symbol] + take(s, further);
        symbol = decode(s, distances);
        if (symbol < 0 || symbol >= DISTANCES) {
            return -1;
        }
        further = symbol < 4 ? 0 : symbol / 2 - 1;
        if (copy_match(s, length, starts[symbol] + take(s, further)) != 0) {
            return -1;
        }
    }
}

/* The lengths of both codes as a third one describes them, with repetitions. */
static int
read_lengths(Stream *s, const Code *code, unsigned char *lengths, int n)
{
    for (int i = 0; i < n;) {
        const int symbol = decode(s, code);
        if (symbol < 0 || (symbol == 16 && i == 0)) {
            return -1;
        }
        if (symbol < 16) {
            lengths[i++] = (unsigned char)symbol;
            continue;
        }
        const unsigned char value = symbol == 16 ? lengths[i - 1] : 0;
        int times = symbol == 16   ? 3 + (int)take(s, 2)
                    : symbol == 17 ? 3 + (int)take(s, 3)
                                   : 11 + (int)take(s, 7);
        if (times > n - i) {
            return -1;
        }
        for (; times > 0; times--) {
            lengths[i++] = value;
        }
    }
    return 0;
}

static int
inflate_dynamic(Stream *s)
{
    static const unsigned char order[ORDERED] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                 11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[LITERALS + 32] = {0};
    Code literals, distances;
    const int nliterals = 257 + (int)take(s, 5), ndistances = 1 + (int)take(s, 5);
    const int nordered = 4 + (int)take(s, 4);
    for (int i = 0; i < nordered; i++) {
        lengths[order[i]] = (unsigned char)take(s, 3);
    }
    if (nliterals > LITERALS - 2 || make_code(&literals, lengths, ORDERED) != 0) {
        return -1;
    }
    memset(lengths, 0, sizeof lengths);
    if (read_lengths(s, &literals, lengths, nliterals + ndistances) != 0 ||
        make_code(&distances, lengths + nliterals, ndistances) != 0 ||
        make_code(&literals, lengths, nliterals) != 0) {
        return -1;
    }
    return inflate_codes(s, &literals, &distances);
}

static int
inflate_fixed(Stream *s)
{
    unsigned char lengths[LITERALS];
    Code literals, distances;
    for (int i = 0; i < LITERALS; i++) {
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    (void)make_code(&literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    (void)make_code(&distances, lengths, DISTANCES);
    return inflate_codes(s, &literals, &distances);
}

static int
inflate_stored(Stream *s)
{
    (void)take(s, s->nbits & 7);
    const size_t length = take(s, 16);
    if (take(s, 16) != (length ^ 0xffff) || length > s->capacity - s->used) {
        return -1;
    }
    for (size_t i = 0; i < length; i++) {
        s->out[s->used++] = (unsigned char)take(s, 8);
    }
    return s->padding > s->nbits ? -1 : 0;
}

int
gnp_inflate(const void *in, size_t bytes, void *out, size_t out_bytes)
{
    static int (*const kinds[])(Stream *) = {inflate_stored, inflate_fixed, inflate_dynamic};
    Stream s = {.in = in, .end = (const unsigned char *)in + bytes, .out = out};
    s.capacity = out_bytes;
    for (int is_last = 0; !is_last;) {
        is_last = (int)take(&s, 1);
        const unsigned kind = take(&s, 2);
        if (kind > 2 || kinds[kind](&s) != 0) {
            return -1;
        }
    }
    return s.used == out_bytes && s.padding <= s.nbits ? 0 : -1;
}
