/* needs.c - which GPUs run a workload that uses what older ones do not have. */
#include "base/str.h"
#include "run/run.h"

/* Names of the shipped GPUs that run it, after " ". */
static ww_status add_cards(const ww_workload *workload, ww_str *text, ww_error *err)
{
    ww_arena arena = {0};
    ww_arch_entry *entry = NULL;
    size_t count = 0;
    ww_status status = ww_arch_list(&arena, &entry, &count, err);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        ww_arch *arch = NULL;
        status = ww_arch_load(entry[i].name, NULL, 0, &arch, err);
        if (status == WW_OK && ww_workload_runs_on(workload, arch->chip.compute_capability)) {
            ww_str_addf(text, " %s", entry[i].name);
        }
        ww_arch_destroy(arch);
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_run_check_workload(const ww_workload *workload, const ww_arch *arch, ww_error *err)
{
    const unsigned has = arch->chip.compute_capability, needs = workload->capability;
    ww_str cards = {0};
    if (ww_workload_runs_on(workload, has)) {
        return WW_OK;
    }
    ww_status status = add_cards(workload, &cards, err);
    status = status == WW_OK ? ww_str_check(&cards, err) : status;
    if (status == WW_OK) {
        status =
            ww_fail(err, WW_ERANGE,
                    "workload %s needs compute capability %u.%u, %s has %u.%u; these run it:%s",
                    workload->name, needs / 10, needs % 10, arch->chip.name, has / 10, has % 10,
                    ww_str_text(&cards));
    }
    ww_str_fini(&cards);
    return status;
}
