/* Index spaces of kernels: axes with the strides of a few operands, and their form as kernel
 * parameters (Layout of gnp.cuh). Compiled kernels by key. */
#ifndef GNP_KERNEL_H
#define GNP_KERNEL_H

#include "rt/rt.h"

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
/* Appends an axis as the slowest; axes of size 1 are left out. */
void gnp_axes_add(GnpAxes *axes, int64_t size, const int64_t *strides);
/* Fastest first by the first operand's strides, those of stride 0 last. */
void gnp_axes_sort(GnpAxes *axes);
/* Joins neighbours that are one axis for every operand. */
void gnp_axes_merge(GnpAxes *axes);
int64_t gnp_axes_size(const GnpAxes *axes);
/* The largest distance in bytes of operand k from its first element. */
int64_t gnp_axes_reach(const GnpAxes *axes, int k);
/* Elements per access (a power of two up to `widest`) that operand 0 allows along axis 0:
 * neighbours in memory, and every row begins at a multiple of the access. `others` are bits of
 * other offsets. */
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

/* Who made a key: the low four bits of its first word. The elementwise engine's keys begin with the
 * address of an op, whose low bits are 0. A new family takes the next number. */
enum {
    GNP_KEY_REDUCE = 1,
    GNP_KEY_SELECT,
    GNP_KEY_TAKE,
    GNP_KEY_SCAN,
    GNP_KEY_SORT,
    GNP_KEY_PRODUCT,
    GNP_KEY_JOIN,
    GNP_KEY_SCATTER,
    GNP_KEY_HISTOGRAM,
    GNP_KEY_SEARCH,
    GNP_KEY_FOLD,
    GNP_KEY_INTERP,
    GNP_KEY_SLIDE,
    GNP_KEY_LAZY,
    GNP_KEY_RANDOM,
};

#define GNP_KERNEL_KEY_WORDS 3
typedef struct {
    uint64_t word[GNP_KERNEL_KEY_WORDS];
} GnpKernelKey;

/* Kernels found before; NULL when new. Guarded by the GIL. Entries are never removed. */
GNP_BORROW GnpKernel *gnp_kernels_find(const GnpKernelKey *key);
/* The kernel of a key that was not found: kernels/STEM.cu compiled with `knobs`, which are cleared
 * in any case, and kept. `name` is what people read; NULL: the stem. */
GNP_BORROW GnpKernel *gnp_kernels_make(GnpDevice *device, const GnpKernelKey *key, const char *stem,
                                       const char *name, GnpText *knobs);

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
