/* Reading textures: where a coordinate falls, what lies outside, how texels become results, and how
 * a linear filter weighs them. CUDA C++ Programming Guide, "Texture Fetching"; PTX ISA,
 * "Texture Instructions". */
#include "texture.h"

#include <math.h>
#include <string.h>

enum { WRAP, CLAMP, MIRROR, BORDER };
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

#define FRACTION 256 /* coordinates and weights have 8 bits behind the point */

/* ---- texels --------------------------------------------------------------------------------- */

static float
half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
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

static float
srgb_to_linear(float v)
{
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

/* One channel as it is stored, widened to a word. */
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

/* A stored channel as a number. */
static float
channel_value(const EmuTexture *t, uint32_t raw, int is_color)
{
    float value;
    switch (t->format) {
    case U8:
        value = (float)raw / 255.0f;
        return t->srgb && is_color ? srgb_to_linear(value) : value;
    case S8:
        value = (float)(int32_t)raw / 127.0f;
        return value < -1 ? -1 : value;
    case U16:
        return (float)raw / 65535.0f;
    case S16:
        value = (float)(int32_t)raw / 32767.0f;
        return value < -1 ? -1 : value;
    default:
        memcpy(&value, &raw, 4);
        return value;
    }
}

/* A texel that lies inside, or NULL. */
static const unsigned char *
texel(const EmuTexture *t, const int64_t at[3], uint32_t layer)
{
    for (int k = 0; k < 3; k++) {
        if (at[k] < 0 || at[k] >= (int64_t)t->size[k]) {
            return NULL;
        }
    }
    uint64_t slice = t->layers != 0 ? layer : (uint64_t)at[2];
    return (const unsigned char *)(uintptr_t)t->address + slice * t->slice +
           (uint64_t)at[1] * t->pitch + (uint64_t)at[0] * t->unit;
}

/* Four channels: those there are, then 0, 0 and 1. Outside: the border. */
static void
read_raw(const EmuTexture *t, const int64_t at[3], uint32_t layer, uint32_t out[4])
{
    const unsigned char *p = texel(t, at, layer);
    size_t bytes = t->unit / t->channels;
    for (unsigned k = 0; k < 4; k++) {
        if (k >= t->channels) {
            out[k] = k < 3 ? 0 : t->as_integer ? 1 : bits_of(1);
        }
        else if (p != NULL) {
            out[k] = raw_channel(t, p + k * bytes);
            if (!t->as_integer) {
                out[k] = bits_of(channel_value(t, out[k], k < 3));
            }
        }
        else if (t->is_linear) {
            out[k] = 0;
        }
        else {
            out[k] = bits_of(t->border[k]);
        }
    }
}

/* ---- coordinates ---------------------------------------------------------------------------- */

/* The index a dimension's mode makes of one outside; -1 stays outside. */
static int64_t
address(int64_t i, int64_t n, unsigned mode)
{
    if (i >= 0 && i < n) {
        return i;
    }
    switch (mode) {
    case WRAP:
        i %= n;
        return i < 0 ? i + n : i;
    case MIRROR:
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

/* The coordinate in texels, with 8 bits behind the point. */
static int64_t
fixed_point(const EmuTexture *t, int k, float x)
{
    double n = t->size[k], at = x;
    if (isnan(at)) {
        return 0;
    }
    if (t->normalized) {
        if (mode_of(t, k) == WRAP) {
            at -= floor(at);
        }
        else if (mode_of(t, k) == MIRROR) {
            at -= 2 * floor(at / 2);
        }
        at *= n;
    }
    at = at < -1e9 ? -1e9 : at > 1e9 ? 1e9 : at;
    return (int64_t)floor(at * FRACTION + 0.5);
}

static uint32_t
layer_of(const EmuTexture *t, uint32_t layer)
{
    int32_t signed_layer = (int32_t)layer;
    return signed_layer < 0 ? 0 : layer >= t->layers ? t->layers - (t->layers != 0) : layer;
}

/* ---- reading -------------------------------------------------------------------------------- */

void
emu_texture_fetch(const EmuTexture *t, const int32_t *x, uint32_t layer, uint32_t out[4])
{
    int64_t at[3] = {0};
    for (int k = 0; k < 3; k++) {
        int64_t n = t->size[k];
        at[k] = n == 1 ? 0 : t->is_linear ? x[k] : address(x[k], n, mode_of(t, k));
    }
    at[0] = t->is_linear ? x[0] : at[0];
    read_raw(t, at, layer_of(t, layer), out);
}

/* The texels around a place and the weight of the upper ones, for each dimension. */
typedef struct {
    int64_t low[3], high[3];
    int weight[3]; /* of FRACTION */
} Corner;

static Corner
corner_of(const EmuTexture *t, int dims, const float *x)
{
    Corner c = {{0}, {0}, {0}};
    for (int k = 0; k < dims; k++) {
        int64_t n = t->size[k], place = fixed_point(t, k, x[k]) - FRACTION / 2;
        int64_t i = place >> 8;
        c.weight[k] = (int)(place & (FRACTION - 1));
        c.low[k] = address(i, n, mode_of(t, k));
        c.high[k] = address(i + 1, n, mode_of(t, k));
    }
    return c;
}

static void
sample_linear(const EmuTexture *t, int dims, const float *x, uint32_t layer, uint32_t out[4])
{
    Corner c = corner_of(t, dims, x);
    double sum[4] = {0};
    for (int corner = 0; corner < 1 << dims; corner++) {
        int64_t at[3] = {0};
        uint32_t value[4];
        double weight = 1;
        for (int k = 0; k < dims; k++) {
            int upper = corner >> k & 1;
            at[k] = upper ? c.high[k] : c.low[k];
            weight *= (upper ? c.weight[k] : FRACTION - c.weight[k]) / (double)FRACTION;
        }
        if (weight == 0) {
            continue;
        }
        read_raw(t, at, layer, value);
        for (int k = 0; k < 4; k++) {
            float v;
            memcpy(&v, &value[k], 4);
            sum[k] += weight * (double)v;
        }
    }
    for (int k = 0; k < 4; k++) {
        out[k] = bits_of((float)sum[k]);
    }
}

void
emu_texture_sample(const EmuTexture *t, int dims, const float *x, uint32_t layer, uint32_t out[4])
{
    layer = layer_of(t, layer);
    if (t->filter != 0) {
        sample_linear(t, dims, x, layer, out);
        return;
    }
    int64_t at[3] = {0};
    for (int k = 0; k < dims; k++) {
        double n = t->size[k], place = isnan(x[k]) ? 0 : x[k];
        unsigned mode = mode_of(t, k);
        if (t->normalized) {
            place = (mode == WRAP     ? place - floor(place)
                     : mode == MIRROR ? place - 2 * floor(place / 2)
                                      : place) *
                    n;
        }
        place = place < -1e9 ? -1e9 : place > 1e9 ? 1e9 : place;
        at[k] = address((int64_t)floor(place), (int64_t)n, mode);
    }
    read_raw(t, at, layer, out);
}

void
emu_texture_gather(const EmuTexture *t, const float *x, uint32_t layer, int component,
                   uint32_t out[4])
{
    /* In the order (low, high), (high, high), (high, low), (low, low) of (x, y). */
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    Corner c = corner_of(t, 2, x);
    layer = layer_of(t, layer);
    for (int k = 0; k < 4; k++) {
        int64_t at[3] = {order[k][0] ? c.high[0] : c.low[0], order[k][1] ? c.high[1] : c.low[1], 0};
        uint32_t value[4];
        read_raw(t, at, layer, value);
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
