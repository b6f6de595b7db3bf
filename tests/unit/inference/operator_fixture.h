/* operator_fixture.h - a device without time, arrays on it, and launches of operator kernels, for
 * tests of these. */
#ifndef WW_TESTS_OPERATOR_FIXTURE_H
#define WW_TESTS_OPERATOR_FIXTURE_H

#include "workloads/operators/operators.h"

#include <string.h>

#include "arch/arch.h"
#include "perf/api/device.h"
#include "tests/support/bits.h"
#include "tests/support/test.h"

#define ARGS(...)                                                                                  \
    (const void *const[]){__VA_ARGS__}, sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)

typedef struct fixture {
    ww_arch *arch;
    ww_device *device;
    uint64_t random;
} fixture;

static inline int set_up_on(const char *gpu, void **state)
{
    static fixture f;
    ww_error err = {0};
    f = (fixture){.random = 1};
    assert_ok(ww_arch_load(gpu, NULL, 0, &f.arch, &err), err);
    const ww_device_options options = {.isa = WW_ISA_DESCRIBED, .functional_only = true};
    assert_ok(ww_device_create(f.arch, &options, &f.device, &err), err);
    *state = &f;
    return 0;
}

static inline int set_up(void **state)
{
    return set_up_on("a100-pcie", state);
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    ww_device_destroy(f->device);
    ww_arch_destroy(f->arch);
    return 0;
}

/* ---- numbers ---- */

static inline uint32_t next(fixture *f)
{
    f->random = f->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(f->random >> 33);
}

static inline uint32_t from_to(fixture *f, uint32_t low, uint32_t high)
{
    return low + next(f) % (high - low + 1);
}

static inline float from_bf16(uint16_t x)
{
    return f32_of((uint32_t)x << 16);
}

static inline float from_f16(uint16_t x)
{
    float value = ldexpf((float)(x & 0x3ff) / 1024.0f + (x >> 10 & 31 ? 1.0f : 0.0f),
                         (x >> 10 & 31 ? x >> 10 & 31 : 1) - 15);
    return x & 0x8000 ? -value : value;
}

/* Of a number that half precision holds. */
static inline uint16_t to_f16(float x)
{
    const uint32_t bits = bits_of(x);
    uint32_t sign = bits >> 16 & 0x8000;
    return (uint16_t)(x == 0 ? sign
                             : sign | ((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff));
}

typedef enum numbers { BF16, F16, F32 } numbers;

/* A device array and its values; of sixteenths, so that products and their sums are exact. */
typedef struct array {
    ww_devptr device;
    void *host; /* the device's own bytes */
    size_t count;
    numbers number;
} array;

static inline size_t bytes_of(const array *a)
{
    return a->count * (a->number == F32 ? 4 : 2);
}

static inline double value(const array *a, int64_t i)
{
    const uint16_t *narrow = a->host;
    return a->number == F32    ? (double)((const float *)a->host)[i]
           : a->number == BF16 ? (double)from_bf16(narrow[i])
                               : (double)from_f16(narrow[i]);
}

/* What a result of that number would read as. */
static inline double rounded(double x, numbers number)
{
    return number == BF16 ? (double)from_bf16(bf16_of((float)x)) : x;
}

static inline array make(fixture *f, size_t count, numbers number)
{
    ww_error err = {0};
    array a = {.count = count, .number = number};
    assert_ok(ww_device_malloc(f->device, bytes_of(&a), &a.device, &err), err);
    a.host = ww_device_host(f->device, a.device, bytes_of(&a));
    assert_non_null(a.host);
    for (size_t i = 0; i < count; i++) {
        float x = (float)((int)(next(f) % 65) - 32) / 16.0f;
        if (number == F32) {
            ((float *)a.host)[i] = x;
        } else {
            ((uint16_t *)a.host)[i] = number == BF16 ? bf16_of(x) : to_f16(x);
        }
    }
    return a;
}

static inline void drop(fixture *f, const array *a)
{
    ww_error err = {0};
    assert_ok(ww_device_free(f->device, a->device, &err), err);
}

static inline void launch(fixture *f, const char *unit, const char *kernel, uint32_t ctas,
                          uint32_t threads, uint32_t shared, const void *const *args, size_t count)
{
    ww_error err = {0};
    enum { UNITS = 16 };
    static ww_module *modules[UNITS];
    static const char *names[UNITS];
    static ww_device *of;
    const ww_operator_unit *u = ww_operator_unit_find(unit);
    assert_non_null(u);
    size_t i = 0;
    if (of != f->device) {
        memset(names, 0, sizeof names);
        of = f->device;
    }
    while (i < UNITS && names[i] != NULL && strcmp(names[i], unit) != 0) {
        i++;
    }
    assert_true(i < UNITS);
    if (names[i] == NULL) {
        assert_ok(ww_device_load_ptx(f->device, u->path, u->text, u->length, &modules[i], &err),
                  err);
        names[i] = u->name;
    }
    assert_ok(ww_device_launch(f->device, modules[i], kernel, (ww_dim3){ctas, 1, 1},
                               (ww_dim3){threads, 1, 1}, shared, args, count, &err),
              err);
}

static inline float activate(float x, int act)
{
    switch (act) {
    case 1:
        return x > 0 ? x : 0;
    case 2:
        return 0.5f * x * (1 + erff(x * 0.70710678f));
    case 3:
        return x / (1 + expf(-x));
    default:
        return x;
    }
}

#endif
