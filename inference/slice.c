/* slice.c - devices of a slice of a machine. */
#include "inference/slice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/mem.h"
#include "base/num.h"
#include "workloads/operators/operators.h"

/* Tiles of a product share strips of its operands with those of other SMs: a slice of too few SMs
 * reads most of them for itself, and is bound by memory where the machine is not. */
enum { LEAST_SMS = 24 };

unsigned ww__slice_share(const ww_arch *arch)
{
    const unsigned common = (unsigned)ww_gcd(arch->sm.count, arch->mem.channels);
    unsigned share = common;
    while (share > 1 && (common % share != 0 || arch->sm.count / share < LEAST_SMS)) {
        share--;
    }
    return share;
}

/* Core cycles of an interval. A window of tens of thousands has enough of them. */
enum { INTERVAL_CYCLES = 512 };

/* Whole intervals within the window. CTAs of an SM do not keep step: the first ones write their
 * results when others are half way, and what lies beyond has no such part. */
static ww_status look_through(ww__window *w, const ww_launch_record *record, ww_error *err)
{
    double at = 0;
    ww_counter_set_fini(&w->counters);
    WW_TRY(ww_counter_set_clone(&w->counters, record->counters, err));
    ww_counter_set_clear(&w->counters);
    w->done = 0;
    for (size_t i = 0; i < record->interval_count && at < w->to; i++) {
        const ww_counter_set *counters = &record->intervals[i].counters;
        const double done = (double)ww_counter_total(counters, WW_C_OP_FP32_FMA);
        if (w->inside && at >= w->from && ww_counter_total(counters, WW_C_L2_WRITE_BLOCKS) > 0) {
            break;
        }
        if (at >= w->from && at + done <= w->to) {
            WW_TRY(ww_counter_set_add(&w->counters, counters, err));
            w->done += done;
        }
        at += done;
    }
    return WW_OK;
}

/* Keeps what the last launch counted. */
static ww_status keep(void *user, const ww_launch_record *record, ww_error *err)
{
    ww__slice *s = user;
    if (s->window.to > 0) {
        WW_TRY(look_through(&s->window, record, err));
    }
    ww_counter_set_fini(&s->counters);
    s->counters = (ww_counter_set){0};
    WW_TRY(ww_counter_set_init(&s->counters, s->arch->sm.count,
                               record->counters->count[WW_SCOPE_SLICE],
                               record->counters->count[WW_SCOPE_CHANNEL], err));
    WW_TRY(ww_counter_set_copy(&s->counters, record->counters, err));
    s->record = *record;
    s->record.counters = &s->counters;
    s->record.intervals = NULL;
    s->record.interval_count = 0;
    snprintf(s->limit, sizeof s->limit, "%s", record->occupancy_limit);
    s->record.occupancy_limit = s->limit;
    s->warp_instructions += ww_counter_total(record->counters, WW_C_INST_ISSUED);
    return WW_OK;
}

/* The settings of the slice stand behind the user's, and win. It has one of a divided L2's parts,
 * which is as far away as both are on average. Launches begin at once: their
 * overhead is time, which the pass adds. */
static ww_status load_arch(const char *gpu, const ww_setting *settings, size_t count,
                           unsigned share, const ww_arch *whole, ww_arch **out, ww_error *err)
{
    char sms[WW_NUM_CHARS], channels[WW_NUM_CHARS], latency[WW_NUM_CHARS];
    snprintf(sms, sizeof sms, "%u", whole->sm.count / share);
    snprintf(channels, sizeof channels, "%u", whole->mem.channels / share);
    const bool divided = whole->mem.l2_parts > 1;
    snprintf(latency, sizeof latency, "%u",
             whole->mem.rop_latency + (divided ? whole->mem.l2_far_latency / 2 : 0));
    const ww_setting own[] = {{.key = "sm.count", .value = sms},
                              {.key = "mem.channels", .value = channels},
                              {.key = "sm.clusters", .value = "1"},
                              {.key = "sm.cluster_sms", .value = "even"},
                              {.key = "mem.l2_parts", .value = "1"},
                              {.key = "mem.l2_far_latency", .value = "0"},
                              {.key = "mem.l2_near_copies", .value = "false"},
                              {.key = "mem.rop_latency", .value = latency},
                              {.key = "sm.kernel_launch_cycles", .value = "0"}};
    const size_t own_count = sizeof own / sizeof own[0];
    ww_setting *all = WW_NEW_ARRAY(ww_setting, count + own_count);
    if (all == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        all[i] = settings[i];
    }
    memcpy(all + count, own, sizeof own);
    ww_status status = ww_arch_load(gpu, all, count + own_count, out, err);
    ww_free(all);
    return status;
}

static ww_status open_slice(ww__slice *s, const char *gpu, const ww_setting *settings,
                            size_t setting_count, unsigned threads,
                            const volatile sig_atomic_t *stop, ww_error *err)
{
    ww_arch *whole = NULL;
    WW_TRY(ww_arch_load(gpu, settings, setting_count, &whole, err));
    s->share = ww__slice_share(whole);
    ww_status status = load_arch(gpu, settings, setting_count, s->share, whole, &s->arch, err);
    ww_arch_destroy(whole);
    s->threads = threads;
    s->stop = stop;
    return status;
}

ww_status ww__slice_renew(ww__slice *slice, ww_error *err)
{
    const ww_device_options options = {.isa = WW_ISA_DESCRIBED,
                                       .threads = slice->threads,
                                       .on_launch = keep,
                                       .interval_cycles = slice->watched ? INTERVAL_CYCLES : 0,
                                       .stop = slice->stop,
                                       .user = slice};
    ww_device_destroy(slice->device);
    slice->device = NULL;
    slice->unit_count = slice->buffer_count = 0;
    slice->left = 0;
    return ww_device_create(slice->arch, &options, &slice->device, err);
}

ww_status ww__slice_settle(ww__slice *slice, ww_error *err)
{
    const size_t bytes = (size_t)ww_arch_l2_bytes(slice->arch);
    enum { LINE = 128 };
    ww_devptr all;
    WW_TRY(ww_device_malloc(slice->device, bytes, &all, err));
    for (size_t i = 0; i < bytes / LINE; i++) {
        bool stored = floor((double)(i + 1) * slice->written) > floor((double)i * slice->written);
        ww_device_left(slice->device, all + i * LINE, LINE, stored);
    }
    return ww_device_free(slice->device, all, err);
}

ww_status ww__slice_open(const char *gpu, const ww_setting *settings, size_t setting_count,
                         unsigned threads, const volatile sig_atomic_t *stop, ww__slice **out,
                         ww_error *err)
{
    ww__slice *s = WW_NEW(ww__slice);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    ww_status status = open_slice(s, gpu, settings, setting_count, threads, stop, err);
    if (status != WW_OK) {
        ww__slice_close(s);
        return status;
    }
    *out = s;
    return WW_OK;
}

void ww__slice_close(ww__slice *slice)
{
    if (slice == NULL) {
        return;
    }
    ww_device_destroy(slice->device);
    ww_counter_set_fini(&slice->counters);
    ww_counter_set_fini(&slice->window.counters);
    ww_arch_destroy(slice->arch);
    ww_free(slice);
}

/* ---- buffers ---- */

/* About normal: the sum of four uniform numbers, less its mean (Irwin, Hall); deviation 1. */
static float normal(uint64_t bits)
{
    unsigned sum = (unsigned)(bits & 0xffff) + (unsigned)(bits >> 16 & 0xffff) +
                   (unsigned)(bits >> 32 & 0xffff) + (unsigned)(bits >> 48);
    return ((float)sum - 131070.0f) * (1.0f / 37837.0f);
}

static uint64_t mixed(uint64_t x) /* SplitMix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static float value(ww__contents contents, uint64_t i)
{
    float x = normal(mixed(i));
    switch (contents) {
    case WW__WEIGHTS:
        return 0.02f * x;
    case WW__PROBABILITIES:
        return x * x * (1.0f / 512.0f);
    default:
        return x;
    }
}

/* Bits of a number of two bytes: half precision, or the upper half of a float, rounded. */
static uint16_t narrow(float x, bool f16)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!f16) {
        return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    int exponent = (int)(bits >> 23 & 0xff) - 112;
    uint32_t sign = bits >> 16 & 0x8000;
    if (exponent <= 0) { /* none of these data need numbers so small */
        return (uint16_t)sign;
    }
    return (uint16_t)(sign | (uint32_t)exponent << 10 | (bits >> 13 & 0x3ff));
}

static void fill(void *at, size_t count, unsigned number_bytes, bool f16, ww__contents contents)
{
    for (size_t i = 0; i < count; i++) {
        float x = value(contents, i);
        if (number_bytes == 4) {
            ((float *)at)[i] = x;
        } else if (number_bytes == 2) {
            ((uint16_t *)at)[i] = narrow(x, f16);
        } else {
            ((int8_t *)at)[i] = (int8_t)(x * 32.0f);
        }
    }
}

ww_status ww__slice_buffer(ww__slice *slice, size_t count, unsigned number_bytes, bool f16,
                           ww__contents contents, ww_devptr *out, ww_error *err)
{
    const size_t bytes = count * number_bytes;
    if (slice->buffer_count == WW__SLICE_BUFFERS) {
        return ww_fail(err, WW_EINTERNAL, "too many buffers for one operator");
    }
    WW_TRY(ww_device_malloc(slice->device, bytes, out, err));
    slice->buffers[slice->buffer_count++] = *out;
    void *at = contents == WW__RESULTS ? NULL : ww_device_host(slice->device, *out, bytes);
    if (at != NULL) {
        fill(at, count, number_bytes, f16, contents);
    }
    return WW_OK;
}

ww_status ww__slice_input(ww__slice *slice, size_t count, unsigned number_bytes, bool f16,
                          ww__contents contents, ww_devptr *out, ww_error *err)
{
    const size_t bytes = count * number_bytes;
    WW_TRY(ww__slice_buffer(slice, count, number_bytes, f16, contents, out, err));
    if (slice->left > 0) {
        ww_device_left(slice->device, *out, bytes, true);
    }
    return WW_OK;
}

ww_status ww__slice_release(ww__slice *slice, ww_error *err)
{
    ww_status status = WW_OK;
    for (size_t i = 0; i < slice->buffer_count; i++) {
        if (status == WW_OK) {
            status = ww_device_free(slice->device, slice->buffers[i], err);
        }
    }
    slice->buffer_count = 0;
    return status;
}

/* ---- launches ---- */

static ww_status find_unit(ww__slice *slice, const char *name, ww_module **out, ww_error *err)
{
    for (size_t i = 0; i < slice->unit_count; i++) {
        if (strcmp(slice->units[i].name, name) == 0) {
            *out = slice->units[i].module;
            return WW_OK;
        }
    }
    const ww_operator_unit *unit = ww_operator_unit_find(name);
    if (unit == NULL || slice->unit_count == WW__SLICE_UNITS) {
        return ww_fail(err, WW_EINTERNAL, "there is no unit '%s' of operator kernels", name);
    }
    WW_TRY(ww_device_load_ptx(slice->device, unit->path, unit->text, unit->length, out, err));
    slice->units[slice->unit_count].name = unit->name;
    slice->units[slice->unit_count++].module = *out;
    return WW_OK;
}

ww_status ww__slice_places(ww__slice *slice, const char *unit, const char *kernel, uint32_t threads,
                           uint32_t shared, uint64_t *out, ww_error *err)
{
    ww_module *module;
    uint32_t ctas;
    WW_TRY(find_unit(slice, unit, &module, err));
    WW_TRY(ww_device_occupancy(slice->device, module, kernel, threads, shared, &ctas, err));
    *out = (uint64_t)ctas * slice->arch->sm.count;
    return *out > 0 ? WW_OK
                    : ww_fail(err, WW_ERANGE, "kernel %s does not fit an SM of this GPU", kernel);
}

ww_status ww__slice_launch(ww__slice *slice, const char *unit, const char *kernel, uint32_t ctas,
                           uint32_t threads, uint32_t shared, const void *const *args, size_t count,
                           ww_error *err)
{
    ww_module *module;
    WW_TRY(find_unit(slice, unit, &module, err));
    return ww_device_launch(slice->device, module, kernel, (ww_dim3){ctas, 1, 1},
                            (ww_dim3){threads, 1, 1}, shared, args, count, err);
}
