/* Sets of bytes that a piece of work read, wrote or changed atomically: bitmaps by page, found by a
 * hash of the page's address.
 *
 * A footprint belongs to one piece of work and is filled by the one worker that runs it, so it has
 * no lock. driver/order.c compares those of work that may run at the same time.
 */
#include "emu/check/check.h"

#include <stdlib.h>
#include <string.h>

/* Pages never move once they are made: callers keep pointers to them, and only the array of
 * pointers grows. */
struct EmuFootprint {
    EmuFootprintPage **pages; /* owned, in the order they came */
    size_t count, capacity;
    uint32_t *slots; /* index + 1 into pages; a power of two, at most half full */
    size_t nslots;
    /* Accesses go to the same page again and again. */
    EmuFootprintPage *last;
};

EmuFootprint *
emu_footprint_new(void)
{
    return calloc(1, sizeof(EmuFootprint));
}

void
emu_footprint_free(EmuFootprint *f)
{
    if (f != NULL) {
        for (size_t i = 0; i < f->count; i++) {
            free(f->pages[i]);
        }
        free(f->pages);
        free(f->slots);
        free(f);
    }
}

EmuFootprintPage *
emu_footprint_page(const EmuFootprint *f, size_t i)
{
    return i < f->count ? f->pages[i] : NULL;
}

/* Linear probing; the array is at most half full, so an empty slot always ends the search. */
static uint32_t *
slot_of(const EmuFootprint *f, uint64_t address)
{
    size_t at = (size_t)((address / EMU_FOOTPRINT_BYTES * 0x9e3779b97f4a7c15ull) >> 20);
    for (at &= f->nslots - 1; f->slots[at] != 0; at = (at + 1) & (f->nslots - 1)) {
        if (f->pages[f->slots[at] - 1]->address == address) {
            break;
        }
    }
    return &f->slots[at];
}

static int
grow(EmuFootprint *f)
{
    size_t capacity = f->capacity > 0 ? 2 * f->capacity : 16;
    EmuFootprintPage **pages = realloc(f->pages, capacity * sizeof *pages);
    uint32_t *slots = pages != NULL ? calloc(2 * capacity, sizeof *slots) : NULL;
    f->pages = pages != NULL ? pages : f->pages;
    if (slots == NULL) {
        return -1;
    }
    free(f->slots);
    f->capacity = capacity;
    f->slots = slots;
    f->nslots = 2 * capacity;
    for (size_t i = 0; i < f->count; i++) {
        *slot_of(f, f->pages[i]->address) = (uint32_t)i + 1;
    }
    return 0;
}

/* The page that starts at `address`; NULL without memory. */
static EmuFootprintPage *
page_of(EmuFootprint *f, uint64_t address)
{
    if (f->last != NULL && f->last->address == address) {
        return f->last;
    }
    if (f->count == f->capacity && grow(f) != 0) {
        return NULL;
    }
    uint32_t *slot = slot_of(f, address);
    if (*slot == 0) {
        EmuFootprintPage *page = calloc(1, sizeof *page);
        if (page == NULL) {
            return NULL;
        }
        page->address = address;
        f->pages[f->count++] = page;
        *slot = (uint32_t)f->count;
    }
    f->last = f->pages[*slot - 1];
    return f->last;
}

/* Whole words at a time: a line of lanes sets thousands of bits. */
static void
set_bits(uint64_t *words, uint32_t from, uint32_t to)
{
    for (uint32_t w = from / 64; w * 64 < to; w++) {
        uint64_t bits = ~0ull;
        if (w == from / 64) {
            bits &= ~0ull << (from % 64);
        }
        if (to - w * 64 < 64) {
            bits &= (1ull << (to - w * 64)) - 1;
        }
        words[w] |= bits;
    }
}

/* Adds a range of bytes, page by page. Called for each access of a watched launch and for each copy
 * and fill. */
void
emu_footprint_add(EmuFootprint *f, uint64_t address, uint64_t bytes, EmuTouch touch)
{
    uint64_t end = address + bytes;
    while (address < end) {
        uint64_t start = address / EMU_FOOTPRINT_BYTES * EMU_FOOTPRINT_BYTES;
        uint64_t stop = end < start + EMU_FOOTPRINT_BYTES ? end : start + EMU_FOOTPRINT_BYTES;
        EmuFootprintPage *page = page_of(f, start);
        if (page == NULL) {
            return; /* what is not kept cannot be in the way of anything */
        }
        set_bits(page->bits[touch], (uint32_t)(address - start), (uint32_t)(stop - start));
        address = stop;
    }
}
