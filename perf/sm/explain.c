/* explain.c - what each live warp waits for, for reports of launches that do not end. */
#include "perf/sm/async/async.h"

#include <stdio.h>
#include <string.h>

enum { INSTRUCTION = 80, REASON = 136, APART = 64 };

/* Which entries of the table of flights are in use; NULL when out of memory: a report then lacks
 * what results come from. Caller frees. */
static bool *flights_in_use(const ww_flight_stage *flights)
{
    bool *used = WW_NEW_ARRAY(bool, flights->capacity);
    if (used == NULL) {
        return NULL;
    }
    memset(used, true, flights->capacity * sizeof *used);
    for (uint32_t i = flights->free; i != WW_NONE; i = flights->at[i].next) {
        used[i] = false;
    }
    return used;
}

static bool supplies(const ww_program *p, const ww_sm_op *writer, const ww_sm_op *reader)
{
    const ww_reg_bits *from = ww_program_written(p, writer), *to = ww_program_named(p, reader);
    for (unsigned i = 0; i < writer->reserve_count; i++) {
        for (unsigned k = 0; k < reader->hazard_count; k++) {
            if (from[i].word == to[k].word && (from[i].mask & to[k].mask) != 0) {
                return true;
            }
        }
    }
    return false;
}

/* The instruction in flight that the warp's next one waits for, those that read memory first;
 * WW_NONE: not known. */
static uint32_t producer(const ww_sm *sm, uint32_t w, uint32_t pc, const bool *in_use)
{
    const ww_program *p = sm->program;
    uint32_t best = WW_NONE;
    for (uint32_t i = 0; in_use != NULL && i < sm->flights.capacity; i++) {
        const ww_flight *f = &sm->flights.at[i];
        if (!in_use[i] || f->warp != w || f->loose || !supplies(p, &p->uop[f->uop], &p->uop[pc])) {
            continue;
        }
        bool slow = (p->uop[f->uop].flags & WW_SM_OP_LONG) != 0;
        bool best_slow = best != WW_NONE && (p->uop[best].flags & WW_SM_OP_LONG) != 0;
        if (best == WW_NONE || slow > best_slow || (slow == best_slow && f->uop < best)) {
            best = f->uop;
        }
    }
    return best;
}

static void result_text(const ww_sm *sm, uint32_t w, uint32_t pc, const bool *in_use,
                        const char *what, char *buf)
{
    uint32_t from = producer(sm, w, pc, in_use);
    if (from == WW_NONE) {
        snprintf(buf, REASON, "%s", what);
        return;
    }
    const ww_inst *inst = &sm->program->kernel->code[ww_program_inst(sm->program, from)];
    char name[INSTRUCTION];
    snprintf(buf, REASON, "%s of line %u, %s", what, inst->line,
             ww_inst_format(inst, name, sizeof name));
}

/* What the masks say of a warp that is at no barrier. */
static void reason_text(const ww_sm *sm, uint32_t w, uint32_t pc, const bool *in_use, char *buf)
{
    const char *text = "an issue slot";
    ww_slots bit = ww_slot(w);
    if (ww_any(sm->warps.at_fence & bit)) {
        text = sm->groups.waits[w] ? "a group of its copies to arrive"
                                   : "its memory operations before the fence";
    } else if (sm->async != NULL && ww_in(sm->async->asleep, w)) {
        sm_async_reason(sm, w, buf, REASON);
        return;
    } else if (ww_any(sm->hold.issue & bit)) {
        text = "a mechanism that holds it";
    } else if (ww_any(sm->warps.held & bit)) {
        text = "its store to be seen by the other SMs";
    } else if (ww_any(sm->constants.wait & bit)) {
        text = "a line of the constant cache";
    } else if (ww_any(sm->constants.retry & bit)) {
        text = "the constant cache to take its miss";
    } else {
        switch (sm_warp_stall(sm, w)) {
        case WW_STALL_RAW_LONG:
            result_text(sm, w, pc, in_use, "the memory result", buf);
            return;
        case WW_STALL_RAW_SHORT:
            result_text(sm, w, pc, in_use, "the result", buf);
            return;
        case WW_STALL_IBUF:
            text = ww_any(sm->hold.fetch & bit) ? "a mechanism that holds its fetch"
                                                : "instruction fetch";
            break;
        case WW_STALL_LSU:
            text = "an issue slot, or room in the load/store unit";
            break;
        case WW_STALL_SFU:
            text = "an issue slot, or room in the SFU pipeline";
            break;
        case WW_STALL_HELD:
            text = "a mechanism that holds its fetch";
            break;
        case WW_STALL_SP:
        case WW_STALL_BARRIER:
        case WW_STALL_IDLE:
        case WW_STALL_COUNT:
            break;
        }
    }
    snprintf(buf, REASON, "%s", text);
}

static void describe(const ww_sm *sm, uint32_t w, const bool *in_use, char *buf, size_t size)
{
    uint32_t pc = sm_place(sm, w);
    char name[INSTRUCTION] = "", reason[REASON], apart[APART];
    uint32_t line = 0;
    if (pc < sm->program->count) {
        line = sm->program->kernel->code[ww_program_inst(sm->program, pc)].line;
        ww_inst_format(&sm->program->kernel->code[ww_program_inst(sm->program, pc)], name,
                       sizeof name);
    }
    if (sm->warps.at[w]->at_barrier) {
        ww_waits_at_barrier(sm->warps.at[w], reason, sizeof reason);
    } else {
        reason_text(sm, w, pc, in_use, reason);
    }
    ww_waits_lanes_apart(sm->warps.at[w], sm->program->kernel, apart, sizeof apart);
    snprintf(buf, size, "line %u, %s: %s%s%s", line, name, reason, apart,
             ww_in(sm->extra.warps, w) ? " (a mechanism's warp)" : "");
}

static void sm_explain(const ww_sm *sm, ww_waits *waits)
{
    bool *in_use = flights_in_use(&sm->flights);
    for (uint32_t s = 0; s < WW_SM_CTAS; s++) {
        ww_slots live = sm->cta[s].warps & sm->warps.live;
        waits->ctas += ww_any(live);
        for (; ww_any(live); live = ww_rest(live)) {
            uint32_t w = ww_first(live);
            char text[sizeof waits->kind[0].text];
            describe(sm, w, in_use, text, sizeof text);
            ww_waits_add(waits, text, sm->id, sm->warps.at[w]);
        }
    }
    ww_free(in_use);
}
