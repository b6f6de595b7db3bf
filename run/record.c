/* record.c - owning copies of launch records. */
#include <string.h>

#include "base/mem.h"
#include "run/run.h"

static ww_status copy_parts(ww_launch_record *dst, const ww_launch_record *src, ww_error *err)
{
    ww_counter_set *counters = WW_NEW(ww_counter_set);
    ww_interval *intervals =
        src->interval_count > 0 ? WW_NEW_ARRAY(ww_interval, src->interval_count) : NULL;
    dst->counters = counters;
    dst->intervals = intervals;
    if (counters == NULL || (src->interval_count > 0 && intervals == NULL) || dst->kernel == NULL ||
        dst->workload == NULL || dst->size == NULL || dst->occupancy_limit == NULL) {
        return ww_no_memory_for(err, "the counters of a launch");
    }
    WW_TRY(ww_counter_set_clone(counters, src->counters, err));
    for (size_t i = 0; i < src->interval_count; i++) {
        intervals[i].first_cycle = src->intervals[i].first_cycle;
        intervals[i].last_cycle = src->intervals[i].last_cycle;
        intervals[i].at = src->intervals[i].at;
        dst->interval_count = i + 1;
        WW_TRY(ww_counter_set_clone(&intervals[i].counters, &src->intervals[i].counters, err));
    }
    return WW_OK;
}

ww_status ww_launch_record_copy(ww_launch_record *dst, const ww_launch_record *src,
                                const char *workload, uint32_t index, ww_error *err)
{
    *dst = *src;
    dst->kernel = ww_strdup(src->kernel);
    dst->workload = ww_strdup(workload);
    dst->occupancy_limit = ww_strdup(src->occupancy_limit != NULL ? src->occupancy_limit : "");
    dst->size = ww_strdup(src->size != NULL ? src->size : "");
    dst->launch_index = index;
    dst->counters = NULL;
    dst->intervals = NULL;
    dst->interval_count = 0;
    ww_status status = copy_parts(dst, src, err);
    if (status != WW_OK) {
        ww_launch_record_fini(dst);
    }
    return status;
}

/* Records hold their parts as const, since everyone else only reads them. */
static void *own(const void *p)
{
    union {
        const void *constant;
        void *owned;
    } cast = {.constant = p};
    return cast.owned;
}

static void fini_const_set(const ww_counter_set *set)
{
    ww_counter_set copy = *set;
    ww_counter_set_fini(&copy);
}

void ww_launch_record_fini(ww_launch_record *record)
{
    ww_free(own(record->kernel));
    ww_free(own(record->workload));
    ww_free(own(record->size));
    ww_free(own(record->occupancy_limit));
    if (record->counters != NULL) {
        fini_const_set(record->counters);
        ww_free(own(record->counters));
    }
    for (size_t i = 0; i < record->interval_count; i++) {
        fini_const_set(&record->intervals[i].counters);
    }
    ww_free(own(record->intervals));
    *record = (ww_launch_record){0};
}

/* Room for 64 records, then for twice as many whenever it is used up. */
static ww_status make_room(ww_launch_record **records, size_t count, ww_error *err)
{
    if (count != 0 && (count < 64 || (count & (count - 1)) != 0)) {
        return WW_OK;
    }
    size_t capacity = count != 0 ? 2 * count : 64;
    ww_launch_record *grown = ww_realloc_array(*records, capacity, sizeof *grown);
    if (grown == NULL) {
        return ww_no_memory_for(err, "more than %zu launches", count);
    }
    *records = grown;
    return WW_OK;
}

/* Of the counters of all intervals but the first. */
static uint64_t further_bytes(const ww_launch_record *record)
{
    return record->interval_count > 1
               ? (record->interval_count - 1) * ww_counter_set_bytes(record->counters)
               : 0;
}

uint64_t ww_launch_records_fit(ww_launch_record *records, size_t count, uint64_t most)
{
    for (uint64_t before = UINT64_MAX;;) {
        uint64_t bytes = 0;
        for (size_t i = 0; i < count; i++) {
            bytes += further_bytes(&records[i]);
        }
        if (bytes <= most || bytes == before) { /* no neighbours ran at the same point */
            return bytes;
        }
        before = bytes;
        for (size_t i = 0; i < count; i++) {
            records[i].interval_count =
                ww_intervals_merge(own(records[i].intervals), records[i].interval_count);
        }
    }
}

uint64_t ww_launch_records_longest(const ww_launch_record *records, size_t count)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < records[i].interval_count; k++) {
            const ww_interval *interval = &records[i].intervals[k];
            uint64_t cycles = interval->last_cycle - interval->first_cycle;
            longest = cycles > longest ? cycles : longest;
        }
    }
    return longest;
}

ww_status ww_launch_records_append(ww_launch_record **records, size_t *count,
                                   uint64_t *interval_bytes, const ww_launch_record *record,
                                   const char *workload, uint32_t index, ww_error *err)
{
    WW_TRY(make_room(records, *count, err));
    WW_TRY(ww_launch_record_copy(&(*records)[*count], record, workload, index, err));
    *interval_bytes += further_bytes(&(*records)[*count]);
    ++*count;
    if (*interval_bytes > WW_INTERVAL_BYTES) {
        *interval_bytes = ww_launch_records_fit(*records, *count, WW_INTERVAL_BYTES);
    }
    return WW_OK;
}

void ww_launch_records_destroy(ww_launch_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ww_launch_record_fini(&records[i]);
    }
    ww_free(records);
}
