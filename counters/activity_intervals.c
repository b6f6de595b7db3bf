/* activity_intervals.c - reads the intervals of a launch from an activity document. */
#include "counters/activity_read.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/room.h"

/* A few bytes of text may stand for all counters of a GPU, so that intervals need a bound against
 * hostile input. A launch and one interval of it do not: the launch must show every component, so
 * that memory stays in proportion to the text. */
static const uint64_t max_intervals = 2 * WW_INTERVAL_BYTES;

/* Room for one more interval of the launch, with its counters at 0. The arena keeps the smaller
 * arrays that it outgrew; the last is at least as large as all of them. */
static ww_status add_interval(ww__activity_reader *r, ww_interval **out, ww_error *err)
{
    size_t count = r->launch->interval_count;
    ww_interval *room =
        ww_arena_room(&r->box->arena, r->intervals, count, &r->interval_room, sizeof *r->intervals);
    if (room == NULL) {
        return ww__activity_fail(&r->xml, err, WW_ENOMEM, "out of memory");
    }
    r->launch->intervals = r->intervals = room;
    ww_counter_set *counters = &r->intervals[count].counters;
    WW_TRY(ww__activity_init_set(r, counters, err));
    r->launch->interval_count++;
    r->interval_bytes += count > 0 ? ww_counter_set_bytes(counters) : 0;
    if (r->interval_bytes > max_intervals) {
        return ww__activity_fail(&r->xml, err, WW_ERANGE,
                                 "activity file holds more than %" PRIu64
                                 " bytes of counters in intervals",
                                 max_intervals);
    }
    *out = &r->intervals[count];
    return WW_OK;
}

/* What it ran at: said of all intervals of a launch, or of none. */
static ww_status read_point(ww__activity_reader *r, ww_point *at, ww_error *err)
{
    *at = (ww_point){0};
    bool first = r->launch->interval_count == 0;
    bool said = ww__activity_has(&r->xml, "core_hz");
    if (!first && said != ww_launch_varies(r->launch)) {
        return ww__activity_fail(&r->xml, err, WW_ESCHEMA,
                                 "core_hz is said of some intervals of the launch, not of all");
    }
    if (said) {
#define GET(field) WW_TRY(ww__activity_get_positive(&r->xml, #field, &at->field, err));
        WW__POINT_REALS(GET)
#undef GET
    }
    return WW_OK;
}

ww_status ww__activity_read_interval(ww__activity_reader *r, ww_error *err)
{
#define NAME(field) #field,
    static const char *const known[] = {"first", "last", WW__POINT_REALS(NAME) NULL};
#undef NAME
    WW_TRY(ww__activity_attributes(&r->xml, known, err));
    size_t count = r->launch->interval_count;
    uint64_t first, last, begin = count > 0 ? r->intervals[count - 1].last_cycle : 0;
    WW_TRY(ww__activity_get_u64(&r->xml, "first", UINT64_MAX, &first, err));
    WW_TRY(ww__activity_get_u64(&r->xml, "last", UINT64_MAX, &last, err));
    if (first != begin || last <= first) {
        return ww__activity_fail(&r->xml, err, WW_ERANGE,
                                 "interval from cycle %" PRIu64 " to %" PRIu64
                                 "; it must begin at %" PRIu64 " and end later",
                                 first, last, begin);
    }
    ww_point at;
    WW_TRY(read_point(r, &at, err));
    ww_interval *interval = NULL;
    WW_TRY(add_interval(r, &interval, err));
    interval->at = at;
    interval->first_cycle = first;
    interval->last_cycle = last;
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        memset(r->seen_in_interval[s], 0, r->shape[s]);
    }
    int depth;
    bool found;
    WW_TRY(ww__activity_first(&r->xml, &depth, &found, err));
    while (found) {
        WW_TRY(ww__activity_read_component(r, &interval->counters, r->seen_in_interval, err));
        WW_TRY(ww__activity_next(&r->xml, depth, &found, err));
    }
    return WW_OK;
}

/* Takes an interval's totals from what is left of the launch's; false: there is less. */
static bool take(ww_counter_block *left, const ww_counter_set *interval)
{
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        for (uint32_t i = 0; i < interval->count[s]; i++) {
            for (int c = 0; c < WW_COUNTER_COUNT; c++) {
                uint64_t count = interval->block[s][i].v[c];
                if (count > left->v[c]) {
                    return false;
                }
                left->v[c] -= count;
            }
        }
    }
    return true;
}

/* The intervals are parts of the launch: together they count no more than it does. Instances may be
 * told apart in one and not in the other. */
ww_status ww__activity_check_intervals(ww__activity_reader *r, ww_error *err)
{
    ww_counter_block left;
    for (int c = 0; c < WW_COUNTER_COUNT && r->launch->interval_count > 0; c++) {
        left.v[c] = ww_counter_total(r->set, (ww_counter)c);
    }
    for (size_t i = 0; i < r->launch->interval_count; i++) {
        if (!take(&left, &r->intervals[i].counters)) {
            return ww__activity_fail(&r->xml, err, WW_ERANGE,
                                     "launch %" PRIu32 ": the intervals up to cycle %" PRIu64
                                     " count more than the launch",
                                     r->launch->launch_index, r->intervals[i].last_cycle);
        }
    }
    if (ww_launch_varies(r->launch) && left.v[WW_C_CORE_CYCLES] > 0) {
        return ww__activity_fail(&r->xml, err, WW_ERANGE,
                                 "launch %" PRIu32 ": its clock changed, and %" PRIu64
                                 " of its cycles are in no interval",
                                 r->launch->launch_index, left.v[WW_C_CORE_CYCLES]);
    }
    return WW_OK;
}
