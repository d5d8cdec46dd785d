/* Finding PTX in what programs hand to cuModuleLoadData. */
#ifndef EMU_FATBIN_H
#define EMU_FATBIN_H

#include "emu/emu.h"

/* `image` is PTX text ending in NUL, a fatbin, a fatbin's wrapper, or an ELF cubin. Sets the text;
 * `owned` receives what the caller frees when the text had to be unpacked. Returns 0, 200
 * (neither), 209 (no PTX inside) with a line in `log`. */
CUresult emu_image_ptx(const void *image, const char **text, size_t *bytes, char **owned,
                       EmuLog *log);

enum { EMU_FATBIN_HEADER = 16 };
/* Whether a whole fatbin begins here and ends within `bytes` bytes, at least EMU_FATBIN_HEADER. */
int emu_fatbin_at(const void *at, size_t bytes);

#endif
