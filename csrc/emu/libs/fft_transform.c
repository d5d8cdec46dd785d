/* Transforms of one line: Stockham's self-sorting factorisation, and Bluestein's for large primes.
 *
 * Stockham (Cochran et al., "What is the fast Fourier transform?", 1967; Van Loan, "Computational
 * frameworks for the fast Fourier transform", 1992, section 1.7) needs no reordering pass and takes
 * any factor. A length with a prime factor above LARGEST_RADIX becomes a circular convolution of a
 * power of two (Bluestein, "A linear filtering approach to the computation of the discrete Fourier
 * transform", 1970). All roots come from one table per length, each computed from an angle reduced
 * to an eighth of a turn, so the error grows with the logarithm of the length alone.
 */
#include "emu/libs/fft_transform.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Tables of longer lengths are made for each call: they would take too much memory. */
enum { LARGEST_RADIX = 31, MAX_FACTORS = 64, LONGEST_KEPT = 1 << 14 };

struct FftLength {
    int64_t n;
    int nfactors;
    int factors[MAX_FACTORS];
    FftComplex *roots;  /* exp(-2 pi i k / n), k < n; NULL for Bluestein's */
    FftLength *padded;  /* Bluestein's power of two, or NULL */
    FftComplex *chirp;  /* exp(-pi i k k / n), k < n */
    FftComplex *filter; /* transform of the conjugate chirp, wrapped around, scaled */
};

/* exp(-2 pi i k / n) for 0 <= k < n, with the angle within an eighth of a turn. */
static FftComplex
root_of_unity(int64_t k, int64_t n)
{
    const double tau = 6.283185307179586476925286766559;
    int64_t eighths = 8 * k; /* in units of 1 / (8 n) turns, n per octant */
    int octant = (int)(eighths / n);
    int64_t rest = eighths - octant * n;
    if (octant & 1) {
        rest = n - rest; /* measured back from the octant's end */
    }
    double angle = tau * (double)rest / (8.0 * (double)n);
    double c = cos(angle), s = sin(angle);
    switch (octant) {
    case 0:
        return (FftComplex){c, -s};
    case 1:
        return (FftComplex){s, -c};
    case 2:
        return (FftComplex){-s, -c};
    case 3:
        return (FftComplex){-c, -s};
    case 4:
        return (FftComplex){-c, s};
    case 5:
        return (FftComplex){-s, c};
    case 6:
        return (FftComplex){s, c};
    default:
        return (FftComplex){c, s};
    }
}

/* Plain, without the care for infinities of C's own complex type, which would slow every pass. */
static FftComplex
product(FftComplex a, FftComplex b)
{
    return (FftComplex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* ---- making a length ------------------------------------------------------------------------- */

static FftLength *length_new(int64_t n); /* Bluestein's algorithm needs another length */

/* Fours first, then the primes upwards; 0 when a prime is too large for a butterfly. */
static int
factorise(FftLength *length)
{
    int64_t rest = length->n;
    length->nfactors = 0;
    while (rest % 4 == 0) {
        length->factors[length->nfactors++] = 4;
        rest /= 4;
    }
    for (int radix = 2; radix <= LARGEST_RADIX; radix++) {
        while (rest % radix == 0) {
            length->factors[length->nfactors++] = radix;
            rest /= radix;
        }
    }
    return rest == 1;
}

/* One table for all factors: the roots of a factor are every n / radix-th of it. */
static int
make_roots(FftLength *length)
{
    length->roots = malloc((size_t)length->n * sizeof *length->roots);
    for (int64_t k = 0; length->roots != NULL && k < length->n; k++) {
        length->roots[k] = root_of_unity(k, length->n);
    }
    return length->roots != NULL ? 0 : -1;
}

/* The convolution's length is a power of two of at least 2 n - 1, so that it does not wrap
 * around into the result. */
static int
make_bluestein(FftLength *length)
{
    int64_t n = length->n, m = 1;
    while (m < 2 * n - 1) {
        m *= 2;
    }
    length->padded = length_new(m);
    length->chirp = malloc((size_t)n * sizeof *length->chirp);
    length->filter = calloc((size_t)(2 * m), sizeof *length->filter);
    if (length->padded == NULL || length->chirp == NULL || length->filter == NULL) {
        return -1;
    }
    /* k * k itself would overflow, and lose the low bits as a double. */
    int64_t square = 0; /* k * k modulo 2 n, kept exact */
    for (int64_t k = 0; k < n; k++) {
        length->chirp[k] = root_of_unity(square, 2 * n);
        square = (square + 2 * k + 1) % (2 * n);
        FftComplex back = {length->chirp[k].re / (double)m, -length->chirp[k].im / (double)m};
        length->filter[k] = back;
        if (k != 0) {
            length->filter[m - k] = back;
        }
    }
    fft_line(length->padded, -1, length->filter, length->filter + m);
    return 0;
}

/* Follows `padded`, whose own is NULL: a power of two is never padded. NULL is allowed. */
static void
length_free(FftLength *length)
{
    if (length == NULL) {
        return;
    }
    length_free(length->padded);
    free(length->roots);
    free(length->chirp);
    free(length->filter);
    free(length);
}

/* NULL without memory; what was made until then is freed. */
static FftLength *
length_new(int64_t n)
{
    FftLength *length = calloc(1, sizeof *length);
    if (length == NULL) {
        return NULL;
    }
    length->n = n;
    if ((factorise(length) ? make_roots(length) : make_bluestein(length)) < 0) {
        length_free(length);
        return NULL;
    }
    return length;
}

/* By length; guarded by kept_lock. */
static FftLength *kept[LONGEST_KEPT + 1];
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

/* Lengths that are kept are never changed or freed, so they are used without the lock. */
FftLength *
fft_length_get(int64_t n)
{
    if (n > LONGEST_KEPT) {
        return length_new(n);
    }
    pthread_mutex_lock(&kept_lock);
    if (kept[n] == NULL) {
        kept[n] = length_new(n);
    }
    FftLength *length = kept[n];
    pthread_mutex_unlock(&kept_lock);
    return length;
}

/* Only what fft_length_get made for the call; kept ones stay for the process. */
void
fft_length_release(FftLength *length)
{
    if (length != NULL && length->n > LONGEST_KEPT) {
        length_free(length);
    }
}

size_t
fft_length_scratch(const FftLength *length)
{
    return (size_t)(length->padded != NULL ? 2 * length->padded->n : length->n);
}

/* ---- butterflies: r inputs to r sums, before the twiddle ------------------------------------- */

/* The small radices are written out: they make up nearly all passes, and need no multiplications
 * by 1 or i. */
static void
butterfly2(const FftComplex *a, FftComplex *out)
{
    out[0] = (FftComplex){a[0].re + a[1].re, a[0].im + a[1].im};
    out[1] = (FftComplex){a[0].re - a[1].re, a[0].im - a[1].im};
}

/* The roots' real parts are both -1/2, the imaginary ones opposite. */
static void
butterfly3(const FftComplex *a, FftComplex *out)
{
    const double half_root3 = 0.86602540378443864676372317075294;
    FftComplex sum = {a[1].re + a[2].re, a[1].im + a[2].im};
    FftComplex middle = {a[0].re - 0.5 * sum.re, a[0].im - 0.5 * sum.im};
    FftComplex rotated = {half_root3 * (a[1].im - a[2].im), -half_root3 * (a[1].re - a[2].re)};
    out[0] = (FftComplex){a[0].re + sum.re, a[0].im + sum.im};
    out[1] = (FftComplex){middle.re + rotated.re, middle.im + rotated.im};
    out[2] = (FftComplex){middle.re - rotated.re, middle.im - rotated.im};
}

/* No multiplication at all: a quarter turn exchanges the parts. Hence fours are split off first. */
static void
butterfly4(const FftComplex *a, FftComplex *out)
{
    FftComplex s = {a[0].re + a[2].re, a[0].im + a[2].im};
    FftComplex d = {a[0].re - a[2].re, a[0].im - a[2].im};
    FftComplex t = {a[1].re + a[3].re, a[1].im + a[3].im};
    FftComplex e = {a[1].re - a[3].re, a[1].im - a[3].im};
    out[0] = (FftComplex){s.re + t.re, s.im + t.im};
    out[1] = (FftComplex){d.re + e.im, d.im - e.re};
    out[2] = (FftComplex){s.re - t.re, s.im - t.im};
    out[3] = (FftComplex){d.re - e.im, d.im + e.re};
}

/* Any radix by the definition; `roots` has those of the length, `step` apart for this radix. */
static void
butterfly_any(const FftComplex *a, FftComplex *out, int radix, const FftComplex *roots,
              int64_t step)
{
    for (int k = 0; k < radix; k++) {
        FftComplex sum = a[0];
        int turn = 0;
        for (int j = 1; j < radix; j++) {
            turn += k;
            turn -= turn >= radix ? radix : 0;
            FftComplex term = product(a[j], roots[turn * step]);
            sum.re += term.re;
            sum.im += term.im;
        }
        out[k] = sum;
    }
}

/* One pass: `groups` sub-transforms of radix * m points, interleaved, become groups * radix of m.
 */
static void
pass(const FftLength *length, int radix, int64_t m, int64_t groups, const FftComplex *x,
     FftComplex *y)
{
    FftComplex in[LARGEST_RADIX], out[LARGEST_RADIX];
    for (int64_t p = 0; p < m; p++) {
        for (int64_t q = 0; q < groups; q++) {
            for (int j = 0; j < radix; j++) {
                in[j] = x[q + groups * (p + m * j)];
            }
            switch (radix) {
            case 2:
                butterfly2(in, out);
                break;
            case 3:
                butterfly3(in, out);
                break;
            case 4:
                butterfly4(in, out);
                break;
            default:
                butterfly_any(in, out, radix, length->roots, length->n / radix);
            }
            FftComplex *to = y + q + groups * radix * p;
            to[0] = out[0];
            for (int k = 1; k < radix; k++) {
                to[groups * k] = product(out[k], length->roots[p * k * groups]);
            }
        }
    }
}

/* The passes alternate between two buffers; an odd number of them ends in scratch. */
static void
forward_by_factors(const FftLength *length, FftComplex *x, FftComplex *scratch)
{
    FftComplex *from = x, *to = scratch;
    int64_t m = length->n, groups = 1;
    for (int i = 0; i < length->nfactors; i++) {
        int radix = length->factors[i];
        m /= radix;
        pass(length, radix, m, groups, from, to);
        groups *= radix;
        FftComplex *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != x) {
        memcpy(x, from, (size_t)length->n * sizeof *x);
    }
}

/* With j k = (j j + k k - (j - k)(j - k)) / 2 the sum becomes a convolution with the chirp. The
 * scaling by 1 / m is in the filter. */
static void
forward_by_bluestein(const FftLength *length, FftComplex *x, FftComplex *scratch)
{
    int64_t n = length->n, m = length->padded->n;
    FftComplex *line = scratch, *more = scratch + m;
    memset(line, 0, (size_t)m * sizeof *line);
    for (int64_t k = 0; k < n; k++) {
        line[k] = product(x[k], length->chirp[k]);
    }
    fft_line(length->padded, -1, line, more);
    for (int64_t k = 0; k < m; k++) {
        line[k] = product(line[k], length->filter[k]);
    }
    fft_line(length->padded, 1, line, more);
    for (int64_t k = 0; k < n; k++) {
        x[k] = product(line[k], length->chirp[k]);
    }
}

void
fft_line(const FftLength *length, int sign, FftComplex *x, FftComplex *scratch)
{
    /* The inverse is the forward transform with real and imaginary parts exchanged before and
     * after. */
    for (int64_t k = 0; sign > 0 && k < length->n; k++) {
        x[k] = (FftComplex){x[k].im, x[k].re};
    }
    if (length->padded != NULL) {
        forward_by_bluestein(length, x, scratch);
    }
    else {
        forward_by_factors(length, x, scratch);
    }
    for (int64_t k = 0; sign > 0 && k < length->n; k++) {
        x[k] = (FftComplex){x[k].im, x[k].re};
    }
}
