/* lexer.h - private to perf/ptx: PTX text as tokens. */
#ifndef WW_PERF_PTX_PARSE_LEXER_H
#define WW_PERF_PTX_PARSE_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct ptx_loc {
    int line, column; /* 1-based */
} ptx_loc;

typedef enum ptx_token_kind {
    PTX_TOK_END,
    PTX_TOK_NAME,   /* identifier: "foo", "%r1", "$L_2", "_" */
    PTX_TOK_DOT,    /* ".word": a directive or modifier; text is without the dot */
    PTX_TOK_INT,    /* value */
    PTX_TOK_F32,    /* 0f…: value holds the 32 bits */
    PTX_TOK_F64,    /* 0d… or decimal: value holds the 64 bits */
    PTX_TOK_STRING, /* text is without the quotes */
    PTX_TOK_PUNCT,  /* punct: one character, or one of the PTX_P_* pairs */
} ptx_token_kind;

/* Punctuation of two characters. */
enum { PTX_P_SHL = 256, PTX_P_SHR, PTX_P_LE, PTX_P_GE, PTX_P_EQ, PTX_P_NE, PTX_P_AND, PTX_P_OR };

typedef struct ptx_token {
    ptx_token_kind kind;
    int punct;
    bool is_unsigned; /* INT: written with U, or beyond the signed range */
    const char *text; /* points into the source */
    size_t length;
    uint64_t value;
    ptx_loc loc;
} ptx_token;

/* Reading position; copy it to look ahead. */
typedef struct ptx_lexer {
    const char *file;
    const char *at, *end;
    const char *line_start;
    int line;
} ptx_lexer;

/** Starts at the first byte of text, which must outlive the lexer and its tokens. */
void ww__lexer_init(ptx_lexer *lexer, const char *file, const char *text, size_t length);
/** Next token; PTX_TOK_END at the end of the text, any number of times. EPARSE with the location.
 */
WW_NODISCARD ww_status ww__lexer_next(ptx_lexer *lexer, ptx_token *token, ww_error *err);
/** Skips the rest of the line (old "@@DWARF" lines). */
void ww__lexer_skip_line(ptx_lexer *lexer);

#endif
