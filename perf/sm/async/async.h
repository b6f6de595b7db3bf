/* async.h - the asynchronous engines of an SM beside its pipeline, private to perf/sm: their state,
 * the warps that sleep for them, and when they act next. An SM has them for launches of programs
 * that use them (ww_program.asynchronous), and is not `plain` then. */
#ifndef WW_PERF_SM_ASYNC_ASYNC_H
#define WW_PERF_SM_ASYNC_ASYNC_H

#include "perf/sm/async/copy.h"
#include "perf/sm/async/matrix.h"
#include "perf/sm/async/overlap.h"
#include "perf/sm/async/registers.h"
#include "perf/sm/async/remote.h"
#include "perf/sm/sm_state.h"

/* What a warp sleeps for. */
typedef enum ww_sleep_for {
    WW_SLEEP_TIME,      /* a cycle */
    WW_SLEEP_MATRIX,    /* products of its warp group */
    WW_SLEEP_ROOM,      /* room for its next product */
    WW_SLEEP_OBJECT,    /* the end of an mbarrier's phase, or a cycle */
    WW_SLEEP_QUEUE,     /* room in the copy engine's queue */
    WW_SLEEP_READ,      /* groups of its bulk copies to have left shared memory */
    WW_SLEEP_DONE,      /* the same to be done */
    WW_SLEEP_GRIDS,     /* the grids before its own to end */
    WW_SLEEP_REGISTERS, /* registers of its CTA's pool */
} ww_sleep_for;

struct ww_async {
    uint64_t next;   /* the first cycle in which an engine acts; UINT64_MAX: none does by itself */
    ww_slots asleep; /* these are at_barrier as well: they leave the schedulers */
    uint8_t why[WW_SM_WARPS];           /* ww_sleep_for */
    uint64_t until[WW_SM_WARPS];        /* cycle; products done */
    uint16_t team_key[WW_MATRIX_TEAMS]; /* CTA slot and warp group, + 1; 0: free */
    uint32_t object[WW_SM_WARPS];       /* of those that sleep for one */
    uint8_t phase[WW_SM_WARPS];
    uint8_t tries[WW_SM_WARPS]; /* that have given up since the last phase that ended */
    ww_engines engines;
    ww_copies copies;
    ww_remote remote;
    ww_pools pools;
    ww_overlap overlap;
    bool depends; /* grids before the launch's have not ended */
    ww_bulk_groups bulk[WW_SM_WARPS];
    ww_smem_port port;
    ww_matrix matrix;
};

/* ---- copy.c ---- */
/* A warp asks for a copy. */
WW_NODISCARD static ww_status copy_ask(ww_sm *sm, uint32_t w, uint32_t pc, const ww_copy_job *job,
                                       ww_error *err);
/* The engine's next steps, those due: whether there was one. */
static bool start_command(ww_sm *sm, uint64_t now);
static bool walk(ww_sm *sm, uint64_t now);
static uint32_t ended_task(const ww_copies *c, uint64_t now);
WW_NODISCARD static ww_status end_task(ww_sm *sm, uint32_t i, uint64_t now, bool *flipped,
                                       ww_error *err);
static uint64_t copy_next(const ww_copies *c);
static void copy_replied(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* Of a multicast that is for the SM itself too: a part has come. */
static void copy_part_came(ww_sm *sm, uint32_t task, uint32_t bytes, uint64_t now);
static void bulk_joins(ww_bulk_groups *g, ww_copy_task *t);
static void bulk_forget(ww_bulk_groups *g);
static void bulk_commit(ww_bulk_groups *g);
static bool bulk_arrived(ww_bulk_groups *g, bool reads, uint64_t left, uint32_t *until);

/* ---- remote.c ---- */
/* Of an instruction without an entry in the load/store unit: sends what it does to mbarriers
 * elsewhere. */
static void send_ops(ww_sm *sm, uint32_t w, uint64_t now);
static void send_at(ww_sm *sm, ww_message m, uint64_t at);
static void send_message(ww_sm *sm, ww_message m, uint32_t flits, uint64_t now);
static void deliver_here(ww_sm *sm, ww_message m, uint64_t at);
static uint64_t way_in(ww_sm *sm, uint32_t bytes, uint64_t now);
static uint64_t lane_end(const ww_sm *sm);
WW_NODISCARD static ww_status act_messages(ww_sm *sm, uint64_t now, ww_error *err);
static uint64_t messages_next(const ww_remote *r);
static void remote_fini(ww_remote *r);
static ww_remote remote_begin(const ww_remote *r);

/* ---- overlap.c ---- */
static void overlap_count(ww_sm *sm, uint64_t now);
static void overlap_copying(ww_sm *sm, bool copying, uint64_t now);
static void overlap_matrix(ww_sm *sm, uint64_t until, uint64_t now);
static void overlap_warp(ww_sm *sm, uint32_t w);
/* An engine has worked for the CTA on that slot. */
static void note_engine(ww_sm *sm, uint32_t slot, ww_span_kind kind, uint64_t from, uint64_t until);
/* A warp begins to wait, and has waited, in cycle overlap.now. */
static void overlap_waits(ww_sm *sm, uint32_t w, ww_waits_for what);
static void overlap_goes_on(ww_sm *sm, uint32_t w);
static void overlap_asks(ww_sm *sm, uint32_t w, ww_role role);
static void overlap_issued(ww_sm *sm, uint32_t w, const ww_sm_op *uop, uint64_t now);

/* ---- registers.c ---- */
static void registers_warp(ww_sm *sm, uint32_t w);
static void change_registers(ww_sm *sm, uint32_t w, const ww_inst *inst, uint64_t now);
static void registers_reason(const ww_sm *sm, uint32_t w, char *buf, size_t size);

/* ---- engines.c ---- */
static void put_to_sleep(ww_sm *sm, uint32_t w, ww_sleep_for why, uint64_t until);
/* Some phase has ended: whoever slept for it tries again. */
static void phases_ended(ww_sm *sm, uint64_t now);

#endif
