/* line_joules.c - what lines of kernels cost: energies of events by counter, and the joules that no
 * event has. */
#include "run/line_joules.h"

#include <string.h>

#include "base/assert.h"

void ww_line_prices_of(const ww_power_model *model, ww_line_prices *out)
{
    size_t count;
    const ww_power_event *event = ww_power_events(model, &count);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < count; i++) {
        const ww_power_event *e = &event[i];
        if (e->kind != WW_POWER_EVENT) {
            continue;
        }
        WW_ASSERT(e->per == WW_POWER_PER_COUNT); /* power that time costs is background */
        for (size_t t = 0; t < e->terms; t++) {
            out->j[e->counter[t]][e->component] += e->weight[t] * e->value;
        }
    }
}

/* What a workload's launches cost besides events. */
typedef struct idle {
    ww_line leakage, active, standby;
} idle;

static ww_line named(const char *workload, const char *text)
{
    return (ww_line){.workload = workload, .kernel = "", .file = "", .source = "", .text = text};
}

static bool is_activation(int component)
{
    return component == WW_COMPONENT_BP || component == WW_COMPONENT_CP ||
           component == WW_COMPONENT_WCU;
}

static ww_status add_launch(const ww_power_model *model, const ww_launch_record *launch, idle *out,
                            ww_error *err)
{
    ww_power_result r;
    WW_TRY(ww_power_evaluate(model, launch->counters, launch, &r, err));
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        ww_line *background = is_activation(c) ? &out->active : &out->standby;
        background->joules[c] += r.component[c].background_j;
        out->leakage.joules[c] += r.component[c].leakage_j;
    }
    return WW_OK;
}

ww_status ww_lines_add_idle(ww_lines *lines, const ww_power_model *model,
                            const ww_launch_record *launches, size_t count, ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *workload = launches[i].workload;
        idle of = {named(workload, "(static)"), named(workload, "(active SMs)"),
                   named(workload, "(standby)")};
        WW_TRY(add_launch(model, &launches[i], &of, err));
        WW_TRY(ww_lines_add(lines, &of.leakage, err));
        WW_TRY(ww_lines_add(lines, &of.active, err));
        WW_TRY(ww_lines_add(lines, &of.standby, err));
    }
    return WW_OK;
}
