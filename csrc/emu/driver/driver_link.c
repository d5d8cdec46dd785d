/* The linker: several PTX texts become one, which is also its "cubin".
 *
 * Inputs are PTX, fatbins, and host objects and archives that fatbins with PTX are embedded in. The
 * driver's cuLink functions stand here; the same linker under nvJitLink's names in jit_link.c.
 *
 * Linking is concatenation: the module loader accepts several texts in one and resolves names
 * across them (ptx_module.c). Machine code cannot be linked, so an object helps only if its fatbin
 * carries PTX. */
#include "emu/driver/driver.h"
#include "emu/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* Adds a text of `bytes` bytes without its NUL. Each keeps its header, which tells the loader where
 * names without .visible belong to another text. realloc for each input: a link has few of them.
 * One byte more than the newline keeps the text NUL-terminated at all times. */
static CUresult
add_text(EmuLinkText *link, const char *text, size_t bytes)
{
    /* Trailing NULs would end the text for the loader before the next input begins. */
    while (bytes > 0 && text[bytes - 1] == '\0') {
        bytes--;
    }
    /* The buffer stays valid when this fails, as nothing was freed. */
    char *grown = realloc(link->text, link->used + bytes + 2);
    if (grown == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    link->text = grown;
    char *start = grown + link->used;
    memcpy(start, text, bytes);
    memcpy(start + bytes, "\n", 2);
    link->used += bytes + 1;
    return 0;
}

/* What device code calls of CUDA's device runtime, libcudadevrt.a, which NVIDIA gives out as
 * machine code and as PTX that asks the device for more: grid-wide barriers of a cooperative
 * launch, as declared in cuda_device_runtime_api.h. The grid's workspace is at the address in
 * %envreg1:%envreg2; the word at its offset 4 is the barrier. Each block adds one, the first block
 * what is missing to 2^31, so that the top bit turns over when all have come. */
static const char device_runtime[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".weak .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)\n"
    "{ .reg .b32 %r<4>; .reg .b64 %rd; .reg .pred %p;\n"
    "  ld.param.u32 %r1, [scope]; mov.u32 %r3, %envreg1; mov.u32 %r2, %envreg2;\n"
    "  mov.b64 %rd, {%r2, %r3}; setp.eq.u32 %p, %r1, 1; selp.b64 %rd, %rd, 0, %p;\n"
    "  st.param.b64 [result], %rd; ret; }\n"
    ".weak .func (.param .b32 result) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 "
    "flags)\n"
    "{ .reg .b32 %r<9>; .reg .b64 %rd; .reg .pred %p<3>;\n"
    "  ld.param.u64 %rd, [handle]; setp.eq.u64 %p1, %rd, 0; @%p1 bra BAD;\n"
    "  barrier.sync 0;\n"
    "  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
    "  or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;\n"
    "  or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; setp.eq.u32 %p1, %r1, 0;\n"
    "  mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mov.u32 %r6, %nctaid.z;\n"
    "  mul.lo.u32 %r4, %r4, %r5; mul.lo.u32 %r4, %r4, %r6;\n"
    "  sub.u32 %r4, 0x80000001, %r4; selp.b32 %r4, %r4, 1, %p1;\n"
    "  fence.acq_rel.gpu; atom.relaxed.gpu.add.u32 %r7, [%rd+4], %r4;\n"
    "WAIT:\n"
    "  ld.acquire.gpu.u32 %r8, [%rd+4]; xor.b32 %r8, %r8, %r7; setp.ge.s32 %p1, %r8, 0;\n"
    "  @%p1 bra WAIT;\n"
    "MEET:\n"
    "  barrier.sync 0; st.param.b32 [result], 0; ret;\n"
    "BAD:\n"
    "  st.param.b32 [result], 1; ret; }\n"
    ".weak .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n"
    "{ .reg .b32 %r; .reg .b64 %rd;\n"
    "  ld.param.u64 %rd, [handle]; ld.param.u32 %r, [flags];\n"
    "  { .param .b64 a; .param .b32 b; .param .b32 c; st.param.b64 [a], %rd; st.param.b32 [b], "
    "%r;\n"
    "    call (c), cudaCGSynchronizeGrid, (a, b); ld.param.b32 %r, [c]; }\n"
    "  st.param.b32 [result], %r; ret; }\n"
    ".weak .func (.param .b32 result) cudaCGGetSize(.param .b64 threads, .param .b64 grids,\n"
    "    .param .b64 handle)\n"
    "{ .reg .b32 %r<7>; .reg .b64 %rd<3>; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [threads]; ld.param.u64 %rd2, [grids];\n"
    "  mov.u32 %r1, %ntid.x; mov.u32 %r2, %ntid.y; mov.u32 %r3, %ntid.z;\n"
    "  mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mov.u32 %r6, %nctaid.z;\n"
    "  mul.lo.u32 %r1, %r1, %r2; mul.lo.u32 %r1, %r1, %r3; mul.lo.u32 %r1, %r1, %r4;\n"
    "  mul.lo.u32 %r1, %r1, %r5; mul.lo.u32 %r1, %r1, %r6;\n"
    "  setp.eq.u64 %p, %rd1, 0; @%p bra NEXT; st.u32 [%rd1], %r1;\n"
    "NEXT:\n"
    "  setp.eq.u64 %p, %rd2, 0; @%p bra DONE; st.u32 [%rd2], 1;\n"
    "DONE:\n"
    "  st.param.b32 [result], 0; ret; }\n"
    ".weak .func (.param .b32 result) cudaCGGetRank(.param .b64 thread, .param .b64 grid,\n"
    "    .param .b64 handle)\n"
    "{ .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [thread]; ld.param.u64 %rd2, [grid];\n"
    "  mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y;\n"
    "  mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ctaid.x;\n"
    "  mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %ntid.z; mov.u32 %r3, %tid.z;\n"
    "  mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y;\n"
    "  mad.lo.u32 %r1, %r1, %r2, %r3; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "  setp.eq.u64 %p, %rd1, 0; @%p bra NEXT; st.u32 [%rd1], %r1;\n"
    "NEXT:\n"
    "  setp.eq.u64 %p, %rd2, 0; @%p bra DONE; st.u32 [%rd2], 0;\n"
    "DONE:\n"
    "  st.param.b32 [result], 0; ret; }\n";

/* Host objects and archives: every fatbin in them lies at a multiple of eight bytes of its section,
 * and sections at a multiple of two of the file. Objects are searched for fatbins and not parsed:
 * their position in ELF sections or archive members does not matter. */
static CUresult
add_embedded(EmuLinkText *link, const char *file, size_t bytes, EmuLog *log)
{
    CUresult result = CUDA_ERROR_NO_BINARY_FOR_GPU;
    /* The library of NVIDIA's device runtime is recognised by its name and replaced by the
     * functions above. */
    if (memmem(file, bytes, "cuda_device_runtime", 19) != NULL) {
        return add_text(link, device_runtime, sizeof device_runtime - 1);
    }
    for (size_t at = 0; at + EMU_FATBIN_HEADER <= bytes; at += 2) {
        if (!emu_fatbin_at(file + at, bytes - at)) {
            continue;
        }
        char *owned = NULL;
        const char *text;
        size_t text_bytes;
        /* A fatbin without usable PTX is skipped; the file fails only when none has any. Its own
         * log would blame one of many, so it is dropped. */
        if (emu_image_ptx(file + at, &text, &text_bytes, &owned, NULL) == 0) {
            result = add_text(link, text, text_bytes);
            free(owned);
            EMU_TRY(result);
        }
    }
    if (result != 0) {
        emu_log_error(log, "no PTX in the file: the emulated device takes PTX only\n");
    }
    return result;
}

/* The kind is recognised by magic numbers: ELF, an archive, a fatbin, or else text. */
CUresult
emu_link_add(EmuLinkText *link, const void *image, size_t bytes, EmuLog *log)
{
    const char *file = image;
    int object = bytes > 4 && (memcmp(file,
                                      "\x7f"
                                      "ELF",
                                      4) == 0 ||
                               memcmp(file, "!<ar", 4) == 0);
    if (object) {
        return add_embedded(link, file, bytes, log);
    }
    /* A fatbin says its length, so one that is cut short is recognised before it is read. */
    if (bytes >= EMU_FATBIN_HEADER && memcmp(file, "\x50\xed\x55\xba", 4) == 0 &&
        !emu_fatbin_at(file, bytes)) {
        emu_log_error(log, "the fatbin is cut short\n");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    const char *text;
    char *owned = NULL, *copy = malloc(bytes + 1); /* texts need not end in a NUL */
    size_t text_bytes;
    if (copy == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, image, bytes);
    copy[bytes] = '\0';
    CUresult result = emu_image_ptx(copy, &text, &text_bytes, &owned, log);
    if (result == 0) {
        result = add_text(link, text, text_bytes);
    }
    free(owned);
    free(copy);
    return result;
}

/* ---- cuLink ---------------------------------------------------------------------------------- */

/* Not locked: a link state is used by one thread at a time, as the driver API's are. */
typedef struct {
    EmuHandle head;
    EmuJitOptions jit;
    EmuLinkText linked;
} Link;

static void
link_destroy(void *object)
{
    Link *link = object;
    free(link->linked.text);
}

CUresult
cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values, CUlinkState *out)
{
    Context *context;
    EMU_TRY_ENTER_CONTEXT(cuLinkCreate_v2, context);
    if (out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    Link *link = emu_handle_new(KIND_LINK, sizeof *link, link_destroy);
    if (link == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    /* The options' log buffers belong to the caller and are written to by later calls on the link.
     */
    CUresult result = emu_jit_read(&link->jit, count, options, values);
    if (result != 0) {
        emu_handle_close(link);
        return result;
    }
    *out = (CUlinkState)link;
    return 0;
}

/* Types are checked, then ignored: the content decides. */
static CUresult
check_input(CUjitInputType type)
{
    switch (type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
    case CU_JIT_INPUT_CUBIN: /* what an earlier link resulted in is PTX under that name */
        return 0;
    case CU_JIT_INPUT_NVVM:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Names and options of single inputs matter to a compiler only. */
CUresult
cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void *data, size_t bytes,
                 const char *name, unsigned int count, CUjit_option *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    EMU_TRY_ENTER(cuLinkAddData_v2);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (data == NULL || bytes == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    EMU_TRY(check_input(type));
    CUresult result = emu_link_add(&link->linked, data, bytes, &link->jit.log);
    /* Sizes of the logs are updated by each call, since any may have written. */
    emu_jit_write_sizes(&link->jit);
    /* A cubin is machine code, which the content shows by not being PTX. */
    return type == CU_JIT_INPUT_CUBIN && result == CUDA_ERROR_INVALID_IMAGE
               ? CUDA_ERROR_NO_BINARY_FOR_GPU
               : result;
}

CUresult
cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char *path, unsigned int count,
                 CUjit_option *options, void **values)
{
    char *file;
    size_t bytes;
    (void)count, (void)options, (void)values;
    EMU_TRY_ENTER(cuLinkAddFile_v2);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    EMU_TRY(check_input(type));
    EMU_TRY(emu_read_file(path, &file, &bytes));
    CUresult result = emu_link_add(&link->linked, file, bytes, &link->jit.log);
    emu_jit_write_sizes(&link->jit);
    free(file);
    return result;
}

/* The result belongs to the link and is valid until cuLinkDestroy. It can be asked for repeatedly.
 */
CUresult
cuLinkComplete(CUlinkState handle, void **out, size_t *bytes)
{
    EMU_TRY_ENTER(cuLinkComplete);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (link->linked.text == NULL || out == NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = link->linked.text;
    if (bytes != NULL) {
        *bytes = link->linked.used + 1;
    }
    return 0;
}

CUresult
cuLinkDestroy(CUlinkState handle)
{
    EMU_TRY_ENTER(cuLinkDestroy);
    Link *link = emu_handle_get(handle, KIND_LINK);
    if (link == NULL) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    emu_handle_close(link);
    return 0;
}

/* The names before sizes had 64 bits; they never differed otherwise. */

CUresult
cuLinkCreate(unsigned int count, CUjit_option *options, void **values, CUlinkState *out)
{
    EMU_TRY_ENTER(cuLinkCreate);
    return cuLinkCreate_v2(count, options, values, out);
}

CUresult
cuLinkAddData(CUlinkState link, CUjitInputType type, void *data, size_t bytes, const char *name,
              unsigned int count, CUjit_option *options, void **values)
{
    EMU_TRY_ENTER(cuLinkAddData);
    return cuLinkAddData_v2(link, type, data, bytes, name, count, options, values);
}

CUresult
cuLinkAddFile(CUlinkState link, CUjitInputType type, const char *path, unsigned int count,
              CUjit_option *options, void **values)
{
    EMU_TRY_ENTER(cuLinkAddFile);
    return cuLinkAddFile_v2(link, type, path, count, options, values);
}
