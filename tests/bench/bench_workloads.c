/* bench_workloads.c - warp instructions per second on the shipped workloads, per number of threads:
 * `bench_workloads [small|std|default [NAME|all [THREADS …]]]`; without THREADS: 1. The GPU is that
 * of WW_BENCH_GPU, gtx480 otherwise; WW_BENCH_PTX chooses PTX as written. Each figure is the best
 * of WW_BENCH_REPEAT runs (1 otherwise): other programs on the machine only ever make a run longer.
 * "cpu s" is the processors' time, which other programs disturb less than the clock on the wall;
 * the rate is per second of it on one thread, and of the wall's on several.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "workloads/workload.h"

enum { MOST_COUNTS = 8 };

typedef struct totals {
    uint64_t launches, inst, threads, cycles;
} totals;

typedef struct bench {
    ww_arch *arch;
    ww_workload_size size;
    ww_isa_mode isa;
    unsigned threads[MOST_COUNTS], counts, repeat;
} bench;

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

/* Seconds: on the wall, and of the processors. */
typedef struct times {
    double wall, cpu;
} times;

static double now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ww_status run_once(const bench *b, const ww_workload *w, unsigned threads, totals *t,
                          times *seconds, ww_error *err)
{
    ww_device *device = NULL;
    *t = (totals){0};
    const ww_device_options options = {
        .isa = b->isa, .threads = threads, .on_launch = add_launch, .user = t};
    const times start = {now_s(CLOCK_MONOTONIC), now_s(CLOCK_PROCESS_CPUTIME_ID)};
    ww_status st = ww_device_create(b->arch, &options, &device, err);
    if (st == WW_OK) {
        st = w->run(device, b->size, err);
    }
    seconds->wall = now_s(CLOCK_MONOTONIC) - start.wall;
    seconds->cpu = now_s(CLOCK_PROCESS_CPUTIME_ID) - start.cpu;
    ww_device_destroy(device);
    return st;
}

static int run_one(const bench *b, const ww_workload *w)
{
    double alone = 0;
    for (unsigned k = 0; k < b->counts; k++) {
        times best = {1e30, 1e30};
        totals t = {0};
        for (unsigned i = 0; i < b->repeat; i++) {
            ww_error err = {0};
            times seconds;
            if (run_once(b, w, b->threads[k], &t, &seconds, &err) != WW_OK) {
                printf("%-28s %s\n", w->name, err.what);
                return 1;
            }
            best.wall = fmin(best.wall, seconds.wall);
            best.cpu = fmin(best.cpu, seconds.cpu);
        }
        alone = k == 0 ? best.wall : alone;
        printf("%-28s %4llu %10llu %10llu %7.1f %7u %7.3f %7.3f %11.0f %6.2f\n", w->name,
               (unsigned long long)t.launches, (unsigned long long)t.cycles,
               (unsigned long long)t.inst, (double)t.threads / (double)t.cycles, b->threads[k],
               best.wall, best.cpu, (double)t.inst / (b->threads[k] > 1 ? best.wall : best.cpu),
               alone / best.wall);
        fflush(stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    ww_error err = {0};
    const char *gpu = getenv("WW_BENCH_GPU"), *repeat = getenv("WW_BENCH_REPEAT");
    bench b = {.isa = getenv("WW_BENCH_PTX") != NULL ? WW_ISA_PTX : WW_ISA_LOWERED,
               .repeat = repeat != NULL ? (unsigned)strtoul(repeat, NULL, 10) : 1};
    char path[512];
    snprintf(path, sizeof path, "%s/configs/gpu/%s.xml", WW_SOURCE_DIR,
             gpu != NULL ? gpu : "gtx480");
    assert_ok(ww_arch_load(path, NULL, 0, &b.arch, &err), err);
    assert_ok(ww_workload_size_parse(argc > 1 ? argv[1] : "small", &b.size, &err), err);
    for (int i = 3; i < argc && b.counts < MOST_COUNTS; i++) {
        b.threads[b.counts++] = (unsigned)strtoul(argv[i], NULL, 10);
    }
    if (b.counts == 0) {
        b.threads[b.counts++] = 1;
    }
    const char *name = argc > 2 ? argv[2] : "all";
    size_t count;
    const ww_workload *list = ww_workload_list(&count);
    int failures = 0;
    printf("%-28s %4s %10s %10s %7s %7s %7s %7s %11s %6s\n", "workload", "runs", "cycles",
           "warp inst", "IPC", "threads", "s", "cpu s", "warp inst/s", "faster");
    for (size_t i = 0; i < count; i++) {
        const bool runs = ww_workload_runs_on(&list[i], b.arch->chip.compute_capability);
        if ((strcmp(name, "all") == 0 && runs) || strcmp(name, list[i].name) == 0) {
            failures += run_one(&b, &list[i]);
        }
    }
    ww_arch_destroy(b.arch);
    return failures > 0;
}
