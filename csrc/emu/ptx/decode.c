/* Reads the body of a function: declarations, scopes, labels and instructions. Operands are read in
 * decode_operands.c, the opcodes themselves translated in the other decode_*.c. Registers are
 * virtual here; rows are assigned when the function is complete (decode_slots.c).
 *
 * Runs under module->lock, in the thread that launches or asks for a kernel's properties first
 * (emu_function_decode). A function is decoded once, together with everything it calls. Errors are
 * kept in `status` and in the log: the first one wins, and every caller returns as soon as it sees
 * one.
 */
#include "emu/ptx/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define INVALID_PTX 218
#define MAX_ARRAY ((size_t)1 << 30) /* bytes of a variable inside a function */
#define NO_MEMORY 2

/* Sets the error and returns -1, so that callers can return its value. Later errors are
 * consequences of the first and are not logged. */
int
decode_fail(Decoder *dc, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (dc->status == 0) {
        dc->status = INVALID_PTX;
        emu_log_error(dc->log, "ptx line %d, in %s: %s\n", dc->line, dc->fn->name, text);
    }
    return -1;
}

/* Room for one more item of a list. The lists double, so appending costs constant time on average.
 */
void *
decode_grow(Decoder *dc, void *items, size_t *capacity, size_t used, size_t size)
{
    if (used < *capacity) {
        return items;
    }
    size_t n = *capacity == 0 ? 32 : 2 * *capacity;
    void *more = realloc(items, n * size);
    if (more == NULL) {
        dc->status = NO_MEMORY;
        return NULL;
    }
    *capacity = n;
    return more;
}

/* Appends an instruction. The pointer is valid until the next one is appended, since the code may
 * move. */
Instr *
decode_emit(Decoder *dc, EmuHandler run)
{
    /* Handlers and analyses read fields that most decoders leave alone: all start as zero. */
    Instr *in = DECODE_PUSH(dc, code, ncode, code_capacity);
    memset(in, 0, sizeof *in);
    in->run = run;
    in->line = dc->line;
    in->source_line = dc->source_line;
    return in;
}

/* Zeroed memory that lives as long as the function. */
void *
decode_keep(Decoder *dc, size_t bytes)
{
    Function *f = dc->fn;
    void **more = realloc(f->tables, (f->ntables + 1) * sizeof *more);
    void *kept = calloc(1, bytes);
    f->tables = more == NULL ? f->tables : more;
    if (more == NULL || kept == NULL) {
        free(kept);
        dc->status = NO_MEMORY;
        return NULL;
    }
    return f->tables[f->ntables++] = kept;
}

/* A new virtual register of the given width. Temporaries and declared registers are numbered alike;
 * decode_slots.c makes them share rows. */
EmuRow
decode_temp(Decoder *dc, unsigned shift)
{
    /* Bounds the work of liveness analysis for texts made to exhaust it. */
    if (dc->nregs >= DECODE_REGS) {
        decode_fail(dc, "too many registers");
        return 0;
    }
    uint8_t *s = DECODE_PUSH(dc, shift, nregs, regs_capacity);
    *s = (uint8_t)shift;
    return (EmuRow)(dc->nregs - 1);
}

/* The place of a constant in the table of their numbers + 1, or the free place where it belongs. */
static uint32_t *
constant_place(const Decoder *dc, Constant wanted)
{
    /* Fibonacci hashing; the width goes into the top bits, where values rarely differ. */
    uint64_t mixed = (wanted.value ^ (uint64_t)wanted.shift << 61) * 0x9e3779b97f4a7c15u;
    size_t mask = dc->constants_capacity - 1, at = (mixed >> 32) & mask;
    for (;; at = (at + 1) & mask) {
        uint32_t *place = &dc->constants[at];
        const Constant *c = *place > 0 ? &dc->fn->constants[*place - 1] : NULL;
        if (c == NULL || (c->value == wanted.value && c->shift == wanted.shift &&
                          c->shared_local == wanted.shared_local)) {
            return place;
        }
    }
}

/* Keeps the table at most half full. */
static int
grow_constants(Decoder *dc)
{
    const Function *f = dc->fn;
    if (2 * (f->nconstants + 1) <= dc->constants_capacity) {
        return 0;
    }
    size_t n = dc->constants_capacity > 0 ? 2 * dc->constants_capacity : 64;
    uint32_t *more = calloc(n, sizeof *more);
    if (more == NULL) {
        return -1;
    }
    free(dc->constants);
    dc->constants = more;
    dc->constants_capacity = n;
    for (size_t i = 0; i < f->nconstants; i++) {
        *constant_place(dc, f->constants[i]) = (uint32_t)i + 1;
    }
    return 0;
}

/* A constant as a register number from DECODE_CONST on. Equal constants share one row, so a
 * function with thousands of literals has few rows. */
EmuRow
decode_constant(Decoder *dc, unsigned shift, uint64_t value, int shared_local)
{
    Function *f = dc->fn;
    /* Bits above the width would make equal constants look different. */
    value = shift == 3 ? value : value & ((1ull << (8u << shift)) - 1);
    Constant wanted = {
        .value = value, .shift = (uint8_t)shift, .shared_local = (uint8_t)shared_local};
    if (grow_constants(dc) != 0) {
        dc->status = NO_MEMORY;
        return 0;
    }
    uint32_t *place = constant_place(dc, wanted);
    if (*place > 0) {
        return (EmuRow)(DECODE_CONST + *place - 1);
    }
    /* Doubled at powers of two, so no capacity is kept. */
    if ((f->nconstants & (f->nconstants - 1)) == 0) {
        size_t n = f->nconstants == 0 ? 1 : 2 * f->nconstants;
        Constant *more = realloc(f->constants, n * sizeof *more);
        if (more == NULL || f->nconstants >= DECODE_REGS) {
            dc->status = NO_MEMORY;
            return 0;
        }
        f->constants = more;
    }
    f->constants[f->nconstants] = wanted;
    *place = (uint32_t)++f->nconstants;
    return (EmuRow)(DECODE_CONST + f->nconstants - 1);
}

unsigned
decode_reg_shift(const Decoder *dc, EmuRow reg)
{
    return reg >= DECODE_CONST ? dc->fn->constants[reg - DECODE_CONST].shift : dc->shift[reg];
}

/* Modifiers are compared as whole words, without their dots. */
int
decode_is_mod(const Decoder *dc, size_t i, const char *text)
{
    return i < dc->nmods && strlen(text) == dc->mods[i].length &&
           memcmp(dc->mods[i].at, text, dc->mods[i].length) == 0;
}

/* Whether the opcode has the modifier, at any place: PTX fixes the order, and forms that it does
 * not know fail elsewhere. */
int
decode_has(const Decoder *dc, const char *mod)
{
    for (size_t i = 0; i < dc->nmods; i++) {
        if (decode_is_mod(dc, i, mod)) {
            return 1;
        }
    }
    return 0;
}

/* A type's name, without the dot. 1 when it is one. */
int
decode_type(const char *at, size_t length, Type *type)
{
    static const struct {
        char name[8];
        Type type;
    } rows[] = {
        {"u32", {'u', 32, 0}},    {"s32", {'s', 32, 0}},    {"b32", {'b', 32, 0}},
        {"f32", {'f', 32, 0}},    {"u64", {'u', 64, 0}},    {"s64", {'s', 64, 0}},
        {"b64", {'b', 64, 0}},    {"f64", {'f', 64, 0}},    {"pred", {'p', 1, 0}},
        {"u16", {'u', 16, 0}},    {"s16", {'s', 16, 0}},    {"b16", {'b', 16, 0}},
        {"u8", {'u', 8, 0}},      {"s8", {'s', 8, 0}},      {"b8", {'b', 8, 0}},
        {"f16", {'h', 16, 0}},    {"bf16", {'g', 16, 0}},   {"f16x2", {'h', 32, 1}},
        {"bf16x2", {'g', 32, 1}}, {"u16x2", {'u', 32, 1}},  {"s16x2", {'s', 32, 1}},
        {"tf32", {'b', 32, 0}},   {"e4m3x2", {'e', 16, 1}}, {"e5m2x2", {'e', 16, 1}},
        {"b128", {'b', 128, 0}},  {"f32x2", {'x', 64, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, at, length) == 0) {
            *type = rows[i].type;
            return 1;
        }
    }
    return 0;
}

/* log2 of the bytes of the lane that holds the type: 8-bit values live in 16-bit lanes. */
unsigned
decode_shift(Type type)
{
    return type.bits >= 64 ? 3 : type.bits == 32 ? 2 : type.bits == 1 ? 0 : 1;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* A label may be used before it is defined: the use is noted and resolved at the end of the
 * function. */
int
decode_reference(Decoder *dc, Token token, int32_t instr, int32_t *slot)
{
    LabelRef *r = DECODE_PUSH(dc, refs, nrefs, refs_capacity);
    *r = (LabelRef){.instr = instr, .slot = slot, .name = token, .scope = dc->scope};
    return 0;
}

/* Whether `outer` is the scope or encloses it. Scope 0 is the function's body. */
static int
in_scope(const Decoder *dc, uint32_t outer, uint32_t inner)
{
    for (;;) {
        if (inner == outer) {
            return 1;
        }
        if (inner == 0) {
            return 0;
        }
        inner = dc->scope_parent[inner];
    }
}

/* Labels are local to their scope in PTX, and compilers repeat names in inner scopes (inlined
 * assembly). The table finds most at once; only repeated names are searched. */
static int
resolve_labels(Decoder *dc)
{
    SymbolTable table = {0};
    for (size_t i = 0; i < dc->nlabels; i++) {
        Label *l = &dc->labels[i];
        Symbol *old = emu_symbol_find(&table, l->at, l->length);
        if (old != NULL) {
            old->kind = 1; /* several: look for the one in scope */
        }
        else {
            Symbol symbol = {l->at, l->length, (uint32_t)i, 0};
            emu_symbol_add(&table, symbol);
        }
    }
    for (size_t i = 0; i < dc->nrefs && dc->status == 0; i++) {
        LabelRef *r = &dc->refs[i];
        Symbol *s = emu_symbol_find(&table, r->name.at, r->name.length);
        if (s == NULL) {
            dc->line = r->name.line;
            decode_fail(dc, "unknown label '%.*s'", (int)r->name.length, r->name.at);
            break;
        }
        Label *l = &dc->labels[s->value];
        /* Later labels come later in the text; the last one in scope is the innermost. */
        for (size_t k = 0; s->kind == 1 && k < dc->nlabels; k++) {
            if (decode_same(r->name, dc->labels[k].at, dc->labels[k].length) &&
                in_scope(dc, dc->labels[k].scope, r->scope)) {
                l = &dc->labels[k];
            }
        }
        /* Tables of brx.idx have a slot of their own, branches keep the target in the instruction.
         */
        if (r->slot != NULL) {
            *r->slot = l->pc;
        }
        else {
            dc->code[r->instr].target = l->pc;
        }
    }
    free(table.slots);
    return dc->status == 0 ? 0 : -1;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* A literal in a declaration. */
static int
number_here(Decoder *dc, size_t *value)
{
    Number n;
    if (dc->lx.token.kind != TOKEN_NUMBER || emu_lex_number(&dc->lx.token, &n) != 0) {
        return decode_fail(dc, "expected a number");
    }
    *value = (size_t)n.bits;
    emu_lex_next(&dc->lx);
    return 0;
}

/* .reg .b32 %r<19>, %x;   .reg .v4 .f32 %v; */
static int
registers(Decoder *dc)
{
    Type type;
    uint8_t vector = 0;
    emu_lex_next(&dc->lx);
    if (emu_lex_is(&dc->lx, ".v2") || emu_lex_is(&dc->lx, ".v4")) {
        vector = (uint8_t)(dc->lx.token.at[2] - '0');
        emu_lex_next(&dc->lx);
    }
    if (!decode_type(dc->lx.token.at + 1, dc->lx.token.length - 1, &type)) {
        return decode_fail(dc, "unsupported register type '%.*s'", (int)dc->lx.token.length,
                           dc->lx.token.at);
    }
    /* A 128-bit register is two rows of 64, a vector one row for each element. */
    uint8_t rows = type.bits == 128 ? 2 : vector > 0 ? vector : 1;
    emu_lex_next(&dc->lx);
    do {
        Token name = dc->lx.token;
        size_t count = 0;
        emu_lex_next(&dc->lx);
        if (emu_lex_accept(&dc->lx, "<")) {
            if (number_here(dc, &count) != 0 || !emu_lex_accept(&dc->lx, ">") ||
                count >= DECODE_REGS) {
                return decode_fail(dc, "bad register range");
            }
        }
        RegDecl *d = DECODE_PUSH(dc, decls, ndecls, decls_capacity);
        *d = (RegDecl){.at = name.at,
                       .length = (uint32_t)name.length,
                       .first = (uint32_t)dc->nregs,
                       .count = (uint32_t)count,
                       .rows = rows,
                       .vector = vector};
        /* The rows of one register follow each other, as decode_find_register and as_halves assume.
         */
        for (size_t i = 0; i < (count == 0 ? 1 : count) * rows && dc->status == 0; i++) {
            decode_temp(dc, decode_shift(type));
        }
    } while (dc->status == 0 && emu_lex_accept(&dc->lx, ","));
    return emu_lex_accept(&dc->lx, ";") ? dc->status : decode_fail(dc, "expected ;");
}

static size_t
round_up(size_t n, size_t align)
{
    return align <= 1 ? n : (n + align - 1) / align * align;
}

/* .local/.shared/.param .align 8 .b8 name[56]; inside a function */
static int
variable(Decoder *dc, NameKind kind)
{
    size_t align = 0, vector = 1;
    Type type = {0};
    emu_lex_next(&dc->lx);
    while (dc->lx.token.kind == TOKEN_NAME && *dc->lx.token.at == '.') {
        if (emu_lex_accept(&dc->lx, ".align")) {
            /* Larger alignments than a page mean nothing in the areas of a block. */
            if (number_here(dc, &align) != 0 || align > 4096) {
                return decode_fail(dc, "bad alignment");
            }
            continue;
        }
        if (emu_lex_is(&dc->lx, ".v2") || emu_lex_is(&dc->lx, ".v4")) {
            vector = (size_t)(dc->lx.token.at[2] - '0');
        }
        else {
            decode_type(dc->lx.token.at + 1, dc->lx.token.length - 1, &type);
        }
        emu_lex_next(&dc->lx);
    }
    do {
        Token name = dc->lx.token;
        /* Predicates cannot be stored, so the smallest element has a byte. */
        size_t unit = (type.bits < 8 ? 1u : type.bits / 8u) * vector, bytes = unit;
        emu_lex_next(&dc->lx);
        while (emu_lex_accept(&dc->lx, "[")) {
            size_t n = 0;
            /* Both factors are bounded first, so the product does not wrap. */
            if (number_here(dc, &n) != 0 || !emu_lex_accept(&dc->lx, "]") || n > MAX_ARRAY ||
                bytes * n > MAX_ARRAY) {
                return decode_fail(dc, "bad array");
            }
            bytes *= n;
        }
        LocalName *l = DECODE_PUSH(dc, names, nnames, names_capacity);
        *l = (LocalName){.at = name.at,
                         .length = (uint32_t)name.length,
                         .kind = kind,
                         .bytes = bytes,
                         .unit = unit,
                         .align = align == 0 ? unit : align};
        /* Local variables lie in the frame in the order of their declarations. */
        if (kind == NAME_LOCAL) {
            dc->locals = round_up(dc->locals, l->align < 8 ? 8 : l->align);
            l->offset = dc->locals;
            dc->locals += bytes;
            /* What a GPU's stack is charged for the function (exec_control.c). */
            dc->fn->depot_bytes += bytes;
        }
        else if (kind == NAME_SHARED) {
            /* Shared variables of an entry are its own; those of a called function are the
             * module's, since the function may be called from any kernel. */
            size_t *area = dc->fn->is_entry ? &dc->own_shared : &dc->module->shared_bytes;
            *area = round_up(*area, l->align);
            l->offset = *area;
            *area += bytes;
        }
    } while (emu_lex_accept(&dc->lx, ","));
    return emu_lex_accept(&dc->lx, ";") ? 0 : decode_fail(dc, "expected ;");
}

/* name: .branchtargets A, B; or name: .callprototype (...) _ (...); Branch targets are kept as
 * tokens: their labels may follow later. */
static int
labelled_directive(Decoder *dc, Token name)
{
    LocalName *l = DECODE_PUSH(dc, names, nnames, names_capacity);
    *l = (LocalName){.at = name.at, .length = (uint32_t)name.length};
    if (emu_lex_accept(&dc->lx, ".branchtargets")) {
        l->kind = NAME_TARGETS;
        size_t capacity = 0;
        do {
            if (l->nlabels == capacity) {
                capacity = capacity == 0 ? 16 : 2 * capacity;
                Token *more = realloc(l->params, capacity * sizeof *more);
                if (more == NULL) {
                    dc->status = NO_MEMORY;
                    return -1;
                }
                l->params = (Param *)(void *)more; /* the names, until the table is used */
            }
            ((Token *)(void *)l->params)[l->nlabels++] = dc->lx.token;
            emu_lex_next(&dc->lx);
        } while (emu_lex_accept(&dc->lx, ","));
    }
    else {
        /* The sizes of parameters are found at the call, so the prototype itself is not needed. */
        l->kind = NAME_PROTOTYPE;
        while (dc->lx.token.kind != TOKEN_END && !emu_lex_is(&dc->lx, ";")) {
            emu_lex_next(&dc->lx);
        }
    }
    return emu_lex_accept(&dc->lx, ";") ? 0 : decode_fail(dc, "expected ;");
}

/* .loc file line column: the source line of what follows. Inlining information behind it is skipped
 * with the rest of the line. */
static void
source_line(Decoder *dc)
{
    int line = dc->lx.token.line;
    Number file, n;
    emu_lex_next(&dc->lx);
    /* EMU_SOURCE has eight bits for the file. */
    int known = emu_lex_number(&dc->lx.token, &file) == 0 && file.bits < 256;
    emu_lex_next(&dc->lx);
    if (emu_lex_number(&dc->lx.token, &n) == 0) {
        dc->source_line = EMU_SOURCE(known ? file.bits : 0, n.bits);
    }
    while (dc->lx.token.kind != TOKEN_END && dc->lx.token.line == line) {
        emu_lex_next(&dc->lx);
    }
}

/* "add.f32.rn" is one token: the mnemonic and its modifiers are cut out of it without copies. */
static void
split_opcode(Decoder *dc)
{
    const char *p = dc->opcode.at, *end = p + dc->opcode.length;
    dc->nmods = 0;
    dc->mnemonic = p;
    while (p < end && *p != '.') {
        p++;
    }
    dc->mnemonic_length = (size_t)(p - dc->mnemonic);
    while (p < end && dc->nmods < DECODE_MODS) {
        const char *start = ++p;
        while (p < end && *p != '.') {
            p++;
        }
        dc->mods[dc->nmods].at = start;
        dc->mods[dc->nmods++].length = (size_t)(p - start);
    }
}

/* One instruction, with its guard. */
static int
instruction(Decoder *dc)
{
    int32_t over = -1;
    dc->line = dc->lx.token.line;
    if (emu_lex_accept(&dc->lx, "@")) {
        int negate = emu_lex_accept(&dc->lx, "!");
        Operand p = {.count = 0};
        if (!decode_find_register(dc, dc->lx.token, &p)) {
            return decode_fail(dc, "unknown predicate");
        }
        emu_lex_next(&dc->lx);
        /* A guarded branch is one instruction. Any other guarded instruction becomes a branch
         * around it under the opposite condition, so handlers need no predicate. */
        int is_bra = dc->lx.token.length >= 3 && memcmp(dc->lx.token.at, "bra", 3) == 0 &&
                     (dc->lx.token.length == 3 || dc->lx.token.at[3] == '.');
        Instr *in = decode_emit(dc, emu_run_branch);
        in->op[0] = p.reg;
        /* The branch's target is filled in when the guarded instruction has been decoded, or by the
         * label. */
        in->ns = 1;
        in->flow = EMU_FLOW_BRANCH;
        /* A guard skips when the predicate is false, a guarded branch jumps when it is true. */
        in->flags = (uint8_t)((negate ^ !is_bra) ? EMU_FLAG_NEGATE : 0);
        over = (int32_t)dc->ncode - 1;
        if (is_bra) {
            emu_lex_next(&dc->lx);
            decode_reference(dc, dc->lx.token, over, NULL);
            emu_lex_next(&dc->lx);
            return emu_lex_accept(&dc->lx, ";") ? 0 : decode_fail(dc, "expected ;");
        }
    }
    dc->opcode = dc->lx.token;
    if (dc->opcode.kind != TOKEN_NAME || *dc->opcode.at == '.') {
        return decode_fail(dc, "unexpected '%.*s'", (int)dc->opcode.length, dc->opcode.at);
    }
    split_opcode(dc);
    emu_lex_next(&dc->lx);
    if (decode_instruction(dc) != 0) {
        return -1;
    }
    /* However many instructions the opcode became, the guard leads behind all of them. */
    if (over >= 0) {
        dc->code[over].target = (int32_t)dc->ncode;
    }
    return dc->status;
}

static int
open_scope(Decoder *dc)
{
    uint32_t *parent = DECODE_PUSH(dc, scope_parent, nscopes, scopes_capacity);
    *parent = dc->scope;
    dc->scope = (uint32_t)dc->nscopes - 1;
    return 0;
}

static int body(Decoder *dc, int nested);

/* One statement of a body: a directive, a scope, a label or an instruction. */
static int
statement(Decoder *dc)
{
    Lexer *lx = &dc->lx;
    dc->line = lx->token.line;
    if (lx->token.kind == TOKEN_NAME && *lx->token.at == '.') {
        if (emu_lex_is(lx, ".reg")) {
            return registers(dc);
        }
        if (emu_lex_is(lx, ".local")) {
            return variable(dc, NAME_LOCAL);
        }
        if (emu_lex_is(lx, ".shared")) {
            return variable(dc, NAME_SHARED);
        }
        if (emu_lex_is(lx, ".param")) {
            return variable(dc, NAME_OUT);
        }
        if (emu_lex_is(lx, ".loc")) {
            source_line(dc);
            return 0;
        }
        if (emu_lex_is(lx, ".pragma")) {
            while (lx->token.kind != TOKEN_END && !emu_lex_accept(lx, ";")) {
                emu_lex_next(lx);
            }
            return 0;
        }
        return decode_fail(dc, "unsupported directive '%.*s'", (int)lx->token.length, lx->token.at);
    }
    if (emu_lex_accept(lx, "{")) {
        uint32_t outer = dc->scope;
        size_t ndecls = dc->ndecls;
        open_scope(dc);
        int r = body(dc, 1);
        dc->scope = outer;
        /* Registers of an inner scope are no longer seen, their rows are; decode_slots.c gives
         * rows that are dead to others. */
        dc->ndecls = ndecls;
        return r;
    }
    if (lx->token.kind == TOKEN_NAME) {
        /* A label is a name before a colon: one token is looked at ahead. */
        Lexer probe = *lx;
        emu_lex_next(&probe);
        if (emu_lex_is(&probe, ":")) {
            Token name = lx->token;
            *lx = probe;
            emu_lex_next(lx);
            /* These labels name data, not a place in the code. */
            if (emu_lex_is(lx, ".branchtargets") || emu_lex_is(lx, ".callprototype")) {
                return labelled_directive(dc, name);
            }
            Label *l = DECODE_PUSH(dc, labels, nlabels, labels_capacity);
            *l = (Label){name.at, (uint32_t)name.length, (int32_t)dc->ncode, dc->scope};
            return 0;
        }
    }
    if (emu_lex_accept(lx, ";")) {
        return 0;
    }
    return instruction(dc);
}

/* Statements up to the closing brace, or to the end of the text for the function's own body. */
static int
body(Decoder *dc, int nested)
{
    while (dc->lx.token.kind != TOKEN_END) {
        if (nested && emu_lex_accept(&dc->lx, "}")) {
            return dc->status;
        }
        if (statement(dc) != 0 || dc->status != 0) {
            return -1;
        }
    }
    return nested ? decode_fail(dc, "a scope without end") : dc->status;
}

/* ---- a whole function ------------------------------------------------------------------------ */

/* Everything of the decoder that does not belong to the function. Names hold arrays of their own.
 */
static void
release(Decoder *dc)
{
    for (size_t i = 0; i < dc->nnames; i++) {
        free(dc->names[i].params);
    }
    free(dc->shift);
    free(dc->decls);
    free(dc->names);
    free(dc->labels);
    free(dc->refs);
    free(dc->fixups);
    free(dc->pending);
    free(dc->scope_parent);
    free(dc->constants);
}

/* A conditional branch to the end of a kernel retires its lanes at once. `if (i >= n) return;`:
 * exec_control.c can then end the lanes without making a group of them. */
static void
mark_exits(Decoder *dc)
{
    for (size_t i = 0; i < dc->ncode && dc->fn->is_entry; i++) {
        Instr *in = &dc->code[i];
        if (in->flow == EMU_FLOW_BRANCH && dc->code[in->target].run == emu_run_ret) {
            in->flags |= EMU_FLAG_EXIT;
        }
    }
}

static int
decode_body(Decoder *dc)
{
    Function *f = dc->fn;
    dc->carry = DECODE_NO_REG;
    /* A function's parameters and results come first in its frame, where the caller puts them. */
    dc->locals = f->is_entry ? 0 : f->params_bytes + f->returns_bytes;
    open_scope(dc);
    emu_lex_start(&dc->lx, f->text, f->end, f->line);
    if (body(dc, 0) != 0) {
        return -1;
    }
    /* A text may run into its closing brace, which returns. */
    Instr *last = decode_emit(dc, emu_run_ret);
    last->flow = EMU_FLOW_END;
    if (resolve_labels(dc) != 0) {
        return -1;
    }
    f->local_bytes = round_up(dc->locals, 16);
    /* Outgoing parameters lie behind all local variables, whose size is known only now. */
    for (size_t i = 0; i < dc->nfixups; i++) {
        dc->code[dc->fixups[i]].imm += (int64_t)f->local_bytes;
    }
    f->own_shared = dc->own_shared;
    mark_exits(dc);
    /* From here on the function owns the code. */
    f->code = dc->code;
    f->ninstrs = (int32_t)dc->ncode;
    dc->code = NULL;
    if (emu_slots_assign(f, dc->shift, dc->nregs) != 0) {
        dc->status = NO_MEMORY;
        return -1;
    }
    return 0;
}

/* Decodes `f` and all that it calls; *decoded becomes the list of what was decoded. */
static CUresult
decode_tree(Function *f, EmuLog *log, Function **decoded)
{
    if (f->decoded || !f->has_body) {
        return 0;
    }
    Decoder dc = {.fn = f, .module = f->module, .log = log};
    /* 1: its body, so that recursion ends here; 2: all that it calls as well
     * (emu_function_decode). */
    f->decoded = 1;
    f->decoded_before = *decoded;
    *decoded = f;
    if (decode_body(&dc) != 0) {
        decode_fail(&dc, "bad instruction"); /* unless there is a better message */
    }
    free(dc.code);
    release(&dc);
    /* Callees after the function itself: `decoded` ends the recursion on a cycle of calls. */
    for (size_t i = 0; i < f->ncallees && dc.status == 0; i++) {
        dc.status = decode_tree(f->callees[i], log, decoded);
    }
    return dc.status;
}

/* A function that failed is decoded anew, with its message, when it is asked for again. */
static void
undo_decode(Function *f)
{
    f->decoded = 0;
    free(f->code);
    free(f->reg_shift);
    free(f->constants);
    free(f->callees);
    f->code = NULL;
    f->reg_shift = NULL;
    f->constants = NULL;
    f->callees = NULL;
    f->nconstants = f->ncallees = 0;
}

/* What a kernel needs together with all that it calls. */
typedef struct {
    int unbounded; /* the call graph has a cycle or an unknown callee */
    int uses_shared;
    size_t dynamic_align;
} Needs;

/* Stack bytes of `f` and below it; *highest becomes the first place of the chain that is called
 * again from there. */
static size_t
stack_need(Function *f, Needs *needs, unsigned place, unsigned *highest)
{
    size_t deepest = 0;
    unsigned again = UINT_MAX;
    /* The function is on the chain already: a cycle, whose depth cannot be known. */
    if (f->visiting != 0) {
        needs->unbounded = 1;
        *highest = f->visiting < *highest ? f->visiting : *highest;
        return 0;
    }
    /* Depth-first over the call graph; `visiting` is the place in the current chain, so meeting it
     * again is a cycle. */
    f->visiting = place;
    needs->uses_shared |= f->uses_module_shared;
    needs->unbounded |= f->recursive;
    if (f->dynamic_align > needs->dynamic_align) {
        needs->dynamic_align = f->dynamic_align;
    }
    for (size_t i = 0; i < f->ncallees; i++) {
        size_t below = stack_need(f->callees[i], needs, place + 1, &again);
        deepest = below > deepest ? below : deepest;
    }
    f->visiting = 0;
    /* Something below calls this function or one above it again: its depth is known only when it
     * runs. */
    f->is_on_cycle |= again <= place;
    *highest = again < *highest ? again : *highest;
    return f->local_bytes + deepest;
}

/* What the launch must know of a kernel and all it can reach: stack, shared memory, alignment. */
static void
finish_entry(Function *f)
{
    Needs needs = {.dynamic_align = 16};
    unsigned highest = UINT_MAX;
    f->stack_need = stack_need(f, &needs, 1, &highest);
    f->recursive = needs.unbounded;
    /* The module's shared variables start at 0 for every kernel that uses any of them; the kernel's
     * own follow. */
    size_t base = needs.uses_shared ? round_up(f->module->shared_bytes, 128) : 0;
    /* Addresses of the entry's own shared variables, which come behind the module's. */
    for (size_t i = 0; i < f->nconstants; i++) {
        f->constants[i].value += f->constants[i].shared_local ? base : 0;
    }
    f->shared_bytes = base + f->own_shared;
    f->dynamic_align = needs.dynamic_align;
    if (needs.dynamic_align > 16) {
        /* the assembler counts the gap in front of such dynamic memory as static */
        f->shared_bytes = round_up(f->shared_bytes, needs.dynamic_align);
    }
}

/* Called by launches and by questions about a kernel. The lock covers the whole module: two kernels
 * may call the same functions. */
CUresult
emu_function_decode(Function *f, EmuLog *log)
{
    pthread_mutex_lock(&f->module->lock);
    CUresult r = 0;
    if (f->decoded < 2) {
        Function *decoded = NULL;
        r = decode_tree(f, log, &decoded);
        if (r == 0) {
            finish_entry(f);
            f->decoded = 2;
        }
        /* All that was decoded with a function that failed: on a cycle of calls, functions that
         * are whole themselves call one that is not. */
        for (; r != 0 && decoded != NULL; decoded = decoded->decoded_before) {
            undo_decode(decoded);
        }
    }
    pthread_mutex_unlock(&f->module->lock);
    return r;
}
