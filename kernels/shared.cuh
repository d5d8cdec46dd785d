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

// A recursive filter along one axis of a C-contiguous array, to `length + 2 pad` elements: its poles, its gain, and the
// outputs of a warp. Beyond the ends of the result stands what `lines.rule` says, in the padding what `pad_rule` does.
typedef struct {
    GnpLines lines;
    i64 pad, pad_rule, march;
    f64 poles[2], gain;
} GnpSpline;
GNP_SAME_SIZE(GnpSpline, 104);

// Where an output is read: at coordinates in memory; at a matrix in memory times its index, plus an offset, its last
// column; the same with a matrix among the parameters; on each axis at (index + shift) * zoom; or at (index + 1/2) * zoom
// - 1/2.
enum InterpolateKind {
    INTERPOLATE_COORDINATES,
    INTERPOLATE_STORED,
    INTERPOLATE_MATRIX,
    INTERPOLATE_ZOOM,
    INTERPOLATE_GRID
};
enum InterpolateMode {
    INTERPOLATE_CONSTANT,
    INTERPOLATE_GRID_CONSTANT,
    INTERPOLATE_NEAREST,
    INTERPOLATE_MIRROR,
    INTERPOLATE_REFLECT,
    INTERPOLATE_WRAP,
    INTERPOLATE_GRID_WRAP
};
enum { INTERPOLATE_AXES = 8, IMAGE_AXES = 32 };
// An axis of the output: its size, and which axis of the matrix it is; -1: the input has the same axis, with this step.
typedef struct {
    i64 size, column, step;
} GnpOutputAxis;
// An axis of the input that is interpolated along, and its last place. The offset of a matrix is its last column.
typedef struct {
    i64 length, step;
    f64 last, matrix[INTERPOLATE_AXES], offset;
} GnpInputAxis;
typedef struct {
    GnpOutputAxis outputs[IMAGE_AXES];
    GnpInputAxis inputs[INTERPOLATE_AXES];
    i64 size, naxes, mode, width_bits, each; // a block has 2^width_bits outputs of a row, a thread `each` rows
    f64 pad;                                 // what is added to each place: elements were put before the first one
} GnpInterpolation;
GNP_SAME_SIZE(GnpInterpolation, 1584);

// What a spectrum is multiplied by: a product of numbers or of phases, one for each axis, or a function of a sum of squares.
enum FourierKind { FOURIER_FACTORS, FOURIER_PHASES, FOURIER_ELLIPSOID };
// The shape of a C-contiguous array, and how many numbers the tables of its axes have.
typedef struct {
    i64 sizes[IMAGE_AXES], naxes, size, table;
} GnpImageShape;
GNP_SAME_SIZE(GnpImageShape, 280);
// Extensions of a signal besides those of enum PadRule: by the slope at its ends, by the line through its ends, by the
// reflection of PAD_SYMMETRIC with the sign changed, and by rotation about its ends.
enum SignalRule { PAD_SMOOTH = PAD_SYMMETRIC + 1, PAD_LINE, PAD_ANTISYMMETRIC, PAD_ANTIREFLECT };
// Output i of a row is that of number first + i of the signal raised by `up`, filtered by `taps` factors and lowered by
// `down`. Threads of a block are for the phases of `groups` groups, `lanes` for each, of `chunks` parts of one. An output
// is made of up to `before` elements before its newest one, which is `newest` for number first, of phase `phase`; a block
// reads `span` elements.
typedef struct {
    i64 length, taps, up, down, first, outputs, rule;
    i64 blocks, groups, lanes, chunks, before, span, newest, phase;
} GnpUpfirdn;
GNP_SAME_SIZE(GnpUpfirdn, 120);

enum LabelStep { LABEL_START, LABEL_JOIN, LABEL_ROOTS, LABEL_NUMBERS };
typedef struct {
    i64 shape[FOOTPRINT_AXES], size;
} GnpImage;
GNP_SAME_SIZE(GnpImage, 72);

// Parts of a step of conjugate gradients (krylov_step.cu).
enum KrylovStep { KRYLOV_DOT, KRYLOV_ADVANCE, KRYLOV_TURN };

// Passes of Gram-Schmidt (krylov_project.cu), the rows of a basis that one launch takes, and the blocks of one, which
// leave a sum for each row.
enum KrylovPass { KRYLOV_PRODUCTS, KRYLOV_AGAIN, KRYLOV_LENGTH };
enum { KRYLOV_MOST_ROWS = 128, KRYLOV_MOST_SUMS = 256 };

// The rows that one launch of lbfgs_products.cu multiplies, and its blocks, which leave a sum for each product.
enum { LBFGS_MOST_ROWS = 64, LBFGS_MOST_SUMS = 512 };

// Elements of a row that sparse_arrange.cu sorts, the bits of a place in its block, and where it finds columns and values: in words of 8 bytes whose upper
// half is a value, or the place of one; or in two arrays.
enum { SPARSE_MOST_ARRANGED = 512, SPARSE_PLACE_BITS = 10 };
enum SparseFrom { SPARSE_WORDS, SPARSE_PLACES, SPARSE_ARRAYS };

// Ranges of rows (sparse_range_*.cu): how many there are, and elements of a tile; elements of the largest one that is sorted
// in shared memory, the bits of its buckets, and those of a row and a column together; bytes of shared memory of two kernels.
enum { SPARSE_RANGES = 2048, SPARSE_RANGE_TILE = 8192, SPARSE_RANGE_MOST = 9216 };
enum { SPARSE_BUCKET_BITS = 12, SPARSE_RANGE_BITS = 30, SPARSE_MOVE_BYTES = 90176, SPARSE_SORT_BYTES = 94720 };

// Rows of a block of a banded system (banded.cuh).
enum { BANDED_MOST_WIDTH = 16 };

// What moves along with the elements that are sorted: nothing, where they were, a value of each, or a word of two halves
// that the first pass reads from two arrays.
enum SortAlong { SORT_ALONE, SORT_POSITIONS, SORT_PLACES, SORT_VALUES, SORT_WORDS };

// Steps of the components of graphs, weak (graph_join.cu) and strong (graph_reach.cu).
// GRAPH_SAMPLE looks at one of SAMPLE_STRIDE nodes; GRAPH_NODES are those of a thread where roots are written.
enum GraphJoin {
    GRAPH_START,
    GRAPH_LAST,
    GRAPH_JOIN,
    GRAPH_ROOTS,
    GRAPH_LARGEST,
    GRAPH_SAMPLE,
    GRAPH_MARK,
    GRAPH_MIDDLE,
    GRAPH_NUMBER,
    GRAPH_LABEL
};
enum { SAMPLE_STRIDE = 16, GRAPH_NODES = 4 };
enum GraphReach { GRAPH_RESET, GRAPH_SWEEP, GRAPH_KEEP };
// Steps of shortest paths (graph_paths.cu), of a breadth-first order (graph_levels.cu), of a spanning forest
// (graph_forest.cu), and of distances between all pairs of nodes (graph_pairs.cu).
enum GraphPaths { PATHS_RELAX, PATHS_STRICT, PATHS_TIGHT, PATHS_SETTLE };
enum GraphLevels { LEVELS_NARROW, LEVELS_CLAIM, LEVELS_COUNT, LEVELS_WRITE };
enum GraphForest { FOREST_LEAST, FOREST_FIRST, FOREST_JOIN, FOREST_ROOTS, FOREST_KEEP };
enum GraphPairs { PAIRS_DIAGONAL, PAIRS_CROSS, PAIRS_REST };

// What is computed of the elements of each label: their sum, or the least or the greatest one and its index.
enum SegmentOperation { SEGMENT_SUM, SEGMENT_LEAST, SEGMENT_MOST };
// What an element contributes: 1, its value, its value times its coordinate along an axis, the square of its distance
// from its label's centre, or the coordinate.
enum SegmentSource { SEGMENT_ONE, SEGMENT_VALUE, SEGMENT_MOMENT, SEGMENT_SQUARE, SEGMENT_PLACE };
// How NaN and equal elements are ordered: NaN is the greatest and the last of the greatest elements is taken, as by a
// stable sort; or NaN is the extreme in both directions and the first one is taken.
enum SegmentOrder { SEGMENT_SORTED, SEGMENT_FIRST };
// Words of a warp in which lanes of one label meet (segments.cu), and labels of a block that combines (segments_finish.cu).
enum { SEGMENT_SLOTS = 256, SEGMENT_BINS = 8 };
// An element's coordinate is (its index / step) % length.
typedef struct {
    i64 size, labels, length, step;
} GnpSegments;
GNP_SAME_SIZE(GnpSegments, 32);
enum FrameTrend { FRAME_AS_IS, FRAME_CONSTANT, FRAME_LINEAR };
// Overlapping frames of rows of `length` elements: frame i of `count` begins at start + i * hop, which may lie outside
// of its row, and has `size` elements, which `padded` elements of the output hold.
typedef struct {
    i64 length, count, frames, start, hop, size, padded, shift;
} GnpFrames;
GNP_SAME_SIZE(GnpFrames, 64);

enum { HARMONIC_FREQUENCIES = 6 }; // of a block

#endif
