// ode.cuh: explicit Runge-Kutta methods with step sizes of its own for each system, a thread a system. The program
// that includes it defines `Table`, the coefficients, and `System`, the right-hand side, both whose rows
// are functions of constant indices, so that products with zeros and ones vanish where the loops are unrolled.
#ifndef GNP_ODE_CUH
#define GNP_ODE_CUH

#include "gnp.cuh"

namespace ode {

// What a launch is told, by value.
struct Call {
    i64 count;                          // systems
    i64 points;                         // times at which states are wanted
    i64 t0_stride, t1_stride;           // 0: the same time for all systems
    i64 most;                           // steps, accepted or not, after which a system gives up
    f64 rtol, first_step, max_step;     // first_step 0: the solver finds one
};

enum Status { REACHED = 0, TOO_SMALL_STEP = -1, TOO_MANY_STEPS = -2 };

// ---- steps ---------------------------------------------------------------------------------------------------

// e^(-1/Q) for e from 1e-30 to 1e30. Newton's iteration doubles the digits of a float twice.
template <int Q> GNP_FN f64 inverse_root(f64 e)
{
    f64 x = (f64)exp2f(log2f((f32)e) * (-1.0f / Q));
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        f64 power = x;
#pragma unroll
        for (int i = 1; i < Q; i++) {
            power *= x;
        }
        x = x * ((Q + 1) - e * power) * (1.0 / Q);
    }
    return x;
}

// By what a step may change: a smaller one after an error of one and more. NaN counts as a large error.
template <int Q> GNP_FN f64 factor_of(f64 error)
{
    const f64 e = error < 1e9 ? (error > 1e-12 ? error : 1e-12) : 1e9;
    const f64 factor = 0.9 * inverse_root<Q>(e);
    return error < 1 ? (factor < 10 ? factor : 10.0) : (factor > 0.2 ? factor : 0.2);
}

// Distance from t to the next number away from zero.
GNP_FN f64 spacing_at(f64 t)
{
    const f64 size = fabs(t);
    return __longlong_as_double(__double_as_longlong(size) + 1) - size;
}

template <class System, class Table> struct Solver {
    enum { N = System::N, S = Table::STAGES, ROWS = Table::ROWS, UNROLL = System::UNROLL ? 32 : 1 };

    f64 t, y[N], k[ROWS][N], p[System::P > 0 ? System::P : 1], atol[N], rtol;
    int calls;

    GNP_FN void call(f64 time, const f64 (&state)[N], f64 (&out)[N])
    {
        calls++;
        System::rhs(time, state, out, p);
    }

    // state = from + h * sum of coefficients times rows, for a row of a table of coefficients.
    template <int TABLE, int ROW, int COUNT> GNP_FN void combine(const f64 (&from)[N], f64 h, f64 (&state)[N])
    {
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            f64 sum = 0;
#pragma unroll
            for (int j = 0; j < COUNT; j++) {
                const f64 a = Table::template row<TABLE, ROW>(j);
                if (a != 0) {
                    sum = fma(a, k[j][c], sum);
                }
            }
            state[c] = fma(h, sum, from[c]);
        }
    }

    // Rows s, s + 1 ... of the stages.
    template <int ROW> GNP_FN void stages_from(f64 h, f64 (&state)[N])
    {
        if constexpr (ROW < S) {
            combine<Table::A, ROW, ROW>(y, h, state);
            call(t + Table::template row<Table::C, 0>(ROW) * h, state, k[ROW]);
            stages_from<ROW + 1>(h, state);
        }
    }

    GNP_FN f64 scale(int c, f64 a, f64 b) const
    {
        const f64 x = fabs(a), z = fabs(b);
        return fma(rtol, x > z ? x : z, atol[c]);
    }

    // Root mean square of a vector over the tolerances of the state.
    GNP_FN f64 norm(const f64 (&x)[N])
    {
        f64 sum = 0;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            const f64 q = x[c] / scale(c, y[c], y[c]);
            sum = fma(q, q, sum);
        }
        return sqrt(sum / N);
    }

    // E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section II.4.
    GNP_FN f64 first_step(f64 length, f64 direction, f64 longest)
    {
        f64 state[N], f1[N];
        const f64 d0 = norm(y), d1 = norm(k[0]);
        f64 h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
        h0 = h0 < length ? h0 : length;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            state[c] = fma(h0 * direction, k[0][c], y[c]);
        }
        call(t + h0 * direction, state, f1);
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            f1[c] -= k[0][c];
        }
        const f64 d2 = norm(f1) / h0, d = d1 > d2 ? d1 : d2;
        const f64 smallest = h0 * 1e-3;
        f64 h = smallest > 1e-6 ? smallest : 1e-6;
        if (d > 1e-15) {
            h = inverse_root<Table::Q>(d < 1e28 ? 100 * d : 1e30);
        }
        h = h < 100 * h0 ? h : 100 * h0;
        h = h < length ? h : length;
        return h < longest ? h : longest;
    }

    // Stages of a step, the state after it in `state`, and its derivative in row S.
    GNP_FN void stages(f64 h, f64 (&state)[N])
    {
        stages_from<1>(h, state);
        combine<Table::B, 0, S>(y, h, state);
        call(t + h, state, k[S]);
    }

    GNP_FN f64 error(f64 h, const f64 (&state)[N])
    {
        f64 first = 0, second = 0;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            f64 x = 0, z = 0;
#pragma unroll
            for (int j = 0; j <= S; j++) {
                x = fma(Table::template row<Table::E, 0>(j), k[j][c], x);
                if constexpr (Table::ERRORS == 2) {
                    z = fma(Table::template row<Table::E, 1>(j), k[j][c], z);
                }
            }
            const f64 size = scale(c, y[c], state[c]);
            first = fma(x / size, x / size, first);
            second = fma(z / size, z / size, second);
        }
        if constexpr (Table::ERRORS == 2) {
            const f64 both = fma(0.01, second, first);
            return both == 0 ? 0.0 : fabs(h) * first / sqrt(both * N);
        }
        return fabs(h) * sqrt(first / N);
    }

    // ---- between the ends of a step ----------------------------------------------------------------------------

    // Rows beyond those of the step, which the interpolant of the method of order 8 needs.
    template <int ROW> GNP_FN void extend(f64 before, const f64 (&y_old)[N], f64 h, f64 (&state)[N])
    {
        if constexpr (ROW < ROWS) {
            combine<Table::MORE, ROW - S - 1, ROW>(y_old, h, state);
            call(before + Table::template row<Table::MORE_C, 0>(ROW - S - 1) * h, state, k[ROW]);
            extend<ROW + 1>(before, y_old, h, state);
        }
    }

    // Add factors times row ROW and those that follow of the interpolant's table to the weights of the stages.
    template <int ROW, int COUNT> GNP_FN void weigh(const f64 *factors, f64 (&weights)[ROWS])
    {
        if constexpr (ROW < COUNT) {
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                weights[j] = fma(Table::template row<Table::P, ROW>(j), factors[ROW], weights[j]);
            }
            weigh<ROW + 1, COUNT>(factors, weights);
        }
    }

    // The state within a step, at its fraction x, to out[0], out[stride] ...
    GNP_FN void between(f64 x, f64 h, const f64 (&y_old)[N], f64 *out, i64 stride)
    {
        f64 weights[ROWS] = {0}, f[7] = {0};
        f[0] = x;
#pragma unroll
        for (int d = 1; d < 7; d++) { // powers of x, or products of x and 1 - x in turn
            f[d] = f[d - 1] * (Table::ERRORS == 1 || d % 2 == 0 ? x : 1 - x);
        }
        weigh<0, Table::TERMS>(f + (Table::ERRORS == 1 ? 0 : 3), weights);
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            f64 sum = 0;
#pragma unroll
            for (int j = 0; j < ROWS; j++) {
                sum = fma(weights[j], k[j][c], sum);
            }
            f64 value = fma(h, sum, y_old[c]);
            if constexpr (Table::ERRORS == 2) {
                const f64 change = y[c] - y_old[c];
                value += f[0] * change + f[1] * (h * k[0][c] - change);
                value += f[2] * (2 * change - h * (k[S][c] + k[0][c]));
            }
            out[c * stride] = value;
        }
    }
};

// ---- a system --------------------------------------------------------------------------------------------------

// Where the results of a system go.
struct Output {
    f64 *states, *last_time;     // (points, N, count); (count)
    const f64 *times;            // (points), NULL: the state at the end alone
    i32 *calls;                  // (count)
    signed char *status;         // (count)
};

template <class System, class Table>
GNP_FN void solve(const Call &call, i64 i, const f64 *y0, const f64 *t0, const f64 *t1, const f64 *parameters,
                  const f64 *atol, const Output &out)
{
    enum { N = System::N, UNROLL = System::UNROLL ? 32 : 1 };
    Solver<System, Table> s;
    const f64 nan = __longlong_as_double(0x7ff8000000000000LL);
    const f64 end = t1[i * call.t1_stride];
    s.t = t0[i * call.t0_stride];
    s.rtol = call.rtol;
    s.calls = 0;
#pragma unroll UNROLL
    for (int c = 0; c < N; c++) {
        s.y[c] = y0[i * N + c];
        s.atol[c] = atol[c];
    }
#pragma unroll UNROLL
    for (int c = 0; c < System::P; c++) {
        s.p[c] = parameters[c * call.count + i];
    }
    const f64 direction = end >= s.t ? 1.0 : -1.0;
    s.call(s.t, s.y, s.k[0]);
    f64 h_abs = call.first_step;
    if (h_abs == 0) {
        h_abs = s.first_step(fabs(end - s.t), direction, call.max_step);
    }
    i64 next = 0;
    // Times at or before the beginning have the initial state.
    while (out.times != NULL && next < call.points && direction * (out.times[next] - s.t) <= 0) {
        const bool is_start = out.times[next] == s.t;
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            out.states[(next * N + c) * call.count + i] = is_start ? s.y[c] : nan;
        }
        next++;
    }
    int status = REACHED;
    bool rejected = false;
    i64 steps = 0;
    while (s.t != end) {
        const f64 spacing = 10 * spacing_at(s.t);
        if (!rejected) {
            h_abs = h_abs > call.max_step ? call.max_step : h_abs;
            h_abs = h_abs < spacing ? spacing : h_abs;
        }
        if (!(h_abs >= spacing)) {
            status = TOO_SMALL_STEP;
            break;
        }
        if (steps++ == call.most) {
            status = TOO_MANY_STEPS;
            break;
        }
        f64 after = s.t + h_abs * direction;
        after = direction * (after - end) > 0 ? end : after;
        const f64 h = after - s.t;
        h_abs = fabs(h);
        f64 state[N];
        s.stages(h, state);
        const f64 error = s.error(h, state);
        if (!(error < 1)) {
            h_abs *= factor_of<Table::Q>(error);
            rejected = true;
            continue;
        }
        const f64 factor = factor_of<Table::Q>(error);
        h_abs *= rejected && factor > 1 ? 1.0 : factor;
        rejected = false;
        f64 before[N];
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            before[c] = s.y[c];
            s.y[c] = state[c];
        }
        if (out.times != NULL && next < call.points && direction * (out.times[next] - after) <= 0) {
            s.template extend<Table::STAGES + 1>(s.t, before, h, state);
#pragma unroll 1
            for (; next < call.points && direction * (out.times[next] - after) <= 0; next++) {
                const f64 x = (out.times[next] - s.t) / h;
                s.between(x, h, before, out.states + next * N * call.count + i, call.count);
            }
        }
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            s.k[0][c] = s.k[Table::STAGES][c];
        }
        s.t = after;
    }
    for (; out.times != NULL && next < call.points; next++) {
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            out.states[(next * N + c) * call.count + i] = nan;
        }
    }
    if (out.times == NULL) {
#pragma unroll UNROLL
        for (int c = 0; c < N; c++) {
            out.states[c * call.count + i] = s.y[c];
        }
    }
    out.last_time[i] = s.t;
    out.calls[i] = s.calls;
    out.status[i] = (signed char)status;
}

} // namespace ode

#endif
