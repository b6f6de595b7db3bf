/* overhead.c - P-mode's structures in an SM: per warp the second SIMT stack and scoreboard, the
 * P-queue and two renaming tables, and one bit for each register of the pool. They are those of
 * configs/tech/structures.xml; the energies charged are the paper's, which are parameters. */
#include "base/arith.h"
#include "power/overhead.h"

enum {
    STACK_ENTRY_BITS = 96, /* PC, reconvergence PC, mask (HPCA 2016, section 5) */
    SCOREBOARD_BITS = 2,   /* per register: pending, long-latency */
    RENAME_ENTRY_BITS = 8, /* register of the pool, renamed bit */
    QUEUE_ENTRY_BITS = 37, /* PC offset 10, three registers 18, Phy.Dst 7, Reuse.Rdy, valid */
    QUEUE_BASE_BITS = 32,  /* PC that the offsets are relative to */
};

/* A table of the paper's, with so many entries for each warp (or one of all). */
static void add_table(ww__builder *b, const char *described, const char *name, uint32_t entries,
                      uint32_t bits)
{
    ww_structure s = ww__described(b, described, entries, bits);
    ww_structure_cost table = ww__described_cost(b, &s);
    ww__structure(b, 2, name, b->arch->sm.count, table.area_m2, table.leak_w, "%u bits per SM; %s",
                  (unsigned)(entries * bits), ww__array_text(b, &s.spec));
}

static void add_copies(ww__builder *b)
{
    const ww_pmode_params *p = &b->arch->pmode;
    const ww_sm_params *sm = &b->arch->sm;
    add_table(b, "pmode-simt-stack", "second SIMT stack", sm->max_warps * p->stack_entries,
              STACK_ENTRY_BITS);
    ww__event(b, "switch mode", WW_C_PMODE_SWITCH, p->switch_energy, "pmode.switch_energy");
    /* its accesses are those of the scoreboard */
    add_table(b, "pmode-scoreboard", "second scoreboard", sm->max_warps,
              sm->max_thread_registers * SCOREBOARD_BITS);
}

static void add_renaming(ww__builder *b)
{
    const ww_pmode_params *p = &b->arch->pmode;
    const ww_sm_params *sm = &b->arch->sm;
    const uint32_t entries = sm->max_warps * sm->max_thread_registers;
    add_table(b, "pmode-rename-p", "renaming tables of P-mode", entries, RENAME_ENTRY_BITS);
    add_table(b, "pmode-rename-n", "renaming tables of N-mode", entries, RENAME_ENTRY_BITS);
    ww__event(b, "look up", WW_C_PMODE_RENAME_READ, p->rename_energy, "pmode.rename_energy");
    ww__event(b, "rename", WW_C_PMODE_RENAME_WRITE, p->rename_energy, "pmode.rename_energy");
    add_table(b, "pmode-availability", "availability vector", 1, p->pool_registers);
}

static void add_queue(ww__builder *b)
{
    const ww_pmode_params *p = &b->arch->pmode;
    if (p->queue_entries == 0) {
        return;
    }
    add_table(b, "pmode-queue", "P-queue", b->arch->sm.max_warps * p->queue_entries,
              QUEUE_ENTRY_BITS);
    ww__event(b, "enter", WW_C_PMODE_QUEUE_WRITE, p->queue_energy, "pmode.queue_energy");
    ww__event(b, "compare or take", WW_C_PMODE_QUEUE_READ, p->queue_energy, "pmode.queue_energy");
    ww__event(b, "mark ready", WW_C_PMODE_READY, p->queue_energy, "pmode.queue_energy");
    add_table(b, "pmode-queue-pointers", "P-queue pointers", b->arch->sm.max_warps,
              2 * ww_log2_ceil(p->queue_entries) + QUEUE_BASE_BITS);
}

void ww__overhead_pmode(ww__builder *b)
{
    add_copies(b);
    add_renaming(b);
    add_queue(b);
}
