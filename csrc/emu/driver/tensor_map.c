/* cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapReplaceAddress: the demands that the
 * driver API's documentation makes, and the map that kernels read (emu.h).
 *
 * A tensor map describes a tensor in global memory for the tensor memory accelerator (PTX ISA,
 * cp.async.bulk.tensor). Real ones are opaque 128-byte structs; this one holds its fields in the
 * open, and exec/exec_tensor.c reads them. Nothing is looked up: the address may be allocated
 * later. */
#include "emu/driver/driver.h"

#include <string.h>

/* Counts of the enumerators that cuda.h defines. */
enum { INTERLEAVES = 3, SWIZZLES = 4, PROMOTIONS = 4 };
/* Limits that the documentation of cuTensorMapEncodeTiled states: boxes of 256 elements, traversal
 * strides of 8; a copy must fit the shared memory of a block. */
enum { MAX_BOX = 256, MAX_STEP = 8, MAX_PIXELS = 1024, MAX_BYTES = 228 << 10 };

/* What the two encoding functions have in common, so that both check alike. */
typedef struct {
    CUtensorMap *map;
    CUtensorMapDataType type;
    cuuint32_t rank;
    const void *address;
    const cuuint64_t *dims, *strides;
    const cuuint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
} Request;

/* Types are ordered with the floating-point ones last. */
static int
is_float(CUtensorMapDataType type)
{
    return type >= EMU_TENSOR_F16;
}

/* Addresses, and strides in bytes, are multiples of 16, or of 32 when the layout is interleaved
 * with 32 bytes. Strides are below 2^40 and sizes at most 2^32. */
static int
has_good_layout(const Request *r)
{
    unsigned align = r->interleave == 2 ? 32 : 16;
    if (r->map == NULL || r->dims == NULL || r->steps == NULL ||
        (uintptr_t)r->address % align != 0 || (uintptr_t)r->address >> 57 != 0 ||
        r->strides == NULL) {
        return 0;
    }
    for (unsigned i = 0; i < r->rank; i++) {
        if (r->dims[i] == 0 || r->dims[i] > (cuuint64_t)1 << 32 || r->steps[i] == 0 ||
            r->steps[i] > MAX_STEP) {
            return 0;
        }
        /* The innermost dimension has no stride: its elements are contiguous. */
        if (i > 0 && (r->strides[i - 1] % align != 0 || r->strides[i - 1] >= (cuuint64_t)1 << 40)) {
            return 0;
        }
    }
    return 1;
}

/* `inner`: elements of the innermost dimension that one copy takes. */
static int
is_good(const Request *r, cuuint32_t inner)
{
    /* NaN as a fill value exists for floating-point types only. */
    if (r->type < 0 || r->type >= EMU_TENSOR_TYPES || r->rank < 1 || r->rank > EMU_TENSOR_DIMS ||
        r->interleave < 0 || r->interleave >= INTERLEAVES || r->swizzle < 0 ||
        r->swizzle >= SWIZZLES || r->promotion < 0 || r->promotion >= PROMOTIONS || r->fill < 0 ||
        r->fill > 1 || (r->fill == 1 && !is_float(r->type)) || !has_good_layout(r)) {
        return 0;
    }
    if (r->interleave != 0) {
        return r->rank >= 3;
    }
    /* A swizzle permutes 16-byte units within its span, so the inner dimension may not be longer
     * than it. */
    static const uint8_t spans[SWIZZLES] = {0, 32, 64, 128};
    cuuint32_t bytes = inner * emu_tensor_bytes((unsigned)r->type);
    return bytes % 16 == 0 && (r->swizzle == 0 || bytes <= spans[r->swizzle]);
}

static EmuTensorMap
common_part(const Request *r)
{
    EmuTensorMap m = {
        .magic = EMU_TENSOR_MAGIC,
        .address = (uintptr_t)r->address,
        .rank = (uint8_t)r->rank,
        .type = (uint8_t)r->type,
        .interleave = (uint8_t)r->interleave,
        .swizzle = (uint8_t)r->swizzle,
        .nan_fill = (uint8_t)r->fill,
    };
    /* Sizes are stored less one, so that 2^32 fits 32 bits. */
    for (unsigned i = 0; i < r->rank; i++) {
        m.last[i] = (uint32_t)(r->dims[i] - 1);
        m.steps[i] = (uint8_t)r->steps[i];
        if (i > 0) {
            m.strides[i - 1] = r->strides[i - 1];
        }
    }
    return m;
}

/* Interleaved layouts (NC/8HWC8 and its kin) are not here. Checked last, so that wrong arguments
 * are told from a missing feature. */
static CUresult
deliver(CUtensorMap *to, const EmuTensorMap *m)
{
    if (m->interleave != 0) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    memset(to, 0, sizeof *to);
    memcpy(to, m, sizeof *m);
    return 0;
}

/* Called on the host without a context. The caller passes the map to a kernel by value. */
CUresult
cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                       const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                       const cuuint32_t *steps, CUtensorMapInterleave interleave,
                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                       CUtensorMapFloatOOBfill fill)
{
    EMU_TRY_ENTER(cuTensorMapEncodeTiled);
    Request r = {map,   type,       rank,    address,   dims, strides,
                 steps, interleave, swizzle, promotion, fill};
    if (box == NULL || rank < 1 || !is_good(&r, box[0])) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EmuTensorMap m = common_part(&r);
    uint64_t bytes = emu_tensor_bytes((unsigned)type);
    for (unsigned i = 0; i < rank; i++) {
        if (box[i] == 0 || box[i] > MAX_BOX) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        m.box[i] = (uint16_t)box[i];
        bytes *= box[i] / (i > 0 ? steps[i] : 1); /* cut, as the driver does it */
    }
    return bytes > MAX_BYTES ? CUDA_ERROR_INVALID_VALUE : deliver(map, &m);
}

/* Corners that the map's bits hold: 16 for one spatial dimension, 8 each for two, 5 for three.
 * Bounds of the box relative to the tensor's own corners, for the spatial dimensions: all but
 * channels and batch. */
static int
has_good_corners(const Request *r, const int *lower, const int *upper)
{
    static const int limits[] = {32768, 128, 16};
    unsigned spatial = r->rank - 2;
    for (unsigned i = 0; i < spatial; i++) {
        int limit = limits[spatial - 1];
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit ||
            (int32_t)(uint32_t)r->dims[i + 1] + (int64_t)upper[i] - lower[i] <= 0) {
            return 0;
        }
    }
    return 1;
}

/* In this mode a copy gathers `pixels` positions with `channels` elements each, as a convolution
 * needs them (PTX ISA, im2col mode). */
CUresult
cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                        const cuuint64_t *dims, const cuuint64_t *strides, const int *lower,
                        const int *upper, cuuint32_t channels, cuuint32_t pixels,
                        const cuuint32_t *steps, CUtensorMapInterleave interleave,
                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                        CUtensorMapFloatOOBfill fill)
{
    EMU_TRY_ENTER(cuTensorMapEncodeIm2col);
    Request r = {map,   type,       rank,    address,   dims, strides,
                 steps, interleave, swizzle, promotion, fill};
    uint64_t row = (uint64_t)channels * pixels;
    if (lower == NULL || upper == NULL || channels == 0 || channels > MAX_BOX || pixels == 0 ||
        pixels > MAX_PIXELS || rank < 3 || !is_good(&r, channels) ||
        !has_good_corners(&r, lower, upper) || row * emu_tensor_bytes((unsigned)type) > MAX_BYTES) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EmuTensorMap m = common_part(&r);
    m.is_columns = 1;
    m.box[0] = (uint16_t)channels;
    m.box[1] = (uint16_t)pixels;
    for (unsigned i = 0; i < rank - 2; i++) {
        m.lower[i] = (int16_t)lower[i];
        m.upper[i] = (int16_t)upper[i];
    }
    return deliver(map, &m);
}

/* Only a map that was encoded here can be changed; the magic number tells. */
CUresult
cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    EMU_TRY_ENTER(cuTensorMapReplaceAddress);
    EmuTensorMap m;
    if (map == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(&m, map, sizeof m);
    if (m.magic != EMU_TENSOR_MAGIC || (uintptr_t)address % (m.interleave == 2 ? 32 : 16) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    m.address = (uintptr_t)address;
    return deliver(map, &m);
}
