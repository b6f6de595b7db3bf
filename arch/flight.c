/* flight.c - Little's law over a description: what must be on its way at a time for the memory's
 * bandwidth to be used, against what its registers for misses can hold. */
#include "arch/arch.h"

/* Of the pins' bandwidth, what a card's memory delivers: rows, turns of the bus and refresh take
 * the rest. A GTX 480 reads 152.1 of 177.4 GB/s (SHOC's readGlobalMemoryCoalesced, results.csv of
 * accel-sim/gpu-app-collection). */
#define USABLE 0.857

double ww_arch_dram_bandwidth(const ww_arch *arch)
{
    const ww_mem_params *m = &arch->mem;
    return (double)m->channels * m->bus_bits / 8 * m->data_rate * arch->clock.dram_hz;
}

/* From a miss of the L2 to its data: a closed row's read, with nobody before it. */
static double dram_s(const ww_arch *arch)
{
    const ww_mem_params *m = &arch->mem;
    const double burst = (double)m->burst_length / m->data_rate;
    return (m->trcd + m->tcl + burst + m->extra_latency) / arch->clock.dram_hz;
}

static ww_arch_flight flight(const char *where, double held, double bandwidth, double seconds)
{
    return (ww_arch_flight){where, held, bandwidth * seconds, seconds};
}

size_t ww_arch_flights(const ww_arch *arch, ww_arch_flight out[2])
{
    const double bandwidth = USABLE * ww_arch_dram_bandwidth(arch);
    size_t n = 0;
    if (arch->ldst.l1_perfect) {
        return 0;
    }
    if (arch->l2.bytes > 0) {
        const double held =
            (double)ww_arch_slices(arch) * arch->l2.mshr_entries * arch->l2.sector_bytes;
        out[n++] = flight("l2.mshr_entries", held, bandwidth, dram_s(arch));
    }
    if (arch->l1d.bytes > 0 && arch->ldst.l1_caches_global) {
        const double held =
            (double)arch->sm.count * arch->l1d.mshr_entries * arch->l1d.sector_bytes;
        const double l2 = arch->l2.bytes > 0 ? arch->l2.hit_latency : 0;
        const double way = 2.0 * arch->icnt.latency / arch->clock.icnt_hz +
                           (arch->mem.rop_latency + l2) / arch->clock.l2_hz;
        out[n++] = flight("l1d.mshr_entries", held, bandwidth, way + dram_s(arch));
    }
    return n;
}
