/* Loads a PTX text: finds functions and variables and lays the variables out in device memory. The
 * bodies of functions are only skipped here (decode.c reads them when they are needed), so a module
 * full of unused code and data costs a scan.
 *
 * Called by the driver when a program loads a module, in the program's thread. Nobody else knows
 * the module yet, so loading takes no lock; what changes afterwards is under module->lock
 * (decoding) and module->pool_lock (idle blocks). The module keeps a copy of the text: tokens,
 * symbols and function bodies are views into it.
 */
#include "emu/ptx/ptx_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INVALID_PTX 218
#define UNSUPPORTED_VERSION 222
#define NO_MEMORY 2
/* Larger products of dimensions are mistakes, and would wrap. */
#define MAX_ARRAY ((size_t)1 << 40)

/* ---- symbols --------------------------------------------------------------------------------- */

static uint32_t
hash(const char *name, size_t length)
{
    /* FNV-1a, with the high bits mixed in: the tables take the low ones. */
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    }
    return h ^ (h >> 15);
}

/* Linear probing from the name's hash. Keys are views into the text or names of the module, which
 * outlive the table. */
Symbol *
emu_symbol_find(const SymbolTable *table, const char *name, size_t length)
{
    if (table->capacity == 0) {
        return NULL;
    }
    for (size_t slot = hash(name, length);; slot++) {
        Symbol *s = &table->slots[slot & (table->capacity - 1)];
        if (s->key == NULL) {
            return NULL;
        }
        if (s->length == length && memcmp(s->key, name, length) == 0) {
            return s;
        }
    }
}

/* The caller has made room and knows that the name is new. */
static void
insert(SymbolTable *table, Symbol symbol)
{
    size_t slot = hash(symbol.key, symbol.length);
    while (table->slots[slot & (table->capacity - 1)].key != NULL) {
        slot++;
    }
    table->slots[slot & (table->capacity - 1)] = symbol;
    table->used++;
}

int
emu_symbol_add(SymbolTable *table, Symbol symbol)
{
    /* At most half full, so that a search ends after a few slots. */
    if (2 * (table->used + 1) > table->capacity) {
        SymbolTable bigger = {0};
        bigger.capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
        bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
        if (bigger.slots == NULL) {
            return -1;
        }
        for (size_t i = 0; i < table->capacity; i++) {
            if (table->slots[i].key != NULL) {
                insert(&bigger, table->slots[i]);
            }
        }
        free(table->slots);
        *table = bigger;
    }
    insert(table, symbol);
    return 0;
}

/* Names of one text among several behind each other; `unit` is the text's number. */
Symbol *
emu_module_symbol(const EmuModule *m, size_t unit, const char *name, size_t length)
{
    /* A text's own names hide those that all texts share. */
    Symbol *s = unit < m->nlocals ? emu_symbol_find(&m->locals[unit], name, length) : NULL;
    return s != NULL ? s : emu_symbol_find(&m->symbols, name, length);
}

/* The table that a new name goes to: its text's own, unless other texts see it. Entries are always
 * shared: a program finds them by name. */
SymbolTable *
emu_load_table(EmuModule *m, int is_shared)
{
    return is_shared || m->nlocals == 0 ? &m->symbols : &m->locals[m->nlocals - 1];
}

/* A text begins: several of them may stand behind each other, each with its .version. */
static CUresult
new_unit(EmuModule *m)
{
    SymbolTable *more = realloc(m->locals, (m->nlocals + 1) * sizeof *more);
    if (more == NULL) {
        return NO_MEMORY;
    }
    m->locals = more;
    m->locals[m->nlocals++] = (SymbolTable){0};
    return 0;
}

size_t
emu_load_unit(const EmuModule *m)
{
    return m->nlocals == 0 ? 0 : m->nlocals - 1;
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* Every failure of loading comes through here, so all name a line and the text there. */
CUresult
emu_load_error(Loader *ld, const char *what)
{
    int n = ld->lx.token.length > 60 ? 60 : (int)ld->lx.token.length;
    emu_log_error(ld->log, "ptx line %d: %s near '%.*s'\n", ld->lx.token.line, what, n,
                  ld->lx.token.at);
    return INVALID_PTX;
}

/* ".b32" -> 4; 0 when the token is no fundamental type. */
static unsigned
type_bytes(const Token *t, uint8_t *is_float)
{
    if (t->length < 3 || t->at[0] != '.') {
        return 0;
    }
    /* The size of a type from its digits: .b8 to .b128, .f16x2, .bf16. */
    if (t->length == 5 && memcmp(t->at, ".pred", 5) == 0) {
        return 1;
    }
    const char *p = t->at + 1, *end = t->at + t->length;
    if (strchr("busf", *p) == NULL) {
        return 0;
    }
    *is_float = *p == 'f';
    /* "bf16" has a letter more. */
    p += *p == 'b' && p[1] == 'f' ? 2 : 1;
    unsigned bits = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        bits = bits * 10 + (unsigned)(*p - '0');
    }
    /* The packed types are twice as wide. */
    bits *= end - p == 2 && memcmp(p, "x2", 2) == 0 ? 2 : 1;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits / 8 : 0;
}

/* 0 where there is no number, as in the brackets of "name[]". */
size_t
emu_load_number(Loader *ld)
{
    Number number;
    if (ld->lx.token.kind != TOKEN_NUMBER || emu_lex_number(&ld->lx.token, &number) != 0) {
        return 0;
    }
    emu_lex_next(&ld->lx);
    return (size_t)number.bits;
}

/* Reads ".align 8 .b8 name[56]" (after the state space); stops behind the dimensions. */
int
emu_load_declaration(Loader *ld, Declaration *d)
{
    unsigned vector = 1;
    memset(d, 0, sizeof *d);
    for (;;) {
        Token t = ld->lx.token;
        uint8_t is_float = 0;
        if (emu_lex_accept(&ld->lx, ".align")) {
            d->align = emu_load_number(ld);
            /* Bounded, so that sums of offsets cannot wrap. */
            if (d->align > 4096) {
                return -1;
            }
        }
        else if (emu_lex_accept(&ld->lx, ".attribute")) {
            /* .attribute(.managed) and the like: all memory is visible to the host here. */
            while (ld->lx.token.kind != TOKEN_END && !emu_lex_accept(&ld->lx, ")")) {
                emu_lex_next(&ld->lx);
            }
        }
        else if (emu_lex_is(&ld->lx, ".v2") || emu_lex_is(&ld->lx, ".v4")) {
            vector = (unsigned)(t.at[2] - '0');
            emu_lex_next(&ld->lx);
        }
        else if (type_bytes(&t, &is_float) != 0) {
            d->size = (uint8_t)type_bytes(&t, &is_float);
            d->is_float = is_float;
            emu_lex_next(&ld->lx);
        }
        else if (t.kind == TOKEN_NAME && t.at[0] == '.' && t.length > 1) {
            /* Attributes of pointer parameters (.ptr .global .align 8) say nothing about the
             * layout. */
            emu_lex_next(&ld->lx); /* .ptr .global .const and the like */
        }
        else {
            break;
        }
    }
    if (d->size == 0 || ld->lx.token.kind != TOKEN_NAME) {
        return -1;
    }
    d->name = ld->lx.token;
    emu_lex_next(&ld->lx);
    /* A vector is an array of its components, aligned as a whole. */
    size_t count = vector;
    while (emu_lex_accept(&ld->lx, "[")) {
        d->is_array = 1;
        size_t n = emu_load_number(ld);
        if (n > MAX_ARRAY || count * n > MAX_ARRAY || !emu_lex_accept(&ld->lx, "]")) {
            return -1;
        }
        count *= n;
    }
    d->bytes = count * d->size;
    if (d->align == 0) {
        d->align = (size_t)d->size * vector;
    }
    return 0;
}

/* The caller owns the copy. */
char *
emu_load_name(Token t)
{
    char *name = malloc(t.length + 1);
    if (name != NULL) {
        memcpy(name, t.at, t.length);
        name[t.length] = '\0';
    }
    return name;
}

static size_t
round_up(size_t n, size_t align)
{
    return align == 0 ? n : (n + align - 1) / align * align;
}

/* "(.param .b32 a, .param .align 8 .b8 b[16])" -> rows; the current token is "(". */
static CUresult
parameters(Loader *ld, Param **out, size_t *count)
{
    Param *rows = NULL;
    size_t n = 0;
    emu_lex_next(&ld->lx);
    while (!emu_lex_is(&ld->lx, ")")) {
        /* Kept in *out after every step, so that the caller can free what there is after an error.
         */
        Declaration d;
        Param *more = realloc(rows, (n + 1) * sizeof *rows);
        *out = rows = more == NULL ? rows : more;
        *count = n;
        if (more == NULL) {
            return NO_MEMORY;
        }
        /* Parameters of a .func may be registers in old texts. */
        if ((!emu_lex_accept(&ld->lx, ".param") && !emu_lex_accept(&ld->lx, ".reg")) ||
            emu_load_declaration(ld, &d) != 0) {
            return emu_load_error(ld, "bad parameter");
        }
        rows[n].name = emu_load_name(d.name);
        rows[n].bytes = d.bytes;
        rows[n].align = d.align;
        rows[n].offset = 0;
        *count = ++n;
        if (!emu_lex_accept(&ld->lx, ",") && !emu_lex_is(&ld->lx, ")")) {
            return emu_load_error(ld, "expected , or )");
        }
    }
    emu_lex_next(&ld->lx);
    return 0;
}

static void
free_params(Param *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(rows[i].name);
    }
    free(rows);
}

/* Kernel parameters are packed like a C struct; those of a .func go to 16-byte slots at the start
 * of its frame, results behind them, which caller and callee can both compute. Called when the
 * whole signature is known, before the body. */
static void
lay_out(Function *f)
{
    size_t at = 0;
    for (size_t i = 0; i < f->nparams; i++) {
        at = round_up(at, f->is_entry ? f->params[i].align : 16);
        f->params[i].offset = at;
        at += f->params[i].bytes;
    }
    f->params_bytes = f->is_entry ? at : round_up(at, 16);
    at = f->params_bytes;
    for (size_t i = 0; i < f->nresults; i++) {
        f->results[i].offset = at;
        at += round_up(f->results[i].bytes, 16);
    }
    f->returns_bytes = at - f->params_bytes;
}

/* The function of that name. One that other texts see is not confused with a local one before it,
 * which a declaration without .visible may have been. */
static Function *
add_function(EmuModule *m, Token name, int is_shared)
{
    /* A declaration and its definition are one function: the index stays, so calls decoded from the
     * declaration reach the definition. */
    Symbol *s = emu_module_symbol(m, emu_load_unit(m), name.at, name.length);
    if (s != NULL && !is_shared && emu_symbol_find(&m->symbols, name.at, name.length) == s &&
        s->kind == EMU_SYMBOL_FUNCTION && m->functions[s->value]->unit != emu_load_unit(m)) {
        s = NULL; /* another text's; this one has its own */
    }
    if (s != NULL) {
        return s->kind == EMU_SYMBOL_FUNCTION ? m->functions[s->value] : NULL;
    }
    Function **more = realloc(m->functions, (m->nfunctions + 1) * sizeof *more);
    Function *f = calloc(1, sizeof *f);
    if (more != NULL) {
        m->functions = more;
    }
    if (more == NULL || f == NULL) {
        free(f);
        return NULL;
    }
    f->module = m;
    f->unit = (uint32_t)emu_load_unit(m);
    f->index = (uint32_t)m->nfunctions;
    f->name = emu_load_name(name);
    /* The architecture's limit, until a directive lowers it. */
    f->max_threads = EMU_LANES;
    m->functions[m->nfunctions++] = f;
    /* The key must live as long as the table: the function's own copy. */
    Symbol symbol = {f->name, name.length, f->index, EMU_SYMBOL_FUNCTION};
    return f->name != NULL && emu_symbol_add(emu_load_table(m, is_shared), symbol) == 0 ? f : NULL;
}

/* Keeps what was read: a declaration gives way to a definition, a weak definition to a strong one,
 * and of two weak ones the first stays, as a linker has it. */
static CUresult
keep_function(Loader *ld, Token name, const Function *read)
{
    Function *f = add_function(ld->module, name, read->is_entry || ld->is_shared);
    /* Which of two definitions stays; a second strong one is an error. */
    int stays = f != NULL && f->has_body && (!read->has_body || read->is_weak);
    int twice = f != NULL && f->has_body && !stays && !f->is_weak;
    if (f == NULL || stays || twice) {
        free_params(read->results, read->nresults);
        free_params(read->params, read->nparams);
        ld->lx.token = twice ? name : ld->lx.token;
        return f == NULL ? NO_MEMORY : twice ? emu_load_error(ld, "function defined twice") : 0;
    }
    /* Entries are counted, since handles are allocated at once when the text has been read. */
    ld->module->nentries += read->is_entry && read->has_body && !(f->is_entry && f->has_body);
    free_params(f->results, f->nresults);
    free_params(f->params, f->nparams);
    /* Identity stays with the function, everything else is replaced. */
    struct EmuModule *module = f->module;
    char *own_name = f->name;
    uint32_t index = f->index;
    *f = *read;
    f->module = module;
    f->name = own_name;
    f->index = index;
    f->unit = (uint32_t)emu_load_unit(module);
    return 0;
}

static int
bounded(size_t number, int most)
{
    return number > 0 && number < (size_t)most ? (int)number : most;
}

/* What stands between a function's head and its body. */
static CUresult
function_directives(Loader *ld, Function *f)
{
    while (!emu_lex_is(&ld->lx, "{") && !emu_lex_is(&ld->lx, ";")) {
        if (ld->lx.token.kind == TOKEN_END) {
            return emu_load_error(ld, "unexpected end of text");
        }
        /* .maxntid and .reqntid bound the threads of a block; a bound beyond the hardware's is no
         * bound. */
        if (emu_lex_accept(&ld->lx, ".maxntid") || emu_lex_accept(&ld->lx, ".reqntid")) {
            size_t threads = emu_load_number(ld);
            while (emu_lex_accept(&ld->lx, ",")) {
                threads *= emu_load_number(ld);
            }
            f->max_threads = threads > EMU_LANES || threads == 0 ? EMU_LANES : (int)threads;
            f->min_blocks = f->min_blocks > 0 ? f->min_blocks : 1;
        }
        else if (emu_lex_accept(&ld->lx, ".minnctapersm")) {
            f->min_blocks = bounded(emu_load_number(ld), EMU_SM_BLOCKS);
        }
        else if (emu_lex_accept(&ld->lx, ".maxnreg")) {
            f->most_registers = bounded(emu_load_number(ld), EMU_MOST_REGISTERS);
        }
        else if (emu_lex_accept(&ld->lx, ".reqnctapercluster")) {
            /* Missing dimensions are 1. */
            for (int k = 0; k < 3; k++) {
                f->cluster[k] =
                    k > 0 && !emu_lex_accept(&ld->lx, ",") ? 1 : (uint32_t)emu_load_number(ld);
            }
        }
        else if (emu_lex_accept(&ld->lx, ".explicitcluster")) {
            f->explicit_cluster = 1;
        }
        else {
            /* Other hints for the assembler. */
            emu_lex_next(&ld->lx);
        }
    }
    if (emu_lex_accept(&ld->lx, ";")) {
        return 0;
    }
    /* The body is remembered as a stretch of text and skipped. */
    f->text = ld->lx.token.at + 1;
    f->line = ld->lx.token.line;
    f->ptx_version = ld->module->ptx_version;
    f->sm_version = ld->module->sm_version;
    f->has_body = 1;
    return emu_lex_skip_braces(&ld->lx, &f->end) == 0
               ? 0
               : emu_load_error(ld, "a function body without end");
}

/* .entry or .func with its results, name, parameters, directives and body. */
static CUresult
function(Loader *ld, int is_entry, int is_weak)
{
    Function f = {.is_entry = is_entry, .is_weak = is_weak, .max_threads = EMU_LANES};
    Token name = {0};
    CUresult r = 0;
    emu_lex_next(&ld->lx);
    if (emu_lex_is(&ld->lx, "(")) {
        r = parameters(ld, &f.results, &f.nresults);
    }
    if (r == 0) {
        name = ld->lx.token;
        r = name.kind == TOKEN_NAME ? 0 : emu_load_error(ld, "expected a function name");
    }
    if (r == 0) {
        emu_lex_next(&ld->lx);
        if (emu_lex_is(&ld->lx, "(")) {
            r = parameters(ld, &f.params, &f.nparams);
        }
    }
    if (r == 0) {
        lay_out(&f);
        r = function_directives(ld, &f);
    }
    /* Not kept: what was read so far is released here. */
    if (r != 0) {
        free_params(f.results, f.nresults);
        free_params(f.params, f.nparams);
        return r;
    }
    return keep_function(ld, name, &f);
}

/* ---- the text -------------------------------------------------------------------------------- */

/* Directives without a meaning for the machine. */
static void
skip_statement(Loader *ld)
{
    while (ld->lx.token.kind != TOKEN_END && !emu_lex_accept(&ld->lx, ";")) {
        emu_lex_next(&ld->lx);
    }
}

/* Each .version begins a text of its own. */
static CUresult
version(Loader *ld)
{
    Number n;
    emu_lex_next(&ld->lx);
    if (new_unit(ld->module) != 0) {
        return NO_MEMORY;
    }
    if (emu_lex_number(&ld->lx.token, &n) != 0 || n.kind != NUMBER_DOUBLE) {
        return emu_load_error(ld, "bad .version");
    }
    double value;
    memcpy(&value, &n.bits, 8);
    /* Versions have one digit behind the point: 8.4 becomes 84. */
    ld->module->ptx_version = value >= 1 && value < 100 ? (int)(value * 10 + 0.5) : 0;
    emu_lex_next(&ld->lx);
    /* Older texts than 3.0 have other rules; 222 tells the caller that the version is the reason.
     */
    if (ld->module->ptx_version < 30 || ld->module->ptx_version > 99) {
        emu_log_error(ld->log, "ptx line %d: unsupported .version\n", ld->lx.token.line);
        return UNSUPPORTED_VERSION;
    }
    return 0;
}

/* .target sm_90a, texmode_independent: the number matters, suffixes and modes do not. */
static CUresult
target(Loader *ld)
{
    emu_lex_next(&ld->lx);
    Token t = ld->lx.token;
    if (t.length > 3 && memcmp(t.at, "sm_", 3) == 0) {
        ld->module->sm_version = atoi(t.at + 3);
    }
    emu_lex_next(&ld->lx);
    while (emu_lex_accept(&ld->lx, ",")) {
        emu_lex_next(&ld->lx);
    }
    return 0;
}

/* .loc 1 2 3 [, ...], and what follows the name in .file: to the end of the line. Lines are counted
 * by the lexer, so the end of one is where the number changes. */
static void
skip_line(Loader *ld)
{
    int line = ld->lx.token.line;
    while (ld->lx.token.kind != TOKEN_END && ld->lx.token.line == line) {
        emu_lex_next(&ld->lx);
    }
}

/* .file 1 "name": the last part of the path is kept. */
static void
source_file(Loader *ld)
{
    /* EMU_SOURCE keeps a file's number in eight bits. */
    enum { FILES = 256 };
    EmuModule *m = ld->module;
    Number number;
    emu_lex_next(&ld->lx);
    int known = emu_lex_number(&ld->lx.token, &number) == 0 && number.bits < FILES;
    if (known) {
        emu_lex_next(&ld->lx);
    }
    Token t = ld->lx.token;
    if (known && t.kind == TOKEN_STRING && t.length > 2) {
        /* Quotation marks are part of the token. */
        const char *end = t.at + t.length - 1, *p = end;
        while (p > t.at + 1 && p[-1] != '/') {
            p--;
        }
        /* The table grows to the number; files in between stay NULL. */
        if (number.bits >= m->nfiles) {
            char **more = realloc(m->files, (number.bits + 1) * sizeof *more);
            if (more != NULL) {
                m->files = more;
                memset(more + m->nfiles, 0, (number.bits + 1 - m->nfiles) * sizeof *more);
                m->nfiles = number.bits + 1;
            }
        }
        if (number.bits < m->nfiles && m->files[number.bits] == NULL) {
            m->files[number.bits] = strndup(p, (size_t)(end - p));
        }
    }
    skip_line(ld);
}

/* .section holds debugging information, which is not read. */
static CUresult
section(Loader *ld)
{
    const char *end;
    while (!emu_lex_is(&ld->lx, "{")) {
        if (ld->lx.token.kind == TOKEN_END) {
            return emu_load_error(ld, "bad .section");
        }
        emu_lex_next(&ld->lx);
    }
    return emu_lex_skip_braces(&ld->lx, &end) == 0 ? 0
                                                   : emu_load_error(ld, "a section without end");
}

/* .alias name, target; The list grows by one: aliases are rare. */
static CUresult
note_alias(Loader *ld)
{
    /* Targets may follow their aliases in the text, so aliases are resolved at its end. */
    struct Alias *more = realloc(ld->aliases, (ld->naliases + 1) * sizeof *more);
    if (more == NULL) {
        return NO_MEMORY;
    }
    ld->aliases = more;
    struct Alias *a = &ld->aliases[ld->naliases];
    emu_lex_next(&ld->lx);
    a->name = ld->lx.token;
    a->unit = emu_load_unit(ld->module);
    emu_lex_next(&ld->lx);
    if (!emu_lex_accept(&ld->lx, ",")) {
        return emu_load_error(ld, "bad .alias");
    }
    a->target = ld->lx.token;
    emu_lex_next(&ld->lx);
    ld->naliases++;
    return emu_lex_accept(&ld->lx, ";") ? 0 : emu_load_error(ld, "expected ;");
}

/* NULL also for a variable of that name. */
static Function *
function_named(const EmuModule *m, size_t unit, Token t)
{
    const Symbol *s = emu_module_symbol(m, unit, t.at, t.length);
    return s != NULL && s->kind == EMU_SYMBOL_FUNCTION ? m->functions[s->value] : NULL;
}

/* An alias has the body of its target, and a declaration of its own. PTX ISA, .alias: both must be
 * functions of the same signature, and the target must be defined. */
static CUresult
resolve_aliases(Loader *ld)
{
    for (size_t i = 0; i < ld->naliases; i++) {
        const struct Alias *a = &ld->aliases[i];
        Function *f = function_named(ld->module, a->unit, a->name);
        const Function *target = function_named(ld->module, a->unit, a->target);
        /* The alias must have been declared as a function, and be one of the same shape. */
        if (f == NULL || target == NULL || !target->has_body || f->has_body ||
            f->nparams != target->nparams || f->nresults != target->nresults) {
            ld->lx.token = a->name;
            return emu_load_error(ld, "an .alias of no function like it");
        }
        /* The body names the parameters as the target does; outside of it their names do not
         * matter. */
        for (size_t k = 0; k < f->nparams + f->nresults; k++) {
            Param *to = k < f->nparams ? &f->params[k] : &f->results[k - f->nparams];
            const Param *from =
                k < f->nparams ? &target->params[k] : &target->results[k - f->nparams];
            free(to->name);
            to->name = strdup(from->name);
            if (to->name == NULL) {
                return NO_MEMORY;
            }
        }
        f->text = target->text;
        f->end = target->end;
        f->line = target->line;
        f->unit = target->unit;
        f->ptx_version = target->ptx_version;
        f->sm_version = target->sm_version;
        f->has_body = 1;
    }
    return 0;
}

/* The statements of module scope (PTX ISA, "PTX Module Directives" and others). Linkage words apply
 * to the one declaration behind them. */
static CUresult
load_text(Loader *ld)
{
    CUresult r = 0;
    ld->linkage = LINK_STRONG;
    while (r == 0 && ld->lx.token.kind != TOKEN_END) {
        Lexer *lx = &ld->lx;
        ld->linkage = emu_lex_is(lx, ".extern")   ? LINK_EXTERN
                      : emu_lex_is(lx, ".weak")   ? LINK_WEAK
                      : emu_lex_is(lx, ".common") ? LINK_COMMON
                                                  : ld->linkage;
        if (emu_lex_accept(lx, ".extern") || emu_lex_accept(lx, ".weak") ||
            emu_lex_accept(lx, ".visible") || emu_lex_accept(lx, ".common")) {
            ld->is_shared = 1;
            continue;
        }
        if (emu_lex_accept(lx, ";")) {
            continue;
        }
        if (emu_lex_is(lx, ".entry") || emu_lex_is(lx, ".func")) {
            r = function(ld, emu_lex_is(lx, ".entry"), ld->linkage == LINK_WEAK);
        }
        else if (emu_lex_is(lx, ".global")) {
            r = emu_load_variables(ld, EMU_SPACE_GLOBAL);
        }
        else if (emu_lex_is(lx, ".const")) {
            r = emu_load_variables(ld, EMU_SPACE_CONST);
        }
        else if (emu_lex_is(lx, ".shared")) {
            r = emu_load_variables(ld, EMU_SPACE_SHARED);
        }
        else if (emu_lex_is(lx, ".version")) {
            r = version(ld);
        }
        else if (emu_lex_is(lx, ".target")) {
            r = target(ld);
        }
        else if (emu_lex_accept(lx, ".address_size")) {
            /* 32-bit texts have other pointers than the host's memory. */
            if (emu_load_number(ld) != 64) {
                r = emu_load_error(ld, "only .address_size 64 is supported");
            }
        }
        else if (emu_lex_is(lx, ".file")) {
            source_file(ld);
        }
        else if (emu_lex_is(lx, ".loc")) {
            skip_line(ld);
        }
        else if (emu_lex_is(lx, ".section")) {
            r = section(ld);
        }
        else if (emu_lex_is(lx, ".alias")) {
            r = note_alias(ld);
        }
        else if (emu_lex_is(lx, ".pragma") || emu_lex_is(lx, ".callprototype")) {
            skip_statement(ld);
        }
        else {
            r = emu_load_error(ld, "unexpected text");
        }
        ld->is_shared = 0;
        ld->linkage = LINK_STRONG;
    }
    r = r != 0 ? r : resolve_aliases(ld);
    /* A text without .version is some other file. */
    if (r == 0 && ld->module->ptx_version == 0) {
        emu_log_error(ld->log, "no .version: this is not PTX\n");
        r = INVALID_PTX;
    }
    return r != 0 ? r : emu_load_place(ld);
}

/* On failure everything is released and *out is NULL. */
CUresult
emu_module_load(EmuModule **out, const char *text, size_t bytes, EmuMemory *memory, EmuLog *log)
{
    EmuModule *m = calloc(1, sizeof *m);
    *out = NULL;
    if (m == NULL) {
        return NO_MEMORY;
    }
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->pool_lock, NULL);
    m->memory = memory;
    m->decode = emu_function_decode;
    m->bytes = bytes;
    m->text = malloc(bytes + 1);
    CUresult r = NO_MEMORY;
    Loader ld = {.module = m, .log = log};
    if (m->text != NULL) {
        memcpy(m->text, text, bytes);
        /* The lexer stops at the end by itself; the final NUL lets diagnostics treat the text as a
         * string. */
        m->text[bytes] = '\0';
        emu_lex_start(&ld.lx, m->text, m->text + bytes, 1);
        r = load_text(&ld);
    }
    if (r == 0 && m->nentries > 0) {
        /* Handles are allocated in one piece: programs keep pointers to them. */
        m->entries = calloc(m->nentries, sizeof *m->entries);
        r = m->entries == NULL ? NO_MEMORY : 0;
        m->nentries = 0;
        for (size_t i = 0; r == 0 && i < m->nfunctions; i++) {
            if (m->functions[i]->is_entry && m->functions[i]->has_body) {
                m->functions[i]->handle = &m->entries[m->nentries];
                m->entries[m->nentries++].function = m->functions[i];
            }
        }
    }
    free(ld.inits);
    free(ld.aliases);
    if (r != 0) {
        emu_module_unload(m);
        return r;
    }
    *out = m;
    return 0;
}

/* Everything that decoding and loading gave the function. */
static void
free_function(Function *f)
{
    free_params(f->params, f->nparams);
    free_params(f->results, f->nresults);
    for (size_t i = 0; i < f->ntables; i++) {
        free(f->tables[i]);
    }
    free(f->tables);
    free(f->code);
    free(f->reg_shift);
    free(f->constants);
    free(f->callees);
    free(f->fault);
    free(f->name);
    free(f);
}

/* Also called for modules that were loaded in part. The caller has waited for launches. */
void
emu_module_unload(EmuModule *m)
{
    if (m == NULL) {
        return;
    }
    emu_blocks_free(m);
    for (size_t i = 0; i < m->nfunctions; i++) {
        free_function(m->functions[i]);
    }
    for (size_t i = 0; i < m->nvariables; i++) {
        free(m->variables[i].name);
    }
    if (m->storage != 0) {
        emu_memory_free(m->memory, m->storage);
    }
    if (m->storage_const != 0) {
        emu_memory_free(m->memory, m->storage_const);
    }
    for (size_t i = 0; i < m->nfiles; i++) {
        free(m->files[i]);
    }
    free(m->files);
    free(m->functions);
    free(m->entries);
    free(m->variables);
    free(m->symbols.slots);
    for (size_t i = 0; i < m->nlocals; i++) {
        free(m->locals[i].slots);
    }
    free(m->locals);
    free(m->text);
    pthread_mutex_destroy(&m->lock);
    pthread_mutex_destroy(&m->pool_lock);
    free(m);
}

/* ---- questions ------------------------------------------------------------------------------- */

/* By name from outside: what all texts see, then what one keeps to itself. The order is that of
 * linking: shared names first. */
static const Symbol *
find_anywhere(const EmuModule *m, const char *name)
{
    const Symbol *s = emu_symbol_find(&m->symbols, name, strlen(name));
    for (size_t i = 0; i < m->nlocals && s == NULL; i++) {
        s = emu_symbol_find(&m->locals[i], name, strlen(name));
    }
    return s;
}

/* Entries only: other functions have no handle. */
EmuFunction *
emu_module_function(EmuModule *m, const char *name)
{
    const Symbol *s = find_anywhere(m, name);
    return s != NULL && s->kind == EMU_SYMBOL_FUNCTION ? m->functions[s->value]->handle : NULL;
}

size_t
emu_module_function_count(const EmuModule *m)
{
    return m->nentries;
}

EmuFunction *
emu_module_function_at(EmuModule *m, size_t i)
{
    return i < m->nentries ? &m->entries[i] : NULL;
}

/* Shared variables have no address outside of a block. */
int
emu_module_global(EmuModule *m, const char *name, uint64_t *address, size_t *bytes)
{
    const Symbol *s = find_anywhere(m, name);
    if (s == NULL || s->kind != EMU_SYMBOL_VARIABLE ||
        m->variables[s->value].space == EMU_SPACE_SHARED) {
        return 0;
    }
    *address = m->variables[s->value].address;
    *bytes = m->variables[s->value].bytes;
    return 1;
}

/* An estimate from the rows of the function: the assembler's allocation is not known. Eight more
 * stand for what it keeps for itself. Where the function asks for a least number of blocks
 * of a multiprocessor, registers are few enough for them, in steps of 8, as the assembler has it.
 */
static int
registers_of(const Function *f)
{
    size_t bytes = 0;
    for (size_t i = 0; i < f->nregs; i++) {
        bytes += (size_t)1 << f->reg_shift[i];
    }
    int count =
        bounded(bytes / 4 + 8, f->most_registers > 0 ? f->most_registers : EMU_MOST_REGISTERS);
    int threads = (f->max_threads + EMU_WARP - 1) / EMU_WARP * EMU_WARP;
    int fitting = f->min_blocks > 0 ? EMU_SM_REGISTERS / (f->min_blocks * threads) / 8 * 8 : count;
    return fitting < 8 ? 8 : fitting < count ? fitting : count;
}

/* Attributes depend on the code, so asking for them decodes the function, and may report its
 * errors. */
CUresult
emu_function_info(EmuFunction *function_, EmuFunctionInfo *info, EmuLog *log)
{
    Function *f = function_->function;
    CUresult r = emu_function_decode(f, log);
    if (r != 0) {
        return r;
    }
    *info = (EmuFunctionInfo){
        .name = f->name,
        .params_count = f->nparams,
        .params_bytes = f->params_bytes,
        .shared_bytes = f->shared_bytes,
        .local_bytes = f->local_bytes,
        .const_bytes = f->module->const_bytes,
        .registers = registers_of(f),
        .max_threads = f->max_threads,
        .cluster = {f->cluster[0], f->cluster[1], f->cluster[2]},
        .needs_cluster = f->explicit_cluster && f->cluster[0] == 0,
        .ptx_version = f->ptx_version,
        .sm_version = f->sm_version,
    };
    return 0;
}

/* By position, for cuFuncGetParamInfo. */
int
emu_function_param(EmuFunction *function_, size_t i, size_t *offset, size_t *bytes)
{
    Function *f = function_->function;
    if (i >= f->nparams) {
        return 0;
    }
    *offset = f->params[i].offset;
    *bytes = f->params[i].bytes;
    return 1;
}
