/* sampling.c - both ways of sampling within a launch, as the chip asks for them at its edges. */
#include "perf/sampling/sampling.h"

static ww_status begin(void *user, ww_gpu *gpu, ww_error *err)
{
    ww_sampling *s = user;
    s->ctas.ledger = s->time.ledger = &s->ledger;
    WW_TRY(ww_ledger_begin(&s->ledger, gpu, 0, err));
    WW_TRY(ww_cta_sampler_begin(&s->ctas, gpu, err));
    return ww_time_sampler_begin(&s->time, gpu, err);
}

static ww_status edge(void *user, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_sampling *s = user;
    WW_TRY(ww_cta_sampler_step(&s->ctas, gpu, now, err));
    return ww_time_sampler_step(&s->time, gpu, now, err);
}

static ww_status reached(void *user, ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_sampling *s = user;
    (void)err;
    ww_cta_sampler_reached(&s->ctas, gpu, now);
    return WW_OK;
}

static ww_status end(void *user, ww_gpu *gpu, ww_error *err)
{
    ww_sampling *s = user;
    ww_time_sampler_end(&s->time);
    return ww_ledger_end(&s->ledger, gpu, err);
}

ww_gpu_edges ww_sampling_edges(ww_sampling *s)
{
    return (ww_gpu_edges){.begin = begin, .edge = edge, .reached = reached, .end = end, .user = s};
}

void ww_sampling_fini(ww_sampling *s)
{
    ww_time_sampler_fini(&s->time);
    ww_ledger_fini(&s->ledger);
}
