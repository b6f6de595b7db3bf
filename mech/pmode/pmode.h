/* pmode.h - private to the room: the state of P-mode on one SM. A *cell* is one 32-bit register or
 * one predicate of a warp, registers first; a *place* counts the warp's instructions in fetch
 * order. */
#ifndef WW_MECH_PMODE_PMODE_H
#define WW_MECH_PMODE_PMODE_H

#include "base/assert.h"
#include "mech/lib/behind.h"
#include "mech/mechanisms.h"

enum {
    PM_RESULTS = 4,   /* cells of a result that can be renamed */
    PM_NOWHERE = 255, /* no register of the pool */
    PM_TRACK = 512,   /* places behind the next one for which P-mode's deeds are remembered */
    PM_STORES = 64,   /* most of pmode.local_stores */
    PM_SHORT = 40,    /* cycles in P-mode below which the load was a hit */
};

/* What P-mode does with an instruction whose sources are known. */
typedef enum pm_action {
    PM_EXECUTE,
    PM_SHARED_LOAD, /* executed unless shared memory may have changed */
    PM_LOCAL_LOAD,  /* executed unless a skipped store may have written what it reads */
    PM_PRELOAD,
    PM_BRANCH,
    PM_SKIP,
    PM_SHARED_STORE, /* skipped, and shared memory is not what it should be */
    PM_BARRIER,      /* likewise: other warps may have written */
    PM_HALT,
} pm_action;

/* An instruction, as the pass leaves it: its cells are cell[first ..], reads before writes. */
typedef struct pm_note {
    uint32_t pc;    /* the instruction's */
    uint32_t first; /* of its cells */
    uint8_t action; /* pm_action */
    uint8_t reads, writes;
    bool loads;       /* long: its result may be waited for in P-mode */
    bool stores_own;  /* writes a thread's own memory, at an address of that space, */
    bool stores_some; /* or may do so elsewhere */
} pm_note;

typedef struct pm_notes {
    const pm_note *inst; /* [code_count] */
    const uint16_t *cell;
} pm_notes;

/* A register of the pool. It is free when nothing of these holds. */
typedef struct pm_register {
    bool context;  /* belongs to the P-mode of its warp, until that is left */
    bool queued;   /* a P-queue names it */
    bool renamed;  /* the N renaming table names it, or a write that ends that is on its way */
    bool writing;  /* its result is in the pipeline */
    bool reserved; /* for the head of a warp's buffer */
    uint8_t warp;
    uint16_t cell; /* of the warp, which it is renamed for */
} pm_register;

/* A P-queue entry; one of the paper's for each cell of the result. */
typedef struct pm_entry {
    uint32_t pc;
    uint32_t flight; /* while not ready */
    uint64_t place;  /* of the instruction, among all of the warp */
    uint8_t cells;
    bool ready;
    uint8_t at[PM_RESULTS];                   /* registers of the pool */
    uint32_t value[PM_RESULTS][WW_WARP_SIZE]; /* what they hold: for the oracle */
} pm_entry;

/* A result of P-mode in the pipeline. */
typedef struct pm_flight {
    uint32_t flight;
    uint8_t warp, cells;
    uint8_t at[PM_RESULTS];
    uint8_t before[PM_RESULTS]; /* what P-mode named so far, of no use once this is written */
} pm_flight;

/* The load that was issued last for a cell. */
typedef struct pm_load {
    uint32_t pc, order; /* UINT32_MAX: reused, and nothing to wait for */
    bool missed;        /* the L1D */
} pm_load;

/* A skipped store to the threads' own memory. */
typedef struct pm_store {
    uint32_t lanes, bytes;
    uint32_t at[WW_WARP_SIZE];
} pm_store;

typedef struct pm_warp {
    /* what follows from the trigger */
    uint32_t trigger;           /* its instruction */
    uint32_t base;              /* the one that stalled */
    uint64_t entered, fetch_at; /* cycles; fetch_at 0: not held back */
    bool stored, barrier;       /* a shared store was skipped, a barrier passed */
    bool local_unknown;         /* a store somewhere in local memory was skipped */
    uint32_t local_stores;      /* skipped since, at known addresses */
    bool suppress;              /* the head is dropped at issue */
    bool closed;                /* nothing more enters the queue */
    uint8_t reserved[PM_RESULTS], reserved_cells;
    uint32_t place; /* of the head, since entry */
    /* N-mode */
    uint32_t awaited; /* pmode.on_miss: the load that the head waits for; UINT32_MAX: none */
    uint32_t loads;   /* issued so far, for their order */
    bool lifted;      /* the head is reused */
    bool at_head;     /* the first entry's instruction is the head */
    uint32_t p_valid, n_valid;        /* entries of the renaming tables */
    uint32_t entries, used;           /* of the queue: results, and cells of them */
    uint64_t number;                  /* N-mode instructions before the head */
    uint64_t executed[PM_TRACK / 64]; /* by their number: done in P-mode before */
} pm_warp;

typedef struct pmode {
    ww_sm *sm;
    const ww_pmode_params *params;
    const ww_kernel *kernel;
    const pm_notes *notes;                                           /* NULL: none of this kernel */
    uint32_t instruction_bytes, sector_bytes, sectors, banks, warps; /* sectors: of the L1D */
    uint32_t cells, words;                                           /* of a warp */
    uint32_t pool_size;
    bool freed;       /* a register of the pool, since starved warps were looked at */
    ww_warps leaving; /* warps whose trigger has been written in this cycle */
    ww_warps held_back,
        starving; /* whose fetch waits for fetch_at; whose head waits for registers */
    pm_register pool[PM_NOWHERE];
    pm_flight *flight; /* [flights] */
    uint32_t flights, flight_capacity;
    pm_warp *warp;                           /* [warps] */
    pm_entry *queue;                         /* [warps][queue_entries], by place */
    uint64_t *poison;                        /* [warps][words] of warps in P-mode */
    uint8_t *n_renamed, *p_renamed, *ending; /* [warps][cells] registers of the pool */
    pm_load *load;                           /* [warps][cells] */
    pm_store *store;                         /* [warps][local_stores] */
    ww_behind behind;                        /* a ceiling (pmode.oracle) */
} pmode;

/* ---- pass.c ---- */
WW_NODISCARD ww_status pm_pass(const ww_mech_build *build, const ww_kernel **kernel,
                               const void **notes, ww_error *err);

/* ---- state.c ---- */
WW_NODISCARD ww_status pm_create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err);
void pm_destroy(void *state);
WW_NODISCARD ww_status pm_begin(void *state, const ww_mech_launch *launch, ww_error *err);

static inline const uint16_t *pm_reads(const pmode *s, const pm_note *n)
{
    return s->notes->cell + n->first;
}
static inline const uint16_t *pm_writes(const pmode *s, const pm_note *n)
{
    return s->notes->cell + n->first + n->reads;
}
static inline pm_entry *pm_queue(pmode *s, uint32_t w)
{
    return s->queue + (size_t)w * s->params->queue_entries;
}
static inline bool pm_poisoned(const pmode *s, uint32_t w, uint32_t cell)
{
    return (s->poison[(size_t)w * s->words + cell / 64] >> (cell % 64) & 1) != 0;
}
/* What the N renaming table has for a cell. */
static inline uint8_t *pm_named(const pmode *s, uint32_t w, uint32_t cell)
{
    uint8_t *named = &s->n_renamed[(size_t)w * s->cells + cell];
    WW_ASSERT(w < s->warps && cell < s->cells);
    WW_ASSERT(*named == PM_NOWHERE || (s->pool[*named].renamed && s->pool[*named].warp == w &&
                                       s->pool[*named].cell == cell));
    return named;
}
static inline bool pm_in_shadow(const pmode *s, uint32_t w)
{
    return ww_mech_in_shadow(s->sm, w);
}
/* Takes a result of the warp's state, or puts one there: predicates in the first word alone. */
void pm_copy_out(const pmode *s, uint32_t w, uint32_t cell, uint32_t *value);
void pm_copy_in(const pmode *s, uint32_t w, uint32_t cell, const uint32_t *value);

/* ---- pool.c: registers that CTAs leave free, and what names them ---- */
/* Reserves registers for the results of the warp's head; false: too few are free, none is taken. */
bool pm_reserve(pmode *s, uint32_t w, const pm_note *n);
void pm_unreserve(pmode *s, uint32_t w);
/* A use of the register has ended: it may be free. */
void pm_check_free(pmode *s, uint32_t r);
/* A register that P-mode's table named until now and that no queue holds: PM_NOWHERE if it stays
 * until P-mode is left. */
uint8_t pm_replaced(const pmode *s, uint32_t w, uint32_t cell);
/* What replaces it has been written. */
void pm_release_replaced(pmode *s, uint8_t r);
/* Leaves P-mode: its renaming table is empty, registers that no queue names are given up. */
void pm_end_context(pmode *s, uint32_t w);
/* The warp's N renaming of a cell ends with a write that is on its way, or now. */
void pm_end_renaming(pmode *s, uint32_t w, uint32_t cell, bool now);
/* An N-mode write of the cell has arrived. */
void pm_renaming_ended(pmode *s, uint32_t w, uint32_t cell);
/* The warp has exited. */
void pm_forget_warp(pmode *s, uint32_t w);

/* ---- queue.c: the P-queue ---- */
/* The entry of the instruction at that place; NULL: none. */
pm_entry *pm_find(pmode *s, uint32_t w, uint32_t pc, uint64_t place);
/* Room for a result of so many cells at that place; NULL: the queue is full, or holds later ones.
 */
pm_entry *pm_enter(pmode *s, uint32_t w, uint32_t cells, uint64_t place);
/* Takes the first entry out; its registers are no longer queued. */
void pm_take_first(pmode *s, uint32_t w);
void pm_empty_queue(pmode *s, uint32_t w);

/* ---- preexecute.c: P-mode ---- */
void pm_stalled(void *state, uint32_t w, uint32_t pc, bool memory, uint64_t now);
bool pm_drop(void *state, uint32_t w, uint32_t pc, uint64_t now);
ww_issue_verdict pm_p_issue(pmode *s, uint32_t w, uint32_t pc);
void pm_p_executed(pmode *s, uint32_t w, const ww_step *step, uint32_t flight);
void pm_shadow_written(void *state, uint32_t w, uint32_t pc, uint32_t flight, uint64_t now);
void pm_leave(pmode *s, uint32_t w, uint64_t now);
/* Starved warps whose registers are there now go on. */
void pm_feed(pmode *s);
/* A load of N-mode has missed the L1D (pmode.on_miss). */
void pm_missed(pmode *s, uint32_t w, uint32_t pc, uint64_t now);

/* What is unknown where a stalled warp's P-mode begins, and rules that begin anew with it. */
void pm_begin_unknown(pmode *s, uint32_t w);
void pm_overwrite_unknown(pmode *s, uint32_t w);
void pm_begin_rules(pmode *s, uint32_t w, uint32_t pc);
/* What becomes of an instruction: P-mode ends there; it is skipped; its results become unknown. */
bool pm_ends(const pmode *s, uint32_t w, const pm_note *n);
bool pm_skips(const pmode *s, uint32_t w, uint32_t pc, const pm_note *n);
void pm_skip(pmode *s, uint32_t w, uint32_t pc, const pm_note *n);
void pm_unknown(pmode *s, uint32_t w, const pm_note *n);
/* The head was executed or pre-loaded in P-mode: for what N-mode then counts. */
void pm_mark_executed(pm_warp *x);
/* Lanes that keep their old value, which is unknown: the result is, too. */
bool pm_keeps_unknown(const pmode *s, uint32_t w, uint32_t pc, const pm_note *n);
/* Lanes that an instruction of the warp will execute, its guard being known. */
uint32_t pm_executing(const ww_warp *warp, const ww_inst *inst);

/* ---- local.c: loads from a thread's own memory past skipped stores to it ---- */
/* A store is skipped. known: its address and guard are. */
void pm_skip_store(pmode *s, uint32_t w, uint32_t pc, bool known);
/* Whether a load whose address and guard are known may read what a skipped store would write. */
bool pm_reads_skipped(const pmode *s, uint32_t w, uint32_t pc);

/* ---- oracle.c: ceilings (pmode.oracle) in the mechanism's place ---- */
static inline bool pm_is_oracle(const pmode *s)
{
    return s->params->oracle != WW_PMODE_ORACLE_NONE;
}
/* The warp stalls at that instruction, and runs ahead at once. */
void pm_run_ahead(pmode *s, uint32_t w, uint32_t pc);
/* Whether what the warp did ahead is there: the instruction so many behind its next one. */
bool pm_has_ahead(const pmode *s, uint32_t w, uint32_t pc, uint32_t distance);
/* The hooks of the same names. */
void pm_oracle_skip(void *state, ww_warps warps, uint64_t now);
bool pm_oracle_beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready);

/* ---- reuse.c: back in N-mode ---- */
/* N-mode comes to an instruction: whether P-mode did it before. */
bool pm_count_coverage(pmode *s, pm_warp *x, const pm_note *n);
/* Results that no load brings for which P-mode begins. */
void pm_note_known(pmode *s, uint32_t w, const pm_note *n);
ww_fetch_verdict pm_fetch(void *state, uint32_t w, uint32_t pc, uint64_t now);
void pm_head(void *state, uint32_t w, uint32_t pc, uint64_t now);
void pm_n_executed(pmode *s, uint32_t w, const ww_step *step, uint32_t flight);
/* The result of the queue's first entry has become ready. */
void pm_now_ready(pmode *s, uint32_t w, const pm_entry *e);

#endif
