/* Loading PTX: the public header of the front end.
 *
 * A text is read once and its variables are laid out (ptx_module.c, ptx_variables.c); the body of a
 * function is decoded when its attributes are asked for or it is launched (decode*.c).
 */
#ifndef EMU_PTX_H
#define EMU_PTX_H

#include "emu/emu.h"

/* ---- text collected while loading (log.c) ---------------------------------------------------- */

void emu_log_error(EmuLog *log, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- modules and their entries (ptx_module.c) ------------------------------------------------ */

/* Parses `text` (need not end in NUL) and lays out its globals in `memory`. Code is decoded at the
 * first launch or attribute query of each entry. Returns 0, 218 (INVALID_PTX), 222
 * (UNSUPPORTED_PTX_VERSION), 2 (OUT_OF_MEMORY); errors name line, text and opcode in `log`. */
CUresult emu_module_load(EmuModule **out, const char *text, size_t bytes, EmuMemory *memory,
                         EmuLog *log);
void emu_module_unload(EmuModule *module);
/* NULL when there is no such entry. The result lives as long as the module. */
EmuFunction *emu_module_function(EmuModule *module, const char *name);
size_t emu_module_function_count(const EmuModule *module);
EmuFunction *emu_module_function_at(EmuModule *module, size_t i);
/* Address and size of a .global or .const variable; returns 0 when there is none. */
int emu_module_global(EmuModule *module, const char *name, uint64_t *address, size_t *bytes);

typedef struct {
    const char *name;
    size_t params_count, params_bytes;
    size_t shared_bytes; /* static */
    size_t local_bytes;  /* per thread */
    size_t const_bytes;
    int registers;               /* as a compiler would report: an estimate, at most 255 */
    int max_threads;             /* .maxntid product, or 1024 */
    uint32_t cluster[3];         /* .reqnctapercluster, or zeros */
    int needs_cluster;           /* .explicitcluster: it must be launched with one */
    int ptx_version, sm_version; /* 90 for .version 9.0 and for sm_90 */
} EmuFunctionInfo;

/* Decodes the function if needed. Returns 0 or 218 with `log` filled. */
CUresult emu_function_info(EmuFunction *function, EmuFunctionInfo *info, EmuLog *log);
/* Offset and size of parameter `i` in the parameter buffer; returns 0 past the last. */
int emu_function_param(EmuFunction *function, size_t i, size_t *offset, size_t *bytes);

/* ---- finding PTX in what programs hand to cuModuleLoadData (fatbin.c) ------------------------ */

/* `image` is PTX text ending in NUL, a fatbin, a fatbin's wrapper, or an ELF cubin. Sets the text;
 * `owned` receives what the caller frees when the text had to be unpacked. Returns 0, 200
 * (neither), 209 (no PTX inside) with a line in `log`. */
CUresult emu_image_ptx(const void *image, const char **text, size_t *bytes, char **owned,
                       EmuLog *log);

enum { EMU_FATBIN_HEADER = 16 };
/* Whether a whole fatbin begins here and ends within `bytes` bytes, at least EMU_FATBIN_HEADER. */
int emu_fatbin_at(const void *at, size_t bytes);

#endif
