/* Reading textures: where a coordinate falls, what lies outside, how texels become results, and how
 * a linear filter weighs them. CUDA C++ Programming Guide, "Texture Fetching"; PTX ISA,
 * "Texture Instructions". Roundings are those measured on an H200 (tests/emu/diff/textures.py).
 *
 * Pure functions of the texture and the coordinates, called by exec_texture.c. The one state is the
 * list of texels read, one per thread. All sums are integers or exact doubles, so results do not
 * depend on the host's instruction set.
 */
#include "emu/exec/texture.h"

#include <math.h>
#include <string.h>

enum { WRAP, CLAMP, MIRROR, BORDER };
/* CUarray_format values. */
enum {
    U8 = 0x01,
    U16 = 0x02,
    U32 = 0x03,
    S8 = 0x08,
    S16 = 0x09,
    S32 = 0x0a,
    HALF = 0x10,
    F32 = 0x20
};

#define FRACTION 256 /* weights have 8 bits behind the point */

/* ---- texels ---------------------------------------------------------------------------------- */

/* All halves are exact floats; subnormal ones are multiples of 2^-24. */
static float
half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
    /* 31 is the exponent of infinities and NaN; 112 is the difference of the biases, 127 - 15. */
    uint32_t bits;
    if (exponent == 0) {
        float value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, 4);
        bits |= sign;
    }
    else {
        bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
    }
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t
bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* One channel as it is stored, widened to a word. Integers keep their sign; halves become floats,
 * since both real formats are filtered as floats. */
static uint32_t
raw_channel(const EmuTexture *t, const unsigned char *p)
{
    uint16_t half;
    uint32_t word;
    switch (t->format) {
    case U8:
        return *p;
    case S8:
        return (uint32_t)(int32_t)(int8_t)*p;
    case U16:
        memcpy(&half, p, 2);
        return half;
    case S16:
        memcpy(&half, p, 2);
        return (uint32_t)(int32_t)(int16_t)half;
    case HALF:
        memcpy(&half, p, 2);
        return bits_of(half_to_float(half));
    default:
        memcpy(&word, p, 4);
        return word;
    }
}

static int
is_real(const EmuTexture *t)
{
    return t->format == HALF || t->format == F32;
}

/* What an integer format's 1 is. */
static int64_t
one_of(const EmuTexture *t)
{
    return t->format == U8 ? 255 : t->format == S8 ? 127 : t->format == U16 ? 65535 : 32767;
}

static int
is_signed(const EmuTexture *t)
{
    return t->format == S8 || t->format == S16;
}

/* A colour of eight bits of sRGB, linear: eight significant bits, and 14 behind the point. */
static float
linear_color(uint32_t raw)
{
    double v = raw / 255.0;
    v = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    int e;
    (void)frexp(v, &e);
    /* The place of the last bit kept: eight bits below the leading one, but no further than 2^-14.
     */
    e = e - 8 < -14 ? -14 : e - 8;
    return (float)ldexp(rint(ldexp(v, -e)), e);
}

/* A normalised integer as it is weighed by filters, or given as it is. The smallest of the signed
 * ones counts as its neighbour, but for bytes in filters. */
static int64_t
weighed(const EmuTexture *t, uint32_t raw, int in_filter)
{
    /* -128 and -32768 stand for -1 as their neighbours do (CUDA Programming Guide, texture read
     * mode). */
    int64_t value = is_signed(t) ? (int32_t)raw : (int64_t)raw;
    return value < -one_of(t) && !(in_filter && t->format == S8) ? -one_of(t) : value;
}

/* A number as a normalised integer; halves go down. */
static uint32_t
normalise(const EmuTexture *t, float value)
{
    double low = is_signed(t) ? -1 : 0;
    double v = value < low ? low : value > 1 ? 1 : value;
    /* ceil(v - 0.5) sends halves down, as measured. */
    return (uint32_t)(int32_t)ceil(v * (double)one_of(t) - 0.5);
}

/* Texture units flush subnormal floats, with their sign. */
static float
flushed(float v)
{
    return fabsf(v) < 0x1p-126f ? copysignf(0, v) : v;
}

/* Per thread: workers sample at the same time. */
static _Thread_local EmuTexels *noted;

void
emu_texture_note(EmuTexels *texels)
{
    noted = texels;
}

/* A texel that lies inside, or NULL. */
static const unsigned char *
texel(const EmuTexture *t, const int64_t at[3], uint32_t layer)
{
    /* The modes have been applied; what is still outside belongs to the border. */
    for (int k = 0; k < 3; k++) {
        if (at[k] < 0 || at[k] >= (int64_t)t->size[k]) {
            return NULL;
        }
    }
    uint64_t slice = t->layers != 0 ? layer : (uint64_t)at[2];
    const unsigned char *place = (const unsigned char *)(uintptr_t)t->address + slice * t->slice +
                                 (uint64_t)at[1] * t->pitch + (uint64_t)at[0] * t->unit;
    /* At most EMU_TEXELS: those of one linear sample in three dimensions, or of a gather. */
    if (noted != NULL && noted->count < EMU_TEXELS) {
        noted->at[noted->count++] = place;
    }
    return place;
}

/* The border's bits in a channel of an integer format. */
static uint32_t
border_bits(const EmuTexture *t, uint32_t bits)
{
    switch (t->format) {
    case U8:
        return bits & 0xff;
    case S8:
        return (uint32_t)(int32_t)(int8_t)bits;
    case U16:
        return bits & 0xffff;
    case S16:
        return (uint32_t)(int32_t)(int16_t)bits;
    default:
        return bits;
    }
}

/* Four channels as they are stored; those there are not are 0. Outside: the border. */
static void
read_raw(const EmuTexture *t, const int64_t at[3], uint32_t layer, uint32_t out[4])
{
    const unsigned char *p = texel(t, at, layer);
    size_t bytes = t->unit / t->channels;
    for (unsigned k = 0; k < 4; k++) {
        /* Linear memory has no border: what lies outside reads as 0. */
        if (k >= t->channels || (p == NULL && t->is_linear)) {
            out[k] = 0;
        }
        else if (p != NULL) {
            out[k] = raw_channel(t, p + k * bytes);
        }
        else if (t->as_integer || is_real(t)) {
            /* Border colours are floats that integer textures read by their bits. */
            out[k] = border_bits(t, bits_of(t->border[k]));
        }
        else {
            out[k] = normalise(t, t->border[k]);
        }
    }
}

/* The same as the instruction returns them. */
static void
read_texel(const EmuTexture *t, const int64_t at[3], uint32_t layer, uint32_t out[4])
{
    read_raw(t, at, layer, out);
    /* Normalised integers become floats in [0, 1] or [-1, 1]; sRGB applies to colours, not to
     * alpha. */
    for (unsigned k = 0; k < t->channels && !t->as_integer && !is_real(t); k++) {
        int64_t value = weighed(t, out[k], 0);
        out[k] = bits_of(t->srgb && k < 3 ? linear_color(out[k])
                                          : (float)((double)value / (double)one_of(t)));
    }
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* The index a dimension's mode makes of one outside; -1 stays outside. */
static int64_t
address(int64_t i, int64_t n, unsigned mode)
{
    if (i >= 0 && i < n) {
        return i;
    }
    switch (mode) {
    /* C's remainder has the sign of the dividend. */
    case WRAP:
        i %= n;
        return i < 0 ? i + n : i;
    case MIRROR:
        /* Mirrored copies repeat with period 2 n. */
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return i < n ? i : 2 * n - 1 - i;
    case CLAMP:
        return i < 0 ? 0 : n - 1;
    default:
        return -1;
    }
}

/* Wrapping and mirroring need normalised coordinates; without, they clamp. */
static unsigned
mode_of(const EmuTexture *t, int k)
{
    unsigned mode = t->mode[k];
    return !t->normalized && (mode == WRAP || mode == MIRROR) ? CLAMP : mode;
}

/* The coordinate in texels, with 8 bits behind the point. Normalised ones are cut to 21 bits behind
 * the point first; subnormal ones are zero. */
static int64_t
fixed_point(const EmuTexture *t, int k, float x, int bits)
{
    double at = flushed(x);
    unsigned mode = mode_of(t, k);
    if (isnan(at)) {
        return 0;
    }
    if (!t->normalized) {
        /* Bounded before the conversion to an integer, which would be undefined. */
        at = at < -1e9 ? -1e9 : at > 1e9 ? 1e9 : at;
        return (int64_t)floor(ldexp(at, bits) + (bits != 0 ? 0.5 : 0));
    }
    if (isinf(at)) {
        /* An infinite coordinate has no fraction to wrap; elsewhere it lies far outside on its
         * side. */
        at = mode == WRAP || mode == MIRROR ? 0 : copysign(1e6, at);
    }
    /* The periodic part is removed while the number still has its fraction. */
    at -= mode == WRAP ? floor(at) : mode == MIRROR ? 2 * floor(at / 2) : 0;
    at = at < -1e6 ? -1e6 : at > 1e6 ? 1e6 : at;
    int64_t fine = (int64_t)floor(at * 0x1p21) * (int64_t)t->size[k];
    int shift = 21 - bits;
    /* With bits: rounded to nearest in fixed point; without: the floor, which is the texel. */
    return (fine + (bits != 0 ? (int64_t)1 << (shift - 1) : 0)) >> shift;
}

/* Layers are clamped whatever the mode of the dimensions. */
static uint32_t
layer_of(const EmuTexture *t, uint32_t layer)
{
    return layer >= t->layers ? t->layers - (t->layers != 0) : layer;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Fetches by integer coordinates take texels as they are: no filter, and no normalisation of
 * coordinates. */
void
emu_texture_fetch(const EmuTexture *t, const int32_t *x, uint32_t layer, uint32_t out[4])
{
    int64_t at[3] = {0};
    for (int k = 0; k < 3; k++) {
        int64_t n = t->size[k];
        at[k] = n == 1 ? 0 : t->is_linear ? x[k] : address(x[k], n, mode_of(t, k));
    }
    at[0] = t->is_linear ? x[0] : at[0];
    read_texel(t, at, layer_of(t, layer), out);
}

/* The texels around a place and the weight of the upper ones, for each dimension. */
typedef struct {
    int64_t low[3], high[3];
    int weight[3]; /* of FRACTION */
} Corner;

static Corner
corner_of(const EmuTexture *t, int dims, int is_gather, const float *x)
{
    Corner c = {{0}, {0}, {0}};
    for (int k = 0; k < dims; k++) {
        /* Filtering is between texel centres, half a texel below the coordinate. */
        int64_t n = t->size[k], place = fixed_point(t, k, x[k], 8) - FRACTION / 2;
        unsigned mode = mode_of(t, k);
        if (mode == CLAMP && !is_gather) {
            /* Clamped before the split, so that the fraction vanishes at the edge and only one
             * texel is read. */
            place = place<0 ? 0 : place>(n - 1) * FRACTION ? (n - 1) * FRACTION : place;
        }
        int64_t i = place >> 8;
        c.weight[k] = (int)(place & (FRACTION - 1));
        c.low[k] = address(i, n, mode);
        c.high[k] = address(i + 1, n, mode);
    }
    return c;
}

/* Weights of the corners, x in the lowest bit of their number. They add up to FRACTION: it is split
 * along z, each part along x, and each of those along y, where the upper part is rounded. The split
 * rounds differently along each axis, as an H200 does. */
static void
weights_of(const Corner *c, int weight[8])
{
    for (int z = 0; z < 2; z++) {
        int slice = z ? c->weight[2] : FRACTION - c->weight[2];
        int upper = (slice * c->weight[0] + FRACTION / 2) >> 8;
        for (int x = 0; x < 2; x++) {
            int part = x ? upper : slice - upper;
            int y = (part * c->weight[1] + FRACTION / 2 - !x) >> 8;
            weight[4 * z + x] = part - y;
            weight[4 * z + 2 + x] = y;
        }
    }
}

/* A sum of numbers: they are cut to 4 bits below the last place of the largest, the sum is exact
 * and then rounded, halves away from zero. */
static float
blend_reals(const float value[8], const int weight[8], int bits)
{
    int exponent = -1000;
    double plain = 0, sum = 0;
    for (int i = 0; i < 8; i++) {
        int e;
        if (weight[i] != 0) {
            plain += weight[i] / (double)FRACTION * (double)value[i];
            (void)frexp((double)value[i], &e);
            exponent = value[i] != 0 && e > exponent ? e : exponent;
        }
    }
    if (!isfinite(plain) || exponent == -1000) {
        return (float)plain;
    }
    /* In units of the place 4 bits below the last of the largest texel. */
    for (int i = 0; i < 8; i++) {
        sum += weight[i] * trunc(ldexp((double)value[i], bits + 4 - exponent));
    }
    int e;
    /* The second rounding is to the 24 or 11 bits of the result. */
    double part = ldexp(frexp(sum, &e), bits);
    part = part < 0 ? ceil(part - 0.5) : floor(part + 0.5);
    return (float)ldexp(part, e - bits + exponent - bits - 4 - 8);
}

/* A sum of normalised integers: exact, then rounded to 16 bits. */
static float
blend_integers(const EmuTexture *t, const int64_t value[8], const int weight[8])
{
    int64_t one = one_of(t), wide = is_signed(t) ? 32767 : 65535, sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += weight[i] * value[i];
    }
    /* Rounds to nearest by adding one half before a floor division. */
    int64_t whole = 2 * one * FRACTION, part = 2 * sum * wide + one * FRACTION;
    int64_t rounded = part / whole - (part % whole < 0);
    rounded = rounded < -wide ? -wide : rounded;
    return (float)((double)rounded / (double)wide);
}

/* Eight corners in every case: in fewer dimensions the weights of the others are zero. */
static void
sample_linear(const EmuTexture *t, int dims, const float *x, uint32_t layer, uint32_t out[4])
{
    Corner c = corner_of(t, dims, 0, x);
    int weight[8];
    uint32_t raw[8][4] = {{0}};
    weights_of(&c, weight);
    for (int i = 0; i < 8; i++) {
        /* Texels without weight are not read, so neither their memory nor their NaN matters. */
        if (weight[i] != 0) {
            int64_t at[3];
            for (int k = 0; k < 3; k++) {
                at[k] = i >> k & 1 ? c.high[k] : c.low[k];
            }
            read_raw(t, at, layer, raw[i]);
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        int is_color = t->srgb && k < 3;
        float real[8];
        int64_t integer[8];
        for (int i = 0; i < 8; i++) {
            memcpy(&real[i], &raw[i][k], 4);
            real[i] = is_color ? linear_color(raw[i][k]) : flushed(real[i]);
            /* Real and normalised channels are gathered at once; only one of the two is used below.
             */
            integer[i] = is_real(t) ? 0 : weighed(t, raw[i][k], 1);
        }
        out[k] = k >= t->channels ? 0
                 : is_real(t) || is_color
                     ? bits_of(blend_reals(real, weight, t->format == F32 ? 24 : 11))
                     : bits_of(blend_integers(t, integer, weight));
    }
}

void
emu_texture_sample(const EmuTexture *t, int dims, const float *x, uint32_t layer, uint32_t out[4])
{
    layer = layer_of(t, layer);
    if (t->filter != 0) {
        /* Level of detail is ignored: mipmapped arrays are not supported, so every level is the
         * first. */
        sample_linear(t, dims, x, layer, out);
        return;
    }
    int64_t at[3] = {0};
    for (int k = 0; k < dims; k++) {
        at[k] = address(fixed_point(t, k, x[k], 0), t->size[k], mode_of(t, k));
    }
    read_texel(t, at, layer, out);
}

/* tld4: one component of the four texels that a linear filter would weigh. */
void
emu_texture_gather(const EmuTexture *t, const float *x, uint32_t layer, int component,
                   uint32_t out[4])
{
    /* In the order (low, high), (high, high), (high, low), (low, low) of (x, y). */
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    Corner c = corner_of(t, 2, 1, x);
    layer = layer_of(t, layer);
    for (int k = 0; k < 4; k++) {
        int64_t at[3] = {order[k][0] ? c.high[0] : c.low[0], order[k][1] ? c.high[1] : c.low[1], 0};
        uint32_t value[4];
        read_texel(t, at, layer, value);
        out[k] = value[component];
    }
}

/* OpenCL's numbers of channel types and orders, as PTX returns them. */
uint32_t
emu_texture_query(const EmuTexture *t, TexQuery query)
{
    static const uint32_t types[][3] = {
        {U8, 0x10d2, 0x10da},  {U16, 0x10d3, 0x10db}, {U32, 0x10dc, 0x10dc},  {S8, 0x10d0, 0x10d7},
        {S16, 0x10d1, 0x10d8}, {S32, 0x10d9, 0x10d9}, {HALF, 0x10dd, 0x10dd}, {F32, 0x10de, 0x10de},
    };
    switch (query) {
    case QUERY_WIDTH:
        return t->size[0];
    case QUERY_HEIGHT:
        return t->size[1];
    case QUERY_DEPTH:
        return t->size[2];
    case QUERY_CHANNEL_TYPE:
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (types[i][0] == t->format) {
                return types[i][1 + (t->as_integer || t->is_surface)];
            }
        }
        return 0;
    case QUERY_CHANNEL_ORDER:
        return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case QUERY_NORMALIZED:
        return t->normalized;
    case QUERY_MODE_0:
    case QUERY_MODE_1:
    case QUERY_MODE_2:
        return t->mode[query - QUERY_MODE_0];
    case QUERY_FILTER:
        return t->filter;
    case QUERY_ARRAY_SIZE:
        return t->layers;
    default:
        return 1;
    }
}
