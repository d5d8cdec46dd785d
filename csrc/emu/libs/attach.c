/* The driver, BLAS and LAPACK, which gpunp passes to the emulated libraries.
 *
 * The emulations are a shared object of their own, which links nothing: lib/emulated.c hands it
 * what it calls, by name, before its first use.
 */
#include "emu/libs/libs.h"

#include <stddef.h>
#include <string.h>

EmuMath emu_math;

/* Called by lib/emulated.c with the GIL, before the first call of any library, so the table
 * needs no lock. An unknown name means that the two sides were built from different tables. */
EXPORT int
cuEmuMathSet(const char *name, void *pointer)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
#define DRIVER(name, params) {#name, offsetof(EmuMath, name)},
#define EMULATOR(name, field, params) {#name, offsetof(EmuMath, name)},
#define BLAS(name, params) {#name, offsetof(EmuMath, name)},
#define LAPACK(name, params) {#name, offsetof(EmuMath, name)},
#include "tables/emu_math.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            memcpy((char *)&emu_math + rows[i].offset, &pointer, sizeof pointer);
            return 0;
        }
    }
    return -1;
}

int
emu_math_property(libraryPropertyType type, const int version[3], int *value)
{
    if (value == NULL || type < 0 || type > 2) {
        return -1;
    }
    *value = version[type];
    return 0;
}
