/* Wrong calls: modules, libraries, the linker, functions, launches. */
#include "wrong.h"

static const char broken[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nfrobnicate.u32;\n}\n";
static const char unknown_register[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nmov.u32 %r1, 5;\nret;\n}\n";
static const char newer_version[] =
    ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
static const char newer_target[] =
    ".version 7.0\n.target sm_999\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
static const char blackwell[] =
    ".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
static const char no_header[] = ".visible .entry k()\n{\nret;\n}\n";
static const char no_target[] = ".version 7.0\n.visible .entry k()\n{\nret;\n}\n";
static const char narrow[] =
    ".version 7.0\n.target sm_75\n.address_size 32\n.visible .entry k()\n{\nret;\n}\n";
static const char missing_function[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func absent ();\n"
    ".visible .entry k()\n{\ncall absent, ();\nret;\n}\n";
static const char missing_global[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.extern .global .align 4 .u32 absent;\n"
    ".visible .entry k()\n{\n.reg .b32 %r;\nld.global.u32 %r, [absent];\nst.global.u32 [absent], %r;\n"
    "ret;\n}\n";
static const char empty_module[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
static const char twice_defined[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n"
    ".visible .entry k()\n{\nret;\n}\n";
static const char too_much_shared[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"
    ".shared .align 4 .b8 a[65536];\n.reg .b32 %r;\nmov.u32 %r, a;\nst.shared.u32 [%r], %r;\nret;\n}\n";
static const char defines[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 absent = 7;\n";
static const char cubin[64] = "\177ELF\2\1\1\63\7";
static const char fatbin[64] = "\x50\xed\x55\xba\1\0\x10\0";

GROUP(images)
{
    start();
    CUmodule m = NULL;
    R(cuModuleLoadData(NULL, wrong_ptx));
    R(cuModuleLoadData(&m, NULL));
    R(cuModuleLoadData(&m, ""));
    R(cuModuleLoadData(&m, "x"));
    R(cuModuleLoadData(&m, "nonsense that is no image"));
    R(cuModuleLoadData(&m, broken));
    R(cuModuleLoadData(&m, unknown_register));
    R(cuModuleLoadData(&m, newer_version));
    R(cuModuleLoadData(&m, newer_target));
    R(cuModuleLoadData(&m, blackwell));
    R(cuModuleLoadData(&m, no_header));
    R(cuModuleLoadData(&m, no_target));
    R(cuModuleLoadData(&m, narrow));
    R(cuModuleLoadData(&m, missing_function));
    R(cuModuleLoadData(&m, missing_global));
    R(cuModuleLoadData(&m, empty_module));
    R(cuModuleLoadData(&m, twice_defined));
    R(cuModuleLoadData(&m, too_much_shared));
    R(cuModuleLoadData(&m, cubin));
    R(cuModuleLoadData(&m, fatbin));
    R(cuModuleLoadFatBinary(&m, NULL));
    R(cuModuleLoadFatBinary(&m, "nonsense that is no image"));
    R(cuModuleLoadFatBinary(&m, wrong_ptx));
    R(cuModuleLoad(NULL, "/nonexistent.ptx"));
    R(cuModuleLoad(&m, NULL));
    R(cuModuleLoad(&m, ""));
    R(cuModuleLoad(&m, "/nonexistent.ptx"));
    R(cuModuleLoad(&m, "/"));
    R(cuModuleLoad(&m, "/dev/null"));
    R(cuModuleUnload(NULL));
    CUjit_option option[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    char log[200] = "";
    void *value[2] = {log, (void *)(uintptr_t)sizeof log};
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, NULL, NULL));
    R(cuModuleLoadDataEx(&m, wrong_ptx, 0, option, value));
    R(cuModuleLoadDataEx(NULL, wrong_ptx, 2, option, value));
    R(cuModuleLoadDataEx(&m, NULL, 2, option, value));
    R(cuModuleLoadDataEx(&m, broken, 2, option, value));
    V(0 /* the log is filled */, log[0] != '\0' && (uintptr_t)value[1] > 0);
    value[1] = (void *)(uintptr_t)sizeof log;
    V(cuModuleLoadDataEx(&m, wrong_ptx, 2, option, value), (uintptr_t)value[1]);
    CUjit_option other[1] = {(CUjit_option)999};
    void *others[1] = {(void *)1};
    WHEN("option 999");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
    other[0] = CU_JIT_TARGET;
    others[0] = (void *)90;
    WHEN("target 90");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
    others[0] = (void *)75;
    WHEN("target 75");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
    others[0] = (void *)100;
    WHEN("target 100");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
    others[0] = (void *)1;
    WHEN("target 1");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
    other[0] = CU_JIT_OPTIMIZATION_LEVEL;
    others[0] = (void *)9;
    WHEN("optimization 9");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
    other[0] = CU_JIT_MAX_REGISTERS;
    others[0] = (void *)32;
    WHEN("32 registers");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
    other[0] = CU_JIT_CACHE_MODE;
    others[0] = (void *)7;
    WHEN("cache mode 7");
    R(cuModuleLoadDataEx(&m, wrong_ptx, 1, other, others));
}

GROUP(functions)
{
    start_with_kernels();
    CUfunction f = NULL;
    CUdeviceptr p = 0;
    size_t bytes = 0, offset = 0;
    unsigned count = 0;
    int i = 0;
    const char *name = NULL;
    CUmodule m = NULL;
    R(cuModuleGetFunction(NULL, module, "plain"));
    R(cuModuleGetFunction(&f, module, NULL));
    R(cuModuleGetFunction(&f, module, "absent"));
    R(cuModuleGetFunction(&f, module, ""));
    R(cuModuleGetFunction(&f, module, "counter"));
    R(cuModuleGetFunction(&f, NULL, "plain"));
    R(cuModuleGetGlobal_v2(&p, &bytes, module, "absent"));
    R(cuModuleGetGlobal_v2(&p, &bytes, module, "plain"));
    R(cuModuleGetGlobal_v2(&p, &bytes, module, NULL));
    R(cuModuleGetGlobal_v2(&p, &bytes, NULL, "counter"));
    R(cuModuleGetGlobal_v2(NULL, NULL, module, "counter"));
    V(cuModuleGetGlobal_v2(&p, NULL, module, "counter"), p != 0);
    V(cuModuleGetGlobal_v2(NULL, &bytes, module, "counter"), bytes);
    V(cuModuleGetGlobal_v2(&p, &bytes, module, "table"), bytes);
    R(cuMemFree_v2(p));
    R(cuModuleGetFunctionCount(NULL, module));
    V(cuModuleGetFunctionCount(&count, module), count);
    R(cuModuleEnumerateFunctions(NULL, 1, module));
    R(cuModuleEnumerateFunctions(&f, 0, module));
    R(cuModuleEnumerateFunctions(&f, 1, module));
    R(cuModuleGetLoadingMode(NULL));
    R(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, plain));
    R(cuFuncGetAttribute(&i, (CUfunction_attribute)99, plain));
    R(cuFuncGetAttribute(&i, (CUfunction_attribute)-1, plain));
    R(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
    R(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NUM_REGS, 5));
    R(cuFuncSetAttribute(plain, (CUfunction_attribute)99, 5));
    R(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    R(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    R(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449));
    R(cuFuncSetAttribute(hungry, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    R(cuFuncSetAttribute(hungry, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 191488));
    R(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    R(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -2));
    R(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    R(cuFuncSetAttribute(NULL, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    R(cuFuncSetCacheConfig(plain, (CUfunc_cache)9));
    R(cuFuncSetCacheConfig(NULL, CU_FUNC_CACHE_PREFER_L1));
    R(cuFuncGetName(NULL, plain));
    R(cuFuncGetName(&name, NULL));
    R(cuFuncGetModule(NULL, plain));
    V(cuFuncGetModule(&m, plain), m == module);
    V(cuFuncGetParamInfo(plain, 0, &offset, &bytes), offset * 100 + bytes);
    V(cuFuncGetParamInfo(plain, 1, &offset, &bytes), offset * 100 + bytes);
    R(cuFuncGetParamInfo(plain, 2, &offset, &bytes));
    R(cuFuncGetParamInfo(plain, 0, NULL, &bytes));
    R(cuFuncGetParamInfo(plain, 0, &offset, NULL));
    R(cuFuncGetParamInfo(NULL, 0, &offset, &bytes));
    R(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, plain, 32, 0));
    R(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, NULL, 32, 0));
    R(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, plain, 0, 0));
    R(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, plain, -1, 0));
    V(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, plain, 2048, 0), i);
    V(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, plain, 32, 1 << 30), i);
    V(cuOccupancyMaxActiveBlocksPerMultiprocessor(&i, bounded, 128, 0), i);
    R(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&i, plain, 32, 0, 9));
    R(cuOccupancyMaxPotentialBlockSize(NULL, &i, plain, NULL, 0, 0));
    R(cuOccupancyMaxPotentialBlockSize(&i, NULL, plain, NULL, 0, 0));
    R(cuOccupancyMaxPotentialBlockSize(&i, &i, NULL, NULL, 0, 0));
    R(cuOccupancyAvailableDynamicSMemPerBlock(NULL, plain, 1, 32));
    R(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 0, 32));
    R(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 1000, 32));
    R(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, plain, 1, 0));
    WHEN("unloaded");
    OK(cuModuleUnload(module));
    R(cuModuleGetFunction(&f, module, "plain"));
    R(cuModuleUnload(module));
    R(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, plain));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 0, NULL));
}

GROUP(libraries)
{
    start();
    CUlibrary l = NULL;
    CUkernel k = NULL;
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUdeviceptr p = 0;
    size_t bytes = 0;
    unsigned count = 0;
    int i = 0;
    const char *name = NULL;
    void *unified = NULL;
    R(cuLibraryLoadData(NULL, wrong_ptx, NULL, NULL, 0, NULL, NULL, 0));
    R(cuLibraryLoadData(&l, NULL, NULL, NULL, 0, NULL, NULL, 0));
    R(cuLibraryLoadData(&l, broken, NULL, NULL, 0, NULL, NULL, 0));
    R(cuLibraryLoadData(&l, "nonsense that is no image", NULL, NULL, 0, NULL, NULL, 0));
    R(cuLibraryLoadData(&l, wrong_ptx, NULL, NULL, 1, NULL, NULL, 0));
    R(cuLibraryLoadData(&l, wrong_ptx, NULL, NULL, 0, NULL, NULL, 1));
    R(cuLibraryLoadFromFile(&l, "/nonexistent", NULL, NULL, 0, NULL, NULL, 0));
    R(cuLibraryLoadFromFile(&l, NULL, NULL, NULL, 0, NULL, NULL, 0));
    CUlibraryOption option = (CUlibraryOption)99;
    void *value = NULL;
    WHEN("library option 99");
    R(cuLibraryLoadData(&l, wrong_ptx, NULL, NULL, 0, &option, &value, 1));
    option = CU_LIBRARY_BINARY_IS_PRESERVED;
    value = (void *)1;
    WHEN("library option preserved");
    R(cuLibraryLoadData(&l, wrong_ptx, NULL, NULL, 0, &option, &value, 1));
    WHEN("");
    OK(cuLibraryLoadData(&l, wrong_ptx, NULL, NULL, 0, NULL, NULL, 0));
    R(cuLibraryUnload(NULL));
    R(cuLibraryGetKernel(NULL, l, "plain"));
    R(cuLibraryGetKernel(&k, l, NULL));
    R(cuLibraryGetKernel(&k, l, "absent"));
    R(cuLibraryGetKernel(&k, NULL, "plain"));
    OK(cuLibraryGetKernel(&k, l, "plain"));
    R(cuLibraryGetModule(NULL, l));
    R(cuLibraryGetModule(&m, NULL));
    R(cuLibraryGetModule(&m, l));
    R(cuModuleUnload(m));
    R(cuLibraryGetGlobal(&p, &bytes, l, "absent"));
    R(cuLibraryGetGlobal(&p, &bytes, l, NULL));
    R(cuLibraryGetGlobal(NULL, NULL, l, "counter"));
    V(cuLibraryGetGlobal(&p, &bytes, l, "counter"), bytes);
    R(cuLibraryGetManaged(&p, &bytes, l, "counter"));
    R(cuLibraryGetManaged(&p, &bytes, l, "absent"));
    R(cuLibraryGetUnifiedFunction(&unified, l, "plain"));
    R(cuLibraryGetUnifiedFunction(&unified, l, "absent"));
    R(cuLibraryGetKernelCount(NULL, l));
    V(cuLibraryGetKernelCount(&count, l), count);
    R(cuLibraryEnumerateKernels(NULL, 1, l));
    R(cuLibraryEnumerateKernels(&k, 0, l));
    OK(cuLibraryGetKernel(&k, l, "plain"));
    R(cuKernelGetFunction(NULL, k));
    R(cuKernelGetFunction(&f, NULL));
    R(cuKernelGetFunction(&f, k));
    R(cuKernelGetName(NULL, k));
    R(cuKernelGetName(&name, NULL));
    R(cuKernelGetLibrary(NULL, k));
    R(cuKernelGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0));
    R(cuKernelGetAttribute(&i, (CUfunction_attribute)99, k, 0));
    R(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 1000));
    R(cuKernelGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL, 0));
    R(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 5, k, 0));
    R(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449, k, 0));
    R(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000, k, 1000));
    R(cuKernelSetCacheConfig(k, (CUfunc_cache)9, 0));
    R(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 1000));
    R(cuKernelGetParamInfo(k, 2, &bytes, &bytes));
    R(launch((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL));
    R(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, (CUfunction)k));
    R(cuFuncGetName(&name, (CUfunction)k));
    R(cuLibraryUnload(l));
    R(cuLibraryUnload(l));
    R(cuLibraryGetKernel(&k, l, "plain"));
}

GROUP(linker)
{
    start();
    CUlinkState link = NULL;
    void *image = NULL;
    size_t bytes = 0;
    CUmodule m = NULL;
    R(cuLinkCreate_v2(0, NULL, NULL, NULL));
    R(cuLinkCreate_v2(1, NULL, NULL, &link));
    R(cuLinkDestroy(NULL));
    R(cuLinkComplete(NULL, &image, &bytes));
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, NULL, 10, "x", 0, NULL, NULL));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)wrong_ptx, 0, "x", 0, NULL, NULL));
    R(cuLinkAddData_v2(link, (CUjitInputType)99, (void *)wrong_ptx, 10, "x", 0, NULL, NULL));
    R(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/nonexistent", 0, NULL, NULL));
    R(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
    R(cuLinkDestroy(link));
    WHEN("broken PTX");
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)broken, sizeof broken, "x", 0, NULL, NULL));
    R(cuLinkComplete(link, &image, &bytes));
    R(cuLinkDestroy(link));
    WHEN("nonsense");
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)"no PTX", 7, "x", 0, NULL, NULL));
    R(cuLinkDestroy(link));
    WHEN("nothing added");
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    R(cuLinkComplete(link, &image, &bytes));
    R(cuLinkDestroy(link));
    WHEN("unresolved");
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)missing_global, sizeof missing_global, "x", 0,
                       NULL, NULL));
    R(cuLinkComplete(link, &image, &bytes));
    R(cuLinkDestroy(link));
    WHEN("resolved");
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)missing_global, sizeof missing_global, "x", 0,
                       NULL, NULL));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)defines, sizeof defines, "y", 0, NULL, NULL));
    R(cuLinkComplete(link, NULL, &bytes));
    R(cuLinkComplete(link, &image, NULL));
    R(cuLinkComplete(link, &image, &bytes));
    R(cuModuleLoadData(&m, image));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)defines, sizeof defines, "y", 0, NULL, NULL));
    R(cuLinkDestroy(link));
    WHEN("defined twice");
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)defines, sizeof defines, "x", 0, NULL, NULL));
    R(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, (void *)defines, sizeof defines, "y", 0, NULL, NULL));
    R(cuLinkComplete(link, &image, &bytes));
    R(cuLinkDestroy(link));
}

GROUP(launches)
{
    start_with_kernels();
    CUstream s = new_stream();
    CUdeviceptr p = memory(64);
    int n = 1;
    void *params[] = {&p, &n};
    struct {
        CUdeviceptr p;
        int n;
    } packed = {p, 1};
    size_t packed_bytes = sizeof packed, small = 4;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &packed_bytes, CU_LAUNCH_PARAM_END};
    void *extra_small[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                           &small, CU_LAUNCH_PARAM_END};
    void *extra_odd[] = {(void *)77, &packed, CU_LAUNCH_PARAM_END};
    void *extra_half[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_END};
    R(launch(plain, 1, 1, 1, 1, 1, 1, 0, NULL));
    R(launch(NULL, 1, 1, 1, 1, 1, 1, 0, NULL));
    R(launch(plain, 0, 1, 1, 1, 1, 1, 0, NULL));
    R(launch(plain, 1, 0, 1, 1, 1, 1, 0, NULL));
    R(launch(plain, 1, 1, 0, 1, 1, 1, 0, NULL));
    R(launch(plain, 1, 1, 1, 0, 1, 1, 0, NULL));
    R(launch(plain, 1, 1, 1, 1, 0, 1, 0, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 0, 0, NULL));
    R(launch(plain, 1, 1, 1, 1025, 1, 1, 0, NULL));
    R(launch(plain, 1, 1, 1, 1024, 2, 1, 0, NULL));
    R(launch(plain, 1, 1, 1, 1, 1025, 1, 0, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 65, 0, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 64, 0, NULL));
    R(launch(plain, 1, 65536, 1, 1, 1, 1, 0, NULL));
    R(launch(plain, 1, 1, 65536, 1, 1, 1, 0, NULL));
    R(launch(plain, 0x80000000u, 1, 1, 1, 1, 1, 0, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 49152, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 49153, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 1 << 20, NULL));
    R(launch(hungry, 1, 1, 1, 1, 1, 1, 8192, NULL));
    R(launch(hungry, 1, 1, 1, 1, 1, 1, 8193, NULL));
    R(launch(bounded, 1, 1, 1, 64, 1, 1, 0, NULL));
    R(launch(bounded, 1, 1, 1, 65, 1, 1, 0, NULL));
    R(launch(bounded, 1, 1, 1, 1, 64, 1, 0, NULL));
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra));
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra_small));
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra_odd));
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra_half));
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, s, NULL, 0};
    CUlaunchAttribute attribute[2];
    memset(attribute, 0, sizeof attribute);
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    R(cuLaunchKernelEx(NULL, plain, params, NULL));
    config.numAttrs = 1;
    WHEN("no attributes but one");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    config.attrs = attribute;
    attribute[0].id = (CUlaunchAttributeID)99;
    WHEN("attribute 99");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    attribute[0].id = CU_LAUNCH_ATTRIBUTE_IGNORE;
    WHEN("attribute ignore");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    attribute[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute[0].value.clusterDim.x = 2;
    attribute[0].value.clusterDim.y = attribute[0].value.clusterDim.z = 1;
    WHEN("clusters of two, a grid of one");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    config.gridDimX = 32;
    attribute[0].value.clusterDim.x = 16;
    WHEN("clusters of sixteen");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    attribute[0].value.clusterDim.x = 0;
    WHEN("clusters of none");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    attribute[0].value.clusterDim.x = 1;
    WHEN("clusters of one");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    memset(attribute, 0, sizeof attribute);
    attribute[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute[0].value.cooperative = 1;
    config.gridDimX = 1;
    WHEN("cooperative");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    config.gridDimX = 1000000;
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    R(cuLaunchCooperativeKernel(plain, 1000000, 1, 1, 1, 1, 1, 0, s, params));
    R(cuLaunchCooperativeKernel(plain, 1, 1, 1, 1025, 1, 1, 0, s, params));
    R(cuLaunchCooperativeKernel(plain, 0, 1, 1, 1, 1, 1, 0, s, params));
    R(cuLaunchCooperativeKernel(plain, 1, 1, 1, 1, 1, 1, 0, s, params));
    memset(attribute, 0, sizeof attribute);
    attribute[0].id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    attribute[0].value.priority = -100;
    config.gridDimX = 1;
    WHEN("priority -100");
    R(cuLaunchKernelEx(&config, plain, params, NULL));
    WHEN("");
    OK(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 100000, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 100001, NULL));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY));
    R(launch(plain, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD));
    R(cuCtxSynchronize());
}

GROUP(broken_context)
{
    start_with_kernels();
    CUdeviceptr p = 64, q = memory(64);
    CUstream s = new_stream();
    CUevent e = new_event(0);
    CUcontext c = NULL;
    CUdevice d = 0;
    int n = 1, i = 0;
    void *host = NULL;
    void *params[] = {&p, &n};
    size_t bytes = 0;
    CUmodule m = NULL;
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    R(cuCtxSynchronize());
    R(cuCtxSynchronize());
    R(cuStreamSynchronize(s));
    R(cuStreamQuery(s));
    R(cuMemAlloc_v2(&p, 16));
    R(cuMemFree_v2(q));
    R(cuMemsetD8_v2(q, 0, 16));
    R(cuMemHostAlloc(&host, 16, 0));
    R(cuMemGetInfo_v2(&bytes, &bytes));
    R(cuStreamCreate(&s, 0));
    R(cuEventCreate(&e, 0));
    R(cuEventRecord(e, s));
    R(cuEventQuery(e));
    R(cuModuleLoadData(&m, wrong_ptx));
    R(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    R(cuFuncGetAttribute(&i, CU_FUNC_ATTRIBUTE_NUM_REGS, plain));
    R(cuCtxGetDevice(&d));
    R(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
    R(cuCtxGetCurrent(&c));
    R(cuDeviceGetCount(&i));
    R(cuDeviceGetAttribute(&i, (CUdevice_attribute)1, 0));
    R(cuPointerGetAttribute(&i, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, q));
    R(cuMemAllocAsync(&p, 16, s));
    R(cuEventDestroy_v2(e));
    R(cuStreamDestroy_v2(s));
    R(cuModuleUnload(module));
    R(cuGraphCreate(&(CUgraph){NULL}, 0));
    R(cuDevicePrimaryCtxReset_v2(0));
    R(cuDevicePrimaryCtxRetain(&c, 0));
    R(cuCtxSetCurrent(c));
    R(cuMemAlloc_v2(&p, 16));
}
