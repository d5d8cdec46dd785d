/* Numbers, factors and views of the emulated cuBLAS; see numbers.h. */
#include "emu/libs/numbers.h"

#include "emu/libs/halves.h"

Number
emu_get(cudaDataType type, const void *array, int64_t i)
{
    switch (type) {
    case CUDA_R_8I:
        return (Number){((const int8_t *)array)[i], 0};
    case CUDA_R_16F:
        return (Number){(double)emu_math_from_half(((const uint16_t *)array)[i]), 0};
    case CUDA_R_16BF:
        return (Number){(double)emu_math_from_bfloat(((const uint16_t *)array)[i]), 0};
    case CUDA_R_32I:
        return (Number){((const int32_t *)array)[i], 0};
    case CUDA_R_32F:
        return (Number){(double)((const float *)array)[i], 0};
    case CUDA_R_64F:
        return (Number){((const double *)array)[i], 0};
    case CUDA_C_32F: {
        cuComplex z = ((const cuComplex *)array)[i];
        return (Number){(double)z.x, (double)z.y};
    }
    default: {
        cuDoubleComplex z = ((const cuDoubleComplex *)array)[i];
        return (Number){z.x, z.y};
    }
    }
}

/* An int32 wraps around, as sums of tensor cores do; int8 is no type of a result. */
void
emu_put(cudaDataType type, void *array, int64_t i, Number value)
{
    switch (type) {
    case CUDA_R_16F:
        ((uint16_t *)array)[i] = emu_math_to_half((float)value.re);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)array)[i] = emu_math_to_bfloat((float)value.re);
        break;
    case CUDA_R_32I:
        ((uint32_t *)array)[i] = (uint32_t)(int64_t)value.re;
        break;
    case CUDA_R_32F:
        ((float *)array)[i] = (float)value.re;
        break;
    case CUDA_R_64F:
        ((double *)array)[i] = value.re;
        break;
    case CUDA_C_32F:
        ((cuComplex *)array)[i] = (cuComplex){(float)value.re, (float)value.im};
        break;
    default:
        ((cuDoubleComplex *)array)[i] = (cuDoubleComplex){value.re, value.im};
    }
}

/* Real numbers stay real: 0 times an infinity is no part of their product. */
Number
emu_times(Number a, Number b)
{
    if (a.im == 0 && b.im == 0) {
        return (Number){a.re * b.re, 0};
    }
    return (Number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

Number
emu_plus(Number a, Number b)
{
    return (Number){a.re + b.re, a.im + b.im};
}

int
emu_is_misplaced(cublasHandle_t handle, cudaDataType type, const void *address)
{
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        return !EMU_ARE_INSIDE({type, address, 1, 1, 1, EMU_READS});
    }
    return address == NULL || emu_math_is_of_device(address);
}

Factor
emu_factor(cublasHandle_t handle, cudaDataType type, const void *address)
{
    Factor factor = {.type = type, .is_misplaced = 1};
    if (handle == NULL || emu_is_misplaced(handle, type, address)) {
        return factor;
    }
    factor.is_misplaced = 0;
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
        factor.address = address;
    }
    else {
        factor.value = emu_get(type, address, 0);
    }
    return factor;
}

Number
emu_factor_value(const Factor *factor)
{
    if (factor->address == NULL) {
        return factor->value;
    }
    emu_touch(factor->type, factor->address, 1, 1, 1, EMU_READS);
    return emu_get(factor->type, factor->address, 0);
}

View
emu_matrix(cudaDataType type, cublasOperation_t op, const void *data, int ld)
{
    View view = {type, op != CUBLAS_OP_N, op == CUBLAS_OP_C, 1, ld, (void *)(uintptr_t)data};
    if (op != CUBLAS_OP_N) {
        view.row = ld;
        view.column = 1;
    }
    return view;
}

View
emu_vector(cudaDataType type, int n, const void *data, int increment)
{
    int64_t first = increment < 0 && n > 0 ? (int64_t)(1 - n) * increment : 0;
    uintptr_t at = (uintptr_t)data + (uintptr_t)first * emu_type_bytes(type);
    return (View){type, 0, 0, increment, 0, (void *)at};
}

Number
emu_element(const View *view, int64_t i, int64_t j)
{
    Number value = emu_get(view->type, view->data, i * view->row + j * view->column);
    if (view->is_conjugate) {
        value.im = -value.im;
    }
    return value;
}

void
emu_store(const View *view, int64_t i, int64_t j, Number value)
{
    emu_put(view->type, view->data, i * view->row + j * view->column, value);
}

EmuArray
emu_view_array(const View *view, int64_t rows, int64_t columns)
{
    if (view->row == 1) {
        return (EmuArray){view->type, view->data, rows, columns, view->column, EMU_READS};
    }
    if (view->column == 1) {
        return (EmuArray){view->type, view->data, columns, rows, view->row, EMU_READS};
    }
    int64_t n = rows * columns, step = rows > 1 ? view->row : view->column;
    int64_t lowest = step < 0 && n > 0 ? (n - 1) * step : 0;
    uintptr_t at = (uintptr_t)view->data + (uintptr_t)lowest * emu_type_bytes(view->type);
    return (EmuArray){view->type, (const void *)at, 1, n, step < 0 ? -step : step, EMU_READS};
}

void
emu_touch_view(const View *view, int64_t rows, int64_t columns, EmuAccess access)
{
    EmuArray array = emu_view_array(view, rows, columns);
    array.access = access;
    emu_touch_arrays(&array, 1);
}

int
emu_cublas_enqueue(cublasHandle_t handle, EmuWork work, const void *arguments, size_t bytes)
{
    return emu_math_status(emu_math_enqueue(handle->stream, work, arguments, bytes),
                           CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_EXECUTION_FAILED);
}
