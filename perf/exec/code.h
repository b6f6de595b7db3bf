/* code.h - private to perf/exec: predecoded instructions and what their handlers work on. */
#ifndef WW_PERF_EXEC_CODE_H
#define WW_PERF_EXEC_CODE_H

#include "perf/exec/exec.h"
#include "perf/exec/lanes/lanes.h"

typedef enum ww_src_kind {
    WW_SRC_REG,  /* planes of the warp's registers, from word `at` */
    WW_SRC_POOL, /* planes of the launch's constants, from word `at` */
    WW_SRC_TID,  /* %tid component `at`: planes prepared per warp of a CTA */
    WW_SRC_SREG, /* special register `at`, which differs by CTA, warp or time */
} ww_src_kind;

/* A general source operand, resolved as far as a launch allows. */
typedef struct ww_uop_src {
    uint8_t kind;  /* ww_src_kind */
    uint8_t flags; /* WW_OPD_NOT, NEG, ABS applied when read */
    uint8_t type;  /* ww_type in which flags are meant */
    uint8_t words;
    uint32_t at;
} ww_uop_src;

/* A predicate operand: preds[reg] ^ flip; constants use the register that is always zero. */
typedef struct ww_uop_pred {
    uint32_t reg, flip;
} ww_uop_pred;

typedef struct ww_exec_ctx ww_exec_ctx;
typedef struct ww_uop ww_uop;

/** Executes u for the lanes x->exec, at least one. Moves the pc itself if u->moves_pc. */
typedef ww_status ww_uop_run(ww_exec_ctx *x, const ww_uop *u);

#define WW_NO_REG UINT32_MAX
enum { WW_UOP_SOURCES = 4 };

/* One predecoded instruction; what computing needs comes first, in few lines of the host's cache.
 */
struct ww_uop {
    ww_uop_run *run;
    ww_lane_fn *fn; /* what a lane computes, for runs that want one */
    ww_uop_pred guard;
    uint32_t straight; /* length of the run of straight_run.c from here on; 0: not part of one */
    bool moves_pc;
    bool branches; /* is a bra */
    bool guarded;  /* guard is not always true */
    bool computes; /* straight_run.c: only computes, from registers and constants */
    bool pred_is_x;
    uint8_t out_words;
    uint32_t x;           /* fn's x when pred_is_x is false */
    ww_uop_pred argument; /* straight_run.c: fn's x */
    uint32_t to;          /* straight_run.c: dst, 0 for none */
    uint32_t dst;         /* first word of the destination register; WW_NO_REG: none */
    uint32_t pred_dst;    /* predicate destination; WW_NO_REG: none */
    uint32_t pred_dst2;   /* second one of a comparison */
    ww_uop_src src[WW_UOP_SOURCES];
    uint32_t at[WW_UOP_SOURCES];    /* straight_run.c: first word of src, by its kind */
    uint32_t parameter;             /* ld: offset of the kernel's parameter that all lanes read;
                                       WW_NO_REG: it goes by addresses */
    const struct ww_direct *direct; /* ld, st: how direct.h moves data; NULL: it does not */
    ww_uop_pred pred;               /* predicate source; its mask is fn's x if pred_is_x */
    ww_uop_pred pred2;              /* second one of predicate logic */
    uint8_t src_count;
    bool plain;   /* sources are registers or constants without modifiers */
    uint8_t kind; /* ww_kind */
    uint8_t element_count, dst_count, element_bytes;
    ww_lane_fn *fn_upper;      /* set on packed pairs */
    const ww_uop_src *element; /* values of st; parts of a vector move */
    const uint32_t *dst_list;  /* first words of several destinations, WW_NO_REG: none */
    const struct ww_matrix_product *matrix;     /* of wmma and mma */
    const struct ww_warpgroup_shape *warpgroup; /* of wgmma */
    const ww_inst *inst;
    struct ww_folded_load *folded; /* a load that comes first; NULL: none */
};

/* A load of shared memory that an instruction does before its own work, into the plane behind the
 * warp's registers, which its source names (folded.c). */
typedef struct ww_folded_load {
    ww_inst load;
    ww_operand base;
    ww_uop uop;        /* of the load */
    ww_uop_run *check; /* of the load, under --memcheck; else NULL */
    ww_uop_run *run;   /* the instruction's own work */
} ww_folded_load;

/* A launch's code. */
struct ww_exec_code {
    ww_arena arena;
    const ww_launch *launch;
    const ww_lane_set *lanes;
    ww_uop *uop;                        /* [code_count + 1]; the last reports running off the end */
    uint32_t *pool;                     /* constants: pairs of planes */
    uint32_t pool_count, pool_capacity; /* in pairs */
    uint32_t *tid;                      /* [warp of CTA][3][32] */
    uint32_t warps;                     /* per CTA */
    uint32_t threads;                   /* per CTA */
    uint32_t shared_bytes;
    bool independent; /* the order of the CTAs shows nowhere */
    uintptr_t bias;   /* host address of device address 0 */
    void *pool_raw, *tid_raw;
    ww_uop_run **inner; /* [code_count] under --memcheck: what its checks stand around; else NULL */
    ww_uop_run **checks; /* [code_count] the checks, where those of registers stand around them */
    bool has_products;   /* under --memcheck: there are wgmmas */
};

/* One step in progress. */
struct ww_exec_ctx {
    const ww_exec_env *env;
    const struct ww_exec_code *code;
    ww_warp *warp;
    ww_step *out;
    ww_error *err;
    uint32_t active, exec;
    bool remote; /* the access just resolved touches shared memory of another CTA */
};

enum { WW_PAIR_WORDS = 2 * WW_LANES };

/* ---- operand.c ---- */
/** Type in which source k is read. */
ww_type ww__operand_type(const ww_inst *inst, unsigned k);
/** Resolves a general operand; checks register bounds and width. @error EINTERNAL for malformed
 * code, ENOMEM */
WW_NODISCARD ww_status ww__operand_resolve(struct ww_exec_code *code, const ww_inst *inst,
                                           const ww_operand *operand, ww_type type, ww_uop_src *out,
                                           ww_error *err);
/** Resolves a predicate operand; NONE is true. */
WW_NODISCARD ww_status ww__operand_pred(struct ww_exec_code *code, const ww_inst *inst,
                                        const ww_operand *operand, ww_uop_pred *out, ww_error *err);
/** Value of a special register that is not constant over a launch, in one or two planes. */
void ww__sreg_read(const ww_exec_ctx *x, ww_sreg sreg, uint32_t *planes);
/** Adds a pair of planes to the constants; returns its first word, WW_NO_REG when out of memory. */
uint32_t ww__pool_add(struct ww_exec_code *code, const uint32_t pair[WW_PAIR_WORDS]);

/* Planes of a source; scratch has room for a pair. */
static inline const uint32_t *ww__src(const ww_exec_ctx *x, const ww_uop_src *s, uint32_t *scratch)
{
    const uint32_t *p;
    switch (s->kind) {
    case WW_SRC_REG:
        p = x->warp->regs + s->at;
        break;
    case WW_SRC_POOL:
        p = x->code->pool + s->at;
        break;
    case WW_SRC_TID:
        p = x->code->tid + (x->warp->index * 3 + s->at) * WW_LANES;
        break;
    default:
        ww__sreg_read(x, (ww_sreg)s->at, scratch);
        p = scratch;
        break;
    }
    if (WW_UNLIKELY(s->flags != 0)) {
        x->code->lanes->modify(scratch, p, (ww_type)s->type, s->flags);
        p = scratch;
    }
    return p;
}

static inline uint32_t ww__pred(const ww_exec_ctx *x, ww_uop_pred p)
{
    return x->warp->preds[p.reg] ^ p.flip;
}

/* Writes a mask to a predicate register, in the executing lanes. */
static inline void ww__pred_write(const ww_exec_ctx *x, uint32_t reg, uint32_t mask)
{
    if (reg != WW_NO_REG) {
        uint32_t *p = &x->warp->preds[reg];
        *p = (*p & ~x->exec) | (mask & x->exec);
    }
}

/* Writes planes to the destination register, in the executing lanes. */
static inline void ww__dst_write(const ww_exec_ctx *x, uint32_t dst, const uint32_t *planes,
                                 unsigned words)
{
    if (dst != WW_NO_REG) {
        x->code->lanes->blend(x->warp->regs + dst, planes, words, x->exec);
    }
}

/* Value of a source in the first executing lane, for operands that are uniform by definition. */
static inline uint32_t ww__src_uniform(const ww_exec_ctx *x, const ww_uop_src *s)
{
    uint32_t scratch[WW_PAIR_WORDS];
    return ww__src(x, s, scratch)[__builtin_ctz(x->exec)];
}

/* ---- folded.c ---- */
/** Sets up the load that a decoded instruction's WW_OPD_SHARED stands for; without one does
 * nothing.
 */
WW_NODISCARD ww_status ww__folded_prepare(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                          ww_error *err);
WW_NODISCARD ww_uop_run ww__run_folded;

/* ---- handlers ---- */
WW_NODISCARD ww_uop_run ww__run_alu, ww__run_alu_plain; /* step.c */
WW_NODISCARD ww_uop_run ww__run_setp, ww__run_set, ww__run_pred_logic,
    ww__run_pred_move;                       /* predicate.c */
WW_NODISCARD ww_uop_run ww__run_vector_move; /* vector_move.c */
WW_NODISCARD ww_uop_run ww__run_bra, ww__run_brx, ww__run_call, ww__run_call_indirect, ww__run_ret,
    ww__run_exit; /* control.c */
WW_NODISCARD ww_uop_run ww__run_trap, ww__run_nop, ww__run_off_end;
WW_NODISCARD ww_uop_run ww__run_bar; /* barrier.c */
WW_NODISCARD ww_uop_run ww__run_vote, ww__run_match, ww__run_shfl, ww__run_activemask,
    ww__run_redux, ww__run_elect, ww__run_movmatrix;                      /* warp_ops.c */
WW_NODISCARD ww_uop_run ww__run_ld, ww__run_st;                           /* memory.c */
WW_NODISCARD ww_uop_run ww__run_atom;                                     /* atomic.c */
WW_NODISCARD ww_uop_run ww__run_copy, ww__run_ldmatrix, ww__run_stmatrix; /* copy.c */
WW_NODISCARD ww_uop_run ww__run_bulk;                                     /* bulk.c */
WW_NODISCARD ww_uop_run ww__run_prefetch, ww__run_bulk_prefetch;          /* prefetch.c */
WW_NODISCARD ww_uop_run ww__run_mbarrier;                                 /* mbarrier.c */
WW_NODISCARD ww_uop_run ww__run_tex, ww__run_suld, ww__run_sust, ww__run_sured,
    ww__run_txq;                         /* texture/fetch.c, surface.c */
WW_NODISCARD ww_uop_run ww__run_vprintf; /* print.c */
WW_NODISCARD ww_uop_run ww__run_malloc, ww__run_free, ww__run_assertfail; /* builtin.c */
WW_NODISCARD ww_uop_run ww__run_child_buffer, ww__run_child_launch, ww__run_child_handle,
    ww__run_child_status, ww__run_graph_condition;                         /* children.c */
WW_NODISCARD ww_uop_run ww__run_matrix_load, ww__run_matrix_store;         /* matrix/memory.c */
WW_NODISCARD ww_uop_run ww__run_matrix_multiply;                           /* matrix/multiply.c */
WW_NODISCARD ww_uop_run ww__run_wgmma;                                     /* matrix/wgmma.c */
WW_NODISCARD ww_uop_run ww__run_products;                                  /* matrix/groups.c */
WW_NODISCARD ww_uop_run ww__run_tensor;                                    /* tensor/copy.c */
WW_NODISCARD ww_uop_run ww__run_tensormap_replace, ww__run_tensormap_copy; /* tensor/map.c */

/* ---- simt.c: the reconvergence stack ---- */
/** Pops the entries that have arrived where they reconverge. */
void ww__simt_reconverge(ww_exec_ctx *x);
/** Moves the top to its next instruction and reconverges. */
void ww__simt_advance(ww_exec_ctx *x);
/** Sends the lanes `taken` to target, the other active ones to the next instruction (executed
 * first). */
WW_NODISCARD ww_status ww__simt_branch(ww_exec_ctx *x, uint32_t taken, uint32_t target,
                                       uint32_t reconv);
/** Sends lanes to several targets: mask[k] to target[k], the other active ones to the next
 * instruction. */
WW_NODISCARD ww_status ww__simt_scatter(ww_exec_ctx *x, const uint32_t *target,
                                        const uint32_t *mask, unsigned count, uint32_t reconv);
WW_NODISCARD ww_status ww__simt_call(ww_exec_ctx *x, uint32_t target);
/** Calls several functions, one after the other: mask[k] calls target[k]. */
WW_NODISCARD ww_status ww__simt_call_each(ww_exec_ctx *x, const uint32_t *target,
                                          const uint32_t *mask, unsigned count);
/** Ends the executing lanes' innermost call; the whole thread where there is none. */
void ww__simt_return(ww_exec_ctx *x);
void ww__simt_exit(ww_exec_ctx *x);

/* ---- barrier.c ---- */
/** That warp of the CTA has finished: barriers that waited for it alone open. */
void ww__barrier_warp_exited(ww_cta *cta, const ww_launch *launch, uint32_t warp);

/* ---- matrix/groups.c ---- */
/** Frees warps of that warp's group whose products have ended, after it has closed a group or
 * exited. */
void ww__products_settle(ww_cta *cta, const ww_launch *launch, uint32_t warp);

/* ---- cluster.c ---- */
uint32_t ww__cluster_rank(const ww_launch *launch, const uint32_t id[3]);
WW_NODISCARD ww_uop_run ww__run_cluster_arrive, ww__run_cluster_wait;
/** A warp of the CTA has finished. */
void ww__cluster_warp_exited(ww_cta *cta);
/** The CTA that a shared::cluster address names, and the offset there; NULL: none is there. */
ww_cta *ww__cluster_find(ww_cta *cta, uint64_t address, uint32_t *offset);

/* ---- address.c ---- */
/* Lanes of an access that lie in one space; the host address of lane i is base + x->out->address[i]
 * + i * lane_stride. */
typedef struct ww_access {
    uint32_t mask;
    uintptr_t base;
    size_t lane_stride;
    bool consecutive, same;
} ww_access;
enum {
    WW_ACCESS_GROUPS = 4 + WW_CLUSTER_MOST
}; /* generic accesses may touch global, shared and local memory at once, and that of a cluster */

/**
 * Addresses of a memory instruction into x->out, checked: alignment and bounds of every executing
 * lane.
 * @param bytes   per lane
 * @param groups  receives the accesses, at most WW_ACCESS_GROUPS
 * @param count   their number
 */
WW_NODISCARD ww_status ww__access_resolve(ww_exec_ctx *x, const ww_uop *u, uint32_t bytes,
                                          ww_access groups[WW_ACCESS_GROUPS], unsigned *count);
/** The same for addresses that the caller has put into x->out, in the instruction's space. */
WW_NODISCARD ww_status ww__access_resolve_set(ww_exec_ctx *x, const ww_uop *u, uint32_t bytes,
                                              ww_access groups[WW_ACCESS_GROUPS], unsigned *count);

/** @error EFAULT when some of the lanes' generic addresses lie outside shared memory */
WW_NODISCARD ww_status ww__access_require_shared(const ww_exec_ctx *x, const ww_uop *u,
                                                 const ww_access *groups, unsigned count);

/** Where an address lies, for messages ("the CTA has 64 bytes of shared memory"). */
const char *ww__describe_space(const ww_exec_ctx *x, ww_space space, uint64_t address, char *buf,
                               size_t size);

/* ---- independent.c ---- */
/** Whether the order in which the kernel's CTAs run shows nowhere, unless they race. */
bool ww__ctas_independent(const ww_kernel *kernel);

/* ---- source.c ---- */
/** "kernel.cu:42" of a PTX line, empty where the PTX does not say. Returns buf. */
char *ww__source_line(const ww_kernel *kernel, uint32_t ptx_line, char *buf, size_t size);
/** "kernel.cu:42 (kernel.ptx:317)", or the PTX line alone. Returns buf. */
char *ww__source_place(const ww_kernel *kernel, uint32_t ptx_line, char *buf, size_t size);

/* ---- builtin.c ---- */
/** Host view of a thread's generic address; *left: bytes from there to the end of its memory. NULL:
 * not a valid address. */
unsigned char *ww__generic_view(const ww_exec_ctx *x, unsigned lane, uint64_t address,
                                uint64_t *left);
/** Has a call that all SMs share take place at the edge, in the order of calls. */
WW_NODISCARD ww_status ww__call_at_edge(const ww_exec_ctx *x);
/** EFAULT: what is wrong with a pointer of that thread. */
WW_NODISCARD ww_status ww__bad_pointer(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                       uint64_t address, const char *what);
/** Length of the terminated text at a generic address, *text its host view; an invalid address or a
 * text without an end is an error. */
WW_NODISCARD ww_status ww__generic_text(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                        uint64_t address, const char **text, size_t *n);
/** Fails with EFAULT at the instruction's line: "kernel NAME: " TEXT ", CTA (x,y,z), thread
 * (x,y,z)." of the lane. */
WW_NODISCARD ww_status ww__lane_fault(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                      const char *fmt, ...) WW_PRINTF(4, 5);
/** %tid of a lane. */
void ww__thread_of(const ww_exec_ctx *x, unsigned lane, uint32_t tid[3]);

/* ---- decode/operand.c: @error EUNSUP (names form and line), EINTERNAL, ENOMEM; so all below ----
 */
enum { WW_MOST_ELEMENTS = 8 }; /* of a vector move or access */
WW_NODISCARD ww_status ww__decode_unsupported(const ww_kernel *kernel, const ww_inst *inst,
                                              ww_error *err);
WW_NODISCARD ww_status ww__decode_malformed(const struct ww_exec_code *code, const ww_inst *inst,
                                            const char *what, ww_error *err);
/** First word of a destination of so many words; WW_NO_REG where there is none. */
WW_NODISCARD ww_status ww__decode_register(struct ww_exec_code *code, const ww_inst *inst,
                                           const ww_operand *operand, unsigned words, uint32_t *out,
                                           ww_error *err);
/** Predicate destination k, if there is one. */
WW_NODISCARD ww_status ww__decode_predicate(struct ww_exec_code *code, const ww_inst *inst,
                                            unsigned k, uint32_t *out, ww_error *err);
/** All sources but predicates, in order; the predicate goes to u->pred. */
WW_NODISCARD ww_status ww__decode_sources(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                          ww_error *err);
/** First words of all destinations, each a register of so many words. */
WW_NODISCARD ww_status ww__decode_destinations(struct ww_exec_code *code, const ww_inst *inst,
                                               unsigned words, ww_uop *u, ww_error *err);
/** Sources from `first` on, read in that type, as u->element. */
WW_NODISCARD ww_status ww__decode_elements(struct ww_exec_code *code, const ww_inst *inst,
                                           unsigned first, ww_type type, ww_uop *u, ww_error *err);
/** Base address src[0] and the space. */
WW_NODISCARD ww_status ww__decode_address(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                          ww_error *err);

/* ---- decode/alu.c ---- */
typedef ww_status ww_decoder(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err);
WW_NODISCARD ww_decoder ww__decode_alu, ww__decode_compare, ww__decode_pred_logic,
    ww__decode_vector_move;
/* ---- decode/memory.c ---- */
WW_NODISCARD ww_decoder ww__decode_load, ww__decode_store, ww__decode_atomic;
/* ---- decode/control.c ---- */
WW_NODISCARD ww_decoder ww__decode_branch, ww__decode_barrier, ww__decode_vote, ww__decode_redux;
/** match, shfl, activemask, elect, movmatrix: register result, perhaps a predicate too. */
WW_NODISCARD ww_status ww__decode_cross_lane(struct ww_exec_code *code, const ww_inst *inst,
                                             ww_uop *u, ww_uop_run *run, unsigned needed,
                                             ww_error *err);
/* ---- beside what runs them ---- */
WW_NODISCARD ww_decoder ww__decode_mbarrier, ww__decode_bulk, ww__decode_copy, ww__decode_texture,
    ww__decode_matrix, ww__decode_wgmma, ww__decode_tensor, ww__decode_tensormap;
/** A call of a function of the CUDA runtime. */
WW_NODISCARD ww_decoder ww__decode_builtin;
/* ---- decode.c ---- */
/** Predecodes one instruction into *u, which holds defaults. @error EUNSUP (names form and line),
 * EINTERNAL, ENOMEM */
WW_NODISCARD ww_status ww__decode(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                  ww_error *err);

#endif
