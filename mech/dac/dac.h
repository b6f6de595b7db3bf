/* dac.h - private to the room: decoupled affine computation (Wang and Lin, "Decoupled Affine
 * Computation for SIMT GPUs", ISCA 2017) on one SM. Sections and figures named in this room are
 * that paper's.
 *
 *   pass.c      the two streams of a kernel as code: what the affine warp runs lies behind it
 *   masks.c     one bit for each thread of a pass; values as tuples chosen by masks
 *   evaluate.c  what an instruction makes of such values
 *   flow.c      the path of the affine warp: Affine SIMT Stack, masks returned by other warps
 *   queues.c    Per Warp Address and Predicate Queues, and the lines that they lock
 *   expand.c    Affine Tuple Queue, Address and Predicate Expansion Unit
 *   hooks.c     where the SM calls all this; batches of CTAs
 */
#ifndef WW_MECH_DAC_DAC_H
#define WW_MECH_DAC_DAC_H

#include "mech/lib/behind.h"
#include "mech/mechanisms.h"
#include "perf/ptx/analysis/decouple.h"
#include "perf/ptx/analysis/tuple.h"

enum {
    DAC_WARPS = WW_WARPS, /* warp slots at most */
    DAC_CTAS = 64,        /* CTA slots */
    DAC_TUPLES = 8,    /* of one value: four (section 4.6), and what threads outside still hold */
    DAC_STACK = 64,    /* entries; those beyond dac.stack are counted */
    DAC_LINES = 64,    /* lines that an access of one warp touches */
    DAC_RECORDS = 256, /* of one warp's queue */
    DAC_ATQ = 256,
    DAC_SPLITS = 16, /* combinations of tuples that an instruction meets */
};

/* ---- the pass (pass.c) ---- */

typedef enum dac_kind {
    DAC_COPY,    /* an instruction of the kernel, on tuples */
    DAC_ENQUEUE, /* enq.data, enq.addr */
    DAC_ENQUEUE_PREDICATE,
    DAC_JUMP, /* to where the path goes on */
    DAC_END,
} dac_kind;

/* An instruction of the affine stream. */
typedef struct dac_copy {
    uint32_t inst; /* of the kernel */
    uint8_t kind;  /* dac_kind */
} dac_copy;

typedef struct dac_notes {
    uint32_t count;         /* instructions of the kernel; the affine stream lies behind */
    const uint16_t *stream; /* [count] WW_STREAM_* */
    const dac_copy *copy;   /* [copies] */
    uint32_t copies;
    const uint32_t *copy_of; /* [count] first of an instruction's copies */
    const uint32_t *hop;     /* [count + 1] next instruction at which the path may turn or stop */
    const bool *masks;       /* [count] its predicate differs between threads but is known */
    const bool *to_warps;    /* [count] the kernel's warps dequeue its predicate */
    const bool *divisor;     /* [count] a comparison with 0 whose operand a remainder divides by */
    const bool *keeps;       /* [count] masks there go to the Divergent Condition Register File */
    uint32_t whole, potential; /* instructions of the kernel; of those, potentially affine */
} dac_notes;

/** The hook of the same name. */
WW_NODISCARD ww_status dac_pass(const ww_mech_build *build, const ww_kernel **kernel,
                                const void **notes, ww_error *err);

/* ---- masks and values (masks.c) ---- */

typedef struct dac_masks {
    uint32_t of[DAC_WARPS];
} dac_masks;

typedef enum dac_form {
    DAC_LOST,   /* nobody knows: it was not computed, or a sum wrapped */
    DAC_WORD,   /* the tuple */
    DAC_HIGH,   /* upper word of the 64-bit tuple */
    DAC_RAISED, /* DAC_HIGH << shift */
    DAC_SPILL,  /* the 32-bit tuple >> shift */
    DAC_CARRY,  /* predicate: carry of tuple + other (or of the difference) */
} dac_form;

/* What some threads hold. */
typedef struct dac_word {
    uint8_t form; /* dac_form */
    uint8_t shift;
    ww_tuple tuple, other;
} dac_word;

/* What a register holds: tuples, each for some threads. */
typedef struct dac_value {
    uint8_t count;
    bool everywhere; /* one tuple, for all threads */
    dac_word word[DAC_TUPLES];
    dac_masks where[DAC_TUPLES];
} dac_value;

/* Thread indices of a warp. */
typedef struct dac_threads {
    uint16_t of[WW_WARP_SIZE][3];
} dac_threads;

typedef struct dac_entry { /* of the Affine SIMT Stack */
    uint32_t pc, reconv;   /* of the kernel; WW_NO_TARGET: none */
    dac_masks active;
} dac_entry;

/* ---- queues (queues.c) ---- */

typedef enum dac_state {
    DAC_READY,   /* the line is in the L1D, or was never asked for */
    DAC_WAITING, /* on its way */
} dac_state;

typedef struct dac_record { /* of a Per Warp Address Queue: a line, or none of a guarded-off access
                             */
    uint64_t line;
    uint32_t words; /* of the line that lanes touch; word i also stands for word i + 32 */
    uint32_t pc;
    uint8_t state; /* dac_state */
    bool last;     /* of its access */
    bool locked;   /* holds its line in the L1D */
    bool empty;    /* no lane accesses memory */
    bool lost;     /* its address is not known: the warp makes it itself */
} dac_record;

typedef struct dac_queue {
    dac_record record[DAC_RECORDS];
    uint32_t first, count;
    uint32_t through_pc; /* access that has issued before its last record came; UINT32_MAX: none */
    bool through;
} dac_queue;

typedef struct dac_predicate {
    uint32_t pc, mask;
    bool lost;
} dac_predicate;

typedef struct dac_predicates {
    dac_predicate entry[DAC_RECORDS];
    uint32_t first, count;
} dac_predicates;

/* Lines that a warp's issued accesses will unlock. */
typedef struct dac_unlocks {
    uint64_t line[4 * DAC_LINES];
    uint32_t count;
} dac_unlocks;

/* ---- expansion (expand.c) ---- */

typedef struct dac_tuples { /* an entry of the Affine Tuple Queue */
    uint8_t kind;      /* DAC_ENQUEUE, DAC_ENQUEUE_PREDICATE; DAC_END: the marker of a barrier */
    bool data;         /* asks for its lines */
    bool to_warps;     /* predicate: the kernel's warps take it too */
    bool written;      /* it has arrived */
    uint32_t pc;       /* of the kernel */
    uint32_t bytes;    /* of an access, by lane */
    dac_value address; /* 64-bit or 32-bit tuples, displacement included */
    dac_value left, right;        /* of a comparison */
    dac_masks active;             /* lanes that execute it */
    dac_masks lanes;              /* and pass the guard; predicate: the result */
    dac_masks lost;               /* lanes whose result is not known */
    uint16_t barriers[DAC_WARPS]; /* that a warp must have executed */
    ww_warps todo;                /* warps not served */
    ww_warps unmade;              /* predicate: warps whose mask has not been made once */
    uint64_t started;             /* CTAs whose first address or comparison has been made */
} dac_tuples;

/* The expansion of one warp's part of an entry. */
typedef struct dac_lines {
    const dac_tuples *entry;
    uint32_t warp; /* UINT32_MAX: none */
    uint32_t count;
    bool lost;
    uint64_t line[DAC_LINES];
    uint32_t words[DAC_LINES];
} dac_lines;

/* What the ATQ holds for the units in a cycle. */
typedef struct dac_heads {
    dac_tuples *address[DAC_CTAS], *comparison[DAC_CTAS]; /* oldest that a CTA waits for */
    dac_tuples *unmade; /* oldest predicate of which the affine warp's stack lacks a mask */
} dac_heads;

typedef struct dac_unit {
    uint64_t busy_until;
    uint32_t next; /* CTA to be looked at first */
    dac_lines lines;
} dac_unit;

/* ---- one SM ---- */

typedef struct dac {
    ww_sm *sm;
    const ww_arch *arch;
    const dac_notes *notes; /* of the kernel; NULL: nothing is decoupled */
    const ww_kernel *kernel;
    const ww_launch *launch;
    uint32_t cta_limit;
    uint32_t slots;                /* of warps, DAC_WARPS or fewer */
    uint32_t most[WW_INDEX_COUNT]; /* largest thread and block indices */
    dac_threads *tid;              /* [warp of a CTA] */

    /* residency */
    ww_warps warps_of[DAC_CTAS];
    uint8_t cta_of[DAC_WARPS];
    uint64_t resident, waiting;   /* CTAs; those not covered by a pass yet */
    uint64_t last_placed;         /* cycle */
    ww_warps given_up;            /* warps that go on without the affine warp */
    uint16_t barriers[DAC_WARPS]; /* executed by each warp since its CTA was covered */

    /* the pass under way */
    bool running;
    uint32_t warp;    /* slot of the affine warp */
    ww_warps pass;    /* its warps that have not exited */
    ww_warps covered; /* those of all passes */
    dac_masks live;   /* threads, as the affine warp knows */
    dac_entry stack[DAC_STACK];
    uint32_t depth;
    uint32_t at;                /* next instruction of the affine stream */
    bool stays;                 /* of the kernel's instruction another copy follows */
    uint64_t turn_until;        /* first cycle in which the stack is up to date */
    uint16_t passed[DAC_WARPS]; /* barriers, as the affine warp knows */
    dac_value *value;           /* [registers + predicates] */
    dac_masks *bits;            /* [predicates] */
    dac_masks *unknown;         /* [predicates] lanes whose bit is not known */
    uint32_t registers, predicates;
    uint32_t values; /* room of those three */
    /* return registers: one for each warp (section 4.5) */
    ww_warps returned;
    uint32_t return_pc[DAC_WARPS], return_active[DAC_WARPS], return_lanes[DAC_WARPS];

    /* queues */
    dac_tuples *atq;
    uint32_t atq_first, atq_count, atq_size;
    bool stuck; /* nothing moves until a warp takes something or a line comes */
    dac_unit addresses, comparisons;
    uint8_t partial[DAC_WARPS]; /* records that a warp has of the entry it is served with */
    uint32_t refused;           /* cycles in a row in which the L1D's port was taken */
    dac_queue *queue;           /* [slots] */
    dac_predicates *predicate;  /* [slots] */
    dac_unlocks *unlock;        /* [slots] */
    ww_warps awaiting;          /* warps with records whose lines are on their way */
    uint32_t queue_size, predicate_size; /* of each warp */

    /* an oracle (dac.oracle = ahead): lines whose data were there before they were asked for */
    ww_behind behind;

    /* warps that wait at a deq, for a return register, or (the affine warp) for room or masks */
    ww_warps held;
    uint32_t held_pc[DAC_WARPS];
    ww_warps lifted; /* their next instruction is a comparison whose mask a queue gives */
} dac;

static inline uint64_t dac_cta(uint32_t cta)
{
    return UINT64_C(1) << cta;
}

static inline void dac_count(dac *s, ww_counter counter, uint64_t n)
{
    ww_mech_count(s->sm, counter, n);
}

static inline uint32_t dac_first_cta(uint64_t set)
{
    return (uint32_t)__builtin_ctzll(set);
}

/* masks.c: all over the warps of a pass */
bool dac_masks_empty(const dac *s, const dac_masks *m);
bool dac_masks_cover(const dac *s, const dac_masks *m); /* every live thread */
void dac_masks_and(const dac *s, dac_masks *to, const dac_masks *with);
void dac_masks_without(const dac *s, dac_masks *to, const dac_masks *lanes);
void dac_masks_or(const dac *s, dac_masks *to, const dac_masks *with);
/* Forgets what a value was; for lanes `m` it is `word` from now on. */
void dac_write(dac *s, dac_value *v, const dac_masks *m, const dac_word *word);
void dac_copy_value(dac_value *to, const dac_value *from);
dac_word dac_scalar(uint64_t value, unsigned bits);
/* The value of one thread, false where it is lost. lane: of a warp of the pass. */
bool dac_value_at(const dac *s, const dac_value *v, uint32_t warp, uint32_t lane, uint64_t *out);
/* Indices of a thread. */
void dac_indices(const dac *s, uint32_t warp, uint32_t lane, uint32_t index[WW_INDEX_COUNT]);
uint64_t dac_word_at(const dac *s, const dac_word *word, uint32_t warp, uint32_t lane);

/* evaluate.c */
/* Executes an instruction on tuples for the lanes that are active and pass its guard; SIMT lanes
 * that it takes. */
uint32_t dac_evaluate(dac *s, uint32_t inst, const dac_masks *active);
/* Lanes of `active` that pass the guard; those whose predicate is not known do not. */
void dac_guarded(dac *s, uint32_t inst, const dac_masks *active, dac_masks *out, dac_masks *lost);
/* A source operand as a value (addresses: with the displacement). */
void dac_operand(dac *s, uint32_t inst, uint32_t index, const dac_masks *active, dac_value *out);
void dac_displace(dac *s, dac_value *v, int64_t offset);

/* oracle.c */
/* A ceiling runs in the mechanism's place: there is no affine warp, and nobody waits for it. */
static inline bool dac_is_oracle(const dac *s)
{
    return s->arch->dac.oracle != WW_DAC_ORACLE_NONE;
}
/* The hook of that name. */
bool dac_oracle_beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready);

/* flow.c */
/* Loads that look up the L1D, where lines can wait for them. */
bool dac_through_l1d(const dac *s, const ww_inst *inst);
/* Starts at the kernel's first instruction with the threads of the pass. */
void dac_flow_begin(dac *s);
/* Takes the step of instruction `at`; false: the affine warp has ended. *lanes: SIMT lanes. */
bool dac_flow_step(dac *s, uint32_t *lanes, uint64_t now);
/* Whether the affine warp can take it now. */
typedef enum dac_wait {
    DAC_GO,
    DAC_WAITS_FOR_ROOM,
    DAC_WAITS_FOR_MASKS,
    DAC_WAITS_FOR_STACK,
} dac_wait;
dac_wait dac_flow_waits(const dac *s, uint64_t now);
void dac_flow_exited(dac *s, uint32_t warp);

/* queues.c */
/* Adds what a lane accesses: lines in the order of the lanes, and the words that are touched. */
void dac_touch(dac_lines *lines, uint64_t line_bytes, uint64_t address, uint32_t bytes);
bool dac_address_ready(const dac *s, uint32_t warp, uint32_t pc, bool *data);
bool dac_predicate_ready(const dac *s, uint32_t warp);
uint32_t dac_address_room(const dac *s, uint32_t warp);
void dac_push_record(dac *s, uint32_t warp, const dac_record *record);
void dac_push_predicate(dac *s, uint32_t warp, dac_predicate p);
void dac_take_address(dac *s, uint32_t warp, const ww_step *step);
void dac_take_predicate(dac *s, uint32_t warp, const ww_step *step, uint32_t mask);
void dac_unlock_line(dac *s, uint32_t warp, uint64_t line);
void dac_line_arrived(dac *s, uint64_t line);
void dac_line_left(dac *s, uint64_t line);
/* A store of the CTA looks the line up. */
void dac_line_stored(dac *s, uint32_t cta, uint64_t line);
void dac_forget_warp(dac *s, uint32_t warp);

/* expand.c */
void dac_expand(dac *s, uint64_t now);
uint32_t dac_lockable_ways(const ww_arch *arch);
bool dac_expand_busy(const dac *s);
/* Room for one more entry at the ATQ's tail. */
bool dac_atq_room(const dac *s);
/** Whether all masks of predicates in the queue are known to the affine warp's stack. */
bool dac_masks_made(const dac *s);
dac_tuples *dac_atq_push(dac *s);

/* hooks.c */
void dac_recheck(dac *s, uint32_t warp);
void dac_give_up(dac *s, ww_warps warps);

#endif
