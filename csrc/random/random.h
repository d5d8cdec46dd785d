/* Random numbers: the state a bit generator keeps, and how draws use it. */
#ifndef GNP_RANDOM_H
#define GNP_RANDOM_H

#include "select/select.h"

typedef enum { GNP_PHILOX, GNP_XORWOW, GNP_MRG32K3A, GNP_GIVEN, GNP_NORIGINS } GnpOrigin;

enum {
    GNP_RANDOM_SEQUENCES = 65536, /* of a source that keeps a state: its numbers depend on it */
    GNP_RANDOM_STATE_WORDS = 6,
};

/* gpunp._C.RandomStream. Guarded by the GIL, as is the order of draws. */
typedef struct {
    PyObject_HEAD GnpOrigin origin;
    uint64_t key, position; /* Philox: the groups of four words drawn so far */
    uint32_t stream;        /* Philox: jumps */
    GnpArray *states;       /* owned; XORWOW and MRG32k3a: uint32, (words, sequences) */
    PyObject *words; /* owned; given words: a callable that takes a number and returns that many */
    CUevent written; /* after the last launch that wrote `states` on `last` */
    CUstream last;
    GnpTurn turn; /* at drawing, and at what that changes */
} GnpRandomStream;

extern PyTypeObject *gnp_random_stream_type;

/* Sequence t of `states`, which has a column per sequence, becomes `first` moved on by
 * (t + jumps * GNP_RANDOM_SEQUENCES) times 2^67 (XORWOW) or 2^76 (MRG32k3a) steps. */
void gnp_random_sequences(GnpOrigin origin, const uint32_t first[GNP_RANDOM_STATE_WORDS],
                          uint64_t jumps, uint32_t *states);

/* Before and after a launch on `stream` that draws for a number of groups: fetches given words,
 * orders states after the launch that wrote them last, and advances counters. ValueError when
 * states are on another device. A begin that succeeded is followed by an end with the launch's
 * status, 0 or -1, which is returned; other threads wait in between, since a launch may release the
 * GIL. */
int gnp_random_begin(GnpRandomStream *r, int64_t groups, const GnpDevice *device, CUstream stream);
int gnp_random_end(GnpRandomStream *r, int64_t groups, CUstream stream, int status);
/* The most threads of a launch; 0: no limit. */
static inline int64_t
gnp_random_threads(const GnpRandomStream *r)
{
    return r->origin == GNP_XORWOW || r->origin == GNP_MRG32K3A ? GNP_RANDOM_SEQUENCES : 0;
}

/* The kernel's Origin, the source of its words: its type, and the parameter. */
const char *gnp_random_origin_type(GnpOrigin origin);
void gnp_random_add_origin(GnpParams *params, const GnpRandomStream *r);

int gnp_random_stream_init(PyObject *module);
int gnp_random_rows_init(PyObject *module);
int gnp_random_permutation_init(PyObject *module);
int gnp_random_sample_init(PyObject *module);
int gnp_random_init(PyObject *module);

#endif
