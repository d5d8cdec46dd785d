/* A call of the elementwise engine: the index space of its operands in normal form, and the plan
 * made for it. element_plan.c fills both in; elementwise.c compiles and launches. */
#ifndef GNP_CORE_ELEMENT_PLAN_H
#define GNP_CORE_ELEMENT_PLAN_H

#include "core/core.h"

/* ---- the normal form ------------------------------------------------------------------------- */

/* Axis 0 is the fastest. No axis has size 1, no two axes could be one, the first output's strides
 * are positive and ascend. Scalars have strides 0. */
typedef struct {
    int naxes, noperands, nin; /* nin counts the mask */
    int64_t size;
    const GnpOperand *operand;
    int64_t shape[GNP_MAX_DIMS];
    int64_t stride[GNP_MAX_OPERANDS][GNP_MAX_DIMS];
    CUdeviceptr data[GNP_MAX_OPERANDS];
} GnpElementSpace;

/* Fills in the axes and addresses; `operand`, `noperands`, `nin` and `size` (not 0) are set. */
void gnp_element_space(GnpElementSpace *s, int ndim, const int64_t *shape);

static inline int
gnp_element_bytes(const GnpElementSpace *s, int k)
{
    return gnp_dtypes[s->operand[k].dtype].bytes;
}

static inline int
gnp_element_is_scalar(const GnpElementSpace *s, int k)
{
    return s->operand[k].scalar != NULL;
}

/* ---- the plan: kernel file and knobs --------------------------------------------------------- */

typedef enum { KIND_VECTOR, KIND_ROWS, KIND_STRIDED, KIND_TRANSPOSED } GnpElementKind;

typedef enum Access GnpAccess;

typedef struct {
    GnpElementKind kind;
    int masked, wide_index; /* 1: 64-bit */
    int naxes;              /* the ND knob: axes, or the outer ones of rows and transposed */
    int width, unroll, tile;
    int transposed_axis;
    GnpAccess access[GNP_MAX_OPERANDS];
} GnpElementPlan;

/* The plan for a call of `op`; `masked` is set. */
void gnp_element_plan(GnpElementPlan *plan, const GnpElementSpace *s, const GnpElementOp *op,
                      const GnpDevice *device);

#endif
