/* Index spaces of kernels: axes with the strides of a few operands, and their form as kernel
 * parameters (Layout of gnp.cuh). Compiled kernels by key. */
#ifndef GNP_KERNEL_H
#define GNP_KERNEL_H

#include "rt/rt.h"

#include "../kernels/shared.cuh"

#include <stddef.h>

/* The numbers of dtypes; core.h says what they are. */
typedef enum {
#define DTYPE(id, letter, name, user, device, cls, nbytes, dlcode, compute, real, complex) GNP_##id,
#include "tables/dtypes.def"
    GNP_NDTYPES,
    GNP_UNITS = 64,        /* the first dtype with a unit of time: one number per unit in use */
    GNP_STRUCTURED = 1024, /* the first structured one: one number per dtype in use */
    GNP_MAX_DTYPES = 4096,
    GNP_NO_DTYPE = -1
} GnpDtype;

#define GNP_MAX_DIMS 64
#define GNP_MAX_OPERANDS 32 /* of one kernel */

enum { GNP_AXES_OPERANDS = GNP_MAX_OPERANDS };

/* Axis 0 is the fastest. Strides are in bytes. */
typedef struct {
    int naxes, noperands;
    int64_t shape[GNP_MAX_DIMS];
    int64_t stride[GNP_MAX_DIMS][GNP_AXES_OPERANDS];
} GnpAxes;

static inline void
gnp_axes_init(GnpAxes *axes, int noperands)
{
    axes->naxes = 0;
    axes->noperands = noperands;
}
/* Copies what is in use: the struct is large. */
void gnp_axes_copy(GnpAxes *to, const GnpAxes *from);
/* Appends an axis as the slowest; axes of size 1 are left out. */
void gnp_axes_add(GnpAxes *axes, int64_t size, const int64_t *strides);
/* Fastest first by the first operand's strides, those of stride 0 last. */
void gnp_axes_sort(GnpAxes *axes);
/* Merges adjacent axes that are one axis for every operand. */
void gnp_axes_merge(GnpAxes *axes);
int64_t gnp_axes_size(const GnpAxes *axes);
/* The largest distance in bytes of operand k from its first element. */
int64_t gnp_axes_reach(const GnpAxes *axes, int k);
/* Elements per access (a power of two up to `widest`) that operand 0 allows along axis 0:
 * contiguous there, and every row aligned to the access. `others` are bits of other offsets. */
int gnp_axes_width(const GnpAxes *axes, int itemsize, int widest, uint64_t others);
/* All byte offsets of operand 0 but along axis 0, or'ed: what alignment depends on. */
uint64_t gnp_axes_offsets(const GnpAxes *axes, int first);
/* The number of axes kernels are compiled for, at least 1. */
int gnp_axes_class(int naxes);

/* Parameters of a launch, in order. */
typedef struct {
    int nargs, wide; /* wide: Index is 64-bit */
    size_t used;
    void *arg[16];
    char bytes[32768]; /* uninitialised beyond `used`; as much as a launch takes */
} GnpParams;

static inline void
gnp_params_init(GnpParams *p, int wide)
{
    p->nargs = 0;
    p->used = 0;
    p->wide = wide;
}
/* The next parameter, without bytes so far. */
void gnp_params_begin(GnpParams *p);
void gnp_params_add(GnpParams *p, const void *bytes, size_t nbytes);
/* Bytes behind those of the last parameter, as part of it. */
void gnp_params_more(GnpParams *p, const void *bytes, size_t nbytes);
void gnp_params_index(GnpParams *p, int64_t value);
/* Divisor<Index>; it divides numbers below 2^31, or 2^63. */
void gnp_params_divisor(GnpParams *p, int64_t value);
/* Both as part of the last parameter. */
void gnp_params_more_index(GnpParams *p, int64_t value);
void gnp_params_more_divisor(GnpParams *p, int64_t value);
/* Layout<Index, naxes, noperands>: padded with axes of size 1. */
void gnp_params_layout(GnpParams *p, const GnpAxes *axes, int naxes);

/* The device type that moves elements of so many bytes. */
const char *gnp_item_type(int bytes);

/* ---- kernels by their compile-time parameters (spec.c) --------------------------------------- */

typedef enum {
#define KERNEL(file, header, parameters, code) GNP_KERNEL_##file,
#define LIKE(file, other, header, code) GNP_KERNEL_##file,
#define INDEX
#define TYPE(name, dtype)
#define UNSIGNED(name, bytes)
#define INT(name, value)
#define BYTES(name, n)
#include "tables/kernels.def"
    GNP_NKERNELS
} GnpKernelId;

/* GnpSpec_pad and so on: one for each row, the parameters named as in the kernel. Compared and
 * hashed as bytes, so there must be no padding: 64-bit words first, then 32-bit numbers, then
 * bytes. */
#define KERNEL(file, header, parameters, code)                                                     \
    typedef struct {                                                                               \
        GnpSpec head;                                                                              \
        parameters unsigned char end[1];                                                           \
    } GnpSpec_##file;
#define LIKE(file, other, header, code) typedef GnpSpec_##other GnpSpec_##file;
#define INDEX
#define TYPE(name, dtype) int32_t name;
#define UNSIGNED(name, bytes) int32_t name;
#define INT(name, value) int32_t name;
#define BYTES(name, n) unsigned char name[n];
#include "tables/kernels.def"

/* The enumerators of Access (kernels/shared.cuh), for code that lists operands. */
extern const char *const gnp_access_names[];

/* Initialises a struct of this row: GnpSpec_pad spec = {GNP_SPEC(pad), .ND = 2, ...}. */
#define GNP_SPEC(file) .head.kernel = GNP_KERNEL_##file, .head.bytes = offsetof(GnpSpec_##file, end)

/* The part of the source that does not follow from the parameters. Zeroed at first; the texts are
 * owned. */
typedef struct {
    GnpText code;              /* stands behind the parameters */
    GnpText name;              /* for messages and traces; empty: the file's name */
    const char *header;        /* included before the row's; NULL: by the types */
    const GnpUserSource *user; /* borrowed; NULL: no user code */
} GnpKernelText;
typedef int (*GnpKernelWriter)(GnpKernelText *text, const void *context);

/* The kernel of these parameters, compiled when they are new; then `writer` (or NULL) adds the code
 * that does not follow from them. Sets head.device. */
GNP_BORROW GnpKernel *gnp_kernel_find(GnpDevice *device, GnpSpec *spec, GnpKernelWriter writer,
                                      const void *context);

/* Several kernels of one operation, none of which has a writer: compiled side by side where they
 * are new. 0 or -1. */
int gnp_kernels_find(GnpDevice *device, GnpSpec *const *specs, GNP_BORROW GnpKernel **kernels,
                     int n);

/* A number of blocks along one axis of the grid; ValueError where the grid does not have as many.
 */
int gnp_launch_blocks(const GnpKernel *kernel, int64_t blocks, int threads, CUstream stream,
                      void **arg);

int gnp_specs_init(PyObject *module);

static inline int64_t
gnp_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}
/* The smallest power of two not below n, at most `most` (a power of two). */
static inline int
gnp_power_of_two(int64_t n, int most)
{
    int p = 1;
    while (p < n && p < most) {
        p *= 2;
    }
    return p;
}

#endif
