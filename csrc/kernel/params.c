/* Parameters of a launch, as kernels declare them: addresses, indices of 32 or 64 bits, divisors
 * and layouts.
 *
 * The struct is filled once per launch, on the stack of the caller; the driver copies the values
 * when the launch is submitted. Layouts here and in kernels/gnp.cuh have to agree byte by byte:
 * words of 4 or 8 bytes, by `wide`, without padding inside a parameter.
 */
#include "kernel/kernel.h"

#include <assert.h>
#include <string.h>

/* The most that any kernel of ours takes is far below the limit, which is the driver's. */
static void *
reserve(GnpParams *p, size_t nbytes)
{
    void *at = p->bytes + p->used;
    p->used += nbytes;
    assert(p->used <= sizeof p->bytes);
    return at;
}

/* Aligned to 16 bytes: no parameter's type needs more. */
void
gnp_params_begin(GnpParams *p)
{
    p->used = (p->used + 15) & ~(size_t)15;
    p->arg[p->nargs++] = p->bytes + p->used;
}

void
gnp_params_add(GnpParams *p, const void *bytes, size_t nbytes)
{
    gnp_params_begin(p);
    memcpy(reserve(p, nbytes), bytes, nbytes);
}

void
gnp_params_more(GnpParams *p, const void *bytes, size_t nbytes)
{
    memcpy(reserve(p, nbytes), bytes, nbytes);
}

/* Negative strides wrap around: kernels add them modulo 2^32 to an offset that is in range. */
static void
put(GnpParams *p, int64_t value)
{
    if (p->wide) {
        memcpy(reserve(p, 8), &value, 8);
    }
    else {
        uint32_t narrow = (uint32_t)(uint64_t)value;
        memcpy(reserve(p, 4), &narrow, 4);
    }
}

void
gnp_params_index(GnpParams *p, int64_t value)
{
    gnp_params_begin(p);
    put(p, value);
}

/* d, m, s with n / d = (mulhi(n, m) + n) >> s for n < 2^(bits-1) (Granlund and Montgomery,
 * "Division by invariant integers using multiplication", 1994). */
static void
put_divisor(GnpParams *p, int64_t value)
{
    __extension__ typedef unsigned __int128 Wide;
    uint64_t d = (uint64_t)value;
    int s = 0;
    while (((uint64_t)1 << s) < d) {
        s++;
    }
    /* Only products below 2^128 occur, since 2^s < 2 d. */
    Wide m = ((Wide)1 << (p->wide ? 64 : 32)) * (((Wide)1 << s) - d) / d + 1;
    put(p, value);
    put(p, (int64_t)(uint64_t)m);
    put(p, s);
}

void
gnp_params_divisor(GnpParams *p, int64_t value)
{
    gnp_params_begin(p);
    put_divisor(p, value);
}

void
gnp_params_more_index(GnpParams *p, int64_t value)
{
    put(p, value);
}

void
gnp_params_more_divisor(GnpParams *p, int64_t value)
{
    put_divisor(p, value);
}

/* The axes that fill up have size 1 and stride 0: their coordinate is always 0. */
void
gnp_params_layout(GnpParams *p, const GnpAxes *axes, int naxes)
{
    gnp_params_begin(p);
    for (int i = 0; i < naxes; i++) {
        put_divisor(p, i < axes->naxes ? axes->shape[i] : 1);
    }
    for (int i = 0; i < naxes; i++) {
        for (int k = 0; k < axes->noperands; k++) {
            put(p, i < axes->naxes ? axes->stride[i][k] : 0);
        }
    }
}
