// fit.cuh: parameters of a function fitted to points by the method of Levenberg and Marquardt, a thread a fit. The
// program that includes it defines `Model`: N parameters, X coordinates of a point, and its value.
#ifndef GNP_FIT_CUH
#define GNP_FIT_CUH

#include "gnp.cuh"

namespace fit {

// What a launch is told, by value.
struct Call {
    i64 count, points; // fits, points of each
    i64 most;          // evaluations after which a fit gives up
    f64 ftol, xtol;
};

// Arrays of a launch; those with a number for each point have the fits beside each other.
struct Arrays {
    const f64 *const *x;    // (X) coordinates
    const i64 *x_strides;   // (X) distance between two fits: 0 where all have the same points
    const i64 *x_steps;     // (X) distance between two points
    const f64 *y;           // (points, count)
    const f64 *weight;      // (points, count) or NULL
    const f64 *start;       // (count, N)
    f64 *parameters;        // (count, N)
    f64 *normal;            // (count, N, N): J^T J
    f64 *cost;              // (count): half the sum of squares
    i32 *calls;             // (count)
    signed char *status;    // (count)
};

enum Status { TOO_MANY_CALLS = 0, SMALL_CHANGE = 2, SMALL_STEP = 3, NOT_FINITE = -1 };

template <class Model> struct Fit {
    enum { N = Model::N, X = Model::X };

    const Call &call;
    const Arrays &arrays;
    const i64 i;
    f64 p[N], normal[N][N], gradient[N], sum;

    GNP_FN Fit(const Call &a, const Arrays &b, i64 index) : call(a), arrays(b), i(index) {}

    GNP_FN void point(i64 k, f64 (&x)[X], f64 &y, f64 &weight) const
    {
#pragma unroll
        for (int j = 0; j < X; j++) {
            x[j] = arrays.x[j][i * arrays.x_strides[j] + k * arrays.x_steps[j]];
        }
        y = arrays.y[k * call.count + i];
        weight = arrays.weight == NULL ? 1.0 : arrays.weight[k * call.count + i];
    }

    // Half the sum of squares for parameters.
    GNP_FN f64 cost_of(const f64 (&q)[N]) const
    {
        f64 total = 0, x[X], y, weight;
#pragma unroll 1
        for (i64 k = 0; k < call.points; k++) {
            point(k, x, y, weight);
            const f64 r = (Model::value(x, q) - y) * weight;
            total = fma(r, r, total);
        }
        return 0.5 * total;
    }

    // J^T J and J^T r by forward differences.
    GNP_FN void linearize()
    {
        const f64 root = 1.4901161193847656e-08;
        f64 step[N], x[X], y, weight;
        sum = 0;
#pragma unroll
        for (int a = 0; a < N; a++) {
            const f64 size = root * fabs(p[a]), ahead = p[a] + (size == 0 ? root : size);
            step[a] = ahead - p[a];
            gradient[a] = 0;
#pragma unroll
            for (int b = 0; b < N; b++) {
                normal[a][b] = 0;
            }
        }
#pragma unroll 1
        for (i64 k = 0; k < call.points; k++) {
            point(k, x, y, weight);
            const f64 value = Model::value(x, p), r = (value - y) * weight;
            f64 row[N], q[N];
            sum = fma(r, r, sum);
#pragma unroll
            for (int a = 0; a < N; a++) {
                q[a] = p[a];
            }
#pragma unroll
            for (int a = 0; a < N; a++) {
                q[a] = p[a] + step[a];
                row[a] = (Model::value(x, q) - value) / step[a] * weight;
                q[a] = p[a];
                gradient[a] = fma(row[a], r, gradient[a]);
#pragma unroll
                for (int b = 0; b <= a; b++) {
                    normal[a][b] = fma(row[a], row[b], normal[a][b]);
                }
            }
        }
        sum *= 0.5;
    }

    // The step that solves (J^T J + damping diag) step = -J^T r by Cholesky's method; false where it fails.
    GNP_FN bool damped_step(f64 damping, const f64 (&diagonal)[N], f64 (&step)[N]) const
    {
        f64 l[N][N];
        bool is_positive = true;
#pragma unroll
        for (int a = 0; a < N; a++) {
            f64 rest = -gradient[a];
#pragma unroll
            for (int b = 0; b < a; b++) {
                f64 s = normal[a][b];
#pragma unroll
                for (int c = 0; c < b; c++) {
                    s = fma(-l[a][c], l[b][c], s);
                }
                l[a][b] = s * l[b][b]; // the diagonal has reciprocals
                rest = fma(-l[a][b], step[b], rest);
            }
            f64 pivot = fma(damping, diagonal[a], normal[a][a]);
#pragma unroll
            for (int c = 0; c < a; c++) {
                pivot = fma(-l[a][c], l[a][c], pivot);
            }
            is_positive = is_positive && pivot > 0;
            l[a][a] = 1 / sqrt(pivot);
            step[a] = rest * l[a][a];
        }
#pragma unroll
        for (int a = N - 1; a >= 0; a--) {
#pragma unroll
            for (int b = a + 1; b < N; b++) {
                step[a] = fma(-l[b][a], step[b], step[a]);
            }
            step[a] *= l[a][a];
        }
        return is_positive;
    }

    GNP_FN int run(int &calls)
    {
        f64 diagonal[N], step[N], q[N];
        f64 damping = 1e-3, growth = 2;
        linearize();
        calls = 1;
#pragma unroll
        for (int a = 0; a < N; a++) {
            diagonal[a] = 0;
        }
        while (calls < call.most) {
            if (!(sum < 1e300)) {
                return NOT_FINITE;
            }
#pragma unroll
            for (int a = 0; a < N; a++) {
                const f64 size = normal[a][a] > diagonal[a] ? normal[a][a] : diagonal[a];
                diagonal[a] = size == 0 ? 1.0 : size;
            }
            const bool is_positive = damped_step(damping, diagonal, step);
            f64 length = 0, size = 0, gain = 0;
#pragma unroll
            for (int a = 0; a < N; a++) {
                q[a] = p[a] + step[a];
                length = fma(step[a], step[a], length);
                size = fma(p[a], p[a], size);
                gain += 0.5 * step[a] * (damping * diagonal[a] * step[a] - gradient[a]);
            }
            const f64 next = is_positive ? cost_of(q) : 1e308;
            calls++;
            const f64 change = sum - next;
            const bool is_small = sqrt(length) <= call.xtol * (call.xtol + sqrt(size));
            if (change >= 0 && next < 1e300) {
                const f64 before = sum, ratio = gain > 0 ? change / gain : 1;
#pragma unroll
                for (int a = 0; a < N; a++) {
                    p[a] = q[a];
                }
                const f64 t = 2 * ratio - 1, factor = 1 - t * t * t;
                damping *= factor > 1.0 / 3 ? (factor < 2 ? factor : 2.0) : 1.0 / 3;
                growth = 2;
                linearize();
                if (change <= call.ftol * before && gain <= call.ftol * before) {
                    return SMALL_CHANGE;
                }
            }
            else {
                damping *= growth;
                growth *= 2;
            }
            if (is_small) {
                return SMALL_STEP;
            }
        }
        return TOO_MANY_CALLS;
    }
};

template <class Model> GNP_FN void solve(const Call &call, i64 i, const Arrays &arrays)
{
    enum { N = Model::N };
    Fit<Model> f(call, arrays, i);
    int calls = 0;
#pragma unroll
    for (int a = 0; a < N; a++) {
        f.p[a] = arrays.start[i * N + a];
    }
    arrays.status[i] = (signed char)f.run(calls);
    arrays.calls[i] = calls;
    arrays.cost[i] = f.sum;
#pragma unroll
    for (int a = 0; a < N; a++) {
        arrays.parameters[i * N + a] = f.p[a];
#pragma unroll
        for (int b = 0; b < N; b++) {
            arrays.normal[(i * N + a) * N + b] = a >= b ? f.normal[a][b] : f.normal[b][a];
        }
    }
}

} // namespace fit

#endif
