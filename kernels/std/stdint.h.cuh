// <stdint.h>, which NVRTC does not have: integers of fixed size.
#ifndef GNP_STD_STDINT_H
#define GNP_STD_STDINT_H

typedef signed char int8_t, int_least8_t, int_fast8_t;
typedef unsigned char uint8_t, uint_least8_t, uint_fast8_t;
typedef short int16_t, int_least16_t, int_fast16_t;
typedef unsigned short uint16_t, uint_least16_t, uint_fast16_t;
typedef int int32_t, int_least32_t, int_fast32_t;
typedef unsigned int uint32_t, uint_least32_t, uint_fast32_t;
typedef long long int64_t, int_least64_t, int_fast64_t;
typedef unsigned long long uint64_t, uint_least64_t, uint_fast64_t;
typedef long long intmax_t, intptr_t;
typedef unsigned long long uintmax_t, uintptr_t;

#define INT8_MAX 127
#define INT8_MIN (-127 - 1)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-32767 - 1)
#define UINT16_MAX 65535
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-9223372036854775807ll - 1)
#define UINT64_MAX 18446744073709551615ull
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define SIZE_MAX UINT64_MAX

#endif
