/* Entries that exist only to say NOT_SUPPORTED. Their parameters do not matter, so they are defined
 * without any; this file must not see the prototypes of driver.h.
 *
 * The addresses are also found by cuGetProcAddress (symbols.c). The calling convention lets the
 * caller clean up, so a function without parameters may be called with any. */
#include "emu/driver/unsupported.h"
#include "emu/emu.h"

#include <string.h>

void emu_report_unsupported(const char *name);

#define UNSUPPORTED(name)                                                                          \
    __attribute__((visibility("default"))) CUresult name(void);                                    \
    CUresult name(void)                                                                            \
    {                                                                                              \
        emu_report_unsupported(#name);                                                             \
        return 801;                                                                                \
    }
#include "emu/driver/unsupported.def"

EmuAnyFunction
emu_unsupported_find(const char *name)
{
    static const struct {
        const char *name;
        EmuAnyFunction function;
    } rows[] = {
#define UNSUPPORTED(symbol) {#symbol, (EmuAnyFunction)symbol},
#include "emu/driver/unsupported.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].function;
        }
    }
    return NULL;
}
