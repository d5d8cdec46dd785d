/* Runs a bundle of kernels on a driver library and writes what they computed.
 *
 *   runner LIBRARY BUNDLE HASHES [--raw FILE] [--compare FILE] [--start N] [--level N]
 *   runner LIBRARY BUNDLE FOUND --defined 1
 *
 * LIBRARY is libcuda.so.1 or libgpunp_emu.so, opened with dlopen. HASHES gets one line a case:
 * name, status (a CUresult, 0 = ran), one 64-bit hash for each output buffer. --raw keeps the
 * outputs themselves; --compare reads such a file of another run and prints the first elements that
 * differ. --level asks the driver's compiler for that optimisation level (0 to 4). A fault breaks the
 * context for good on a real device, so the program then replaces itself with a fresh one that goes on
 * behind the faulting case.
 *
 * --defined, on the emulated device: which cases have no defined result, by its own checks for races and
 * for memory that nobody wrote, each buffer an allocation of its own. FOUND gets their names.
 *
 * A bundle is text (the PTX in it counted in bytes):
 *
 *   ptx BYTES                                    the module of the cases that follow
 *   case NAME KERNEL GX,GY,GZ BX,BY,BZ SHARED    one launch; its parameters in order:
 *   in KIND COUNT SEED OPERAND                   a buffer of values made from a seed (fill.h)
 *   out KIND COUNT                               a buffer that starts as 0xA5 and is hashed
 *   io KIND COUNT SEED OPERAND                   both
 *   approx KIND COUNT                            like out; differences are counted in ulp
 *   approxio KIND COUNT SEED OPERAND             the same with a value at the start
 *   val BYTES HEX                                a scalar, little endian
 *   end
 */
#include "fill.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_PARAMS 64
#define ARENA_BYTES ((size_t)192 << 20)
#define GAP 4096
#define SHOWN 6
#define STACK_BYTES 4096
#define PATIENCE 10 /* seconds of one launch */

typedef int (*Entry)();
typedef unsigned long long Address;

enum { CU_INIT, CU_VERSION, CU_DEVICE, CU_NAME, CU_RETAIN, CU_CURRENT, CU_LOAD, CU_UNLOAD,
       CU_FUNCTION, CU_ATTRIBUTE, CU_LIMIT, CU_ALLOC, CU_FREE, CU_TO_DEVICE, CU_TO_HOST, CU_LAUNCH, CU_SYNC, CU_COUNT };
static const char *const entry_names[CU_COUNT] = {
    "cuInit", "cuDriverGetVersion", "cuDeviceGet", "cuDeviceGetName", "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent", "cuModuleLoadDataEx", "cuModuleUnload", "cuModuleGetFunction",
    "cuFuncSetAttribute", "cuCtxSetLimit", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuLaunchKernel",
    "cuCtxSynchronize"};
static Entry cu[CU_COUNT];

typedef struct {
    char role; /* i in, o out, b both, a approximate, v value */
    Kind kind;
    size_t count, bytes, at;
    uint64_t seed, value;
    unsigned operand;
} Param;

typedef struct {
    char name[128], kernel[128];
    unsigned grid[3], block[3], shared;
    Param params[MOST_PARAMS];
    size_t nparams;
} Case;

typedef struct {
    const char *library, *bundle, *hashes, *raw, *golden;
    long start, level, defined;
    char **argv;
} Options;

static Options options;
static Case *running;
static long running_number;
static Address arena;
static unsigned char *host, *expected;
static FILE *hashes, *raw, *golden;
static void *module;
static char *text;
static long differing;

static void
die(const char *what, int code)
{
    fprintf(stderr, "runner: %s (%d)\n", what, code);
    exit(2);
}

static unsigned (*set_checks)(unsigned);
static uint64_t (*findings)(void);

static void
open_checks(void *lib)
{
    *(void **)(void *)&set_checks = dlsym(lib, "cuEmuChecks");
    *(void **)(void *)&findings = dlsym(lib, "cuEmuFindings");
    if (set_checks == NULL || findings == NULL) {
        die("--defined wants the emulated device", 0);
    }
    set_checks(1 + 2 + 32); /* EMU_CHECK_INIT, RACE, CONTINUE */
}

static void
open_library(void)
{
    void *lib = dlopen(options.library, RTLD_NOW | RTLD_LOCAL);
    int code, version, device;
    void *context;
    char name[128];
    if (lib == NULL) {
        die(dlerror(), 0);
    }
    for (int i = 0; i < CU_COUNT; i++) {
        *(void **)(void *)&cu[i] = dlsym(lib, entry_names[i]);
        if (cu[i] == NULL) {
            die(entry_names[i], 0);
        }
    }
    if ((code = cu[CU_INIT](0)) != 0 || (code = cu[CU_DEVICE](&device, 0)) != 0 ||
        (code = cu[CU_RETAIN](&context, device)) != 0 || (code = cu[CU_CURRENT](context)) != 0 ||
        (code = cu[CU_LIMIT](0, (size_t)STACK_BYTES)) != 0 ||
        (code = cu[CU_ALLOC](&arena, ARENA_BYTES)) != 0) {
        die("no device", code);
    }
    cu[CU_VERSION](&version);
    cu[CU_NAME](name, (int)sizeof name, device);
    if (options.start == 0) {
        fprintf(hashes, "# %s, driver %d\n", name, version);
    }
    if (options.defined) {
        open_checks(lib);
    }
    host = malloc(ARENA_BYTES);
    expected = malloc(ARENA_BYTES);
}

/* A context that has seen a fault stays broken: begin again behind the case. */
static void
restart(long next)
{
    char number[32], level[32];
    char *args[16] = {options.argv[0], (char *)options.library, (char *)options.bundle,
                      (char *)options.hashes};
    int n = 4;
    snprintf(number, sizeof number, "%ld", next);
    args[n++] = "--start";
    args[n++] = number;
    snprintf(level, sizeof level, "%ld", options.level);
    args[n++] = "--level";
    args[n++] = level;
    if (options.defined) {
        args[n++] = "--defined";
        args[n++] = "1";
    }
    if (options.raw != NULL) {
        args[n++] = "--raw";
        args[n++] = (char *)options.raw;
    }
    if (options.golden != NULL) {
        args[n++] = "--compare";
        args[n++] = (char *)options.golden;
    }
    fflush(NULL);
    execv("/proc/self/exe", args);
    die("cannot start again", 0);
}

static uint64_t
hash_bytes(const unsigned char *p, size_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15ull ^ n;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t v = 0;
        memcpy(&v, p + i, n - i < 8 ? n - i : 8);
        h = (h ^ v) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return h;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void
read_module(FILE *f, size_t bytes)
{
    static char log[8192];
    /* CU_JIT_ERROR_LOG_BUFFER and its size, CU_JIT_OPTIMIZATION_LEVEL */
    int keys[3] = {5, 6, 7};
    void *values[3] = {log, (void *)sizeof log, (void *)options.level};
    int code;
    if (module != NULL) {
        cu[CU_UNLOAD](module);
        module = NULL;
    }
    text = realloc(text, bytes + 1);
    if (text == NULL || fread(text, 1, bytes, f) != bytes) {
        die("short bundle", 0);
    }
    text[bytes] = '\0';
    log[0] = '\0';
    code = cu[CU_LOAD](&module, text, 2u + (unsigned)(options.level >= 0), keys, values);
    if (code != 0) {
        module = NULL;
        fprintf(stderr, "runner: module of %zu bytes: %d %.600s\n", bytes, code, log);
    }
}

static int
parse_param(const char *line, Param *p)
{
    char role[16], kind[16];
    unsigned long long seed = 0, count = 0;
    unsigned operand = 0;
    memset(p, 0, sizeof *p);
    if (sscanf(line, "val %llu %llx", &count, &seed) == 2) {
        p->role = 'v';
        p->bytes = (size_t)count;
        p->value = seed;
        return 1;
    }
    int n = sscanf(line, "%15s %15s %llu %llu %u", role, kind, &count, &seed, &operand);
    if (n < 3) {
        return 0;
    }
    p->role = strcmp(role, "in") == 0       ? 'i'
              : strcmp(role, "out") == 0    ? 'o'
              : strcmp(role, "io") == 0     ? 'b'
              : strcmp(role, "approx") == 0 ? 'a'
              : strcmp(role, "approxio") == 0 ? 'A'
                                            : 0;
    p->kind = fill_kind(kind);
    p->count = (size_t)count;
    p->bytes = p->count * fill_size(p->kind);
    p->seed = seed;
    p->operand = operand;
    return p->role != 0;
}

static void
parse_case(FILE *f, const char *line, Case *c)
{
    char param[256];
    c->nparams = 0;
    if (sscanf(line, "case %127s %127s %u,%u,%u %u,%u,%u %u", c->name, c->kernel, &c->grid[0],
               &c->grid[1], &c->grid[2], &c->block[0], &c->block[1], &c->block[2],
               &c->shared) != 9) {
        die(line, 0);
    }
    size_t at = 0;
    while (fgets(param, sizeof param, f) != NULL && strncmp(param, "end", 3) != 0) {
        Param *p = &c->params[c->nparams++];
        if (c->nparams > MOST_PARAMS || !parse_param(param, p)) {
            die(param, 0);
        }
        p->at = at;
        at += p->role == 'v' ? 0 : (p->bytes + GAP + 255) & ~(size_t)255;
    }
    if (at > ARENA_BYTES) {
        die(c->name, -1);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* ---- which cases are defined ----------------------------------------------------------------- */

/* One case with a buffer for each parameter: its status, or -1 where the checks found something. */
static int
try_defined(Case *c)
{
    void *args[MOST_PARAMS], *function;
    Address values[MOST_PARAMS] = {0};
    uint64_t before = findings();
    int code = module == NULL ? 218 : cu[CU_FUNCTION](&function, module, c->kernel);
    for (size_t i = 0; i < c->nparams && code == 0; i++) {
        Param *p = &c->params[i];
        args[i] = &values[i];
        values[i] = p->value;
        if (p->role == 'v') {
            continue;
        }
        code = cu[CU_ALLOC](&values[i], p->bytes > 0 ? p->bytes : 1);
        if (p->role != 'o' && p->role != 'a' && code == 0) {
            fill_values(host, p->kind, p->count, p->seed, p->operand);
            code = cu[CU_TO_DEVICE](values[i], host, p->bytes);
        }
    }
    if (code == 0 && c->shared > 48 * 1024) {
        cu[CU_ATTRIBUTE](function, 8, (int)c->shared);
    }
    if (code == 0) {
        code = cu[CU_LAUNCH](function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                             c->block[2], c->shared, (void *)0, args, (void **)0);
    }
    code = code == 0 ? cu[CU_SYNC]() : code;
    for (size_t i = 0; i < c->nparams && code == 0; i++) {
        if (c->params[i].role != 'v') {
            cu[CU_FREE](values[i]);
        }
    }
    return code != 0 ? code : findings() != before ? -1 : 0;
}

static size_t
prepare(Case *c, void **args, Address *values)
{
    size_t used = 0;
    for (size_t i = 0; i < c->nparams; i++) {
        Param *p = &c->params[i];
        args[i] = &values[i];
        values[i] = p->value;
        if (p->role == 'v') {
            continue;
        }
        values[i] = arena + p->at;
        memset(host + p->at, 0xA5, p->bytes + GAP);
        used = p->at + p->bytes + GAP;
        if (p->role != 'o' && p->role != 'a') {
            fill_values(host + p->at, p->kind, p->count, p->seed, p->operand);
        }
    }
    return used;
}

static int
launch(Case *c, size_t *used)
{
    void *args[MOST_PARAMS], *function;
    Address values[MOST_PARAMS];
    int code;
    *used = prepare(c, args, values);
    if (module == NULL) {
        return 218; /* CUDA_ERROR_INVALID_PTX, or whatever the load said */
    }
    code = cu[CU_FUNCTION](&function, module, c->kernel);
    if (code != 0) {
        return code;
    }
    if (c->shared > 48 * 1024) {
        cu[CU_ATTRIBUTE](function, 8, (int)c->shared);
    }
    if ((code = cu[CU_TO_DEVICE](arena, host, *used)) != 0 ||
        (code = cu[CU_LAUNCH](function, c->grid[0], c->grid[1], c->grid[2], c->block[0],
                              c->block[1], c->block[2], c->shared, (void *)0, args,
                              (void **)0)) != 0 ||
        (code = cu[CU_SYNC]()) != 0) {
        return code;
    }
    return cu[CU_TO_HOST](host, arena, *used);
}

static void
print_inputs(Case *c, const Param *out, size_t i)
{
    for (size_t k = 0; k < c->nparams; k++) {
        Param *p = &c->params[k];
        if ((p->role == 'i' || p->role == 'b') && p->count == out->count) {
            uint64_t v = fill_value(p->kind, p->seed, p->operand, i);
            printf(" %0*llx", (int)(2 * fill_size(p->kind)), (unsigned long long)v);
        }
    }
}

/* Results of approximate instructions. */
static int
is_close(const Param *p)
{
    return p->role == 'a' || p->role == 'A';
}

static void
compare(Case *c, const Param *p)
{
    const unsigned char *a = expected + p->at, *b = host + p->at;
    size_t size = fill_size(p->kind), wrong = 0, worst_at = 0;
    uint64_t worst = 0;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t x = 0, y = 0;
        memcpy(&x, a + i * size, size);
        memcpy(&y, b + i * size, size);
        if (x == y) {
            continue;
        }
        uint64_t ulp = is_close(p) ? fill_distance(p->kind, x, y) : 0;
        if (wrong == 0 || ulp > worst) {
            worst = ulp;
            worst_at = i;
        }
        if (wrong++ < SHOWN && !is_close(p)) {
            printf("%s p%d [%zu] want %0*llx got %0*llx of", c->name, (int)(p - c->params), i,
                   (int)(2 * size), (unsigned long long)x, (int)(2 * size), (unsigned long long)y);
            print_inputs(c, p, i);
            printf("\n");
        }
    }
    if (wrong != 0) {
        differing += !is_close(p);
        printf("%s p%d: %zu of %zu differ", c->name, (int)(p - c->params), wrong, p->count);
        if (is_close(p)) {
            printf(", at most %llu ulp, at", (unsigned long long)worst);
            print_inputs(c, p, worst_at);
        }
        printf("\n");
    }
}

static int
is_result(const Param *p)
{
    return p->role != 'i' && p->role != 'v';
}

/* Raw files: a status, then the outputs of a case that ran. */
static void
record(Case *c, int status)
{
    int32_t other = 0;
    if (raw != NULL) {
        int32_t s = status;
        fwrite(&s, sizeof s, 1, raw);
    }
    if (golden != NULL && fread(&other, sizeof other, 1, golden) != 1) {
        die("the file to compare with is short", 0);
    }
    if (golden != NULL && other != status) {
        differing++;
        printf("%s: want status %d, got %d\n", c->name, other, status);
    }
    fprintf(hashes, "%s %d", c->name, status);
    for (size_t i = 0; i < c->nparams; i++) {
        Param *p = &c->params[i];
        if (!is_result(p)) {
            continue;
        }
        if (status == 0) {
            fprintf(hashes, " %016llx", (unsigned long long)hash_bytes(host + p->at, p->bytes));
            if (raw != NULL) {
                fwrite(host + p->at, 1, p->bytes, raw);
            }
        }
        if (golden != NULL && other == 0) {
            if (fread(expected + p->at, 1, p->bytes, golden) != p->bytes) {
                die("the file to compare with is short", 1);
            }
            if (status == 0) {
                compare(c, p);
            }
        }
    }
    fprintf(hashes, "\n");
    fflush(hashes);
}

/* Skips in the golden file what an earlier incarnation has compared. */
static void
skip_golden(Case *c)
{
    int32_t other;
    if (golden == NULL || fread(&other, sizeof other, 1, golden) != 1 || other != 0) {
        return;
    }
    for (size_t i = 0; i < c->nparams; i++) {
        if (is_result(&c->params[i])) {
            fseek(golden, (long)c->params[i].bytes, SEEK_CUR);
        }
    }
}

/* A launch that does not end: 702 (LAUNCH_TIMEOUT), and on behind it. */
static void
too_long(int signal_number)
{
    (void)signal_number;
    fprintf(stderr, "runner: %s does not end\n", running->name);
    record(running, 702);
    restart(running_number);
}

static long
run_bundle(FILE *f)
{
    static Case c;
    char line[512];
    unsigned long long bytes;
    size_t used;
    long n = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "ptx %llu", &bytes) == 1) {
            read_module(f, (size_t)bytes);
            continue;
        }
        if (strncmp(line, "case", 4) != 0) {
            continue;
        }
        parse_case(f, line, &c);
        if (n++ < options.start) {
            skip_golden(&c);
            continue;
        }
        running = &c;
        running_number = n;
        if (options.defined) {
            int found = try_defined(&c);
            if (found != 0) {
                fprintf(hashes, "%s %d\n", c.name, found);
            }
            if (found > 0 && cu[CU_SYNC]() != 0) {
                restart(n);
            }
            continue;
        }
        alarm(PATIENCE);
        int status = launch(&c, &used);
        alarm(0);
        record(&c, status);
        if (status != 0 && cu[CU_SYNC]() != 0) {
            restart(n);
        }
    }
    return n;
}

static void
read_options(int argc, char **argv)
{
    if (argc < 4) {
        die("usage: runner LIBRARY BUNDLE HASHES [--raw F] [--compare F] [--start N] [--level N]", 0);
    }
    options = (Options){.library = argv[1], .bundle = argv[2], .hashes = argv[3], .level = -1, .argv = argv};
    for (int i = 4; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--raw") == 0) {
            options.raw = argv[i + 1];
        }
        else if (strcmp(argv[i], "--compare") == 0) {
            options.golden = argv[i + 1];
        }
        else if (strcmp(argv[i], "--start") == 0) {
            options.start = atol(argv[i + 1]);
        }
        else if (strcmp(argv[i], "--defined") == 0) {
            options.defined = atol(argv[i + 1]);
        }
        else if (strcmp(argv[i], "--level") == 0) {
            options.level = atol(argv[i + 1]);
        }
        else {
            die(argv[i], 0);
        }
    }
}

int
main(int argc, char **argv)
{
    read_options(argc, argv);
    const char *how = options.start > 0 ? "ab" : "wb";
    FILE *f = fopen(options.bundle, "rb");
    hashes = fopen(options.hashes, how);
    raw = options.raw != NULL ? fopen(options.raw, how) : NULL;
    golden = options.golden != NULL ? fopen(options.golden, "rb") : NULL;
    if (f == NULL || hashes == NULL || (options.raw != NULL && raw == NULL) ||
        (options.golden != NULL && golden == NULL)) {
        die("cannot open a file", 0);
    }
    open_library();
    struct sigaction action = {.sa_handler = too_long, .sa_flags = SA_NODEFER};
    sigaction(SIGALRM, &action, NULL);
    long n = run_bundle(f);
    fclose(hashes);
    if (raw != NULL) {
        fclose(raw);
    }
    printf("%s: %ld cases%s", options.bundle, n, golden == NULL ? "\n" : "");
    if (golden != NULL) {
        printf(", %ld differing outputs\n", differing);
    }
    return 0;
}
