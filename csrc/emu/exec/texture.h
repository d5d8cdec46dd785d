/* The sampler of textures: what texture instructions return. */
#ifndef EMU_TEXTURE_H
#define EMU_TEXTURE_H

#include "emu/exec/exec.h"

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
