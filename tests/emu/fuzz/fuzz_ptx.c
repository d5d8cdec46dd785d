/* Feeds changed PTX texts and fatbins to the machine half: what loads is decoded, and what decodes
 * is run under a bound. Nothing may read or write where it should not, whatever the text says.
 *
 * Built with clang's -fsanitize=fuzzer it is led by coverage; with -DFUZZ_MAIN it stands alone:
 *
 *     fuzz_ptx RUNS SEED FILE...
 *
 * changes the files RUNS times by the same mutator. Either way an input is reproduced by giving it
 * to the program; FUZZ_WORDS=1 prints what became of it. The stub of the machine's tests stands in
 * for the driver, without padding, so that the address sanitizer sees where memory ends. */
#include "../machine/stub.c"
#include "emu/exec/exec.h"

enum {
    MEMORY_LIMIT = 1 << 20, /* of one variable or allocation */
    LAUNCHES = 3, /* entries run of each text */
    SHARED_LIMIT = 1 << 16,
    LOCAL_LIMIT = 1 << 16,
    BUFFER_BYTES = 4096,
    MAX_TEXT = 1 << 16
};

/* ---- one execution --------------------------------------------------------------------------- */

/* Eight bytes of parameters are an address in one of two buffers, four are a small number. */
static void
fill_params(EmuFunction *function, unsigned char *params, size_t capacity, uint64_t buffer)
{
    size_t offset, bytes;
    memset(params, 0, capacity);
    for (size_t i = 0; emu_function_param(function, i, &offset, &bytes); i++) {
        uint64_t value = bytes == 8 ? buffer : 3 * i + 1;
        if (offset <= capacity && bytes <= capacity - offset) {
            memcpy(params + offset, &value, bytes < 8 ? bytes : 8);
        }
    }
}

static void
run(EmuFunction *function, uint64_t buffer)
{
    EmuFunctionInfo info;
    EmuFault fault = {0};
    char text[512] = "";
    EmuLog log = {.error = text, .error_capacity = sizeof text};
    int code = emu_function_info(function, &info, &log);
    if (code != 0 && getenv("FUZZ_WORDS") != NULL) {
        fputs(text, stderr);
    }
    if (code != 0 || info.shared_bytes > SHARED_LIMIT ||
        info.local_bytes > LOCAL_LIMIT || info.params_bytes > 4096) {
        return;
    }
    unsigned char *params = malloc(info.params_bytes + 1);
    if (params == NULL) {
        return;
    }
    fill_params(function, params, info.params_bytes, buffer);
    EmuLaunch launch = {
        .function = function,
        .memory = &memory,
        .grid = {2, 1, 1},
        .block = {info.max_threads < 40 ? (uint32_t)info.max_threads : 40, 1, 1},
        .shared_bytes = 256,
        .params = params,
        .sm_count = 2,
        .workers = 1,
        .watchdog = 2048,
        .limit = 1024,
        .stack_bytes = 1024,
        .heap_bytes = 4096,
        .printf_bytes = 4096,
        .print = keep,
    };
    emu_launch_run(&launch, &fault);
    if (getenv("FUZZ_WORDS") != NULL) {
        fprintf(stderr, "%s %d %s\n", info.name, fault.code, fault.text);
    }
    free(params);
}

static void
run_text(const char *text, size_t bytes)
{
    char refusal[512] = "";
    EmuLog log = {.error = refusal, .error_capacity = sizeof refusal};
    EmuModule *module = NULL;
    /* The levels must agree on what is legal, so all are tried: the text chooses. */
    settings.optimise = bytes % 3 == 0 ? 0 : bytes % 3 == 1 ? 2 : 1;
    settings.shuffle = bytes % 2 == 1;
    settings.seed = bytes;
    if (emu_module_load(&module, text, bytes, &memory, &log) != 0) {
        if (getenv("FUZZ_WORDS") != NULL) {
            fputs(refusal, stderr);
        }
        return;
    }
    uint64_t buffer = emu_memory_alloc(&memory, BUFFER_BYTES);
    size_t count = emu_module_function_count(module);
    for (size_t i = 0; buffer != 0 && i < count && i < LAUNCHES; i++) {
        run(emu_module_function_at(module, i), buffer);
    }
    emu_memory_free(&memory, buffer);
    emu_module_unload(module);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t capacity, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t capacity);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    /* The block's ends are the sanitizer's: the text need not end in a NUL, a fatbin neither. */
    largest = MEMORY_LIMIT;
    padding = 1;
    char *copy = malloc(bytes > 0 ? bytes : 1);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, data, bytes);
    if (bytes >= EMU_FATBIN_HEADER && emu_fatbin_at(copy, bytes)) {
        const char *text;
        char *owned = NULL;
        size_t text_bytes;
        if (emu_image_ptx(copy, &text, &text_bytes, &owned, NULL) == 0) {
            run_text(text, text_bytes);
        }
        free(owned);
    }
    else {
        run_text(copy, bytes);
    }
    free(copy);
    printed_used = 0;
    while (memory.count > 0) { /* what device code did not free */
        emu_memory_free(&memory, memory.spans[0].lo);
    }
    return 0;
}

/* ---- changing a text ------------------------------------------------------------------------- */

static uint64_t random_state;

static unsigned
pick(size_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return below > 0 ? (unsigned)((random_state >> 33) % below) : 0;
}

static const char *const words[] = {
    ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".b8", ".b16", ".b32", ".b64",
    ".b128", ".f16", ".f16x2", ".bf16", ".bf16x2", ".f32", ".f64", ".pred", ".v2", ".v4", ".v8",
    ".param", ".global", ".shared", ".local", ".const", ".reg", ".align", ".func", ".entry", ".extern",
    ".visible", ".weak", ".rn", ".rz", ".ftz", ".sat", ".wide", ".lo", ".hi", ".sync", ".volatile",
    ".acquire", ".release", ".gpu", ".cta", ".sys", ".uni", ".loc", ".file", ".section", ".pragma",
    "ld", "st", "mov", "bra", "call", "ret", "exit", "bar.sync", "barrier.sync", "atom", "red",
    "shfl.sync.idx.b32", "vote.sync.any.pred", "match.any.sync.b32", "cvt", "cvta", "setp.eq.u32",
    "selp.b32", "brx.idx", "membar.gl", "prmt.b32", "mbarrier.init.shared.b64", "cp.async.ca.shared",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "wmma.load.a.sync.aligned.row.m16n16k16.f16",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "redux.sync.add.u32", "nanosleep.u32", "trap",
    "%tid.x", "%ctaid.x", "%ntid.x", "%laneid", "%clock64", "%SP", "%p1", "%r1", "%r2", "%rd1", "%rd2",
    "%f1", "%fd1", "%rs1", "vprintf", "malloc", "free", "__assertfail", "@%p1", "@!%p1", "{", "}", "_"
};

static int
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%' || c == '.';
}

/* The token at or after a random place: [*start, *end). */
static void
pick_token(const char *text, size_t bytes, size_t *start, size_t *end)
{
    size_t at = pick(bytes);
    while (at < bytes && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t')) {
        at++;
    }
    while (at > 0 && at < bytes && is_word(text[at]) && is_word(text[at - 1])) {
        at--;
    }
    *start = *end = at;
    if (at < bytes && !is_word(text[at])) {
        *end = at + 1;
        return;
    }
    while (*end < bytes && is_word(text[*end]) && (*end == at || text[*end] != '.')) {
        ++*end;
    }
}

/* The line around a random place. */
static void
pick_line(const char *text, size_t bytes, size_t *start, size_t *end)
{
    size_t at = pick(bytes);
    *start = at;
    while (*start > 0 && text[*start - 1] != '\n') {
        --*start;
    }
    *end = at;
    while (*end < bytes && text[*end] != '\n') {
        ++*end;
    }
    *end += *end < bytes;
}

/* Puts `with` in place of [start, end). */
static size_t
replace(char *text, size_t bytes, size_t capacity, size_t start, size_t end, const char *with,
        size_t with_bytes)
{
    if (bytes - (end - start) + with_bytes > capacity) {
        return bytes;
    }
    memmove(text + start + with_bytes, text + end, bytes - end);
    memcpy(text + start, with, with_bytes);
    return bytes - (end - start) + with_bytes;
}

static size_t
new_word(char *out, size_t capacity)
{
    static const char *const numbers[] = {"0",    "1",          "-1",    "31",         "32",
                                          "63",   "64",         "255",   "0x7fffffff", "4294967295",
                                          "1024", "0f7fc00000", "65536", "0xffffffffffffffff"};
    int n;
    switch (pick(3)) {
    case 0:
        n = snprintf(out, capacity, "%s", numbers[pick(sizeof numbers / sizeof numbers[0])]);
        break;
    case 1: /* every operation of the lanes is an instruction, or near one */
        n = snprintf(out, capacity, "%s", emu_lanes_v2.entries[pick(emu_lanes_v2.count)].key);
        break;
    default:
        n = snprintf(out, capacity, "%s", words[pick(sizeof words / sizeof words[0])]);
    }
    return (size_t)n;
}

static size_t
change_once(char *text, size_t bytes, size_t capacity)
{
    size_t start, end, from, to;
    char word[512];
    int kind = (int)pick(9);
    if (kind < 6) {
        pick_token(text, bytes, &start, &end);
        pick_token(text, bytes, &from, &to);
    }
    else {
        pick_line(text, bytes, &start, &end);
        pick_line(text, bytes, &from, &to);
    }
    size_t length = to - from < sizeof word ? to - from : sizeof word;
    memcpy(word, text + from, length);
    switch (kind) {
    case 0: /* a token goes */
    case 6: /* a line goes */
        return replace(text, bytes, capacity, start, end, "", 0);
    case 1: /* is doubled elsewhere */
    case 7:
        return replace(text, bytes, capacity, start, start, word, length);
    case 2: /* takes another's place */
    case 3:
    case 8:
        return replace(text, bytes, capacity, start, end, word, length);
    case 4: /* becomes a word of the language or a number */
        return replace(text, bytes, capacity, start, end, word, new_word(word, sizeof word));
    default: /* a character changes, or the text ends early */
        if (bytes > 0 && pick(8) == 0) {
            return 1 + pick(bytes);
        }
        if (start < bytes) {
            text[start + pick(end - start)] = "0123456789.%_abfrsux{}[](),;:@+-!\"\n"[pick(36)];
        }
        return bytes;
    }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t capacity, unsigned seed)
{
    random_state = seed * 2654435769u + 1;
    if (bytes == 0 || (data[0] == 0x50 && bytes > 1 && data[1] == 0xed) || pick(16) == 0) {
#ifndef FUZZ_MAIN
        return LLVMFuzzerMutate(data, bytes, capacity);
#else
        for (unsigned n = 1 + pick(4); bytes > 0 && n > 0; n--) {
            data[pick(bytes)] = (uint8_t)pick(256);
        }
        return bytes;
#endif
    }
    for (unsigned n = 1 + pick(pick(4) == 0 ? 8 : 3); n > 0 && bytes > 0; n--) {
        bytes = change_once((char *)data, bytes, capacity);
    }
    return bytes;
}

/* ---- on its own ------------------------------------------------------------------------------ */

#ifdef FUZZ_MAIN
typedef struct {
    uint8_t *data;
    size_t bytes;
} Seed;

static uint8_t *last; /* what runs now; written to a file when it ends the process */
static size_t last_bytes;

void __sanitizer_set_death_callback(void (*callback)(void));
static void
keep_last(void)
{
    FILE *file = fopen("fuzz_ptx.crash", "wb");
    if (file != NULL) {
        fwrite(last, 1, last_bytes, file);
        fclose(file);
        fprintf(stderr, "the input is in fuzz_ptx.crash\n");
    }
}

static int
read_seed(Seed *seed, const char *path)
{
    FILE *file = fopen(path, "rb");
    seed->data = malloc(MAX_TEXT);
    if (file == NULL || seed->data == NULL) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 0;
    }
    seed->bytes = fread(seed->data, 1, MAX_TEXT, file);
    fclose(file);
    return 1;
}

int
main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz_ptx RUNS SEED FILE...\n");
        return 2;
    }
    long runs = atol(argv[1]);
    unsigned seed = (unsigned)strtoul(argv[2], NULL, 0);
    size_t count = (size_t)argc - 3;
    Seed *seeds = calloc(count, sizeof *seeds);
    last = malloc(MAX_TEXT);
    if (seeds == NULL || last == NULL) {
        return 2;
    }
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(keep_last);
#endif
    for (size_t i = 0; i < count; i++) {
        if (!read_seed(&seeds[i], argv[i + 3])) {
            return 2;
        }
        LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].bytes);
    }
    for (long run_number = 0; run_number < runs; run_number++) {
        const Seed *from = &seeds[(size_t)run_number % count];
        memcpy(last, from->data, from->bytes);
        last_bytes = LLVMFuzzerCustomMutator(last, from->bytes, MAX_TEXT, seed++);
        LLVMFuzzerTestOneInput(last, last_bytes);
    }
    printf("%ld executions\n", runs);
    for (size_t i = 0; i < count; i++) {
        free(seeds[i].data);
    }
    free(seeds);
    free(last);
    return 0;
}
#endif
