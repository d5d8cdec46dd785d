/* Copies by tensor maps, between the decoder and the handler. */
#ifndef EMU_TENSOR_H
#define EMU_TENSOR_H

#include "machine.h"

typedef enum { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE } TensorKind;

/* One instruction. Sources: map, shared address, mbarrier, mask of blocks, coordinates, offsets. */
typedef struct {
    TensorKind kind;
    uint8_t rank, offsets; /* offsets: how many */
    uint8_t is_columns, is_multicast;
    char reduction[4];
} TensorOp;

/* What tensormap.replace changes. */
typedef enum {
    TENSOR_ADDRESS,
    TENSOR_RANK,
    TENSOR_BOX,
    TENSOR_DIM,
    TENSOR_STRIDE,
    TENSOR_STEP,
    TENSOR_TYPE,
    TENSOR_INTERLEAVE,
    TENSOR_SWIZZLE,
    TENSOR_FILL,
    TENSOR_FIELDS
} TensorField;

#endif
