/* Carries out a plan: every transform of the batch is read into double precision, transformed axis
 * by axis, and written.
 *
 * Double precision inside, whatever the plan's, so that results of single precision are as good as
 * any kernel's.
 */
#include "emu/libs/fft_plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- elements -------------------------------------------------------------------------------- */

/* By memcpy, since the address is only known to be a char pointer. */
static double
load(const char *at, int is_double)
{
    float single;
    double wide;
    if (is_double) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&single, at, sizeof single);
    return single;
}

/* Rounds once, at the end of the whole transform. */
static void
store(char *at, int is_double, double value)
{
    float single = (float)value;
    if (is_double) {
        memcpy(at, &value, sizeof value);
    }
    else {
        memcpy(at, &single, sizeof single);
    }
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* Of a real or an imaginary part: a complex element has two. */
static int64_t
part_bytes(const FftShape *shape)
{
    return shape->is_double ? 8 : 4;
}

int64_t
fft_element_bytes(const FftShape *shape, const FftSide *side)
{
    return part_bytes(shape) * (side->is_real ? 1 : 2);
}

/* Up to the last element that is touched, since the caller's memory may end there. */
int64_t
fft_side_bytes(const FftShape *shape, const FftSide *side)
{
    int64_t last = (shape->batch - 1) * side->distance;
    for (int axis = 0; axis < shape->rank; axis++) {
        last += (side->shape[axis] - 1) * side->stride[axis];
    }
    return (last + 1) * fft_element_bytes(shape, side);
}

/* For transforms in place: a row of reals lies in the memory of its half spectrum, which has two
 * reals for each of n / 2 + 1 elements. */
void
fft_pad_reals(FftShape *shape)
{
    FftSide *real = shape->kind == FFT_R2C ? &shape->in : &shape->out;
    const FftSide *half = shape->kind == FFT_R2C ? &shape->out : &shape->in;
    for (int axis = 0; axis < shape->rank - 1; axis++) {
        real->stride[axis] = 2 * half->stride[axis];
    }
    real->distance = 2 * half->distance;
}

/* Elements of one transform as they lie in the buffer: complex, the half spectrum where there is
 * one. */
static int64_t
buffer_row(const FftShape *shape)
{
    int64_t n = shape->n[shape->rank - 1];
    return shape->kind == FFT_C2C ? n : n / 2 + 1;
}

/* The rows of one transform: all axes but the last. */
static int64_t
buffer_rows(const FftShape *shape)
{
    int64_t rows = 1;
    for (int axis = 0; axis < shape->rank - 1; axis++) {
        rows *= shape->n[axis];
    }
    return rows;
}

/* The address of row `row` of a side (the axes before the last, in C order). */
static char *
row_address(const FftShape *shape, const FftSide *side, char *base, int64_t row)
{
    int64_t offset = 0;
    for (int axis = shape->rank - 2; axis >= 0; axis--) {
        offset += row % shape->n[axis] * side->stride[axis];
        row /= shape->n[axis];
    }
    return base + offset * fft_element_bytes(shape, side);
}

/* ---- one transform --------------------------------------------------------------------------- */

/* The memory of one execution: one allocation of which `line` and `scratch` are parts. */
typedef struct {
    const FftShape *shape;
    FftLength *length[FFT_MAX_RANK];
    FftComplex *data, *line, *scratch; /* one transform; the longest axis; what that one needs */
} Work;

/* A real input gets imaginary parts of zero. */
static void
read_row(const FftShape *shape, const FftSide *side, const char *at, FftComplex *row)
{
    int64_t part = part_bytes(shape);
    int64_t step = side->stride[shape->rank - 1] * fft_element_bytes(shape, side);
    for (int64_t i = 0; i < side->shape[shape->rank - 1]; i++, at += step) {
        row[i].re = load(at, shape->is_double);
        row[i].im = side->is_real ? 0 : load(at + part, shape->is_double);
    }
}

/* A real output drops the imaginary parts, which are rounding errors there. */
static void
write_row(const FftShape *shape, const FftSide *side, char *at, const FftComplex *row)
{
    int64_t part = part_bytes(shape);
    int64_t step = side->stride[shape->rank - 1] * fft_element_bytes(shape, side);
    for (int64_t i = 0; i < side->shape[shape->rank - 1]; i++, at += step) {
        store(at, shape->is_double, row[i].re);
        if (!side->is_real) {
            store(at + part, shape->is_double, row[i].im);
        }
    }
}

/* Every axis but the last, over the rows in the buffer. */
static void
transform_columns(Work *w, int sign)
{
    const FftShape *shape = w->shape;
    int64_t inner = buffer_row(shape), outer = buffer_rows(shape);
    for (int axis = shape->rank - 2; axis >= 0; axis--) {
        int64_t n = shape->n[axis];
        outer /= n;
        for (int64_t i = 0; i < outer * inner; i++) {
            FftComplex *first = w->data + i / inner * n * inner + i % inner;
            for (int64_t k = 0; k < n; k++) {
                w->line[k] = first[k * inner];
            }
            fft_line(w->length[axis], sign, w->line, w->scratch);
            for (int64_t k = 0; k < n; k++) {
                first[k * inner] = w->line[k];
            }
        }
        inner *= n;
    }
}

/* Rows first, from a real or a complex input. */
static void
transform_forward(Work *w, int sign, char *in, char *out)
{
    const FftShape *shape = w->shape;
    int64_t row = buffer_row(shape), rows = buffer_rows(shape);
    const FftLength *length = w->length[shape->rank - 1];
    for (int64_t i = 0; i < rows; i++) {
        read_row(shape, &shape->in, row_address(shape, &shape->in, in, i), w->line);
        fft_line(length, sign, w->line, w->scratch);
        memcpy(w->data + i * row, w->line, (size_t)row * sizeof *w->line);
    }
    transform_columns(w, sign);
    for (int64_t i = 0; i < rows; i++) {
        write_row(shape, &shape->out, row_address(shape, &shape->out, out, i), w->data + i * row);
    }
}

/* A point that is its own mirror image ought to be real. Where it is not, cuFFT's kernels of double
 * precision take its real part, and some of those of single precision something else, which depends
 * on length and layout: a caller who relies on either is noticed here. */
static void
real_end(const FftShape *shape, FftComplex *point)
{
    point->re += shape->is_double ? 0 : point->im;
    point->im = 0;
}

/* Rows last, from the half spectrum: the other half is its mirror image. */
static void
transform_to_real(Work *w, char *in, char *out)
{
    const FftShape *shape = w->shape;
    int64_t row = buffer_row(shape), rows = buffer_rows(shape), n = shape->n[shape->rank - 1];
    for (int64_t i = 0; i < rows; i++) {
        read_row(shape, &shape->in, row_address(shape, &shape->in, in, i), w->data + i * row);
    }
    transform_columns(w, 1);
    /* The real library overwrites the input of complex-to-real transforms of several axes; a caller
     * who needs it again is noticed here. */
    for (int64_t i = 0; shape->rank > 1 && i < rows; i++) {
        write_row(shape, &shape->in, row_address(shape, &shape->in, in, i), w->data + i * row);
    }
    for (int64_t i = 0; i < rows; i++) {
        memcpy(w->line, w->data + i * row, (size_t)row * sizeof *w->line);
        real_end(shape, &w->line[0]);
        if (n % 2 == 0) {
            real_end(shape, &w->line[n / 2]);
        }
        for (int64_t k = row; k < n; k++) {
            w->line[k] = (FftComplex){w->line[n - k].re, -w->line[n - k].im};
        }
        fft_line(w->length[shape->rank - 1], 1, w->line, w->scratch);
        write_row(shape, &shape->out, row_address(shape, &shape->out, out, i), w->line);
    }
}

/* Lengths that are kept in the table are only released. */
static void
work_clear(Work *w)
{
    for (int axis = 0; axis < w->shape->rank; axis++) {
        fft_length_release(w->length[axis]);
    }
    free(w->data);
}

/* On failure work_clear may be called all the same: what was not made is NULL. */
static int
work_init(Work *w, const FftShape *shape)
{
    size_t line = 0, scratch = 0;
    size_t data = (size_t)(buffer_rows(shape) * buffer_row(shape));
    *w = (Work){.shape = shape};
    for (int axis = 0; axis < shape->rank; axis++) {
        w->length[axis] = fft_length_get(shape->n[axis]);
        if (w->length[axis] == NULL) {
            return -1;
        }
        size_t more = fft_length_scratch(w->length[axis]);
        line = (size_t)shape->n[axis] > line ? (size_t)shape->n[axis] : line;
        scratch = more > scratch ? more : scratch;
    }
    w->data = malloc((data + line + scratch) * sizeof(FftComplex));
    if (w->data == NULL) {
        return -1;
    }
    w->line = w->data + data;
    w->scratch = w->line + line;
    return 0;
}

/* One transform at a time, so that memory does not grow with the batch. -1 without memory. */
int
fft_execute(const FftShape *shape, int sign, void *in, void *out)
{
    Work w;
    char *from = in, *to = out;
    if (work_init(&w, shape) < 0) {
        work_clear(&w);
        return -1;
    }
    for (int64_t i = 0; i < shape->batch; i++) {
        if (shape->kind == FFT_C2R) {
            transform_to_real(&w, from, to);
        }
        else {
            transform_forward(&w, shape->kind == FFT_R2C ? -1 : sign, from, to);
        }
        from += shape->in.distance * fft_element_bytes(shape, &shape->in);
        to += shape->out.distance * fft_element_bytes(shape, &shape->out);
    }
    work_clear(&w);
    return 0;
}
