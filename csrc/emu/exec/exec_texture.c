/* Texture and surface instructions, lane by lane. A texture's memory is looked up once for each
 * handle, so one whose array was freed is a fault; single texels need no check after that. The
 * checks on request (races, uninitialised bytes, order of streams) see each texel that was read.
 *
 * Handlers run on the worker that owns the block; the sampler (texture.c) is pure and knows nothing
 * of blocks. Objects belong to the driver and live until they are destroyed.
 */
#include "emu/exec/block.h"
#include "emu/exec/texture.h"

#include <pthread.h>
#include <string.h>

/* sured takes one lock for the whole process instead of atomic accesses: reductions of all kernels
 * are ordered among each other. */
static pthread_mutex_t reduction_lock = PTHREAD_MUTEX_INITIALIZER;

/* The object behind a lane's handle, or NULL after a fault. */
static const EmuTexture *
object_of(Block *b, const Instr *in, uint32_t lane, uint64_t handle, int is_surface)
{
    const EmuTexture *t = emu_texture_find(handle);
    const char *what = is_surface ? "surface" : "texture";
    uint64_t lo, hi;
    if (t == NULL || t->is_surface != is_surface) {
        emu_fault(b, in, (FaultWhat){EMU_FAULT_OUT_OF_BOUNDS, 700, (int)lane, handle},
                  "0x%llx is no %s object, or one that was destroyed", (unsigned long long)handle,
                  what);
        return NULL;
    }
    /* A handle outlives its array, so the memory is looked up each time it is used. */
    if (!emu_memory_find(b->launch->spec->memory, 0, t->address, &lo, &hi) ||
        t->address + t->bytes > hi) {
        emu_fault(b, in, (FaultWhat){EMU_FAULT_OUT_OF_BOUNDS, 700, (int)lane, t->address},
                  "the memory of the %s object 0x%llx was freed", what, (unsigned long long)handle);
        return NULL;
    }
    return t;
}

/* Rows of an instruction's sources; `at` counts from the first source. */
typedef struct {
    const void *row[EMU_OPERANDS];
    unsigned char *out[EMU_OPERANDS];
} Rows;

/* Rows are opened once for all lanes. Sources come first: opening a destination may drop a formula
 * that a source shares. */
static void
open_rows(Block *b, const Instr *in, Rows *rows)
{
    for (unsigned k = 0; k < in->ns; k++) {
        rows->row[k] = emu_row_read(b, b->regs + in->op[in->nd + k]);
    }
    for (unsigned k = 0; k < in->nd; k++) {
        rows->out[k] = emu_row_write(b, b->regs + in->op[k], (int)k);
    }
}

static void
close_rows(Block *b, const Instr *in)
{
    for (unsigned k = 0; k < in->nd; k++) {
        emu_row_commit(b, b->regs + in->op[k], (int)k);
    }
}

/* Coordinates and layers have 32 bits, whatever their type. */
static uint32_t
word_at(const Rows *rows, unsigned source, uint32_t i)
{
    return ((const uint32_t *)rows->row[source])[i];
}

/* Tells the checks of bytes that lane i of the group reached; NULL is outside. */
static int32_t
tell(Block *b, const Instr *in, uint32_t i, AccessKind kind, const unsigned char *at,
     unsigned bytes)
{
    Access access = {.in = in, .kind = kind, .bytes = bytes, .base = at, .only = (int32_t)i};
    return b->watch == NULL || at == NULL ? 0 : emu_observer(b)->access(b, &access);
}

/* A filtered read touches up to eight texels; each is an access of its own. */
static int32_t
tell_texels(Block *b, const Instr *in, uint32_t i, const EmuTexture *t, const EmuTexels *texels)
{
    for (unsigned k = 0; k < texels->count; k++) {
        if (tell(b, in, i, ACCESS_READ, texels->at[k], t->unit) != 0) {
            return EMU_EVENT_FAULT;
        }
    }
    return 0;
}

/* What one lane reads. The coordinates are words whose type the instruction says; the copies
 * reinterpret them. */
static void
sample(const TexOp *op, const EmuTexture *t, const uint32_t *bits, uint32_t layer, uint32_t *out)
{
    float x[3];
    int32_t index[3];
    memcpy(x, bits, sizeof x);
    memcpy(index, bits, sizeof index);
    if (!op->is_float) {
        emu_texture_fetch(t, index, layer, out);
    }
    else if (op->kind == TEXTURE_GATHER) {
        emu_texture_gather(t, x, layer, op->component, out);
    }
    else {
        emu_texture_sample(t, op->dims, x, layer, out);
    }
}

int32_t
emu_run_texture(Block *b, const Instr *in, int32_t pc)
{
    const TexOp *op = in->ptr;
    const EmuTexture *t = NULL;
    /* The handle of the lane before. */
    uint64_t known = 0;
    Rows rows;
    open_rows(b, in, &rows);
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t handle = ((const uint64_t *)rows.row[0])[i];
        uint32_t layer = 0, bits[3] = {0}, out[4];
        if (!emu_lane_active(b, b->lo + i)) {
            continue;
        }
        /* Lanes nearly always use one texture: the object and its memory are checked once. */
        if (t == NULL || handle != known) {
            t = object_of(b, in, b->lo + i, handle, 0);
            if (t == NULL) {
                return EMU_EVENT_FAULT;
            }
            known = handle;
        }
        if (op->layered) {
            layer = word_at(&rows, 1, i);
        }
        for (unsigned k = 0; k < op->dims; k++) {
            bits[k] = word_at(&rows, 1 + op->layered + k, i);
        }
        EmuTexels texels = {.count = 0};
        /* The sampler does not know of lanes and blocks; it notes what it read, and the checks are
         * told afterwards. */
        emu_texture_note(b->watch != NULL ? &texels : NULL);
        sample(op, t, bits, layer, out);
        emu_texture_note(NULL);
        if (tell_texels(b, in, i, t, &texels) != 0) {
            return EMU_EVENT_FAULT;
        }
        for (unsigned k = 0; k < 4; k++) {
            memcpy(rows.out[k] + 4 * (size_t)i, &out[k], 4);
        }
        /* tex with a destination predicate asks for residency of sparse textures. */
        if (op->has_predicate) {
            rows.out[4][i] = 1; /* all of the texture is resident */
        }
    }
    close_rows(b, in);
    return pc + 1;
}

/* txq and suq: nothing is read from the texture's memory. */
int32_t
emu_run_texture_query(Block *b, const Instr *in, int32_t pc)
{
    Rows rows;
    open_rows(b, in, &rows);
    for (uint32_t i = 0; i < b->n; i++) {
        if (emu_lane_active(b, b->lo + i)) {
            uint64_t handle = ((const uint64_t *)rows.row[0])[i];
            const EmuTexture *t = emu_texture_find(handle);
            if (t == NULL) {
                return emu_fault(
                    b, in, (FaultWhat){EMU_FAULT_OUT_OF_BOUNDS, 700, (int)(b->lo + i), handle},
                    "0x%llx is no texture or surface object", (unsigned long long)handle);
            }
            uint32_t value = emu_texture_query(t, (TexQuery)in->imm);
            memcpy(rows.out[0] + 4 * (size_t)i, &value, 4);
        }
    }
    close_rows(b, in);
    return pc + 1;
}

/* ---- surfaces -------------------------------------------------------------------------------- */

/* Where an access goes; NULL when the mode lets it vanish. *trapped when it is an error. */
static unsigned char *
surface_place(const EmuTexture *t, const TexOp *op, const int32_t at[3], uint32_t layer,
              int *trapped)
{
    /* Surface coordinates are bytes in x and elements in y and z (PTX ISA, suld). */
    int64_t bytes = op->values * op->bytes, row = (int64_t)t->size[0] * t->unit;
    int64_t place[3] = {at[0], op->dims > 1 ? at[1] : 0, op->dims > 2 ? at[2] : 0};
    /* The last valid start of an access in each dimension. */
    int64_t last[3] = {row - bytes, (int64_t)t->size[1] - 1, (int64_t)t->size[2] - 1};
    int64_t slice = layer;
    /* An access is aligned to its own size, vectors included. */
    *trapped = place[0] % bytes != 0 || bytes > row;
    for (int k = 0; k < 3; k++) {
        if (place[k] >= 0 && place[k] <= last[k]) {
            continue;
        }
        /* .trap faults, .zero reads zeros and drops writes, .clamp moves the access to the edge. */
        if (op->mode != SURFACE_CLAMP) {
            *trapped |= op->mode == SURFACE_TRAP;
            return NULL;
        }
        /* Clamped to the last whole access of the row: x counts bytes, so it stays aligned. */
        place[k] = place[k] < 0 ? 0 : last[k];
    }
    if (op->layered && slice >= (int64_t)t->layers) {
        *trapped |= op->mode == SURFACE_TRAP;
        if (op->mode != SURFACE_CLAMP) {
            return NULL;
        }
        slice = (int64_t)t->layers - 1;
    }
    if (*trapped) {
        return NULL;
    }
    /* Layers and slices of a volume lie in memory alike. */
    slice = op->layered ? slice : place[2];
    return (unsigned char *)(uintptr_t)t->address + slice * (int64_t)t->slice +
           place[1] * (int64_t)t->pitch + place[0];
}

/* sured.b on raw words; the sum wraps. */
static uint64_t
combine(const TexOp *op, uint64_t a, uint64_t c)
{
    int64_t x = op->bytes == 4 ? (int32_t)a : (int64_t)a,
            y = op->bytes == 4 ? (int32_t)c : (int64_t)c;
    switch (op->reduction) {
    case REDUCE_MIN:
        return op->is_signed ? (x < y ? a : c) : (a < c ? a : c);
    case REDUCE_MAX:
        return op->is_signed ? (x > y ? a : c) : (a > c ? a : c);
    case REDUCE_AND:
        return a & c;
    case REDUCE_OR:
        return a | c;
    default:
        return a + c;
    }
}

/* One element of one lane; the old value is not returned. */
static void
reduce(const TexOp *op, unsigned char *place, const unsigned char *value)
{
    /* Words of 4 and 8 bytes in one variable: little-endian hosts only, like all of the machine. */
    uint64_t a = 0, c = 0;
    pthread_mutex_lock(&reduction_lock);
    memcpy(&a, place, op->bytes);
    memcpy(&c, value, op->bytes);
    a = combine(op, a, c);
    memcpy(place, &a, op->bytes);
    pthread_mutex_unlock(&reduction_lock);
}

/* Moves the values of one lane; `place` is NULL outside: zeros are read, nothing is written. */
static void
move_values(const TexOp *op, const Rows *rows, unsigned char *place, uint32_t i)
{
    size_t lane = op->bytes == 1 ? 2 : op->bytes; /* bytes travel in registers of 16 bits */
    for (unsigned k = 0; k < op->values; k++) {
        if (op->kind == SURFACE_LOAD) {
            unsigned char *out = rows->out[k] + lane * i;
            memset(out, 0, lane);
            if (place != NULL) {
                memcpy(out, place + (size_t)k * op->bytes, op->bytes);
            }
        }
        else if (place != NULL) {
            const unsigned char *value = (const unsigned char *)rows->row[k] + lane * i;
            if (op->kind == SURFACE_REDUCE) {
                reduce(op, place, value);
            }
            else {
                memcpy(place + (size_t)k * op->bytes, value, op->bytes);
            }
        }
    }
}

/* Loads, stores and reductions share the way to the place; they differ in what is moved and what
 * the observer is told. */
int32_t
emu_run_surface(Block *b, const Instr *in, int32_t pc)
{
    const TexOp *op = in->ptr;
    unsigned first = op->kind == SURFACE_LOAD ? 0 : op->values; /* the handle's source */
    AccessKind kind = op->kind == SURFACE_LOAD     ? ACCESS_READ
                      : op->kind == SURFACE_REDUCE ? ACCESS_ATOMIC
                                                   : ACCESS_WRITE;
    Rows rows;
    open_rows(b, in, &rows);
    for (uint32_t i = 0; i < b->n; i++) {
        int32_t at[3] = {0};
        int trapped = 0;
        if (!emu_lane_active(b, b->lo + i)) {
            continue;
        }
        uint64_t handle = ((const uint64_t *)rows.row[first])[i];
        const EmuTexture *t = object_of(b, in, b->lo + i, handle, 1);
        if (t == NULL) {
            return EMU_EVENT_FAULT;
        }
        uint32_t layer = op->layered ? word_at(&rows, first + 1, i) : 0;
        for (unsigned k = 0; k < op->dims; k++) {
            at[k] = (int32_t)word_at(&rows, first + 1 + op->layered + k, i);
        }
        unsigned char *place = surface_place(t, op, at, layer, &trapped);
        if (trapped) {
            return emu_fault(
                b, in, (FaultWhat){EMU_FAULT_OUT_OF_BOUNDS, 700, (int)(b->lo + i), handle},
                "surface access of %u bytes at byte %d, row %d, slice %d (layer %u), outside of "
                "%u x %u x %u elements of %u bytes, or misaligned",
                op->values * op->bytes, at[0], at[1], at[2], layer, t->size[0], t->size[1],
                t->size[2], t->unit);
        }
        if (tell(b, in, i, kind, place, op->values * op->bytes) != 0) {
            return EMU_EVENT_FAULT;
        }
        move_values(op, &rows, place, i);
    }
    if (op->kind != SURFACE_LOAD) {
        b->progress_count++;
    }
    close_rows(b, in);
    return pc + 1;
}
