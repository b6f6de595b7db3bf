/* parser.h - private to perf/ptx: the parser's state, and what its files share. */
#ifndef WW_PERF_PTX_PARSE_PARSER_H
#define WW_PERF_PTX_PARSE_PARSER_H

#include "base/map.h"
#include "perf/ptx/parse/ast.h"

enum {
    PTX_MAX_DEPTH = 64,          /* nested blocks, initialisers, parentheses */
    PTX_MAX_OPERANDS = 512,      /* of one instruction, elements of vectors counted */
    PTX_MAX_REGISTERS = 1 << 20, /* declared in one function */
    PTX_MAX_DIMENSIONS = 8,
};
#define PTX_MAX_VARIABLE_BYTES (1ull << 36)
#define PTX_MAX_INIT_BYTES     (1ull << 28)

typedef enum ptx_decl_kind { PTX_DECL_REG, PTX_DECL_VAR, PTX_DECL_FUNC } ptx_decl_kind;

/* What a name means in the block that declares it. */
typedef struct ptx_decl {
    ptx_decl_kind kind;
    struct ptx_name *name;
    bool is_range;             /* "%r<30>": stands for %r0 … %r29 */
    uint32_t depth;            /* of the block */
    uint32_t order;            /* a later declaration hides an earlier one */
    struct ptx_decl *shadowed; /* former meaning, back when the block ends */
    struct ptx_decl *next;     /* in the same block */
    ww_type type;              /* REG */
    uint32_t first, count;     /* REG: numbers within the function */
    uint32_t vector;           /* REG: registers of each name, .v2, .v4; else 1 */
    ptx_var *var;
    ptx_function *func;
} ptx_decl;

/* An identifier that was declared at least once. */
typedef struct ptx_name {
    const char *text;
    ptx_decl *plain, *range; /* visible meanings, NULL: none */
} ptx_name;

typedef struct ptx_block_scope {
    ptx_decl *decls;
    uint32_t id; /* within the function */
} ptx_block_scope;

typedef struct ptx_parser {
    ww_ptx_module *module;
    struct ww_ptx_ast *ast;
    ww_arena *arena;
    ptx_lexer lexer;
    ptx_token token; /* current */
    ww_error *err;
    ww_map names;                /* text -> ptx_name */
    ww_map forms;                /* text -> ptx_form */
    ptx_function *last_function; /* of the list */
    uint32_t decl_count;
    ptx_block_scope scope[PTX_MAX_DEPTH + 1]; /* [0]: the module */
    uint32_t depth;                           /* current block in scope[] */
    uint32_t nesting;                         /* of expressions and initialisers */
    uint32_t unit;                            /* number of the text being parsed */
    ptx_linkage linkage;                      /* of the declaration being parsed */
    ww_map linked_functions;                  /* name -> ptx_function, of all units */
    /* the function being parsed */
    ptx_function *func;
    ww_map labels;          /* "block name" -> ptx_label */
    ptx_label *label_refs;  /* list */
    uint32_t *scope_parent; /* [block id] */
    uint32_t scope_count, scope_capacity;
    ptx_operand operands[PTX_MAX_OPERANDS]; /* stack */
    uint32_t operand_count;
    bool may_negate;     /* the instruction's operands: -r */
    unsigned char *init; /* initialiser under construction */
    uint64_t init_capacity;
} ptx_parser;

/* A constant, still in the type it was written in. */
typedef struct ptx_constant {
    ptx_token_kind kind; /* INT, F32 or F64 */
    bool is_unsigned;
    uint64_t bits;
} ptx_constant;

/* ---- tokens (parse.c) ---- */
WW_NODISCARD ww_status ww__parse_advance(ptx_parser *p);
/** EPARSE at the current token: "expected WHAT, found 'token'". */
WW_NODISCARD ww_status ww__parse_expected(ptx_parser *p, const char *what);
WW_NODISCARD ww_status ww__parse_fail(ptx_parser *p, ww_status code, ptx_loc loc, const char *fmt,
                                      ...) WW_PRINTF(4, 5);
WW_NODISCARD ww_status ww__parse_no_memory(ptx_parser *p);
bool ww__parse_at(const ptx_parser *p, int punct);
bool ww__parse_at_dot(const ptx_parser *p, const char *word);
bool ww__parse_at_name(const ptx_parser *p, const char *word);
/** Advances and sets *accepted when the token is that punctuation. */
WW_NODISCARD ww_status ww__parse_accept(ptx_parser *p, int punct, bool *accepted);
WW_NODISCARD ww_status ww__parse_expect(ptx_parser *p, int punct);
/** Unsigned integer up to most. */
WW_NODISCARD ww_status ww__parse_number(ptx_parser *p, uint64_t most, uint64_t *out);
/** Copy of the current token's text; NULL when out of memory. */
const char *ww__parse_text(ptx_parser *p);
/** Skips from an opening bracket to behind the one that closes it. */
WW_NODISCARD ww_status ww__parse_skip_brackets(ptx_parser *p, int open, int close);

/* ---- several units (units.c) ---- */
/** Linkage directives before a declaration. */
WW_NODISCARD ww_status ww__parse_linkage(ptx_parser *p);
/** The function of the current name: a new one, or the one declared before. *fill receives what
 * follows: it is another one where an earlier unit has defined the function. */
WW_NODISCARD ww_status ww__parse_function_name(ptx_parser *p, bool is_kernel, ptx_function **fill);
/** Checks a function that was parsed into *fill and has a body. */
WW_NODISCARD ww_status ww__parse_function_defined(ptx_parser *p, const ptx_function *fill);
/** Lets declarations of variables stand for other units' definitions; numbers those that remain. */
WW_NODISCARD ww_status ww__link_variables(ptx_parser *p);
/** Forgets the names of the unit that was parsed. */
void ww__parse_end_unit(ptx_parser *p);

/* ---- names and blocks (names.c) ---- */
WW_NODISCARD ww_status ww__parse_open_block(ptx_parser *p);
void ww__parse_close_block(ptx_parser *p);
/** Declares the name text[0..n-1] in the current block. */
WW_NODISCARD ww_status ww__parse_declare(ptx_parser *p, const ptx_token *name, ptx_decl decl);
/** Meaning of a name; *index is the number within a range. NULL: none. */
const ptx_decl *ww__parse_find(const ptx_parser *p, const char *text, size_t n, uint32_t *index);
WW_NODISCARD ww_status ww__parse_declare_label(ptx_parser *p, const ptx_token *name,
                                               ptx_label **out);
WW_NODISCARD ww_status ww__parse_refer_label(ptx_parser *p, const ptx_token *name, ptx_label **out);
/** Binds references to declarations at the end of a function. */
WW_NODISCARD ww_status ww__parse_bind_labels(ptx_parser *p);
WW_NODISCARD ww_status ww__parse_form(ptx_parser *p, const char *text, size_t n,
                                      const ptx_form **out);

/* ---- constants (const.c) ---- */
WW_NODISCARD ww_status ww__parse_constant(ptx_parser *p, ptx_constant *out);
/** Constant expression whose value is an integer. */
WW_NODISCARD ww_status ww__parse_integer(ptx_parser *p, uint64_t *out);
/** Bit pattern of a constant as a value of that type. */
uint64_t ww__constant_bits(const ptx_constant *c, ww_type type);

/* ---- declarations (decl.c, init.c) ---- */
/** Space that the current token names; NONE otherwise. */
ww_space ww__parse_space(const ptx_parser *p);
WW_NODISCARD ww_status ww__parse_registers(ptx_parser *p);
/** Variables after their space, up to and with the semicolon. */
WW_NODISCARD ww_status ww__parse_variables(ptx_parser *p, ww_space space);
/** One parameter after ".param". */
WW_NODISCARD ww_status ww__parse_parameter(ptx_parser *p, ptx_function *owner, ptx_var **out);
/** Value of the variable behind its "=". dims[0..n-1]: its array dimensions, vectors included;
 * dims[0] 0: unsized. */
WW_NODISCARD ww_status ww__parse_initialiser(ptx_parser *p, ptx_var *v, const uint64_t *dims,
                                             uint32_t n);
/** Formal parameter declared as a register: ".reg .type name". */
/* *elements: registers from out->reg on, of one that is a vector. */
WW_NODISCARD ww_status ww__parse_register_formal(ptx_parser *p, ptx_function *owner,
                                                 ptx_operand *out, unsigned *elements);

/* ---- bodies (body.c, operand.c) ---- */
WW_NODISCARD ww_status ww__parse_body(ptx_parser *p);
/** Operands up to the semicolon, which it takes. */
WW_NODISCARD ww_status ww__parse_operands(ptx_parser *p, ptx_inst *inst);
/** Register operand: guards. */
WW_NODISCARD ww_status ww__parse_predicate(ptx_parser *p, ptx_operand *out);
/** .loc, .file, .pragma, .section …: anything that describes but does not execute. *taken: it was
 * one. */
WW_NODISCARD ww_status ww__parse_description(ptx_parser *p, bool *taken);
/** Ends what the last .loc says. */
WW_NODISCARD ww_status ww__parse_forget_location(ptx_parser *p);

#endif
