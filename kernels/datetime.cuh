// datetime.cuh: the functions that expressions of tables/datetimes.def call. NaT propagates, compares like
// NaN, and sorts last. Rounding is NumPy's: towards zero where a number divides, down where a time does.
#ifndef GNP_DATETIME_CUH
#define GNP_DATETIME_CUH

#include "math.cuh"

// ---- comparison ------------------------------------------------------------------------------------------

GNP_FN bool is_nan(time64 a) { return a.ticks == not_a_time().ticks; }
GNP_FN bool is_finite(time64 a) { return !is_nan(a); }
GNP_FN bool ordered(time64 a, time64 b) { return !is_nan(a) && !is_nan(b); }
GNP_FN bool operator==(time64 a, time64 b) { return a.ticks == b.ticks && !is_nan(a); }
GNP_FN bool operator!=(time64 a, time64 b) { return !(a == b); }
GNP_FN bool operator<(time64 a, time64 b) { return a.ticks < b.ticks && !is_nan(a); }
GNP_FN bool operator<=(time64 a, time64 b) { return a.ticks <= b.ticks && !is_nan(a); }
GNP_FN bool operator>(time64 a, time64 b) { return b < a; }
GNP_FN bool operator>=(time64 a, time64 b) { return b <= a; }

// ---- arithmetic: integers wrap around --------------------------------------------------------------------

GNP_FN time64 scaled(time64 a, i64 by) { return is_nan(a) ? a : time64((i64)((u64)a.ticks * (u64)by)); }
GNP_FN time64 operator+(time64 a, time64 b)
{
    return ordered(a, b) ? time64((i64)((u64)a.ticks + (u64)b.ticks)) : not_a_time();
}
GNP_FN time64 operator-(time64 a, time64 b)
{
    return ordered(a, b) ? time64((i64)((u64)a.ticks - (u64)b.ticks)) : not_a_time();
}
// NaT is the negative of itself.
GNP_FN time64 negative(time64 a) { return time64(negative(a.ticks)); }
GNP_FN time64 absolute(time64 a) { return time64(absolute(a.ticks)); }
// As NumPy before 2.5, where NaT counts as a negative number; from 2.5 on a float, NaN for NaT.
GNP_FN time64 sign(time64 a) { return time64(sign(a.ticks)); }
GNP_FN f64 sign_number(time64 a)
{
    return is_nan(a) ? __longlong_as_double(0x7ff8000000000000ll) : (f64)sign(a.ticks);
}

GNP_FN time64 stretched(time64 a, f64 by) { return is_nan(a) ? a : time64(ticks_of((f64)a.ticks * by)); }
GNP_FN time64 shrunk(time64 a, f64 by) { return is_nan(a) ? a : time64(ticks_of((f64)a.ticks / by)); }
GNP_FN time64 share(time64 a, i64 of) { return is_nan(a) || of == 0 ? not_a_time() : time64(trunc_divide(a.ticks, of)); }
// The mean of n elements.
GNP_FN time64 over(time64 sum, f64 n) { return share(sum, (i64)n); }

GNP_FN f64 ratio(time64 a, time64 b)
{
    return ordered(a, b) ? (f64)a.ticks / (f64)b.ticks : __longlong_as_double(0x7ff8000000000000ll);
}
GNP_FN i64 whole_times(time64 a, time64 b) { return ordered(a, b) ? floor_divide(a.ticks, b.ticks) : 0; }
GNP_FN time64 rest_of(time64 a, time64 b)
{
    return ordered(a, b) && b.ticks != 0 ? time64(modulo(a.ticks, b.ticks)) : not_a_time();
}

// ---- units -----------------------------------------------------------------------------------------------

GNP_FN time64 rescaled(time64 a, i64 num, i64 den)
{
    return is_nan(a) ? a : time64(floor_divide((i64)((u64)a.ticks * (u64)num), den));
}

// Days from 1970-01-01 to the first of a month, counted from January 1970, and back: years that begin in
// March, eras of 400 of them (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013).
GNP_FN i64 days_of_month(i64 month)
{
    const i64 from_march = month + 1970 * 12 - 2, year = floor_divide(from_march, (i64)12);
    const i64 era = floor_divide(year, (i64)400), of_era = year - era * 400;
    const i64 in_year = (153 * (from_march - year * 12) + 2) / 5;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + in_year - 719468;
}
GNP_FN i64 month_of_day(i64 day)
{
    day += 719468;
    const i64 era = floor_divide(day, (i64)146097), of_era = day - era * 146097;
    const i64 year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const i64 in_year = of_era - (365 * year + year / 4 - year / 100);
    return (era * 400 + year) * 12 + (5 * in_year + 2) / 153 + 2 - 1970 * 12;
}
GNP_FN time64 from_months(time64 a, i64 months, i64 num, i64 den)
{
    return is_nan(a) ? a : rescaled(time64(days_of_month(a.ticks * months)), num, den);
}
GNP_FN time64 to_months(time64 a, i64 months, i64 num, i64 den)
{
    return is_nan(a) ? a : time64(floor_divide(month_of_day(rescaled(a, num, den).ticks), months));
}

#endif
