/* What the files that load a PTX text share: where the reader stands, and what a declaration says.
 */
#ifndef EMU_PTX_LOAD_H
#define EMU_PTX_LOAD_H

#include "emu/exec/exec.h"
#include "emu/ptx/ptx.h"
#include "emu/ptx/ptx_lex.h"

/* A variable's initialiser, to be read once addresses are known. */
typedef struct {
    uint32_t variable;
    const char *at;
    int line;
    uint32_t unit;
    uint8_t size; /* of an element */
    uint8_t is_float;
} Initialiser;

/* What a linker does with two of a name: the higher stays, two strong ones are an error, of two
 * weak ones the first stays, of two common ones the larger. */
typedef enum { LINK_EXTERN, LINK_WEAK, LINK_COMMON, LINK_STRONG } Linkage;

typedef struct {
    Lexer lx;
    EmuModule *module;
    EmuLog *log;
    Initialiser *inits;
    size_t ninits;
    size_t global_bytes, const_bytes;
    int is_shared; /* what follows is seen by all texts */
    Linkage linkage;
    struct Alias {
        Token name, target;
        size_t unit;
    } *aliases;
    size_t naliases;
} Loader;

typedef struct {
    uint8_t size, is_float;
    size_t align, bytes;
    Token name;
    int is_array;
} Declaration;

/* ptx_module.c */
/* Reports what the current token does not fit; returns the code of broken texts. */
CUresult emu_load_error(Loader *ld, const char *what);
size_t emu_load_number(Loader *ld);
int emu_load_declaration(Loader *ld, Declaration *d);
/* A copy of a token's text. */
char *emu_load_name(Token t);
/* The text that is being read, of several behind each other, and the table its new names go to. */
size_t emu_load_unit(const EmuModule *m);
SymbolTable *emu_load_table(EmuModule *m, int is_shared);

/* Names (ptx_module.c). */
enum { EMU_SYMBOL_FUNCTION, EMU_SYMBOL_VARIABLE };
Symbol *emu_symbol_find(const SymbolTable *table, const char *name, size_t length);
/* A name as text number `unit` of the module sees it. */
Symbol *emu_module_symbol(const EmuModule *m, size_t unit, const char *name, size_t length);
int emu_symbol_add(SymbolTable *table, Symbol symbol);

/* decode.c: parses and translates the body of `function` and of everything it calls. */
CUresult emu_function_decode(Function *function, EmuLog *log);

/* ptx_variables.c */
/* Reads the declarations behind a state space. */
CUresult emu_load_variables(Loader *ld, EmuSpace space);
/* Gives all variables their addresses, then their values. */
CUresult emu_load_place(Loader *ld);

#endif
