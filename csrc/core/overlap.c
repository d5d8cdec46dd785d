/* Do two strided arrays share a byte?
 *
 * After reversing axes with negative strides, this is the bounded Diophantine question whether
 *     sum a[i] * x[i] = target   with   0 <= x[i] <= bound[i],  a[i] > 0
 * has a solution. It is NP-hard in general (a knapsack), but arrays have few axes and their steps
 * nest, so a depth-first search with bounds and divisibility settles nearly every real case in a
 * few steps.
 */
#include "core/core_internal.h"

#include <stdlib.h>

typedef struct {
    int64_t step, bound;
} Term;

typedef struct {
    int n;
    Term terms[2 * GNP_MAX_DIMS + 2];
    int64_t reach[2 * GNP_MAX_DIMS + 2];   /* most that terms i.. can add up to */
    int64_t divisor[2 * GNP_MAX_DIMS + 2]; /* greatest common divisor of the steps of terms i..; a
                                              target that it does not divide has no solution */
    int64_t work_left;                     /* negative: no limit */
} Problem;

/* UNDECIDED: the limit of steps was reached. */
enum { NO = 0, YES = 1, UNDECIDED = -1 };

/* gnp_gcd(x, 0) is x, which starts the running divisor. */
int64_t
gnp_gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int
compare_terms(const void *a, const void *b)
{
    int64_t x = ((const Term *)a)->step, y = ((const Term *)b)->step;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Biggest steps first; equal steps are one variable with the sum of the bounds. */
static void
prepare(Problem *p)
{
    qsort(p->terms, (size_t)p->n, sizeof *p->terms, compare_terms);
    int kept = 0;
    for (int i = 0; i < p->n; i++) {
        if (kept > 0 && p->terms[kept - 1].step == p->terms[i].step) {
            p->terms[kept - 1].bound += p->terms[i].bound;
        }
        else {
            p->terms[kept++] = p->terms[i];
        }
    }
    p->n = kept;
    int64_t reach = 0, divisor = 0;
    for (int i = kept - 1; i >= 0; i--) {
        reach += p->terms[i].step * p->terms[i].bound;
        divisor = gnp_gcd(p->terms[i].step, divisor);
        p->reach[i] = reach;
        p->divisor[i] = divisor;
    }
}

/* Depth first, largest step first. A branch is cut where the remaining terms together cannot reach
 * the target, or their common divisor does not divide it; for nested steps, as those of arrays
 * are, that leaves one or two values of x per term. */
static int
search(Problem *p, int i, int64_t target)
{
    if (target == 0) {
        return YES;
    }
    if (i == p->n || target < 0 || target > p->reach[i] || target % p->divisor[i] != 0) {
        return NO;
    }
    int64_t step = p->terms[i].step;
    int64_t most = target / step < p->terms[i].bound ? target / step : p->terms[i].bound;
    if (i == p->n - 1) {
        return most * step == target ? YES : NO;
    }
    int64_t rest = p->reach[i + 1];
    int64_t least = target > rest ? (target - rest + step - 1) / step : 0;
    for (int64_t x = most; x >= least; x--) {
        if (p->work_left == 0) {
            return UNDECIDED;
        }
        p->work_left--;
        int found = search(p, i + 1, target - x * step);
        if (found != NO) {
            return found;
        }
    }
    return NO;
}

/* Lowest address of the array, and one past the highest. */
static void
address_range(const GnpArray *a, int64_t *low, int64_t *high)
{
    gnp_layout_bounds(a->ndim, gnp_shape(a), gnp_strides(a), gnp_itemsize(a), low, high);
    *low += (int64_t)a->data;
    *high += (int64_t)a->data;
}

/* The bytes inside of an element are one more axis of step 1: two arrays of different types may
 * share a byte without sharing an element. */
static void
add_terms(Problem *p, const GnpArray *a)
{
    for (int i = 0; i < a->ndim; i++) {
        if (gnp_shape(a)[i] > 1 && gnp_strides(a)[i] != 0) {
            p->terms[p->n++] = (Term){llabs(gnp_strides(a)[i]), gnp_shape(a)[i] - 1};
        }
    }
    if (gnp_itemsize(a) > 1) {
        p->terms[p->n++] = (Term){1, gnp_itemsize(a) - 1};
    }
}

/* Addresses are compared as signed numbers: devices' addresses are below 2^63. */
int
gnp_may_overlap(const GnpArray *a, const GnpArray *b)
{
    int64_t low_a, high_a, low_b, high_b;
    if (a->size == 0 || b->size == 0 || a->device_id != b->device_id) {
        return 0;
    }
    address_range(a, &low_a, &high_a);
    address_range(b, &low_b, &high_b);
    return low_a < high_b && low_b < high_a;
}

int
gnp_solve_overlap(const GnpArray *a, const GnpArray *b, int64_t max_work)
{
    if (!gnp_may_overlap(a, b)) {
        return 0;
    }
    if (max_work == 0) {
        return UNDECIDED;
    }
    /* low_a + (steps of a) = high_b - 1 - (steps of b): every term is positive then. */
    Problem p;
    int64_t low_a, high_a, low_b, high_b;
    p.n = 0;
    p.work_left = max_work;
    address_range(a, &low_a, &high_a);
    address_range(b, &low_b, &high_b);
    add_terms(&p, a);
    add_terms(&p, b);
    prepare(&p);
    return search(&p, 0, high_b - 1 - low_a);
}
