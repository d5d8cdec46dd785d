/* FusedFunction: a Python function recorded once for each form of its arguments, then replayed.
 *
 * The first call with arguments of a form (dtypes, shapes, strides, which share memory, values of
 * numbers) runs the function in lazy mode and stores the recorded program; later calls fill in
 * addresses and launch. A function that does something lazy mode cannot record is not replayed: it
 * runs in lazy mode each time.
 *
 * Everything here runs with the GIL. A form is found by comparing bytes: whatever the recorded
 * kernels depend on has to be in its key, or in the conditions of fill_form. When in doubt a form
 * is not replayed, which is slower but never wrong.
 */
#include "fuse/trace.h"

#include <structmember.h>

#include <stdlib.h>
#include <string.h>

/* Arrays of these sizes lie on the stack of a call. A function with more arguments, results or
 * memory runs in lazy mode each time; with more forms, all of them are dropped and recorded
 * again. */
enum { MOST_ARGUMENTS = 32, MOST_RESULTS = 16, MOST_FORMS = 128, MOST_BUFFERS = 64 };
enum { KEY_BYTES = 4096 };

/* Where a replay gets the memory of a buffer. CAPTURED: the function refers to it (a global array),
 * so it is the same in each call, and the form keeps it alive. */
typedef enum { FROM_ARGUMENT, FROM_RESULT, TEMPORARY, CAPTURED } Origin;

typedef struct {
    Origin origin;
    int index;      /* of the argument or the result */
    int64_t offset; /* of the argument's first element in its block */
    int64_t bytes;
} Buffer;

typedef struct {
    int argument;     /* >= 0: that argument itself */
    PyObject *object; /* owned: returned as it is; NULL: a new array */
    int ndim, is_c;
    GnpDtype dtype;
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
} Result;

/* One form of arguments and its recorded program. */
typedef struct Form {
    struct Form *next;
    int refcount;    /* the list's, and one for each replay */
    int is_replayed; /* else the function runs in lazy mode */
    int nresults, is_tuple;
    GnpLazyProgram program;
    Buffer buffer[MOST_BUFFERS];
    Result *result; /* owned */
    size_t key_bytes;
    unsigned char key[];
} Form;

typedef struct {
    PyObject_HEAD PyObject *function, *name, *dict; /* owned */
    Form *forms;
    int nforms;
    const char *kernel_name; /* lives as long as the process */
    vectorcallfunc vectorcall;
} FusedFunction;

static PyTypeObject *fused_type; /* owned, for the life of the process */

/* Takes the program's memory over. A second program in one trace means that something ran in
 * between, which a replay would leave out. */
void
gnp_lazy_trace_take(GnpLazyTrace *trace, GnpLazyProgram *program)
{
    trace->is_broken |= trace->is_taken;
    trace->is_taken = 1;
    gnp_lazy_program_clear(&trace->program);
    trace->program = *program;
    *program = (GnpLazyProgram){.ncommands = 0};
}

/* ---- keys ------------------------------------------------------------------------------------ */

typedef struct {
    size_t n;
    int narrays, nhost, is_odd; /* odd: an argument that cannot be part of a key */
    int device_id;
    unsigned char bytes[KEY_BYTES];
} Key;

/* A key that does not fit makes the call one that cannot be found. */
static void
add_bytes(Key *key, const void *bytes, size_t n)
{
    if (key->n + n > sizeof key->bytes) {
        key->is_odd = 1;
        return;
    }
    memcpy(key->bytes + key->n, bytes, n);
    key->n += n;
}

/* Adds which earlier argument shares the block, and the distance between the two. */
static void
add_array(Key *key, PyObject *const *args, int k)
{
    const GnpArray *a = (const GnpArray *)args[k];
    /* The flags are part of the key because contiguity and alignment choose the kernels. */
    int32_t head[4] = {a->dtype, a->ndim, a->flags, -1};
    int64_t distance = 0;
    for (int j = 0; j < k; j++) {
        const GnpArray *b = (const GnpArray *)args[j];
        if (Py_TYPE(args[j]) != gnp_array_type) {
            continue;
        }
        key->is_odd |= gnp_blocks_overlap(a->block, b->block); /* two blocks of the same memory */
        if (b->block == a->block) {
            /* The same object twice differs from two views of one memory: a result that is an
             * argument is returned as that argument. */
            head[3] = args[j] == args[k] ? j + MOST_ARGUMENTS : j;
            distance = (int64_t)(a->data - b->data);
            break;
        }
    }
    add_bytes(key, head, sizeof head);
    add_bytes(key, &distance, sizeof distance);
    add_bytes(key, a->dims, 2 * (size_t)a->ndim * sizeof *a->dims);
    key->is_odd |= key->narrays > 0 && a->device_id != key->device_id;
    key->device_id = a->device_id;
    key->narrays++;
}

/* Values count and not only types: the function may branch on them, and the recorded kernels
 * contain them as scalars. Bits are compared, so that -0.0 and 0.0 are two forms. */
static void
add_number(Key *key, PyObject *object)
{
    GnpScalar value = {{0, 0}};
    GnpDtype dtype = GNP_NO_DTYPE;
    PyTypeObject *type = Py_TYPE(object);
    if (PyFloat_CheckExact(object)) {
        value.d = PyFloat_AS_DOUBLE(object);
    }
    else if (PyBool_Check(object) || PyLong_CheckExact(object)) {
        int overflow;
        value.i = PyLong_AsLongLongAndOverflow(object, &overflow);
        /* An int beyond 64 bits has no bytes in the key. */
        key->is_odd |= overflow != 0;
    }
    else if (PyComplex_CheckExact(object)) {
        Py_complex z = PyComplex_AsCComplex(object);
        value.c128 = (gnp_c128){z.real, z.imag};
    }
    else if (gnp_is_numpy_scalar(object)) {
        if (gnp_numpy_scalar_dtype(object, &dtype) < 0 ||
            gnp_scalar_from_object(object, dtype, &value) < 0) {
            PyErr_Clear();
            key->is_odd = 1;
        }
    }
    else if (object != Py_None) {
        key->is_odd = 1;
        /* Strings, lists, subclasses: not comparable by their bytes. */
        key->nhost += gnp_is_numpy_array(object);
    }
    add_bytes(key, &type, sizeof type);
    add_bytes(key, &value, sizeof value);
}

/* All of what the recorded kernels depend on: types, layouts, values of numbers, the device, and
 * which arrays share memory. */
static void
make_key(Key *key, PyObject *const *args, Py_ssize_t nargs)
{
    key->n = 0;
    key->narrays = key->nhost = 0;
    key->device_id = -1;
    key->is_odd = nargs > MOST_ARGUMENTS;
    for (Py_ssize_t k = 0; k < nargs && !key->is_odd; k++) {
        if (Py_TYPE(args[k]) == gnp_array_type) {
            add_array(key, args, (int)k);
        }
        else {
            add_number(key, args[k]);
        }
    }
    add_bytes(key, &key->device_id, sizeof key->device_id);
}

/* Moves the form to the front, so that a loop that calls with one form finds it at once. */
static Form *
find_form(FusedFunction *self, const Key *key)
{
    for (Form **link = &self->forms; *link != NULL; link = &(*link)->next) {
        Form *f = *link;
        if (f->key_bytes == key->n && memcmp(f->key, key->bytes, key->n) == 0) {
            *link = f->next;
            f->next = self->forms;
            self->forms = f;
            return f;
        }
    }
    return NULL;
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* A replay may run Python code (an allocator of memory) and give up the GIL, and that may clear the
 * cache: then the form goes when the replay ends. */
static void
release_form(Form *f)
{
    if (--f->refcount > 0) {
        return;
    }
    for (int k = 0; f->result != NULL && k < f->nresults; k++) {
        Py_XDECREF(f->result[k].object);
    }
    free(f->result);
    gnp_lazy_program_clear(&f->program);
    free(f);
}

/* Forms that are being replayed stay until that ends. */
static void
free_forms(FusedFunction *self)
{
    while (self->forms != NULL) {
        Form *next = self->forms->next;
        release_form(self->forms);
        self->forms = next;
    }
    self->nforms = 0;
}

/* How to return one item of the function's result. 0 when it cannot be replayed. `is_only`: nothing
 * but the result refers to the item, so that an array is new, and not one that the function got
 * from elsewhere and has to return itself. */
static int
take_result(Result *r, PyObject *item, int is_only, PyObject *const *args, Py_ssize_t nargs)
{
    r->argument = -1;
    for (Py_ssize_t k = 0; k < nargs; k++) {
        if (item == args[k]) {
            r->argument = (int)k;
            return 1;
        }
    }
    if (Py_TYPE(item) != gnp_array_type) {
        if (item != Py_None && gnp_weak_kind(item) == GNP_WEAK_NONE) {
            return 0; /* not kept either: it may hold memory */
        }
        r->object = Py_NewRef(item);
        return 1;
    }
    const GnpArray *a = (const GnpArray *)item;
    /* A view of something else, or memory with an offset: a new array would not be the same. */
    if (a->data != a->block->ptr || a->base != NULL || !is_only) {
        return 0;
    }
    r->ndim = a->ndim;
    r->dtype = (GnpDtype)a->dtype;
    r->is_c = (a->flags & GNP_C_CONTIGUOUS) != 0;
    memcpy(r->shape, gnp_shape(a), (size_t)a->ndim * sizeof *r->shape);
    memcpy(r->strides, gnp_strides(a), (size_t)a->ndim * sizeof *r->strides);
    return 1;
}

/* 0 when two results share the memory, which two new arrays would not. */
static int
take_buffer(const Form *f, Buffer *b, GnpBlock *block, PyObject *const *args, Py_ssize_t nargs,
            PyObject *const *items)
{
    for (Py_ssize_t k = 0; k < nargs; k++) {
        const GnpArray *a = (const GnpArray *)args[k];
        if (Py_TYPE(args[k]) == gnp_array_type && a->block == block) {
            *b = (Buffer){FROM_ARGUMENT, (int)k, (int64_t)(a->data - block->ptr), 0};
            return 1;
        }
    }
    int found = 0;
    for (int k = 0; k < f->nresults; k++) {
        if (Py_TYPE(items[k]) == gnp_array_type && ((const GnpArray *)items[k])->block == block) {
            *b = (Buffer){FROM_RESULT, k, 0, 0};
            found++;
        }
    }
    if (found > 0) {
        return found == 1;
    }
    /* The program holds one reference. Another one means that something outside still refers to the
     * memory after the function has returned. */
    *b = (Buffer){block->refcount > 1 ? CAPTURED : TEMPORARY, 0, 0, (int64_t)block->bytes};
    return 1;
}

/* 1 when every new array among the results is written by the program. A result that no command
 * mentions was filled by work that was not recorded. */
static int
results_are_written(const Form *f)
{
    for (int r = 0; r < f->nresults; r++) {
        int written = f->result[r].argument >= 0 || f->result[r].object != NULL;
        for (int k = 0; k < f->program.nbuffers; k++) {
            written |= f->buffer[k].origin == FROM_RESULT && f->buffer[k].index == r;
        }
        if (!written) {
            return 0;
        }
    }
    return 1;
}

/* Keeps only the memory that steps use. */
static void
drop_unused(Form *f)
{
    unsigned char used[MOST_BUFFERS] = {0};
    for (int s = 0; s < f->program.nsteps; s++) {
        for (int k = 0; k < f->program.step[s].n; k++) {
            if (f->program.step[s].operand[k].buffer >= 0) {
                used[f->program.step[s].operand[k].buffer] = 1;
            }
        }
    }
    for (int k = 0; k < f->program.nbuffers; k++) {
        if (f->buffer[k].origin == TEMPORARY && !used[k]) {
            f->buffer[k].bytes = 0;
        }
        if (f->buffer[k].origin != CAPTURED) {
            gnp_block_release(f->program.buffer[k].block);
            f->program.buffer[k].block = NULL;
        }
    }
}

/* Makes the form replayable from what was recorded, where possible. */
static int
fill_form(Form *f, GnpLazyTrace *trace, PyObject *result, PyObject *const *args, Py_ssize_t nargs)
{
    f->is_tuple = PyTuple_CheckExact(result);
    f->nresults = f->is_tuple ? (int)PyTuple_GET_SIZE(result) : 1;
    PyObject *const *items = f->is_tuple ? &PyTuple_GET_ITEM(result, 0) : &result;
    int good =
        !trace->is_broken && f->nresults <= MOST_RESULTS && trace->program.nbuffers <= MOST_BUFFERS;
    if (!good) {
        f->nresults = 0;
        return 0;
    }
    f->result = calloc((size_t)f->nresults + 1, sizeof *f->result);
    if (f->result == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    f->program = trace->program;
    trace->program = (GnpLazyProgram){.ncommands = 0};
    for (int k = 0; k < f->nresults; k++) {
        int is_only = Py_REFCNT(items[k]) == 1 && Py_REFCNT(result) == 1;
        good = take_result(&f->result[k], items[k], is_only, args, nargs) && good;
    }
    for (int k = 0; good && k < f->program.nbuffers; k++) {
        good = take_buffer(f, &f->buffer[k], f->program.buffer[k].block, args, nargs, items);
    }
    f->is_replayed = good && results_are_written(f);
    if (f->is_replayed) {
        drop_unused(f);
    }
    else {
        gnp_lazy_program_clear(&f->program);
    }
    return 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Leaves lazy mode also when the function failed, and then keeps the function's exception rather
 * than one from running what is pending. */
static PyObject *
call_lazily(FusedFunction *self, PyObject *const *args, size_t nargsf, PyObject *kwnames,
            GnpLazyTrace *trace)
{
    if (gnp_lazy_enter(trace) < 0) {
        return NULL;
    }
    gnp_lazy_name = self->kernel_name;
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int status = gnp_lazy_leave(trace);
    gnp_lazy_name = "fused";
    if (type != NULL) {
        if (status < 0) {
            PyErr_Clear();
        }
        PyErr_Restore(type, value, traceback);
    }
    if (status < 0) {
        Py_CLEAR(result);
    }
    return result;
}

/* A form is kept also where it cannot be replayed, so that this is not tried again in each call. */
static PyObject *
call_and_keep(FusedFunction *self, PyObject *const *args, Py_ssize_t nargs, const Key *key)
{
    GnpLazyTrace trace = {.is_broken = 0};
    PyObject *result = call_lazily(self, args, (size_t)nargs, NULL, &trace);
    Form *f = result != NULL ? calloc(1, sizeof *f + key->n) : NULL;
    if (f != NULL) {
        f->refcount = 1;
        f->key_bytes = key->n;
        memcpy(f->key, key->bytes, key->n);
        if (fill_form(f, &trace, result, args, nargs) < 0) {
            release_form(f);
            Py_CLEAR(result);
        }
        else {
            /* As a bound on memory. Forms are many only where values of numbers change in each
             * call. */
            if (self->nforms >= MOST_FORMS) {
                free_forms(self);
            }
            f->next = self->forms;
            self->forms = f;
            self->nforms++;
        }
    }
    gnp_lazy_program_clear(&trace.program);
    return result;
}

/* Without initial values: the program writes every element, see results_are_written. */
static GnpArray *
new_result(const Result *r)
{
    GnpArray *a = gnp_array_new(r->ndim, r->shape, r->dtype, 'C');
    /* As the strides are those of an array without gaps, the extent is the same. */
    if (a != NULL && !r->is_c) {
        memcpy(gnp_strides(a), r->strides, (size_t)r->ndim * sizeof *r->strides);
        gnp_array_update_flags(a);
    }
    return a;
}

/* A tuple only where the function returned one. */
static PyObject *
pack_results(const Form *f, PyObject *const *results)
{
    if (!f->is_tuple) {
        return Py_NewRef(results[0]);
    }
    PyObject *tuple = PyTuple_New(f->nresults);
    for (int k = 0; tuple != NULL && k < f->nresults; k++) {
        PyTuple_SET_ITEM(tuple, k, Py_NewRef(results[k]));
    }
    return tuple;
}

/* Benchmark host/fused: allocate the results, fill in addresses, launch. */
static PyObject *
replay(Form *f, PyObject *const *args, GnpDevice *device)
{
    CUdeviceptr base[MOST_BUFFERS];
    GnpBlock *block[MOST_BUFFERS], *temporary[MOST_BUFFERS]; /* the latter: owned */
    PyObject *results[MOST_RESULTS] = {NULL};                /* owned */
    PyObject *ret = NULL;
    int ntemporaries = 0;
    f->refcount++;
    CUstream stream = gnp_stream_current(device);
    for (int k = 0; k < f->nresults; k++) {
        const Result *r = &f->result[k];
        GNP_NEW(results[k], r->argument >= 0    ? Py_NewRef(args[r->argument])
                            : r->object != NULL ? Py_NewRef(r->object)
                                                : (PyObject *)new_result(r));
    }
    for (int k = 0; k < f->program.nbuffers; k++) {
        const Buffer *b = &f->buffer[k];
        const GnpArray *a = NULL;
        switch (b->origin) {
        case FROM_ARGUMENT:
            a = (const GnpArray *)args[b->index];
            block[k] = a->block;
            /* Operands have their offsets from the start of the block, as it was when recorded. */
            base[k] = a->data - (CUdeviceptr)b->offset;
            break;
        case FROM_RESULT:
            a = (const GnpArray *)results[b->index];
            block[k] = a->block;
            base[k] = a->data;
            break;
        case TEMPORARY:
            GNP_NEW(block[k], gnp_block_new(device, (size_t)b->bytes, stream));
            temporary[ntemporaries++] = block[k];
            base[k] = block[k]->ptr;
            break;
        case CAPTURED:
            block[k] = f->program.buffer[k].block;
            base[k] = block[k]->ptr;
            break;
        }
    }
    const GnpLazyPlace place = {base, block, device, stream};
    GNP_TRY(gnp_lazy_run_steps(&f->program, &place));
    ret = pack_results(f, results);
fail:
    for (int k = 0; k < ntemporaries; k++) {
        gnp_block_release(temporary[k]);
    }
    for (int k = 0; k < f->nresults; k++) {
        Py_XDECREF(results[k]);
    }
    release_form(f);
    return ret;
}

/* Inside of lazy mode it is an ordinary function: its commands join those around it. */
static PyObject *
fused_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    FusedFunction *self = (FusedFunction *)object;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    Key key;
    if (gnp_lazy_is_on()) { /* part of a larger allocation */
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    make_key(&key, args, nargs);
    /* All arrays are NumPy's: Python copies them to the device and the results back. */
    if (key.nhost > 0 && key.narrays == 0) {
        PyObject *list = PyTuple_New(nargs + 1), *ret; /* owned */
        if (list == NULL) {
            return NULL;
        }
        PyTuple_SET_ITEM(list, 0, Py_NewRef(object));
        for (Py_ssize_t k = 0; k < nargs; k++) {
            PyTuple_SET_ITEM(list, k + 1, Py_NewRef(args[k]));
        }
        ret = PyObject_Call(gnp_state.fused_host_call, list, NULL);
        Py_DECREF(list);
        return ret;
    }
    if (key.narrays == 0 && !key.is_odd) { /* numbers alone */
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    const int has_form = kwnames == NULL && !key.is_odd && key.device_id == device->id;
    Form *f = has_form ? find_form(self, &key) : NULL;
    if ((f == NULL || !f->is_replayed) &&
        gnp_lazy_is_elsewhere()) { /* the same with more kernels */
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    if (!has_form) {
        return call_lazily(self, args, nargsf, kwnames, NULL);
    }
    if (f == NULL) {
        return call_and_keep(self, args, nargs, &key);
    }
    return f->is_replayed ? replay(f, args, device)
                          : call_lazily(self, args, nargsf, kwnames, NULL);
}

/* ---- the type -------------------------------------------------------------------------------- */

/* The name is interned for the life of the process, as compiled kernels refer to its text. */
static PyObject *
fused_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature sig = GNP_SIGNATURE("FusedFunction(function, name)");
    PyObject *given[2];
    FusedFunction *self = NULL; /* returned */
    const char *name;
    GNP_TRY(gnp_args_bind_call(&sig, args, kwargs, given));
    GNP_NEW(name, PyUnicode_AsUTF8(given[1]));
    if (gnp_state.kernel_names == NULL) {
        GNP_NEW(gnp_state.kernel_names, PyDict_New());
    }
    PyObject *kept = PyDict_SetDefault(gnp_state.kernel_names, given[1], given[1]); /* borrowed */
    if (kept == NULL) {
        goto fail;
    }
    GNP_NEW(self, (FusedFunction *)type->tp_alloc(type, 0));
    self->vectorcall = fused_vectorcall;
    self->function = Py_NewRef(given[0]);
    self->name = Py_NewRef(kept);
    self->kernel_name = PyUnicode_AsUTF8(kept);
    GNP_NEW(self->dict, PyDict_New());
    return (PyObject *)self;
fail:
    Py_XDECREF((PyObject *)self);
    return NULL;
}

/* Forms refer to numbers and None alone, which are in no cycles. */
static int
fused_traverse(PyObject *object, visitproc visit, void *arg)
{
    FusedFunction *self = (FusedFunction *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->function);
    Py_VISIT(self->dict);
    return 0;
}

/* The forms do not matter to cycles and go in fused_dealloc. */
static int
fused_clear(PyObject *object)
{
    FusedFunction *self = (FusedFunction *)object;
    Py_CLEAR(self->function);
    Py_CLEAR(self->dict);
    return 0;
}

/* Untracked first, so that the collector does not visit a half-freed object. */
static void
fused_dealloc(PyObject *object)
{
    FusedFunction *self = (FusedFunction *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    fused_clear(object);
    Py_CLEAR(self->name);
    free_forms(self);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Descriptor: binds to an object when it is an attribute of its class. */
static PyObject *
fused_get(PyObject *self, PyObject *instance, PyObject *Py_UNUSED(owner))
{
    return instance == NULL || instance == Py_None ? Py_NewRef(self) : PyMethod_New(self, instance);
}

/* The name that it was made with. */
static PyObject *
fused_repr(PyObject *object)
{
    return PyUnicode_FromFormat("<fused function '%U'>", ((FusedFunction *)object)->name);
}

/* The next call of each form records again. */
static PyObject *
fused_clear_cache(PyObject *object, PyObject *Py_UNUSED(noargs))
{
    free_forms((FusedFunction *)object);
    Py_RETURN_NONE;
}

/* Of the last form that was called; -1 where it is not replayed. */
static PyObject *
fused_get_nkernels(PyObject *object, void *Py_UNUSED(closure))
{
    const Form *f = ((FusedFunction *)object)->forms;
    return PyLong_FromLong(f != NULL && f->is_replayed ? f->program.nsteps : -1);
}

static PyMethodDef fused_methods[] = {
    {"clear_cache", fused_clear_cache, METH_NOARGS,
     "clear_cache($self, /)\n--\n\n"
     "Clear the recordings: the next call records again."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef fused_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"_nkernels", fused_get_nkernels, NULL, "Kernels of the latest form; -1: it is not replayed.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef fused_members[] = {
    {"kernel_name", T_OBJECT_EX, offsetof(FusedFunction, name), READONLY, "Name of its kernels."},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FusedFunction, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(FusedFunction, dict), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot fused_slots[] = {
    {Py_tp_doc,
     GNP_DOC("FusedFunction(function, name)\n--\n\n"
             "Function whose elementwise operations run in few kernels; see gpunp.fuse.")},
    {Py_tp_new, fused_new},
    {Py_tp_dealloc, fused_dealloc},
    {Py_tp_traverse, fused_traverse},
    {Py_tp_clear, fused_clear},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, fused_get},
    {Py_tp_repr, fused_repr},
    {Py_tp_methods, fused_methods},
    {Py_tp_getset, fused_getset},
    {Py_tp_members, fused_members},
    {0, NULL},
};

static PyType_Spec fused_spec = {
    .name = "gpunp.FusedFunction",
    .basicsize = sizeof(FusedFunction),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = fused_slots,
};

static PyObject *
set_host_call(PyObject *Py_UNUSED(module), PyObject *function)
{
    Py_XSETREF(gnp_state.fused_host_call, Py_NewRef(function));
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_set_fused_host_call", set_host_call, METH_O, "What runs a fused function on NumPy arrays."},
    {NULL, NULL, 0, NULL},
};

int
gnp_fuse_init(PyObject *module)
{
    fused_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &fused_spec, NULL);
    if (fused_type == NULL || PyModule_AddType(module, fused_type) < 0) {
        return -1;
    }
    return PyModule_AddFunctions(module, functions) < 0 ? -1 : gnp_lazy_init(module);
}
