/* Lazy mode: recording, and when to stop.
 *
 * Results are allocated when they are recorded, so every array has memory; only its contents are
 * computed later. Invariant: before a stream is used, before a wait, and before an address is
 * handed out, gnp_work_begins() is called, which runs the pending commands, in order, on the stream
 * they were recorded for.
 *
 * The state belongs to the process and is guarded by the GIL: one thread records at a time. Any
 * thread may have to run what is pending, on behalf of the recorder, and others wait meanwhile.
 */
#include "fuse/trace.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static struct {
    int depth;            /* of `with lazy()`, of all threads together */
    unsigned long thread; /* the thread in lazy mode */
    int is_running;
    unsigned long runner; /* the thread that runs pending commands, while is_running */
    int has_foreign;      /* a block of the program has memory of another library */
    GnpLazyProgram program;
    GnpDevice *device;
    CUstream stream;
    int64_t bytes;       /* of the buffers that commands write */
    GnpLazyTrace *trace; /* what receives the program instead of dropping it, or NULL */
} state;

/* Also for programs whose steps were only made in part: what is absent is NULL or not counted. */
void
gnp_lazy_program_clear(GnpLazyProgram *p)
{
    for (int k = 0; k < p->nsteps; k++) {
        free(p->step[k].operand);
        free(p->step[k].source);
        free(p->step[k].rows);
    }
    for (int k = 0; k < p->ncommands; k++) {
        free(p->command[k]);
    }
    for (int k = 0; k < p->nbuffers; k++) {
        gnp_block_release(p->buffer[k].block);
    }
    free(p->step);
    free(p->command);
    free(p->buffer);
    gnp_text_clear(&p->key);
    *p = (GnpLazyProgram){.ncommands = 0};
}

/* ---- running pending commands ---------------------------------------------------------------- */

/* The buffers' addresses are passed apart from the program, so that a kept form can be run with
 * other buffers. A trace gets all of the program, with its steps. */
static int
run_program(GnpLazyProgram *p, int is_traced, GnpDevice *device, CUstream stream)
{
    unsigned char *is_needed = calloc((size_t)p->nbuffers + 1, 1);     /* owned */
    CUdeviceptr *base = calloc((size_t)p->nbuffers + 1, sizeof *base); /* owned */
    GnpBlock **block = calloc((size_t)p->nbuffers + 1, sizeof *block); /* owned */
    int ret = -1;
    if (is_needed == NULL || base == NULL || block == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    for (int k = 0; k < p->nbuffers; k++) {
        block[k] = p->buffer[k].block;
        base[k] = block[k]->ptr;
        /* The program's reference is one; with another, an array can still see the contents, and
         * they have to be stored. */
        is_needed[k] = block[k]->refcount > 1;
    }
    const GnpLazyPlace place = {base, block, device, stream};
    if (is_traced) {
        GNP_TRY(gnp_lazy_make_steps(p, is_needed));
        ret = gnp_lazy_run_steps(p, &place);
    }
    else {
        ret = gnp_lazy_run_program(p, is_needed, &place);
    }
fail:
    free(is_needed);
    free(base);
    free(block);
    return ret;
}

/* Held while pending commands run. The runner gives up the GIL where it compiles or allocates, and
 * what another thread launches then could read results whose kernels are not launched yet. */
static PyThread_type_lock run_lock;

/* Returns 1 in the thread that runs pending commands; waits in all others until it is done. The
 * runner takes the lock without waiting long, as those who wait for it hold it for an instant. */
static int
wait_for_runner(void)
{
    while (state.is_running) {
        if (state.runner == PyThread_get_thread_ident()) {
            return 1;
        }
        Py_BEGIN_ALLOW_THREADS;
        PyThread_acquire_lock(run_lock, WAIT_LOCK);
        PyThread_release_lock(run_lock);
        Py_END_ALLOW_THREADS;
    }
    return 0;
}

static void run_before_work(void);

/* Runs everything recorded so far. -1 with an exception. */
static int
run_pending(void)
{
    if (wait_for_runner() || state.program.ncommands == 0) {
        return 0;
    }
    GnpLazyProgram program = state.program;
    GnpLazyTrace *trace = state.trace;
    state.program = (GnpLazyProgram){.ncommands = 0};
    state.bytes = 0;
    state.has_foreign = 0;
    PyThread_acquire_lock(run_lock, WAIT_LOCK);
    state.is_running = 1;
    state.runner = PyThread_get_thread_ident();
    GnpDevice *here = gnp_device_current(); /* of this thread, which need not be the recorder */
    int status = here == NULL ? -1 : 0;
    if (here != NULL && here != state.device) {
        status = gnp_device_set_current(state.device->id);
    }
    if (status == 0) {
        status = run_program(&program, trace != NULL, state.device, state.stream);
        gnp_lazy_count(&program);
    }
    if (here != NULL && here != state.device) {
        gnp_device_restore(here->id);
    }
    state.is_running = 0;
    PyThread_release_lock(run_lock);
    gnp_before_work = state.trace != NULL ? run_before_work : NULL;
    if (status == 0 && trace != NULL) {
        gnp_lazy_trace_take(trace, &program);
    }
    gnp_lazy_program_clear(&program);
    return status;
}

/* The hook of streams, waits and addresses. Those callers cannot fail for a command recorded
 * long before, so its exception is only reported, and theirs is left as it was. */
static void
run_before_work(void)
{
    PyObject *type, *value, *traceback;
    if (wait_for_runner()) {
        return;
    }
    if (state.trace != NULL && state.thread == PyThread_get_thread_ident()) {
        state.trace->is_broken = 1; /* work that cannot be recorded */
    }
    PyErr_Fetch(&type, &value, &traceback);
    if (run_pending() < 0) {
        PyErr_WriteUnraisable(NULL);
    }
    PyErr_Restore(type, value, traceback);
}

/* ---- recording ------------------------------------------------------------------------------- */

/* 1 when a command on the device's current stream is to be recorded, 0 when it runs now, -1 with
 * an exception of what was pending. */
static int
is_recording(const GnpDevice *device)
{
    if (state.thread != PyThread_get_thread_ident() || wait_for_runner() ||
        (state.trace == NULL && !gnp_lazy_pays())) {
        return 0;
    }
    CUstream stream = gnp_stream_peek(device);
    /* What is pending was recorded for one stream; work for another stream, or too much of it,
     * comes after it. */
    if (state.program.ncommands > 0 &&
        (state.device != device || state.stream != stream ||
         gnp_lazy_is_full(state.program.ncommands) ||
         state.bytes > (int64_t)(device->total_bytes / 4)) &&
        run_pending() < 0) {
        return -1;
    }
    state.device = gnp_device_get(device->id);
    state.stream = stream;
    return state.device != NULL ? 1 : -1;
}

/* Searches backwards: commands mostly read what the last ones wrote. */
static int
find_buffer(GnpBlock *block, int64_t offset)
{
    GnpLazyProgram *p = &state.program;
    for (int k = p->nbuffers - 1; k >= 0; k--) {
        if (p->buffer[k].block == block) {
            return k;
        }
    }
    if (p->nbuffers == p->buffer_capacity) {
        int capacity = p->buffer_capacity > 0 ? 2 * p->buffer_capacity : 32;
        GnpLazyBuffer *grown = realloc(p->buffer, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        p->buffer = grown;
        p->buffer_capacity = capacity;
    }
    state.has_foreign |= block->owner != NULL;
    /* The reference keeps the memory from being reused before the commands have run. */
    p->buffer[p->nbuffers] = (GnpLazyBuffer){gnp_block_retain(block), offset};
    return p->nbuffers++;
}

static GnpLazyCommand *
new_command(int ndim, int n)
{
    /* One allocation: shape, strides of each view, and the flags of reduced axes behind them. */
    size_t words = (size_t)(ndim * (n + 1) + GNP_MAX_DIMS / 8);
    GnpLazyCommand *c = calloc(1, sizeof *c + words * sizeof(int64_t));
    if (c == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    c->shape = c->storage;
    c->reduced = (unsigned char *)(c->storage + ndim * (n + 1));
    c->n = n;
    for (int k = 0; k < n; k++) {
        c->view[k].strides = c->storage + ndim * (k + 1);
    }
    return c;
}

/* Takes the command over, unless it fails. From here on whoever uses a stream runs it first. */
static int
keep_command(GnpLazyCommand *c)
{
    GnpLazyProgram *p = &state.program;
    if (p->ncommands == p->command_capacity) {
        int capacity = p->command_capacity > 0 ? 2 * p->command_capacity : FIRST_CAPACITY;
        GnpLazyCommand **grown = realloc(p->command, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        p->command = grown;
        p->command_capacity = capacity;
    }
    /* Memory that is written may be a temporary, which stays allocated until the commands run. */
    for (int k = c->nin; k < c->n; k++) {
        state.bytes += (int64_t)p->buffer[c->view[k].buffer].block->bytes;
    }
    c->place = p->ncommands;
    p->command[p->ncommands++] = c;
    gnp_lazy_note(gnp_lazy_add_to_key(p));
    gnp_before_work = run_before_work;
    return 0;
}

/* Contiguous in C order over the command's shape. */
static int
is_flat(const GnpLazyCommand *c, const GnpLazyView *v)
{
    int64_t step = gnp_dtypes[v->dtype].bytes;
    for (int axis = c->ndim - 1; axis >= 0; axis--) {
        if (v->strides[axis] != step) {
            return 0;
        }
        step *= c->shape[axis];
    }
    return 1;
}

/* 1 when another block of the program covers some of the same bytes, which foreign memory may. */
static int
shares_memory(int buffer)
{
    const GnpLazyProgram *p = &state.program;
    const GnpBlock *a = p->buffer[buffer].block;
    for (int k = 0; k < p->nbuffers; k++) {
        if (gnp_blocks_overlap(a, p->buffer[k].block)) {
            return 1;
        }
    }
    return 0;
}

/* Scalars keep their value, not an address: the caller's may be gone when the command runs. */
static int
fill_view(GnpLazyCommand *c, GnpLazyView *v, const GnpOperand *o)
{
    v->dtype = o->dtype;
    v->compute = o->compute;
    if (o->scalar != NULL) {
        v->buffer = -1;
        memcpy(&v->scalar, o->scalar, gnp_dtypes[o->dtype].bytes);
        return 0;
    }
    v->offset = (int64_t)(o->data - o->block->ptr);
    v->buffer = find_buffer(o->block, v->offset);
    if (v->buffer < 0) {
        return -1;
    }
    c->is_shared |= state.has_foreign && shares_memory(v->buffer);
    v->is_flat = is_flat(c, v);
    return 0;
}

/* The engine's hook: 1 recorded, 0 run it now, -1 an exception. */
static int
record_elements(const GnpElementOp *op, const GnpOperand *operands, int ndim, const int64_t *shape,
                GnpDevice *device)
{
    GnpLazyCommand *c = NULL; /* owned */
    int n = op->nin + op->nout, status = is_recording(device);
    if (status <= 0) {
        return status;
    }
    for (int k = 0; k < n; k++) {
        /* Times have units that kernels of a group do not know; operands without a block have no
         * lifetime that could be kept. */
        if (operands[k].kind != GNP_PLAIN || operands[k].dtype >= GNP_TIME ||
            (operands[k].scalar == NULL && operands[k].block == NULL)) {
            return 0;
        }
    }
    if (op->write != NULL || n > GNP_LAZY_OPERANDS) {
        return 0;
    }
    GNP_NEW(c, new_command(ndim, n));
    c->op = op;
    c->nin = op->nin;
    c->size = 1;
    for (int axis = 0; axis < ndim; axis++) {
        /* So that a view of (n, 1) and one of (n,) can share a kernel. */
        if (shape[axis] == 1) {
            continue;
        }
        c->shape[c->ndim] = shape[axis];
        c->size *= shape[axis];
        for (int k = 0; k < n; k++) {
            c->view[k].strides[c->ndim] =
                operands[k].scalar == NULL ? operands[k].strides[axis] : 0;
        }
        c->ndim++;
    }
    c->is_flat = 1;
    for (int k = 0; k < n; k++) {
        GNP_TRY(fill_view(c, &c->view[k], &operands[k]));
        c->is_flat = c->is_flat && (c->view[k].buffer < 0 || c->view[k].is_flat);
    }
    /* Two buffers with common memory would be taken as independent. What is pending runs before the
     * command does, as the engine asks for the stream. */
    if (c->is_shared) {
        free(c);
        return 0;
    }
    GNP_TRY(keep_command(c));
    return 1;
fail:
    free(c);
    return -1;
}

/* Reductions that a fused kernel combines in the same order, and that need no other arguments. */
static int
is_plain_reduction(const GnpReduceTask *t)
{
    return t->sequential == NULL && t->where == NULL && !t->has_initial &&
           t->row->arguments != ARGS_ARG && t->row->arguments != ARGS_VAR;
}

/* The same for reductions. Other forms (where=, initial=, argmax) run eagerly. */
static int
record_reduction(const GnpReduceTask *t)
{
    GnpLazyCommand *c = NULL; /* owned */
    GnpDevice *device = gnp_device_current();
    int status = device == NULL ? -1 : is_recording(device), from = 0;
    if (status <= 0 || !gnp_is_number(t->in->dtype) || !is_plain_reduction(t)) {
        return status < 0 ? -1 : 0;
    }
    GNP_NEW(c, new_command(t->in->ndim, 2));
    c->reduction = t->row;
    c->loop = t->loop;
    c->result = t->result;
    c->parameter = t->parameter;
    c->nin = 1;
    c->size = t->in->size;
    for (int axis = 0; axis < t->in->ndim; axis++) {
        int64_t stride = t->reduced[axis] ? 0 : gnp_strides(t->out)[from++];
        if (gnp_shape(t->in)[axis] != 1) {
            c->shape[c->ndim] = gnp_shape(t->in)[axis];
            c->view[0].strides[c->ndim] = gnp_strides(t->in)[axis];
            c->view[1].strides[c->ndim] = stride;
            c->reduced[c->ndim++] = t->reduced[axis];
        }
    }
    const GnpOperand in = {
        .data = t->in->data, .block = t->in->block, .dtype = t->in->dtype, .compute = t->in->dtype};
    const GnpOperand out = {.data = t->out->data,
                            .block = t->out->block,
                            .dtype = t->out->dtype,
                            .compute = t->out->dtype};
    GNP_TRY(fill_view(c, &c->view[0], &in));
    GNP_TRY(fill_view(c, &c->view[1], &out));
    c->view[1].is_flat = 0; /* its strides are those of the kept axes */
    c->is_flat = c->view[0].is_flat;
    if (c->is_shared) {
        free(c);
        return 0;
    }
    GNP_TRY(keep_command(c));
    return 1;
fail:
    free(c);
    return -1;
}

/* ---- entering and leaving lazy mode ---------------------------------------------------------- */

/* One thread only, so that the order of recorded commands is the order of one program. */
int
gnp_lazy_enter(GnpLazyTrace *trace)
{
    unsigned long thread = PyThread_get_thread_ident();
    if (state.depth > 0 && state.thread != thread) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is in lazy mode");
        return -1;
    }
    /* A trace begins with an empty program. */
    if (trace != NULL && run_pending() < 0) {
        return -1;
    }
    if (state.depth++ == 0) {
        gnp_lazy_forget();
    }
    state.thread = thread;
    if (trace != NULL) {
        state.trace = trace;
        gnp_before_work = run_before_work; /* also before the first command: see is_broken */
    }
    gnp_element_recorder = record_elements;
    gnp_reduce_recorder = record_reduction;
    return 0;
}

/* The exception of what ran is the caller's; results stay allocated either way. */
int
gnp_lazy_leave(GnpLazyTrace *trace)
{
    /* depth is lowered last: while this runs, no other thread may enter */
    int status = state.depth == 1 || trace != NULL ? run_pending() : 0;
    state.depth--;
    if (trace != NULL) {
        state.trace = NULL;
    }
    if (state.depth == 0) {
        gnp_element_recorder = NULL;
        gnp_reduce_recorder = NULL;
        gnp_before_work = NULL;
    }
    return status;
}

/* Of this thread; others run eagerly meanwhile. */
int
gnp_lazy_is_on(void)
{
    return state.depth > 0 && state.thread == PyThread_get_thread_ident();
}

int
gnp_lazy_is_elsewhere(void)
{
    return state.depth > 0 && state.thread != PyThread_get_thread_ident();
}

static PyObject *
lazy_enter(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (gnp_lazy_enter(NULL) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
lazy_leave(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (gnp_lazy_leave(NULL) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Also without lazy mode, where it finds nothing. */
static PyObject *
lazy_flush(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(noargs))
{
    if (run_pending() < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* The mode as it was; tests choose one. */
static PyObject *
lazy_mode(PyObject *Py_UNUSED(module), PyObject *mode)
{
    const int before = (int)gnp_lazy_mode;
    int now;
    if (gnp_int_from_object(mode, "mode", &now) < 0 || run_pending() < 0) {
        return NULL;
    }
    gnp_lazy_set_mode((GnpLazyMode)now);
    return PyLong_FromLong(before);
}

static PyMethodDef functions[] = {
    {"_lazy_enter", lazy_enter, METH_NOARGS, "Begin to record."},
    {"_lazy_leave", lazy_leave, METH_NOARGS, "Run what is pending and record no more."},
    {"_lazy_mode", lazy_mode, METH_O,
     "Set how lazy mode works (GPUNP_LAZY); returns it as it was."},
    {"_lazy_run", lazy_flush, METH_NOARGS, "Run what is pending."},
    {NULL, NULL, 0, NULL},
};

int
gnp_lazy_init(PyObject *module)
{
    run_lock = run_lock != NULL ? run_lock : PyThread_allocate_lock();
    if (run_lock == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    const int64_t mode = gnp_env_int(GNP_ENV_LAZY);
    gnp_lazy_set_mode(mode <= 0 ? GNP_LAZY_OFF : mode == 1 ? GNP_LAZY_PAYS : GNP_LAZY_ALL);
    return PyModule_AddFunctions(module, functions);
}
