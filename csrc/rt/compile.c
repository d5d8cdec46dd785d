/* From CUDA C++ to a cubin or PTX: NVRTC, with kernel packs and the disk cache in front of it.
 *
 * Headers come from memory, never from the file system, so the cache's key covers every byte that
 * the result depends on. No Python API is called here.
 *
 * kernel.c (our kernels and the user's expressions) and module.c (RawKernel and RawModule) call
 * gnp_compile(), without the GIL and from any thread. NVRTC serialises compilations where it must;
 * nothing here is locked but the list of headers, which is made once. The end of the process waits
 * for compilations.
 */
#include "rt/internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef GNP_VERSION
#define GNP_VERSION "0"
#endif

#define MAX_HEADERS 512
#define MAX_ASKED 12
#define OWN_OPTIONS (4 + MAX_ASKED) /* at most so many beside the request's own */
#define NVRTC_PATIENCE 5            /* seconds at the end of a process */
#define KEPT_BYTES (16 << 20)       /* a limit of 32 MB */

/* ---- sources --------------------------------------------------------------------------------- */

static pthread_once_t sources_once = PTHREAD_ONCE_INIT;
static const char *header_names[MAX_HEADERS], *header_texts[MAX_HEADERS];
/* Those of special functions come last and are given to NVRTC only where a source names one. */
static int nheaders, nplain;
static uint64_t header_hash[2][2];   /* of names and texts: the plain ones; all */
static const char *asked[MAX_ASKED]; /* the words of GPUNP_NVRTC_OPTIONS */
static int nasked;

/* NULL where the file does not exist, which is usual: GPUNP_KERNELS may hold only the edited
 * ones. */
static char *
read_text(const char *dir, const char *name)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    GnpText text = {0};
    char buffer[4096];
    size_t n;
    while (file != NULL && (n = fread(buffer, 1, sizeof buffer, file)) > 0) {
        gnp_text_add_bytes(&text, buffer, n);
    }
    if (file == NULL || text.failed) {
        gnp_text_clear(&text);
    }
    if (file != NULL) {
        fclose(file);
    }
    return text.text;
}

/* The text of an embedded file, or that of the same name in GPUNP_KERNELS. Both are never freed.
 * The disk is read again for each kernel, so an edit takes effect without a restart; headers are
 * read once per process. */
static const char *
current_text(const GnpEmbeddedFile *file)
{
    const char *dir = gnp_env(GNP_ENV_KERNELS);
    const char *edited = *dir != '\0' ? read_text(dir, file->name) : NULL;
    return edited != NULL ? edited : file->text;
}

static int
has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* The name a header is included by: std/stdint.h.cuh is <stdint.h>, cupy/name.h.cuh is
 * <cupy/name.h>. Programs may include those of the C and C++ libraries, of which NVRTC has none,
 * and CuPy's. */
static const char *
include_name(const char *name)
{
    int is_std = strncmp(name, "std/", 4) == 0;
    if (!is_std && !has_suffix(name, ".h.cuh")) {
        return name;
    }
    char *plain = strdup(is_std ? name + 4 : name); /* never freed, like the whole list */
    if (plain != NULL) {
        plain[strlen(plain) - strlen(".cuh")] = '\0';
    }
    return plain != NULL ? plain : name;
}

/* Special functions, and distributions, which are made of them. */
static int
is_special(const char *name)
{
    return strncmp(name, "special/", 8) == 0 || strncmp(name, "stats/", 6) == 0;
}

static void
collect_asked(void)
{
    char *rest = NULL, *copy = strdup(gnp_env(GNP_ENV_NVRTC_OPTIONS)); /* never freed */
    char *word = copy != NULL ? strtok_r(copy, " ", &rest) : NULL;
    for (; word != NULL && nasked < MAX_ASKED; word = strtok_r(NULL, " ", &rest)) {
        asked[nasked++] = word;
    }
}

/* Runs under pthread_once. The hash covers names and texts, so after an edit of a header the
 * entries of the disk cache are misses: which kernel includes which header is not tracked. */
static void
collect_headers(void)
{
    collect_asked();
    for (int special = 0; special < 2; special++) {
        for (const GnpEmbeddedFile *f = gnp_embedded_files; f->name != NULL; f++) {
            if (has_suffix(f->name, ".cuh") && is_special(f->name) == special &&
                nheaders < MAX_HEADERS - 1) { /* setup.py sees to it that all fit */
                header_names[nheaders] = include_name(f->name);
                header_texts[nheaders++] = current_text(f);
            }
        }
        nplain = special ? nplain : nheaders;
    }
    for (int half = 0; half < 2; half++) {
        uint64_t h = (uint64_t)half + 1;
        for (int i = 0; i < nheaders; i++) {
            h = gnp_hash64(header_names[i], strlen(header_names[i]), h);
            h = gnp_hash64(header_texts[i], strlen(header_texts[i]), h);
            header_hash[i >= nplain][half] = h;
        }
    }
}

/* Kernels are known by the name of their file, in whichever folder of kernels/ it stands. */
const char *
gnp_source_text(const char *name)
{
    for (const GnpEmbeddedFile *f = gnp_embedded_files; f->name != NULL; f++) {
        const char *folder_end = strrchr(f->name, '/');
        if (strcmp(folder_end != NULL ? folder_end + 1 : f->name, name) == 0) {
            return current_text(f);
        }
    }
    return NULL;
}

/* Headers are known by their whole path; name.h is name.h.cuh. */
int
gnp_is_own_header(const char *name)
{
    size_t n = strlen(name);
    const char *more = has_suffix(name, ".h") ? ".cuh" : "";
    for (const GnpEmbeddedFile *f = gnp_embedded_files; f->name != NULL; f++) {
        if (strncmp(f->name, name, n) == 0 && strcmp(f->name + n, more) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- options --------------------------------------------------------------------------------- */

/* The architecture to compile for: the device's own, or the newest below it that NVRTC supports.
 * Code for a newer architecture than NVRTC knows is compiled as PTX of the newest it does know; the
 * driver translates it when it is loaded (makes_cubin below is then 0). */
static int
choose_arch(const GnpNvrtc *nvrtc, int cc)
{
    int n = 0, archs[128], best = 0;
    if (nvrtc->api.nvrtcGetNumSupportedArchs(&n) != 0 || n <= 0 || n > 128 ||
        nvrtc->api.nvrtcGetSupportedArchs(archs) != 0) {
        return cc;
    }
    for (int i = 0; i < n; i++) {
        if (archs[i] <= cc && archs[i] > best) {
            best = archs[i];
        }
    }
    return best != 0 ? best : cc;
}

typedef struct {
    const char **list; /* malloc; room for OWN_OPTIONS more than the request has */
    int n;
    char arch[48];
} Options;

/* NVRTC 12.0 rejects an option that is given twice. */
static int
asks_for_lines(const GnpCompileRequest *request)
{
    for (int i = 0; i < request->noptions; i++) {
        const char *option = request->options[i];
        if (strcmp(option, "-lineinfo") == 0 || strcmp(option, "--generate-line-info") == 0) {
            return 1;
        }
    }
    return 0;
}

/* A cubin spares the driver's translation, which takes longer than NVRTC itself, and runs on this
 * architecture only. The emulated device executes PTX. */
static GnpTarget
choose_target(const GnpNvrtc *nvrtc, const GnpCompileRequest *request)
{
    const int arch = choose_arch(nvrtc, request->cc);
    return (GnpTarget){.major = nvrtc->major,
                       .minor = nvrtc->minor,
                       .arch = arch,
                       .makes_cubin = !request->is_emulated && arch == request->cc};
}

static int
names_special(const char *text)
{
    return strstr(text, "special/") != NULL || strstr(text, "stats/") != NULL;
}

static int
uses_special(const GnpCompileRequest *request)
{
    return names_special(request->source) ||
           (request->extra_text != NULL && names_special(request->extra_text));
}

/* 0, or -1 without memory. */
static int
choose_options(const GnpTarget *target, const GnpCompileRequest *request, Options *options)
{
    options->n = 0;
    options->list = malloc(((size_t)request->noptions + OWN_OPTIONS) * sizeof *options->list);
    if (options->list == NULL) {
        return -1;
    }
    snprintf(options->arch, sizeof options->arch, "--gpu-architecture=%s_%d",
             target->makes_cubin ? "sm" : "compute", target->arch);
    options->list[options->n++] = options->arch;
    if (target->major > 12 || target->minor >= 9) {
        options->list[options->n++] = "-no-cache"; /* NVRTC's own cache on disk */
    }
    if (request->is_emulated && !asks_for_lines(request)) {
        options->list[options->n++] = "-lineinfo"; /* faults name the line of the source */
    }
    if (target->makes_cubin && uses_special(request) &&
        (target->major > 12 || target->minor >= 9)) {
        /* Long code in many functions, of which the assembler's passes are most of the time: they
         * run on several cores. */
        options->list[options->n++] = "-Xptxas=--split-compile=8";
    }
    for (int i = 0; i < request->noptions; i++) {
        const char *option = request->options[i];
        if (strcmp(option, "--minimal") == 0 && target->major == 12 && target->minor < 4) {
            continue; /* unknown to older versions, and only a matter of speed */
        }
        options->list[options->n++] = option;
    }
    for (int i = 0; i < nasked; i++) {
        options->list[options->n++] = asked[i];
    }
    return 0;
}

/* ---- the key --------------------------------------------------------------------------------- */

/* Version of the stored form, see unpack: part of the key, so that older forms are misses. The
 * prefix of the key; changing the layout below means changing this text. */
#define STORED_FORM "names, log, image"

/* Everything that the image depends on, as text in a fixed order, with lengths before parts that
 * may contain newlines; gpunp/_pack.py reads it. The driver's version is not part: cubins and PTX
 * load in any driver that supports the architecture. */
static void
make_key(const GnpTarget *target, const GnpCompileRequest *request, const Options *options,
         GnpText *key)
{
    gnp_text_add(key, STORED_FORM "\ngpunp %s\nnvrtc %d.%d\nheaders %016llx%016llx\n", GNP_VERSION,
                 target->major, target->minor,
                 (unsigned long long)header_hash[uses_special(request)][0],
                 (unsigned long long)header_hash[uses_special(request)][1]);
    for (int i = 0; i < options->n; i++) {
        gnp_text_add(key, "option %s\n", options->list[i]);
    }
    for (int i = 0; i < request->nnames; i++) {
        gnp_text_add(key, "name %s\n", request->names[i]);
    }
    gnp_text_add(key, "file %s\n", request->file_name);
    if (request->extra_text != NULL) {
        gnp_text_add(key, "header %s %zu\n%s\n", request->extra_name, strlen(request->extra_text),
                     request->extra_text);
    }
    gnp_text_add(key, "source %zu\n%s", strlen(request->source), request->source);
}

void
gnp_compile_key(const GnpTarget *target, const GnpCompileRequest *request, GnpText *key)
{
    Options options = {.list = NULL};
    (void)pthread_once(&sources_once, collect_headers);
    if (choose_options(target, request, &options) == 0) {
        make_key(target, request, &options, key);
    }
    else {
        key->failed = 1;
    }
    free(options.list);
}

void
gnp_compile_origin(GnpText *out)
{
    (void)pthread_once(&sources_once, collect_headers);
    gnp_text_add(out, "gpunp %s, headers %016llx%016llx", GNP_VERSION,
                 (unsigned long long)header_hash[1][0], (unsigned long long)header_hash[1][1]);
}

/* The stored form: each lowered name with its NUL, the log with its NUL, the image. */

/* The text at *p, which moves behind its NUL; NULL where there is none. */
static const char *
take_text(const char **p, const char *end)
{
    const char *text = *p;
    size_t n = strnlen(text, (size_t)(end - text));
    if (text + n == end) {
        return NULL;
    }
    *p = text + n + 1;
    return text;
}

/* Called for data whose checksum was right; the bounds are checked all the same, since a wrong
 * STORED_FORM would otherwise read beyond the end. */
static int
unpack(const GnpBytes *stored, int nnames, GnpCompiled *out)
{
    const char *p = stored->data, *end = stored->data + stored->bytes, *text;
    out->lowered = calloc((size_t)nnames + 1, sizeof *out->lowered);
    if (out->lowered == NULL) {
        return -1;
    }
    for (int i = 0; i < nnames; i++) {
        text = take_text(&p, end);
        if (text == NULL || (out->lowered[i] = strdup(text)) == NULL) {
            return -1;
        }
        out->nnames = i + 1;
    }
    text = take_text(&p, end);
    if (text == NULL || p >= end) {
        return -1;
    }
    gnp_text_add_bytes(&out->log, text, strlen(text));
    out->image.bytes = (size_t)(end - p);
    out->image.data = malloc(out->image.bytes);
    if (out->image.data == NULL || out->log.failed) {
        return -1;
    }
    memcpy(out->image.data, p, out->image.bytes);
    return 0;
}

/* The log is stored too: warnings of a user's kernel are shown on every run, not only on the
 * first. */
static void
pack(const GnpCompiled *compiled, GnpText *out)
{
    for (int i = 0; i < compiled->nnames; i++) {
        gnp_text_add_bytes(out, compiled->lowered[i], strlen(compiled->lowered[i]) + 1);
    }
    gnp_text_add_bytes(out, compiled->log.used > 0 ? compiled->log.text : "", compiled->log.used);
    gnp_text_add_bytes(out, "", 1);
    gnp_text_add_bytes(out, compiled->image.data, compiled->image.bytes);
}

static void
store(const GnpText *key, const GnpCompiled *compiled)
{
    GnpText packed = {0};
    pack(compiled, &packed);
    if (!packed.failed) {
        gnp_cache_store(key->text, key->used, packed.text, packed.used);
    }
    gnp_text_clear(&packed);
}

/* ---- NVRTC ----------------------------------------------------------------------------------- */

/* The source with line numbers, to be read beside the log. At most 400 lines: an exception with a
 * whole generated source helps nobody. */
static void
add_numbered(GnpText *out, const char *title, const char *source)
{
    gnp_text_add(out, "\n%s:\n", title);
    int line = 1;
    for (const char *p = source; *p != '\0' && line <= 400; line++) {
        size_t n = strcspn(p, "\n");
        gnp_text_add(out, "%4d  %.*s\n", line, (int)n, p);
        p += n + (p[n] == '\n');
    }
}

/* NVRTC counts the NUL, so a size of 1 is an empty log. */
static void
add_log(const GnpNvrtc *nvrtc, nvrtcProgram program, GnpText *out)
{
    size_t bytes = 0;
    if (nvrtc->api.nvrtcGetProgramLogSize(program, &bytes) != 0 || bytes <= 1) {
        return;
    }
    char *log = malloc(bytes + 1);
    if (log != NULL && nvrtc->api.nvrtcGetProgramLog(program, log) == 0) {
        gnp_text_add(out, "%.*s", (int)bytes, log);
    }
    free(log);
}

/* One byte more than asked for, so that PTX ends with NUL in any case: the driver takes it as a C
 * string, without a length. */
static int
get_image(const GnpNvrtc *nvrtc, nvrtcProgram program, int cubin, GnpBytes *image)
{
    nvrtcResult code = cubin ? nvrtc->api.nvrtcGetCUBINSize(program, &image->bytes)
                             : nvrtc->api.nvrtcGetPTXSize(program, &image->bytes);
    if (code != 0 || image->bytes == 0) {
        return -1;
    }
    image->data = calloc(1, image->bytes + 1);
    if (image->data == NULL) {
        return -1;
    }
    code = cubin ? nvrtc->api.nvrtcGetCUBIN(program, image->data)
                 : nvrtc->api.nvrtcGetPTX(program, image->data);
    return code == 0 ? 0 : -1;
}

/* NVRTC owns the names it returns; they die with the program, hence the copies. */
static int
get_lowered(const GnpNvrtc *nvrtc, nvrtcProgram program, const GnpCompileRequest *request,
            GnpCompiled *out)
{
    out->lowered = calloc((size_t)request->nnames + 1, sizeof *out->lowered);
    for (int i = 0; out->lowered != NULL && i < request->nnames; i++) {
        const char *lowered = NULL;
        if (nvrtc->api.nvrtcGetLoweredName(program, request->names[i], &lowered) != 0 ||
            (out->lowered[i] = strdup(lowered)) == NULL) {
            gnp_text_add(&out->error, "no name for the expression %s", request->names[i]);
            return -1;
        }
        out->nnames = i + 1;
    }
    return out->lowered != NULL ? 0 : -1;
}

/* Whether a folder on the user's search path has a header of the same name as one of ours: then the
 * user's is taken. */
static int
is_in_a_folder(const GnpCompileRequest *request, const char *name)
{
    char path[4300];
    for (int i = 0; i < request->noptions; i++) {
        const char *option = request->options[i], *folder = NULL;
        if (strncmp(option, "--include-path=", 15) == 0) {
            folder = option + 15;
        }
        else if (strncmp(option, "-I", 2) == 0) {
            folder = option[2] != '\0'           ? option + 2
                     : i + 1 < request->noptions ? request->options[i + 1]
                                                 : NULL;
        }
        if (folder != NULL) {
            snprintf(path, sizeof path, "%s/%s", folder, name);
            if (access(path, R_OK) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

/* The headers of a program; those of the C library are always ours, as NVRTC cannot read the
 * system's. A kernel without special functions does not get their headers: NVRTC reads each it is
 * given, which is measurable when a kernel compiles in 25 ms. */
static int
choose_headers(const GnpCompileRequest *request, const char **names, const char **texts)
{
    int n = 0;
    for (int i = 0; i < (uses_special(request) ? nheaders : nplain); i++) {
        if (!has_suffix(header_names[i], ".cuh") || !is_in_a_folder(request, header_names[i])) {
            names[n] = header_names[i];
            texts[n++] = header_texts[i];
        }
    }
    if (request->extra_text != NULL) {
        names[n] = request->extra_name;
        texts[n++] = request->extra_text;
    }
    return n;
}

static int
compile_source(const GnpNvrtc *nvrtc, const GnpCompileRequest *request, const Options *options,
               int makes_cubin, GnpCompiled *out)
{
    const char *names[MAX_HEADERS], *texts[MAX_HEADERS];
    nvrtcProgram program = NULL;
    int n = choose_headers(request, names, texts), ret = -1;
    nvrtcResult code = nvrtc->api.nvrtcCreateProgram(&program, request->source, request->file_name,
                                                     n, texts, names);
    for (int i = 0; code == 0 && i < request->nnames; i++) {
        code = nvrtc->api.nvrtcAddNameExpression(program, request->names[i]);
    }
    if (code == 0) {
        code = nvrtc->api.nvrtcCompileProgram(program, options->n, options->list);
    }
    if (code != 0) {
        gnp_text_add(&out->error, "NVRTC %d.%d could not compile %s: %s\n", nvrtc->major,
                     nvrtc->minor,
                     request->shown != NULL ? request->shown_title : request->file_name,
                     gnp_cuda_nvrtc_error_name(code));
        if (program != NULL) {
            add_log(nvrtc, program, &out->error);
        }
        if (request->shown != NULL) {
            add_numbered(&out->error, request->shown_title, request->shown);
        }
        else {
            add_numbered(&out->error, request->file_name, request->source);
        }
        if (request->shown == NULL && request->extra_text != NULL) {
            add_numbered(&out->error, request->extra_name, request->extra_text);
        }
        out->is_user_error = 1;
    }
    else if (get_image(nvrtc, program, makes_cubin, &out->image) != 0) {
        gnp_text_add(&out->error, "NVRTC %d.%d gave no code for %s", nvrtc->major, nvrtc->minor,
                     request->file_name);
    }
    else {
        add_log(nvrtc, program, &out->log);
        ret = get_lowered(nvrtc, program, request, out);
    }
    if (program != NULL) {
        nvrtc->api.nvrtcDestroyProgram(&program);
    }
    return ret;
}

/* ---- dumping --------------------------------------------------------------------------------- */

static void
dump_file(const char *dir, const char *name, const void *data, size_t bytes)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "wb");
    if (file != NULL) {
        (void)fwrite(data, 1, bytes, file);
        fclose(file);
    }
}

/* GPUNP_DUMP: one folder per kernel with what went into it and what came out. Failing to write is
 * ignored: dumping is for debugging and must not change what the program does. */
static void
dump(const char *root, const GnpCompileRequest *request, const GnpText *key,
     const GnpCompiled *compiled, int cubin)
{
    char dir[4200], base[256];
    const char *slash = strrchr(request->file_name, '/');
    snprintf(base, sizeof base, "%s", slash != NULL ? slash + 1 : request->file_name);
    base[strcspn(base, ".")] = '\0';
    snprintf(dir, sizeof dir, "%.3800s/%s-%016llx", root, base,
             (unsigned long long)gnp_hash64(key->text, key->used, 1));
    (void)mkdir(root, 0700);
    if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
        return;
    }
    dump_file(dir, "kernel.cu", request->source, strlen(request->source));
    if (request->extra_text != NULL) {
        dump_file(dir, "knobs.cuh", request->extra_text, strlen(request->extra_text));
    }
    dump_file(dir, "key", key->text, key->used);
    if (compiled->image.data != NULL) {
        dump_file(dir, cubin ? "cubin" : "ptx", compiled->image.data, compiled->image.bytes);
    }
    if (compiled->error.text != NULL) {
        dump_file(dir, "log", compiled->error.text, compiled->error.used);
    }
}

/* ---- compiling ------------------------------------------------------------------------------- */

void
gnp_compiled_clear(GnpCompiled *compiled)
{
    for (int i = 0; i < compiled->nnames; i++) {
        free(compiled->lowered[i]);
    }
    free(compiled->lowered);
    free(compiled->image.data);
    gnp_text_clear(&compiled->error);
    gnp_text_clear(&compiled->log);
    memset(compiled, 0, sizeof *compiled);
}

double
gnp_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* 0 when `stored` was right; it is freed in any case. */
static int
take_stored(GnpBytes *stored, const GnpCompileRequest *request, GnpCompiled *out)
{
    const int status = unpack(stored, request->nnames, out);
    free(stored->data);
    if (status != 0) {
        gnp_compiled_clear(out);
    }
    out->was_stored = status == 0;
    return status;
}

/* A daemon thread may be within NVRTC when the process ends, whose exit handlers free what it uses.
 * The wait has a limit: a thread that calls exit() may be there itself. */
static pthread_rwlock_t in_nvrtc = PTHREAD_RWLOCK_INITIALIZER;

void
gnp_compile_wait(void)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += NVRTC_PATIENCE;
    if (!gnp_forked && pthread_rwlock_timedwrlock(&in_nvrtc, &until) == 0) {
        (void)pthread_rwlock_unlock(&in_nvrtc);
    }
}

static void
wait_at_exit(void)
{
    (void)atexit(gnp_compile_wait);
}

/* NVRTC frees some 8 MB after each compilation. By default glibc gives all but 128 KiB back to the
 * system, and the next one spends a tenth of its time on page faults. Freeing a large block, as any
 * large NumPy array does, raises that limit to twice the block's size; no page of it is touched. */
static void
keep_memory(void)
{
    void *volatile block = malloc(KEPT_BYTES);
    free(block);
}

static void
prepare(void)
{
    keep_memory();
    wait_at_exit();
}

/* Exit handlers run in reverse order: the wait comes before those that NVRTC registered when it was
 * loaded, and before those of its first compilation, for which exit.c waits if it is not over. */
static int
run_nvrtc(const GnpNvrtc *nvrtc, const GnpCompileRequest *request, const Options *options,
          int makes_cubin, GnpCompiled *out)
{
    static pthread_once_t before = PTHREAD_ONCE_INIT, after = PTHREAD_ONCE_INIT;
    (void)pthread_once(&before, prepare);
    (void)pthread_rwlock_rdlock(&in_nvrtc);
    const int status = compile_source(nvrtc, request, options, makes_cubin, out);
    (void)pthread_once(&after, wait_at_exit);
    (void)pthread_rwlock_unlock(&in_nvrtc);
    return status;
}

/* An entry that does not unpack is compiled again and replaced. */
static int
compile_or_load(const GnpNvrtc *nvrtc, const GnpTarget *target, const GnpCompileRequest *request,
                GnpText *key, GnpCompiled *out)
{
    GnpBytes stored = {NULL, 0};
    Options options = {.list = NULL};
    int status = choose_options(target, request, &options);
    if (status == 0) {
        make_key(target, request, &options, key);
        status = key->failed ? -1 : 0;
    }
    if (status == 0 && request->may_be_stored &&
        gnp_cache_load(key->text, key->used, &stored) == 0 &&
        take_stored(&stored, request, out) == 0) {
        free(options.list);
        return 0;
    }
    if (status == 0) {
        status = run_nvrtc(nvrtc, request, &options, target->makes_cubin, out);
    }
    if (status == 0 && request->may_be_stored) {
        store(key, out);
    }
    free(options.list);
    return status;
}

/* From a pack, which needs no compiler, or from the cache, or compiled. On failure `out->error` has
 * a text for an exception, whatever went wrong; the caller clears `out` in both cases. */
int
gnp_compile(const GnpCompileRequest *request, GnpCompiled *out)
{
    GnpBytes stored = {NULL, 0};
    GnpText key = {0};
    GnpTarget target = {.makes_cubin = !request->is_emulated};
    int status = 0;
    const double begin = gnp_seconds();
    memset(out, 0, sizeof *out);
    out->was_packed = request->may_be_stored && !request->without_packs &&
                      gnp_pack_load(request, &stored) == 0 &&
                      take_stored(&stored, request, out) == 0;
    if (!out->was_packed) {
        const GnpNvrtc *nvrtc = gnp_cuda_nvrtc();
        if (nvrtc == NULL) {
            gnp_text_add(&out->error, "%s", gnp_cuda_error_text());
            return -1;
        }
        (void)pthread_once(&sources_once, collect_headers);
        target = choose_target(nvrtc, request);
        status = compile_or_load(nvrtc, &target, request, &key, out);
    }
    const char *dump_dir = gnp_env(GNP_ENV_DUMP);
    if (*dump_dir != '\0' && !key.failed) {
        dump(dump_dir, request, &key, out, target.makes_cubin);
    }
    gnp_log(3, "%s %s%s: %.1f ms, %zu bytes", out->was_stored ? "loaded" : "compiled",
            request->file_name, out->was_packed ? " from a pack" : "",
            (gnp_seconds() - begin) * 1e3, out->image.bytes);
    /* Only compilations that the next run avoids count for the notice about compiling
     * (notice.c). */
    out->seconds = out->was_stored || !request->may_be_stored ? 0 : gnp_seconds() - begin;
    if (request->extra_text != NULL) {
        gnp_log(4, "%s\n%s", request->extra_name, request->extra_text);
    }
    if (status != 0 && out->error.text == NULL) {
        gnp_text_add(&out->error, "out of host memory while compiling %s", request->file_name);
    }
    gnp_text_clear(&key);
    return status;
}

int
gnp_compile_for(GnpTarget *target, const GnpCompileRequest *request, GnpText *key, GnpText *stored,
                GnpCompiled *out)
{
    memset(out, 0, sizeof *out);
    const GnpNvrtc *nvrtc = gnp_cuda_nvrtc();
    if (nvrtc == NULL) {
        gnp_text_add(&out->error, "%s", gnp_cuda_error_text());
        return -1;
    }
    (void)pthread_once(&sources_once, collect_headers);
    target->major = nvrtc->major;
    target->minor = nvrtc->minor;
    const int status = compile_or_load(nvrtc, target, request, key, out);
    if (status == 0) {
        pack(out, stored);
    }
    return status;
}
