/* How a transform is computed, by its length and type, from measurements on an H200 with cuFFT 12.0
 * over 2^24 elements in single and 2^23 in double precision, of some 200 lengths (exceptions in
 * tables/fft_ways.def).
 *
 * A strided axis can be transformed in place, or read with strides and written as rows, or copied
 * to rows first (which costs one more reading and writing). cuFFT's kernels for strided lines take
 * as long as those for rows up to some length, then two or three passes with a work area; for prime
 * factors above 127 it uses convolutions. */
#include "lib/fft.h"

enum { LARGEST_KERNEL_PRIME = 127 };

static int64_t
largest_prime(int64_t n)
{
    int64_t largest = 1;
    for (int64_t p = 2; p * p <= n; p++) {
        for (; n % p == 0; n /= p) {
            largest = p;
        }
    }
    return n > 1 ? n : largest;
}

static int
is_power_of_two(int64_t n)
{
    return (n & (n - 1)) == 0;
}

/* Exceptions: lengths for which the rules below are wrong. */
enum { SINGLE, DOUBLE };
static const struct {
    GnpFftKind kind;
    int is_double, n;
    GnpFftWay way;
} exceptions[] = {
#define FFT_WAY(kind, precision, n, way) {GNP_FFT_##kind, precision, n, GNP_FFT_##way},
#include "tables/fft_ways.def"
};

/* GNP_FFT_NWAYS where there is none. */
static GnpFftWay
find_exception(GnpFftKind kind, int is_double, int64_t n)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (exceptions[i].n == n && exceptions[i].kind == kind &&
            exceptions[i].is_double == is_double) {
            return exceptions[i].way;
        }
    }
    return GNP_FFT_NWAYS;
}

/* Composites of 13 and greater primes have no kernel of their own for strided lines. */
static int
has_no_kernel(int64_t n, int64_t prime)
{
    return n >= 32 && prime >= 13 && n != prime;
}

static GnpFftWay
way_of_complex(int is_double, int64_t n)
{
    int64_t prime = largest_prime(n);
    if (prime > LARGEST_KERNEL_PRIME) {
        return GNP_FFT_TO_ROWS;
    }
    if (is_power_of_two(n)) {
        return n <= 1024                        ? GNP_FFT_ACROSS
               : n <= (is_double ? 2048 : 4096) ? GNP_FFT_TO_ROWS
               : is_double && n > 10000         ? GNP_FFT_TO_ROWS
                                                : GNP_FFT_COPIED;
    }
    if (n <= (is_double ? 512 : 256)) {
        return has_no_kernel(n, prime) ? GNP_FFT_COPIED : GNP_FFT_ACROSS;
    }
    return n <= (is_double ? 512 : 1024) || (is_double && n > 10000) ? GNP_FFT_TO_ROWS
                                                                     : GNP_FFT_COPIED;
}

static GnpFftWay
way_of_real(GnpFftKind kind, int is_double, int64_t n)
{
    int64_t prime = largest_prime(n);
    int has_prime_half = n % 2 == 0 && prime > 2 && n == 2 * prime;
    int has_kernel = !has_no_kernel(n, prime) && !(has_prime_half && n >= 32);
    if (kind == GNP_FFT_C2R && n < 32) { /* a transposition to such short rows takes long */
        return has_prime_half ? GNP_FFT_TO_ROWS : GNP_FFT_ACROSS;
    }
    if (kind == GNP_FFT_C2R &&
        !is_double) { /* a copy is made anyway, to clear the imaginary parts of the end points */
        return n <= 128 && has_kernel ? GNP_FFT_ACROSS : GNP_FFT_COPIED;
    }
    if (n <= (is_double ? 512 : 1024) && prime <= (n > 128 ? 7 : LARGEST_KERNEL_PRIME) &&
        has_kernel) {
        return GNP_FFT_ACROSS;
    }
    if (n % 2 == 0) { /* packed into half as many complex numbers: in the inverse direction that is
                         one pass */
        return kind == GNP_FFT_C2R ? GNP_FFT_TO_ROWS : GNP_FFT_COPIED;
    }
    return prime > 7 || n % 3 == 0 ? GNP_FFT_TO_ROWS : GNP_FFT_COPIED;
}

GnpFftWay
gnp_fft_way(GnpFftKind kind, int is_double, int64_t n)
{
    GnpFftWay way = find_exception(kind, is_double, n);
    if (way != GNP_FFT_NWAYS) {
        return way;
    }
    return kind == GNP_FFT_C2C ? way_of_complex(is_double, n) : way_of_real(kind, is_double, n);
}

/* Copies there and back, or one of the rows' results, against two or three passes. */
int
gnp_fft_is_slow_across(GnpFftKind kind, int is_double, int64_t n)
{
    GnpFftWay way = n >= 64 ? find_exception(kind, is_double, n) : GNP_FFT_NWAYS;
    if (kind == GNP_FFT_C2C && is_power_of_two(n)) {
        return n > (is_double ? 2048 : 4096);
    }
    if (kind != GNP_FFT_C2C && n > 128 && largest_prime(n) > 7) {
        return 1;
    }
    return n > (is_double ? 512 : 1024) || way == GNP_FFT_COPIED ||
           (way == GNP_FFT_TO_ROWS && kind != GNP_FFT_C2C);
}

/* Real input and convolutions: cuFFT's plans of several axes then take more passes than lines do
 * (50 against 39 microseconds for 1021 x 1021 float32). */
int
gnp_fft_is_better_apart(GnpFftKind kind, int64_t n)
{
    return kind == GNP_FFT_R2C && largest_prime(n) > LARGEST_KERNEL_PRIME;
}

/* Whether half a spectrum and a launch for its mirror image is faster than a cast and the whole
 * transform: the shortest axis decides. */
int
gnp_fft_is_worth_mirroring(int is_double, int naxes, const int64_t *n)
{
    int64_t least = n[0];
    for (int k = 1; k < naxes; k++) {
        least = n[k] < least ? n[k] : least;
    }
    if (naxes > 1) {
        return least >= (is_double ? 32 : 64);
    }
    if (least == 143 || least == 1155 || least == 6561) {
        return 0;
    }
    return least == 2 || least >= (is_double ? 58 : 64) ||
           (is_double && least >= 16 && largest_prime(least) <= 7);
}
