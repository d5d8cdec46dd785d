// Shared by the host and the kernels: enumerations that are compile-time parameters, and structs that are
// launch parameters. C11 and CUDA C++ at once; gnp.cuh includes it, and so does csrc/kernel/kernel.h.
#ifndef GNP_SHARED_H
#define GNP_SHARED_H

#ifndef __CUDACC_RTC__
#include <stdint.h>
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef double f64;
#define GNP_SAME_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "as kernels read it")
#else
#define GNP_SAME_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), "as the host writes it")
#endif

// How an operand of an elementwise kernel is read or written: by whole accesses along the fastest axis; one
// element for all; a number passed by value; whole accesses, the same in every row; any strides; contiguous
// along another axis.
enum Access {
    ACCESS_CONTIGUOUS,
    ACCESS_BROADCAST,
    ACCESS_SCALAR,
    ACCESS_ROW_BROADCAST,
    ACCESS_STRIDED,
    ACCESS_TRANSPOSED
};

// ---- selection --------------------------------------------------------------------------------------

// What stands beyond the end of an axis.
enum PadRule { PAD_CONSTANT, PAD_EDGE, PAD_WRAP, PAD_REFLECT, PAD_SYMMETRIC };
enum SelectWhat { SELECT_INDICES, SELECT_COORDINATES, SELECT_TAKE, SELECT_PUT };
// The atomic operation that updates an element: a compare-and-swap loop, or an atomic instruction.
enum UpdateHow { UPDATE_SWAP, UPDATE_ADD, UPDATE_LEAST, UPDATE_MOST, UPDATE_AND, UPDATE_OR, UPDATE_XOR };
enum BinsKind { BINS_DIRECT, BINS_UNIFORM, BINS_EDGES };
// Where the bins of a block are: only in the result; in a static array; in dynamic shared memory.
enum BinsShared { BINS_SHARED_NONE, BINS_SHARED_STATIC, BINS_SHARED_DYNAMIC };
enum NthGives { NTH_ELEMENTS, NTH_PARTITION, NTH_POSITIONS };

// An index array over one axis.
typedef struct {
    u64 data;
    i64 size, stride; // of the axis, the stride in bytes
} GnpIndexAxis;
GNP_SAME_SIZE(GnpIndexAxis, 24);

// The ranks wanted of each row, and weights for interpolation.
enum { GNP_RANKS_MOST = 8 };
typedef struct {
    u64 low[GNP_RANKS_MOST], high[GNP_RANKS_MOST];
    f64 weight[GNP_RANKS_MOST];
    u32 count;
} GnpRowRanks;
GNP_SAME_SIZE(GnpRowRanks, 200);

typedef struct {
    u32 at[GNP_RANKS_MOST];
    u32 count;
} GnpNthRanks;
GNP_SAME_SIZE(GnpNthRanks, 36);

// ---- reductions and products ------------------------------------------------------------------------

typedef struct {
    u64 count;
    f64 parameter;
    u64 initial[2];
} GnpReduceEnding;
GNP_SAME_SIZE(GnpReduceEnding, 32);

typedef struct {
    i64 m, n, k, chunk;
    i64 a_row, a_k, b_k, b_column, c_row, c_column; // steps in bytes
    u32 tiles_m, tiles_n;
} GnpProductShape;
GNP_SAME_SIZE(GnpProductShape, 88);

// A matrix of correlate2d.
typedef struct {
    u64 at;
    i64 rows, columns, row_step, column_step; // steps in bytes
} GnpPlane;
GNP_SAME_SIZE(GnpPlane, 40);

// ---- random numbers ---------------------------------------------------------------------------------

enum DrawKind { DRAW_WORD, DRAW_NORMAL, DRAW_PAIRED, DRAW_DRAWS, DRAW_BITS, DRAW_BOUNDED };

// ---- linear algebra ---------------------------------------------------------------------------------

enum GaussOp { GAUSS_SOLVE, GAUSS_INVERT, GAUSS_DET, GAUSS_SLOGDET };

// Where the matrices of a stack are; steps in elements.
typedef struct {
    u64 data;
    i64 batch, row, column;
} GnpPlace;
GNP_SAME_SIZE(GnpPlace, 32);

typedef struct {
    u64 x, log; // C-contiguous
    u64 flag;   // i32: 1 when a matrix is singular; zero at the launch where blocks share it
} GnpGaussOutputs;
GNP_SAME_SIZE(GnpGaussOutputs, 24);

typedef struct {
    u64 values, left, right, flag;
    i64 left_batch, left_row, left_column, right_batch, right_row, right_column;
    i32 rows, columns, lefts;
} GnpSvdOutputs;
GNP_SAME_SIZE(GnpSvdOutputs, 96);

// A panel of columns of an LU factorisation.
typedef struct {
    i32 rows, columns, first, width, steps;
} GnpPanel;
GNP_SAME_SIZE(GnpPanel, 20);

typedef struct {
    GnpPlace at;
    i32 n, pitch; // pitch: of right-hand sides in shared memory
} GnpTriangle;
GNP_SAME_SIZE(GnpTriangle, 40);

// ---- images and signals -----------------------------------------------------------------------------

enum LineOperation { LINE_CORRELATE, LINE_MEAN, LINE_MINIMUM, LINE_MAXIMUM };
// The lines of a C-contiguous array along one axis: `length` elements, `step` apart, which is also the number of
// lines that lie side by side; `outer` such groups. Output i has the taps from i - left on; beyond the ends stands
// what `rule`, of enum PadRule, says.
typedef struct {
    i64 outer, length, step, left, taps, rule;
    f64 scale;
} GnpLines;
GNP_SAME_SIZE(GnpLines, 56);

enum FootprintOperation { FOOTPRINT_CORRELATE, FOOTPRINT_MINIMUM, FOOTPRINT_MAXIMUM, FOOTPRINT_FEW, FOOTPRINT_MANY };
enum { FOOTPRINT_AXES = 8 };
// A window over axes of a C-contiguous array: it begins `left` elements before its output and has `window` places, of
// which a mask may select some. `rank` of the elements in order is the result of FOOTPRINT_FEW and FOOTPRINT_MANY.
typedef struct {
    i64 shape[FOOTPRINT_AXES], window[FOOTPRINT_AXES], left[FOOTPRINT_AXES];
    i64 places, rank, rule;
} GnpFootprint;
GNP_SAME_SIZE(GnpFootprint, 216);

enum NearestMetric { NEAREST_EUCLIDEAN, NEAREST_TAXICAB, NEAREST_CHESSBOARD };
// What is stored: the cost itself, its square root, or the cost as an integer that is -1 where there is none.
enum NearestFinish { NEAREST_COST, NEAREST_ROOT, NEAREST_NUMBER };
enum { NEAREST_BAND = 32 };

enum LabelStep { LABEL_START, LABEL_JOIN, LABEL_ROOTS, LABEL_NUMBERS };
typedef struct {
    i64 shape[FOOTPRINT_AXES], size;
} GnpImage;
GNP_SAME_SIZE(GnpImage, 72);

enum FrameTrend { FRAME_AS_IS, FRAME_CONSTANT, FRAME_LINEAR };
// Overlapping frames of rows of `length` elements: frame i of `count` begins at start + i * hop, which may lie outside
// of its row, and has `size` elements, which `padded` elements of the output hold.
typedef struct {
    i64 length, count, frames, start, hop, size, padded, shift;
} GnpFrames;
GNP_SAME_SIZE(GnpFrames, 64);

enum { HARMONIC_FREQUENCIES = 6 }; // of a block

#endif
