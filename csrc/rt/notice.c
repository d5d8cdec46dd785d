/* Notices about compiling: that the first use of kernels takes time, and that the disk cache cannot
 * be trusted.
 *
 * The clock is read where a compilation ends, under the GIL, so launches cost nothing and no timer
 * thread is needed. Whether and how a notice is shown is decided in Python
 * (gpunp/_core/_compile_notice.py), which handles stderr and notebooks. */
#include "rt/internal.h"

#define NOTICE_SECONDS 0.5 /* of compiling in quick succession */
#define PAUSE_SECONDS 2.0  /* without any: a new succession */

static struct { /* guarded by the GIL */
    double seconds, last_end;
    int count;
    int is_over; /* shown, or not to be shown */
    int is_inside;
} burst;

/* Adds a compilation to the burst; whether the notice is due. */
static int
is_long(double seconds)
{
    const double now = gnp_seconds();
    if (now - seconds - burst.last_end > PAUSE_SECONDS) {
        burst.seconds = 0;
        burst.count = 0;
    }
    burst.last_end = now;
    burst.seconds += seconds;
    burst.count++;
    return burst.seconds >= NOTICE_SECONDS;
}

/* Python returns whether it wants to be called for later ones, too. */
static int
show_notice(void)
{
    PyObject *module = NULL, *result = NULL; /* owned */
    int ret = -1;
    burst.is_inside = 1; /* stderr may be an object of the program whose methods launch kernels */
    GNP_NEW(module, PyImport_ImportModule("gpunp._core._compile_notice"));
    GNP_NEW(result, PyObject_CallMethod(module, "compiled", "id", burst.count, burst.seconds));
    burst.is_over = result != Py_True;
    ret = 0;
fail:
    burst.is_inside = 0;
    Py_XDECREF(module);
    Py_XDECREF(result);
    return ret;
}

int
gnp_compile_told(const GnpCompiled *compiled)
{
    const char *warning = gnp_cache_take_warning();
    if (warning != NULL && gnp_warn(PyExc_RuntimeWarning, "%s", warning) < 0) {
        return -1;
    }
    if (gnp_pack_warn() < 0) {
        return -1;
    }
    if (compiled->seconds <= 0 || burst.is_over || burst.is_inside || !is_long(compiled->seconds)) {
        return 0;
    }
    if (gnp_env_int(GNP_ENV_PROGRESS) == 0) {
        return 0;
    }
    return show_notice();
}
