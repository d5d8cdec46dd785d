/* Powers of the transition matrix of a linear recurrence.
 *
 * Powers of the matrix itself are useless where poles crowd: they grow by many orders of magnitude
 * before they decay, and what is computed with them cancels. So states are measured by what they
 * do to the outputs: in the basis U, where U'U is the observability Gramian of some samples, the
 * powers are hardly larger than 1 as long as outputs do not grow (B. C. Moore, "Principal component
 * analysis in linear systems", IEEE Trans. Automatic Control 26, 1981). U is the triangle of a QR
 * decomposition of the outputs of unit states, row after row. All numbers are long double, whose 11
 * further bits keep squared matrices more exact than the recurrence. */
#include "signal/signal_internal.h"

#include <math.h>
#include <string.h>

/* A complex number in long double; C's own would check for NaN and infinity in each product. */
typedef struct {
    long double re, im;
} Number;

enum { MOST_ROWS = 1024 };

/* Four matrices in one allocation; `matrix` and `next` change roles at each squaring. */
typedef struct {
    const GnpSections *sections;
    int n;                               /* numbers of a state */
    Number *matrix, *next, *basis, *row; /* owned by `memory` */
    void *memory;                        /* owned */
} Work;

/* ---- numbers --------------------------------------------------------------------------------- */

/* Real numbers, the common case, skip the imaginary products. */
static inline Number
add_product(Number sum, Number a, Number b)
{
    sum.re += a.re * b.re;
    if (a.im != 0 || b.im != 0) {
        sum.re -= a.im * b.im;
        sum.im += a.re * b.im + a.im * b.re;
    }
    return sum;
}

/* Of the absolute value, without a root. */
static inline long double
square_of(Number a)
{
    return a.re * a.re + a.im * a.im;
}

/* `by` is real: no complex product. */
static inline Number
scaled(Number a, long double by)
{
    return (Number){a.re * by, a.im * by};
}

/* For rotations: the adjoint of a complex number. */
static inline Number
conjugate(Number a)
{
    return (Number){a.re, -a.im};
}

/* Exactly: rotations by tiny numbers are still right. */
static inline int
is_zero(Number a)
{
    return a.re == 0 && a.im == 0;
}

/* ---- the transition matrix ------------------------------------------------------------------- */

/* Coefficients are stored as real numbers or as pairs. */
static Number
factor(const GnpSections *s, int i)
{
    return s->is_complex ? (Number){s->factors[2 * i], s->factors[2 * i + 1]}
                         : (Number){s->factors[i], 0};
}

/* Takes the state z over a sample that is 0, and returns the output. */
static Number
advance(const GnpSections *s, Number *z)
{
    const int order = s->order;
    Number x = {0, 0};
    for (int k = 0; k < s->sections; k++, z += order) {
        const int first = k * (2 * order + 1);
        const Number y = add_product(z[0], factor(s, first), x);
        for (int i = 0; i < order; i++) {
            const Number z1 = i + 1 < order ? z[i + 1] : (Number){0, 0};
            z[i] = add_product(add_product(z1, factor(s, first + 1 + i), x),
                               factor(s, first + order + 1 + i), y);
        }
        /* The output of a section is the input of the next. */
        x = y;
    }
    return x;
}

/* The matrix, and in `row` the outputs of unit states. */
static void
transition(Work *w)
{
    const int n = w->n;
    Number *z = w->next;
    for (int j = 0; j < n; j++) {
        memset(z, 0, (size_t)n * sizeof *z);
        z[j].re = 1;
        w->row[j] = advance(w->sections, z);
        for (int i = 0; i < n; i++) {
            w->matrix[i * n + j] = z[i];
        }
    }
}

/* ---- the basis ------------------------------------------------------------------------------- */

/* Rotates a row into the triangle (Givens); the row is used up. */
static void
rotate_in(Number *triangle, Number *row, int n)
{
    for (int i = 0; i < n; i++) {
        /* Nothing to rotate; a length of 0 would be divided by. */
        if (is_zero(row[i])) {
            continue;
        }
        const Number a = triangle[i * n + i], b = row[i];
        const long double length = sqrtl(square_of(a) + square_of(b));
        const Number c = scaled(conjugate(a), 1 / length), s = scaled(conjugate(b), 1 / length);
        for (int j = i; j < n; j++) {
            const Number p = triangle[i * n + j], q = row[j];
            triangle[i * n + j] = add_product(add_product((Number){0, 0}, c, p), s, q);
            row[j] = add_product(add_product((Number){0, 0}, scaled(conjugate(c), 1), q),
                                 scaled(conjugate(s), -1), p);
        }
    }
}

/* The next outputs of unit states: row = row * matrix. */
static void
next_row(const Work *w, Number *row, Number *to)
{
    const int n = w->n;
    /* Another array, since each entry needs the whole old row. */
    memset(to, 0, (size_t)n * sizeof *to);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n && !is_zero(row[i]); j++) {
            to[j] = add_product(to[j], row[i], w->matrix[i * n + j]);
        }
    }
    memcpy(row, to, (size_t)n * sizeof *row);
}

/* The sum cannot overflow: the exponent of long double has 15 bits. */
static long double
length_of(const Number *row, int n)
{
    long double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += square_of(row[i]);
    }
    return sqrtl(sum);
}

/* Outputs until they have decayed, or grown: then those so far are enough. What no output shows
 * gets a small share, so that the triangle has an inverse. */
static void
find_basis(Work *w)
{
    const int n = w->n;
    Number *used = w->next, *to = w->next + n;
    long double largest = 0;
    memset(w->basis, 0, (size_t)(n * n) * sizeof *w->basis);
    for (int i = 0; i < MOST_ROWS; i++) {
        const long double length = length_of(w->row, n);
        largest = length > largest ? length : largest;
        if (!(length < 1e6L) || (i >= 4 * n && length <= 1e-6L * largest)) {
            break;
        }
        memcpy(used, w->row, (size_t)n * sizeof *used);
        rotate_in(w->basis, used, n);
        next_row(w, w->row, to);
    }
    for (int j = 0; j < n; j++) {
        long double column = 0;
        for (int i = 0; i <= j; i++) {
            column += square_of(w->basis[i * n + j]);
        }
        memset(used, 0, (size_t)n * sizeof *used);
        used[j].re = column > 0 ? 1e-11L * sqrtl(column) : 1;
        rotate_in(w->basis, used, n);
    }
}

/* matrix = basis * matrix / basis */
static void
change_basis(Work *w)
{
    const int n = w->n;
    memset(w->next, 0, (size_t)(n * n) * sizeof *w->next);
    for (int i = 0; i < n; i++) {
        for (int k = i; k < n; k++) {
            for (int j = 0; j < n; j++) {
                w->next[i * n + j] =
                    add_product(w->next[i * n + j], w->basis[i * n + k], w->matrix[k * n + j]);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            Number sum = w->next[i * n + j];
            const Number pivot = w->basis[j * n + j];
            for (int k = 0; k < j; k++) {
                sum = add_product(sum, scaled(w->matrix[i * n + k], -1), w->basis[k * n + j]);
            }
            sum = add_product((Number){0, 0}, sum, conjugate(pivot));
            w->matrix[i * n + j] = scaled(sum, 1 / square_of(pivot));
        }
    }
}

/* ---- powers ---------------------------------------------------------------------------------- */

/* Squaring doubles the distance that a power spans, so few matrices serve all distances. */
static void
square(Work *w)
{
    const int n = w->n;
    Number *from = w->matrix, *to = w->next;
    memset(to, 0, (size_t)(n * n) * sizeof *to);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n && !is_zero(from[i * n + k]); j++) {
                to[i * n + j] = add_product(to[i * n + j], from[i * n + k], from[k * n + j]);
            }
        }
    }
    w->matrix = to;
    w->next = from;
}

static double *
write_numbers(const Work *w, const Number *from, int count, double *to)
{
    for (int i = 0; i < count; i++) {
        *to++ = (double)from[i].re;
        if (w->sections->is_complex) {
            *to++ = (double)from[i].im;
        }
    }
    return to;
}

/* A NaN counts as infinite, so that powers that overflowed are not used. */
static double
largest_of(const Number *matrix, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        const double size = (double)sqrtl(square_of(matrix[i]));
        largest = size <= largest ? largest : isnan(size) ? INFINITY : size;
    }
    return largest;
}

/* Freed by the caller by one PyMem_Free of `memory`. */
static int
work_new(Work *w, const GnpSections *s)
{
    const int n = gnp_sections_state(s);
    const size_t numbers = (size_t)(n * n) + 2 * (size_t)n; /* `next` holds two rows at least */
    *w = (Work){.sections = s, .n = n, .memory = PyMem_Malloc(4 * numbers * sizeof(Number))};
    if (w->memory == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    w->matrix = w->memory;
    w->next = w->matrix + numbers;
    w->basis = w->next + numbers;
    w->row = w->basis + numbers;
    return 0;
}

/* Writes, in this order: the largest element of each power, the basis, the reciprocals of its
 * diagonal and the powers. */
int
gnp_sections_tables(const GnpSections *s, double *to)
{
    Work w;
    double *sizes = to;
    if (work_new(&w, s) < 0) {
        return -1;
    }
    const int n = w.n;
    to += GNP_POWERS;
    transition(&w);
    find_basis(&w);
    change_basis(&w);
    to = write_numbers(&w, w.basis, n * n, to);
    for (int i = 0; i < n; i++) {
        const Number pivot = w.basis[i * n + i];
        w.row[i] = scaled(conjugate(pivot), 1 / square_of(pivot));
    }
    to = write_numbers(&w, w.row, n, to);
    for (int e = 0; e < GNP_POWERS; e++) {
        for (int i = 0; e == 0 && i < GNP_FIRST_POWER; i++) {
            square(&w);
        }
        if (e > 0) {
            square(&w);
        }
        sizes[e] = largest_of(w.matrix, n * n);
        to = write_numbers(&w, w.matrix, n * n, to);
    }
    PyMem_Free(w.memory);
    return 0;
}
