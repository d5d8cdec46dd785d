/* Checks of launches, off unless asked for: the public header of the observers.
 *
 * The machine knows them by the function pointers of EmuObserver (exec/block.h); the driver hands
 * them over with each launch and reads what a launch touched.
 */
#ifndef EMU_CHECK_H
#define EMU_CHECK_H

#include "emu/emu.h"

/* All checks; EmuLaunch.checks says which of them a launch asks for (check.c). */
extern const EmuObserver emu_check_observer;

/* ---- what a piece of work touched (check_footprint.c) ---------------------------------------- */

/* A set of bytes, by pages of EMU_FOOTPRINT_BYTES; three bits for each. One thread at a time. */
enum { EMU_FOOTPRINT_BYTES = 4096, EMU_FOOTPRINT_WORDS = EMU_FOOTPRINT_BYTES / 64 };
typedef enum { EMU_TOUCH_READ, EMU_TOUCH_WRITE, EMU_TOUCH_ATOMIC, EMU_TOUCHES } EmuTouch;

typedef struct {
    uint64_t address; /* of its first byte */
    uint64_t bits[EMU_TOUCHES][EMU_FOOTPRINT_WORDS];
} EmuFootprintPage;

EmuFootprint *emu_footprint_new(void);
void emu_footprint_free(EmuFootprint *footprint);
void emu_footprint_add(EmuFootprint *footprint, uint64_t address, uint64_t bytes, EmuTouch touch);
/* The pages, in no order; the footprint keeps owning them. NULL past the last. */
EmuFootprintPage *emu_footprint_page(const EmuFootprint *footprint, size_t i);

#endif
