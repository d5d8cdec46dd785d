/* The array: dtypes, promotion, layout, the ndarray type, indexing, copies, bridges to NumPy,
 * DLPack and the CUDA array interface.
 *
 * Arithmetic is not here: the number slots of the type come from methods/, and module.c joins the
 * two lists of slots when it makes the type.
 */
#ifndef GNP_CORE_H
#define GNP_CORE_H

#include "kernel/kernel.h"

typedef struct GnpArray GnpArray;

/* ---- dtypes ---------------------------------------------------------------------------------- */

typedef struct {
    float re, im;
} gnp_c64;
typedef struct {
    double re, im;
} gnp_c128;

typedef struct {
    char letter; /* NumPy's character; 'E' for bfloat16 */
    char cls;    /* one of ? i u f c; M and m with a unit; m for GNP_TIME; V: structured, void */
    unsigned char dl_code;
    int32_t bytes;
    uint32_t unaligned; /* the low bits of an address that kernels need to be 0 */
    const char *name, *device_name, *user_name; /* user_name: in the code of users' kernels */
    GnpDtype compute, real, complex; /* what expressions see; of a part; that holds the values */
} GnpDtypeInfo;
/* Rows are written once each. Those of structured dtypes say only what moving bytes needs: their
 * compute dtype is themselves, and no kernel is made for one. */
extern GnpDtypeInfo gnp_dtypes[GNP_MAX_DTYPES];

/* The device type that expressions on elements of `dtype` see. */
static inline const char *
gnp_compute_name(int dtype)
{
    return gnp_dtypes[gnp_dtypes[dtype].compute].device_name;
}

/* NumPy's descriptor of a dtype; bfloat16's comes from ml_dtypes on first need. */
GNP_BORROW PyObject *gnp_dtype_object(GnpDtype dtype);
/* From anything numpy.dtype() takes. GNP_NO_DTYPE with TypeError naming what is supported. A
 * byte-swapped descriptor counts as unsupported here, and so does a structured one. */
GnpDtype gnp_dtype_from_object(PyObject *object);
/* The same for a NumPy descriptor; GNP_NO_DTYPE without an exception if unsupported. */
GnpDtype gnp_dtype_from_descr(PyObject *descr);
/* The same two, where elements are only stored and moved: structured dtypes too. */
GnpDtype gnp_stored_dtype_from_object(PyObject *object);
GnpDtype gnp_stored_dtype_from_descr(PyObject *descr);

/* NumPy's promote_types and can_cast, called once per pair and cached in a table. */
GnpDtype gnp_promote(GnpDtype a, GnpDtype b); /* GNP_NO_DTYPE when NumPy refuses (bfloat16 pairs) */
typedef enum {
    GNP_CAST_NO,
    GNP_CAST_EQUIV,
    GNP_CAST_SAFE,
    GNP_CAST_SAME_KIND,
    GNP_CAST_UNSAFE
} GnpCasting;
int gnp_can_cast(GnpDtype from, GnpDtype to, GnpCasting casting);
int gnp_casting_from_object(PyObject *object, GnpCasting *out); /* "same_kind" ... */

int gnp_warn_discarded(GnpDtype to);
/* NumPy's warning where a conversion that the program asked for drops imaginary parts: 0, or -1
 * where warnings are errors. Real sources cost a comparison. */
static inline int
gnp_warn_if_discarded(int from, int to)
{
    return GNP_LIKELY(from == to || gnp_dtypes[from].cls != 'c') ? 0
                                                                 : gnp_warn_discarded((GnpDtype)to);
}

/* ---- units of time (core/datetime.c) --------------------------------------------------------- */

/* A row of dtypes.def: neither a unit of time nor structured. Also of several numbers or'ed, since
 * GNP_UNITS is a power of two. */
static inline int
gnp_is_number(int dtype)
{
    return dtype < GNP_UNITS;
}
/* datetime64 and timedelta64: the unit belongs to the array's dtype; kernels see GNP_TIME. */
static inline int
gnp_has_unit(int dtype)
{
    return dtype >= GNP_UNITS && dtype < GNP_STRUCTURED;
}
static inline int
gnp_is_structured(int dtype)
{
    return dtype >= GNP_STRUCTURED;
}
static inline int
gnp_kernel_dtype(int dtype)
{
    return gnp_has_unit(dtype) ? GNP_TIME : dtype;
}
/* How elements of `from` become elements of `to`, both of one kind: out = floor(in * num / den); or
 * by the calendar, when one of them counts months: these are converted from (or to) days, and num /
 * den is between days and the other unit. OverflowError with NumPy's message when a factor does not
 * fit. */
typedef struct {
    int64_t num, den, months_in, months_out; /* months: 0 without the calendar */
} GnpTimeFactor;
int gnp_time_factor(GnpDtype from, GnpDtype to, GnpTimeFactor *out);
/* `wanted` for an array of dtype `own`: without a unit it takes own's unit. */
GnpDtype gnp_wanted_dtype(GnpDtype wanted, GnpDtype own);
/* 1 for datetime, date and timedelta of the datetime module. */
int gnp_is_date(PyObject *object);

/* ---- structured dtypes (core/structured.c) --------------------------------------------------- */

/* Elements of a structured dtype, or void, are moved as words: the largest power of two that
 * divides the item size, addresses and strides, at most 16. What moves elements does so by an array
 * of words, which has one more axis, the innermost. */

/* The largest such word of the bytes [begin, end) of a's elements. */
int64_t gnp_word_bytes(const GnpArray *a, int64_t begin, int64_t end);
/* A view of them; `word` divides what gnp_word_bytes() gives. */
GnpArray *gnp_words(GnpArray *a, int64_t begin, int64_t end, int64_t word);
/* The reverse, for new words: an array of a structured dtype, which owns their memory. */
GnpArray *gnp_array_from_words(GNP_STEAL GnpArray *words, GnpDtype dtype);
/* A view with one more axis of length 1, the last: masks and indices beside words. */
GnpArray *gnp_beside_words(GnpArray *a);
/* Calls `run` with words of dst and src, two arrays of one dtype: all bytes that fields cover, in
 * one or more calls, and nothing between them, which an assignment leaves alone. Each has one or
 * more axes behind its own. Arrays of other dtypes are passed as they are. */
typedef struct {
    int (*run)(GnpArray *dst, GnpArray *src, void *context);
    void *context;
} GnpWordsTask;
int gnp_each_words(GnpArray *dst, GnpArray *src, const GnpWordsTask *task);

/* ---- scalars --------------------------------------------------------------------------------- */

/* A Python or NumPy scalar, before its dtype is settled (NEP 50). */
typedef enum {
    GNP_WEAK_NONE,
    GNP_WEAK_BOOL,
    GNP_WEAK_INT,
    GNP_WEAK_FLOAT,
    GNP_WEAK_COMPLEX
} GnpWeak;

typedef union {
    uint64_t bits[2];
    int64_t i;
    uint64_t u;
    float f;
    double d;
    gnp_c64 c64;
    gnp_c128 c128;
} GnpScalar; /* the bytes of one element, at the start */

/* GNP_WEAK_x for Python's bool, int, float, complex (exact or subclass); GNP_WEAK_NONE otherwise.
 */
GnpWeak gnp_weak_kind(PyObject *object);
/* The dtype a weak kind takes beside `other` (GNP_NO_DTYPE: alone). */
GnpDtype gnp_weak_promote(GnpWeak weak, GnpDtype other);
/* `object` (Python number, NumPy scalar, 0-d NumPy array) as an element of `dtype`. OverflowError
 * when a Python int does not fit, with NumPy's message; TypeError for what is not a number. */
int gnp_scalar_from_object(PyObject *object, GnpDtype dtype, GnpScalar *out);
/* The NumPy scalar object (numpy.float32 ...) of an element; gnp_scalar_to_python: Python's own. */
PyObject *gnp_scalar_to_numpy(const void *element, GnpDtype dtype);
PyObject *gnp_scalar_to_python(const void *element, GnpDtype dtype);
/* Whether `object` is a NumPy scalar (numpy.generic), of whatever type. */
int gnp_is_numpy_scalar(PyObject *object);
int gnp_is_numpy_bool(PyObject *object);
int gnp_is_void_scalar(PyObject *object); /* of a structured dtype, or void */
/* The dtype of a NumPy scalar: 1 and *dtype, 0 for anything else, and -1 with TypeError for one
 * that is no number or time (longdouble, str_, void ...). Only 1 sets *dtype. */
int gnp_numpy_scalar_dtype(PyObject *object, GnpDtype *dtype) __attribute__((warn_unused_result));
int gnp_is_numpy_array(PyObject *object);
/* Called before NumPy converts a user's object: 0 for anything but a list or tuple, 1 for a valid
 * one, 2 where it contains arrays of ours; -1 with ValueError for one that contains itself or whose
 * shared sublists multiply. */
int gnp_check_list(PyObject *object);

/* ---- the array ------------------------------------------------------------------------------- */

enum { /* GnpArray.flags */
       GNP_C_CONTIGUOUS = 1,
       GNP_F_CONTIGUOUS = 2,
       GNP_WRITEABLE = 4,
       GNP_ALIGNED = 8, /* data and strides are multiples of the item size */
};

#define GNP_INLINE_DIMS 4

struct GnpArray {
    PyObject_HEAD CUdeviceptr data;
    GnpBlock *block; /* owned; never NULL */
    PyObject *base;  /* owned; NULL unless a view or foreign */
    int64_t size;    /* elements */
    int64_t *dims;   /* shape[ndim] then strides[ndim] in bytes; inline_dims or malloc */
    int32_t ndim;
    int16_t dtype; /* GnpDtype */
    int16_t flags;
    int32_t device_id;
    PyObject *weakrefs;
    int64_t inline_dims[2 * GNP_INLINE_DIMS];
};

static inline int64_t *
gnp_shape(const GnpArray *a)
{
    return a->dims;
}
static inline int64_t *
gnp_strides(const GnpArray *a)
{
    return a->dims + a->ndim;
}
static inline int64_t
gnp_itemsize(const GnpArray *a)
{
    return gnp_dtypes[a->dtype].bytes;
}

extern PyTypeObject *gnp_array_type; /* made by module.c; lives as long as the process */
static inline int
gnp_array_check(PyObject *o)
{
    return Py_TYPE(o) == gnp_array_type || PyType_IsSubtype(Py_TYPE(o), gnp_array_type);
}

/* An array of a class that a program derived from ours. */
static inline int
gnp_is_subclass(PyObject *o)
{
    return Py_TYPE(o) != gnp_array_type && PyType_IsSubtype(Py_TYPE(o), gnp_array_type);
}
PyObject *gnp_subclass_view(GNP_STEAL PyObject *result, PyObject *parent);
/* What a method of `parent` returns: of the same class, if it is new. */
static inline PyObject *
gnp_of_class(GNP_STEAL PyObject *result, PyObject *parent)
{
    return Py_TYPE(parent) == gnp_array_type || result == NULL ||
                   Py_TYPE(result) != gnp_array_type || Py_REFCNT(result) != 1
               ? result
               : gnp_subclass_view(result, parent);
}
/* Borrowed: the first of the operands that are subclasses of the highest __array_priority__, NULL
 * if there are none. -1 with an exception. */
int gnp_highest_subclass(PyObject *const *inputs, int n, PyObject **found);

/* New uninitialised array on the current device and stream; order 'C' or 'F'. ValueError when the
 * size overflows ("array is too big"), more than 64 dimensions, or a negative dimension. */
GnpArray *gnp_array_new(int ndim, const int64_t *shape, GnpDtype dtype, char order);
/* The same with the axis order (and so the memory order) of NumPy's 'K' for one prototype. */
GnpArray *gnp_array_new_like(const GnpArray *prototype, GnpDtype dtype, char order);
/* The same with axes that lie in memory in an order given fastest first. */
GnpArray *gnp_array_new_ordered(int ndim, const int64_t *shape, GnpDtype dtype, const int *axes);
/* The same with the order of a ufunc's result for one operand: gnp_iteration_order. */
GnpArray *gnp_array_new_iterated(const GnpArray *operand, GnpDtype dtype);
/* A view on base's memory: data may point anywhere inside. Flags are recomputed. */
GnpArray *gnp_array_view(GnpArray *base, CUdeviceptr data, int ndim, const int64_t *shape,
                         const int64_t *strides, GnpDtype dtype);
/* Memory the caller describes; steals `block`. */
GnpArray *gnp_array_from_block(GNP_STEAL GnpBlock *block, CUdeviceptr data, int ndim,
                               const int64_t *shape, const int64_t *strides, GnpDtype dtype);
/* NULL strides mean C order. */
void gnp_array_update_flags(GnpArray *a);
/* Any object: arrays, NumPy arrays, nested lists, scalars, CAI and DLPack exporters; on this
 * thread's device. dtype GNP_NO_DTYPE keeps. New reference (may be `object` itself if !copy). */
typedef enum { GNP_COPY_IF_NEEDED, GNP_COPY_ALWAYS, GNP_COPY_NEVER } GnpCopyMode;
GnpArray *gnp_array_from_object(PyObject *object, GnpDtype dtype, GnpCopyMode copy, char order);

/* The elements as one contiguous axis: a view where the layout allows it, else a copy. */
GnpArray *gnp_array_ravel(GnpArray *a, char order);

/* ---- layout ---------------------------------------------------------------------------------- */

/* Broadcasts shape `b` into the running result *ndim, shape; ValueError with NumPy's message. */
int gnp_broadcast_shape(int *ndim, int64_t *shape, int ndim_b, const int64_t *shape_b);
/* Strides of `a` seen with the broadcast shape: 0 along stretched axes. `a` must fit. */
void gnp_broadcast_strides(const GnpArray *a, int ndim, const int64_t *shape, int64_t *strides);
/* The axes, fastest first, in the order in which NumPy's iterator takes arrays of these strides of
 * a common shape ('K'): what results of ufuncs and reductions, and ravel('K'), follow. Axes of
 * stride 0 or length 1 do not determine an order; where no array determines one, or arrays
 * disagree, C order is kept. */
void gnp_iteration_order(int ndim, const int64_t *shape, int narrays, const int64_t *const *strides,
                         int *axes);
/* 1 when the two may share a byte, judged by the bounds of their memory alone. */
int gnp_may_overlap(const GnpArray *a, const GnpArray *b);
/* Exact: 1 a common byte, 0 none, -1 undecided after `max_work` steps (negative: no limit). */
int gnp_solve_overlap(const GnpArray *a, const GnpArray *b, int64_t max_work);
/* From a tuple, list or int. Returns the number of dimensions, -1 with an exception. */
int gnp_shape_from_object(PyObject *object, int64_t shape[GNP_MAX_DIMS]);
PyObject *gnp_tuple_from_ints(int n, const int64_t *values);
/* axis in [-ndim, ndim) -> [0, ndim); numpy.exceptions.AxisError otherwise. */
int gnp_normalize_axis(int64_t axis, int ndim, int *out);
/* A new int of an axis; TypeError for a bool. */
PyObject *gnp_axis_number(PyObject *object);

/* ---- advanced indexing: core/index.c parses the key, select/ gathers and scatters ------------ */

/* A key that contains integer arrays or masks. All basic parts (integers, slices, newaxis,
 * ellipsis) are already applied: what remains is `view` and, for some of its axes, an index.
 *
 * For a result: broadcast the index shapes (a mask counts as one 1-d index of its true elements) to
 * B; the result's shape is view's shape with the indexed axes removed and B inserted at
 * `result_axis`. */
typedef struct {
    GnpArray *view; /* owned; may be the indexed array itself */
    int nindices;
    GnpArray *index[GNP_MAX_DIMS]; /* owned; GNP_BOOL: a mask; else any integer dtype, any layout,
                                    * 0-d included. On view's device. */
    int axis[GNP_MAX_DIMS];        /* first axis of view that index[i] selects from; ascending */
    int naxes[GNP_MAX_DIMS];       /* 1; a mask's own ndim (its shape was checked against view's) */
    int result_axis; /* where B goes: 0 when the key's array parts were not adjacent */
} GnpIndex;

void gnp_index_clear(GnpIndex *index);
/* Any key: out->view always, indices where it has arrays in it. a's device is current. */
int gnp_index_parse(GnpArray *a, PyObject *key, GnpIndex *out);

/* Set by select/ at start-up, before any array exists. `get` returns a new array. `set` stores
 * `value` (an array to be broadcast and cast) or, where value is NULL, `scalar` (an element of
 * view's dtype) at the selected places; the caller has checked that view is writeable. */
extern PyObject *(*gnp_advanced_get)(const GnpIndex *index);
extern int (*gnp_advanced_set)(const GnpIndex *index, GnpArray *value, const GnpScalar *scalar);

/* a[key] and a[key] = value (what the type's slots do). */
PyObject *gnp_array_getitem(GnpArray *a, PyObject *key);
int gnp_array_setitem(GnpArray *a, PyObject *key, PyObject *value);

/* ---- arguments that many functions share ----------------------------------------------------- */

/* 'C', 'F', 'A' or 'K' from a str (any case) or None (`fallback`); ValueError or TypeError as
 * NumPy. */
int gnp_order_from_object(PyObject *object, char fallback, char *out);
/* Make a's device current for work on `a`, and the previous one again (also while an exception is
 * set). gnp_copy, gnp_fill and gnp_astype do so themselves. */
int gnp_array_enter(const GnpArray *a, int *previous);
void gnp_array_leave(const GnpArray *a, int previous);
/* 0 when `a` may be written, else -1 with "assignment destination is read-only". */
int gnp_check_writeable(const GnpArray *a);
/* Calls a function of gpunp/_core/structured.py; `format` builds its tuple of arguments. */
PyObject *gnp_structured_call(const char *function, const char *format, ...);
/* TypeError: "NAME is not supported for datetime64[D]", or for a structured dtype. -1. */
int gnp_refuse_unit(const char *name, int dtype);
/* Host copies: a new NumPy array of a's elements (order 'C', 'F' or 'A'); an element of a size-1
 * array. */
PyObject *gnp_array_to_numpy(GnpArray *a, char order);
/* 1 where Matplotlib is the caller, directly or through NumPy: there arrays are copied to NumPy's
 * implicitly. */
int gnp_called_by_plotting(void);
int gnp_array_read_element(GnpArray *a, GnpScalar *out);
/* From a NumPy array or anything numpy.asarray takes without looking at devices. */
GnpArray *gnp_array_from_numpy(PyObject *object, GnpDtype dtype, char order);

/* ---- elementwise engine (core/elementwise.c): copies, casts, fills, ufuncs ------------------- */

typedef struct GnpOperand GnpOperand;
typedef struct GnpElementOp GnpElementOp;

/* The source of an op that is not an expression of a table. */
typedef struct {
    GnpText knobs; /* the rest of the knob header: `GNP_FN void op(inputs..., outputs &...)` */
    int has_user;  /* 1: op is only declared there, and `user` has the rest */
    GnpText head, tail;
    GnpUserSource user; /* head and tail are filled in from the texts above */
} GnpOpSource;

/* The operation on one element. Rows of tables are static and identified by their address; an op
 * that writes its own source is identified by a number, and lives as long as the process too. */
struct GnpElementOp {
    const char *name;       /* in kernel names and messages */
    const char *expression; /* in a, b, c ... of the compute types: "a + b"; several outputs assign
                               r0, r1 */
    int nin, nout;
    int heavy; /* 1: much code per element, so it is unrolled little */
    /* The kernel header that the expression needs, for real and for complex operands; NULL: the
     * function library of kernels/math.cuh. */
    const char *header, *complex_header;
    uint64_t number;
    /* The source for these operands; NULL for an expression. */
    int (*write)(const GnpElementOp *op, const GnpOperand *operands, GnpOpSource *out);
};

typedef enum { GNP_PLAIN, GNP_READ_FIRST, GNP_POSITION } GnpOperandKind;

struct GnpOperand {
    CUdeviceptr data;       /* ignored for a scalar */
    GnpBlock *block;        /* for stream tracking; NULL for a scalar */
    const int64_t *strides; /* of the common shape, bytes; NULL for a scalar */
    const void *scalar;     /* the element's bytes (already of `dtype`), or NULL */
    int dtype;              /* as stored */
    int compute;            /* as the expression sees it (inputs) or yields it (outputs) */
    GnpOperandKind
        kind; /* READ_FIRST: an output whose present elements op reads. POSITION: an input that is
                 the index in C order: data 0, dtype GNP_U8, strides count elements */
};

/* out[...] = op(in[...]) over `shape`; inputs first, outputs after. Collapses dimensions, orders
 * axes by the outputs' strides, picks vectorised / row / strided / transposed kernels and 32- or
 * 64-bit indices (proven), and launches on the current stream. Callers make sure that operands do
 * not overlap harmfully. Nothing is launched when the size is 0. */
int gnp_elementwise(const GnpElementOp *op, GnpOperand *operands, int ndim, const int64_t *shape);
/* The same on a stream of the current device. */
int gnp_elementwise_on(const GnpElementOp *op, GnpOperand *operands, int ndim, const int64_t *shape,
                       CUstream stream);

/* The same, written only where a mask holds: a GNP_BOOL operand between the inputs and the outputs.
 */
int gnp_elementwise_masked(const GnpElementOp *op, GnpOperand *operands, int ndim,
                           const int64_t *shape);
extern const GnpElementOp gnp_copy_op; /* out = in */
/* The op's own header, by whether an operand is complex; NULL without one. */
const char *gnp_op_header(const GnpElementOp *op, int is_complex);
/* The dtype that carries another's bytes unchanged: all dtypes of a size then share a kernel. */
GnpDtype gnp_same_bytes(GnpDtype dtype);

/* Lazy mode (set by fuse/): 1 when the call was recorded, 0 when not, -1 with an exception. NULL:
 * off. */
extern int (*gnp_element_recorder)(const GnpElementOp *op, const GnpOperand *operands, int ndim,
                                   const int64_t *shape, GnpDevice *device);

/* 1 when writing dst element by element could change elements of src that have not been read yet.
 * Elements at exactly the same addresses are harmless. */
int gnp_overlaps_harmfully(const GnpArray *dst, const GnpArray *src);
/* `a` itself, or an aligned copy of it. New reference. */
GnpArray *gnp_aligned(GnpArray *a);
/* Replaces an array of another device by a copy on the current one, where the program has consented
 * (cuda.set_peer_access): 1, also for arrays that are here; 0 without consent, and without an
 * exception; -1. */
int gnp_array_bring(GnpArray **array);
/* `src` itself, or a copy of it on the current device, in stream order. New reference. */
GnpArray *gnp_array_to_current_device(GnpArray *src);
/* dst[...] = src[...] with broadcast and cast, overlap handled as if src were copied first. A src
 * on another device is moved to dst's, which waits. */
int gnp_copy(GnpArray *dst, GnpArray *src);
int gnp_fill(GnpArray *dst, const GnpScalar *element);
/* A new array with the same elements: order 'C', 'F', 'A' or 'K'. */
GnpArray *gnp_astype(GnpArray *src, GnpDtype dtype, char order);

/* ---- what module.c needs --------------------------------------------------------------------- */

extern PyType_Slot gnp_core_array_slots[];   /* ends with {0, NULL} */
extern PyMethodDef gnp_core_array_methods[]; /* ends with a NULL name */
extern PyGetSetDef gnp_core_array_getset[];
int gnp_core_init(PyObject *module); /* NumPy, dtypes, functions; before the type is made */
int gnp_core_finish_type(void);      /* what belongs to gnp_array_type itself; after it is made */

/* A launch on the current device and stream, in core/launch_arrays.c. The kernel's parameters are
 * the addresses of arrays, 0 for NULL, and then values, which end at the first NULL. The pool
 * learns that the stream uses the arrays' memory. */
enum { GNP_LAUNCH_ARRAYS = 11, GNP_LAUNCH_VALUES = 6 };
typedef struct {
    GnpSpec *spec;
    GnpKernelWriter writer; /* or NULL, as for gnp_kernel_find */
    const void *context;
    int64_t blocks;
    int threads, shared_bytes, narrays;
    GnpArray *array[GNP_LAUNCH_ARRAYS];
    const void *value[GNP_LAUNCH_VALUES];
} GnpArrayLaunch;
int gnp_launch_arrays(const GnpArrayLaunch *l);

/* `a` if kernels of the current device can read it as it is, else an aligned copy. ValueError for
 * another device's array. New reference. */
GnpArray *gnp_readable(GnpArray *a, const char *function);
/* The same, for arrays with a unit of time too: where elements are only moved, or gnp_kernel_dtype
 * is used. Structured arrays are refused by both: words of them are read instead. */
GnpArray *gnp_readable_any(GnpArray *a, const char *function);
/* After the launch, for what was written: `used` is what gnp_readable made of `given`. Copies it
 * back unless they are one array; `used` may be NULL. */
int gnp_write_back(GnpArray *used, PyObject *given);

/* A row of a method table; `arguments` is what follows the array itself in the signature. */
#define GNP_ARRAY_METHOD(name, arguments, summary)                                                 \
    GNP_METHOD(name, array_##name, arguments, summary)
/* The same of a method whose result has the class of the array: GNP_OF_CLASS defines it. */
#define GNP_CLASS_METHOD(name, arguments, summary)                                                 \
    GNP_METHOD(name, array_##name##_of_class, arguments, summary)
#define GNP_OF_CLASS(function)                                                                     \
    static PyObject *function##_of_class(PyObject *self, PyObject *const *args, Py_ssize_t nargs,  \
                                         PyObject *kwnames)                                        \
    {                                                                                              \
        return gnp_of_class(function(self, args, nargs, kwnames), self);                           \
    }
#define GNP_METHOD(name, function, arguments, summary)                                             \
    {#name, GNP_FAST(function), METH_FASTCALL | METH_KEYWORDS,                                     \
     #name "($self, /, " arguments "\n--\n\n" summary}

#endif
