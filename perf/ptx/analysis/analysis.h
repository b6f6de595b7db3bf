/* analysis.h - what passes over code may ask: who defines and uses each word of each register, what
 * is live where, what dominates what, where a value comes from. One view serves a function over
 * virtual registers (before allocation) and a built kernel (32-bit registers and predicates, the
 * code of called functions behind it).
 *
 *   ww_view view;       ww_view_of_kernel(kernel, &arena, &view, err);
 *   ww_chains chains;   ww_chains_build(&view, &arena, &chains, err);
 *   ww_slice slice;     ww_slice_build(&view, &chains, inst, role, index, options, &arena, &slice,
 * err);
 *
 * Cells: a cell is one 32-bit word of a general register, or one predicate. A virtual register of
 * 64 bits has two cells, low word first, whether an operand names it whole or a half; in a kernel
 * the cell of 32-bit register r is r. All facts are those of one thread; a guarded write keeps the
 * former value, unless what reads it stands under the same guard.
 * Everything lies in the caller's arena and borrows the code. */
#ifndef WW_PERF_PTX_ANALYSIS_ANALYSIS_H
#define WW_PERF_PTX_ANALYSIS_ANALYSIS_H

#include "perf/ptx/ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the view ---- */

typedef enum ww_role { WW_ROLE_GUARD, WW_ROLE_SRC, WW_ROLE_DST, WW_ROLE_CALLER } ww_role;

/* One cell read or written by one instruction. */
typedef struct ww_access {
    uint32_t inst;
    uint32_t cell;
    uint8_t role;  /* ww_role; CALLER: a result of a device function, read at its ret */
    uint8_t index; /* which operand of dst or src */
    uint8_t word;  /* which word of that operand */
} ww_access;

/* Blocks, with what dominance asks. Blocks that the entry does not reach dominate nothing and have
 * idom WW_NO_TARGET, as the entry has. */
typedef struct ww_dominance {
    uint32_t *idom;       /* [block] immediate dominator */
    uint32_t *first;      /* [block] preorder number in the dominator tree, UINT32_MAX: unreached */
    uint32_t *last;       /* [block] largest number below it */
    uint32_t *post_first; /* likewise for post-dominance */
    uint32_t *post_last;
    uint32_t *control_at; /* [block + 1]: branches that decide whether the block runs: */
    uint32_t *control;    /* blocks whose last instruction they are */
} ww_dominance;

typedef struct ww_view {
    const char *name;
    const ww_inst *inst;
    uint32_t inst_count;
    uint32_t word_cells; /* cells below this are register words, those above predicates */
    uint32_t cell_count;
    const uint32_t *first_cell;  /* [vreg]; NULL: a kernel */
    const ww_function *function; /* NULL: a kernel */
    ww_access *access;        /* of instruction i: reads in [reads[i], writes[i]), then writes in */
    uint32_t *reads, *writes; /* [writes[i], reads[i + 1]) */
    uint32_t access_count;
    ww_cfg cfg;
    ww_dominance dominance;
} ww_view;

/** The view of a function over virtual registers, lowered or not. Its calls are instructions that
 * read arguments and write results. @error ENOMEM, EINTERNAL */
WW_NODISCARD ww_status ww_view_of_function(const ww_function *f, ww_arena *arena, ww_view *out,
                                           ww_error *err);
/** The view of a built kernel. A call goes to its callee, or to every function that an indirect one
 * may reach, and a ret of a callee behind every call that may have led to it. @error as above */
WW_NODISCARD ww_status ww_view_of_kernel(const ww_kernel *kernel, ww_arena *arena, ww_view *out,
                                         ww_error *err);

/** First cell of a register or predicate operand; *count its cells; UINT32_MAX: it names none. */
uint32_t ww_view_cells(const ww_view *view, ww_operand o, uint32_t *count);

/** Block of an instruction; WW_NO_TARGET behind the last one. */
static inline uint32_t ww_view_block(const ww_view *view, uint32_t inst)
{
    return view->cfg.block_of[inst];
}

/** Whether every path from the entry to block b passes a (a block dominates itself). */
bool ww_dominates(const ww_view *view, uint32_t a, uint32_t b);
/** Whether every path from block b to the end passes a. */
bool ww_post_dominates(const ww_view *view, uint32_t a, uint32_t b);

/** One side of a branch: sets the bits of the blocks on the ways from successor k of a block to,
 * and without, its immediate post-dominator. A loop's exit branch lies on its own staying side.
 * @param bits [(block_count + 63) / 64] */
void ww_branch_side(const ww_view *view, uint32_t block, uint32_t k, uint64_t *bits);
/** All that a branch decides: its sides together. */
void ww_branch_region(const ww_view *view, uint32_t block, uint64_t *bits);

/* ---- definitions, uses, liveness ---- */

/* Instead of an access: what the cell held at the entry, an argument or nothing defined. */
#define WW_DEF_ENTRY UINT32_MAX

typedef struct ww_chains {
    uint32_t *at;   /* [access_count + 1]: of a read its definitions, of a write its reads: */
    uint32_t *list; /* access indices in [at[a], at[a + 1]), ascending; WW_DEF_ENTRY comes last */
    uint32_t words; /* 64-bit words of a row: */
    uint64_t *live_in, *live_out; /* [block][words], bit of each cell */
} ww_chains;

/** Reaching definitions as use-definition and definition-use chains, and live cells by block.
 * @error ENOMEM */
WW_NODISCARD ww_status ww_chains_build(const ww_view *view, ww_arena *arena, ww_chains *out,
                                       ww_error *err);

/** Definitions of a read, or reads of a write. */
static inline const uint32_t *ww_chain(const ww_chains *chains, uint32_t access, uint32_t *count)
{
    *count = chains->at[access + 1] - chains->at[access];
    return chains->list + chains->at[access];
}

/** Live cells before an instruction (behind its block's last one: what is live out of the block).
 * @param live [chains->words], overwritten */
void ww_live_before(const ww_view *view, const ww_chains *chains, uint32_t inst, uint64_t *live);

/* ---- backward slices ---- */

/* Where values come from: bits of ww_slice.sources. */
enum {
    WW_FROM_IMMEDIATE = 1 << 0,
    WW_FROM_PARAM = 1 << 1,  /* constant-bank operands, loads of kernel parameters */
    WW_FROM_SREG = 1 << 2,   /* which: ww_slice.sregs */
    WW_FROM_CONST = 1 << 3,  /* loads of module constants */
    WW_FROM_GLOBAL = 1 << 4, /* loads by space; a generic one counts as GENERIC */
    WW_FROM_SHARED = 1 << 5,
    WW_FROM_LOCAL = 1 << 6,
    WW_FROM_GENERIC = 1 << 7,
    WW_FROM_TEXTURE = 1 << 8, /* and surfaces */
    WW_FROM_ATOMIC = 1 << 9,
    WW_FROM_LANES = 1 << 10, /* other threads: shuffles, votes, matches, matrix operations */
    WW_FROM_CALL =
        1 << 11, /* results of a call: of a function in a view of a function, of the host */
    WW_FROM_ENTRY = 1 << 12, /* what a register held before anything wrote it; arguments */
};

/* What a slice follows besides the operands of each instruction in it. */
enum {
    WW_SLICE_GUARDS = 1 << 0,    /* guards of its definitions */
    WW_SLICE_CONTROL = 1 << 1,   /* predicates of branches that decide whether a definition runs */
    WW_SLICE_ADDRESSES = 1 << 2, /* addresses of its loads and atomics, beside counting the load */
};

typedef struct ww_slice {
    uint32_t sources;    /* WW_FROM_* */
    uint64_t sregs;      /* bit per ww_sreg */
    uint64_t *inst;      /* [(inst_count + 63) / 64]: the instructions that make the value */
    uint32_t inst_count; /* how many */
    bool cyclic;         /* some definition depends on itself: a value carried around a loop */
} ww_slice;

/** Kind of source of an instruction whose results are not computed from its operands (a load, an
 * atomic, a shuffle ...): a WW_FROM_* bit; 0: an operation on its operands. */
uint32_t ww_value_source(const ww_inst *inst);

/** Slice of an operand: role and index as in ww_access; index UINT32_MAX: all operands of the role.
 * @error ENOMEM */
WW_NODISCARD ww_status ww_slice_build(const ww_view *view, const ww_chains *chains, uint32_t inst,
                                      ww_role role, uint32_t index, unsigned options,
                                      ww_arena *arena, ww_slice *out, ww_error *err);

static inline bool ww_slice_has(const ww_slice *slice, uint32_t inst)
{
    return (slice->inst[inst / 64] >> (inst % 64) & 1) != 0;
}

#ifdef __cplusplus
}
#endif
#endif
