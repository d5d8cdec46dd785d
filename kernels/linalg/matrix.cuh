// matrix.cuh: shared by the kernels of small matrices: multiply-add, magnitudes, broadcasts of one lane's
// element, and the largest element of a column. Included after the knobs, which declare T.
#ifndef GNP_MATRIX_CUH
#define GNP_MATRIX_CUH

typedef Part<T> Real;

// ---- numbers ----------------------------------------------------------------------------------------

GNP_FN f32 mad(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
GNP_FN f64 mad(f64 a, f64 b, f64 c) { return fma(a, b, c); }
template <class F> GNP_FN Complex<F> mad(Complex<F> a, Complex<F> b, Complex<F> c)
{
    return Complex<F>(mad(-a.im, b.im, mad(a.re, b.re, c.re)), mad(a.im, b.re, mad(a.re, b.im, c.im)));
}
GNP_FN f32 conjugate(f32 a) { return a; }
GNP_FN f64 conjugate(f64 a) { return a; }
template <class F> GNP_FN Complex<F> conjugate(Complex<F> a) { return Complex<F>(a.re, -a.im); }

GNP_FN f32 real(f32 a) { return a; }
GNP_FN f64 real(f64 a) { return a; }
template <class F> GNP_FN F real(Complex<F> a) { return a.re; }

GNP_FN Real times(Real a, Real b) { return a * b; }
template <class F> GNP_FN Complex<F> times(Complex<F> a, F b) { return Complex<F>(a.re * b, a.im * b); }

// The magnitude by which pivots are chosen: for complex numbers the sum of both parts, as in LAPACK. NaN
// counts as infinite, so that it propagates.
GNP_FN Real part_size(Real a) { return a == a ? (a < 0 ? -a : a) : (Real)__int_as_float(0x7f800000); }
GNP_FN Real pivot_size(Real a) { return part_size(a); }
template <class F> GNP_FN F pivot_size(Complex<F> a) { return part_size(a.re) + part_size(a.im); }

// The real numbers of an element: itself, or both parts of a complex one.
GNP_FN void spread(Real &x, Real part) { x = part; }
template <class F> GNP_FN void spread(Complex<F> &x, F part) { x = Complex<F>(part, part); }
GNP_FN T not_a_number()
{
    T x;
    spread(x, (Real)__int_as_float(0x7fc00000));
    return x;
}
GNP_FN Real modulus(Real a) { return a < 0 ? -a : a; }
template <class F> GNP_FN F modulus(Complex<F> a) { return hypot(a.re, a.im); }
GNP_FN Real over(Real a, Real b) { return a / b; }
template <class F> GNP_FN Complex<F> over(Complex<F> a, F b) { return Complex<F>(a.re / b, a.im / b); }

// ---- rotations ----------------------------------------------------------------------------------------

// The rotation that makes [p, a; conj(a), q] diagonal: columns become c x - conj(s) y and s x + c y.
struct Rotation {
    Real c;
    T s;
};
GNP_FN Rotation rotation_of(Real p, Real q, T a)
{
    const Real size = modulus(a);
    if (size == 0) {
        return {Real(1), T(0)};
    }
    const Real ratio = (q - p) / (2 * size), rest = fabs(ratio) + sqrt(1 + ratio * ratio);
    const Real t = ratio < 0 ? -1 / rest : 1 / rest, c = 1 / sqrt(1 + t * t);
    return {c, times(over(a, size), t * c)};
}

// ---- matrices in memory -----------------------------------------------------------------------------

// A stack of matrices of any layout; steps in elements.
struct Place : GnpPlace {
    GNP_FN T at(i64 matrix, int i, int j) const
    {
        return ((const T *)data)[matrix * batch + i * row + j * column];
    }
};

// ---- across lanes -----------------------------------------------------------------------------------

// Broadcasts the element of one of WIDTH neighbouring lanes.
template <int WIDTH, class X> GNP_FN X lane_value(X x, int lane)
{
    const int words = sizeof(X) / 4;
    u32 word[words];
    memcpy(word, &x, sizeof(X));
#pragma unroll
    for (int k = 0; k < words; k++) {
        word[k] = __shfl_sync(0xffffffffu, word[k], lane, WIDTH);
    }
    memcpy(&x, word, sizeof(X));
    return x;
}

// A row and the magnitude of its element.
struct Candidate {
    Real size;
    int row;
    // The largest of WIDTH neighbouring lanes, of equal ones the first row, in all of them.
    template <int WIDTH> GNP_FN void elect()
    {
#pragma unroll
        for (int d = WIDTH / 2; d > 0; d /= 2) {
            Real other = __shfl_xor_sync(0xffffffffu, size, d, WIDTH);
            int where = __shfl_xor_sync(0xffffffffu, row, d, WIDTH);
            if (other > size || (other == size && where < row)) {
                size = other;
                row = where;
            }
        }
    }
};

// Whether a magnitude (infinite for NaN) is that of a finite number.
GNP_FN bool is_finite_size(Real x) { return x < (Real)__int_as_float(0x7f800000); }
GNP_FN Real epsilon() { return sizeof(Real) == 4 ? Real(1.1920929e-7) : Real(2.220446049250313e-16); }

// The largest of WIDTH neighbouring lanes, in all of them.
template <int WIDTH> GNP_FN Real largest_of(Real x)
{
#pragma unroll
    for (int d = WIDTH / 2; d > 0; d /= 2) {
        x = fmax(x, __shfl_xor_sync(0xffffffffu, x, d, WIDTH));
    }
    return x;
}

// Raises a flag that all matrices share, which is zero before unless there is one block only. All threads
// call it.
GNP_FN void tell_failure(bool failed, i32 *flag)
{
    const int any = __syncthreads_or(failed);
    if (threadIdx.x == 0) {
        if (gridDim.x == 1 && gridDim.y == 1) {
            *flag = any != 0;
        }
        else if (any) {
            atomicOr(flag, 1);
        }
    }
}

#endif
