/* Operations on datetime64 and timedelta64 (datetime.c). */
#ifndef GNP_DATETIME_H
#define GNP_DATETIME_H

#include "ops/ufunc.h"

/* One call's types: loop.dtype with units, the operation on GNP_TIME, and what converts inputs. */
typedef struct {
    GnpLoop loop;
    const GnpElementOp *op;
    int64_t scale[GNP_MAX_IN];        /* given to op behind its inputs, if it asks for more */
    unsigned char recast[GNP_MAX_IN]; /* by astype to loop.dtype, before */
} GnpTimeLoop;

/* As NumPy resolves it; -1 with NumPy's exception. */
int gnp_time_loop_find(const GnpUfuncRow *row, const GnpInputType *in, GnpCasting casting,
                       GnpTimeLoop *out);
/* where(condition, x, y): the common dtype of x and y. */
int gnp_time_where(const GnpUfuncRow *row, const GnpInputType *in, GnpTimeLoop *out);
/* Raises what NumPy raises for a reduction of `dtype` by this row, or that `name` is not supported.
 * -1. */
int gnp_time_refuse(const GnpUfuncRow *row, GnpDtype dtype, const char *name);

#endif
