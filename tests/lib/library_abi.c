/* Compares our declarations of NVIDIA's libraries with their headers: compiled once with ours and
 * once, with -DNVIDIA, with the toolkit's; both print what they say about sizes and numbers. The
 * toolkit's enumerations are proper types there, so prototypes are compared exactly. */
#include <stddef.h>
#include <stdio.h>
#ifdef NVIDIA
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <cufftXt.h>
#include <curand.h>
#include <cusolverDn.h>
#define SAME(name, result, params)                                                                 \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) params), #name);
#define CALL(name, params) SAME(name, cublasStatus_t, params)
#include "tables/cublas.def"
#define CALL(name, params) SAME(name, cublasStatus_t, params)
#include "tables/cublaslt.def"
#define CALL(name, params) SAME(name, cusolverStatus_t, params)
#include "tables/cusolver.def"
#define CALL(name, params) SAME(name, cufftResult, params)
#include "tables/cufft.def"
#define CALL(name, params) SAME(name, curandStatus_t, params)
#include "tables/curand.def"
#define STATUS(number, name, kind) _Static_assert((int)name == number, #name);
#include "tables/cublas.def"
#define STATUS(number, name, kind) _Static_assert((int)name == number, #name);
#include "tables/cublaslt.def"
#define STATUS(number, name, kind) _Static_assert((int)name == number, #name);
#include "tables/cusolver.def"
#define STATUS(number, name, kind) _Static_assert((int)name == number, #name);
#include "tables/cufft.def"
#define STATUS(number, name, kind) _Static_assert((int)name == number, #name);
#include "tables/curand.def"
#else
#include "lib/cublas_abi.h"
#include "lib/cufft_abi.h"
#include "lib/curand_abi.h"
#include "lib/cusolver_abi.h"
#include "lib/nccl_abi.h"
#endif
#if defined NVIDIA && __has_include(<nccl.h>)
#include <nccl.h>
#define CALL(name, params) SAME(name, ncclResult_t, params)
#define TEXT(name, params) SAME(name, const char *, params)
#define STATUS(number, name, kind) _Static_assert((int)name == number, #name);
#include "tables/nccl.def"
#elif defined NVIDIA /* a wheel of its own has this header, so it may be absent */
#include "lib/nccl_abi.h"
#endif

#define SIZE(type) printf("sizeof %s %zu\n", #type, sizeof(type));
#define FIELD(type, field) printf("offset %s.%s %zu\n", #type, #field, offsetof(type, field));
#define VALUE(name) printf("value %s %lld\n", #name, (long long)name);

int
main(void)
{
#include "library_facts.def"
    return 0;
}
