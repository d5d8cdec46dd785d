/* ElementwiseKernel: what its files share, the code and a call of it. */
#ifndef GNP_ELEMENTWISE_KERNEL_H
#define GNP_ELEMENTWISE_KERNEL_H

#include "user/kernel_params.h"
#include "user/user.h"

/* The constructor arguments of a kernel and what follows from them. Equal kernels share one; it
 * lives as long as the process, since compiled kernels are found by its address. */
typedef struct {
    GnpElementOp op; /* first: the engine gets its address */
    GnpKernelParams params;
    GnpUserText text;
    const char *operation, *loop_prep, *after_loop;
    int reduce_dims;
    int needs_loop;                         /* user.cu: the code uses more than its elements */
    int sees_index, sees_count, sees_space; /* i, n, _ind */
    unsigned char *is_overwritten;          /* of each output: never read before it is set */
    PyObject *codes;                        /* owned: dict of dtypes to source */
    char *identity;                         /* owned: everything above as one text */
    size_t identity_bytes;
} GnpElementwiseCode;

/* The constructor arguments. Borrowed; NULL where not given. */
typedef struct {
    PyObject *in_params, *out_params, *operation, *name, *preamble, *loop_prep, *after_loop;
    PyObject *options; /* tuple of str */
    int reduce_dims;
} GnpElementwiseArguments;

/* The code for these arguments; NULL with an exception. */
GNP_BORROW GnpElementwiseCode *gnp_elementwise_code(const GnpElementwiseArguments *arguments);

/* GnpElementOp.write of every code (elementwise_source.c). */
int gnp_elementwise_write(const GnpElementOp *op, const GnpOperand *operands, GnpOpSource *out);

/* One argument of a launch of user.cu: an array (or NULL) or a scalar. */
typedef struct {
    GnpArray *array;
    const GnpScalar *scalar;
    const int64_t *strides; /* of the common shape; not for raw */
} GnpLoopArgument;

/* A launch of user.cu over `shape`. */
typedef struct {
    const GnpElementwiseCode *code;
    const int8_t *type; /* of the placeholders */
    GnpLoopArgument *argument;
    int ndim;
    const int64_t *shape;
    int64_t size;
    int block_size;
} GnpLoopCall;

int gnp_elementwise_loop(const GnpLoopCall *call, GnpDevice *device, CUstream stream);
int gnp_elementwise_kernel_init(PyObject *module);

#endif
