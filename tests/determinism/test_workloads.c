/* Does every workload leave the same counters and the same device memory after each launch on 1, 2,
 * 4 and 8 threads, in both instruction streams and on machines with different windows? */
#include <string.h>

#include "arch/arch.h"
#include "base/hash.h"
#include "perf/api/device_state.h"
#include "tests/support/test.h"
#include "workloads/workload.h"

enum { MOST_LAUNCHES = 1024 };

/* Hashes of what a launch left behind. */
typedef struct trail {
    ww_device *device;
    uint32_t count;
    uint64_t counters[MOST_LAUNCHES], memory[MOST_LAUNCHES];
} trail;

/* FNV-1a over words: there is much to hash. */
static uint64_t hash_words(uint64_t h, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    for (; n >= sizeof(uint64_t); n -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        h = (h ^ word) * UINT64_C(0x100000001b3);
    }
    return ww_hash_bytes(h, bytes, n);
}

static uint64_t hash_memory(ww_devmem *mem)
{
    uint64_t h = WW_HASH_INIT;
    uint64_t first = 0, end = 0;
    while (ww_devmem_next(mem, end, &first, &end)) {
        h = ww_hash_bytes(h, &first, sizeof first);
        h = hash_words(h, ww_devmem_at(mem, first, end - first), end - first);
    }
    return h;
}

static uint64_t hash_counters(const ww_counter_set *set)
{
    uint64_t h = WW_HASH_INIT;
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        h = hash_words(h, set->block[scope], set->count[scope] * sizeof *set->block[scope]);
    }
    return h;
}

static ww_status note(void *user, const ww_launch_record *record, ww_error *err)
{
    trail *t = user;
    (void)err;
    assert_true(t->count < MOST_LAUNCHES);
    t->counters[t->count] = hash_counters(record->counters);
    t->memory[t->count++] = hash_memory(t->device->mem);
    return WW_OK;
}

static void follow(const ww_arch *arch, const ww_workload *w, ww_isa_mode isa, unsigned threads,
                   trail *t)
{
    ww_error err = {0};
    t->count = 0;
    const ww_device_options options = {
        .isa = isa, .threads = threads, .on_launch = note, .user = t};
    assert_ok(ww_device_create(arch, &options, &t->device, &err), err);
    assert_ok(w->run(t->device, WW_SIZE_SMALL, &err), err);
    ww_device_destroy(t->device);
}

/* Workloads that need no less than that compute capability, as far as the GPU has it. */
static void compare(const char *gpu, unsigned least, ww_isa_mode isa, const unsigned *threads,
                    unsigned n)
{
    static trail one, many;
    ww_error err = {0};
    ww_arch *arch = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/configs/gpu/%s.xml", WW_SOURCE_DIR, gpu);
    assert_ok(ww_arch_load(path, NULL, 0, &arch, &err), err);
    size_t count;
    const ww_workload *list = ww_workload_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (list[i].capability < least ||
            !ww_workload_runs_on(&list[i], arch->chip.compute_capability)) {
            continue;
        }
        follow(arch, &list[i], isa, 1, &one);
        assert_true(one.count > 0);
        for (unsigned k = 0; k < n; k++) {
            follow(arch, &list[i], isa, threads[k], &many);
            assert_int_equal(one.count, many.count);
            for (uint32_t l = 0; l < one.count; l++) {
                if (one.counters[l] != many.counters[l] || one.memory[l] != many.memory[l]) {
                    fail_msg("%s on %s, launch %u: %s differ on %u threads", list[i].name, gpu, l,
                             one.memory[l] != many.memory[l] ? "bytes in memory" : "counters",
                             threads[k]);
                }
            }
        }
    }
    ww_arch_destroy(arch);
}

static void any_number_of_threads(void **state)
{
    (void)state;
    static const unsigned threads[] = {2, 4, 8};
    compare("gtx480", 0, WW_ISA_LOWERED, threads, 3);
}

static void the_ptx_stream(void **state)
{
    (void)state;
    static const unsigned threads[] = {3};
    compare("gtx480-gpgpusim", 0, WW_ISA_PTX, threads, 1);
}

static void another_window(void **state)
{
    (void)state;
    static const unsigned threads[] = {2};
    compare("gtx480-pmode", 0, WW_ISA_LOWERED, threads, 1);
}

static void asynchronous_engines(void **state)
{
    (void)state;
    static const unsigned threads[] = {2, 3};
    compare("h100", 90, WW_ISA_LOWERED, threads, 2);
    compare("h100", 90, WW_ISA_PTX, threads, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(the_ptx_stream),
        cmocka_unit_test(another_window),
        cmocka_unit_test(asynchronous_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
