// cosine.cuh: steps that reduce cosine and sine transforms to Fourier transforms, element by element. Each
// function computes element k of a row from a row `x`; n is the length of the transform.
//
// Types 2 and 3: J. Makhoul, "A fast cosine transform in one and two dimensions", 1980. Type 4: a complex
// transform of half the length with twiddle factors before and after (H. S. Malvar, "Signal Processing with
// Lapped Transforms", 1992, section 2.5). Type 1: the transform of the signal and its mirror image. Sines are
// cosines of a signal reversed or with alternating signs.
#ifndef GNP_COSINE_CUH
#define GNP_COSINE_CUH

#include "gnp.cuh"

GNP_FN void sincos_pi(f32 x, f32 *s, f32 *c) { sincospif(x, s, c); }
GNP_FN void sincos_pi(f64 x, f64 *s, f64 *c) { sincospi(x, s, c); }

// exp(-i pi k / n)
template <class F, class Index> GNP_FN Complex<F> twiddle(Index k, Index n)
{
    F s, c;
    sincos_pi((F)k / (F)n, &s, &c);
    return Complex<F>(c, -s);
}
template <class F> GNP_FN Complex<F> back(Complex<F> a) { return Complex<F>(a.re, -a.im); }

// ---- type 1: real of the mirrored length -> real input of rfft; its output -> real ------------------------

template <bool SINE, class F, class Index> GNP_FN F before_1(const F *x, Index n, Index k, F end)
{
    if (!SINE) {
        Index j = k < n ? k : 2 * n - 2 - k;
        return j == 0 || j == n - 1 ? x[j] * end : x[j];
    }
    if (k == 0 || k == n + 1) return F(0);
    return k <= n ? x[k - 1] : -x[2 * n + 1 - k];
}
template <bool SINE, class F, class Index>
GNP_FN F after_1(const Complex<F> *x, Index n, Index k, F scale, F end)
{
    if (SINE) return -x[k + 1].im * scale;
    F y = x[k].re * scale;
    return k == 0 || k == n - 1 ? y * end : y;
}

// ---- type 2: real -> real input of rfft; its output -> real --------------------------------------------------

template <bool SINE, class F, class Index> GNP_FN F before_2(const F *x, Index n, Index k, F)
{
    Index j = k < (n + 1) / 2 ? 2 * k : 2 * (n - 1 - k) + 1;
    return SINE && (j & 1) ? -x[j] : x[j];
}
template <bool SINE, class F, class Index>
GNP_FN F after_2(const Complex<F> *x, Index n, Index k, F scale, F end)
{
    Index m = SINE ? n - 1 - k : k, h = m <= n / 2 ? m : n - m;
    Complex<F> w = twiddle<F>(h, 2 * n) * x[h];
    F y = (m <= n / 2 ? w.re : -w.im) * 2 * scale;
    return m == 0 ? y * end : y;
}

// ---- type 3: real -> half spectrum for irfft; its output -> real --------------------------------------------

template <bool SINE, class F, class Index> GNP_FN Complex<F> before_3(const F *x, Index n, Index k, F end)
{
    F a = x[SINE ? n - 1 - k : k], b = k == 0 ? F(0) : x[SINE ? k - 1 : n - k];
    return back(twiddle<F>(k, 2 * n)) * Complex<F>(k == 0 ? a * end : a, -b);
}
template <bool SINE, class F, class Index> GNP_FN F after_3(const F *x, Index n, Index k, F scale, F)
{
    F y = x[k & 1 ? n - 1 - k / 2 : k / 2] * scale;
    return SINE && (k & 1) ? -y : y;
}

// ---- type 4, n even: real -> complex of half the length; that -> real ---------------------------------------

template <bool SINE, class F, class Index> GNP_FN Complex<F> before_4(const F *x, Index n, Index k, F)
{
    F a = x[SINE ? n - 1 - 2 * k : 2 * k], b = x[SINE ? 2 * k : n - 1 - 2 * k];
    return twiddle<F>(4 * k + 1, 4 * n) * Complex<F>(a, b);
}
template <bool SINE, class F, class Index>
GNP_FN F after_4(const Complex<F> *x, Index n, Index k, F scale, F)
{
    Index j = k & 1 ? (n - 1 - k) / 2 : k / 2;
    Complex<F> w = twiddle<F>(j, n) * x[j];
    F y = (k & 1 ? -w.im : w.re) * 2 * scale;
    return SINE && (k & 1) ? -y : y;
}

// ---- type 4, n odd: real -> complex of twice the length; that -> real ---------------------------------------

template <bool SINE, class F, class Index> GNP_FN Complex<F> before_5(const F *x, Index n, Index k, F)
{
    if (k >= n) return Complex<F>(0, 0);
    Complex<F> w = twiddle<F>(k, 2 * n);
    F a = x[SINE ? n - 1 - k : k];
    return Complex<F>(w.re * a, w.im * a);
}
template <bool SINE, class F, class Index>
GNP_FN F after_5(const Complex<F> *x, Index n, Index k, F scale, F)
{
    F y = (twiddle<F>(2 * k + 1, 4 * n) * x[k]).re * 2 * scale;
    return SINE && (k & 1) ? -y : y;
}

#endif
