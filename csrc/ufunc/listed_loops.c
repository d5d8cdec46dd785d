/* Loops of rows of tables/special.def: a list such as "dd->d ff->f", in SciPy's order.
 *
 * NumPy takes the loop whose types are the operands' exactly, or else the first to which all inputs
 * cast safely; so the order decides what small integers, bool and float16 give.
 */
#include "ufunc/ufunc.h"

#include <string.h>

/* NumPy's characters, as far as the table uses them. */
static GnpDtype
dtype_of_letter(char letter)
{
    switch (letter) {
    case 'f':
        return GNP_F32;
    case 'd':
        return GNP_F64;
    case 'F':
        return GNP_C64;
    case 'D':
        return GNP_C128;
    default:
        return GNP_I64; /* 'l'; a test compares all loops with SciPy's */
    }
}

/* All loops of a row have the same length of text, so the i-th is at a fixed place. */
int
gnp_listed_loop(const GnpUfuncRow *row, int i, GnpLoop *loop)
{
    const int nin = row->op.nin, nargs = nin + row->op.nout;
    const char *text = row->loops;
    if ((size_t)i * (size_t)(nargs + 3) >= strlen(text)) { /* "->" and a space */
        return 0;
    }
    text += i * (nargs + 3);
    for (int k = 0; k < nargs; k++) {
        loop->dtype[k] = (int16_t)dtype_of_letter(text[k < nin ? k : k + 2]);
    }
    loop->found = 1;
    return 1;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* bool, integers, floats, complex numbers: what a Python scalar may become. The order of kinds in
 * which NumPy's scalars become stronger. */
static int
kind_of(GnpDtype t)
{
    switch (gnp_dtypes[t].cls) {
    case '?':
        return 0;
    case 'i':
    case 'u':
        return 1;
    case 'f':
        return 2;
    default:
        return 3;
    }
}

/* Python's kinds in the order of kind_of. */
static int
kind_of_weak(GnpWeak weak)
{
    return weak == GNP_WEAK_BOOL ? 0 : weak == GNP_WEAK_INT ? 1 : weak == GNP_WEAK_FLOAT ? 2 : 3;
}

/* What a Python number is beside no array: the default dtype of its kind. */
static GnpDtype
default_of_weak(GnpWeak weak)
{
    static const GnpDtype dtypes[] = {GNP_BOOL, GNP_I64, GNP_F64, GNP_C128};
    return dtypes[kind_of_weak(weak)];
}

/* 1 where Python's scalars adapt to the arrays: none is of a higher kind than all of them, floats
 * and complex numbers being one kind here, as for NumPy. NumPy's rule for ufuncs whose loops are a
 * list. */
static int
scalars_are_weak(const GnpUfuncRow *row, const GnpInputType *in)
{
    int highest_array = -1, highest_scalar = -1;
    for (int i = 0; i < row->op.nin; i++) {
        int weak = in[i].weak != GNP_WEAK_NONE;
        int kind = weak ? kind_of_weak(in[i].weak) : kind_of(in[i].dtype);
        kind = kind > 2 ? 2 : kind;
        int *highest = weak ? &highest_scalar : &highest_array;
        *highest = kind > *highest ? kind : *highest;
    }
    return highest_array >= highest_scalar;
}

/* Weak numbers adapt, so only their kind matters; strong ones cast like arrays. */
static int
input_fits(const GnpInputType *in, GnpDtype to, int weak, GnpCasting casting)
{
    if (in->weak == GNP_WEAK_NONE) {
        return gnp_can_cast(in->dtype, to, casting);
    }
    return weak ? casting == GNP_CAST_UNSAFE || kind_of_weak(in->weak) <= kind_of(to)
                : gnp_can_cast(default_of_weak(in->weak), to, casting);
}

/* Only arrays match exactly: a Python number has no dtype of its own. */
static int
is_exact(const GnpUfuncRow *row, const GnpInputType *in, const GnpLoop *loop)
{
    for (int i = 0; i < row->op.nin; i++) {
        if (in[i].weak != GNP_WEAK_NONE || (int)in[i].dtype != loop->dtype[i]) {
            return 0;
        }
    }
    return 1;
}

static int
inputs_fit(const GnpUfuncRow *row, const GnpInputType *in, const GnpLoop *loop, GnpCasting casting)
{
    const int weak = scalars_are_weak(row, in);
    for (int i = 0; i < row->op.nin; i++) {
        if (!input_fits(&in[i], (GnpDtype)loop->dtype[i], weak, casting)) {
            return 0;
        }
    }
    return 1;
}

static int
is_wanted(const GnpUfuncRow *row, const GnpLoop *loop, const GnpDtype *wanted)
{
    for (int i = 0; wanted != NULL && i < row->op.nin + row->op.nout; i++) {
        if (wanted[i] != GNP_NO_DTYPE && (int)wanted[i] != loop->dtype[i]) {
            return 0;
        }
    }
    return 1;
}

/* The first loop of those wanted that the inputs have exactly, or to which they cast. Two rounds,
 * since an exact match later in the list goes before a cast earlier in it. */
static int
search(const GnpUfuncRow *row, const GnpInputType *in, const GnpDtype *wanted, GnpCasting casting,
       GnpLoop *loop)
{
    for (int i = 0; gnp_listed_loop(row, i, loop); i++) {
        if (is_exact(row, in, loop) && is_wanted(row, loop, wanted)) {
            return 1;
        }
    }
    for (int i = 0; gnp_listed_loop(row, i, loop); i++) {
        if (is_wanted(row, loop, wanted) && inputs_fit(row, in, loop, casting)) {
            return 1;
        }
    }
    return 0;
}

int
gnp_listed_find(const GnpUfuncRow *row, const GnpInputType *in, GnpLoop *loop)
{
    return search(row, in, NULL, GNP_CAST_SAFE, loop);
}

/* The loop whose operands all have the type wanted of an output. dtype= alone means the type of the
 * result; NumPy then prefers a loop of this type throughout. */
static int
find_homogeneous(const GnpUfuncRow *row, const GnpDtype *wanted, GnpLoop *loop)
{
    for (int i = 0; gnp_listed_loop(row, i, loop); i++) {
        int same = is_wanted(row, loop, wanted);
        for (int k = 1; k < row->op.nin + row->op.nout; k++) {
            same = same && loop->dtype[k] == loop->dtype[0];
        }
        if (same) {
            return 1;
        }
    }
    return 0;
}

/* With inputs named in the signature NumPy casts more freely, step by step. */
int
gnp_listed_find_matching(const GnpUfuncRow *row, const GnpInputType *in, const GnpDtype *wanted,
                         GnpLoop *loop)
{
    static const GnpCasting tries[] = {GNP_CAST_SAFE, GNP_CAST_SAME_KIND, GNP_CAST_UNSAFE};
    int names_input = 0;
    for (int i = 0; i < row->op.nin; i++) {
        names_input |= wanted[i] != GNP_NO_DTYPE;
    }
    for (int i = 0; i < (names_input ? 3 : 1); i++) {
        if (search(row, in, wanted, tries[i], loop)) {
            return 1;
        }
    }
    return !names_input && find_homogeneous(row, wanted, loop);
}
