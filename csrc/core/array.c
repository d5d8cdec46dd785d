/* The array object: its memory, its construction, its views, and the slots of its type.
 *
 * An array owns a reference to a block of device memory and describes a strided box inside it. A
 * view shares its base's block, so a base may die first. Creating a view allocates nothing but the
 * object, and that usually from a free list.
 *
 * Made once per operation, so creation is short: flags are computed in one pass over the axes, up
 * to four axes are stored inside of the object, and no Python code runs. The other files of core/
 * provide the methods; module.c joins them to the type.
 *
 * An array owns a reference to its block, and a view also one to its base, which is what
 * `a.base` shows. The fields are read without a lock: they change under the GIL only, and
 * rarely.
 */
#include "core/core_internal.h"

#include <stddef.h>
#include <string.h>

#include <structmember.h>

PyTypeObject *gnp_array_type;

/* ---- allocation ------------------------------------------------------------------------------ */

/* Free list: memory of deallocated arrays of the exact type; guarded by the GIL. Free-threaded
 * builds use none. */
#ifdef Py_GIL_DISABLED
enum { MAX_FREE = 0 };
#else
enum { MAX_FREE = 64 };
#endif
/* One entry more than the limit, as C has no arrays of length 0. */
static GnpArray *free_arrays[MAX_FREE + 1];
static int nfree;

/* All fields that the destructor reads are set here, so that an array may be dropped at any later
 * step of its construction. Shapes of few axes lie in the object itself, so that most arrays are
 * one allocation. */
static GnpArray *
allocate(PyTypeObject *type, int ndim)
{
    GnpArray *a;
    if (GNP_UNLIKELY(type != gnp_array_type)) {
        a = (GnpArray *)type->tp_alloc(type, 0);
        if (a == NULL) {
            return NULL;
        }
    }
    else {
        a = nfree > 0 ? free_arrays[--nfree] : PyObject_Malloc(sizeof *a);
        if (a == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        PyObject_Init((PyObject *)a, type);
    }
    a->block = NULL;
    a->base = NULL;
    a->weakrefs = NULL;
    a->dims = a->inline_dims;
    a->ndim = ndim;
    a->flags = GNP_WRITEABLE;
    if (GNP_UNLIKELY(ndim > GNP_INLINE_DIMS)) {
        a->dims = PyMem_Malloc(2 * (size_t)ndim * sizeof *a->dims);
        if (a->dims == NULL) {
            a->dims = a->inline_dims;
            Py_DECREF((PyObject *)a);
            PyErr_NoMemory();
            return NULL;
        }
    }
    return a;
}

/* The block before the base: the base of an imported array may be what frees the memory that the
 * block describes. */
static void
array_dealloc(PyObject *self)
{
    GnpArray *a = (GnpArray *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (a->weakrefs != NULL) {
        PyObject_ClearWeakRefs(self);
    }
    gnp_block_release(a->block);
    Py_XDECREF(a->base);
    if (a->dims != a->inline_dims) {
        PyMem_Free(a->dims);
    }
    if (type == gnp_array_type && nfree < MAX_FREE) {
        free_arrays[nfree++] = a;
    }
    else {
        type->tp_free(self);
    }
    Py_DECREF((PyObject *)type);
}

/* Both orders in one loop, `i` from the last axis and `k` from the first. An axis of length 1 has
 * no second element, so its stride does not count; an array without elements is contiguous in both
 * orders, as in NumPy. */
void
gnp_array_update_flags(GnpArray *a)
{
    const int64_t *shape = gnp_shape(a);
    const int64_t *strides = gnp_strides(a);
    int64_t itemsize = gnp_itemsize(a);
    int64_t c_step = itemsize, f_step = itemsize;
    /* Item sizes of numbers are powers of two, so or'ing address and strides leaves low bits where
     * one of them is not a multiple. Structured elements may lie anywhere. */
    uint64_t bits = a->data;
    int flags = a->flags & GNP_WRITEABLE;

    if (a->size == 0) {
        a->flags = (int16_t)(flags | GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS | GNP_ALIGNED);
        return;
    }
    flags |= GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS;
    for (int i = a->ndim - 1, k = 0; i >= 0; i--, k++) {
        if (shape[i] != 1) {
            flags &= strides[i] == c_step ? ~0 : ~GNP_C_CONTIGUOUS;
            c_step *= shape[i];
            bits |= (uint64_t)strides[i];
        }
        if (shape[k] != 1) {
            flags &= strides[k] == f_step ? ~0 : ~GNP_F_CONTIGUOUS;
            f_step *= shape[k];
        }
    }
    if ((bits & gnp_dtypes[a->dtype].unaligned) == 0) {
        flags |= GNP_ALIGNED;
    }
    a->flags = (int16_t)flags;
}

/* ---- new arrays ------------------------------------------------------------------------------ */

/* Unlike memcpy, accepts null pointers when there are no axes. */
static void
copy_ints(int n, int64_t *dst, const int64_t *src)
{
    for (int i = 0; i < n; i++) {
        dst[i] = src[i];
    }
}

/* An array of `type` with memory of its own; strides are still to be written. On the current
 * device, ordered on the current stream. gnp_stream_peek() suffices, as recorded work need not run
 * before memory is taken. */
static GnpArray *
new_with_memory(PyTypeObject *type, int ndim, const int64_t *shape, GnpDtype dtype)
{
    int64_t size, nbytes;
    if (gnp_layout_check(ndim, shape, gnp_dtypes[dtype].bytes, &size, &nbytes) < 0) {
        return NULL;
    }
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    GnpArray *a = allocate(type, ndim);
    if (a == NULL) {
        return NULL;
    }
    a->size = size;
    a->dtype = (int16_t)dtype;
    a->device_id = device->id;
    copy_ints(ndim, gnp_shape(a), shape);
    a->block = gnp_block_new(device, (size_t)nbytes, gnp_stream_peek(device));
    if (a->block == NULL) {
        Py_DECREF((PyObject *)a);
        return NULL;
    }
    a->data = a->block->ptr;
    return a;
}

/* Order 'F' for Fortran; everything else is C. */
static GnpArray *
new_as(PyTypeObject *type, int ndim, const int64_t *shape, GnpDtype dtype, char order)
{
    GnpArray *a = new_with_memory(type, ndim, shape, dtype);
    if (a != NULL) {
        gnp_layout_fill_strides(ndim, shape, gnp_dtypes[dtype].bytes, order, gnp_strides(a));
        gnp_array_update_flags(a);
    }
    return a;
}

/* Memory is not initialised: callers fill it. */
GnpArray *
gnp_array_new(int ndim, const int64_t *shape, GnpDtype dtype, char order)
{
    return new_as(gnp_array_type, ndim, shape, dtype, order);
}

/* 'A' and 'K' differ for arrays that are contiguous in neither order: 'A' is then C, 'K' keeps the
 * order of the axes. */
GnpArray *
gnp_array_new_like(const GnpArray *prototype, GnpDtype dtype, char order)
{
    int f_only = !(prototype->flags & GNP_C_CONTIGUOUS) && prototype->flags & GNP_F_CONTIGUOUS;
    if (order == 'A') {
        order = f_only ? 'F' : 'C';
    }
    int keep = order == 'K';
    GnpArray *a = gnp_array_new(prototype->ndim, gnp_shape(prototype), dtype, keep ? 'C' : order);
    if (a != NULL && keep && !(prototype->flags & GNP_C_CONTIGUOUS)) {
        gnp_layout_keep_strides(prototype, gnp_dtypes[dtype].bytes, gnp_strides(a));
        gnp_array_update_flags(a);
    }
    return a;
}

/* `axes` from the fastest to the slowest, as gnp_iteration_order gives them. */
GnpArray *
gnp_array_new_ordered(int ndim, const int64_t *shape, GnpDtype dtype, const int *axes)
{
    GnpArray *a = new_with_memory(gnp_array_type, ndim, shape, dtype);
    if (a != NULL) {
        gnp_layout_order_strides(ndim, shape, gnp_dtypes[dtype].bytes, axes, gnp_strides(a));
        gnp_array_update_flags(a);
    }
    return a;
}

/* C-contiguous operands, nearly all of them, skip the sort. */
GnpArray *
gnp_array_new_iterated(const GnpArray *operand, GnpDtype dtype)
{
    int axes[GNP_MAX_DIMS];
    const int64_t *shape = gnp_shape(operand), *strides = gnp_strides(operand);
    if (operand->flags & GNP_C_CONTIGUOUS) {
        return gnp_array_new(operand->ndim, shape, dtype, 'C');
    }
    gnp_iteration_order(operand->ndim, shape, 1, &strides, axes);
    return gnp_array_new_ordered(operand->ndim, shape, dtype, axes);
}

/* The strides have to be dense: they describe an order and no gaps. */
GnpArray *
gnp_array_new_strided(int ndim, const int64_t *shape, const int64_t *strides, GnpDtype dtype)
{
    GnpArray *a = new_with_memory(gnp_array_type, ndim, shape, dtype);
    if (a != NULL) {
        copy_ints(ndim, gnp_strides(a), strides);
        gnp_array_update_flags(a);
        if (a->flags & GNP_C_CONTIGUOUS) { /* axes of length 1 may carry any stride */
            gnp_layout_fill_strides(ndim, shape, gnp_itemsize(a), 'C', gnp_strides(a));
        }
    }
    return a;
}

/* Cannot overflow: a view has no more elements than int64 counts, which its callers have
 * checked. */
GnpArray *
gnp_array_view_as(GnpArray *base, PyTypeObject *subtype, CUdeviceptr data, int ndim,
                  const int64_t *shape, const int64_t *strides, GnpDtype dtype)
{
    GnpArray *a = allocate(subtype, ndim);
    if (a == NULL) {
        return NULL;
    }
    int64_t size = 1;
    for (int i = 0; i < ndim; i++) {
        a->dims[i] = shape[i];
        a->dims[ndim + i] = strides[i];
        size *= shape[i];
    }
    a->size = size;
    a->data = data;
    a->dtype = (int16_t)dtype;
    a->device_id = base->device_id;
    a->block = gnp_block_retain(base->block);
    a->flags = base->flags & GNP_WRITEABLE;
    /* As in NumPy, so that a chain of views does not keep each of them alive. */
    PyObject *owner =
        base->base != NULL && gnp_array_check(base->base) ? base->base : (PyObject *)base;
    a->base = Py_NewRef(owner);
    gnp_array_update_flags(a);
    return a;
}

/* A plain array, whatever the class of the base. */
GnpArray *
gnp_array_view(GnpArray *base, CUdeviceptr data, int ndim, const int64_t *shape,
               const int64_t *strides, GnpDtype dtype)
{
    return gnp_array_view_as(base, gnp_array_type, data, ndim, shape, strides, dtype);
}

/* The same for any subtype; steals `block` also on failure. The owner of foreign memory is the
 * base: it is what `a.base` shows, and it lives as long as the array. */
static GnpArray *
from_block_as(PyTypeObject *type, GNP_STEAL GnpBlock *block, CUdeviceptr data, int ndim,
              const int64_t *shape, const int64_t *strides, GnpDtype dtype)
{
    GnpArray *a = allocate(type, ndim);
    if (a == NULL) {
        gnp_block_release(block);
        return NULL;
    }
    copy_ints(ndim, gnp_shape(a), shape);
    if (strides != NULL) {
        copy_ints(ndim, gnp_strides(a), strides);
    }
    else {
        gnp_layout_fill_strides(ndim, shape, gnp_dtypes[dtype].bytes, 'C', gnp_strides(a));
    }
    a->size = gnp_layout_size(ndim, shape);
    a->data = data;
    a->dtype = (int16_t)dtype;
    a->device_id = block->device_id;
    a->block = block;
    a->base = Py_XNewRef(block->owner);
    gnp_array_update_flags(a);
    return a;
}

/* Takes the reference to the block, as its callers have just made it. */
GnpArray *
gnp_array_from_block(GNP_STEAL GnpBlock *block, CUdeviceptr data, int ndim, const int64_t *shape,
                     const int64_t *strides, GnpDtype dtype)
{
    return from_block_as(gnp_array_type, block, data, ndim, shape, strides, dtype);
}

/* Elements times their size, not the extent in memory. */
int64_t
gnp_array_nbytes(const GnpArray *a)
{
    return a->size * gnp_itemsize(a);
}

/* NumPy's message, since programs match it. */
int
gnp_check_writeable(const GnpArray *a)
{
    if (GNP_UNLIKELY(!(a->flags & GNP_WRITEABLE))) {
        PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
        return -1;
    }
    return 0;
}

/* By attribute rather than by import: the extension has them, whether or not the package is
 * loaded. */
PyObject *
gnp_module_object(const char *name)
{
    return PyObject_GetAttrString(gnp_state.extension, name);
}

/* ---- ndarray(shape, dtype=float, memptr=None, strides=None, order='C', buffer, offset) ------- */

enum { BUFFER = 5, OFFSET };

/* An attribute that is an int; *found 0 when absent. An attribute that raises anything but
 * AttributeError passes its exception on. */
static int
integer_attribute(PyObject *object, const char *name, uint64_t *out, int *found)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    *found = value != NULL;
    if (value == NULL) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Clear();
            return 0;
        }
        return -1;
    }
    int status = gnp_uint64_from_object(value, name, out);
    Py_DECREF(value);
    return status;
}

/* The memory behind a MemoryPointer, checked to hold bytes [low, high) around its address.
 * MemoryPointer is a class in Python, and so may be others with the same attributes: `ptr`,
 * `device_id`, and `mem` with `ptr` and `size`. Where the memory says how large it is, the array
 * has to lie within it. */
static GnpBlock *
block_of_memptr(PyObject *memptr, int64_t low, int64_t high, CUdeviceptr *data)
{
    PyObject *mem = NULL; /* owned */
    GnpBlock *ret = NULL;
    uint64_t ptr = 0, start = 0, bytes = 0, device_id = 0;
    int found, have_start, have_bytes;

    GNP_TRY(integer_attribute(memptr, "ptr", &ptr, &found));
    if (!found) {
        PyErr_Format(PyExc_TypeError, "memptr must be a MemoryPointer, not %.200s",
                     Py_TYPE(memptr)->tp_name);
        goto fail;
    }
    GNP_TRY(integer_attribute(memptr, "device_id", &device_id, &found));
    if (!found) {
        device_id = 0;
    }
    GNP_NEW(mem, PyObject_GetAttrString(memptr, "mem"));
    GNP_TRY(integer_attribute(mem, "ptr", &start, &have_start));
    GNP_TRY(integer_attribute(mem, "size", &bytes, &have_bytes));
    int64_t offset = (int64_t)(ptr - start);
    if (have_start && have_bytes && high > low &&
        (offset + low < 0 || offset + high > (int64_t)bytes)) {
        PyErr_Format(
            PyExc_ValueError, "the array needs bytes %lld to %lld of a memory of %llu bytes",
            (long long)(offset + low), (long long)(offset + high), (unsigned long long)bytes);
        goto fail;
    }
    *data = ptr;
    /* The block covers what the array uses, not the whole memory, so that views cannot reach
     * further. */
    ret = gnp_block_wrap(ptr + (uint64_t)low, (size_t)(high - low), (int)device_id, memptr);
fail:
    Py_XDECREF(mem);
    return ret;
}

/* The array whose memory is given, checked to hold bytes [low, high) from `offset` on, with NumPy's
 * errors. Borrowed. */
static GnpArray *
checked_buffer(PyObject **given, int own_strides, int64_t low, int64_t high, CUdeviceptr *data)
{
    GnpArray *base = (GnpArray *)given[BUFFER];
    int64_t offset = 0;
    if (!gnp_array_check(given[BUFFER])) {
        PyErr_Format(PyExc_TypeError, "buffer must be a gpunp array, not %.200s",
                     Py_TYPE(given[BUFFER])->tp_name);
        return NULL;
    }
    if (!(base->flags & (GNP_C_CONTIGUOUS | GNP_F_CONTIGUOUS))) {
        PyErr_SetString(PyExc_ValueError, "buffer is not contiguous");
        return NULL;
    }
    if (given[OFFSET] != NULL && gnp_int64_from_object(given[OFFSET], "offset", &offset) < 0) {
        return NULL;
    }
    const int64_t nbytes = base->size * gnp_itemsize(base);
    if (offset < 0) {
        PyErr_Format(PyExc_ValueError, "offset must not be negative, but is %lld",
                     (long long)offset);
        return NULL;
    }
    if (offset > nbytes || low < -offset || high > nbytes - offset) {
        PyErr_Format(own_strides ? PyExc_ValueError : PyExc_TypeError,
                     "the array needs bytes %lld to %lld from offset %lld on of a buffer of %lld "
                     "bytes",
                     (long long)low, (long long)high, (long long)offset, (long long)nbytes);
        return NULL;
    }
    *data = base->data + (CUdeviceptr)offset;
    return base;
}

/* Strides in bytes from a tuple; checked against int64 when multiplied out. A quarter of the range:
 * sums of two such reaches, as overlap tests make, cannot overflow. */
static int
strides_from_object(PyObject *object, int ndim, const int64_t *shape, int64_t *strides)
{
    int n = gnp_shape_from_object(object, strides);
    if (n >= 0 && n != ndim) {
        PyErr_SetString(PyExc_ValueError, "strides, if given, must be the same length as shape");
        return -1;
    }
    int64_t reach = 0, part;
    for (int i = 0; i < n; i++) {
        if (strides[i] == INT64_MIN || shape[i] < 0 ||
            (shape[i] > 1 && (gnp_mul_size(shape[i] - 1, llabs(strides[i]), &part) < 0 ||
                              gnp_add_size(reach, part, &reach) < 0 || reach > INT64_MAX / 4))) {
            PyErr_SetString(PyExc_ValueError, "strides reach beyond the address space");
            return -1;
        }
    }
    return n < 0 ? -1 : 0;
}

/* Memory from the pool unless a pointer is given; strides only over given memory. */
static PyObject *
construct(PyTypeObject *type, PyObject **given)
{
    int64_t shape[GNP_MAX_DIMS], strides[GNP_MAX_DIMS];
    int64_t size, nbytes, low, high;
    char order;
    GnpDtype dtype = GNP_F64;
    CUdeviceptr data;

    int ndim = gnp_shape_from_object(given[0], shape);
    if (ndim < 0 || gnp_order_from_object(given[4], 'C', &order) < 0) {
        return NULL;
    }
    if (given[1] != NULL) {
        dtype = gnp_stored_dtype_from_object(given[1]);
        if (dtype == GNP_NO_DTYPE) {
            return NULL;
        }
    }
    int64_t itemsize = gnp_dtypes[dtype].bytes;
    order = order == 'F' ? 'F' : 'C';
    if (gnp_layout_check(ndim, shape, itemsize, &size, &nbytes) < 0) {
        return NULL;
    }
    int own_strides = given[3] != NULL && given[3] != Py_None;
    int over_array = given[BUFFER] != NULL && given[BUFFER] != Py_None;
    int over_pointer = given[2] != NULL && given[2] != Py_None;
    if (over_array && over_pointer) {
        PyErr_SetString(PyExc_TypeError, "memptr and buffer cannot both be given");
        return NULL;
    }
    if (!over_array && !over_pointer) {
        if (own_strides) {
            PyErr_SetString(PyExc_ValueError, "strides needs memptr or buffer");
            return NULL;
        }
        return (PyObject *)new_as(type, ndim, shape, dtype, order);
    }
    gnp_layout_fill_strides(ndim, shape, itemsize, order, strides);
    if (own_strides && strides_from_object(given[3], ndim, shape, strides) < 0) {
        return NULL;
    }
    gnp_layout_bounds(ndim, shape, strides, itemsize, &low, &high);
    if (over_array) {
        GnpArray *base = checked_buffer(given, own_strides, low, high, &data);
        return base == NULL
                   ? NULL
                   : (PyObject *)gnp_array_view_as(base, type, data, ndim, shape, strides, dtype);
    }
    GnpBlock *block = block_of_memptr(given[2], low, high, &data);
    if (block == NULL) {
        return NULL;
    }
    return (PyObject *)from_block_as(type, block, data, ndim, shape, strides, dtype);
}

/* CuPy's signature, with NumPy's `buffer` and `offset` by name; an array in the place of a pointer
 * is a buffer too. */
PyObject *
gnp_array_constructor(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static GnpSignature signature =
        GNP_SIGNATURE("ndarray(shape, dtype=float, memptr=None, strides=None, order='C', *, "
                      "buffer=None, offset=0)");
    PyObject *given[GNP_MAX_PARAMS];
    if (gnp_args_bind_call(&signature, args, kwargs, given) < 0) {
        return NULL;
    }
    if (given[2] != NULL && gnp_array_check(given[2]) && given[BUFFER] == NULL) {
        given[BUFFER] = given[2];
        given[2] = NULL;
    }
    return construct(type, given);
}

/* ---- truth, length, numbers ------------------------------------------------------------------ */

/* Waits for the device, as every conversion to a Python value. */
static int
array_bool(PyObject *self)
{
    GnpArray *a = (GnpArray *)self;
    GnpScalar element;
    if (a->size == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "The truth value of an empty array is ambiguous. Use `array.size > 0` to "
                        "check that an array is not empty.");
        return -1;
    }
    if (a->size > 1) {
        PyErr_SetString(PyExc_ValueError,
                        "The truth value of an array with more than one element is ambiguous. Use "
                        "a.any() or a.all()");
        return -1;
    }
    if (gnp_is_structured(a->dtype)) { /* true where NumPy's is: a byte is not 0 */
        PyObject *host = gnp_array_to_numpy(a, 'C');
        const int any = host == NULL ? -1 : PyObject_IsTrue(host);
        Py_XDECREF(host);
        return any;
    }
    if (gnp_array_read_element(a, &element) < 0) {
        return -1;
    }
    if (gnp_has_unit(a->dtype)) {
        return element.i != 0; /* NaT is true */
    }
    PyObject *value = gnp_scalar_to_python(&element, (GnpDtype)a->dtype);
    int truth = value == NULL ? -1 : PyObject_IsTrue(value);
    Py_XDECREF(value);
    return truth;
}

/* The element of a 0-d array as a Python number. Stricter than NumPy once was: arrays of one
 * element and more axes are no scalars. */
static PyObject *
zero_dim_number(PyObject *self)
{
    GnpArray *a = (GnpArray *)self;
    GnpScalar element;
    if (a->ndim != 0) {
        PyErr_SetString(PyExc_TypeError,
                        "only 0-dimensional arrays can be converted to Python scalars");
        return NULL;
    }
    if (gnp_is_structured(a->dtype)) {
        return gnp_structured_item(a); /* a tuple, which no number takes */
    }
    return gnp_array_read_element(a, &element) < 0
               ? NULL
               : gnp_scalar_to_python(&element, (GnpDtype)a->dtype);
}

/* int(a) for arrays without axes; truncates like int(float). */
static PyObject *
array_int(PyObject *self)
{
    PyObject *value = zero_dim_number(self);
    PyObject *ret = value == NULL ? NULL : PyNumber_Long(value);
    Py_XDECREF(value);
    return ret;
}

/* float(a); complex elements raise as in Python. */
static PyObject *
array_float(PyObject *self)
{
    PyObject *value = zero_dim_number(self);
    PyObject *ret = value == NULL ? NULL : PyNumber_Float(value);
    Py_XDECREF(value);
    return ret;
}

/* Lets 0-d integer arrays serve as indices and sizes, at the price of a wait. */
static PyObject *
array_index(PyObject *self)
{
    GnpArray *a = (GnpArray *)self;
    char cls = gnp_dtypes[a->dtype].cls;
    if (a->ndim != 0 || (cls != 'i' && cls != 'u')) {
        PyErr_SetString(PyExc_TypeError,
                        "only integer scalar arrays can be converted to a scalar index");
        return NULL;
    }
    return zero_dim_number(self);
}

static Py_ssize_t
array_length(PyObject *self)
{
    GnpArray *a = (GnpArray *)self;
    if (a->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "len() of unsized object");
        return -1;
    }
    return (Py_ssize_t)gnp_shape(a)[0];
}

static PyObject *
array_subscript(PyObject *self, PyObject *key)
{
    return gnp_of_class(gnp_array_getitem((GnpArray *)self, key), self);
}

static int
array_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    return gnp_array_setitem((GnpArray *)self, key, value);
}

/* PySequence_GetItem has already added the length to a negative index. */
static PyObject *
array_item_at(PyObject *self, Py_ssize_t i)
{
    PyObject *key = PyLong_FromSsize_t(i);
    PyObject *ret = key == NULL ? NULL : array_subscript(self, key);
    Py_XDECREF(key);
    return ret;
}

/* `x in a` is (a == x).any(), as in NumPy; the operators come from a higher folder. */
static int
array_contains(PyObject *self, PyObject *value)
{
    PyObject *equal = PyObject_RichCompare(self, value, Py_EQ);
    PyObject *any = equal == NULL ? NULL
                    : PyBool_Check(equal)
                        ? Py_NewRef(equal) /* of what is no number, such as text */
                        : PyObject_CallMethod(equal, "any", NULL);
    int truth = any == NULL ? -1 : PyObject_IsTrue(any);
    Py_XDECREF(equal);
    Py_XDECREF(any);
    return truth;
}

/* Called when neither operand implements `+`, and by operator.concat, which would add otherwise.
 * Without this slot operator.concat would say that arrays cannot be concatenated, and `a + x` with
 * an unsupported x would name a missing sequence method. */
static PyObject *
array_concat(PyObject *self, PyObject *other)
{
    if (gnp_array_check(other) || PyList_Check(other) || PyTuple_Check(other)) {
        PyErr_SetString(PyExc_TypeError, "arrays are joined by gpunp.concatenate, and operands of "
                                         "`+` must be arrays or numbers");
    }
    else {
        PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for +: '%s' and '%s'",
                     Py_TYPE(self)->tp_name, Py_TYPE(other)->tp_name);
    }
    return NULL;
}

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GnpArray, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(
    array_doc,
    "ndarray(shape, dtype=None, memptr=None, strides=None, order='C', *, buffer=None, "
    "offset=0)\n--\n\n"
    "Array of numbers in device memory.\n\n"
    "Arrays are usually created by `array`, `zeros`, `empty` and other functions. This\n"
    "constructor gives uninitialised memory, or a view of existing memory.\n\n"
    "Parameters\n----------\n"
    "shape : int or tuple of int\n    Shape of the array.\n"
    "dtype : dtype, optional\n    Type of the elements. By default float64.\n"
    "memptr : MemoryPointer, optional\n    Existing memory of the elements.\n"
    "strides : tuple of int, optional\n    Strides in bytes, with `memptr` or `buffer`.\n"
    "order : {'C', 'F'}, optional\n"
    "    Memory layout: row-major ('C') or column-major ('F').\n"
    "buffer : ndarray, optional\n"
    "    Contiguous array of which the new array is a view; also in the place of `memptr`.\n"
    "offset : int, optional\n"
    "    Byte of `buffer` at which the first element lies.");

/* All is done by the constructor. A subclass with a __new__ of other parameters may pass them on to
 * this one too, as with CuPy; object's would refuse them. */
static int
array_init(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(keywords))
{
    return 0;
}

PyType_Slot gnp_core_array_slots[] = {
    {Py_tp_doc, (void *)(uintptr_t)array_doc},
    {Py_tp_new, gnp_array_constructor},
    {Py_tp_init, array_init},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_repr, gnp_array_repr},
    {Py_tp_str, gnp_array_str},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_iter, gnp_array_iter},
    {Py_tp_members, members},
    {Py_mp_length, array_length},
    {Py_mp_subscript, array_subscript},
    {Py_mp_ass_subscript, array_ass_subscript},
    {Py_sq_length, array_length},
    {Py_sq_item, array_item_at},
    {Py_sq_contains, array_contains},
    {Py_sq_concat, array_concat},
    {Py_nb_bool, array_bool},
    {Py_nb_int, array_int},
    {Py_nb_float, array_float},
    {Py_nb_index, array_index},
    {0, NULL},
};
