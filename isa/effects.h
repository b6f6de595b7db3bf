/* effects.h - what an operation does besides its meaning: what it reads and writes, whom it meets,
 * what it waits for, what completes it, where it goes on, and what others may do with it. Every
 * pass, mechanism and check that treats operations differently for such a reason asks here, and
 * treats as forbidden what no row of isa/ops.def allows; an operation that is added needs its row,
 * and nothing at those who ask. */
#ifndef WW_ISA_EFFECTS_H
#define WW_ISA_EFFECTS_H

#include "isa/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What can be read and written. X(ID, "name") */
#define WW_PLACE_MAP(X)                                                                            \
    X(REGISTERS, "registers")                                                                      \
    X(PREDICATES, "predicates")                                                                    \
    X(GLOBAL, "global memory")                                                                     \
    X(SHARED, "shared memory")                   /* of the thread's own CTA */                     \
    X(CLUSTER_SHARED, "cluster's shared memory") /* of any CTA of its cluster */                   \
    X(LOCAL, "local memory")                                                                       \
    X(CONSTANT, "constant memory")                                                                 \
    X(PARAMETER, "parameters")                                                                     \
    X(TEXTURE, "textures") /* by the read-only path, and what describes images */                  \
    X(SURFACE, "surfaces")                                                                         \
    X(TENSOR, "tensor memory")                                                                     \
    X(OBJECTS, "barrier objects") /* numbered barriers and those that lie in memory */             \
    X(GROUPS, "groups of asynchronous operations")                                                 \
    X(ORDER, "order of memory accesses") /* written by what accesses of others do not pass */      \
    X(POOL, "pool of registers")         /* of the CTA: how many its warps hold */                 \
    X(DEPENDENTS, "dependent grids")     /* whether they may start */                              \
    X(CLOCK, "clock")                                                                              \
    X(OUTSIDE, "outside") /* the heap, output, launches: the host */

enum {
#define X(id, text) WW_PLACE_##id,
    WW_PLACE_MAP(X)
#undef X
        WW_PLACE_COUNT
};

/* Sets of places. */
enum {
#define X(id, text) WW_AT_##id = 1u << WW_PLACE_##id,
    WW_PLACE_MAP(X)
#undef X
        WW_AT_EVERYTHING = (1u << WW_PLACE_COUNT) - 1,
    WW_AT_VALUES = WW_AT_REGISTERS | WW_AT_PREDICATES,
    WW_AT_GENERIC = WW_AT_GLOBAL | WW_AT_SHARED | WW_AT_CLUSTER_SHARED | WW_AT_LOCAL,
    /* memory that a kernel writes */
    WW_AT_MEMORY = WW_AT_GENERIC | WW_AT_SURFACE | WW_AT_TENSOR,
    WW_AT_READ_ONLY = WW_AT_CONSTANT | WW_AT_PARAMETER | WW_AT_TEXTURE,
};

/* Whose threads take part, or see it happen. */
enum {
    WW_MEETS_LANES = 1u << 0, /* lanes of the warp: those of a mask, or those active */
    WW_MEETS_WARP = 1u << 1,  /* all lanes of the warp, which execute it as one */
    WW_MEETS_WARP_GROUP = 1u << 2,
    WW_MEETS_CTA = 1u << 3,
    WW_MEETS_CLUSTER = 1u << 4,
    WW_MEETS_GRID = 1u << 5, /* threads of any CTA */
    WW_MEETS_EVERYBODY = (1u << 6) - 1,
};

/* What an asynchronous operation completes by, and what an operation waits for. */
enum {
    WW_BY_COPY_GROUP = 1u << 0,   /* the thread's groups of cp.async */
    WW_BY_BULK_GROUP = 1u << 1,   /* the thread's groups of bulk copies */
    WW_BY_MATRIX_GROUP = 1u << 2, /* the warp group's groups of matrix products */
    WW_BY_OBJECT = 1u << 3,       /* an mbarrier that the instruction names */
    WW_BY_ARRIVALS = 1u << 4,     /* other threads, at the same barrier */
    WW_BY_TIME = 1u << 5,
    WW_BY_GRIDS = 1u << 6, /* the grids that this one depends on */
    WW_BY_ROOM = 1u << 7,  /* in a pool: what others give back */
    WW_BY_ANYTHING = (1u << 8) - 1,
};

/* Where a thread goes on. */
typedef enum ww_goes {
    WW_GOES_ON,
    WW_GOES_JUMPS,
    WW_GOES_CALLS,
    WW_GOES_RETURNS,
    WW_GOES_ENDS,
    WW_GOES_ABORTS, /* with the whole launch */
    WW_GOES_BREAKS, /* to a debugger, and on */
} ww_goes;

/* What others may do with an instruction. */
enum {
    WW_MAY_GUARDED = 1u << 0,  /* a branch around it may become its guard */
    WW_MAY_HOISTED = 1u << 1,  /* it may pass what touches nothing that it touches */
    WW_MAY_REPEATED = 1u << 2, /* done again at once it leaves and yields the same: what it yields
                                  follows from what it reads */
    WW_MAY_DROPPED = 1u << 3,  /* it may be left out where nobody reads its results */
};

typedef struct ww_effects {
    uint32_t reads, writes; /* WW_AT_*, operands included */
    uint16_t meets;         /* WW_MEETS_* */
    uint16_t waits;         /* WW_BY_* */
    uint16_t completes;     /* WW_BY_*: one of them ends it; 0: it has ended when it has issued */
    uint8_t goes;           /* ww_goes */
    uint8_t may;            /* WW_MAY_* */
} ww_effects;

/**
 * What an instruction of that operation, state space, variant and modifiers (WW_MOD_*) does. Pure.
 * A generic address, and a space that cannot be addressed, is memory of any kind. Volatile,
 * ordered and uncached accesses meet those who share the memory. What is no operation does
 * everything and may nothing.
 */
ww_effects ww_op_effects(ww_op op, ww_space space, ww_sub sub, uint32_t mods);

/** Whether it turns registers and predicates into such and does nothing else. */
bool ww_effects_compute(const ww_effects *e);
/** Whether it goes on after it has issued, until something completes it. */
static inline bool ww_effects_asynchronous(const ww_effects *e)
{
    return e->completes != 0;
}
/** Name of a place, WW_PLACE_*; "?" for none. */
const char *ww_place_name(unsigned place);

/* Which sources of a machine instruction may be constants or immediates. */
typedef enum ww_constants {
    WW_CONSTANTS_NEVER,
    WW_CONSTANTS_ONE,     /* one, beside zeros, for which there is a register */
    WW_CONSTANTS_ANY,     /* all */
    WW_CONSTANTS_LATER,   /* immediates, behind the first source */
    WW_CONSTANTS_NUMBERS, /* immediates */
    WW_CONSTANTS_ZERO,    /* a zero behind the first source */
} ww_constants;

ww_constants ww_op_constants(ww_op op);

/** Whether execution may go on elsewhere, or not at all, after this operation. */
bool ww_op_leaves(ww_op op);
/** Whether a call is one that the host answers: printf, malloc, launches. */
static inline bool ww_sub_is_builtin(ww_sub sub)
{
    return sub >= WW_SUB_VPRINTF && sub <= WW_SUB_GRAPH_CONDITION;
}

#ifdef __cplusplus
}
#endif
#endif
