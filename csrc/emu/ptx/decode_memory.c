/* Loads, stores, atomics and calls: everything whose operand is an address in some state space.
 * Parameters of a .func, the arguments of a call and .local variables all live in the frame's part
 * of local memory, at offsets known here.
 *
 * The decoder settles the state space, size and flags of an access, and the register that holds the
 * address; bounds and alignment are judged when it runs (exec_memory.c).
 */
#include "emu/ptx/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Type type_b64 = {'b', 64, 0};

static int
unsupported(Decoder *dc)
{
    return decode_fail(dc, "unsupported instruction '%.*s'", (int)dc->opcode.length, dc->opcode.at);
}

/* No space among the modifiers means a generic address (PTX ISA, "Generic Addressing"). */
EmuSpace
decode_space(const Decoder *dc)
{
    static const struct {
        const char *name;
        EmuSpace space;
    } names[] = {{"global", EMU_SPACE_GLOBAL},         {"shared", EMU_SPACE_SHARED},
                 {"local", EMU_SPACE_LOCAL},           {"const", EMU_SPACE_CONST},
                 {"param", EMU_SPACE_PARAM},           {"shared::cta", EMU_SPACE_SHARED},
                 {"param::entry", EMU_SPACE_PARAM},    {"param::func", EMU_SPACE_PARAM},
                 {"shared::cluster", EMU_SPACE_SHARED}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (decode_has(dc, names[k].name)) {
            return names[k].space;
        }
    }
    return EMU_SPACE_GENERIC;
}

/* The element type of an access: the only type of the opcode. */
static int
memory_type(const Decoder *dc, Type *type)
{
    for (size_t i = 0; i < dc->nmods; i++) {
        if (decode_type(dc->mods[i].at, dc->mods[i].length, type)) {
            return 1;
        }
    }
    return 0;
}

/* What stands in the brackets. reg DECODE_NO_REG: imm is relative to the frame's local memory. */
typedef struct {
    EmuRow reg;
    int64_t imm;
    int out; /* index of an out parameter whose place is not known yet, or -1 */
    int is_local;
} Address;

/* Whether the name lies in the frame: then no register is needed for its address. */
static int
frame_offset(Decoder *dc, const Operand *o, Address *a)
{
    const Function *f = dc->fn;
    switch (o->name) {
    case NAME_LOCAL:
        a->imm = (int64_t)dc->names[o->index].offset + o->add;
        return 1;
    case NAME_OUT:
        a->out = (int)o->index;
        a->imm = o->add;
        return 1;
    case NAME_PARAM:
        a->imm = (int64_t)f->params[o->index].offset + o->add;
        /* A kernel's parameters lie in the launch's buffer, a function's in the frame, where its
         * caller put them. */
        return !f->is_entry;
    case NAME_RESULT:
        a->imm = (int64_t)f->results[o->index].offset + o->add;
        return 1;
    default:
        return 0;
    }
}

/* Splits "[base + offset]" into register and offset, so that loops of lanes can add the constant in
 * passing. */
static int
address(Decoder *dc, const Operand *o, Address *a)
{
    *a = (Address){.reg = DECODE_NO_REG, .out = -1};
    Operand of_element = *o;
    /* "array[n]" without brackets is an address as well. */
    if (o->kind == OPERAND_SYMBOL && o->is_element) {
        of_element.kind = OPERAND_MEMORY;
        of_element.base = OPERAND_SYMBOL;
        o = &of_element;
    }
    if (o->kind != OPERAND_MEMORY) {
        return decode_fail(dc, "expected an address in brackets");
    }
    if (o->base == OPERAND_REG) {
        a->reg = o->reg;
        a->imm = o->add;
        return decode_reg_shift(dc, a->reg) >= 2 && !o->is_pair
                   ? 0
                   : decode_fail(dc, "an address has 32 or 64 bits");
    }
    if (o->base == OPERAND_NUMBER) {
        a->reg = decode_constant(dc, 3, decode_number(o, type_b64), 0);
        return 0;
    }
    if (o->base != OPERAND_SYMBOL) {
        return decode_fail(dc, "expected a register, a name or a number in brackets");
    }
    /* Addresses of the frame are relative to it; finish_memory makes them accesses without a
     * register. */
    if (frame_offset(dc, o, a)) {
        a->is_local = 1;
        return 0;
    }
    /* Any other symbol has a constant address, or one known to the block (dynamic shared memory).
     */
    Operand symbol = *o;
    symbol.kind = OPERAND_SYMBOL;
    symbol.add = 0;
    a->reg = decode_address_of(dc, &symbol);
    a->imm = o->add;
    return 0;
}

/* For instructions whose handlers take one address per lane and know no offsets. */
EmuRow
decode_address(Decoder *dc, EmuSpace space, const Operand *o)
{
    Address a;
    if (address(dc, o, &a) != 0) {
        return decode_constant(dc, 3, 0, 0);
    }
    if (a.is_local) {
        Operand symbol = *o;
        symbol.kind = OPERAND_SYMBOL;
        return decode_address_of(dc, &symbol);
    }
    Operand base = {.kind = OPERAND_REG, .reg = a.reg, .second = DECODE_NO_REG};
    if (a.imm != 0 && emu_space_wraps(space) && decode_reg_shift(dc, a.reg) == 2) {
        /* goes round at 32 bits; wider sums are cut where they are used */
        base.reg = decode_temp(dc, 2);
        decode_lane(dc, "add.u32",
                    (EmuRow[]){base.reg, a.reg, decode_constant(dc, 2, (uint32_t)a.imm, 0)}, 3);
        return decode_source(dc, &base, (Type){'u', 64, 0});
    }
    /* Constants have 64 bits already. */
    EmuRow r = a.reg >= DECODE_CONST ? a.reg : decode_source(dc, &base, (Type){'u', 64, 0});
    if (a.imm == 0) {
        return r;
    }
    EmuRow d = decode_temp(dc, 3);
    decode_lane(dc, "add.u64", (EmuRow[]){d, r, decode_constant(dc, 3, (uint64_t)a.imm, 0)}, 3);
    return d;
}

/* The size of the access in memory, which may be smaller than the lane's. */
static unsigned
log2_bytes(Type type)
{
    return type.bits == 64 ? 3 : type.bits == 32 ? 2 : type.bits == 16 ? 1 : 0;
}

/* A load that may see what another thread writes meanwhile: a loop around it waits. */
static uint8_t
poll_flag(const Decoder *dc)
{
    return decode_has(dc, "volatile") || decode_has(dc, "relaxed") || decode_has(dc, "acquire") ||
                   decode_has(dc, "mmio")
               ? EMU_FLAG_POLL
               : 0;
}

/* Stores and atomics with release semantics, for the check of races. */
static uint8_t
release_flag(const Decoder *dc)
{
    return decode_has(dc, "release") || decode_has(dc, "acq_rel") ? EMU_FLAG_RELEASE : 0;
}

/* Completes a load or store whose operands (but the address) are in place. */
static int
finish_memory(Decoder *dc, Instr *in, const Address *a, Type type)
{
    EmuSpace space = a->is_local ? EMU_SPACE_LOCAL : decode_space(dc);
    /* .param of a called function is the frame's own memory. */
    if (space == EMU_SPACE_PARAM && !dc->fn->is_entry) {
        space = EMU_SPACE_LOCAL;
    }
    in->space = (uint8_t)space;
    in->size = (uint8_t)log2_bytes(type);
    in->imm = a->imm;
    in->flags |=
        (uint8_t)((type.kind == 's' ? EMU_FLAG_SIGNED : 0) | poll_flag(dc) | release_flag(dc));
    /* The address register is the last source. -1: relative to the frame. */
    in->target = a->reg == DECODE_NO_REG ? -1 : in->nd + in->ns;
    if (a->reg != DECODE_NO_REG) {
        in->op[in->nd + in->ns++] = a->reg;
    }
    if (a->out >= 0) {
        dc->pending =
            decode_grow(dc, dc->pending, &dc->pending_capacity, dc->npending, sizeof *dc->pending);
        /* The place of an outgoing parameter depends on the call that takes it, which comes later
         * in the text. */
        dc->pending[dc->npending++] = (struct Pending){(int32_t)(in - dc->code), (uint32_t)a->out};
        /* The call has been seen already, when a result is read behind it: its place is known. */
        if (dc->names[a->out].resolved) {
            in->imm += (int64_t)dc->names[a->out].offset;
            decode_fix_out(dc, (int32_t)(in - dc->code));
            dc->npending--;
        }
    }
    return dc->status;
}

/* 128-bit registers are two rows of 64 bits, and move like a vector of two. */
static Type
as_halves(Decoder *dc, Operand *o, Type type)
{
    if (type.bits != 128) {
        return type;
    }
    Operand list[DECODE_VECTOR];
    uint32_t n = o->kind == OPERAND_VECTOR ? o->count : 1, count = 0;
    for (uint32_t i = 0; i < n && count + 2 <= DECODE_VECTOR; i++) {
        Operand whole = o->kind == OPERAND_VECTOR ? o->elements[i] : *o;
        if (whole.kind != OPERAND_REG || !whole.is_pair) {
            decode_fail(dc, "a 128-bit operand that is no .b128 register");
            return type_b64;
        }
        whole.is_pair = 0;
        list[count++] = whole;
        whole.reg++;
        list[count++] = whole;
    }
    if (dc->nelements + count > sizeof dc->elements / sizeof *dc->elements) {
        decode_fail(dc, "a vector is too long");
        return type_b64;
    }
    o->kind = OPERAND_VECTOR;
    o->elements = &dc->elements[dc->nelements];
    o->count = count;
    memcpy(o->elements, list, count * sizeof *list);
    dc->nelements += count;
    return type_b64;
}

/* ld, ldu and their vector forms. */
int
decode_load(Decoder *dc)
{
    Type type;
    Address a;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands < 2 || !memory_type(dc, &type)) {
        return unsupported(dc);
    }
    Operand *o = &dc->operands[0];
    type = as_halves(dc, &dc->operands[0], type);
    Operand *elements = o->kind == OPERAND_VECTOR ? o->elements : o;
    uint32_t count = o->kind == OPERAND_VECTOR ? o->count : 1;
    if (count > DECODE_VECTOR) {
        return decode_fail(dc, "a vector is too long");
    }
    if (address(dc, &dc->operands[1], &a) != 0) {
        return -1;
    }
    EmuRow regs[DECODE_VECTOR];
    /* There are no 8-bit rows: bytes live in 16-bit lanes. */
    Type lane = type.bits == 8 ? (Type){type.kind, 16, 0} : type;
    for (uint32_t i = 0; i < count; i++) {
        /* a wider register takes the extended value directly */
        int wide =
            elements[i].kind == OPERAND_REG && dc->shift[elements[i].reg] > decode_shift(lane);
        regs[i] = wide ? elements[i].reg : decode_target(dc, &elements[i], lane);
    }
    /* A kernel's parameters are the same for all threads, so such loads give uniform values. */
    int kernel_param = decode_space(dc) == EMU_SPACE_PARAM && dc->fn->is_entry && !a.is_local;
    Instr *in = decode_emit(dc, kernel_param ? emu_run_load_param : emu_run_load);
    in->count = (uint8_t)count;
    in->nd = (uint8_t)count;
    memcpy(in->op, regs, count * sizeof *regs);
    return finish_memory(dc, in, &a, type);
}

/* st, and st.async with its mbarrier. */
int
decode_store(Decoder *dc)
{
    Type type;
    Address a;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    if (dc->noperands < 2 || !memory_type(dc, &type) || decode_has(dc, "bulk")) {
        return unsupported(dc);
    }
    Operand *o = &dc->operands[1];
    type = as_halves(dc, &dc->operands[1], type);
    Operand *elements = o->kind == OPERAND_VECTOR ? o->elements : o;
    uint32_t count = o->kind == OPERAND_VECTOR ? o->count : 1;
    EmuRow regs[DECODE_VECTOR];
    if (count > DECODE_VECTOR) {
        return decode_fail(dc, "a vector is too long");
    }
    for (uint32_t i = 0; i < count; i++) {
        /* a wider register gives its low bits */
        int wide =
            elements[i].kind == OPERAND_REG && dc->shift[elements[i].reg] > decode_shift(type);
        regs[i] = wide ? elements[i].reg : decode_source(dc, &elements[i], type);
    }
    if (address(dc, &dc->operands[0], &a) != 0) {
        return -1;
    }
    Instr *in = decode_emit(dc, emu_run_store);
    in->count = (uint8_t)count;
    in->ns = (uint8_t)count;
    memcpy(in->op, regs, count * sizeof *regs);
    finish_memory(dc, in, &a, type);
    if (decode_has(dc, "async") && decode_has(dc, "mbarrier::complete_tx::bytes")) {
        /* st.async writes shared memory of a block of the cluster. */
        dc->code[dc->ncode - 1].space = EMU_SPACE_SHARED;
        return dc->noperands == 3
                   ? decode_async_signal(dc, &dc->operands[2], count * (type.bits / 8u))
                   : unsupported(dc);
    }
    return dc->status;
}

/* The type decides the function: f16x2 and bf16x2 combine both halves in one word. */
EmuAtomFn
decode_atom_function(const Decoder *dc, Type *type)
{
    static const char *const ops[] = {"add", "min", "max",  "inc", "dec", "and",
                                      "or",  "xor", "exch", "cas", NULL};
    const char *op = NULL;
    char key[32];
    for (size_t k = 0; ops[k] != NULL; k++) {
        op = decode_has(dc, ops[k]) ? ops[k] : op;
    }
    if (op == NULL || !memory_type(dc, type)) {
        return NULL;
    }
    snprintf(key, sizeof key, "%s.%s%d%s", op,
             type->kind == 'h'   ? "f"
             : type->kind == 'g' ? "bf"
             : type->kind == 'f' ? "f"
             : type->kind == 's' ? "s"
                                 : "u",
             type->is_x2 ? 16 : type->bits, type->is_x2 ? "x2" : "");
    return emu_atom_find(key);
}

/* One atomic on [a.reg + a.imm]: operands d, b, c, address. red has no destination in the text, but
 * the handler expects a register. */
static void
emit_atom(Decoder *dc, EmuAtomFn fn, Type type, const Address *a, const EmuRow *dbc, int wanted)
{
    Instr *in = decode_emit(dc, emu_run_atom);
    int swaps = decode_has(dc, "cas") || decode_has(dc, "exch");
    in->ptr = (const void *)fn;
    in->count = 1;
    in->nd = 1;
    in->ns = 2;
    memcpy(in->op, dbc, 3 * sizeof *dbc);
    finish_memory(dc, in, a, type);
    in = &dc->code[dc->ncode - 1];
    /* cas and exch are used for locks: a loop around them may wait. */
    in->flags =
        (uint8_t)((wanted ? EMU_FLAG_VALUE : 0) | (swaps ? EMU_FLAG_POLL : 0) | release_flag(dc));
}

/* atom...v2.f32 {d0, d1}, [a], {b0, b1}: one atomic per element, which is all that is promised (PTX
 * ISA, atom). */
static int
atom_vector(Decoder *dc, EmuAtomFn fn, Type type, Address a)
{
    int is_red = dc->mnemonic_length == 3;
    const Operand *values = &dc->operands[is_red ? 1 : 2];
    if (!is_red && a.reg < DECODE_CONST) {
        /* a destination may be the address register */
        EmuRow copy = decode_temp(dc, decode_reg_shift(dc, a.reg));
        decode_lane(dc, decode_reg_shift(dc, a.reg) == 3 ? "mov.b64" : "mov.b32",
                    (EmuRow[]){copy, a.reg}, 2);
        a.reg = copy;
    }
    EmuRow b[DECODE_VECTOR];
    /* The same number of elements for values and results. */
    if (values->count > DECODE_VECTOR) {
        return unsupported(dc);
    }
    for (uint32_t i = 0; i < values->count; i++) {
        b[i] = decode_source(dc, &values->elements[i], type);
        /* Copies for the same reason: the first atomic may overwrite the value of the second. */
        if (!is_red && b[i] < DECODE_CONST) {
            EmuRow copy = decode_temp(dc, decode_shift(type));
            char key[16];
            snprintf(key, sizeof key, "mov.b%d", 8 << decode_shift(type));
            decode_lane(dc, key, (EmuRow[]){copy, b[i]}, 2);
            b[i] = copy;
        }
    }
    for (uint32_t i = 0; i < values->count; i++, a.imm += type.bits / 8) {
        const Operand *to = is_red ? NULL : &dc->operands[0].elements[i];
        EmuRow d = is_red ? decode_temp(dc, decode_shift(type)) : decode_target(dc, to, type);
        EmuRow none = decode_constant(dc, decode_shift(type), 0, 0);
        emit_atom(dc, fn, type, &a, (EmuRow[]){d, b[i], none}, !is_red);
    }
    return dc->status;
}

/* atom.exch.b128 and atom.cas.b128: operands d (two rows), b, c (two each), address */
static int
atom_pair(Decoder *dc, const Address *a)
{
    const Operand *o = dc->operands;
    int is_cas = decode_has(dc, "cas");
    /* Operands must be .b128 registers. */
    if (dc->noperands < 3u + (unsigned)is_cas || !o[0].is_pair || !o[2].is_pair ||
        (is_cas && !o[3].is_pair)) {
        return unsupported(dc);
    }
    Instr *in = decode_emit(dc, emu_run_atom_pair);
    /* exch has no c; any row will do. */
    EmuRow c = is_cas ? o[3].reg : o[2].reg;
    EmuRow ops[] = {o[0].reg, (EmuRow)(o[0].reg + 1), o[2].reg, (EmuRow)(o[2].reg + 1),
                    c,        (EmuRow)(c + 1)};
    memcpy(in->op, ops, sizeof ops);
    in->nd = 2;
    in->ns = 4;
    in->count = 1;
    finish_memory(dc, in, a, type_b64);
    in = &dc->code[dc->ncode - 1];
    /* log2 of 16 bytes. */
    in->size = 4;
    in->flags = (uint8_t)(EMU_FLAG_POLL | (is_cas ? EMU_FLAG_VALUE : 0) | release_flag(dc));
    return dc->status;
}

/* atom[.sem][.scope][.space].op.type d, [a], b[, c][, policy];  red is the same without d;
 * red.async ... [a], b, [mbarrier]. */
int
decode_atom(Decoder *dc)
{
    Type type;
    Address a;
    int is_red = dc->mnemonic_length == 3;
    if (decode_operands(dc) != 0) {
        return -1;
    }
    size_t first = is_red ? 0 : 1;
    if (dc->noperands < first + 2) {
        return unsupported(dc);
    }
    EmuAtomFn fn = decode_atom_function(dc, &type);
    if (address(dc, &dc->operands[first], &a) != 0) {
        return -1;
    }
    /* 128-bit forms have no function of a word. */
    if (!is_red && type.bits == 128 && (decode_has(dc, "exch") || decode_has(dc, "cas"))) {
        return atom_pair(dc, &a);
    }
    if (fn == NULL) {
        return unsupported(dc);
    }
    /* Vectors of f32, f16, bf16 and pairs (sm_90). */
    if (dc->operands[first + 1].kind == OPERAND_VECTOR) {
        return atom_vector(dc, fn, type, a);
    }
    int is_cas = decode_has(dc, "cas");
    if (is_cas && dc->noperands < first + 3) {
        return unsupported(dc);
    }
    EmuRow b = decode_source(dc, &dc->operands[first + 1], type);
    EmuRow c = is_cas ? decode_source(dc, &dc->operands[first + 2], type)
                      : decode_constant(dc, decode_shift(type), 0, 0);
    EmuRow d =
        is_red ? decode_temp(dc, decode_shift(type)) : decode_target(dc, &dc->operands[0], type);
    /* A discarded result makes atom a red. */
    int wanted = !is_red && dc->operands[0].kind != OPERAND_SINK;
    emit_atom(dc, fn, type, &a, (EmuRow[]){d, b, c}, wanted);
    if (!is_red) {
        decode_finish(dc, &dc->operands[0], d, type);
    }
    /* red.async works on another block's shared memory and signals its mbarrier. */
    if (is_red && decode_has(dc, "async")) {
        dc->code[dc->ncode - 1].space = EMU_SPACE_SHARED;
        return dc->noperands == 3 ? decode_async_signal(dc, &dc->operands[2], type.bits / 8u)
                                  : unsupported(dc);
    }
    return dc->status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* "(a, b)": gives each out parameter its place; returns the end of the area. Arguments lie in the
 * area behind the caller's local variables, in slots of 16 bytes, which fit every alignment of a
 * parameter; the callee's frame starts there. */
static size_t
place_arguments(Decoder *dc, size_t at)
{
    emu_lex_next(&dc->lx);
    while (!emu_lex_accept(&dc->lx, ")")) {
        LocalName *l = decode_find_name(dc, dc->lx.token);
        if (l == NULL || l->kind != NAME_OUT) {
            decode_fail(dc, "the argument '%.*s' is no .param of this scope",
                        (int)dc->lx.token.length, dc->lx.token.at);
            return at;
        }
        l->offset = at;
        l->resolved = 1;
        at += (l->bytes + 15) / 16 * 16;
        emu_lex_next(&dc->lx);
        emu_lex_accept(&dc->lx, ",");
    }
    return at;
}

/* Accesses to outgoing parameters that came before the call: their places are known now. */
static void
settle_pending(Decoder *dc)
{
    size_t kept = 0;
    for (size_t i = 0; i < dc->npending; i++) {
        struct Pending p = dc->pending[i];
        if (!dc->names[p.name].resolved) {
            dc->pending[kept++] = p;
            continue;
        }
        dc->code[p.instr].imm += (int64_t)dc->names[p.name].offset;
        decode_fix_out(dc, p.instr);
    }
    /* Others belong to a later call. */
    dc->npending = kept;
}

/* Each callee once: they are decoded with the function, and their needs are added up. */
static int
add_callee(Decoder *dc, Function *callee)
{
    Function *f = dc->fn;
    for (size_t i = 0; i < f->ncallees; i++) {
        if (f->callees[i] == callee) {
            return 0;
        }
    }
    Function **more = realloc(f->callees, (f->ncallees + 1) * sizeof *more);
    if (more == NULL) {
        dc->status = 2;
        return -1;
    }
    f->callees = more;
    f->callees[f->ncallees++] = callee;
    return 0;
}

/* Functions of the system that device code calls without a definition (CUDA Programming Guide,
 * "Formatted Output", "Assertion", "Dynamic Global Memory Allocation"). */
static EmuHandler
builtin(const char *name)
{
    static const struct {
        const char *name;
        EmuHandler run;
    } rows[] = {{"vprintf", emu_run_printf},
                {"__assertfail", emu_run_assert},
                {"malloc", emu_run_malloc},
                {"free", emu_run_free}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].run;
        }
    }
    return NULL;
}

/* The name is read again as an operand, since it may be a register with an address. */
static int
emit_call(Decoder *dc, Token name, size_t params_bytes)
{
    Operand target = {.second = DECODE_NO_REG};
    Lexer saved = dc->lx;
    /* A lexer over the one token: the surrounding one stays where it is. */
    Lexer at_name;
    emu_lex_start(&at_name, name.at, name.at + name.length, name.line);
    dc->lx = at_name;
    /* Restored below, whatever the operand was. */
    int r = decode_operand(dc, &target);
    dc->lx = saved;
    if (r != 0) {
        return -1;
    }
    if (target.kind == OPERAND_SYMBOL && target.name == NAME_FUNCTION) {
        /* A declaration without a body is one of the system's functions, or a mistake. */
        Function *callee = dc->module->functions[target.index];
        EmuHandler run = callee->has_body ? emu_run_call : builtin(callee->name);
        if (run == NULL) {
            return decode_fail(dc, "unresolved extern function '%s'", callee->name);
        }
        Instr *in = decode_emit(dc, run);
        in->target = (int32_t)target.index;
        in->imm = 0;
        if (!callee->has_body) {
            /* the arguments start at imm, the result follows them */
            in->target = (int32_t)params_bytes;
            decode_fix_out(dc, (int32_t)dc->ncode - 1);
            return dc->status;
        }
        return add_callee(dc, callee);
    }
    /* An indirect call may reach any function of the module with parameters of that size: all of
     * them are decoded, since the address is known only when it runs. */
    EmuRow reg = decode_source(dc, &target, type_b64);
    Instr *in = decode_emit(dc, emu_run_call_indirect);
    in->ns = 1;
    in->op[0] = reg;
    /* The depth is unknown: local memory is sized generously and the stack limit decides. */
    dc->fn->recursive = 1;
    for (size_t i = 0; i < dc->module->nfunctions && dc->status == 0; i++) {
        Function *f = dc->module->functions[i];
        if (!f->is_entry && f->has_body && f->params_bytes == params_bytes) {
            add_callee(dc, f);
        }
    }
    return dc->status;
}

/* call (results), name, (arguments), prototype; everything but the name is optional. */
int
decode_call(Decoder *dc)
{
    size_t at = 0;
    Lexer results = {0};
    if (emu_lex_is(&dc->lx, "(")) {
        results = dc->lx;
        while (dc->lx.token.kind != TOKEN_END && !emu_lex_accept(&dc->lx, ")")) {
            emu_lex_next(&dc->lx);
        }
        emu_lex_accept(&dc->lx, ",");
    }
    Token name = dc->lx.token;
    emu_lex_next(&dc->lx);
    if (emu_lex_accept(&dc->lx, ",") && emu_lex_is(&dc->lx, "(")) {
        at = place_arguments(dc, 0);
    }
    while (dc->lx.token.kind != TOKEN_END && !emu_lex_is(&dc->lx, ";")) {
        emu_lex_next(&dc->lx); /* the prototype */
    }
    /* Results lie behind the arguments, whose size is known only now: the list is read a second
     * time. */
    if (results.p != NULL) {
        Lexer end = dc->lx;
        dc->lx = results;
        place_arguments(dc, at);
        dc->lx = end;
    }
    if (dc->status != 0 || !emu_lex_accept(&dc->lx, ";")) {
        return decode_fail(dc, "bad call");
    }
    /* All arguments of this call have places from here on. */
    settle_pending(dc);
    return emit_call(dc, name, at);
}
