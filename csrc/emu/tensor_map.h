/* Tensor maps: what cuTensorMapEncode* writes into a program's 128 bytes and cp.async.bulk.tensor
 * reads. The format is this library's own, as the driver's is NVIDIA's. */
#ifndef EMU_TENSOR_MAP_H
#define EMU_TENSOR_MAP_H

#include "emu.h"

#define EMU_TENSOR_DIMS 5
#define EMU_TENSOR_BYTES 128 /* of a map */
#define EMU_TENSOR_MAGIC 0x70616d2d75706e67ull

/* In the order of CUtensorMapDataType. */
typedef enum {
    EMU_TENSOR_U8,
    EMU_TENSOR_U16,
    EMU_TENSOR_U32,
    EMU_TENSOR_S32,
    EMU_TENSOR_U64,
    EMU_TENSOR_S64,
    EMU_TENSOR_F16,
    EMU_TENSOR_F32,
    EMU_TENSOR_F64,
    EMU_TENSOR_BF16,
    EMU_TENSOR_F32_FLUSHED,
    EMU_TENSOR_TF32,
    EMU_TENSOR_TF32_FLUSHED,
    EMU_TENSOR_TYPES
} EmuTensorType;

typedef struct {
    uint64_t magic, address;
    uint64_t strides[EMU_TENSOR_DIMS - 1]; /* bytes, from dimension 1 on */
    uint32_t last[EMU_TENSOR_DIMS];        /* size - 1: sizes reach 2^32 */
    uint16_t box[EMU_TENSOR_DIMS];         /* of columns: channels, pixels */
    uint8_t steps[EMU_TENSOR_DIMS];
    uint8_t rank, type, interleave, swizzle;
    uint8_t nan_fill, is_columns;
    int16_t lower[3], upper[3]; /* corners of columns, innermost first */
} EmuTensorMap;

_Static_assert(sizeof(EmuTensorMap) <= EMU_TENSOR_BYTES, "a tensor map has 128 bytes");

/* Bytes of an element. */
static inline unsigned
emu_tensor_bytes(unsigned type)
{
    static const uint8_t bytes[EMU_TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

#endif
