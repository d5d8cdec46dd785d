// user_complex.cuh: complex numbers for the user's code, as std::complex and thrust::complex have them.
// Functions stand in the namespace of the type, where calls find them by their arguments.
#ifndef GNP_USER_COMPLEX_CUH
#define GNP_USER_COMPLEX_CUH

namespace gnp {

template <class A, class B> using Both = decltype(A() * B());

// ---- with a real number, and of two precisions: the wider one ------------------------------------------------

#define GNP_MIXED(OP)                                                                                        \
    template <class F, class G> GNP_FN Complex<Both<F, G>> operator OP(Complex<F> a, Complex<G> b)           \
    {                                                                                                        \
        typedef Complex<Both<F, G>> C;                                                                       \
        return C(a) OP C(b);                                                                                 \
    }
GNP_MIXED(+)
GNP_MIXED(-)
GNP_MIXED(*)
GNP_MIXED(/)
#undef GNP_MIXED

template <class F, class X> GNP_FN Complex<Both<F, X>> operator+(Complex<F> a, X b) { return Complex<Both<F, X>>(a.re + b, a.im); }
template <class F, class X> GNP_FN Complex<Both<F, X>> operator+(X a, Complex<F> b) { return Complex<Both<F, X>>(a + b.re, b.im); }
template <class F, class X> GNP_FN Complex<Both<F, X>> operator-(Complex<F> a, X b) { return Complex<Both<F, X>>(a.re - b, a.im); }
template <class F, class X> GNP_FN Complex<Both<F, X>> operator-(X a, Complex<F> b) { return Complex<Both<F, X>>(a - b.re, -b.im); }
template <class F, class X> GNP_FN Complex<Both<F, X>> operator*(Complex<F> a, X b) { return Complex<Both<F, X>>(a.re * b, a.im * b); }
template <class F, class X> GNP_FN Complex<Both<F, X>> operator*(X a, Complex<F> b) { return Complex<Both<F, X>>(a * b.re, a * b.im); }
template <class F, class X> GNP_FN Complex<Both<F, X>> operator/(Complex<F> a, X b) { return Complex<Both<F, X>>(a.re / b, a.im / b); }
template <class F, class X> GNP_FN Complex<Both<F, X>> operator/(X a, Complex<F> b)
{
    typedef Complex<Both<F, X>> C;
    return C(a) / C(b);
}
template <class F> GNP_FN Complex<F> operator+(Complex<F> a) { return a; }

template <class F, class X, class = Both<F, X>> GNP_FN bool operator==(Complex<F> a, X b) { return a.re == b && a.im == 0; }
template <class F, class X, class = Both<F, X>> GNP_FN bool operator==(X a, Complex<F> b) { return a == b.re && b.im == 0; }
template <class F, class X, class = Both<F, X>> GNP_FN bool operator!=(Complex<F> a, X b) { return !(a == b); }
template <class F, class X, class = Both<F, X>> GNP_FN bool operator!=(X a, Complex<F> b) { return !(a == b); }

// ---- parts and forms ----------------------------------------------------------------------------------------------

template <class F> GNP_FN F real(Complex<F> z) { return z.re; }
template <class F> GNP_FN F imag(Complex<F> z) { return z.im; }
template <class F> GNP_FN F abs(Complex<F> z) { return hypot(z.re, z.im); }
template <class F> GNP_FN F arg(Complex<F> z) { return atan2(z.im, z.re); }
template <class F> GNP_FN F norm(Complex<F> z) { return z.re * z.re + z.im * z.im; }
template <class F> GNP_FN Complex<F> conj(Complex<F> z) { return Complex<F>(z.re, -z.im); }
template <class F> GNP_FN Complex<F> proj(Complex<F> z)
{
    return isinf(z.re) || isinf(z.im) ? Complex<F>((F)INFINITY_F64, copysign((F)0, z.im)) : z;
}
template <class F> GNP_FN bool isnan(Complex<F> z) { return ::isnan(z.re) || ::isnan(z.im); }
template <class F> GNP_FN bool isinf(Complex<F> z) { return ::isinf(z.re) || ::isinf(z.im); }
template <class F> GNP_FN bool isfinite(Complex<F> z) { return ::isfinite(z.re) && ::isfinite(z.im); }

template <class F> GNP_FN Complex<F> pow(Complex<F> a, Complex<F> b) { return power(a, b); }
template <class F, class X> GNP_FN Complex<F> pow(Complex<F> a, X b) { return power(a, Complex<F>((F)b)); }
template <class F, class X> GNP_FN Complex<F> pow(X a, Complex<F> b) { return power(Complex<F>((F)a), b); }

} // namespace gnp

template <class F> GNP_FN complex<F> polar(F size, F angle = 0) { return complex<F>(size * cos(angle), size * sin(angle)); }
namespace thrust {
template <class F> using complex = gnp::Complex<F>;
using gnp::abs;
using gnp::arg;
using gnp::conj;
using gnp::exp;
using gnp::imag;
using gnp::log;
using gnp::norm;
using gnp::pow;
using gnp::real;
using gnp::sqrt;
} // namespace thrust

#endif
