// <cupy/cuda_workaround.h>, as programs written for CuPy include it: the type traits of the namespace
// std that kernels use most. <type_traits> has all of them, where a toolkit is installed.
#ifndef GNP_CUPY_CUDA_WORKAROUND_H
#define GNP_CUPY_CUDA_WORKAROUND_H

namespace std {

template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant type;
    __host__ __device__ constexpr operator T() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> {
    typedef T type;
};
template <bool B, class T, class F> struct conditional {
    typedef T type;
};
template <class T, class F> struct conditional<false, T, F> {
    typedef F type;
};

template <class T> struct remove_const {
    typedef T type;
};
template <class T> struct remove_const<const T> {
    typedef T type;
};
template <class T> struct remove_volatile {
    typedef T type;
};
template <class T> struct remove_volatile<volatile T> {
    typedef T type;
};
template <class T> struct remove_cv {
    typedef typename remove_const<typename remove_volatile<T>::type>::type type;
};
template <class T> struct remove_reference {
    typedef T type;
};
template <class T> struct remove_reference<T &> {
    typedef T type;
};
template <class T> struct remove_reference<T &&> {
    typedef T type;
};

template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T *> : true_type {};

// What is known of a type without qualifiers: bits of IS_..., and its counterparts with and without
// a sign.
enum { IS_INTEGRAL_ = 1, IS_FLOATING_ = 2, IS_SIGNED_ = 4 };
template <class T> struct arithmetic_ {
    enum { bits = 0 };
};
#define GNP_INTEGRAL(T, S, U)                                                                      \
    template <> struct arithmetic_<T> {                                                            \
        enum { bits = IS_INTEGRAL_ | ((T)-1 < (T)1 ? IS_SIGNED_ : 0) };                            \
        typedef S with_sign;                                                                       \
        typedef U without_sign;                                                                    \
    };
GNP_INTEGRAL(bool, bool, bool)
GNP_INTEGRAL(char, signed char, unsigned char)
GNP_INTEGRAL(signed char, signed char, unsigned char)
GNP_INTEGRAL(unsigned char, signed char, unsigned char)
GNP_INTEGRAL(short, short, unsigned short)
GNP_INTEGRAL(unsigned short, short, unsigned short)
GNP_INTEGRAL(int, int, unsigned int)
GNP_INTEGRAL(unsigned int, int, unsigned int)
GNP_INTEGRAL(long, long, unsigned long)
GNP_INTEGRAL(unsigned long, long, unsigned long)
GNP_INTEGRAL(long long, long long, unsigned long long)
GNP_INTEGRAL(unsigned long long, long long, unsigned long long)
#undef GNP_INTEGRAL
template <> struct arithmetic_<float> {
    enum { bits = IS_FLOATING_ | IS_SIGNED_ };
};
template <> struct arithmetic_<double> {
    enum { bits = IS_FLOATING_ | IS_SIGNED_ };
};

template <class T, int some>
struct has_bits_
    : integral_constant<bool, (arithmetic_<typename remove_cv<T>::type>::bits & some) != 0> {};
template <class T> struct is_integral : has_bits_<T, IS_INTEGRAL_> {};
template <class T> struct is_floating_point : has_bits_<T, IS_FLOATING_> {};
template <class T> struct is_arithmetic : has_bits_<T, IS_INTEGRAL_ | IS_FLOATING_> {};
template <class T> struct is_signed : has_bits_<T, IS_SIGNED_> {};
template <class T>
struct is_unsigned : integral_constant<bool, is_integral<T>::value && !is_signed<T>::value> {};
template <class T> struct make_signed {
    typedef typename arithmetic_<typename remove_cv<T>::type>::with_sign type;
};
template <class T> struct make_unsigned {
    typedef typename arithmetic_<typename remove_cv<T>::type>::without_sign type;
};

} // namespace std

#endif
