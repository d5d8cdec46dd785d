/* The emulated cuSPARSE: which algorithm takes which formats, and the working space it asks for.
 *
 * From the tables of "Generic API Functions" in the cuSPARSE manual. Where it does not say that an
 * algorithm of a product requires no extra storage, there is a working space. Conversions have one
 * although their pages say none: calls without it fail with CUDA 13.0. It is not used; its size is
 * what callers must bring. */
#include "emu/libs/cusparse.h"

enum {
    CSR = 1 << FORMAT_CSR,
    CSC = 1 << FORMAT_CSC,
    COO = 1 << FORMAT_COO,
    ROWS = CSR | CSC,
    ALL = ROWS | COO
};
enum { SPACE_BYTES = 256 };

static const Algorithm algorithms[] = {
    {SPMV, 0, ALL, ROWS, 0},  /* DEFAULT */
    {SPMV, 1, COO, 0, 0},     /* COO_ALG1 */
    {SPMV, 2, ROWS, ROWS, 0}, /* CSR_ALG1 */
    {SPMV, 3, ROWS, ROWS, 0}, /* CSR_ALG2 */
    {SPMV, 4, COO, COO, 0},   /* COO_ALG2 */
    {SPMV, 5, 0, 0, 0},       /* SELL_ALG1 */
    {SPMV, 6, 0, 0, 0},       /* BSR_ALG1 */
    {SPMM, 0, ALL, ALL, 0},   /* DEFAULT */
    {SPMM, 1, COO, 0, 0},     /* COO_ALG1 */
    {SPMM, 2, COO, COO, 0},   /* COO_ALG2 */
    {SPMM, 3, COO, 0, 0},     /* COO_ALG3 */
    {SPMM, 4, ROWS, ROWS, 0}, /* CSR_ALG1 */
    {SPMM, 5, COO, 0, 0},     /* COO_ALG4 */
    {SPMM, 6, ROWS, ROWS, 0}, /* CSR_ALG2 */
    {SPMM, 12, CSR, CSR, 1},  /* CSR_ALG3 */
    {SPMM, 13, 0, 0, 0},      /* BLOCKED_ELL_ALG1 */
    {SPMM, 14, 0, 0, 0},      /* BSR_ALG1 */
    {SPARSE_TO_DENSE, 0, ALL, ALL, 0},
    {DENSE_TO_SPARSE, 0, ALL, ALL, 0},
    {CSR_TO_CSC, 1, CSR, CSR, 0},
};

const Algorithm *
emu_sparse_algorithm(Routine routine, int number)
{
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        if (algorithms[i].routine == routine && algorithms[i].number == number) {
            return &algorithms[i];
        }
    }
    return NULL;
}

int
emu_sparse_check(Routine routine, int number, int format, size_t *bytes)
{
    const Algorithm *algorithm = emu_sparse_algorithm(routine, number);
    if (algorithm == NULL || !(algorithm->formats >> format & 1)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *bytes = algorithm->formats_with_space >> format & 1 ? SPACE_BYTES : 0;
    return CUSPARSE_STATUS_SUCCESS;
}

int
emu_is_space(const void *space, size_t bytes)
{
    return bytes == 0 || emu_math_is_inside(space, bytes);
}

int
emu_tell_size(int status, size_t found, size_t *bytes)
{
    if (status == CUSPARSE_STATUS_SUCCESS && bytes == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (status == CUSPARSE_STATUS_SUCCESS) {
        *bytes = found;
    }
    return status;
}
