/* What device code may ask the system for: printf, assert, malloc and free. Their arguments lie in
 * the caller's local memory at in->imm, one 16-byte slot each, the result behind them.
 *
 * Handlers run on the block's worker. The print buffer is the launch's and guarded by launch.lock;
 * the heap has its own lock in the driver (driver/memory.c).
 */
#include "emu/exec/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stride of arguments: enough for any scalar, aligned for all of them. */
#define SLOT 16
#define SPEC_BYTES 48

static uint64_t
argument(Block *b, const Instr *in, uint32_t lane, unsigned k)
{
    uint64_t v = 0;
    emu_local_copy(b, lane, b->frame->local_base + (uint64_t)in->imm + SLOT * k, &v, sizeof v);
    return v;
}

/* The callee's return parameter; the observer must learn of the write, since no instruction made
 * it. */
static void
give_result(Block *b, const Instr *in, uint32_t lane, uint64_t v)
{
    uint64_t at = b->frame->local_base + (uint64_t)in->imm + (uint64_t)in->target;
    if (at <= b->local_bytes && sizeof v <= b->local_bytes - at) {
        memcpy(b->local + (size_t)lane * b->local_bytes + at, &v, sizeof v);
        if (b->watch != NULL) {
            emu_observer(b)->written(b, lane, at, sizeof v);
        }
    }
}

/* Copies bytes at a generic address; returns how many could be read. Pointers in arguments are the
 * program's own and may be wrong: reading stops at the end of the span instead of faulting. */
static size_t
read_generic(Block *b, uint32_t lane, uint64_t address, void *out, size_t bytes)
{
    uint64_t lo, hi;
    memset(out, 0, bytes);
    if (address >= EMU_LOCAL_WINDOW && address < EMU_PARAM_WINDOW) {
        emu_local_copy(b, lane, address - EMU_LOCAL_WINDOW, out, bytes);
        return bytes;
    }
    if (address >= EMU_SHARED_WINDOW && address < EMU_LOCAL_WINDOW) {
        uint64_t at = address - EMU_SHARED_WINDOW;
        bytes = at >= b->shared_bytes          ? 0
                : at + bytes > b->shared_bytes ? b->shared_bytes - at
                                               : bytes;
        memcpy(out, b->shared + at, bytes);
        return bytes;
    }
    if (!emu_memory_find(b->launch->spec->memory, 0, address, &lo, &hi)) {
        return 0;
    }
    bytes = address + bytes > hi ? (size_t)(hi - address) : bytes;
    memcpy(out, (const void *)(uintptr_t)address, bytes);
    return bytes;
}

/* Byte by byte, so a text that ends just before the end of an allocation is read whole. */
static void
read_text(Block *b, uint32_t lane, uint64_t address, char *out, size_t capacity)
{
    size_t n = 0;
    while (n + 1 < capacity && read_generic(b, lane, address + n, out + n, 1) == 1 &&
           out[n] != '\0') {
        n++;
    }
    out[n] = '\0';
}

/* ---- printf ---------------------------------------------------------------------------------- */

/* Called with launch.lock held. */
static void
print_text(Launch *launch, const char *text, size_t n)
{
    /* CU_LIMIT_PRINTF_FIFO_SIZE; what does not fit is dropped. */
    size_t limit = launch->spec->printf_bytes > 0 ? launch->spec->printf_bytes : 1u << 20;
    if (launch->print_used + n > limit) {
        n = launch->print_used < limit ? limit - launch->print_used : 0;
    }
    if (n == 0) { /* there may be no buffer yet */
        return;
    }
    if (launch->print_used + n > launch->print_capacity) {
        /* Geometric growth keeps the cost per character constant; without memory the text is lost,
         * the kernel is not. */
        size_t capacity = 2 * (launch->print_used + n) + 256;
        char *more = realloc(launch->print, capacity);
        if (more == NULL) {
            return;
        }
        launch->print = more;
        launch->print_capacity = capacity;
    }
    memcpy(launch->print + launch->print_used, text, n);
    launch->print_used += n;
}

typedef struct {
    Block *b;
    uint32_t lane;
    uint64_t at; /* where the next argument lies */
    int count;
} Arguments;

static uint64_t
next_argument(Arguments *a, size_t bytes)
{
    uint64_t v = 0;
    /* Variable arguments are laid out as C promotes them, each aligned to its size. */
    a->at = (a->at + bytes - 1) / bytes * bytes;
    read_generic(a->b, a->lane, a->at, &v, bytes);
    a->at += bytes;
    a->count++;
    return v;
}

/* The argument of an integer conversion, cut to its length and extended to 64 bits. */
static long long
next_integer(Arguments *a, int is_signed, int longs, int shorts)
{
    if (longs) {
        return (long long)next_argument(a, 8);
    }
    uint32_t v = (uint32_t)next_argument(a, 4);
    if (is_signed) {
        return shorts > 1 ? (int8_t)v : shorts ? (int16_t)v : (int32_t)v;
    }
    return shorts > 1 ? (uint8_t)v : shorts ? (uint16_t)v : v;
}

/* Formats one conversion, "%-8.3llf" say; returns the characters of the format it took. */
static size_t
convert(Arguments *a, const char *format, char *out, size_t capacity)
{
    char spec[SPEC_BYTES], text[256];
    size_t n = 1, used = 0;
    int longs = 0, shorts = 0;
    spec[used++] = '%';
    /* The margin is for the length and the conversion that follow. */
    while (format[n] != '\0' && strchr("-+ #0123456789.*", format[n]) != NULL &&
           used < SPEC_BYTES - 16) {
        if (format[n] == '*') {
            used += (size_t)snprintf(spec + used, 12, "%d", (int)(int32_t)next_argument(a, 4));
        }
        else {
            spec[used++] = format[n];
        }
        n++;
    }
    while (format[n] == 'l' || format[n] == 'h' || format[n] == 'z' || format[n] == 'j' ||
           format[n] == 't') {
        /* On the device long has 64 bits, as do size_t, intmax_t and ptrdiff_t. */
        longs += format[n] != 'h';
        shorts += format[n] == 'h';
        n++;
    }
    char c = format[n];
    if (c == '\0') {
        out[0] = '\0';
        return n;
    }
    n++;
    switch (c) {
    case '%':
        snprintf(out, capacity, "%%");
        break;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        /* The host's printf gets every integer as long long, already cut to the length that the
         * kernel's format says. */
        memcpy(spec + used, "ll", 2);
        spec[used + 2] = c;
        spec[used + 3] = '\0';
        snprintf(out, capacity, spec, next_integer(a, c == 'd' || c == 'i', longs, shorts));
        break;
    case 'c':
        spec[used] = 'c';
        spec[used + 1] = '\0';
        snprintf(out, capacity, spec, (int)next_argument(a, 4));
        break;
    case 's':
        read_text(a->b, a->lane, next_argument(a, 8), text, sizeof text);
        spec[used] = 's';
        spec[used + 1] = '\0';
        snprintf(out, capacity, spec, text);
        break;
    case 'p':
        /* With 0x, whatever the host's %p does. */
        snprintf(out, capacity, "0x%llx", (unsigned long long)next_argument(a, 8));
        break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
        uint64_t bits = next_argument(a, 8);
        double v;
        memcpy(&v, &bits, sizeof v);
        spec[used] = c;
        spec[used + 1] = '\0';
        snprintf(out, capacity, spec, v);
        break;
    }
    default:
        snprintf(out, capacity, "%.*s", (int)n, format);
    }
    return n;
}

/* Returns the number of arguments, which is what the device's printf returns, not of characters as
 * in C. */
static int
print_lane(Block *b, const Instr *in, uint32_t lane)
{
    /* Longer formats and conversions are cut. */
    char format[1024], piece[512];
    read_text(b, lane, argument(b, in, lane, 0), format, sizeof format);
    Arguments a = {b, lane, argument(b, in, lane, 1), 0};
    for (const char *p = format; *p != '\0';) {
        size_t plain = strcspn(p, "%");
        if (plain > 0) {
            print_text(b->launch, p, plain);
            p += plain;
            continue;
        }
        p += convert(&a, p, piece, sizeof piece);
        print_text(b->launch, piece, strlen(piece));
    }
    return a.count;
}

int32_t
emu_run_printf(Block *b, const Instr *in, int32_t pc)
{
    /* One lock for the warp: the texts of its threads stay together, in the order of lanes. */
    pthread_mutex_lock(&b->launch->lock);
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        if (emu_lane_active(b, lane)) {
            give_result(b, in, lane, (uint64_t)print_lane(b, in, lane));
        }
    }
    pthread_mutex_unlock(&b->launch->lock);
    return pc + 1;
}

/* ---- assert, malloc, free -------------------------------------------------------------------- */

/* The group's first lane reports for all. Arguments are those of __assertfail: message, file, line,
 * function. */
int32_t
emu_run_assert(Block *b, const Instr *in, int32_t pc)
{
    char message[160], file[160], function[160];
    (void)pc;
    read_text(b, b->lo, argument(b, in, b->lo, 0), message, sizeof message);
    read_text(b, b->lo, argument(b, in, b->lo, 1), file, sizeof file);
    read_text(b, b->lo, argument(b, in, b->lo, 3), function, sizeof function);
    return emu_fault(b, in, (FaultWhat){EMU_FAULT_ASSERT, 710, (int)b->lo, 0},
                     "%s:%u: %s: assertion `%s` failed", file, (unsigned)argument(b, in, b->lo, 2),
                     function, message);
}

int32_t
emu_run_malloc(Block *b, const Instr *in, int32_t pc)
{
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        if (emu_lane_active(b, lane)) {
            uint64_t bytes = argument(b, in, lane, 0);
            /* CU_LIMIT_MALLOC_HEAP_SIZE has 8 MiB as its default. */
            size_t limit = b->launch->spec->heap_bytes > 0 ? b->launch->spec->heap_bytes : 8u << 20;
            give_result(b, in, lane,
                        emu_memory_heap_alloc(b->launch->spec->memory, (size_t)bytes, limit,
                                              b->launch->spec->print_context));
        }
    }
    return pc + 1;
}

/* free(NULL) does nothing. */
int32_t
emu_run_free(Block *b, const Instr *in, int32_t pc)
{
    for (uint32_t lane = b->lo; lane < b->lo + b->n; lane++) {
        uint64_t address = emu_lane_active(b, lane) ? argument(b, in, lane, 0) : 0;
        if (address != 0 && emu_memory_heap_free(b->launch->spec->memory, address) != 0) {
            char where[400];
            emu_memory_describe(b->launch->spec->memory, address, where, sizeof where);
            return emu_fault(b, in, (FaultWhat){EMU_FAULT_HEAP, 719, (int)lane, address},
                             "free of 0x%llx, which malloc has not given or was freed before (%s)",
                             (unsigned long long)address, where);
        }
    }
    /* A freed block may be in the cache of live spans. Other blocks keep theirs. */
    memset(b->cache, 0, sizeof b->cache);
    return pc + 1;
}
