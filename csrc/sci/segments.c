/* _C.segments, _C.segment_index, _C.segment_keys and _C.segments_sorted: sums and extremes of the
 * elements of each label. Few labels have accumulators in shared memory, many are sorted first; no
 * order depends on the run. gpunp.scipy.ndimage checks the arguments. `segment_index` makes the
 * table of labels, `segments` is for few, `segment_keys` and `segments_sorted` for many, between
 * which Python sorts. Atomic additions are avoided on purpose: their order, and so the rounding of
 * sums, would change from run to run. */
#include "sci/sci_internal.h"

enum {
    KEYS_BLOCK = 256,
    INDEX_BLOCK = 256,
    FINISH_BLOCK = 256,
    SORTED_BLOCK = 256,
    SPARE_BYTES = 2048
};
enum { MOST_INDEX = 2048 }; /* each block of segments_index reads all */
enum { VALUES, LABELS, TABLE, CENTRES, OUT, AT, ORDER, STARTS, ARRAYS };

/* One call; a place of `array` is NULL where the function has no such argument. */
typedef struct {
    GnpArray *array[ARRAYS]; /* owned or NULL */
    GnpSegments shape;
    int operation, source, order;
} Task;

/* In the order of the enumerations in kernels/ndimage/shared.cuh. */
static const char *const operations[] = {"sum", "least", "most"};
static const char *const sources[] = {"one", "value", "moment", "square", "place"};
static const char *const orders[] = {"sorted", "first"};

/* ---- arguments ------------------------------------------------------------------------------- */

/* None stays NULL. The caller drops what was taken, on failure too. */
static int
take_array(PyObject *object, GnpArray **out)
{
    if (object == Py_None) {
        return 0;
    }
    if (!gnp_array_check(object)) {
        PyErr_SetString(PyExc_TypeError, "segments: gpunp arrays");
        return -1;
    }
    *out = gnp_readable((GnpArray *)object, "segments");
    if (*out != NULL && !((*out)->flags & GNP_C_CONTIGUOUS)) {
        PyErr_SetString(PyExc_ValueError, "segments: C-contiguous arrays");
        return -1;
    }
    return *out == NULL ? -1 : 0;
}

/* operation, source, order, length and step. */
static int
take_rule(PyObject *const *args, Task *t)
{
    GNP_TRY(gnp_name_from_object(args[0], operations, 3, &t->operation));
    GNP_TRY(gnp_name_from_object(args[1], sources, 5, &t->source));
    GNP_TRY(gnp_name_from_object(args[2], orders, 2, &t->order));
    t->shape.length = PyNumber_AsSsize_t(args[3], PyExc_OverflowError);
    t->shape.step = PyNumber_AsSsize_t(args[4], PyExc_OverflowError);
    if (!PyErr_Occurred() && t->shape.length > 0 && t->shape.step > 0) {
        return 0;
    }
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "segments: a positive length and step");
    }
fail:
    return -1;
}

/* A missing array is never right here, so the result is also a test for NULL. */
static int
has(const GnpArray *a, int64_t size, GnpDtype dtype)
{
    return a != NULL && a->size == size && a->dtype == dtype;
}

/* Whether the results and what elements contribute fit the rule. Sums are float64; extremes have
 * the type of the elements, and the index of the element beside them. Labels are counted in 32
 * bits by the kernels. */
static int
check_rule(const Task *t)
{
    const GnpArray *values = t->array[VALUES], *out = t->array[OUT];
    const int64_t labels = t->shape.labels;
    /* The other sources come from the index alone, so values would be ignored silently. */
    const int reads = t->source != SEGMENT_ONE && t->source != SEGMENT_PLACE;
    const int fits =
        out != NULL && labels > 0 && labels < INT32_MAX && reads == (values != NULL) &&
        (values == NULL || values->size == t->shape.size) &&
        (t->source != SEGMENT_SQUARE || has(t->array[CENTRES], labels, GNP_F64)) &&
        (t->operation == SEGMENT_SUM
             ? has(out, labels, GNP_F64) && (!reads || gnp_dtypes[values->dtype].cls != 'c')
             : has(out, labels, reads ? (GnpDtype)values->dtype : GNP_I64) &&
                   has(t->array[AT], labels, GNP_I64));
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "segments: shapes and types of the arrays");
    }
    return fits ? 0 : -1;
}

/* Labels are looked up by binary search, in int64 or float64, which hold all real labels. */
static int
check_table(const Task *t)
{
    const GnpArray *table = t->array[TABLE], *labels = t->array[LABELS];
    if (table != NULL && labels != NULL && table->size > 0 && table->size < INT32_MAX &&
        (table->dtype == GNP_I64 || table->dtype == GNP_F64) &&
        gnp_dtypes[labels->dtype].cls != 'c') {
        return 0;
    }
    PyErr_SetString(PyExc_ValueError, "segments: labels, and a table of int64 or float64");
    return -1;
}

/* Drops the references of the call and returns `ret`. */
static PyObject *
finish(Task *t, PyObject *ret)
{
    for (int i = 0; i < ARRAYS; i++) {
        Py_XDECREF((PyObject *)t->array[i]);
    }
    return ret;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* What an accumulator is made of when the source is not an array but an index or one. */
static GnpDtype
element_type(const Task *t)
{
    if (t->array[VALUES] != NULL) {
        return (GnpDtype)t->array[VALUES]->dtype;
    }
    return t->operation == SEGMENT_SUM ? GNP_F64 : GNP_I64;
}

/* The bits by which lanes of a warp compare their labels: those of the labels' numbers and one more
 * number for the absent ones, in few different kernels. */
static int
find_bits(int64_t labels)
{
    int bits = 5;
    while (labels >> bits != 0) {
        bits += 5;
    }
    return bits;
}

/* Shared memory beyond 48 KiB has to be enabled (CUDA C++ Programming Guide, "Shared Memory" of
 * compute capability 7.0 and later); SPARE_BYTES leave room for static variables. */
static GnpKernel *
find_kernel(const Task *t, GnpKernelId id, int width, int block, GnpDevice *device)
{
    GnpSpec_segments spec = {GNP_SPEC(segments),
                             .head.wide = t->shape.size >= UINT32_MAX,
                             .S = element_type(t),
                             .K = t->array[LABELS] != NULL ? t->array[LABELS]->dtype : GNP_I32,
                             .X = t->array[TABLE] != NULL ? t->array[TABLE]->dtype : GNP_I64,
                             .OPERATION = t->operation,
                             .SOURCE = t->source,
                             .ORDER = t->order,
                             .WIDTH = width,
                             .BITS = id == GNP_KERNEL_segments ? find_bits(t->shape.labels) : 5,
                             .BLOCK = block};
    spec.head.kernel = id;
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel != NULL && id == GNP_KERNEL_segments &&
        gnp_kernel_allow_shared(kernel, device->optin_shared_bytes - SPARE_BYTES) < 0) {
        return NULL;
    }
    return kernel;
}

/* Addresses for the launch; all arrays are recorded as used by the stream. */
static void
record(const Task *t, CUstream stream, CUdeviceptr *data)
{
    for (int i = 0; i < ARRAYS; i++) {
        data[i] = t->array[i] != NULL ? t->array[i]->data : 0;
        if (t->array[i] != NULL) {
            gnp_block_record(t->array[i]->block, stream);
        }
    }
}

/* Bytes of the kernels' accumulator. An extreme carries the index of its element, aligned like
 * the wider of both. */
static int64_t
accumulator_bytes(const Task *t)
{
    /* Sums are float64 whatever the elements are. */
    if (t->operation == SEGMENT_SUM) {
        return 8;
    }
    const int64_t index = t->shape.size >= UINT32_MAX ? 8 : 4;
    const int64_t item = gnp_dtypes[element_type(t)].bytes;
    return 2 * (item > index ? item : index);
}

/* Elements per access: what 16 bytes hold of the wider of the arrays, at most 4. */
static int
find_width(const Task *t)
{
    int width = 4;
    for (int i = VALUES; i <= LABELS; i++) {
        const GnpArray *a = t->array[i];
        const int item = a == NULL ? 1 : (int)gnp_itemsize(a);
        while (width > 1 &&
               (width * item > 16 || (a != NULL && a->data % (uint64_t)(width * item)))) {
            width /= 2;
        }
    }
    return width;
}

/* Shared memory of a block: accumulators, and the words in which lanes of one label meet. */
static int64_t
shared_bytes(int block, int64_t labels, int64_t bytes)
{
    return block / 32 * (labels * bytes + SEGMENT_SLOTS * (int64_t)sizeof(uint32_t));
}

/* Threads of a block whose warps have all labels in shared memory; 0: there are too many. Two
 * blocks per multiprocessor hide each other's latency, so half the shared memory is the limit
 * for all but the smallest block. */
static int
find_block(int64_t labels, int64_t bytes, int64_t most)
{
    for (int block = 256; block >= 64; block /= 2) {
        if (shared_bytes(block, labels, bytes) <= (block == 64 ? most : most / 2)) {
            return block;
        }
    }
    return 0;
}

/* As many blocks as are resident at once: each has its accumulators in shared memory, so more
 * blocks would only add rows for segments_finish to combine. 2048 threads are resident per
 * multiprocessor at most. The order of combining is fixed by the row. */
static int
launch_shared(const Task *t, int block, int64_t bytes, int64_t most, GnpDevice *device)
{
    int ret = -1;
    GnpArray *partial = NULL; /* owned */
    const int64_t labels = t->shape.labels, shared = shared_bytes(block, labels, bytes);
    const int width = find_width(t);
    /* No more blocks than there is work for. */
    const int64_t chunks = gnp_ceil_div(t->shape.size, (int64_t)block * width);
    const int64_t fit = most / (shared + 1), resident = fit > 2048 / block ? 2048 / block : fit;
    /* One at least: a block may take all the shared memory there is. */
    const int64_t at_once = device->sm_count * (resident < 1 ? 1 : resident);
    const int64_t rows = chunks < at_once ? chunks : at_once;
    /* As bytes: an accumulator of an extreme has no dtype. */
    const int64_t length = rows * labels * bytes;
    GnpKernel *first = find_kernel(t, GNP_KERNEL_segments, width, block, device);
    GnpKernel *last = find_kernel(t, GNP_KERNEL_segments_finish, 1, FINISH_BLOCK, device);
    if (first == NULL || last == NULL) {
        return -1;
    }
    GNP_NEW(partial, gnp_array_new(1, &length, GNP_U8, 'C'));
    CUstream stream = gnp_stream_current(device);
    CUdeviceptr data[ARRAYS];
    record(t, stream, data);
    gnp_block_record(partial->block, stream);
    void *args[] = {&data[VALUES],  &data[LABELS],  &data[TABLE],
                    &data[CENTRES], &partial->data, (void *)&t->shape};
    const unsigned grid[3] = {(unsigned)rows, 1, 1}, threads[3] = {(unsigned)block, 1, 1};
    GNP_TRY(gnp_launch(first, grid, threads, (unsigned)shared, stream, args));
    void *ends[] = {&partial->data, &data[OUT], &data[AT], (void *)&rows, (void *)&labels};
    GNP_TRY(gnp_launch_blocks(last, gnp_ceil_div(labels, (int64_t)SEGMENT_BINS), FINISH_BLOCK,
                              stream, ends));
    ret = 0;
fail:
    Py_XDECREF((PyObject *)partial);
    return ret;
}

PyDoc_STRVAR(segments_doc,
             "segments($module, values, labels, table, centres, out, at, operation, source,\n"
             "         order, length, step, /)\n--\n\n"
             "Write into out, for each label of the ascending table, the sum or an extreme of its\n"
             "elements, and into at the extreme's index. False: there are too many labels.");

/* False tells Python that there are too many labels for shared memory, so that it sorts. */
static PyObject *
segments(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Task t = {.array = {NULL}};
    PyObject *ret = NULL;
    if (nargs != 11) {
        PyErr_SetString(PyExc_TypeError, "segments takes eleven arguments");
        return NULL;
    }
    for (int i = VALUES; i <= AT; i++) {
        GNP_TRY(take_array(args[i], &t.array[i]));
    }
    GNP_TRY(take_rule(args + AT + 1, &t));
    GNP_TRY(check_table(&t));
    t.shape.size = t.array[LABELS]->size;
    t.shape.labels = t.array[TABLE]->size;
    GNP_TRY(check_rule(&t));
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        goto fail;
    }
    const int64_t bytes = accumulator_bytes(&t), most = device->optin_shared_bytes - SPARE_BYTES;
    const int block = find_block(t.shape.labels, bytes, most);
    /* Otherwise nothing was launched, and `out` is as it was. */
    if (block > 0) {
        GNP_TRY(launch_shared(&t, block, bytes, most, device));
        GNP_TRY(gnp_write_back(t.array[OUT], args[OUT]));
        GNP_TRY(gnp_write_back(t.array[AT], args[AT]));
    }
    ret = PyBool_FromLong(block > 0);
fail:
    return finish(&t, ret);
}

PyDoc_STRVAR(segment_index_doc,
             "segment_index($module, index, table, places, /)\n--\n\n"
             "Write into table the index in ascending order, and into places where each of its\n"
             "numbers is there. False: the index is too long.");

/* One launch, where sorting and searching would be two and more. */
static PyObject *
segment_index(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Task t = {.array = {NULL}};
    PyObject *ret = NULL;
    if (nargs != 3) {
        PyErr_SetString(PyExc_TypeError, "segment_index takes three arguments");
        return NULL;
    }
    GNP_TRY(take_array(args[0], &t.array[LABELS]));
    GNP_TRY(take_array(args[1], &t.array[TABLE]));
    GNP_TRY(take_array(args[2], &t.array[AT]));
    GNP_TRY(check_table(&t));
    t.shape.size = t.array[LABELS]->size;
    if (t.array[TABLE]->size != t.shape.size || !has(t.array[AT], t.shape.size, GNP_I64)) {
        PyErr_SetString(PyExc_ValueError, "segment_index: a table and int64 places of its shape");
        goto fail;
    }
    if (t.shape.size <= MOST_INDEX) {
        GnpDevice *device;
        GnpKernel *kernel;
        GNP_NEW(device, gnp_device_current());
        GNP_NEW(kernel, find_kernel(&t, GNP_KERNEL_segments_index, 1, INDEX_BLOCK, device));
        CUstream stream = gnp_stream_current(device);
        CUdeviceptr data[ARRAYS];
        record(&t, stream, data);
        void *values[] = {&data[LABELS], &data[TABLE], &data[AT], &t.shape.size};
        GNP_TRY(gnp_launch_blocks(kernel, gnp_ceil_div(t.shape.size, (int64_t)INDEX_BLOCK),
                                  INDEX_BLOCK, stream, values));
        GNP_TRY(gnp_write_back(t.array[TABLE], args[1]));
        GNP_TRY(gnp_write_back(t.array[AT], args[2]));
    }
    ret = PyBool_FromLong(t.shape.size <= MOST_INDEX);
fail:
    return finish(&t, ret);
}

PyDoc_STRVAR(segment_keys_doc,
             "segment_keys($module, labels, table, keys, /)\n--\n\n"
             "Write into keys, of int32, the place of each label in the ascending table, or the\n"
             "table's length where it is absent.");

/* The keys of absent labels sort behind all others. */
static PyObject *
segment_keys(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Task t = {.array = {NULL}};
    PyObject *ret = NULL;
    if (nargs != 3) {
        PyErr_SetString(PyExc_TypeError, "segment_keys takes three arguments");
        return NULL;
    }
    GNP_TRY(take_array(args[0], &t.array[LABELS]));
    GNP_TRY(take_array(args[1], &t.array[TABLE]));
    GNP_TRY(take_array(args[2], &t.array[OUT]));
    GNP_TRY(check_table(&t));
    t.shape.size = t.array[LABELS]->size;
    t.shape.labels = t.array[TABLE]->size;
    if (!has(t.array[OUT], t.shape.size, GNP_I32)) {
        PyErr_SetString(PyExc_ValueError, "segment_keys: int32 keys of the labels' shape");
        goto fail;
    }
    GnpDevice *device = gnp_device_current();
    GnpKernel *kernel =
        device == NULL ? NULL : find_kernel(&t, GNP_KERNEL_segments_keys, 1, KEYS_BLOCK, device);
    if (kernel == NULL) {
        goto fail;
    }
    CUstream stream = gnp_stream_current(device);
    CUdeviceptr data[ARRAYS];
    record(&t, stream, data);
    void *values[] = {&data[LABELS], &data[TABLE], &data[OUT], &t.shape};
    if (t.shape.size > 0) {
        GNP_TRY(gnp_launch_blocks(kernel, gnp_ceil_div(t.shape.size, (int64_t)KEYS_BLOCK),
                                  KEYS_BLOCK, stream, values));
    }
    GNP_TRY(gnp_write_back(t.array[OUT], args[2]));
    ret = Py_NewRef(args[2]);
fail:
    return finish(&t, ret);
}

PyDoc_STRVAR(
    segments_sorted_doc,
    "segments_sorted($module, values, order, starts, centres, out, at, operation, source,\n"
    "                rule, length, step, /)\n--\n\n"
    "Do what segments does of elements that are given in the order of their labels, with\n"
    "the place of the first of each label in that order, and of the end.");

/* A warp handles a label, so a block of 256 threads has eight. */
static PyObject *
segments_sorted(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    static const int places[] = {VALUES, ORDER, STARTS, CENTRES, OUT, AT};
    Task t = {.array = {NULL}};
    PyObject *ret = NULL;
    if (nargs != 11) {
        PyErr_SetString(PyExc_TypeError, "segments_sorted takes eleven arguments");
        return NULL;
    }
    for (int i = 0; i < 6; i++) {
        GNP_TRY(take_array(args[i], &t.array[places[i]]));
    }
    GNP_TRY(take_rule(args + 6, &t));
    if (t.array[ORDER] == NULL || t.array[ORDER]->dtype != GNP_I64 || t.array[STARTS] == NULL ||
        t.array[STARTS]->dtype != GNP_I64 || t.array[STARTS]->size < 2) {
        PyErr_SetString(PyExc_ValueError, "segments_sorted: int64 places");
        goto fail;
    }
    t.shape.size = t.array[ORDER]->size;
    t.shape.labels = t.array[STARTS]->size - 1;
    GNP_TRY(check_rule(&t));
    GnpDevice *device = gnp_device_current();
    GnpKernel *kernel = device == NULL
                            ? NULL
                            : find_kernel(&t, GNP_KERNEL_segments_sorted, 1, SORTED_BLOCK, device);
    if (kernel == NULL) {
        goto fail;
    }
    CUstream stream = gnp_stream_current(device);
    CUdeviceptr data[ARRAYS];
    record(&t, stream, data);
    void *values[] = {&data[VALUES], &data[ORDER], &data[STARTS], &data[CENTRES],
                      &data[OUT],    &data[AT],    &t.shape};
    GNP_TRY(gnp_launch_blocks(kernel, gnp_ceil_div(t.shape.labels, (int64_t)SORTED_BLOCK / 32),
                              SORTED_BLOCK, stream, values));
    GNP_TRY(gnp_write_back(t.array[OUT], args[4]));
    GNP_TRY(gnp_write_back(t.array[AT], args[5]));
    ret = Py_NewRef(args[4]);
fail:
    return finish(&t, ret);
}

static PyMethodDef functions[] = {
    {"segments", (PyCFunction)(void (*)(void))segments, METH_FASTCALL, segments_doc},
    {"segment_index", (PyCFunction)(void (*)(void))segment_index, METH_FASTCALL, segment_index_doc},
    {"segment_keys", (PyCFunction)(void (*)(void))segment_keys, METH_FASTCALL, segment_keys_doc},
    {"segments_sorted", (PyCFunction)(void (*)(void))segments_sorted, METH_FASTCALL,
     segments_sorted_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_segments_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
