/* _C.recurrence: linear recurrences along an axis, in one launch. gpunp.scipy.signal checks the
 * arguments and normalises the coefficients.
 *
 * Rows are cut into tiles where the powers of the transition matrix allow it: see
 * kernels/signal/recurrence.cu. Another axis, and what grows too fast to be cut, has a thread a
 * line. */
#include "signal/signal_internal.h"

#include <string.h>

enum {
    MOST_STATE = 32,
    SHARED_BYTES = 47 * 1024,
    FAN = 32, /* as the kernel has it */
    MANY_SAMPLES = 1 << 23,
    MOST_PARTS = 4, /* a power of two; the tables have as many powers more */
    LINES_BLOCK = 128,
};

/* What powers may grow to within a tile, and beyond tiles, where sums of tiles would cancel. */
static const double MOST_IN_TILE = 1e100, MOST_BEYOND = 1e3;

/* One call: lines of `length` samples, `step` elements apart. */
typedef struct {
    GnpArray *in, *out, *start, *end; /* owned; start and end may be NULL */
    GnpSections sections;
    const double *tables; /* of gnp_sections_tables */
    int64_t lines, length, step;
    int backwards;
} Recurrence;

/* How rows are cut: `parts` times `each` samples per thread, `block` threads per tile, and how
 * tiles pass states on. */
typedef struct {
    int each, parts, block, passing, chained, levels, lane, first; /* first: of the powers in use */
    int64_t tiles;
} Plan;

/* States are in double precision whatever the samples are, as errors accumulate along a row. */
static GnpDtype
state_dtype(const Recurrence *r)
{
    const int is_complex = r->sections.is_complex || gnp_dtypes[r->out->dtype].cls == 'c';
    return is_complex ? GNP_C128 : GNP_F64;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* The row of a state has an odd number of words, so that threads fall into different banks. */
static int64_t
shared_bytes(const Recurrence *r, const Plan *p)
{
    const int64_t row = (gnp_sections_state(&r->sections) | 1) * gnp_dtypes[state_dtype(r)].bytes;
    const int64_t samples = (int64_t)p->each * gnp_itemsize(r->out) + 16;
    return p->block * samples + (p->block + 32 + 2) * row;
}

/* Few rows have to be cut into tiles to occupy the device; many rows are a block each, without
 * passing. Short inputs take fewer samples per thread for the same reason; long ones several times
 * as many as shared memory has space for, since joining the states of a tile takes one warp longer
 * than the samples take all of them. */
static void
plan_tiles(const Recurrence *r, const GnpDevice *device, Plan *p)
{
    const int64_t few = (int64_t)device->sm_count * 2;
    const int64_t samples = r->lines * r->length;
    *p = (Plan){.block = 128, .each = samples >= 1 << 20 ? 32 : 8, .parts = 1};
    /* Samples per thread are given up first, then threads: a block of few threads hides less
     * latency. */
    while (p->each > 8 && shared_bytes(r, p) > SHARED_BYTES) {
        p->each /= 2;
    }
    while (shared_bytes(r, p) > SHARED_BYTES) {
        p->block /= 2;
    }
    if (samples >= MANY_SAMPLES && r->length >= (int64_t)p->block * p->each * MOST_PARTS) {
        p->parts = MOST_PARTS;
    }
    p->lane = p->block == 128 ? 2 : p->block == 64 ? 1 : 0;
    p->first = (p->each == 32 ? 2 : p->each == 16 ? 1 : 0) + (p->parts == MOST_PARTS ? 2 : 0);
    p->tiles = gnp_ceil_div(r->length, (int64_t)p->block * p->each * p->parts);
    p->passing = p->tiles > 1 && r->lines < few;
    p->levels = p->lane + (!p->passing ? 5 + (p->tiles > 1) : p->tiles <= FAN ? 10 : 15);
}

/* Whether the powers up to those over a lane's samples times 32 can be used; chooses the chain
 * where those over tiles cannot. */
static int
settle(Plan *p, const double *sizes)
{
    const int in_tile = p->lane + 5 + (p->tiles > 1);
    for (int e = 0; e < in_tile; e++) {
        /* Negated, so that NaN counts as too large. */
        if (!(sizes[p->first + e] <= MOST_IN_TILE)) {
            return 0;
        }
    }
    for (int e = in_tile; e < p->levels; e++) {
        p->chained |= !(sizes[p->first + e] <= MOST_BEYOND);
    }
    return 1;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Before the launch, so that no other stream reuses the memory while the kernel runs. */
static void
record_blocks(const Recurrence *r, CUstream stream)
{
    gnp_block_record(r->in->block, stream);
    gnp_block_record(r->out->block, stream);
    if (r->start != NULL) {
        gnp_block_record(r->start->block, stream);
    }
    if (r->end != NULL) {
        gnp_block_record(r->end->block, stream);
    }
}

/* S, R: samples as stored; A: states; C: coefficients. */
static GnpSpec_recurrence
spec_of(const Recurrence *r, const Plan *p)
{
    return (GnpSpec_recurrence){GNP_SPEC(recurrence),
                                .S = r->in->dtype,
                                .R = r->out->dtype,
                                .A = state_dtype(r),
                                .C = r->sections.is_complex ? GNP_C128 : GNP_F64,
                                .SECTIONS = r->sections.sections,
                                .ORDER = r->sections.order,
                                .EACH = p->each,
                                .PARTS = p->parts,
                                .PASSING = p->passing,
                                .BACKWARDS = r->backwards,
                                .BLOCK = p->block};
}

/* A thread per line, for other axes and for recurrences whose powers cannot be used. */
static int
launch_lines(Recurrence *r, GnpDevice *device, CUdeviceptr factors, CUstream stream)
{
    GnpSpec_recurrence spec = spec_of(r, &(Plan){.each = 1, .parts = 1, .block = LINES_BLOCK});
    spec.head.kernel = GNP_KERNEL_recurrence_lines;
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel == NULL) {
        return -1;
    }
    CUdeviceptr start = r->start != NULL ? r->start->data : 0;
    CUdeviceptr end = r->end != NULL ? r->end->data : 0;
    void *args[] = {&r->out->data, &r->in->data, &factors,   &start,
                    &end,          &r->lines,    &r->length, &r->step};
    return gnp_launch_blocks(kernel, gnp_ceil_div(r->lines, LINES_BLOCK), LINES_BLOCK, stream,
                             args);
}

/* Cleared by a memset in the stream, so that captured graphs clear it at each replay too. */
static GnpBlock *
new_board(const Recurrence *r, const Plan *p, GnpDevice *device, CUstream stream)
{
    /* Tiles post their own states, and groups of FAN and of FAN * FAN tiles theirs. */
    const int64_t posts = p->tiles + p->tiles / FAN + p->tiles / (FAN * FAN);
    const int64_t words = gnp_sections_state(&r->sections) * gnp_dtypes[state_dtype(r)].bytes / 4;
    const size_t nwords = (size_t)(1 + r->lines * posts * words);
    GnpBlock *board = gnp_block_new(device, nwords * 8, stream);
    if (board == NULL) {
        return NULL;
    }
    CU_TRY_QUEUE(cuMemsetD32Async(board->ptr, 0, nwords * 2, stream));
    return board;
fail:
    gnp_block_release(board);
    return NULL;
}

/* Where the basis lies behind the coefficients: an even number, since two numbers are read at a
 * time. */
static size_t
basis_at(const GnpSections *s)
{
    const size_t factors = (size_t)gnp_sections_factors(s) * (1 + (size_t)s->is_complex);
    return factors + factors % 2;
}

/* The board, where tiles post their states, is released after queueing. */
static int
launch_tiles(Recurrence *r, const Plan *p, GnpDevice *device, CUdeviceptr tables, CUstream stream)
{
    GnpBlock *board = NULL; /* owned */
    GnpKernel *kernel;
    int ret = -1;
    GnpSpec_recurrence spec = spec_of(r, p);
    GNP_NEW(kernel, gnp_kernel_find(device, &spec.head, NULL, NULL));
    /* Without passing no tile waits for another. */
    if (p->passing) {
        GNP_NEW(board, new_board(r, p, device, stream));
    }
    CUdeviceptr start = r->start != NULL ? r->start->data : 0;
    CUdeviceptr end = r->end != NULL ? r->end->data : 0;
    CUdeviceptr posted = board != NULL ? board->ptr : 0;
    /* The basis lies behind the coefficients in the same block. */
    CUdeviceptr basis = tables + sizeof(double) * basis_at(&r->sections);
    uint32_t tiles = (uint32_t)p->tiles, chained = (uint32_t)p->chained;
    void *args[] = {&r->out->data, &r->in->data, &tables,    &basis, &start,
                    &end,          &posted,      &r->length, &tiles, &chained};
    GNP_TRY(
        gnp_launch_blocks(kernel, r->lines * (p->passing ? p->tiles : 1), p->block, stream, args));
    ret = 0;
fail:
    gnp_block_release(board);
    return ret;
}

/* The coefficients on the device and, for tiles, the basis with the powers in use behind them.
 * Pageable memory: gnp_copy_h2d has copied it when it returns, so it is freed at once. */
static GnpBlock *
upload(const Recurrence *r, const Plan *p, GnpDevice *device, CUstream stream)
{
    const GnpSections *s = &r->sections;
    const size_t parts = 1 + (size_t)s->is_complex, state = (size_t)gnp_sections_state(s);
    const size_t factors = (size_t)gnp_sections_factors(s) * parts, power = state * state * parts;
    const size_t basis = p != NULL ? power + state * parts : 0;
    const size_t powers = p != NULL ? (size_t)p->levels * power : 0;
    const size_t first = basis_at(s);
    /* One block, as one copy is faster than three. */
    const size_t bytes = (first + basis + powers) * sizeof(double);
    GnpBlock *block = NULL;                /* owned */
    double *host = PyMem_Calloc(1, bytes); /* owned */
    if (host == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(host, s->factors, factors * sizeof *host);
    if (p != NULL) {
        const double *from = r->tables + GNP_POWERS;
        memcpy(host + first, from, basis * sizeof *host);
        memcpy(host + first + basis, from + basis + (size_t)p->first * power,
               powers * sizeof *host);
    }
    block = gnp_block_new(device, bytes, stream);
    if (block != NULL && gnp_copy_h2d(block->ptr, host, bytes, stream) < 0) {
        gnp_block_release(block);
        block = NULL;
    }
    PyMem_Free(host);
    return block;
}

/* Many short rows are faster by a thread each, as a tile would be mostly empty. */
static int
run(Recurrence *r)
{
    GnpBlock *tables = NULL; /* owned */
    int ret = -1;
    Plan plan;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    plan_tiles(r, device, &plan);
    const int is_short = r->length <= 128 && r->lines >= 4096;
    const int in_tiles = r->step == 1 && !is_short && settle(&plan, r->tables);
    GNP_NEW(tables, upload(r, in_tiles ? &plan : NULL, device, stream));
    record_blocks(r, stream);
    GNP_TRY(in_tiles ? launch_tiles(r, &plan, device, tables->ptr, stream)
                     : launch_lines(r, device, tables->ptr, stream));
    ret = 0;
fail:
    gnp_block_release(tables);
    return ret;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A new reference in `out`, also on failure: the caller drops it. None: states of zero, or no
 * wish for them. */
static int
take_states(PyObject *object, const Recurrence *r, GnpArray **out)
{
    if (object == Py_None) {
        return 0;
    }
    if (!gnp_array_check(object)) {
        PyErr_SetString(PyExc_TypeError, "recurrence: states are arrays or None");
        return -1;
    }
    GnpArray *states = gnp_readable((GnpArray *)object, "recurrence");
    *out = states;
    if (states != NULL &&
        (states->dtype != (int)state_dtype(r) || !(states->flags & GNP_C_CONTIGUOUS) ||
         states->size != r->lines * gnp_sections_state(&r->sections))) {
        PyErr_SetString(PyExc_ValueError, "recurrence: a state of each line, of the loop's type");
        return -1;
    }
    return states != NULL ? 0 : -1;
}

/* The coefficients stay bytes of the caller, which its arguments keep alive. */
static int
take_sections(PyObject *const *args, GnpSections *s)
{
    if (gnp_int_from_object(args[1], "sections", &s->sections) < 0 ||
        gnp_int_from_object(args[2], "order", &s->order) < 0) {
        return -1;
    }
    if (!PyBytes_Check(args[0]) || s->sections < 1 || s->order < 1 || s->sections > MOST_STATE ||
        s->order > MOST_STATE || s->sections * s->order > MOST_STATE) {
        PyErr_SetString(PyExc_ValueError, "recurrence: bytes of up to 32 coefficients of feedback");
        return -1;
    }
    const Py_ssize_t each = gnp_sections_factors(s) * (Py_ssize_t)sizeof(double);
    s->is_complex = PyBytes_GET_SIZE(args[0]) == 2 * each;
    s->factors = (const double *)(const void *)PyBytes_AS_STRING(args[0]);
    if (!s->is_complex && PyBytes_GET_SIZE(args[0]) != each) {
        PyErr_SetString(PyExc_ValueError, "recurrence: wrong number of coefficients");
        return -1;
    }
    return 0;
}

/* Made once for coefficients by recurrence_tables, and kept by Python: their powers take longer
 * than a short launch. */
static int
take_tables(PyObject *object, Recurrence *r)
{
    const size_t bytes = gnp_sections_numbers(&r->sections) * sizeof(double);
    if (!PyBytes_Check(object) || (size_t)PyBytes_GET_SIZE(object) != bytes) {
        PyErr_SetString(PyExc_ValueError, "recurrence: tables of recurrence_tables");
        return -1;
    }
    r->tables = (const double *)(const void *)PyBytes_AS_STRING(object);
    return 0;
}

/* `lines` is 0 for empty arrays, where the length may be 0 too. */
static int
take_lines(Recurrence *r, PyObject *number)
{
    const int64_t axis = PyLong_AsLongLong(number);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (axis < 0 || axis >= r->in->ndim || r->in->ndim != r->out->ndim ||
        !(r->in->flags & r->out->flags & GNP_C_CONTIGUOUS) ||
        memcmp(gnp_shape(r->in), gnp_shape(r->out), (size_t)r->in->ndim * sizeof(int64_t)) != 0) {
        PyErr_SetString(PyExc_ValueError, "recurrence: C-contiguous arrays of one shape");
        return -1;
    }
    r->step = 1;
    r->length = gnp_shape(r->in)[axis];
    for (int i = (int)axis + 1; i < r->in->ndim; i++) {
        r->step *= gnp_shape(r->in)[i];
    }
    r->lines = r->in->size > 0 ? r->in->size / r->length : 0;
    return 0;
}

PyDoc_STRVAR(recurrence_tables_doc,
             "recurrence_tables($module, coefficients, sections, order, /)\n--\n\n"
             "Return, as bytes, what recurrence needs besides the coefficients themselves.");

static PyObject *
ops_recurrence_tables(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSections sections;
    if (nargs != 3) {
        PyErr_SetString(PyExc_TypeError, "recurrence_tables takes bytes and two numbers");
        return NULL;
    }
    if (take_sections(args, &sections) < 0) {
        return NULL;
    }
    const size_t bytes = gnp_sections_numbers(&sections) * sizeof(double);
    PyObject *tables = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (tables != NULL &&
        gnp_sections_tables(&sections, (double *)(void *)PyBytes_AS_STRING(tables)) < 0) {
        Py_CLEAR(tables);
    }
    return tables;
}

PyDoc_STRVAR(recurrence_doc,
             "recurrence($module, a, out, coefficients, sections, order, tables, axis, start, end, "
             "backwards, /)\n--\n\n"
             "Write into out the lines of a along an axis after sections of transposed direct\n"
             "form II, whose coefficients are bytes of float64 or complex128; start and end are\n"
             "the states of each line, or None. Backwards a line begins with its last sample; out\n"
             "may be a.");

static PyObject *
ops_recurrence(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Recurrence r = {.in = NULL};
    PyObject *ret = NULL; /* returned */
    if (nargs != 10 || !gnp_array_check(args[0]) || !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "recurrence takes arrays, bytes and numbers");
        return NULL;
    }
    GNP_TRY(take_sections(&args[2], &r.sections));
    GNP_NEW(r.in, gnp_readable((GnpArray *)args[0], "recurrence"));
    GNP_NEW(r.out, gnp_readable((GnpArray *)args[1], "recurrence"));
    GNP_TRY(take_tables(args[5], &r));
    GNP_TRY(take_lines(&r, args[6]));
    GNP_TRY(take_states(args[7], &r, &r.start));
    GNP_TRY(take_states(args[8], &r, &r.end));
    GNP_TRY((r.backwards = PyObject_IsTrue(args[9])));
    if (r.in->size > 0) {
        GNP_TRY(run(&r));
    }
    GNP_TRY(gnp_write_back(r.out, args[1]));
    GNP_TRY(gnp_write_back(r.end, args[8]));
    ret = Py_NewRef(args[1]);
fail:
    Py_XDECREF((PyObject *)r.in);
    Py_XDECREF((PyObject *)r.out);
    Py_XDECREF((PyObject *)r.start);
    Py_XDECREF((PyObject *)r.end);
    return ret;
}

static PyMethodDef functions[] = {
    {"recurrence", (PyCFunction)(void (*)(void))ops_recurrence, METH_FASTCALL, recurrence_doc},
    {"recurrence_tables", (PyCFunction)(void (*)(void))ops_recurrence_tables, METH_FASTCALL,
     recurrence_tables_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_recurrence_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
