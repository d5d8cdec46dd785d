// Kummer's function M(a, b, z) of real parameters and real or complex argument: the power series or that of Kummer's
// transformation (DLMF 13.2.39), whichever cancels less, in pairs of numbers where both cancel; the expansion 13.7.2
// for large arguments; the recurrence in a (13.3.1) for large negative a, where M oscillates.
#ifndef GNP_SPECIAL_CONFLUENT_CUH
#define GNP_SPECIAL_CONFLUENT_CUH

#include "special/hypergeometric.cuh"

namespace special {

// 2F0(p, q; ; t) up to its smallest term.
template <class V> GNP_COLD void sum_asymptotic(Pair p, Pair q, V t, Summed<V> &y)
{
    V term = V(1.0), sum = V(1.0);
    f64 before = 1, largest = 1;
    const f64 settled = fmax(-p.high, -q.high);
    y.error = INFINITY_F64;
#pragma unroll 1
    for (int k = 0; k < 400; k++) {
        f64 by = (p.high + k + p.low) * (q.high + k + q.low) / (k + 1);
        V next = term * scaled(t, by);
        f64 size = extent(next);
        if (size >= before && k > settled) break;
        term = next;
        sum = sum + term;
        before = size;
        largest = fmax(largest, size);
        if (size <= 0x1p-56 * extent(sum)) break;
    }
    y.value = sum;
    y.error = (before + EPSILON_F64 * 4 * largest) / extent(sum);
    if (y.error != y.error) y.error = INFINITY_F64;
}

// Gamma(b)/Gamma(a) e^z z^power * sum; the exponential in two parts, as their product may be in range.
template <class V> GNP_COLD V with_prefactor(V sum, f64 b, f64 a, V growth, V base, f64 power)
{
    f64 exponent, factor = gamma_quotient(b, a, exponent);
    if (factor == 0) return V(0.0);
    V half = exponential(scaled(growth, 0.5) + V(0.5 * exponent));
    return scaled(raised(base, power) * half, factor) * sum * half;
}

// 13.7.2 for real arguments: the part that dominates, where the other is below rounding.
GNP_COLD void confluent_far(f64 a, f64 b, f64 z, Summed<f64> &y)
{
    Pair difference = pair_difference(b, a);
    const f64 one = with_prefactor<f64>(1, b, a, z, fabs(z), a - b);
    const f64 two = with_prefactor<f64>(1, b, difference.high, 0, fabs(z), -a);
    if (z > 0) {
        sum_asymptotic<f64>(difference, pair_difference(1, a), 1 / z, y);
    }
    else {
        sum_asymptotic<f64>(pair(a), pair_sum(pair_negative(difference), pair(1)), -1 / z, y);
    }
    y.value *= z > 0 ? one : two;
    y.error += 10 * fabs(z > 0 ? two / one : one / two);
    if (y.error != y.error) y.error = INFINITY_F64;
}

// The series at z, or Kummer's with the factor e^z.
template <class V> GNP_COLD void confluent_sum(Pair a, f64 b, V z, bool turned, bool wide, Summed<V> &y)
{
    if (turned) a = pair_sum(pair(b), pair_negative(a));
    Series s = {a, pair(0), pair(b), 1};
    V at = turned ? -z : z;
    if (wide) {
        typename WideOf<V>::type sum;
        sum_wide<V>(s, at, sum, y.error);
        y.value = narrowed(sum);
        y.error += EPSILON_F64;
    }
    else {
        sum_plain<V>(s, at, y);
    }
    if (turned) y.value = exponential(z) * y.value;
}

// The four sums, the likely one first.
template <class V> GNP_COLD void confluent_near(Pair a, f64 b, V z, bool turned, Summed<V> &best)
{
#pragma unroll 1
    for (int k = 0; k < 4 && best.error > GOOD; k++) {
        if (turned != (bool)(k & 1) && ends_series(b)) continue; // a series that ends before its pole
        Summed<V> y;
        confluent_sum<V>(a, b, z, turned != (bool)(k & 1), k > 1, y);
        keep_better(best, y);
    }
}

// From above -|z| / 4 down: there M begins to oscillate, and before it is the solution that decays.
template <class V> GNP_COLD void confluent_downwards(f64 a, f64 b, V z, Summed<V> &y)
{
    f64 start = a + floor(-a - fmax(fmax(1.0, 1 - b), 0.25 * extent(z)));
    Summed<V> above = {V(NAN_F64), INFINITY_F64};
    y = above;
    if (start <= a) return;
    confluent_near<V>(pair(start), b, z, false, y);
    confluent_near<V>(pair(start + 1), b, z, false, above);
    V value = y.value, before = above.value;
#pragma unroll 1
    for (f64 at = start; at > a; at -= 1) {
        V next = scaled(scaled(before, at) - value * (V(2 * at - b) + z), 1 / (b - at));
        before = value;
        value = next;
    }
    y.value = value;
    y.error = fmax(fmax(y.error, above.error), 1e-14);
}

template <class V> GNP_COLD Summed<V> confluent(f64 a, f64 b, V z)
{
    Summed<V> best = {V(NAN_F64), INFINITY_F64}, other = best;
    Pair exact = pair_difference(b, a);
    f64 size = extent(z), difference = exact.high;
    bool whole = ends_series(a), also = ends_series(difference);
    bool turned = !whole && ((also && exact.low == 0) || real_part(z) < 0);
    if (size > 30 && !whole && !also) confluent_far(a, b, z, best);
    if (best.error > GOOD && size < 2000) {
        confluent_near<V>(pair(a), b, z, turned, best);
    }
    // M(a, b, z) = e^z M(b - a, b, -z)
    bool from_right = real_part(z) >= 0;
    f64 start = from_right ? a : difference;
    if (best.error > 1e-12 && start < -10 && start > -MAX_DEGREE && size < 2000) {
        confluent_downwards<V>(start, b, from_right ? z : -z, other);
        if (!from_right) other.value = exponential(z) * other.value;
        keep_better(best, other);
    }
    return best;
}

GNP_FN f64 hyp1f1(f64 a, f64 b, f64 z)
{
    if (a != a || b != b || z != z) return NAN_F64;
    if (ends_series(b) && !(ends_series(a) && a >= b && a != 0)) return INFINITY_F64;
    if (a == 0 || z == 0 || (fabs(b) == INFINITY_F64 && fabs(a) < INFINITY_F64)) return 1;
    if (fabs(a) == INFINITY_F64 || fabs(z) == INFINITY_F64) return NAN_F64;
    if (a == b && !ends_series(b)) return exponential(z);
    Summed<f64> y = confluent<f64>(a, b, z);
    return y.value == INFINITY_F64 || y.value == -INFINITY_F64 ? y.value : answer(y);
}
}

#endif
