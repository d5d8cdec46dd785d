/* Kernels the user wrote: modules, functions and their launch (function.c, arguments.c, link.c,
 * raw.c, dispatch.c). */
#ifndef GNP_FUNCTION_H
#define GNP_FUNCTION_H

#include "user/user.h"

/* gpunp.cuda.Module: an image on one device. */
typedef struct {
    PyObject_HEAD GnpModule *module; /* owned; NULL until something was loaded */
    GnpDevice *device;
} GnpModuleObject;

typedef struct {
    size_t offset, bytes;
    char letter; /* by the source: f float, d double, F complex of floats, i integer, p pointer,
                  * ? other; 0 not asked yet */
} GnpParameter;

/* gpunp.cuda.Function: a kernel of such a module. */
typedef struct {
    PyObject_HEAD PyObject *module; /* owned: a GnpModuleObject */
    GnpModule *loaded;              /* owned: what that had loaded, which load() may replace */
    PyObject *name;                 /* owned: str */
    PyObject *source;               /* owned: str of CUDA C++ with extern "C" kernels, or NULL */
    GnpKernel kernel;
    GnpDevice *device;
    GnpParameter *parameter;           /* owned */
    int nparameters;                   /* -1: unknown to the driver */
    int warned_of_gaps;                /* an array with gaps was passed: warned already */
    int static_shared, dynamic_shared; /* bytes; the second: what a launch may use at present */
} GnpFunctionObject;

extern PyTypeObject *gnp_module_type, *gnp_function_type;

/* Steals `module`, also on failure. */
PyObject *gnp_user_module(GNP_STEAL GnpModule *module, GnpDevice *device);
GnpFunctionObject *gnp_user_function(GnpModuleObject *self, PyObject *name);
/* A file as bytes. */
PyObject *gnp_read_file(PyObject *path);

/* Launch parameters other than the kernel's arguments; NULL where not given. */
typedef struct {
    PyObject *grid, *block, *args, *shared_mem, *stream, *cluster;
    int cooperative;
} GnpLaunchCall;

/* The same, read and checked for one kernel. */
typedef struct {
    unsigned grid[3], block[3], cluster[3], shared;
    int cooperative;
    CUstream stream;
} GnpLaunchShape;

int gnp_launch_shape_init(GnpLaunchShape *shape, GnpFunctionObject *f, const GnpLaunchCall *call);
/* Launch with arguments as cuLaunchKernel takes them. */
int gnp_launch_shape_run(const GnpLaunchShape *shape, const GnpFunctionObject *f, void **arg);
/* f<<<grid, block, shared_mem, stream>>>(*args). New reference to None. */
PyObject *gnp_function_launch(GnpFunctionObject *f, const GnpLaunchCall *call);

/* ---- arguments of a launch (arguments.c) ----------------------------------------------------- */

enum { GNP_FEW_ARGUMENTS = 24 };

typedef struct {
    int n, nbuffers;
    void **arg;        /* few or malloc */
    GnpScalar *value;  /* the same */
    Py_buffer *buffer; /* malloc; values that are not scalars, held until the launch */
    void *few_arg[GNP_FEW_ARGUMENTS];
    GnpScalar few_value[GNP_FEW_ARGUMENTS];
} GnpArguments;

/* `args` is a tuple. Arrays are recorded as used by `stream`. TypeError or ValueError names
 * the argument, its type and the expected one. Clear it in any case. */
int gnp_arguments_init(GnpArguments *a, const GnpFunctionObject *f, PyObject *args,
                       CUstream stream);
void gnp_arguments_clear(GnpArguments *a);

/* The attributes Function and RawKernel share: CUfunction_attribute by name. */
typedef struct {
    const char *name, *doc;
    int attribute, writeable;
} GnpFunctionAttribute;
extern const GnpFunctionAttribute gnp_function_attributes[]; /* ends with a NULL name */
PyObject *gnp_function_get(GnpFunctionObject *f, const GnpFunctionAttribute *attribute);
int gnp_function_set(GnpFunctionObject *f, const GnpFunctionAttribute *attribute, PyObject *value);

int gnp_function_init(PyObject *module); /* all types of these files */
int gnp_raw_init(PyObject *module);
int gnp_dispatch_init(PyObject *module);
int gnp_link_init(PyObject *module);

#endif
