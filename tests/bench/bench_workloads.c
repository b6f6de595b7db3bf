/* bench_workloads.c - warp instructions per second on the shipped workloads, GTX 480, one thread:
 * `bench_workloads [small|std|default [NAME]]`. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "workloads/workload.h"

typedef struct totals {
    uint64_t launches, inst, threads, cycles;
} totals;

static ww_status add_launch(void *user, const ww_launch_record *record, ww_error *err)
{
    totals *t = user;
    (void)err;
    t->launches++;
    t->inst += ww_counter_total(record->counters, WW_C_INST_ISSUED);
    t->threads += ww_counter_total(record->counters, WW_C_INST_THREAD);
    t->cycles += ww_counter_total(record->counters, WW_C_CORE_CYCLES);
    return WW_OK;
}

static int run_one(const ww_arch *arch, const ww_workload *w, ww_workload_size size,
                   ww_isa_mode isa)
{
    totals t = {0};
    ww_error err = {0};
    ww_device *device = NULL;
    const ww_device_options options = {.isa = isa, .on_launch = add_launch, .user = &t};
    clock_t start = clock();
    ww_status st = ww_device_create(arch, &options, &device, &err);
    if (st == WW_OK) {
        st = w->run(device, size, &err);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ww_device_destroy(device);
    if (st != WW_OK) {
        printf("%-22s %s\n", w->name, err.what);
        return 1;
    }
    printf("%-22s %4llu %10llu %10llu %7.1f %7.2f %11.0f\n", w->name,
           (unsigned long long)t.launches, (unsigned long long)t.cycles, (unsigned long long)t.inst,
           (double)t.threads / (double)t.cycles, seconds, (double)t.inst / seconds);
    return 0;
}

int main(int argc, char **argv)
{
    ww_arch *arch = NULL;
    ww_error err = {0};
    ww_workload_size size = WW_SIZE_SMALL;
    ww_isa_mode isa = getenv("WW_BENCH_PTX") != NULL ? WW_ISA_PTX : WW_ISA_LOWERED;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &err), err);
    assert_ok(ww_workload_size_parse(argc > 1 ? argv[1] : "small", &size, &err), err);
    size_t count;
    const ww_workload *list = ww_workload_list(&count);
    int failures = 0;
    printf("%-22s %4s %10s %10s %7s %7s %11s\n", "workload", "runs", "cycles", "warp inst", "IPC",
           "s", "warp inst/s");
    for (size_t i = 0; i < count; i++) {
        if (argc < 3 || strcmp(argv[2], list[i].name) == 0) {
            failures += run_one(arch, &list[i], size, isa);
        }
    }
    ww_arch_destroy(arch);
    return failures > 0;
}
