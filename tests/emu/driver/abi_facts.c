/* Prints what the CUDA headers say about layouts and numbers; test_abi.py compiles it once with our
 * declarations and once, with -DNVIDIA, with the toolkit's. */
#include <stddef.h>
#include <stdio.h>
#ifdef NVIDIA
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#include <nvrtc.h>
#undef CU
/* The toolkit's enumerations are proper types there, so this compares every prototype exactly. */
#define CU(name, params)                                                                           \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), CUresult(*) params), #name);
#define NVRTC(name, params)                                                                        \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), nvrtcResult(*) params), #name);
#include "tables/cuda_api.def"
#else
#include "cuda/cuda_abi.h"
#endif

#define SIZE(type) printf("sizeof %s %zu\n", #type, sizeof(type));
#define FIELD(type, field) printf("offset %s.%s %zu\n", #type, #field, offsetof(type, field));
#define VALUE(name) printf("value %s %lld\n", #name, (long long)name);

static void
print_errors(void)
{
#define CUDA_ERROR_ROW(number, name, text) printf("error %d\n", number);
#include "tables/cuda_errors.def"
#ifdef NVIDIA
#define CUDA_ERROR_SUCCESS CUDA_SUCCESS
#endif
#define CUDA_ERROR_ROW(number, name, text) printf("error %s %d\n", #name, CUDA_ERROR_##name);
#include "tables/cuda_errors.def"
}

static void
print_attributes(void)
{
#define CUDA_ATTRIBUTE(number, name, emulated)                                                     \
    printf("attribute %s %d %d\n", #name, number, CU_DEVICE_ATTRIBUTE_##name);
#include "tables/cuda_attributes.def"
}

int
main(void)
{
#include "abi_facts.def"
    print_errors();
    print_attributes();
    return 0;
}
