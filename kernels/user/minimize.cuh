// minimize.cuh: minima of a function from many starts, a thread a search. The program that includes it defines
// `Function`: N variables, P further arguments, its value and, if HAS_GRADIENT, its gradient.
#ifndef GNP_MINIMIZE_CUH
#define GNP_MINIMIZE_CUH

#include "gnp.cuh"

namespace minimize {

// What a launch is told, by value.
struct Call {
    i64 count; // searches
    i64 most;  // iterations after which a search gives up
    f64 gtol;
};

// Arrays of a launch.
struct Arrays {
    const f64 *start;            // (count, N)
    const f64 *arguments;        // (P, count)
    const f64 *lower, *upper;    // (N), NULL without bounds
    f64 *x, *gradient;           // (count, N)
    f64 *value;                  // (count)
    i32 *iterations, *calls;     // (count)
    signed char *status;         // (count)
};

enum Status { CONVERGED = 0, TOO_MANY_ITERATIONS = 1, NO_DECREASE = 2, NOT_FINITE = 3 };

// The inverse Hessian as a matrix. J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd edition, section 6.1.
template <int N, int UNROLL> struct Dense {
    f64 h[N][N];
    bool is_fresh;

    GNP_FN void reset() { is_fresh = true; }

    // p = -H g
    GNP_FN void direction(const f64 (&g)[N], f64 (&p)[N]) const
    {
#pragma unroll UNROLL
        for (int a = 0; a < N; a++) {
            f64 sum = is_fresh ? g[a] : 0.0;
            if (!is_fresh) {
#pragma unroll UNROLL
                for (int b = 0; b < N; b++) {
                    sum = fma(h[a][b], g[b], sum);
                }
            }
            p[a] = -sum;
        }
    }

    // The update for a step s and the change y of the gradient, with sy = s.y > 0 and yy = y.y.
    GNP_FN void update(const f64 (&s)[N], const f64 (&y)[N], f64 sy, f64 yy)
    {
        f64 hy[N], curved = 0;
        const f64 rho = 1 / sy;
        if (is_fresh) {
#pragma unroll UNROLL
            for (int a = 0; a < N; a++) {
#pragma unroll UNROLL
                for (int b = 0; b < N; b++) {
                    h[a][b] = a == b ? sy / yy : 0.0;
                }
            }
            is_fresh = false;
        }
#pragma unroll UNROLL
        for (int a = 0; a < N; a++) {
            f64 sum = 0;
#pragma unroll UNROLL
            for (int b = 0; b < N; b++) {
                sum = fma(h[a][b], y[b], sum);
            }
            hy[a] = sum;
            curved = fma(sum, y[a], curved);
        }
        const f64 factor = rho * fma(rho, curved, 1.0);
#pragma unroll UNROLL
        for (int a = 0; a < N; a++) {
#pragma unroll UNROLL
            for (int b = 0; b < N; b++) {
                h[a][b] += factor * s[a] * s[b] - rho * (hy[a] * s[b] + s[a] * hy[b]);
            }
        }
    }
};

// The inverse Hessian as the last M pairs. D. C. Liu, J. Nocedal, Math. Program. 45 (1989).
template <int N, int UNROLL> struct Limited {
    enum { M = 6 };

    f64 s_rows[M][N], y_rows[M][N], rho[M], scale;
    int size, next; // pairs that are kept, and the place of the next one
    bool is_fresh;

    GNP_FN void reset()
    {
        is_fresh = true;
        size = next = 0;
        scale = 1;
    }

    GNP_FN static f64 product(const f64 (&a)[N], const f64 (&b)[N])
    {
        f64 sum = 0;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            sum = fma(a[c], b[c], sum);
        }
        return sum;
    }

    GNP_FN void direction(const f64 (&g)[N], f64 (&p)[N]) const
    {
        f64 factor[M];
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            p[c] = -g[c];
        }
#pragma unroll 1
        for (int k = 1; k <= size; k++) { // from the newest pair
            const int row = (next - k + M) % M;
            factor[row] = rho[row] * product(s_rows[row], p);
#pragma unroll UNROLL
            for (int c = 0; c < N; c++) {
                p[c] = fma(-factor[row], y_rows[row][c], p[c]);
            }
        }
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            p[c] *= scale;
        }
#pragma unroll 1
        for (int k = size; k >= 1; k--) {
            const int row = (next - k + M) % M;
            const f64 rest = factor[row] - rho[row] * product(y_rows[row], p);
#pragma unroll UNROLL
            for (int c = 0; c < N; c++) {
                p[c] = fma(rest, s_rows[row][c], p[c]);
            }
        }
    }

    GNP_FN void update(const f64 (&s)[N], const f64 (&y)[N], f64 sy, f64 yy)
    {
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            s_rows[next][c] = s[c];
            y_rows[next][c] = y[c];
        }
        rho[next] = 1 / sy;
        scale = sy / yy;
        next = (next + 1) % M;
        size = size < M ? size + 1 : size;
        is_fresh = false;
    }
};

template <class Function, class Memory> struct Search {
    enum { N = Function::N, UNROLL = Function::UNROLL ? N : 1 };

    Memory memory;
    f64 x[N], g[N], f, low[N], high[N], p[Function::P > 0 ? Function::P : 1];
    f64 z[N], g_new[N], f_new; // the point that is tried
    int calls;

    GNP_FN f64 value(const f64 (&at)[N])
    {
        calls++;
        return Function::value(at, p);
    }

    // The user's gradient, or central differences.
    GNP_FN void gradient(f64 (&at)[N], f64 (&out)[N])
    {
        if constexpr (Function::HAS_GRADIENT) {
            Function::gradient(at, out, p);
        }
        else {
#pragma unroll UNROLL
            for (int c = 0; c < N; c++) {
                const f64 here = at[c], size = fabs(here), h = 6.0554544523933395e-06 * (size > 1 ? size : 1.0);
                f64 ends[2], values[2];
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    const f64 end = k == 0 ? here - h : here + h;
                    ends[k] = end < low[c] ? low[c] : (end > high[c] ? high[c] : end);
                    at[c] = ends[k];
                    values[k] = value(at);
                }
                at[c] = here;
                out[c] = ends[1] > ends[0] ? (values[1] - values[0]) / (ends[1] - ends[0]) : 0.0;
            }
        }
    }

    // Largest component of the gradient, cut off where a bound is nearer.
    GNP_FN f64 remaining() const
    {
        f64 largest = 0;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            const f64 moved = x[c] - g[c];
            const f64 change = fabs((moved < low[c] ? low[c] : (moved > high[c] ? high[c] : moved)) - x[c]);
            largest = change <= largest ? largest : change; // NaN counts as large
        }
        return largest;
    }

    // Whether a variable is at a bound that the gradient would cross. D. P. Bertsekas, SIAM J. Control Optim. 20 (1982).
    GNP_FN bool is_held(int c) const { return (x[c] <= low[c] && g[c] > 0) || (x[c] >= high[c] && g[c] < 0); }

    // A direction of the free variables, and the slope along it.
    GNP_FN f64 direction(f64 (&along)[N])
    {
        f64 masked[N], slope = 0;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            masked[c] = is_held(c) ? 0.0 : g[c];
        }
        memory.direction(masked, along);
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            along[c] = is_held(c) ? 0.0 : along[c];
            slope = fma(g[c], along[c], slope);
        }
        return slope;
    }

    // Bisection for Wolfe's conditions, first by parabolas. A. S. Lewis, M. L. Overton, Math. Program. 141 (2013). Where
    // bounds bend the line, the decrease alone counts. Returns whether z is a better point.
    GNP_FN bool line_search(const f64 (&along)[N], f64 slope, f64 t)
    {
        const int most = 40;
        f64 below = 0, above = 1e300;
#pragma unroll 1
        for (int k = 0; k < most; k++) {
            const bool is_last = k == most - 1;
            t = is_last ? below : t;
            f64 expected = 0;
            bool is_bent = false;
#pragma unroll UNROLL
            for (int c = 0; c < N; c++) {
                const f64 moved = fma(t, along[c], x[c]);
                z[c] = moved < low[c] ? low[c] : (moved > high[c] ? high[c] : moved);
                is_bent = is_bent || z[c] != moved;
                expected = fma(g[c], z[c] - x[c], expected);
            }
            f_new = value(z);
            if (is_last || f_new <= f + 1e-4 * expected + 1e-15 * fabs(f)) {
                gradient(z, g_new);
                f64 ahead = 0;
#pragma unroll UNROLL
                for (int c = 0; c < N; c++) {
                    ahead = fma(g_new[c], along[c], ahead);
                }
                if (is_last || is_bent || ahead >= 0.9 * slope) {
                    return !is_last || below > 0;
                }
                below = t;
                t = above < 1e300 ? 0.5 * (below + above) : 2 * t;
            }
            else {
                above = t;
                const f64 bend = f_new - f - slope * t;
                f64 next = 0.5 * (below + above);
                if (below == 0 && bend > 0) {
                    const f64 parabola = -0.5 * slope * t * t / bend;
                    next = f_new < 1e300 && parabola > 0.1 * t ? (parabola < next ? parabola : next) : 0.1 * t;
                }
                t = next;
            }
        }
        return false;
    }

    // Take z as the current point.
    GNP_FN void accept()
    {
        f64 s[N], y[N], sy = 0, yy = 0;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            s[c] = z[c] - x[c];
            y[c] = g_new[c] - g[c];
            sy = fma(s[c], y[c], sy);
            yy = fma(y[c], y[c], yy);
            x[c] = z[c];
            g[c] = g_new[c];
        }
        f = f_new;
        if (sy > 2.2e-16 * yy) {
            memory.update(s, y, sy, yy);
        }
    }

    GNP_FN int run(const Call &call, int &iterations)
    {
        f64 along[N];
        memory.reset();
        f = value(x);
        gradient(x, g);
#pragma unroll 1
        for (iterations = 0; iterations < call.most;) {
            const f64 size = remaining();
            if (!(fabs(f) < 1e300) || size != size) {
                return NOT_FINITE;
            }
            if (size <= call.gtol) {
                return CONVERGED;
            }
            const f64 slope = direction(along);
            const f64 first = memory.is_fresh && size > 1 ? 1 / size : 1.0;
            if (slope < 0 && line_search(along, slope, first)) {
                accept();
                iterations++;
            }
            else if (memory.is_fresh) {
                return NO_DECREASE;
            }
            else {
                memory.reset();
            }
        }
        return remaining() <= call.gtol ? CONVERGED : TOO_MANY_ITERATIONS;
    }
};

template <class Function, class Memory> GNP_FN void solve(const Call &call, i64 i, const Arrays &arrays)
{
    enum { N = Function::N, UNROLL = Function::UNROLL ? N : 1 };
    Search<Function, Memory> search;
    int iterations = 0;
    const f64 infinity = __longlong_as_double(0x7ff0000000000000LL);
    search.calls = 0;
#pragma unroll
    for (int k = 0; k < Function::P; k++) {
        search.p[k] = arrays.arguments[k * call.count + i];
    }
#pragma unroll UNROLL
    for (int c = 0; c < N; c++) {
        const f64 low = arrays.lower == NULL ? -infinity : arrays.lower[c];
        const f64 high = arrays.upper == NULL ? infinity : arrays.upper[c];
        const f64 start = arrays.start[i * N + c];
        search.low[c] = low;
        search.high[c] = high;
        search.x[c] = start < low ? low : (start > high ? high : start);
    }
    arrays.status[i] = (signed char)search.run(call, iterations);
    arrays.iterations[i] = iterations;
    arrays.calls[i] = search.calls;
    arrays.value[i] = search.f;
#pragma unroll UNROLL
    for (int c = 0; c < N; c++) {
        arrays.x[i * N + c] = search.x[c];
        arrays.gradient[i * N + c] = search.g[c];
    }
}

} // namespace minimize

#endif
