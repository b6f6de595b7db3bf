/* ast.h - private to perf/ptx: a parsed PTX module, names already resolved. Everything lives in the
 * module's arena. */
#ifndef WW_PERF_PTX_PARSE_AST_H
#define WW_PERF_PTX_PARSE_AST_H

#include "perf/ptx/form/form.h"
#include "perf/ptx/parse/lexer.h"
#include "perf/ptx/ptx.h"

struct ptx_function;

/* .visible, .extern, .weak and .common before a declaration. */
typedef struct ptx_linkage {
    bool is_linked; /* with other units: any of them */
    bool is_extern;
    bool is_weak; /* .weak, .common: may be defined again */
} ptx_linkage;

/* A variable of any state space, or a parameter. */
typedef struct ptx_var {
    const char *name;
    ww_space space; /* TEX: .texref, .samplerref, .surfref */
    ww_type type;
    uint32_t align;
    uint64_t bytes;
    bool is_array;
    ptx_linkage linkage;
    struct ptx_var *stands_for; /* another unit's variable of that name; NULL: itself */
    const unsigned char *init;  /* GLOBAL, CONST */
    uint64_t init_bytes;
    struct ptx_reloc *relocs; /* list */
    uint32_t reloc_count;
    uint32_t id; /* GLOBAL, CONST: index in the module's symbols; SHARED: number within the module;
                    LOCAL, PARAM: number within the function */
    struct ptx_function *owner; /* function that declares it; NULL: the module */
    struct ptx_var *next;       /* next variable of the same list */
    ptx_loc loc;
} ptx_var;

/* An initialiser's 8 bytes that hold a variable's address. */
typedef struct ptx_reloc {
    uint64_t offset;
    const ptx_var *target;
    int64_t addend;
    struct ptx_reloc *next;
} ptx_reloc;

typedef enum ptx_operand_kind {
    PTX_OPD_REG,   /* reg, type */
    PTX_OPD_INT,   /* imm */
    PTX_OPD_F32,   /* imm: 32 bits */
    PTX_OPD_F64,   /* imm: 64 bits */
    PTX_OPD_SREG,  /* reg: ww_sreg */
    PTX_OPD_VAR,   /* address of var plus imm */
    PTX_OPD_FUNC,  /* func */
    PTX_OPD_LABEL, /* label */
    PTX_OPD_ADDR,  /* list[0]: base (REG, VAR or INT), imm: displacement; list[1…]: coordinates of
                      tex and surf forms */
    PTX_OPD_VEC,   /* { list } */
    PTX_OPD_LIST,  /* ( list ) of a call */
    PTX_OPD_PAIR,  /* list[0]|list[1] */
    PTX_OPD_SINK,  /* _ */
    PTX_OPD_OTHER, /* parses, but nothing here can execute it; name says what it is */
} ptx_operand_kind;

/* Part of a register: %r1.b2, %r1.h0. */
typedef enum ptx_selector {
    PTX_SELECT_NONE,
    PTX_SELECT_B0,
    PTX_SELECT_B1,
    PTX_SELECT_B2,
    PTX_SELECT_B3,
    PTX_SELECT_H0,
    PTX_SELECT_H1,
} ptx_selector;

typedef struct ptx_operand {
    uint8_t kind;     /* ptx_operand_kind */
    uint8_t type;     /* REG: ww_type */
    bool negated;     /* !p, or -r of vmad */
    uint8_t selector; /* ptx_selector, of an operand of a video instruction */
    uint32_t reg;     /* REG: number within the function */
    uint32_t count;   /* of list */
    uint64_t imm;
    union {
        const ptx_var *var;
        struct ptx_function *func;
        struct ptx_label *label;
        struct ptx_operand *list;
        const char *name;
    } u;
    ptx_loc loc;
} ptx_operand;

/* A label, or a reference to one. */
typedef struct ptx_label {
    const char *name;
    uint32_t scope;             /* block that declares it or refers to it */
    uint32_t inst;              /* declaration: index of the instruction behind it */
    struct ptx_label *target;   /* reference: the declaration */
    struct ptx_label **targets; /* .branchtargets: references */
    uint32_t target_count;
    bool is_prototype;      /* .callprototype, .calltargets */
    struct ptx_label *next; /* of the same list */
    ptx_loc loc;
} ptx_label;

typedef struct ptx_inst {
    const ptx_form *form;
    ptx_operand *operand;
    uint32_t operand_count;
    bool guarded;
    ptx_operand guard;
    ptx_loc loc;
} ptx_inst;

/* A formal parameter: a .param variable, or a register (older compilers). */
typedef struct ptx_formal {
    const ptx_var *var; /* NULL: a register */
    ptx_operand reg;
} ptx_formal;

typedef struct ptx_function {
    const char *name;
    bool is_kernel;
    bool has_body;
    ptx_linkage linkage;
    bool address_taken; /* may be called indirectly */
    ptx_formal *in, *out;
    uint32_t in_count, out_count;
    ptx_inst *inst;
    uint32_t inst_count, inst_capacity;
    uint32_t reg_count; /* declared registers, all scopes */
    ptx_var *locals;    /* list of .local variables */
    uint32_t local_count;
    uint32_t param_count;   /* .param variables: formals, numbered first, and those of calls */
    uint32_t formal_count;  /* .param variables that are formals */
    uint32_t max_threads;   /* .maxntid or .reqntid product; 0: none */
    uint32_t min_ctas;      /* .minnctapersm; 0: none */
    uint32_t max_registers; /* .maxnreg; 0: none */
    uint32_t cluster[3];    /* .reqnctapercluster; 0: none */
    uint32_t max_cluster;   /* .maxclusterrank; 0: none */
    uint32_t index;         /* within the module */
    uint32_t unit;          /* that declares it first */
    struct ptx_function *next;
    ptx_loc loc;
} ptx_function;

struct ww_ptx_ast {
    ptx_function *functions; /* list, in the order of first mention */
    uint32_t function_count;
    bool any_address;   /* of a function is taken */
    uint32_t *position; /* [function_count + 1] UINT32_MAX, but while a program uses it (link.c) */
    ptx_var *symbols;   /* list of .global and .const variables */
    ptx_var *shared;    /* list of .shared variables of the module and all functions */
    uint32_t shared_count;
};

/** What kernels see as the address of a function. */
static inline uint64_t ww__function_address(const ptx_function *f)
{
    return WW_FUNCTION_WINDOW + 16 * ((uint64_t)f->index + 1);
}

/** The special register of that name ("%tid.x"), WW_SREG_COUNT when there is none. */
/** Function of that name, or NULL. */
ptx_function *ww__ast_function(const struct ww_ptx_ast *ast, const char *name);

#endif
