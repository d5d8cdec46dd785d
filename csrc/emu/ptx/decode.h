/* What the decoder's files share: operands as written, and the code that is being made. */
#ifndef EMU_DECODE_H
#define EMU_DECODE_H

#include "emu/exec/exec.h"
#include "emu/ptx/ptx_lex.h"
#include "emu/ptx/ptx_load.h"

#define DECODE_NO_REG 0xffffffffu
#define DECODE_REGS 0x100000u    /* most virtual registers of a function */
#define DECODE_CONST 0x80000000u /* from here on constants, until rows are assigned */
#define DECODE_MODS 16
#define DECODE_VECTOR 8

typedef struct {
    char kind;    /* b u s f; h f16, g bf16, p pred */
    uint8_t bits; /* 8 16 32 64 128, 1 for pred; x2 types: 32 (f32x2: 64) */
    uint8_t is_x2;
} Type;

typedef enum {
    OPERAND_NONE, /* the instruction has fewer */
    OPERAND_REG,
    OPERAND_NUMBER,
    OPERAND_SYMBOL,  /* an address: variable, function or parameter, plus `add` */
    OPERAND_SPECIAL, /* %tid.x ... */
    OPERAND_SINK,
    OPERAND_VECTOR,
    OPERAND_MEMORY /* [base + add]; the base is in `base` */
} OperandKind;

typedef enum {
    NAME_VARIABLE,
    NAME_FUNCTION,
    NAME_LOCAL,
    NAME_SHARED,
    NAME_OUT,
    NAME_PARAM,
    NAME_RESULT,
    NAME_PROTOTYPE,
    NAME_TARGETS
} NameKind;

typedef struct Operand Operand;
struct Operand {
    OperandKind kind;
    OperandKind base;     /* of memory: REG, SYMBOL or NUMBER */
    EmuRow reg, second;   /* second: q of p|q, or DECODE_NO_REG */
    uint8_t selector;     /* .b0 to .b3: 1 to 4, .h0 .h1: 5 6 (video instructions) */
    uint8_t parts_length; /* of a longer list of parts, .b7531 */
    const char *parts;
    uint8_t is_pair; /* 128 bits in reg and reg + 1 */
    int negate;
    Number number;
    int minus;
    NameKind name;
    uint32_t index; /* variable, function, local, special register */
    int64_t add;
    int is_element; /* array[n] without brackets around it */
    uint32_t count;
    Operand *elements;
    Token token;
};

typedef struct {
    const char *at;
    uint32_t length;
    uint32_t first, count; /* count 0: one register with just this name */
    uint8_t rows, vector;  /* rows per register; components of a vector, or 0 */
} RegDecl;

typedef struct {
    const char *at;
    uint32_t length;
    NameKind kind;
    uint64_t offset;
    size_t bytes, align, unit; /* unit: of an element */
    int resolved;              /* out parameters: the call was seen */
    int32_t *labels;           /* branch targets: indices into refs */
    size_t nlabels;
    Param *params; /* prototypes: sizes only */
    size_t nparams, nresults;
} LocalName;

typedef struct {
    const char *at;
    uint32_t length;
    int32_t pc;
    uint32_t scope;
} Label;

typedef struct {
    int32_t instr; /* -1: entry `slot` of a table */
    int32_t *slot;
    Token name;
    uint32_t scope;
} LabelRef;

typedef struct {
    Lexer lx;
    Function *fn;
    EmuModule *module;
    EmuLog *log;
    CUresult status;
    Instr *code;
    size_t ncode, code_capacity;
    uint8_t *shift; /* of virtual registers */
    size_t nregs, regs_capacity;
    RegDecl *decls;
    size_t ndecls, decls_capacity;
    LocalName *names;
    size_t nnames, names_capacity;
    Label *labels;
    size_t nlabels, labels_capacity;
    LabelRef *refs;
    size_t nrefs, refs_capacity;
    int32_t *fixups; /* instructions whose imm is relative to the end of the locals */
    size_t nfixups, fixups_capacity;
    struct Pending {
        int32_t instr;
        uint32_t name;
    } *pending;
    size_t npending, pending_capacity;
    uint32_t *scope_parent;
    size_t nscopes, scopes_capacity;
    uint32_t scope;
    uint32_t *constants; /* a hash table of the function's: number + 1 */
    size_t constants_capacity;
    size_t locals; /* bytes of the frame so far */
    size_t own_shared;
    EmuRow carry;
    int line, source_line;
    /* the instruction being read */
    Token opcode;
    const char *mnemonic;
    size_t mnemonic_length;
    struct {
        const char *at;
        size_t length;
    } mods[DECODE_MODS];
    size_t nmods;
    Operand operands[DECODE_VECTOR + 2];
    size_t noperands;
    Operand elements[5 * DECODE_VECTOR];
    size_t nelements;
} Decoder;

/* Appends to one of the decoder's lists. */
#define DECODE_PUSH(dc, items, n, capacity)                                                        \
    ((dc)->items = decode_grow(dc, (dc)->items, &(dc)->capacity, (dc)->n, sizeof *(dc)->items),    \
     &(dc)->items[(dc)->n++])

/* decode.c */
int decode_fail(Decoder *dc, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *decode_grow(Decoder *dc, void *items, size_t *capacity, size_t used, size_t size);
void *decode_keep(Decoder *dc, size_t bytes);
Instr *decode_emit(Decoder *dc, EmuHandler run);
EmuRow decode_temp(Decoder *dc, unsigned shift);
EmuRow decode_constant(Decoder *dc, unsigned shift, uint64_t value, int shared_local);
int decode_has(const Decoder *dc, const char *mod);
int decode_type(const char *at, size_t length, Type *type);
unsigned decode_shift(Type type);
unsigned decode_reg_shift(const Decoder *dc, EmuRow reg);
uint64_t decode_number(const Operand *o, Type type);
EmuRow decode_source(Decoder *dc, const Operand *o, Type type);
/* A new register with the value of a special one. */
EmuRow decode_special(Decoder *dc, const char *name);
/* A destination of the natural width of `type`; decode_finish then widens it if the register is
 * wider. */
EmuRow decode_target(Decoder *dc, const Operand *o, Type type);
void decode_finish(Decoder *dc, const Operand *o, EmuRow reg, Type type);
Instr *decode_lane(Decoder *dc, const char *key, const EmuRow *ops, size_t n);
int decode_same(Token t, const char *at, size_t length);
int decode_find_register(const Decoder *dc, Token t, Operand *o);
LocalName *decode_find_name(Decoder *dc, Token token);
int decode_reference(Decoder *dc, Token token, int32_t instr, int32_t *slot);
void decode_fix_out(Decoder *dc, int32_t instr);
int decode_operands(Decoder *dc);
int decode_operand(Decoder *dc, Operand *o);
int decode_is_mod(const Decoder *dc, size_t i, const char *text);
EmuRow decode_address_of(Decoder *dc, const Operand *o);

/* decode_ops.c: translates the instruction that was read. */
int decode_instruction(Decoder *dc);
int decode_is(const Decoder *dc, const char *mnemonic);
int decode_unsupported(Decoder *dc);
int decode_bare(Decoder *dc, EmuHandler run, uint8_t flow);
/* decode_warp.c */
int decode_bar(Decoder *dc);
int decode_shfl(Decoder *dc);
int decode_vote(Decoder *dc);
int decode_match(Decoder *dc);
int decode_redux(Decoder *dc);
int decode_activemask(Decoder *dc);
int decode_elect(Decoder *dc);
/* decode_convert.c */
int decode_convert(Decoder *dc);
int decode_video(Decoder *dc);
/* decode_memory.c */
int decode_load(Decoder *dc);
int decode_store(Decoder *dc);
int decode_atom(Decoder *dc);
int decode_call(Decoder *dc);
EmuSpace decode_space(const Decoder *dc);
/* The address in the brackets, offset added, in one 64-bit register. */
EmuRow decode_address(Decoder *dc, EmuSpace space, const Operand *o);
/* The function of an atomic operation, by the modifiers; NULL when there is none. */
EmuAtomFn decode_atom_function(const Decoder *dc, Type *type);
/* decode_texture.c */
int decode_texture(Decoder *dc);
/* decode_async.c */
int decode_copy(Decoder *dc);
int decode_mbarrier(Decoder *dc);
int decode_tensor_map(Decoder *dc);
int decode_policy(Decoder *dc);
int decode_async_signal(Decoder *dc, const Operand *barrier, unsigned bytes);
/* decode_matrix.c */
int decode_mma(Decoder *dc);
int decode_wmma(Decoder *dc);
int decode_matrix_rows(Decoder *dc);
int decode_matrix_turn(Decoder *dc);

/* decode_slots.c: renames virtual registers to reused rows; fills reg_shift and nregs. */
int emu_slots_assign(Function *function, uint8_t *shift, size_t nvirtual);

#endif
