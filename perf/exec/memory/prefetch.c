/* prefetch.c - prefetches of lines (prefetch, prefetchu), and of many bytes into the L2
 * (cp.async.bulk.prefetch). They change no value: what time needs of them is their addresses.
 * Lanes that name no memory, or none that has lines of its own, ask for nothing (PTX ISA,
 * "prefetch, prefetchu"). */
#include <string.h>

#include "perf/exec/code.h"
#include "perf/exec/memory/engine_jobs.h"

enum { GRAIN = 16 };

static bool is_global(const ww_exec_ctx *x, uint64_t address, uint64_t bytes)
{
    uint64_t first, end;
    return ww_devmem_bounds(x->env->launch->mem, address, &first, &end) && bytes <= end - address;
}

static bool has_line(const ww_exec_ctx *x, ww_space space, uint64_t address)
{
    const uint64_t local = x->env->launch->kernel->local_bytes;
    if (space == WW_SPACE_LOCAL) {
        return address < local;
    }
    return is_global(x, address, 1) ||
           (space == WW_SPACE_GENERIC && address - WW_LOCAL_WINDOW < local);
}

static void addresses_of(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *base = ww__src(x, &u->src[0], scratch);
    ww_address_summary sum;
    x->code->lanes->addresses(&sum, x->out->address, base, u->src[0].words,
                              (uint64_t)u->inst->offset, x->exec, 1);
}

ww_status ww__run_prefetch(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_space space = (ww_space)u->inst->space;
    addresses_of(x, u);
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        if (!has_line(x, space, x->out->address[lane])) {
            x->out->exec &= ~(1u << lane);
        }
    }
    x->out->is_memory = true;
    x->out->space = space;
    x->out->lane_bytes = 1;
    return WW_OK;
}

/* In time the copy engine takes a command of each lane whose operands differ. */
ww_status ww__run_bulk_prefetch(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS], bytes[WW_LANES];
    memcpy(bytes, ww__src(x, &u->src[2], scratch), sizeof bytes);
    addresses_of(x, u);
    for (uint32_t m = ww__engines(x) != NULL ? x->exec : 0; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const uint64_t address = x->out->address[lane];
        if (address % GRAIN != 0 || bytes[lane] % GRAIN != 0 ||
            !is_global(x, address, bytes[lane])) {
            continue;
        }
        ww_copy_job *made = ww__engine_job(x);
        if (made == NULL) {
            return ww__pending_no_memory(x);
        }
        made->kind = WW_COPY_PREFETCH;
        made->address = address;
        made->bytes = bytes[lane];
        ww__engine_share_job(x);
    }
    return WW_OK;
}
