/* The variables of a PTX text: what a declaration says of one, where it lies, and its first value,
 * which is read again once all addresses are known.
 *
 * Part of loading (ptx_module.c): no lock is needed. Offsets within an area are given while
 * reading; when the text has ended, the areas are allocated and offsets become addresses, so that
 * initialisers may name variables that come later.
 */
#include "emu/ptx/ptx_load.h"

#include <stdlib.h>
#include <string.h>

#define NO_MEMORY 2

static size_t
round_up(size_t n, size_t align)
{
    return align == 0 ? n : (n + align - 1) / align * align;
}

/* Adds a variable, or merges it with an earlier one of that name by the rules of a linker
 * (Linkage). */
static CUresult
add_variable(Loader *ld, EmuSpace space, const Declaration *d)
{
    EmuModule *m = ld->module;
    Symbol *old = emu_module_symbol(m, emu_load_unit(m), d->name.at, d->name.length);
    if (old != NULL && !ld->is_shared && old->kind == EMU_SYMBOL_VARIABLE &&
        /* A local name of this text hides what another text has. */
        m->variables[old->value].unit != emu_load_unit(m)) {
        old = NULL; /* another text's; this one has its own */
    }
    Variable *v;
    if (old != NULL) {
        if (old->kind != EMU_SYMBOL_VARIABLE) {
            return emu_load_error(ld, "a variable with the name of a function");
        }
        v = &m->variables[old->value];
        int both = v->linkage == ld->linkage;
        if (both && ld->linkage == LINK_STRONG) {
            ld->lx.token = d->name;
            return emu_load_error(ld, "variable defined twice");
        }
        /* The earlier one stays: it is stronger, or the first of two equals, or the larger of two
         * .common. */
        if (v->linkage > ld->linkage ||
            (both && !(ld->linkage == LINK_COMMON && d->bytes > v->bytes))) {
            return 0;
        }
    }
    else {
        /* The array doubles at powers of two, so no capacity is kept. */
        if ((m->nvariables & (m->nvariables - 1)) == 0) {
            size_t n = m->nvariables == 0 ? 1 : 2 * m->nvariables;
            Variable *more = realloc(m->variables, n * sizeof *more);
            if (more == NULL) {
                return NO_MEMORY;
            }
            m->variables = more;
        }
        v = &m->variables[m->nvariables];
        v->name = emu_load_name(d->name);
        /* The symbol is an index, since the array moves when it grows. */
        Symbol s = {v->name, d->name.length, (uint32_t)m->nvariables, EMU_SYMBOL_VARIABLE};
        if (v->name == NULL || emu_symbol_add(emu_load_table(m, ld->is_shared), s) != 0) {
            return NO_MEMORY;
        }
        m->nvariables++;
    }
    v->unit = (uint32_t)emu_load_unit(m);
    v->bytes = d->bytes;
    v->element = d->size;
    v->align = d->align;
    v->space = (uint8_t)space;
    v->is_extern = ld->linkage == LINK_EXTERN;
    v->linkage = (uint8_t)ld->linkage;
    v->address = 0;
    /* Three areas: shared memory per block, constants and global memory per module. */
    size_t *area = space == EMU_SPACE_SHARED  ? &m->shared_bytes
                   : space == EMU_SPACE_CONST ? &ld->const_bytes
                                              : &ld->global_bytes;
    /* External variables have no place of their own. */
    if (!v->is_extern) {
        /* Global variables and constants start at multiples of 16 bytes at least, whatever they
         * declare. */
        size_t align = d->align < 16 && space != EMU_SPACE_SHARED ? 16 : d->align;
        *area = round_up(*area, align);
        v->address = *area;
        *area += d->bytes;
    }
    return 0;
}

/* Remembers where the initialiser stands and skips it. */
static CUresult
note_initialiser(Loader *ld, const Declaration *d)
{
    EmuModule *m = ld->module;
    if ((ld->ninits & (ld->ninits - 1)) == 0) {
        size_t n = ld->ninits == 0 ? 1 : 2 * ld->ninits;
        Initialiser *more = realloc(ld->inits, n * sizeof *more);
        if (more == NULL) {
            return NO_MEMORY;
        }
        ld->inits = more;
    }
    /* Looked up again: add_variable may have kept an earlier variable. */
    const Symbol *s = emu_module_symbol(m, emu_load_unit(m), d->name.at, d->name.length);
    if (s == NULL || s->kind != EMU_SYMBOL_VARIABLE) {
        return emu_load_error(ld, "a variable with the name of a function");
    }
    ld->inits[ld->ninits++] = (Initialiser){.variable = s->value,
                                            .unit = (uint32_t)emu_load_unit(m),
                                            .at = ld->lx.token.at,
                                            .line = ld->lx.token.line,
                                            .size = d->size,
                                            .is_float = d->is_float};
    /* A comma outside of braces and parentheses begins the next variable. */
    int depth = 0;
    while (ld->lx.token.kind != TOKEN_END &&
           !(depth == 0 && (emu_lex_is(&ld->lx, ";") || emu_lex_is(&ld->lx, ",")))) {
        if (emu_lex_is(&ld->lx, "{")) {
            const char *end;
            if (emu_lex_skip_braces(&ld->lx, &end) != 0) {
                return emu_load_error(ld, "an initialiser without end");
            }
            continue;
        }
        depth += emu_lex_is(&ld->lx, "(");
        depth -= emu_lex_is(&ld->lx, ")");
        emu_lex_next(&ld->lx);
    }
    return 0;
}

/* One state space, one type, several names: ".global .b32 a, b = 1, c;". */
CUresult
emu_load_variables(Loader *ld, EmuSpace space)
{
    Declaration d;
    emu_lex_next(&ld->lx);
    if (emu_load_declaration(ld, &d) != 0) {
        return emu_load_error(ld, "bad variable");
    }
    for (;;) {
        if (emu_lex_accept(&ld->lx, "=")) {
            if (d.is_array && d.bytes == 0) {
                /* "name[] = {...}": as many elements as are written */
                size_t count = 1;
                /* The commas up to the closing brace, plus one. */
                for (Lexer probe = ld->lx; !emu_lex_is(&probe, "}");) {
                    if (probe.token.kind == TOKEN_END) {
                        return emu_load_error(ld, "an initialiser without end");
                    }
                    count += emu_lex_is(&probe, ",");
                    emu_lex_next(&probe);
                }
                d.bytes = count * d.size;
            }
            /* The variable first: its initialiser refers to it. */
            CUresult r = add_variable(ld, space, &d);
            r = r != 0 ? r : note_initialiser(ld, &d);
            if (r != 0) {
                return r;
            }
        }
        else {
            CUresult r = add_variable(ld, space, &d);
            if (r != 0) {
                return r;
            }
        }
        if (!emu_lex_accept(&ld->lx, ",")) {
            break;
        }
        /* Further names share type and alignment. */
        d.name = ld->lx.token;
        emu_lex_next(&ld->lx);
    }
    return emu_lex_accept(&ld->lx, ";") ? 0 : emu_load_error(ld, "expected ;");
}

/* The value of a name in an initialiser. */
static int
symbol_value(EmuModule *m, size_t unit, Token name, int generic, uint64_t *value)
{
    Symbol *s = emu_module_symbol(m, unit, name.at, name.length);
    if (s == NULL) {
        return -1;
    }
    /* Functions have numbers instead of addresses (exec_control.c). */
    if (s->kind == EMU_SYMBOL_FUNCTION) {
        *value = EMU_CODE_WINDOW + 16ull * s->value;
        return 0;
    }
    Variable *v = &m->variables[s->value];
    /* generic(x) is the generic address; that of global and constant variables is the same as their
     * own. */
    *value = v->address + (generic && v->space == EMU_SPACE_SHARED ? EMU_SHARED_WINDOW : 0);
    return 0;
}

/* One element: [-] number | name [+ n] | generic(name) [+ n] */
static CUresult
element(Loader *ld, const Initialiser *init, uint64_t *out)
{
    int negative = emu_lex_accept(&ld->lx, "-");
    if (ld->lx.token.kind == TOKEN_NUMBER) {
        Number n;
        if (emu_lex_number(&ld->lx.token, &n) != 0) {
            return emu_load_error(ld, "bad number");
        }
        emu_lex_next(&ld->lx);
        *out = n.bits;
        /* Floats of 32 bits may be written as 0f literals or as decimal numbers. */
        if (n.kind != NUMBER_INT && init->size == 4) {
            double wide;
            memcpy(&wide, &n.bits, 8);
            float narrow = n.kind == NUMBER_SINGLE ? n.single : (float)wide;
            narrow = negative ? -narrow : narrow;
            uint32_t bits;
            memcpy(&bits, &narrow, 4);
            *out = bits;
        }
        else if (n.kind != NUMBER_INT) {
            /* The sign bit of a double. */
            *out = n.bits ^ ((uint64_t)negative << 63);
        }
        else {
            *out = negative ? 0 - n.bits : n.bits;
        }
        return 0;
    }
    int generic = emu_lex_accept(&ld->lx, "generic");
    if (generic && !emu_lex_accept(&ld->lx, "(")) {
        return emu_load_error(ld, "expected (");
    }
    if (symbol_value(ld->module, init->unit, ld->lx.token, generic, out) != 0) {
        return emu_load_error(ld, "unknown name in an initialiser");
    }
    emu_lex_next(&ld->lx);
    if (generic && !emu_lex_accept(&ld->lx, ")")) {
        return emu_load_error(ld, "expected )");
    }
    /* Sums of a name and a constant are the only expressions with names (PTX ISA, "Initializers").
     */
    if (emu_lex_is(&ld->lx, "+") || emu_lex_is(&ld->lx, "-")) {
        int minus = emu_lex_is(&ld->lx, "-");
        emu_lex_next(&ld->lx);
        uint64_t add = emu_load_number(ld);
        *out += minus ? 0 - add : add;
    }
    return 0;
}

/* Reads the initialiser again and writes the values; device memory is host memory. */
static CUresult
initialise(Loader *ld, const Initialiser *init)
{
    const Variable *v = &ld->module->variables[init->variable];
    emu_lex_start(&ld->lx, init->at, ld->module->text + ld->module->bytes, init->line);
    if (v->space == EMU_SPACE_SHARED) {
        return emu_load_error(ld, "a .shared variable with an initialiser");
    }
    /* Declarations and empty arrays have no place to write to. */
    if (v->bytes == 0 || v->is_extern || v->address == 0) {
        return emu_load_error(ld, "an initialiser of nothing");
    }
    unsigned char *to = (unsigned char *)(uintptr_t)v->address, *end = to + v->bytes;
    /* Braces of inner arrays are only counted: elements follow each other in memory. */
    int depth = 0;
    do {
        while (emu_lex_accept(&ld->lx, "{")) {
            depth++;
        }
        uint64_t value = 0;
        /* "{}" initialises nothing; the memory is zero already. */
        if (!emu_lex_is(&ld->lx, "}")) {
            CUresult r = element(ld, init, &value);
            if (r != 0) {
                return r;
            }
            /* Bounded by the variable, not by the braces. */
            if (to + init->size > end) {
                return emu_load_error(ld, "more initialisers than elements");
            }
            memcpy(to, &value, init->size > 8 ? 8 : init->size);
            to += init->size;
        }
        while (depth > 0 && emu_lex_accept(&ld->lx, "}")) {
            depth--;
        }
        /* Without braces there is one element. */
    } while (depth > 0 && emu_lex_accept(&ld->lx, ","));
    return 0;
}

/* Called when the whole text has been read. */
CUresult
emu_load_place(Loader *ld)
{
    EmuModule *m = ld->module;
    m->const_bytes = ld->const_bytes;
    if (ld->global_bytes > 0) {
        m->storage = emu_memory_alloc(m->memory, ld->global_bytes);
    }
    if (ld->const_bytes > 0) {
        m->storage_const = emu_memory_alloc(m->memory, ld->const_bytes);
    }
    /* What was allocated is freed with the module. */
    if ((ld->global_bytes > 0 && m->storage == 0) ||
        (ld->const_bytes > 0 && m->storage_const == 0)) {
        return NO_MEMORY;
    }
    /* Shared variables keep offsets; external ones are resolved by name when code uses them. */
    for (size_t i = 0; i < m->nvariables; i++) {
        Variable *v = &m->variables[i];
        if (v->space != EMU_SPACE_SHARED && !v->is_extern) {
            v->address += v->space == EMU_SPACE_CONST ? m->storage_const : m->storage;
        }
    }
    for (size_t i = 0; i < ld->ninits; i++) {
        /* a definition that gave way to another text's leaves its values behind */
        int stays = ld->inits[i].unit == m->variables[ld->inits[i].variable].unit;
        CUresult r = stays ? initialise(ld, &ld->inits[i]) : 0;
        if (r != 0) {
            return r;
        }
    }
    return 0;
}
