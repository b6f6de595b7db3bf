/* overhead.c - P-mode's structures in an SM: per warp the second SIMT stack and scoreboard, the
 * P-queue and two renaming tables, and one bit for each register of the pool. Their areas and
 * leakage come from the array model; the energies are the paper's, which are parameters. */
#include "power/overhead.h"

enum {
    STACK_ENTRY_BITS = 96, /* PC, reconvergence PC, mask (HPCA 2016, section 5) */
    SCOREBOARD_BITS = 2,   /* per register: pending, long-latency */
    RENAME_ENTRY_BITS = 8, /* register of the pool, renamed bit */
    QUEUE_ENTRY_BITS = 37, /* PC offset 10, three registers 18, Phy.Dst 7, Reuse.Rdy, valid */
    QUEUE_BASE_BITS = 32,  /* PC that the offsets are relative to */
};

/* Bits that number n things. */
static uint32_t number_bits(uint32_t n)
{
    uint32_t bits = 0;
    while ((UINT32_C(1) << bits) < n) {
        bits++;
    }
    return bits;
}

/* One table of a warp's row each, as its rows are read and written whole. */
static void add_rows(ww__builder *b, const char *name, uint32_t row_bits, const char *what)
{
    const ww_arch *arch = b->arch;
    ww_array_spec spec = ww_array_table(arch->sm.max_warps, row_bits, 1, 1);
    ww_array_result table = ww__array(b, name, &spec);
    ww__structure(b, 2, name, arch->sm.count, table.area_m2, table.leak_w,
                  "%u bits per warp, %s; %s", (unsigned)row_bits, what, ww__array_text(b, &spec));
}

static void add_copies(ww__builder *b)
{
    const ww_pmode_params *p = &b->arch->pmode;
    const uint32_t registers = b->arch->sm.max_thread_registers;
    add_rows(b, "second SIMT stack", p->stack_entries * STACK_ENTRY_BITS,
             "read and written at switches");
    ww__event(b, "switch mode", WW_C_PMODE_SWITCH, p->switch_energy, "pmode.switch_energy");
    add_rows(b, "second scoreboard", registers * SCOREBOARD_BITS,
             "its accesses are those of the scoreboard");
}

static void add_renaming(ww__builder *b)
{
    const ww_pmode_params *p = &b->arch->pmode;
    const uint32_t registers = b->arch->sm.max_thread_registers;
    add_rows(b, "renaming tables", 2 * registers * RENAME_ENTRY_BITS, "N-mode's and P-mode's");
    ww__event(b, "look up", WW_C_PMODE_RENAME_READ, p->rename_energy, "pmode.rename_energy");
    ww__event(b, "rename", WW_C_PMODE_RENAME_WRITE, p->rename_energy, "pmode.rename_energy");
    ww_array_spec spec = ww_array_table(1, p->pool_registers, 1, 1);
    ww_array_result vector = ww__array(b, "availability vector", &spec);
    ww__structure(b, 2, "availability vector", b->arch->sm.count, vector.area_m2, vector.leak_w,
                  "a bit per register of the pool; %s", ww__array_text(b, &spec));
}

static void add_queue(ww__builder *b)
{
    const ww_pmode_params *p = &b->arch->pmode;
    if (p->queue_entries == 0) {
        return;
    }
    const uint32_t bits =
        p->queue_entries * QUEUE_ENTRY_BITS + 2 * number_bits(p->queue_entries) + QUEUE_BASE_BITS;
    add_rows(b, "P-queue", bits, "entries, head, tail and base PC");
    ww__event(b, "enter", WW_C_PMODE_QUEUE_WRITE, p->queue_energy, "pmode.queue_energy");
    ww__event(b, "compare or take", WW_C_PMODE_QUEUE_READ, p->queue_energy, "pmode.queue_energy");
    ww__event(b, "mark ready", WW_C_PMODE_READY, p->queue_energy, "pmode.queue_energy");
}

void ww__overhead_pmode(ww__builder *b)
{
    add_copies(b);
    add_renaming(b);
    add_queue(b);
}
