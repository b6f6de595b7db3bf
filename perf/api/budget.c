/* budget.c - what of an instruction budget a launch may take, and the state of memory to which a
 * launch that its share cuts short returns. */
#include "perf/api/launch.h"

#include <string.h>

#include "base/arith.h"
#include "base/mem.h"

static ww_status used_up(const ww_device *device, ww_error *err)
{
    return ww_fail(err, WW_EBUDGET, "the budget of %llu thread instructions is used up",
                   (unsigned long long)device->options.max_instructions);
}

/* ---- shares ---- */

ww_status ww__budget_create(ww_device *device, ww_error *err)
{
    ww_device_options *o = &device->options;
    if (o->share_count == 0) {
        return WW_OK;
    }
    if (o->memcheck) {
        return ww_fail(err, WW_EUSAGE, "shares of an instruction budget do not go with memcheck");
    }
    device->shares = WW_NEW_ARRAY(ww_share_state, o->share_count);
    o->max_instructions = 0;
    for (size_t i = 0; i < o->share_count; i++) {
        o->max_instructions += o->shares[i].instructions;
    }
    return device->shares != NULL ? WW_OK : ww_no_memory_for(err, "shares of a budget");
}

static uint64_t left_of(const ww_device *device, size_t i)
{
    const uint64_t most = device->options.shares[i].instructions;
    return most - ww_min_u64(most, device->shares[i].instructions);
}

static bool any_left(const ww_device *device)
{
    for (size_t i = 0; i < device->options.share_count; i++) {
        if (left_of(device, i) > 0) {
            return true;
        }
    }
    return false;
}

ww_status ww__budget_ask(ww_device *device, const char *kernel, ww_allowance *out, ww_error *err)
{
    const ww_device_options *o = &device->options;
    *out = (ww_allowance){.timed = true};
    if (o->share_count == 0) {
        if (o->max_instructions > 0 && device->instructions >= o->max_instructions) {
            return used_up(device, err);
        }
        out->most = o->max_instructions > 0 ? o->max_instructions - device->instructions : 0;
        return WW_OK;
    }
    if (!any_left(device)) {
        return used_up(device, err);
    }
    out->timed = false;
    for (size_t i = 0; i < o->share_count; i++) {
        if (strcmp(o->shares[i].kernel, kernel) == 0) {
            const uint32_t launch = device->shares[i].launches++;
            out->share = &device->shares[i];
            out->most = left_of(device, i);
            out->timed = launch >= o->shares[i].from && out->most > 0;
        }
    }
    return WW_OK;
}

ww_status ww__budget_spend(ww_device *device, const ww_allowance *a, uint64_t instructions,
                           ww_error *err)
{
    device->instructions += instructions;
    if (a->share == NULL) {
        return device->gpu->cut ? used_up(device, err) : WW_OK;
    }
    a->share->instructions += instructions;
    return any_left(device) ? WW_OK : used_up(device, err);
}

bool ww__budget_goes_on(const ww_device *device, const ww_allowance *a)
{
    for (size_t i = 0; i < device->options.share_count; i++) {
        if (&device->shares[i] != a->share && left_of(device, i) > 0) {
            return true;
        }
    }
    return false;
}

/* ---- memory as it was ---- */

ww_status ww__memory_save(ww_devmem *mem, ww_memory_copy *out, ww_error *err)
{
    uint64_t first, end, total = 0;
    for (uint64_t at = 0; ww_devmem_next(mem, at, &first, &end); at = end) {
        total += end - first;
    }
    *out = (ww_memory_copy){.bytes = WW_NEW_ARRAY(unsigned char, total + 1)};
    if (out->bytes == NULL) {
        return ww_no_memory_for(err, "a copy of %llu bytes of device memory",
                                (unsigned long long)total);
    }
    unsigned char *to = out->bytes;
    for (uint64_t at = 0; ww_devmem_next(mem, at, &first, &end); at = end) {
        memcpy(to, ww_devmem_at(mem, first, end - first), end - first);
        to += end - first;
    }
    return WW_OK;
}

void ww__memory_restore(ww_devmem *mem, ww_memory_copy *copy)
{
    uint64_t first, end;
    const unsigned char *from = copy->bytes;
    for (uint64_t at = 0; from != NULL && ww_devmem_next(mem, at, &first, &end); at = end) {
        memcpy(ww_devmem_at(mem, first, end - first), from, end - first);
        from += end - first;
    }
    ww__memory_forget(copy);
}

void ww__memory_forget(ww_memory_copy *copy)
{
    ww_free(copy->bytes);
    copy->bytes = NULL;
}
