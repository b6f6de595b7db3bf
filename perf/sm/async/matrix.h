/* matrix.h - the matrix unit of an SM as warp groups use it (wgmma), in time: products wait in the
 * order in which the last of a group's four warps has issued them, one at a time is under way, for
 * as long as its multipliers need and its operands take to come from shared memory, and its sums
 * are in the registers some cycles later. Groups of products complete in order. Events: `next` says
 * when it acts. Pure but for the port. */
#ifndef WW_PERF_SM_ASYNC_MATRIX_H
#define WW_PERF_SM_ASYNC_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "perf/ptx/ir.h"
#include "perf/sm/async/port.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WW_MATRIX_WARPS = 4,  /* of a warp group */
    WW_MATRIX_TEAMS = 64, /* warp groups of an SM */
    WW_MATRIX_OPS = 64,   /* of a warp group, under way */
    WW_MATRIX_GROUPS = 32 /* of a warp, told apart */
};
#define WW_MATRIX_NOBODY UINT32_MAX

/* A product of a warp group. */
typedef struct ww_matrix_work {
    uint32_t cycles; /* least time in the unit */
    uint32_t rows;   /* of 128 B, read from shared memory */
    uint32_t tail;   /* cycles from there to its sums in the registers */
} ww_matrix_work;

typedef struct ww_matrix_team {
    uint32_t issued[WW_MATRIX_WARPS];   /* products by each warp */
    uint32_t asked, ready, begun, done; /* products that some warp has issued; all have; … */
    uint32_t groups[WW_MATRIX_WARPS];   /* that each warp has committed */
    uint32_t ends[WW_MATRIX_WARPS][WW_MATRIX_GROUPS]; /* products before the end of a group */
    ww_matrix_work work[WW_MATRIX_OPS];
} ww_matrix_team;

typedef struct ww_matrix_end {
    uint64_t at;
    uint32_t team;
} ww_matrix_end;

typedef struct ww_matrix {
    ww_smem_port *port;
    uint32_t queue; /* products that wait: each has its place in the queues of all partitions */
    uint64_t asked; /* products that some warp of theirs has issued */
    uint32_t first, count;         /* products that are ready, ring */
    uint32_t end_first, end_count; /* products under way, ring */
    uint64_t free_at;              /* the unit begins the next */
    uint64_t busy;                 /* cycles in which one was in it */
    uint64_t begun;                /* products */
    uint8_t ready[WW_MATRIX_TEAMS * WW_MATRIX_OPS];
    ww_matrix_end end[64];
    ww_matrix_team team[WW_MATRIX_TEAMS];
} ww_matrix;

/** What a product of that tile takes on a machine: MACs over the rate of its format, but no less
 * than the interval that operands from where they are bring with them. */
ww_matrix_work ww_matrix_work_of(const ww_async_params *p, const ww_inst *inst);
void ww_matrix_reset(ww_matrix *m, ww_smem_port *port, uint32_t queue);
/** A warp group's slot is taken by another. */
void ww_matrix_begin_team(ww_matrix *m, uint32_t team);
/** Warp i of a team issues its next product. There must be room for it. */
void ww_matrix_issue(ww_matrix *m, uint32_t team, uint32_t i, ww_matrix_work work);
/** Whether warp i of a team may issue its next product. The first of its four warps takes the place
 * for all: were places taken one by one, two teams could each fill the queue that the other's last
 * warp needs, and neither would ever begin. */
static inline bool ww_matrix_room(const ww_matrix *m, uint32_t team, uint32_t i)
{
    const ww_matrix_team *t = &m->team[team];
    return t->issued[i] < t->asked || m->asked - m->begun < m->queue;
}
/** Warp i of a team ends a group of products. */
void ww_matrix_commit(ww_matrix *m, uint32_t team, uint32_t i);
/** Products of its team that must be done before all but `left` groups of warp i are. */
uint32_t ww_matrix_until(const ww_matrix *m, uint32_t team, uint32_t i, uint64_t left);
/** Products of a team that are done. */
static inline uint32_t ww_matrix_done(const ww_matrix *m, uint32_t team)
{
    return m->team[team].done;
}
/** The team whose product has begun last; one has. */
static inline uint32_t ww_matrix_latest(const ww_matrix *m)
{
    return m->end[(m->end_first + m->end_count - 1) % (sizeof m->end / sizeof *m->end)].team;
}
/** When it acts next; UINT64_MAX: not without further products. */
uint64_t ww_matrix_next(const ww_matrix *m);
/** Does the next thing that is due by now. *team: whose product is done, or WW_MATRIX_NOBODY.
 * Returns false when nothing was due. */
bool ww_matrix_act(ww_matrix *m, uint64_t now, uint32_t *team);

#ifdef __cplusplus
}
#endif
#endif
