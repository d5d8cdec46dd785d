/* ReductionKernel: what its files share, the code and a call of it. */
#ifndef GNP_REDUCTION_KERNEL_H
#define GNP_REDUCTION_KERNEL_H

#include "user/kernel_params.h"
#include "user/user.h"

/* A compiled form of one piece of code. */
typedef struct GnpVariant {
    struct GnpVariant *next;
    GnpKernel *kernel;
    uint32_t nbytes;
    unsigned char key[];
} GnpVariant;

/* The constructor arguments and what follows from them; belongs to one kernel object. */
typedef struct {
    GnpKernelParams params;
    GnpUserText text;
    char *storage;                                       /* owned: all the texts */
    const char *map, *combine, *post, *identity, *type;  /* identity "": there is none */
    int sees_element, sees_step, sees_output, sees_flat; /* i, _J, _i, _j in `map` */
    int post_sees_output;                                /* _i in `post` */
    char *shown;                                         /* owned: what a compile error shows */
    PyObject *codes;                                     /* owned: dict of dtypes to source */
    GnpVariant *variants;                                /* owned; the latest used in front */
} GnpReductionCode;

/* One call with types, axes and outputs determined. Axes are the input's in C order. */
typedef struct {
    GnpReductionCode *code;
    const int8_t *type;      /* of the placeholders */
    GnpArray *const *array;  /* of each parameter; NULL: a scalar */
    const GnpScalar *scalar; /* of each parameter */
    int ndim;
    const int64_t *shape;             /* of the inputs together */
    const unsigned char *reduced;     /* flags of the axes */
    int64_t (*strides)[GNP_MAX_DIMS]; /* of each parameter that is an array and not raw: for
                                         outputs, of the axes that are kept, 0 elsewhere */
} GnpReductionCall;

int gnp_reduction_run(const GnpReductionCall *call, GnpDevice *device, CUstream stream);
int gnp_reduction_kernel_init(PyObject *module);

#endif
