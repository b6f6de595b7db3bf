/* script.c - see script.h. */
#include "tests/unit/mech/script.h"

script *script_of_next;

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    (void)arch;
    (void)err;
    script_of_next->why = script_of_next->why != 0 ? script_of_next->why : WW_COUNTER_COUNT;
    script_of_next->sm = sm;
    *state = script_of_next;
    return WW_OK;
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    script *s = state;
    (void)launch;
    s->begun++;
    return s->shadow_pc != 0 ? ww_mech_prepare_shadows(s->sm, 8, err) : WW_OK;
}

static void end(void *state)
{
    script *s = state;
    s->finished++;
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    script *s = state;
    ww_error err = {0};
    (void)cta;
    (void)warps;
    s->started++;
    if (s->favour != 0) {
        ww_mech_favour(s->sm, (ww_warps){{s->favour}});
    }
    if (s->background != 0) {
        ww_mech_background(s->sm, (ww_warps){{s->background}});
    }
    if (s->entry != 0) {
        assert_ok(ww_mech_start_warp(s->sm, s->entry, 0, now, &s->extra, &err), err);
    }
}

static void cta_ended(void *state, uint32_t cta, uint64_t now)
{
    script *s = state;
    (void)cta;
    (void)now;
    s->ended++;
}

static void warp_exited(void *state, uint32_t warp, uint64_t now)
{
    script *s = state;
    (void)warp;
    (void)now;
    s->exits++;
}

static void skip_stage(void *state, ww_warps warps, uint64_t now)
{
    script *s = state;
    (void)now;
    for (ww_warps_walk i = ww_warps_from(warps); ww_warps_next(&i);) {
        if (ww_mech_next_inst(s->sm, i.warp) == s->skip_pc) {
            assert_true(ww_mech_skip(s->sm, i.warp));
        }
    }
}

static void flushed(void *state, uint32_t warp, uint32_t first, uint32_t count)
{
    script *s = state;
    (void)warp;
    s->flushed_first = first;
    s->flushed += count;
}

static ww_fetch_verdict fetch(void *state, uint32_t warp, uint32_t pc, uint64_t now)
{
    script *s = state;
    if (pc == s->skip_pc) {
        return WW_FETCH_WAIT; /* the stage before fetch takes it out in the next cycle */
    }
    if (pc == s->supply_pc && s->supply_pc != 0) {
        return WW_FETCH_SUPPLY;
    }
    if (pc == s->wait_pc && now < s->release_at && s->why < WW_COUNTER_COUNT) {
        s->holds |= 1ull << warp;
        ww_mech_hold_fetch_for(s->sm, warp, s->why);
        return WW_FETCH_WAIT;
    }
    if (pc == s->wait_pc && now < s->release_at) {
        s->holds |= 1ull << warp;
        ww_mech_hold_fetch(s->sm, warp);
        return WW_FETCH_WAIT;
    }
    return WW_FETCH_GO;
}

static void skipped(void *state, uint32_t warp, const ww_step *step, uint64_t now)
{
    script *s = state;
    (void)warp;
    (void)now;
    assert_int_equal(step->pc, s->skip_pc);
    s->skipped++;
}

static void head(void *state, uint32_t warp, uint32_t pc, uint64_t now)
{
    script *s = state;
    s->heads++;
    if (pc == s->hold_pc && now < s->release_at) {
        s->holds |= 1ull << warp;
        ww_mech_hold_issue(s->sm, warp, s->why);
    }
    if (pc == s->lift_pc && s->lift_pc != 0) {
        ww_mech_lift(s->sm, warp);
    }
    if (pc == s->halt_pc && ww_mech_in_shadow(s->sm, warp)) {
        ww_mech_hold_issue(s->sm, warp, s->why);
    }
}

static bool drop(void *state, uint32_t warp, uint32_t pc, uint64_t now)
{
    script *s = state;
    (void)now;
    assert_true(ww_mech_in_shadow(s->sm, warp));
    return pc == s->drop_pc;
}

static void stalled(void *state, uint32_t warp, uint32_t pc, bool memory, uint64_t now)
{
    script *s = state;
    s->stalls++;
    s->stalled_at = now;
    s->memory = memory;
    if (pc == s->shadow_pc && s->shadow_pc != 0 && !s->been) {
        s->been = true;
        s->entered_at = now;
        assert_true(ww_mech_enter_shadow(s->sm, warp));
    }
}

static ww_issue_verdict issue(void *state, uint32_t warp, uint32_t pc, uint64_t now)
{
    script *s = state;
    (void)warp;
    (void)now;
    return pc == s->at_pc ? s->verdict : (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
}

static void executed(void *state, uint32_t warp, const ww_step *step, uint32_t flight, uint64_t now)
{
    script *s = state;
    (void)now;
    if (step->pc == s->at_pc) {
        s->flight = flight;
    }
    if (s->seen < MOST_SEEN) {
        s->warps[s->seen] = warp;
        s->pcs[s->seen++] = step->pc;
    }
}

static void operands(void *state, uint32_t warp, uint32_t pc, const uint32_t *reg, uint8_t *bank,
                     uint32_t count)
{
    script *s = state;
    (void)warp;
    if (pc == s->at_pc && s->bank != 0) {
        assert_int_equal(reg[count - 1], s->moves);
        bank[count - 1] = (uint8_t)__builtin_ctzll(s->bank);
    }
}

static void written(void *state, uint32_t warp, uint32_t pc, uint64_t now)
{
    script *s = state;
    (void)warp;
    if (pc == s->at_pc) {
        s->written_at = now;
        s->leaving = s->leave_at == 0;
    }
}

static void shadow_written(void *state, uint32_t warp, uint32_t pc, uint32_t flight, uint64_t now)
{
    script *s = state;
    (void)warp;
    (void)pc;
    (void)flight;
    s->shadow_written_at = now;
}

static void addressed(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    script *s = state;
    s->addressed = *access;
    s->addressed_segments = split->segments;
    s->addressed_at = now;
}

static void coalesced(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    script *s = state;
    s->coalesced_at = now;
    assert_true(split->segments > 0 && split->segment[0].address == access->address);
    s->segments += split->segments;
    s->access = *access;
    s->runs = split->runs;
    s->run = split->run[0];
}

static bool beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready)
{
    script *s = state;
    (void)access;
    *ready = now + s->beside_latency;
    return s->beside_latency > 0;
}

static void looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                      uint64_t now)
{
    script *s = state;
    (void)access;
    (void)now;
    s->looked_up = result;
}

static void filled(void *state, uint64_t address, uint32_t waiters, uint64_t now)
{
    script *s = state;
    (void)waiters;
    (void)address;
    s->filled = now;
}

static void arrived(void *state, uint64_t address, uint32_t token, uint64_t now)
{
    script *s = state;
    assert_int_equal(address, s->beside);
    s->token = token;
    s->arrived = now;
}

static void evicted(void *state, uint64_t address, uint64_t now)
{
    script *s = state;
    (void)now;
    s->evicted = address;
}

static void tick(void *state, uint64_t now)
{
    script *s = state;
    ww_error err = {0};
    if (s->holds != 0 && now >= s->release_at) {
        for (ww_warps_walk i = ww_warps_from((ww_warps){{s->holds}}); ww_warps_next(&i);) {
            ww_mech_release_fetch(s->sm, i.warp);
            ww_mech_release_issue(s->sm, i.warp);
        }
        s->holds = 0;
    }
    if (s->leaving || (s->leave_at != 0 && now == s->leave_at)) {
        ww_mech_leave_shadow(s->sm, 0);
    }
    if (s->complete_at != 0 && now == s->complete_at) {
        ww_mech_complete(s->sm, s->flight, now);
    }
    if (s->inject_at != 0 && now == s->inject_at) {
        s->injected = ww_mech_inject(s->sm, s->inject, 0, now);
        s->injected_again = ww_mech_inject(s->sm, s->inject, 0, now);
    }
    if (s->beside_at != 0 && now == s->beside_at) {
        assert_true(ww_mech_fetch_beside(s->sm, ww_mech_index(s->sm, s), s->beside, 128, 77));
    }
    if (s->fork_at != 0 && now == s->fork_at) {
        assert_ok(ww_mech_fork_warp(s->sm, 0, now, &s->fork, &err), err);
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    (void)state;
    return now + 1;
}

const ww_mech script_mech = {
    .name = "script",
    .create = create,
    .begin = begin,
    .end = end,
    .cta_started = cta_started,
    .cta_ended = cta_ended,
    .warp_exited = warp_exited,
    .skip = skip_stage,
    .flushed = flushed,
    .fetch = fetch,
    .skipped = skipped,
    .head = head,
    .drop = drop,
    .stalled = stalled,
    .issue = issue,
    .executed = executed,
    .operands = operands,
    .written = written,
    .shadow_written = shadow_written,
    .addressed = addressed,
    .coalesced = coalesced,
    .beside = beside,
    .looked_up = looked_up,
    .filled = filled,
    .arrived = arrived,
    .evicted = evicted,
    .tick = tick,
    .next = next,
};
