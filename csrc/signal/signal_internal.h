/* Private to signal/. */
#ifndef GNP_SIGNAL_INTERNAL_H
#define GNP_SIGNAL_INTERNAL_H

#include "signal/signal.h"

int gnp_frames_init(PyObject *module);
int gnp_harmonics_init(PyObject *module);
int gnp_feedback_init(PyObject *module);
int gnp_recurrence_init(PyObject *module);
int gnp_upfirdn_init(PyObject *module);

/* ---- powers of a transition matrix (powers.c) ------------------------------------------------ */

/* The coefficients of sections of transposed direct form II, as kernels/signal/recurrence.cuh has
 * them: real numbers, or pairs of real and imaginary part. */
typedef struct {
    const double *factors;
    int sections, order, is_complex;
} GnpSections;

static inline int
gnp_sections_state(const GnpSections *s)
{
    return s->sections * s->order;
}
static inline int
gnp_sections_factors(const GnpSections *s)
{
    return s->sections * (2 * s->order + 1);
}

/* Powers of the transition matrix: number e is over 2^(GNP_FIRST_POWER + e) samples. */
enum { GNP_FIRST_POWER = 3, GNP_POWERS = 21 };

/* The numbers that gnp_sections_tables writes. */
static inline size_t
gnp_sections_numbers(const GnpSections *s)
{
    const int n = gnp_sections_state(s);
    return GNP_POWERS + (size_t)((n * n * (1 + GNP_POWERS) + n) * (1 + s->is_complex));
}

/* Writes the largest number by magnitude of each power (infinite for NaN); then, as
 * kernels/signal/recurrence.cu reads them, the basis in which powers are taken, an upper triangle,
 * the reciprocals of its diagonal, and the powers, each matrix row by row. */
int gnp_sections_tables(const GnpSections *s, double *to);

#endif
