/* dispatch.c - the CTA scheduler of the chip: CTAs in linear order to SMs in turn. */
#include "perf/gpu.h"

ww_status ww_gpu_dispatch(ww_gpu *gpu, uint64_t now, ww_error *err)
{
    if (gpu->next_cta >= gpu->ctas || now < gpu->start + gpu->arch->sm.kernel_launch_cycles) {
        return WW_OK;
    }
    uint32_t sms = gpu->arch->sm.count;
    uint32_t first = gpu->next_sm;
    for (uint32_t k = 0; k < sms && gpu->next_cta < gpu->ctas; k++) {
        uint32_t i = first + k < sms ? first + k : first + k - sms;
        if (ww_sm_accepts(gpu->sm[i], now)) {
            WW_TRY(ww_sm_launch_cta(gpu->sm[i], (uint32_t)gpu->next_cta, now, err));
            gpu->next_cta++;
            gpu->next_sm = i + 1 < sms ? i + 1 : 0;
        }
    }
    return WW_OK;
}
