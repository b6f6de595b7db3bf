/* toggles_bench.c - a stream of reads of given values, and the energy of what it counted. */
#include <stdlib.h>
#include <string.h>

#include "power/power.h"
#include "validation/toggles.h"
#include "validation/validate.h"

#define KERNELS "power/toggles.ptx"

enum { THREADS = 256, PASSES = 4, VECTOR = 16 };

typedef struct stream {
    ww_arch *arch;
    ww_power_model *model;
    ww_device *device;
    double bits;
    ww__read_energy energy;
} stream;

static ww_status take_energy(void *user, const struct ww_launch_record *record, ww_error *err)
{
    stream *s = user;
    ww_power_result r;
    WW_TRY(ww_power_evaluate(s->model, record->counters, record, &r, err));
    const double memory = r.component[WW_COMPONENT_GM].event_j;
    s->energy.memory = memory / s->bits;
    s->energy.die = (r.event_j - memory) / s->bits;
    return WW_OK;
}

/* Xorshift (Marsaglia, Journal of Statistical Software 8(14), 2003). */
static unsigned char random_byte(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return (unsigned char)(*x >> 32);
}

/* Words of zeros, then as many of ones. */
static unsigned char byte_of_runs(size_t at, unsigned words)
{
    return at / sizeof(uint32_t) / words % 2 == 0 ? 0 : 0xff;
}

static ww_status fill(unsigned char *to, size_t bytes, const char *values, ww_error *err)
{
    uint64_t state = 88172645463325252u;
    char *end;
    const bool runs = strncmp(values, "runs ", 5) == 0, random = strcmp(values, "random") == 0;
    const bool ones = strcmp(values, "ones") == 0;
    const unsigned long run = runs ? strtoul(values + 5, &end, 10) : 1;
    if ((runs && (*end != '\0' || run == 0 || run > 1024)) ||
        (!runs && !random && !ones && strcmp(values, "zeros") != 0)) {
        return ww_fail(err, WW_ESCHEMA, "values '%s': zeros, ones, random or runs N (1 to 1024)",
                       values);
    }
    for (size_t i = 0; i < bytes; i++) {
        to[i] = runs     ? byte_of_runs(i, (unsigned)run)
                : random ? random_byte(&state)
                         : (ones ? 0xff : 0);
    }
    return WW_OK;
}

static ww_status write_values(stream *s, ww_devptr in, size_t bytes, const char *values,
                              ww_error *err)
{
    unsigned char *host = ww_alloc_array(bytes, 1);
    if (host == NULL) {
        return ww_no_memory_for(err, "a buffer");
    }
    ww_status status = fill(host, bytes, values, err);
    status = status == WW_OK ? ww_device_write(s->device, in, host, bytes, err) : status;
    ww_free(host);
    return status;
}

static ww_status measure(stream *s, ww_arena *arena, const char *values, ww_error *err)
{
    const uint32_t ctas = s->arch->sm.count;
    const uint64_t vectors = (uint64_t)ctas * THREADS * PASSES;
    const size_t bytes = vectors * VECTOR;
    ww_module *module;
    ww_devptr in, out;
    s->bits = 8.0 * (double)bytes;
    WW_TRY(ww_validation_kernels(arena, KERNELS, s->device, &module, err));
    WW_TRY(ww_device_malloc(s->device, bytes, &in, err));
    WW_TRY(ww_device_malloc(s->device, VECTOR, &out, err));
    WW_TRY(write_values(s, in, bytes, values, err));
    const void *args[] = {&out, &in, &vectors};
    return ww_device_launch(s->device, module, "read", (ww_dim3){ctas, 1, 1},
                            (ww_dim3){THREADS, 1, 1}, 0, args, WW_ARRAY_LEN(args), err);
}

ww_status ww__read_energy_of(ww_arena *arena, const char *gpu, const char *values,
                             ww__read_energy *out, ww_error *err)
{
    stream s = {0};
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = 1, .toggles = true, .on_launch = take_energy, .user = &s};
    /* What the host copies would be in the L2. */
    static const ww_setting settings[] = {{"mem.host_copies_fill_l2", "false"}};
    ww_status status = ww_arch_load(gpu, settings, WW_ARRAY_LEN(settings), &s.arch, err);
    status = status == WW_OK ? ww_power_model_create(s.arch, NULL, &s.model, err) : status;
    status = status == WW_OK ? ww_device_create(s.arch, &options, &s.device, err) : status;
    status = status == WW_OK ? measure(&s, arena, values, err) : status;
    *out = s.energy;
    ww_device_destroy(s.device);
    ww_power_model_destroy(s.model);
    ww_arch_destroy(s.arch);
    return status;
}
