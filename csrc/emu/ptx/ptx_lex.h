/* The tokens of PTX. A token is a view into the text; nothing is copied. */
#ifndef EMU_PTX_LEX_H
#define EMU_PTX_LEX_H

#include <stddef.h>
#include <stdint.h>

typedef enum { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK } TokenKind;

typedef struct {
    const char *at;
    size_t length;
    TokenKind kind;
    int line;
} Token;

typedef struct {
    const char *p, *end;
    int line;
    Token token; /* the current one */
} Lexer;

typedef struct {
    uint64_t bits; /* integers: the value; floats: of the double */
    float single;  /* 0f: the exact single */
    enum { NUMBER_INT, NUMBER_SINGLE, NUMBER_DOUBLE } kind;
} Number;

void emu_lex_start(Lexer *lx, const char *text, const char *end, int line);
void emu_lex_next(Lexer *lx);
/* The current token must be `{`: goes behind the matching `}`; returns 0, or -1 at the end of text.
 * `body_end` receives the place of the closing brace. */
int emu_lex_skip_braces(Lexer *lx, const char **body_end);
int emu_lex_is(const Lexer *lx, const char *text);
int emu_lex_accept(Lexer *lx, const char *text);
/* The value of a constant expression that starts at the current token; 0, or -1. */
int emu_lex_expression(Lexer *lx, uint64_t *value);
int emu_lex_number(const Token *token, Number *number);

#endif
