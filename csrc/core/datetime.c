/* Units of time: the dtypes of datetime64 and timedelta64, and conversions between them.
 *
 * Every unit in use (kind, base, multiple) gets a dtype number of its own, so that arrays carry it
 * like any other dtype; kernels see one type, GNP_TIME, and factors as parameters. Promotion and
 * casting rules are NumPy's, queried in dtype.c.
 */
#include "core/core_internal.h"

#include <string.h>

/* NumPy's NPY_DATETIMEUNIT, whose numbers are part of its ABI (3 was once business days). */
enum { YEARS, MONTHS, WEEKS, DAYS = 4, HOURS, MINUTES, SECONDS, GENERIC = 14 };

static const char *const base_names[] = {"Y",  "M",  "W",  "?",  "D",  "h",  "m",      "s",
                                         "ms", "us", "ns", "ps", "fs", "as", "generic"};
/* How many of the next finer unit; years and months in days only for timedelta64, by the mean. */
static const int next_finer[] = {12, 0, 7, 0, 24, 60, 60, 1000, 1000, 1000, 1000, 1000, 1000, 1};

/* Entries are added and never removed, so a dtype number stays valid for the life of the process. A
 * program uses a handful of units. */
static GnpTimeUnit units[GNP_STRUCTURED]; /* from GNP_UNITS on; guarded by the GIL */
static char names[GNP_STRUCTURED][32];
static int nunits = GNP_UNITS;

/* A linear search, once per conversion of a descriptor. When the table is full the unit counts as
 * unsupported. */
GnpDtype
gnp_dtype_of_unit(const GnpTimeUnit *unit, PyObject *descr)
{
    for (int i = GNP_UNITS; i < nunits; i++) {
        if (units[i].kind == unit->kind && units[i].base == unit->base &&
            units[i].num == unit->num) {
            return (GnpDtype)i;
        }
    }
    /* A byte-swapped descriptor has the same unit; NumPy's native one is stored. */
    PyObject *native = PyObject_CallMethod(descr, "newbyteorder", "s", "=");
    if (native == NULL || nunits == GNP_STRUCTURED) {
        Py_XDECREF(native);
        PyErr_Clear();
        return GNP_NO_DTYPE;
    }
    const int dtype = nunits++;
    const char *kind = unit->kind == 'M' ? "datetime64" : "timedelta64";
    if (unit->base == GENERIC) {
        PyOS_snprintf(names[dtype], sizeof names[dtype], "%s", kind);
    }
    else if (unit->num == 1) {
        PyOS_snprintf(names[dtype], sizeof names[dtype], "%s[%s]", kind, base_names[unit->base]);
    }
    else {
        PyOS_snprintf(names[dtype], sizeof names[dtype], "%s[%d%s]", kind, unit->num,
                      base_names[unit->base]);
    }
    units[dtype] = *unit;
    gnp_dtypes[dtype] = gnp_dtypes[GNP_TIME];
    gnp_dtypes[dtype].letter = gnp_dtypes[dtype].cls = unit->kind;
    gnp_dtypes[dtype].name = names[dtype];
    /* Its own dtype, so that operations which do not know units refuse it by gnp_has_unit(). */
    gnp_dtypes[dtype].compute = gnp_dtypes[dtype].real = (GnpDtype)dtype;
    gnp_dtype_set_object((GnpDtype)dtype, native);
    Py_DECREF(native);
    return (GnpDtype)dtype;
}

/* astype('M8') without a unit keeps the unit that the values have, as in NumPy. */
GnpDtype
gnp_wanted_dtype(GnpDtype wanted, GnpDtype own)
{
    if (GNP_LIKELY(!gnp_has_unit(wanted)) || !gnp_has_unit(own) || units[wanted].base != GENERIC ||
        units[own].base == GENERIC) {
        return wanted;
    }
    GnpTimeUnit unit = units[own];
    char text[32];
    unit.kind = units[wanted].kind;
    PyOS_snprintf(text, sizeof text, "%c8[%d%s]", unit.kind, unit.num, base_names[unit.base]);
    PyObject *descr = PyObject_CallMethod(gnp_state.numpy, "dtype", "s", text);
    GnpDtype found = descr == NULL ? GNP_NO_DTYPE : gnp_dtype_of_unit(&unit, descr);
    Py_XDECREF(descr);
    PyErr_Clear();
    return found == GNP_NO_DTYPE ? wanted : found;
}

int
gnp_refuse_unit(const char *name, int dtype)
{
    PyErr_Format(PyExc_TypeError, "%s is not supported for %s", name, gnp_dtypes[dtype].name);
    return -1;
}

/* By name, without importing datetime: its classes are the only ones with these names, subclasses
 * aside. */
int
gnp_is_date(PyObject *object)
{
    const char *name = Py_TYPE(object)->tp_name;
    return strcmp(name, "datetime.datetime") == 0 || strcmp(name, "datetime.date") == 0 ||
           strcmp(name, "datetime.timedelta") == 0;
}

int
gnp_is_date_like(PyObject *object)
{
    return PyUnicode_Check(object) || PyBytes_Check(object) || object == Py_None ||
           gnp_is_date(object);
}

/* ---- factors --------------------------------------------------------------------------------- */

/* num / den = how many of unit `to` make one of `from`; `from` is the coarser base. Months have no
 * fixed number of days; for timedelta64 NumPy uses the mean of the Gregorian calendar, in which 400
 * years are 146097 days. */
static int
linear_factor(int from, int to, int64_t *num, int64_t *den)
{
    *num = *den = 1;
    while (from < to) {
        if (from == MONTHS || (from == YEARS && to > MONTHS)) {
            *num *= 146097;
            *den *= from == YEARS ? 400 : 4800; /* 400 years are 146097 days */
            if (to == WEEKS) {
                *den *= 7;
                return 0;
            }
            from = DAYS;
            continue;
        }
        const int64_t common = gnp_gcd(next_finer[from], *den); /* keeps num small */
        *den /= common;
        if (gnp_mul_size(*num, next_finer[from] / common, num) < 0) {
            return -1;
        }
        from = from == WEEKS ? DAYS : from + 1;
    }
    return 0;
}

/* A factor between two units of which neither is reached through the calendar. Reduced after each
 * step, so that only factors which truly exceed 64 bits are refused: years to attoseconds, for
 * instance. */
static int
simple_factor(const GnpTimeUnit *from, const GnpTimeUnit *to, GnpTimeFactor *f)
{
    int64_t num, den;
    int swap = from->base > to->base, status;
    status = swap ? linear_factor(to->base, from->base, &den, &num)
                  : linear_factor(from->base, to->base, &num, &den);
    int64_t common = status < 0 ? 1 : gnp_gcd(num, den);
    if (status < 0 || gnp_mul_size(num / common, from->num, &f->num) < 0 ||
        gnp_mul_size(den / common, to->num, &f->den) < 0) {
        PyErr_Format(PyExc_OverflowError,
                     "Integer overflow while computing the conversion factor between NumPy "
                     "datetime units %s and %s",
                     base_names[from->base], base_names[to->base]);
        return -1;
    }
    common = gnp_gcd(f->num, f->den);
    f->num /= common;
    f->den /= common;
    return 0;
}

/* Dates between months and days go through the calendar, in the kernel; everything else is one
 * multiplication and division. */
int
gnp_time_factor(GnpDtype from_dtype, GnpDtype to_dtype, GnpTimeFactor *f)
{
    const GnpTimeUnit *from = &units[from_dtype], *to = &units[to_dtype];
    const GnpTimeUnit days = {'M', DAYS, 1};
    *f = (GnpTimeFactor){1, 1, 0, 0};
    if (from->base == GENERIC || to->base == GENERIC) {
        return 0;
    }
    int months_in = from->base <= MONTHS, months_out = to->base <= MONTHS;
    if (from->kind != 'M' || months_in == months_out) {
        return simple_factor(from, to, f);
    }
    if (months_in) {
        f->months_in = (int64_t)from->num * (from->base == YEARS ? 12 : 1);
        return simple_factor(&days, to, f);
    }
    f->months_out = (int64_t)to->num * (to->base == YEARS ? 12 : 1);
    return simple_factor(from, &days, f);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static const GnpElementOp rescale_op = {
    .name = "rescale", .expression = "rescaled(a, b, c)", .nin = 3, .nout = 1};
static const GnpElementOp from_months_op = {
    .name = "from_months", .expression = "from_months(a, b, c, d)", .nin = 4, .nout = 1};
static const GnpElementOp to_months_op = {
    .name = "to_months", .expression = "to_months(a, b, c, d)", .nin = 4, .nout = 1};

static GnpOperand
number_operand(const int64_t *value)
{
    return (GnpOperand){.scalar = value, .dtype = GNP_I64, .compute = GNP_I64};
}

/* The factors are scalars of the launch, so all pairs of units share a few kernels. */
int
gnp_copy_units(GnpArray *dst, const GnpArray *src, const int64_t *src_strides)
{
    /* Between the two kinds, and from and to numbers, the count stays the same. */
    const int both = gnp_has_unit(dst->dtype) && gnp_has_unit(src->dtype) &&
                     gnp_dtypes[dst->dtype].cls == gnp_dtypes[src->dtype].cls;
    const int to = gnp_kernel_dtype(dst->dtype), from = gnp_kernel_dtype(src->dtype);
    GnpTimeFactor f = {1, 1, 0, 0};
    const GnpElementOp *op = &gnp_copy_op;
    GnpOperand operands[5];
    int n = 0;
    if (both && gnp_time_factor((GnpDtype)src->dtype, (GnpDtype)dst->dtype, &f) < 0) {
        return -1;
    }
    operands[n++] = (GnpOperand){.data = src->data,
                                 .block = src->block,
                                 .strides = src_strides,
                                 .dtype = from,
                                 .compute = to};
    if (f.months_in != 0 || f.months_out != 0) {
        op = f.months_in != 0 ? &from_months_op : &to_months_op;
        operands[n++] = number_operand(f.months_in != 0 ? &f.months_in : &f.months_out);
    }
    else if (f.num != 1 || f.den != 1) {
        op = &rescale_op;
    }
    if (op != &gnp_copy_op) {
        operands[n++] = number_operand(&f.num);
        operands[n++] = number_operand(&f.den);
    }
    operands[n++] = (GnpOperand){.data = dst->data,
                                 .block = dst->block,
                                 .strides = gnp_strides(dst),
                                 .dtype = to,
                                 .compute = to};
    return gnp_elementwise(op, operands, dst->ndim, gnp_shape(dst));
}
