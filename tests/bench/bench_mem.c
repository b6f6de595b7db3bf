/* bench_mem.c - how many transactions per second does the memory system simulate, by kind of
 * traffic? Prints a table; fails only when it is an order of magnitude off, so that a loaded
 * machine does not. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perf/mem/mem.h"
#include "tests/support/arch_fixture.h"

typedef struct pattern {
    const char *name;
    uint32_t stores_of_8;
    uint64_t footprint_lines; /* lines all SMs together walk over, again and again */
    uint32_t every;           /* cycles between two requests of one SM at best */
} pattern;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Transactions per second; cycles simulated are added to *cycles. */
static double run(const pattern *p, uint64_t transactions, uint64_t *cycles)
{
    ww_arch arch = fixture_arch();
    ww_counter_set set;
    ww_memsys *ms;
    ww_error err = {0};
    if (ww_counter_set_init(&set, 15, 12, 6, &err) != WW_OK ||
        ww_memsys_create(&arch, &set, &ms, &err) != WW_OK) {
        fprintf(stderr, "%s\n", err.what);
        exit(1);
    }
    double start = seconds();
    uint64_t sent = 0, got = 0, now = 0, due[15] = {0};
    while (got < transactions) {
        for (uint32_t sm = 0; sm < 15; sm++) {
            ww_mem_req reply;
            got += ww_memsys_receive(ms, sm, &reply);
            bool store = sent % 8 < p->stores_of_8;
            uint64_t line = sent % p->footprint_lines + (store ? 1u << 24 : 0);
            ww_mem_req req = {
                .address = line * 128, .bytes = 128, .kind = store ? WW_REQ_WRITE : WW_REQ_READ};
            if (now >= due[sm] && sent < transactions && ww_memsys_can_inject(ms, sm, &req)) {
                ww_memsys_inject(ms, sm, &req, now);
                sent++;
                due[sm] = now + p->every;
            }
        }
        ww_memsys_tick(ms, now);
        now++;
    }
    double elapsed = seconds() - start;
    *cycles = now;
    ww_memsys_destroy(ms);
    ww_counter_set_fini(&set);
    return (double)transactions / elapsed;
}

int main(void)
{
    static const pattern patterns[] = {
        {"stream, reads", 0, 1 << 22, 1},
        {"stream, a quarter stores", 2, 1 << 22, 1},
        {"L2 hits", 0, 4096, 1},
        {"L2 hits, a quarter stores", 2, 2048, 1},
        {"stream, half the bandwidth", 0, 1 << 22, 16},
        {"sparse", 0, 1 << 22, 200},
    };
    double worst = 1e30;
    printf("%-28s %14s %14s\n", "traffic", "requests/s", "core cycles/s");
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        uint64_t cycles;
        uint64_t n = 1000000;
        double rate = run(&patterns[i], n, &cycles);
        printf("%-28s %14.3g %14.3g\n", patterns[i].name, rate, rate * (double)cycles / (double)n);
        worst = rate < worst ? rate : worst;
    }
    return worst > 2e5 ? 0 : 1;
}
