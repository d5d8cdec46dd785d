/* Private header of core/: what its files share and no other folder needs.
 *
 * Names here follow the files: gnp_npy_* is npy.c (the only file with NumPy's headers),
 * gnp_layout_* is layout.c, and so on.
 */
#ifndef GNP_CORE_INTERNAL_H
#define GNP_CORE_INTERNAL_H

#include "core/core.h"

/* ---- npy.c: the bridge to NumPy -------------------------------------------------------------- */

/* A NumPy array seen from here; pointers live as long as the array. */
typedef struct {
    char *data;
    int ndim;
    const int64_t *shape;
    const int64_t *strides;
    GnpDtype dtype; /* GNP_NO_DTYPE when unsupported or byte-swapped */
    int c_contiguous, f_contiguous, writeable;
} GnpHostView;

int gnp_npy_init(void);
/* Call NumPy; dtype.c caches the results. */
GnpDtype gnp_npy_promote(PyObject *a, PyObject *b);
int gnp_npy_can_cast(PyObject *from, PyObject *to, GnpCasting casting);
/* Kind (M or m), base (NumPy's NPY_DATETIMEUNIT) and multiple of a descriptor: 1, or 0 for others.
 */
typedef struct {
    char kind;
    int base, num;
} GnpTimeUnit;
int gnp_npy_time_unit(PyObject *descr, GnpTimeUnit *out);
/* The dtype of a unit, entered when it is new; GNP_NO_DTYPE without an exception when full. */
GnpDtype gnp_dtype_of_unit(const GnpTimeUnit *unit, PyObject *descr);
/* The number of a structured dtype or void, entered when it is new; GNP_NO_DTYPE with an exception
 * that names the field that is not supported. */
GnpDtype gnp_dtype_of_structure(PyObject *descr);
/* str, None, or an object of the datetime module: NumPy makes an element of it. */
int gnp_is_date_like(PyObject *object);
/* dst[...] = src where one of two different dtypes has a unit; both aligned, of one shape. */
int gnp_copy_units(GnpArray *dst, const GnpArray *src, const int64_t *src_strides);
/* Structured or void, and not a subarray by itself. */
int gnp_npy_is_structured(PyObject *descr);
PyObject *gnp_npy_copy_descr(PyObject *descr);
/* New uninitialised NumPy array. */
PyObject *gnp_npy_empty(int ndim, const int64_t *shape, GnpDtype dtype, int fortran);
/* A read-only array over memory of the host, which the caller keeps; strides NULL: C order. */
PyObject *gnp_npy_over(void *data, int ndim, const int64_t *shape, const int64_t *strides,
                       GnpDtype dtype);
void gnp_npy_view(PyObject *array, GnpHostView *view);
/* numpy.asarray(object, dtype) with numpy's own rules; unsafe casts when `force`. */
PyObject *gnp_npy_asarray(PyObject *object, GnpDtype dtype, int force);
/* Stores any scalar NumPy takes as an element. */
int gnp_npy_pack(PyObject *object, GnpDtype dtype, void *element);
/* dst[...] = src between NumPy arrays. */
int gnp_npy_copy_into(PyObject *dst, PyObject *src);

/* ---- dtype.c, scalar.c ----------------------------------------------------------------------- */

int gnp_dtype_init(void);
PyObject *gnp_dtype_table(PyObject *module, PyObject *noargs); /* _C.dtype_table() */
void gnp_dtype_set_object(GnpDtype dtype, PyObject *descr); /* steals nothing, keeps a reference */
double gnp_half_to_double(uint16_t bits);
uint16_t gnp_double_to_half(double value);
double gnp_bf16_to_double(uint16_t bits);
uint16_t gnp_double_to_bf16(double value);

/* ---- array.c --------------------------------------------------------------------------------- */

/* A view as the caller describes it: only size and flags are recomputed; `subtype` may be a
 * subclass. The base of a view of a view is the first array. */
GnpArray *gnp_array_view_as(GnpArray *base, PyTypeObject *subtype, CUdeviceptr data, int ndim,
                            const int64_t *shape, const int64_t *strides, GnpDtype dtype);
/* New array whose elements lie in memory as `strides` orders them (dense, permuted). */
GnpArray *gnp_array_new_strided(int ndim, const int64_t *shape, const int64_t *strides,
                                GnpDtype dtype);
/* Bytes of all elements; layouts with a zero stride count them all the same. */
int64_t gnp_array_nbytes(const GnpArray *a);
PyObject *gnp_array_constructor(PyTypeObject *type, PyObject *args, PyObject *kwargs);
/* An object of the extension module by name ("MemoryPointer", "Device"), new reference. */
PyObject *gnp_module_object(const char *name);

/* ---- overlap.c ------------------------------------------------------------------------------- */

/* Greatest common divisor, by Euclid's algorithm. */
int64_t gnp_gcd(int64_t a, int64_t b);

/* ---- layout.c -------------------------------------------------------------------------------- */

int64_t gnp_layout_size(int ndim,
                        const int64_t *shape); /* product; shapes of arrays never overflow */
/* Checks a requested shape: -1 and ValueError with NumPy's message; *nbytes may be NULL. */
int gnp_layout_check(int ndim, const int64_t *shape, int64_t itemsize, int64_t *size,
                     int64_t *nbytes);
void gnp_layout_fill_strides(int ndim, const int64_t *shape, int64_t itemsize, char order,
                             int64_t *strides);
/* Strides (dense) that keep the order in which the axes of `like` lie in memory: NumPy's 'K' of
 * copies. */
void gnp_layout_keep_strides(const GnpArray *like, int64_t itemsize, int64_t *strides);
/* Strides (dense) of axes in this order, fastest first. */
void gnp_layout_order_strides(int ndim, const int64_t *shape, int64_t itemsize, const int *axes,
                              int64_t *strides);
/* 1: the elements are dense in memory in some order of the axes. */
int gnp_layout_is_dense(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize);
/* First and one-past-last byte offset from the data pointer. */
void gnp_layout_bounds(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize,
                       int64_t *low, int64_t *high);
/* 1 and strides of the same memory under a new shape, or 0 when that needs a copy. */
int gnp_layout_reshape(const GnpArray *a, int ndim, const int64_t *shape, char order,
                       int64_t *strides);
/* "(2,3)" as NumPy's broadcasting messages write shapes. */
void gnp_layout_text(GnpText *text, int ndim, const int64_t *shape);
/* Resolves one -1 and checks the size; shape is changed in place. */
int gnp_layout_resolve_unknown(int64_t size, int ndim, int64_t *shape);

/* ---- index.c, convert.c ---------------------------------------------------------------------- */

/* a[...] = value with NumPy's conversions; `a` is any view. */
int gnp_array_assign(GnpArray *a, PyObject *value);
/* "array is on device 0, current ..."; both devices named. -1. */
int gnp_device_mismatch(int have, int want, const char *what);
/* dst[...] = src for arrays of two devices, dst's being current; src has no more axes (between.c).
 */
int gnp_copy_between(GnpArray *dst, GnpArray *src);
/* With src's elements, order and dtype; the result of .copy(). */
GnpArray *gnp_array_copy(GnpArray *src, char order);

/* ---- structured.c: arrays of structured dtypes ----------------------------------------------- */

/* The dtype of words of 1, 2, 4, 8 or 16 bytes. */
GnpDtype gnp_word_dtype(int64_t word);
/* The same number, or structures that NumPy calls equal: they differ in being aligned, say. */
int gnp_equal_structures(int a, int b);
/* A field's or several fields' view: 1 and *out, 0 when `key` names none, -1. */
int gnp_field_view(GnpArray *a, PyObject *key, GnpArray **out);
/* dst[...] = src where one of two is structured; `whole`: also what is between the fields. */
int gnp_copy_structures(GnpArray *dst, GnpArray *src, int whole);
int gnp_clear_structures(GnpArray *dst);
/* Calls `run` with a view of each field; not at all for void. */
int gnp_each_field(GnpArray *a, int (*run)(GnpArray *field));
/* gnp_advanced_get and gnp_advanced_set of such a view; `value` has any dtype. */
PyObject *gnp_structured_get(const GnpIndex *index);
int gnp_structured_set(const GnpIndex *index, GnpArray *value);
/* The element of an array of one, as NumPy's item(): a tuple, or bytes. Waits. */
PyObject *gnp_structured_item(GnpArray *a);

/* ---- manipulate.c ---------------------------------------------------------------------------- */

GnpArray *gnp_array_reshape(GnpArray *a, int ndim, int64_t *shape, char order, int copy);
GnpArray *gnp_array_transpose(GnpArray *a, const int *axes); /* NULL axes: reverse */
GnpArray *gnp_array_view_dtype(GnpArray *a, PyTypeObject *subtype, GnpDtype dtype);
GnpArray *gnp_array_part(GnpArray *a, int imaginary); /* real or imaginary view of complex */
extern PyMethodDef gnp_manipulate_methods[];

/* ---- small types and the rest ---------------------------------------------------------------- */

int gnp_flags_init(PyObject *module);
PyObject *gnp_flags_new(const GnpArray *a);
int gnp_flatiter_init(PyObject *module);
PyObject *gnp_flatiter_new(GnpArray *a);
int gnp_flatiter_check(PyObject *object);
GnpArray *gnp_flatiter_copy(PyObject *iterator); /* its elements in C order, new memory */
PyObject *gnp_array_iter(PyObject *self);

PyObject *gnp_array_repr(PyObject *self);
PyObject *gnp_array_str(PyObject *self);

PyObject *gnp_interface_export(GnpArray *a); /* __cuda_array_interface__ */
GnpArray *gnp_interface_import(PyObject *owner, PyObject *description);
GnpArray *gnp_dlpack_import(PyObject *object, PyObject *device, PyObject *copy);
/* kDLCUDA and such of an object with __dlpack_device__; -1 with an exception. */
int gnp_dlpack_device(PyObject *object, int *type, int *id);
extern PyMethodDef gnp_interop_methods[];
/* Makes `waiter` wait for what is queued on `stream` now; no host wait. */
int gnp_stream_order(CUstream stream, CUstream waiter);

/* ---- interop.c: foreign memory --------------------------------------------------------------- */

typedef struct {
    const char *protocol; /* for messages */
    PyObject *error;      /* exception for an invalid description */
    CUdeviceptr data;
    int device_id; /* as claimed, -1 when the protocol does not say */
    int ndim;
    GnpDtype dtype;
    int has_strides, read_only;
    int64_t size; /* set by gnp_foreign_array */
    int64_t shape[GNP_MAX_DIMS];
    int64_t strides[GNP_MAX_DIMS]; /* bytes */
} Foreign;

/* An array over the described memory, kept alive by `owner`; everything is checked first. */
GnpArray *gnp_foreign_array(Foreign *f, PyObject *owner);

/* ---- dlpack.c: DLPack 1.3's structures, as its specification lays them out ------------------- */

enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
enum { DLPACK_FLAG_READ_ONLY = 1, DLPACK_FLAG_IS_COPIED = 2 };

typedef struct {
    uint32_t major, minor;
} DLPackVersion;

typedef struct {
    int32_t device_type, device_id;
} DLDevice;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* in elements */
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

/* A new export that keeps `a` alive; NULL with BufferError. */
DLManagedTensorVersioned *gnp_dlpack_new_versioned(GnpArray *a, int copied);
/* A tensor over `a` without owning it; `numbers` has room for 2 * ndim. */
int gnp_dlpack_fill(GnpArray *a, DLTensor *t, int64_t *numbers);
GnpArray *gnp_dlpack_from_capsule(PyObject *capsule);
/* An array over a tensor, which it owns from now on (also when this fails). */
GnpArray *gnp_dlpack_take(GNP_STEAL DLManagedTensorVersioned *t);
GnpDtype gnp_dlpack_dtype(DLDataType type); /* GNP_NO_DTYPE, without an exception */

/* ---- hostcopy.c and the method tables -------------------------------------------------------- */

int gnp_hostcopy_init(PyObject *module);
/* Calls a subclass's __array_finalize__(parent), as NumPy does for views. */
GnpArray *gnp_array_finalized(GNP_STEAL GnpArray *view, PyObject *parent);
int gnp_renamed_init(PyObject *module);
/* 1 inside `with allow_host_copy():` and in Matplotlib, 0 outside, -1 with an exception. */
int gnp_hostcopy_allowed(void);

extern PyMethodDef gnp_array_methods[];    /* methods.c */
extern PyMethodDef gnp_override_methods[]; /* overrides.c: NEP 13, NEP 18 */
extern PyMethodDef gnp_core_functions[];   /* functions.c */
/* None, True, False as NumPy 2 has them; `fallback` where the argument was not given (NULL). */
int gnp_copy_mode_from_object(PyObject *object, GnpCopyMode fallback, GnpCopyMode *out);

/* METH_O: `object` itself; ValueError for a list that no array can be made of (convert.c). */
PyObject *gnp_checked_list(PyObject *module, PyObject *object);

#endif
