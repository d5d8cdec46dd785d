/* Names and operands: what stands behind an opcode, as registers, constants and addresses.
 *
 * Operands are read by form alone (decode_operands), then made into registers by the decoder of the
 * opcode, which knows the type (decode_source, decode_target). Literals, symbols and special
 * registers become rows like any other, so handlers see registers only.
 */
#include "emu/ptx/decode.h"

#include <stdio.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* Tokens are views without a final NUL, so names are compared by length. */
int
decode_same(Token t, const char *at, size_t length)
{
    return t.length == length && memcmp(t.at, at, length) == 0;
}

/* Which component ".y" names, or -1. Vector components can be named as coordinates or as colours
 * (PTX ISA, "Vectors as Operands"). */
static int
component(const char *at, size_t length)
{
    static const char letters[] = "xyzwrgba";
    const char *found = length == 2 && *at == '.' ? strchr(letters, at[1]) : NULL;
    return found == NULL || *found == '\0' ? -1 : (int)(found - letters) & 3;
}

/* .b0 to .b3, .h0 and .h1 behind an operand of a video instruction */
static uint8_t
selector(const Decoder *dc, const char *at, size_t length)
{
    /* Only video instructions start with v, and only they select parts of a word. */
    if (dc->mnemonic == NULL || dc->mnemonic[0] != 'v' || length != 3 || *at != '.') {
        return 0;
    }
    unsigned digit = (unsigned)(at[2] - '0');
    return (uint8_t)(at[1] == 'b' && digit < 4   ? 1 + digit
                     : at[1] == 'h' && digit < 2 ? 5 + digit
                                                 : 0);
}

/* "%r12" of a declared range, "%v" or its component "%v.y". */
int
decode_find_register(const Decoder *dc, Token t, Operand *o)
{
    /* From the last declaration back: inner scopes hide outer ones, and their declarations come
     * later. */
    for (size_t i = dc->ndecls; i-- > 0;) {
        const RegDecl *d = &dc->decls[i];
        if (t.length < d->length || memcmp(t.at, d->at, d->length) != 0) {
            continue;
        }
        const char *p = t.at + d->length, *end = t.at + t.length;
        uint32_t n = 0;
        if (d->count > 0) {
            const char *digits = p;
            /* The bound keeps hostile digits from overflowing. */
            for (; p < end && *p >= '0' && *p <= '9' && n < 100000; p++) {
                n = n * 10 + (uint32_t)(*p - '0');
            }
            /* "%r" may be the prefix of "%rd": another range may fit. */
            if (p == digits || n >= d->count) {
                continue;
            }
        }
        o->selector = selector(dc, p, (size_t)(end - p));
        /* ".b7531" names parts of several bytes, for SIMD video instructions. */
        if (end - p > 3 && end - p < 7 && *p == '.' && (p[1] == 'b' || p[1] == 'h') &&
            p[2] <= '9') {
            o->parts = p + 1;
            o->parts_length = (uint8_t)(end - p - 1);
        }
        p = o->selector != 0 || o->parts_length != 0 ? end : p;
        int part = p == end ? 0 : component(p, (size_t)(end - p));
        if (part < 0 || (p != end && (unsigned)part >= d->vector)) {
            continue;
        }
        o->kind = OPERAND_REG;
        /* Registers of a range and components of a vector are numbered in a row. */
        o->reg = (EmuRow)(d->first + n * d->rows + (uint32_t)part);
        o->is_pair = d->vector == 0 && d->rows == 2;
        o->count = p == end ? d->vector : 0;
        return 1;
    }
    return 0;
}

/* The innermost declaration of the name, for the same reason. */
LocalName *
decode_find_name(Decoder *dc, Token token)
{
    for (size_t i = dc->nnames; i-- > 0;) {
        if (decode_same(token, dc->names[i].at, dc->names[i].length)) {
            return &dc->names[i];
        }
    }
    return NULL;
}

/* Parameters are few: a linear search by full name. */
static int
find_param(const Param *rows, size_t n, Token t)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(rows[i].name) == t.length && memcmp(rows[i].name, t.at, t.length) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Fills a symbol operand; 0 when the name is known. */
static int
find_symbol(Decoder *dc, Token t, Operand *o)
{
    /* Inner names hide outer ones: local variables, then parameters and results, then the module.
     */
    LocalName *local = decode_find_name(dc, t);
    o->kind = OPERAND_SYMBOL;
    if (local != NULL) {
        o->name = local->kind;
        o->index = (uint32_t)(local - dc->names);
        return 0;
    }
    int i = find_param(dc->fn->params, dc->fn->nparams, t);
    if (i >= 0) {
        o->name = NAME_PARAM;
        o->index = (uint32_t)i;
        return 0;
    }
    i = find_param(dc->fn->results, dc->fn->nresults, t);
    if (i >= 0) {
        o->name = NAME_RESULT;
        o->index = (uint32_t)i;
        return 0;
    }
    Symbol *s = emu_module_symbol(dc->module, dc->fn->unit, t.at, t.length);
    if (s == NULL) {
        return -1;
    }
    o->name = s->kind == EMU_SYMBOL_FUNCTION ? NAME_FUNCTION : NAME_VARIABLE;
    o->index = s->value;
    return 0;
}

/* Special registers by name, in the order of their numbers (special.def). */
static const struct {
    const char *name;
    uint8_t shift, family;
} specials[] = {
#define SPECIAL(name, id, shift, family) {name, shift, family},
#include "emu/exec/special.def"
#undef SPECIAL
};

/* A family's name is followed by a number, "%envreg3"; the number itself is not needed. */
static int
find_special(Token t, uint32_t *index)
{
    if (t.length < 2 || *t.at != '%') {
        return 0;
    }
    for (uint32_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        size_t n = strlen(specials[i].name);
        if (t.length < n || memcmp(t.at, specials[i].name, n) != 0) {
            continue;
        }
        size_t digits = n;
        while (specials[i].family && digits < t.length && t.at[digits] >= '0' &&
               t.at[digits] <= '9') {
            digits++;
        }
        if (digits == t.length && (t.length == n) == !specials[i].family) {
            *index = i;
            return 1;
        }
    }
    return 0;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* A literal or a constant expression (PTX ISA, "Constant Expressions"), whose value is an integer.
 */
static int
number_operand(Decoder *dc, Operand *o)
{
    Lexer start = dc->lx;
    o->kind = OPERAND_NUMBER;
    o->minus = emu_lex_accept(&dc->lx, "-");
    if (dc->lx.token.kind == TOKEN_NUMBER && emu_lex_number(&dc->lx.token, &o->number) == 0) {
        emu_lex_next(&dc->lx);
        /* A literal by itself, the common case; anything behind it makes it a constant expression,
         * read again from the start. */
        if (strchr(",;]}", *dc->lx.token.at) != NULL) {
            return 0;
        }
    }
    dc->lx = start;
    o->minus = 0;
    o->number.kind = NUMBER_INT;
    if (emu_lex_expression(&dc->lx, &o->number.bits) != 0) {
        return decode_fail(dc, "bad number near '%.*s'", (int)dc->lx.token.length, dc->lx.token.at);
    }
    return 0;
}

/* "+ 8", "+-8", "- 8" behind a name. Addresses are a name or register with any number of constants
 * added. */
static int
addend(Decoder *dc, Operand *o)
{
    while (emu_lex_is(&dc->lx, "+") || emu_lex_is(&dc->lx, "-")) {
        int minus = emu_lex_is(&dc->lx, "-");
        emu_lex_next(&dc->lx);
        /* A minus sign may be repeated; the offset itself is unsigned. */
        minus ^= emu_lex_accept(&dc->lx, "-");
        Number n;
        if (dc->lx.token.kind != TOKEN_NUMBER || emu_lex_number(&dc->lx.token, &n) != 0) {
            return decode_fail(dc, "bad offset");
        }
        emu_lex_next(&dc->lx);
        o->add += minus ? -(int64_t)n.bits : (int64_t)n.bits;
    }
    return 0;
}

/* A whole vector register as the list of its components. */
static int
spread(Decoder *dc, Operand *o)
{
    if (dc->nelements + o->count > sizeof dc->elements / sizeof *dc->elements) {
        return decode_fail(dc, "a vector is too long");
    }
    o->kind = OPERAND_VECTOR;
    o->elements = &dc->elements[dc->nelements];
    for (uint32_t i = 0; i < o->count; i++) {
        dc->elements[dc->nelements++] =
            (Operand){.kind = OPERAND_REG, .reg = (EmuRow)(o->reg + i), .second = DECODE_NO_REG};
    }
    return 0;
}

/* "[3]" behind a variable's name: the address of an element (PTX ISA, "Arrays as Operands"). */
static int
element(Decoder *dc, Operand *o)
{
    /* Only variables with a known element size can be indexed. */
    size_t unit = o->name == NAME_LOCAL || o->name == NAME_SHARED ? dc->names[o->index].unit
                  : o->name == NAME_VARIABLE ? dc->module->variables[o->index].element
                                             : 0;
    Number n;
    if (unit == 0 || dc->lx.token.kind != TOKEN_NUMBER || emu_lex_number(&dc->lx.token, &n) != 0) {
        return decode_fail(dc, "bad element of an array");
    }
    emu_lex_next(&dc->lx);
    o->add += (int64_t)(n.bits * unit);
    o->is_element = 1;
    return emu_lex_accept(&dc->lx, "]") ? 0 : decode_fail(dc, "expected ]");
}

static int
name_operand(Decoder *dc, Operand *o)
{
    Token t = dc->lx.token;
    o->token = t;
    emu_lex_next(&dc->lx);
    /* "_" discards a result, or stands for no operand. */
    if (t.length == 1 && *t.at == '_') {
        o->kind = OPERAND_SINK;
    }
    else if (decode_find_register(dc, t, o)) {
        if (o->count > 0 && spread(dc, o) != 0) {
            return -1;
        }
    }
    else if (decode_same(t, "WARP_SZ", 7)) {
        /* WARP_SZ is a predefined constant (PTX ISA, "Identifiers"). */
        o->kind = OPERAND_NUMBER;
        o->number = (Number){.bits = EMU_WARP, .kind = NUMBER_INT};
    }
    else if (find_special(t, &o->index)) {
        o->kind = OPERAND_SPECIAL;
    }
    else if (find_symbol(dc, t, o) != 0) {
        return decode_fail(dc, "unknown name '%.*s'", (int)t.length, t.at);
    }
    else if (emu_lex_accept(&dc->lx, "[") && element(dc, o) != 0) {
        return -1;
    }
    /* "p|q": two results; a discarded second one is told apart from none. */
    if (emu_lex_accept(&dc->lx, "|")) {
        Operand q = {.second = DECODE_NO_REG};
        if (name_operand(dc, &q) != 0) {
            return -1;
        }
        o->second = q.kind == OPERAND_SINK ? DECODE_NO_REG - 1u : q.reg;
    }
    return addend(dc, o);
}

/* Reads one operand, whatever it may be; which kinds fit is for the opcode's decoder to say. */
int
decode_operand(Decoder *dc, Operand *o)
{
    memset(o, 0, sizeof *o);
    o->second = DECODE_NO_REG;
    Lexer *lx = &dc->lx;
    if (emu_lex_accept(lx, "!")) {
        o->negate = 1;
    }
    if (emu_lex_accept(lx, "[")) {
        /* Inside of the brackets stands an operand of its own, of which the address is made. */
        Operand base;
        if (decode_operand(dc, &base) != 0) {
            return -1;
        }
        *o = base;
        o->base = base.kind;
        o->kind = OPERAND_MEMORY;
        /* Only textures, surfaces and tensor copies have a second part within the brackets. */
        if (strchr("tsc", *dc->mnemonic) != NULL) { /* [texture or tensor map, {x, y}] */
            Operand coordinates = {0};
            if (emu_lex_accept(lx, ",") && decode_operand(dc, &coordinates) != 0) {
                return -1;
            }
            o->elements = coordinates.elements;
            o->count = coordinates.count;
        }
        if (emu_lex_is(lx, ",")) { /* separate samplers */
            return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length,
                               dc->opcode.at);
        }
        return emu_lex_accept(lx, "]") ? 0 : decode_fail(dc, "expected ]");
    }
    if (emu_lex_accept(lx, "{")) {
        o->kind = OPERAND_VECTOR;
        o->elements = &dc->elements[dc->nelements];
        /* The elements of all vectors of an instruction share one array, so pointers into it stay
         * valid. */
        while (!emu_lex_accept(lx, "}")) {
            if (dc->nelements >= sizeof dc->elements / sizeof *dc->elements) {
                return decode_fail(dc, "a vector is too long");
            }
            if (decode_operand(dc, &dc->elements[dc->nelements++]) != 0) {
                return -1;
            }
            o->count++;
            emu_lex_accept(lx, ",");
        }
        if (emu_lex_accept(lx, "|")) { /* {a, b, c, d}|p */
            Operand second;
            if (decode_operand(dc, &second) != 0 || second.kind != OPERAND_REG) {
                return decode_fail(dc, "expected a predicate behind |");
            }
            o->second = second.reg;
        }
        return 0;
    }
    /* "(", "~" and "+" can only begin a constant expression. */
    if (lx->token.kind == TOKEN_MARK && strchr("(~+", *lx->token.at) != NULL) {
        return number_operand(dc, o);
    }
    /* A minus is the sign of a literal, except before a register of a video instruction. */
    if (lx->token.kind == TOKEN_NUMBER || emu_lex_is(lx, "-")) {
        Lexer probe = *lx;
        emu_lex_next(&probe);
        if (lx->token.kind == TOKEN_NUMBER || probe.token.kind != TOKEN_NAME ||
            *dc->mnemonic != 'v') {
            return number_operand(dc, o);
        }
        *lx = probe; /* "-%r1" of vmad */
        o->negate = 1;
    }
    if (lx->token.kind == TOKEN_NAME) {
        return name_operand(dc, o);
    }
    return decode_fail(dc, "unexpected '%.*s'", (int)lx->token.length, lx->token.at);
}

/* All operands of the instruction, separated by commas, up to the semicolon. */
int
decode_operands(Decoder *dc)
{
    dc->noperands = 0;
    dc->nelements = 0;
    while (!emu_lex_is(&dc->lx, ";")) {
        if (dc->noperands >= sizeof dc->operands / sizeof *dc->operands) {
            return decode_fail(dc, "too many operands");
        }
        if (decode_operand(dc, &dc->operands[dc->noperands++]) != 0) {
            return -1;
        }
        if (!emu_lex_accept(&dc->lx, ",") && !emu_lex_is(&dc->lx, ";")) {
            return decode_fail(dc, "expected , or ; near '%.*s'", (int)dc->lx.token.length,
                               dc->lx.token.at);
        }
    }
    emu_lex_next(&dc->lx);
    /* The operands behind the last one say that they are missing, so decoders need not count first.
     */
    for (size_t k = dc->noperands; k < sizeof dc->operands / sizeof *dc->operands; k++) {
        dc->operands[k].kind = OPERAND_NONE;
    }
    return 0;
}

/* The bits of a literal in the type that the instruction wants: 0f and 0d literals and integers
 * convert to it (PTX ISA, "Constants"). */
uint64_t
decode_number(const Operand *o, Type type)
{
    const Number *n = &o->number;
    double wide = 0;
    memcpy(&wide, &n->bits, 8);
    if (n->kind == NUMBER_INT) {
        uint64_t v = o->minus ? 0 - n->bits : n->bits;
        /* Integers are taken as they are; callers cut them to the width. */
        if (type.kind != 'f') {
            return v;
        }
        wide = (double)(int64_t)v;
    }
    else if (o->minus) {
        wide = -wide;
    }
    uint64_t bits = 0;
    if (type.bits == 64) {
        memcpy(&bits, &wide, 8);
        return bits;
    }
    /* A single-precision literal keeps its exact bits, also those of a NaN. */
    float narrow = n->kind == NUMBER_SINGLE ? (o->minus ? -n->single : n->single) : (float)wide;
    memcpy(&bits, &narrow, 4);
    return bits;
}

/* The instruction's offset is relative to the end of the local variables, which is known only when
 * the body has been read. */
void
decode_fix_out(Decoder *dc, int32_t instr)
{
    int32_t *slot = DECODE_PUSH(dc, fixups, nfixups, fixups_capacity);
    *slot = instr;
}

/* A register that holds the address of a symbol, as `mov` gives it. */
EmuRow
decode_address_of(Decoder *dc, const Operand *o)
{
    Function *f = dc->fn;
    uint64_t value = 0;
    int32_t out = -1;
    Instr *in;
    switch (o->name) {
    case NAME_FUNCTION:
        /* Code addresses are numbers of functions, 16 apart (exec_control.c). */
        return decode_constant(dc, 3, EMU_CODE_WINDOW + 16ull * o->index, 0);
    case NAME_VARIABLE: {
        /* Dynamic shared memory begins where static memory ends, which depends on the launch. */
        const Variable *v = &dc->module->variables[o->index];
        if (v->space == EMU_SPACE_SHARED && v->is_extern) {
            f->dynamic_align = v->align > f->dynamic_align ? v->align : f->dynamic_align;
            in = decode_emit(dc, emu_run_dynamic_address);
            in->imm = o->add;
            in->nd = 1;
            return in->op[0] = decode_temp(dc, 3);
        }
        if (v->is_extern) {
            decode_fail(dc, "unresolved extern variable '%s'", v->name);
        }
        f->uses_module_shared |= v->space == EMU_SPACE_SHARED;
        return decode_constant(dc, 3, v->address + (uint64_t)o->add, 0);
    }
    case NAME_SHARED:
        /* A called function's shared variable has its final place; an entry's is moved behind the
         * module's by finish_entry. */
        if (!f->is_entry) {
            f->uses_module_shared = 1;
            return decode_constant(dc, 3, dc->names[o->index].offset + (uint64_t)o->add, 0);
        }
        return decode_constant(dc, 3, dc->names[o->index].offset + (uint64_t)o->add, 1);
    case NAME_PARAM:
        /* A kernel's parameters have fixed addresses in their window; those of functions are in the
         * frame. */
        if (f->is_entry) {
            return decode_constant(dc, 3, f->params[o->index].offset + (uint64_t)o->add, 0);
        }
        value = f->params[o->index].offset;
        break;
    case NAME_RESULT:
        value = f->results[o->index].offset;
        break;
    case NAME_LOCAL:
        value = dc->names[o->index].offset;
        break;
    case NAME_OUT:
        out = (int32_t)o->index;
        break;
    default:
        decode_fail(dc, "the name '%.*s' has no address", (int)o->token.length, o->token.at);
    }
    in = decode_emit(dc, emu_run_local_address);
    in->imm = (int64_t)value + o->add;
    in->nd = 1;
    in->op[0] = decode_temp(dc, 3);
    EmuRow reg = in->op[0];
    /* The place of an outgoing argument is known at its call. */
    if (out >= 0) {
        struct Pending *p = DECODE_PUSH(dc, pending, npending, pending_capacity);
        *p = (struct Pending){(int32_t)dc->ncode - 1, (uint32_t)out};
    }
    return reg;
}

static const char *
shift_type(unsigned shift, char kind)
{
    static const char *const u[] = {"pred", "u16", "u32", "u64"};
    static const char *const s[] = {"pred", "s16", "s32", "s64"};
    return kind == 's' ? s[shift] : u[shift];
}

/* Emits a change of width and returns the new register. Sources may be narrower or wider than the
 * instruction's type: ld and st allow it, as do moves of sub-word registers. */
static EmuRow
resize(Decoder *dc, EmuRow reg, unsigned from, unsigned to, char kind)
{
    char key[32];
    EmuRow d = decode_temp(dc, to);
    if (from == 0 || to == 0) {
        decode_fail(dc, "a predicate where a number is needed");
        return d;
    }
    snprintf(key, sizeof key, "cvt.%s.%s", shift_type(to, 'u'), shift_type(from, kind));
    decode_lane(dc, key, (EmuRow[]){d, reg}, 2);
    return d;
}

/* Each use reads the register anew, since clocks and timers change. */
static EmuRow
special_register(Decoder *dc, uint32_t index)
{
    EmuRow d = decode_temp(dc, specials[index].shift);
    Instr *in = decode_emit(dc, emu_run_sreg);
    in->imm = index;
    in->nd = 1;
    return in->op[0] = d;
}

EmuRow
decode_special(Decoder *dc, const char *name)
{
    uint32_t index = 0;
    find_special((Token){.at = name, .length = strlen(name)}, &index);
    return special_register(dc, index);
}

/* Makes an operand a register of the type's width, emitting what is needed before the instruction.
 */
EmuRow
decode_source(Decoder *dc, const Operand *o, Type type)
{
    unsigned want = decode_shift(type);
    EmuRow reg = 0;
    switch (o->kind) {
    case OPERAND_REG:
        reg = o->reg;
        break;
    case OPERAND_NUMBER: {
        /* a predicate is 0 or 1, whatever number stands for true */
        uint64_t value = decode_number(o, type);
        value = want == 0 ? (value != 0) ^ (o->negate != 0) : value;
        return decode_constant(dc, want, value, 0);
    }
    case OPERAND_SYMBOL:
        reg = decode_address_of(dc, o);
        break;
    case OPERAND_SPECIAL:
        reg = special_register(dc, o->index);
        break;
    case OPERAND_SINK:
        return decode_constant(dc, want, 0, 0);
    default:
        decode_fail(dc, "unexpected operand");
        return decode_constant(dc, want, 0, 0);
    }
    /* Widths are those of lanes: sub-word types have 16 bits. */
    unsigned have = decode_reg_shift(dc, reg);
    if (have != want) {
        reg = resize(dc, reg, have, want, type.kind);
    }
    if (o->negate && want != 0) {
        decode_fail(dc, "only a predicate can be negated");
    }
    else if (o->negate) {
        EmuRow d = decode_temp(dc, 0);
        decode_lane(dc, "not.pred", (EmuRow[]){d, reg}, 2);
        reg = d;
    }
    return reg;
}

/* A destination of the right width: the register itself, or a temporary that decode_finish
 * converts. */
EmuRow
decode_target(Decoder *dc, const Operand *o, Type type)
{
    unsigned want = decode_shift(type);
    if (o->kind == OPERAND_REG && dc->shift[o->reg] == want) {
        return o->reg;
    }
    if (o->kind != OPERAND_REG && o->kind != OPERAND_SINK) {
        decode_fail(dc, "the destination is not a register");
    }
    return decode_temp(dc, want);
}

/* Widens or narrows the temporary into the register, by the rules of cvt for the type. */
void
decode_finish(Decoder *dc, const Operand *o, EmuRow reg, Type type)
{
    if (o->kind != OPERAND_REG || o->reg == reg) {
        return;
    }
    char key[32];
    snprintf(key, sizeof key, "cvt.%s.%s", shift_type(dc->shift[o->reg], 'u'),
             shift_type(decode_shift(type), type.kind));
    decode_lane(dc, key, (EmuRow[]){o->reg, reg}, 2);
}

/* Emits the lane operation of that key. The signature of the loop is checked against the operands
 * here, so handlers need no checks. */
Instr *
decode_lane(Decoder *dc, const char *key, const EmuRow *ops, size_t n)
{
    const LaneEntry *entry = emu_lane_find(key);
    if (entry == NULL) {
        decode_fail(dc, "unsupported instruction '%.*s' (no operation %s)", (int)dc->opcode.length,
                    dc->opcode.at, key);
        return NULL;
    }
    if (n != (size_t)entry->nd + entry->ns) {
        decode_fail(dc, "wrong number of operands for '%.*s'", (int)dc->opcode.length,
                    dc->opcode.at);
        return NULL;
    }
    Instr *in = decode_emit(dc, emu_run_alu);
    in->fn = entry->fn;
    in->nd = entry->nd;
    in->ns = entry->ns;
    memcpy(in->op, ops, n * sizeof *ops);
    /* The common shapes have handlers of their own, which also know affine results. */
    if (entry->nd == 1 && entry->ns <= 3) {
        in->run = entry->ns == 1 ? emu_run_alu1 : entry->ns == 2 ? emu_run_alu2 : emu_run_alu3;
        in->affine = emu_affine_find(entry->key);
    }
    return in;
}
