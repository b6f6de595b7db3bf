/* darsie.h - private to the room: DARSIE (Yeh, Green, Rogers, "Dimensionality-Aware Redundant SIMT
 * Instruction Elimination", ASPLOS 2020) on one SM. Sections named in this room are that paper's. A
 * *cell* is one 32-bit register or one predicate of a warp, registers first.
 *
 *   pass.c      what the compiler marks, and what else an instruction means to DARSIE
 *   state.c     what an SM keeps of a launch, its blocks and warps
 *   table.c     PC skip table
 *   versions.c  rename and version tables, freelist
 *   path.c      majority path: branches, barriers, warps that leave it
 *   front.c     the stage before fetch, and who fetches
 *   hooks.c     where the SM calls all this; results */
#ifndef WW_MECH_DARSIE_DARSIE_H
#define WW_MECH_DARSIE_DARSIE_H

#include "mech/mechanisms.h"

enum {
    DS_WARPS = WW_WARPS, /* warp slots */
    DS_CTAS = 64,        /* CTA slots */
    DS_CELLS = 5,        /* of the results of an instruction that can be shared */
    DS_VERSIONS = 128,
    DS_MARKS = 64,      /* skipped instructions of a warp that have not taken effect */
    DS_LEADS = 64,      /* instructions that a warp leads whose results have not been written */
    DS_HISTORIES = 512, /* entries of a block where warps share by branch history */
    DS_NONE = 255,
};

/* ---- the pass (pass.c) ---- */

/* What an instruction means to DARSIE, besides its mark. */
enum {
    DS_CONTROL = 1, /* branch, call, return, exit */
    DS_MEETING = 2, /* a barrier of all warps of the block */
    DS_STORE = 4,   /* may write memory that a load of the block reads */
    DS_GLOBAL = 8,  /* communicates with other blocks: atomics, fences */
    DS_LOAD = 16,
    DS_GLOBAL_LOAD = 32,
};

typedef struct ds_note {
    uint8_t mark; /* ww_mark; V where the result has too many cells */
    uint8_t kind; /* DS_* */
} ds_note;

typedef struct ds_notes {
    const ds_note *inst;      /* [count] */
    const uint32_t *controls; /* [count + 1] control instructions before that one */
    uint32_t count;
    const uint64_t *live; /* [count + 1][words] cells of the view, live before an instruction */
    uint32_t words;
    bool any[2]; /* something may be skipped: in any block, in one that promotes */
} ds_notes;

/** The hook of the same name. */
WW_NODISCARD ww_status ds_pass(const ww_mech_build *build, const ww_kernel **kernel,
                               const void **notes, ww_error *err);

/* ---- state ---- */

/* A result in the version table. It is free when nobody uses it and no entry offers it. */
typedef struct ds_version {
    bool used, offered;
    uint8_t reg;    /* physical register; DS_NONE: a predicate, which lies in the table itself */
    ww_warps users; /* warps that have it in their rename table, or will once a skip takes effect */
} ds_version;

/* An instruction in the PC skip table. */
typedef struct ds_entry {
    uint32_t pc;
    bool used;
    bool waiting; /* no register was free: the block's warps gather here */
    bool vector;  /* nor is one after that: each executes it */
    bool fetched; /* by the leader */
    bool written; /* LeaderWB */
    bool load, global;
    uint8_t leader;
    uint8_t cells;
    uint8_t version[DS_CELLS]; /* DS_NONE: none */
    ww_warps left;             /* warps that have yet to pass it */
    ww_warps parked;           /* of those: wait here */
    uint64_t ready_at;         /* first cycle in which followers skip */
    uint64_t used_at;
    uint64_t value;   /* of the results, for the comparison with plain execution */
    uint64_t history; /* of the leader's branches (no-cf-sync) */
    uint32_t serial;  /* tells it from others in its place */
} ds_entry;

/* What a warp leads until its result is written. */
typedef struct ds_lead {
    uint32_t pc, serial;
    uint16_t entry;
    bool executed;
} ds_lead;

/* A skipped instruction until it takes effect. */
typedef struct ds_mark {
    uint8_t cells;
    uint8_t version[DS_CELLS];
    uint16_t cell[DS_CELLS];
    uint64_t value;
} ds_mark;

typedef struct ds_warp {
    uint8_t cta;
    uint32_t front;  /* what the front end comes to next; WW_NO_TARGET: as the SM says */
    uint32_t target; /* where it goes on behind the branch at which it waits */
    uint32_t met; /* barrier of the block that all its lanes executed last; WW_NO_TARGET: not all */
    uint64_t history;
    uint64_t copying_until;
    uint32_t first, marks, leads;
    ds_mark mark[DS_MARKS]; /* a ring */
    ds_lead lead[DS_LEADS];
} ds_warp;

typedef struct ds_cta {
    bool on;
    ww_warps live, majority;
    ww_warps arrived;        /* of the majority: have executed a branch */
    ww_warps barred;         /* have executed a barrier since all last did */
    uint64_t resume_at;      /* first cycle in which those go on that were together at a branch */
    uint32_t free;           /* physical registers */
    uint32_t versions;       /* alive */
    bool taken[DS_VERSIONS]; /* physical registers */
    ds_version version[DS_VERSIONS];
    ds_entry *entry; /* [darsie.entries], with no-cf-sync [DS_HISTORIES] */
} ds_cta;

typedef struct darsie {
    ww_sm *sm;
    const ww_arch *arch;
    const ww_kernel *kernel;
    const ds_notes *notes; /* NULL: nothing of the launch can be skipped */
    bool promotes;
    uint32_t banks, cells; /* of the register file; of a warp */
    uint32_t registers;    /* physical registers of a block */
    uint32_t entries;      /* of a block */
    ww_warps members;      /* warps of blocks that are on */
    ww_warps held;         /* fetch is held */
    ww_warps asked;        /* have looked up what they come to next, and found nothing */
    ww_warps copying;
    uint32_t serial;
    bool again; /* the next cycle brings something */
    ds_cta cta[DS_CTAS];
    ds_warp warp[DS_WARPS];
    uint8_t *map;       /* [warp][cells] versions; the rename table */
    uint32_t *contents; /* [CTA][darsie.registers][32] what hardware would hold: each version's
                           lanes, a predicate's mask in the first; with no-cf-sync none */
} darsie;

static inline void ds_count(darsie *s, ww_counter counter, uint64_t n)
{
    ww_mech_count(s->sm, counter, n);
}

static inline ds_cta *ds_cta_of(darsie *s, uint32_t w)
{
    return &s->cta[s->warp[w].cta];
}

/* Whether the launch's shape makes the instruction redundant. */
static inline bool ds_redundant(const darsie *s, uint32_t pc)
{
    return s->notes->inst[pc].mark < (s->promotes ? 2 : 1);
}

static inline bool ds_by_history(const darsie *s)
{
    return s->arch->darsie.variant == WW_DARSIE_NO_CF_SYNC;
}

/* state.c */
WW_NODISCARD ww_status ds_create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err);
void ds_destroy(void *state);
WW_NODISCARD ww_status ds_begin(void *state, const ww_mech_launch *launch, ww_error *err);
void ds_cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now);
void ds_cta_ended(void *state, uint32_t cta, uint64_t now);

/* versions.c */
/* First cell of a result and how many; false: it is none. */
bool ds_cells_of(const darsie *s, const ww_operand *o, uint32_t *first, uint32_t *count);
/* Cells of all results; 0: more than an entry holds. */
uint32_t ds_results(const darsie *s, const ww_inst *inst, uint32_t cell[DS_CELLS]);
/* Versions for the results of an instruction, for the entry to offer; false: none was made. */
bool ds_take_versions(darsie *s, ds_cta *c, ds_entry *e);
/* Whether the block could ever hold them. */
bool ds_could_take(const darsie *s, uint32_t pc);
/* Whether a register would be free if older versions of the results were not: the warp that comes
 * first shares some. */
bool ds_would_help(const darsie *s, const ds_cta *c, uint32_t w, uint32_t pc);
/* The entry offers its versions no more. */
void ds_withdraw(darsie *s, ds_cta *c, ds_entry *e);
/* The warp's cell is a version from now on; DS_NONE: its own register. */
void ds_rename(darsie *s, uint32_t w, uint32_t cell, uint8_t version);
/* Registers (not predicates) that the warp shares; all of them are its own afterwards. */
uint32_t ds_own_all(darsie *s, uint32_t w);
/* The warp has come to an instruction: registers that are not live there are its own again
 * (darsie.release). all: not those of `inst` alone. */
void ds_release_dead(darsie *s, uint32_t w, const ww_inst *inst, bool all);
/* What is left of the versions once the warp does not use the one that it shares there. */
void ds_drop_use(darsie *s, ds_cta *c, uint32_t w, uint32_t cell);
/* A leader's result goes into the version. */
void ds_fill_version(darsie *s, uint32_t w, uint32_t cell, uint8_t version);
/* Whether the warp finds in the version that it has there what plain execution has left in these
 * lanes of its own; true where it shares none. */
bool ds_holds(const darsie *s, uint32_t w, uint32_t cell, uint32_t lanes);
/* Values of the results, as one number. */
uint64_t ds_value(const darsie *s, uint32_t w, const ww_inst *inst);
/* Charges register-to-register moves. */
void ds_copy(darsie *s, uint64_t registers);
void ds_operands(void *state, uint32_t w, uint32_t pc, const uint32_t *reg, uint8_t *bank,
                 uint32_t count);

/* table.c */
ds_entry *ds_find(darsie *s, ds_cta *c, uint32_t w, uint32_t pc);
/* A new entry, the oldest that nobody waits at giving way; NULL: there is none. */
ds_entry *ds_enter(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, uint64_t now);
/* Its warps are looked at anew. */
void ds_remove(darsie *s, ds_cta *c, ds_entry *e);
void ds_remove_all(darsie *s, ds_cta *c);
/* A store, atomic or fence of the block: loads leave the table. */
void ds_remove_loads(darsie *s, ds_cta *c, bool global_only);
/* The warp will not come to the entries of its block any more. */
void ds_forget(darsie *s, ds_cta *c, uint32_t w, uint64_t now);
/* The warp's front end has passed the instruction as its leader; false: it leads too many. */
bool ds_lead_on(darsie *s, ds_cta *c, uint32_t w, ds_entry *e);
/* Whether the warp has just executed an instruction as a leader. *e: its entry; NULL: it is there
 * no more. */
bool ds_led(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, ds_entry **e);
/* The result of an instruction that it may have led is written. */
void ds_lead_written(darsie *s, ds_cta *c, uint32_t w, uint32_t pc, uint64_t now);
/* The block's majority has grown by these warps. */
void ds_expect(darsie *s, ds_cta *c, ww_warps warps);
/* All that are to come have gathered at an entry without registers: has it some now? */
void ds_try_gathered(darsie *s, ds_cta *c, ds_entry *e, uint64_t now);

/* path.c */
/* A warp of the block has executed a control instruction. */
void ds_branched(darsie *s, uint32_t w, const ww_step *step, uint64_t now);
/* It has executed a barrier of the whole block. */
void ds_met(darsie *s, uint32_t w, const ww_step *step, uint64_t now);
void ds_exited(darsie *s, uint32_t w, uint64_t now);

/* front.c */
/* Whether the warp may skip and lead, with nothing undecided between what it has executed and the
 * instruction. */
bool ds_takes_part(darsie *s, uint32_t w, uint32_t pc);
void ds_hold(darsie *s, uint32_t w, ww_counter why);
void ds_release(darsie *s, uint32_t w);
void ds_skip(void *state, ww_warps warps, uint64_t now);
ww_fetch_verdict ds_fetch(void *state, uint32_t w, uint32_t pc, uint64_t now);
void ds_flushed(void *state, uint32_t w, uint32_t first, uint32_t count);

#endif
