/* dram.h - one memory controller with its DRAM: bounded queue, command scheduling, bank state
 * machines, data bus, refresh. Time is in DRAM command cycles. The controller is looked at only in
 * cycles where a command may be possible; refresh and the counters that integrate over time are
 * caught up arithmetically. */
#ifndef WW_PERF_MEM_DRAM_H
#define WW_PERF_MEM_DRAM_H

#include "counters/counters.h"
#include "perf/mem/addrmap.h"
#include "perf/mem/bits.h"
#include "perf/mem/charges.h"

#define WW_NO_ENTRY UINT16_MAX
#define WW_NO_ROW   UINT32_MAX

enum { WW_MAX_BANKS = 128, WW_BANK_WORDS = 2 };

/* What an L2 slice asks of its controller, and gets back for reads. */
typedef struct ww_dram_req {
    uint64_t local; /* slice-local address */
    uint32_t slice;
    uint32_t tag;   /* owner's */
    uint16_t bytes; /* within one interleave chunk */
    bool write;
    uint32_t owner; /* whom it is charged to (charges.h) */
} ww_dram_req;

/* Where the line timings of DRAM devices become cycles between commands. */
typedef struct ww_dram_timing {
    uint32_t burst; /* data-bus cycles of one burst */
    uint32_t burst_bytes;
    uint32_t col, col_same_group; /* column command to column command */
    uint32_t read_other_stack;    /* read to read of another stack ID */
    uint32_t read_to_write, write_to_read;
    uint32_t read_to_pre, write_to_pre;
    uint32_t rcd, ras, rp, rc, rrd;
    uint32_t read_done; /* read command to its data handed to the L2 */
    uint32_t refi, rfc, rfc_bank;
    bool dual_command; /* row and column commands have buses of their own (HBM) */
} ww_dram_timing;

/* A queued request. Linked in its bank's list, or for FCFS in the channel's. */
typedef struct ww_dram_entry {
    ww_dram_req req;
    uint64_t seq; /* order of arrival */
    uint32_t row;
    uint8_t bank, group;
    uint16_t bursts; /* column commands to go */
    uint16_t prev, next;
} ww_dram_entry;

typedef struct ww_dram_list {
    uint16_t head, tail;
} ww_dram_list;

typedef struct ww_dram_bank {
    uint64_t next_act, next_pre, next_col;
    uint64_t opener;   /* seq of the request the row was opened for */
    uint32_t owner;    /* whom that one is charged to */
    uint32_t row;      /* WW_NO_ROW: closed */
    uint16_t hit[2];   /* oldest request to the open row, [0] reads, [1] writes */
    uint16_t bypassed; /* requests served since a row conflict started to wait */
    uint16_t current;  /* bank-fr-fcfs: the request being served, */
    bool writes;       /* whether it writes, */
    uint8_t group;     /* and its bank group */
    uint8_t stack;     /* stack ID */
    ww_dram_list list[2];
} ww_dram_bank;

typedef struct ww_dram {
    ww_dram_timing t;
    const ww_addrmap *map;
    ww_counter_block *counters;
    const ww_charges *charges;    /* NULL: nobody is charged */
    struct ww_mem_values *values; /* NULL: bits that switch are not counted */
    uint32_t channel;
    ww_dram_scheduler scheduler;
    uint32_t banks, words, groups; /* words of a set of banks */

    /* queue */
    ww_dram_entry *entry;
    uint16_t free_entry;
    uint16_t fresh_entry; /* entries from this one on have never been taken; free last */
    uint16_t entries;
    uint32_t capacity, count;
    uint32_t kind_count[2]; /* reads, writes */
    uint64_t seq;
    ww_dram_list order; /* FCFS: arrival order */
    bool draining;      /* FR-FCFS: serving writes */
    uint64_t ticked;    /* cycle of the last tick with requests */
    uint32_t assigned;  /* bank-fr-fcfs: requests that are some bank's current one */
    uint32_t turn;      /* bank-fr-fcfs: bank looked at first */

    /* banks */
    uint64_t pending[2][WW_BANK_WORDS]; /* banks with reads, writes; bank-fr-fcfs: [0], either */
    uint64_t hits[2][WW_BANK_WORDS];    /* banks with a row hit among them; bank-fr-fcfs: [0], whose
                                           request is to the open row */
    uint64_t serving[WW_BANK_WORDS];    /* bank-fr-fcfs: banks with a current request */
    uint64_t open[WW_BANK_WORDS];
    uint64_t *group_next_col;
    uint64_t next_col, next_dir[2]; /* channel: any column command; reads, writes */
    uint64_t next_other_stack;      /* and reads of a stack ID that is not */
    uint32_t stack;                 /* the one read last, */
    uint32_t stack_reads;           /* of which so many reads went before older ones of others, */
    uint64_t stack_banks[WW_BANK_WORDS]; /* and its banks */
    uint64_t next_act;
    uint32_t open_count;

    /* read data on its way to the L2: ring */
    struct ww_dram_return {
        ww_dram_req req;
        uint64_t done;
    } * ret;
    uint32_t ret_mask, ret_first, ret_count, ret_held, ret_capacity;

    uint64_t refresh_due;  /* WW_NEVER: no refresh */
    bool per_bank;         /* a refresh is of one bank: */
    uint64_t round;        /* when the present round of all banks began */
    uint32_t refresh_bank; /* next in it */
    uint64_t active_since; /* first cycle not yet counted, while a row is open */
    uint64_t last_close;   /* when the last of the closed rows was; a refresh's may lie ahead */
    uint64_t queue_since;

    ww_dram_bank bank[WW_MAX_BANKS]; /* those that are there are set, and no others touched */
} ww_dram;

/* The next command that a scheduler wants. */
typedef enum ww_dram_command { WW_CMD_NONE, WW_CMD_ACT, WW_CMD_PRE, WW_CMD_COL } ww_dram_command;

typedef struct ww_dram_choice {
    ww_dram_command command;
    uint32_t bank;
    uint16_t entry;
    uint64_t earliest; /* when NONE: no command is possible before this cycle */
} ww_dram_choice;

/* ---- dram.c ---- */
/** Whether refreshes leave time between them. @error ERANGE */
WW_NODISCARD ww_status ww__dram_check(const ww_arch *arch, ww_error *err);
/** Controller `channel` of arch; counters and map are borrowed; memory from the arena; false when
 * out of memory. */
bool ww__dram_init(ww_dram *d, const ww_arch *arch, uint32_t channel, const ww_addrmap *map,
                   ww_counter_block *counters, ww_arena *arena);
static inline bool ww__dram_can_accept(const ww_dram *d)
{
    return d->count - d->assigned < d->capacity;
}
/** Queues a request at cycle now; only when it can accept. */
void ww__dram_accept(ww_dram *d, const ww_dram_req *req, uint64_t now);
/** Issues what cycle now allows; returns the next cycle to look (data returns included), WW_NEVER
 * when idle. */
uint64_t ww__dram_tick(ww_dram *d, uint64_t now);
/** Takes a finished read; false when none is done by now. The L2 must call ww__dram_release when it
 * has taken the data. */
bool ww__dram_pop(ww_dram *d, uint64_t now, ww_dram_req *out);
/** One return entry is free again. */
static inline void ww__dram_release(ww_dram *d)
{
    d->ret_held--;
}
/** Counts refreshes, open-row and queue time through cycle now. */
void ww__dram_sync(ww_dram *d, uint64_t now);

/* ---- dram_sched.c ---- */
/** Enters, removes a request in the scheduler's lists. */
void ww__sched_add(ww_dram *d, uint16_t id);
void ww__sched_remove(ww_dram *d, uint16_t id);
/** The row of a bank changed: finds its hits anew. */
void ww__sched_row_changed(ww_dram *d, uint32_t bank);
/** Settles what a cycle with these requests would have changed: before an arrival after cycles in
 * which no command was possible and that have been passed over. */
void ww__sched_pass(ww_dram *d);
/** No command is possible before this cycle, if nothing arrives; > now. */
uint64_t ww__sched_next(const ww_dram *d, uint64_t now);
/** Column command wanted at now. */
ww_dram_choice ww__sched_column(ww_dram *d, uint64_t now);
/** Activate or precharge wanted at now. */
ww_dram_choice ww__sched_row(const ww_dram *d, uint64_t now);

/* ---- dram_bank_sched.c: bank-fr-fcfs ---- */
/** Gives one idle bank its next request; false when there is none to give. */
bool ww__bank_assign(ww_dram *d);
/** The row or the current request of a bank changed. */
void ww__bank_changed(ww_dram *d, uint32_t bank);
uint64_t ww__bank_next(const ww_dram *d, uint64_t now);
ww_dram_choice ww__bank_column(const ww_dram *d, uint64_t now);
ww_dram_choice ww__bank_row(const ww_dram *d, uint64_t now);

#endif
