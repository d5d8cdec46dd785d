/* The parameters of a draw: numbers, or arrays to be broadcast. */
#ifndef GNP_RANDOM_PARAMETERS_H
#define GNP_RANDOM_PARAMETERS_H

#include "random/random.h"

enum { GNP_RANDOM_PARAMETERS = 3 };

typedef struct {
    int n, narrays;
    GnpScalar value[GNP_RANDOM_PARAMETERS];
    GnpArray *array[GNP_RANDOM_PARAMETERS]; /* owned; NULL: the value */
    int ndim;                               /* of all arrays broadcast together */
    int64_t shape[GNP_MAX_DIMS];
    GnpAxes axes; /* of the result; set when narrays > 0 */
} GnpRandomParameters;

static inline void
gnp_random_parameters_init(GnpRandomParameters *p)
{
    p->n = p->narrays = p->ndim = 0;
    p->axes.naxes = 0;
}
void gnp_random_parameters_clear(GnpRandomParameters *p);

/* Appends an argument of a method, as float64, for the parameter at this place of `names`. Numbers
 * and host arrays are checked; device arrays are not, because that would wait. */
int gnp_random_parameter(GnpRandomParameters *p, PyObject *object, const char *names, char check);
/* Appends an array of uint64, or a number below 2^64. */
int gnp_random_parameter_bits(GnpRandomParameters *p, PyObject *object);
/* Computes the axes for a result of this shape; ValueError when the arrays do not broadcast to it.
 */
int gnp_random_parameters_fit(GnpRandomParameters *p, int ndim, const int64_t *shape);

#endif
