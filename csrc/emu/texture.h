/* Texture and surface instructions, between the decoder, the handlers and the sampler. */
#ifndef EMU_TEXTURE_H
#define EMU_TEXTURE_H

#include "emu.h"

typedef enum {
    TEXTURE_SAMPLE,
    TEXTURE_GATHER,
    SURFACE_LOAD,
    SURFACE_STORE,
    SURFACE_REDUCE
} TexKind;
typedef enum { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO } SurfaceMode;
typedef enum { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR } SurfaceReduction;

typedef enum {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_CHANNEL_TYPE,
    QUERY_CHANNEL_ORDER,
    QUERY_NORMALIZED,
    QUERY_MODE_0,
    QUERY_MODE_1,
    QUERY_MODE_2,
    QUERY_FILTER,
    QUERY_LEVELS,
    QUERY_SAMPLES,
    QUERY_ARRAY_SIZE
} TexQuery;

/* One instruction. Operands: destinations (and the predicate), then the values of a store, the
 * handle, the layer when there are layers, the coordinates. */
typedef struct {
    TexKind kind;
    uint8_t dims, layered;
    uint8_t is_float;  /* coordinates are f32, else s32 */
    uint8_t component; /* of a gather */
    uint8_t values;    /* of a surface access: elements, and bytes of each */
    uint8_t bytes;
    uint8_t has_predicate, is_signed;
    SurfaceMode mode;
    SurfaceReduction reduction;
} TexOp;

/* Four words as the instruction returns them: integers, or the bits of f32. Coordinates are in
 * `x`; `layer` counts when the texture has layers. */
void emu_texture_sample(const EmuTexture *t, int dims, const float *x, uint32_t layer,
                        uint32_t out[4]);
/* The same by whole elements, without filter or normalised coordinates. */
void emu_texture_fetch(const EmuTexture *t, const int32_t *x, uint32_t layer, uint32_t out[4]);
/* One component of the four texels that a linear filter would weigh. */
void emu_texture_gather(const EmuTexture *t, const float *x, uint32_t layer, int component,
                        uint32_t out[4]);
/* Where texels were read: at most eight of a linear filter in three dimensions. */
enum { EMU_TEXELS = 8 };
typedef struct {
    const unsigned char *at[EMU_TEXELS];
    unsigned count;
} EmuTexels;
/* The calling thread's reads are noted there from now on, until NULL is given. */
void emu_texture_note(EmuTexels *texels);
uint32_t emu_texture_query(const EmuTexture *t, TexQuery query);

#endif
