/* activity_read.c - reads activity files, one launch after the other. */
#include "counters/activity_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_INSTANCES = 4096 }; /* per scope, against hostile input */

static ww_status read_part(ww__activity_reader *r, ww_error *err)
{
    const char *name = ww__activity_element(&r->xml);
    if (strcmp(name, "sampling") == 0) {
        return ww__activity_read_sampling(r, err);
    }
    return strcmp(name, "interval") == 0 ? ww__activity_read_interval(r, err)
                                         : ww__activity_read_component(r, r->set, r->seen, err);
}

ww_status ww__activity_init_set(ww__activity_reader *r, ww_counter_set *set, ww_error *err)
{
    return ww_counter_set_init(set, r->shape[WW_SCOPE_SM], r->shape[WW_SCOPE_SLICE],
                               r->shape[WW_SCOPE_CHANNEL], err);
}

/* Room for one more launch, with its counters at 0. */
static ww_status add_launch(ww__activity_reader *r, ww_error *err)
{
    ww_activity *activity = &r->box->pub;
    if (activity->launch_count == r->launch_capacity) {
        size_t capacity = r->launch_capacity == 0 ? 16 : 2 * r->launch_capacity;
        ww_launch_record *grown =
            ww_realloc_array(activity->launches, capacity, sizeof *activity->launches);
        if (grown == NULL) {
            return ww__activity_fail(&r->xml, err, WW_ENOMEM, "out of memory");
        }
        activity->launches = grown;
        r->launch_capacity = capacity;
    }
    r->set = WW_ARENA_NEW(&r->box->arena, ww_counter_set);
    if (r->set == NULL) {
        return ww__activity_fail(&r->xml, err, WW_ENOMEM, "out of memory");
    }
    WW_TRY(ww__activity_init_set(r, r->set, err));
    r->intervals = NULL;
    r->interval_room = 0;
    r->launch = &activity->launches[activity->launch_count++];
    *r->launch = (ww_launch_record){.counters = r->set};
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        memset(r->seen[s], 0, r->shape[s]);
    }
    return WW_OK;
}

static ww_status read_launch_attributes(ww__activity_reader *r, ww_error *err)
{
#define NAME(field) #field,
    static const char *const known[] = {
        "index", "workload", "kernel",
        "grid",  "block",    "occupancy_limit",
        "size",  "stream",   WW__LAUNCH_COUNTS(NAME) WW__LAUNCH_REALS(NAME) NULL};
#undef NAME
    ww_launch_record *launch = r->launch;
    WW_TRY(ww__activity_attributes(&r->xml, known, err));
    WW_TRY(ww__activity_get_u32(&r->xml, "index", UINT32_MAX, &launch->launch_index, err));
    WW_TRY(ww__activity_get_text(&r->xml, "workload", &r->box->arena, &launch->workload, err));
    WW_TRY(ww__activity_get_text(&r->xml, "kernel", &r->box->arena, &launch->kernel, err));
    WW_TRY(ww__activity_get_text(&r->xml, "occupancy_limit", &r->box->arena,
                                 &launch->occupancy_limit, err));
    WW_TRY(ww__activity_get_extent(&r->xml, "grid", launch->grid, err));
    WW_TRY(ww__activity_get_extent(&r->xml, "block", launch->block, err));
    launch->size = "";
    if (ww__activity_has(&r->xml, "size")) {
        WW_TRY(ww__activity_get_text(&r->xml, "size", &r->box->arena, &launch->size, err));
    }
    if (ww__activity_has(&r->xml, "stream")) {
        WW_TRY(ww__activity_get_u32(&r->xml, "stream", UINT32_MAX, &launch->stream, err));
    }
#define GET(field) WW_TRY(ww__activity_get_u32(&r->xml, #field, UINT32_MAX, &launch->field, err));
    WW__LAUNCH_COUNTS(GET)
#undef GET
#define GET(field) WW_TRY(ww__activity_get_positive(&r->xml, #field, &launch->field, err));
    WW__LAUNCH_REALS(GET)
#undef GET
    return WW_OK;
}

/* Every instance must have had its component, and totals must fit in 64 bits. */
static ww_status check_launch(const ww__activity_reader *r, ww_error *err)
{
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        for (uint32_t i = 0; i < r->shape[s]; i++) {
            if (r->seen[s][i] == 0) {
                return ww__activity_fail(&r->xml, err, WW_ESCHEMA,
                                         "launch %" PRIu32 " lacks %s component %" PRIu32,
                                         r->launch->launch_index, ww__scope_prefix[s], i);
            }
        }
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < r->shape[info->scope]; i++) {
            uint64_t value = r->set->block[info->scope][i].v[c];
            if (value > UINT64_MAX - sum) {
                return ww__activity_fail(&r->xml, err, WW_ERANGE,
                                         "launch %" PRIu32
                                         ": counter '%s' adds up to more than 2^64",
                                         r->launch->launch_index, info->name);
            }
            sum += value;
        }
    }
    return WW_OK;
}

static ww_status read_launch(ww__activity_reader *r, ww_error *err)
{
    WW_TRY(ww__activity_expect(&r->xml, "launch", err));
    WW_TRY(add_launch(r, err));
    WW_TRY(read_launch_attributes(r, err));
    int depth;
    bool found;
    WW_TRY(ww__activity_first(&r->xml, &depth, &found, err));
    while (found) {
        WW_TRY(read_part(r, err));
        WW_TRY(ww__activity_next(&r->xml, depth, &found, err));
    }
    WW_TRY(check_launch(r, err));
    return ww__activity_check_intervals(r, err);
}

/* ---- the document ---- */

static ww_status read_root_attributes(ww__activity_reader *r, ww_error *err)
{
    static const char *const known[] = {"schema", "gpu",      "config_hash", "sms",
                                        "slices", "channels", NULL};
    WW_TRY(ww__activity_attributes(&r->xml, known, err));
    uint64_t schema;
    WW_TRY(ww__activity_get_u64(&r->xml, "schema", UINT64_MAX, &schema, err));
    if (schema != WW__ACTIVITY_SCHEMA) {
        return ww__activity_fail(&r->xml, err, WW_EUNSUP,
                                 "activity schema %" PRIu64 "; this version reads %d", schema,
                                 WW__ACTIVITY_SCHEMA);
    }
    char gpu[WW__ACTIVITY_MAX_ATTRIBUTE];
    WW_TRY(ww__activity_get(&r->xml, "gpu", gpu, err));
    WW_TRY(ww__activity_get_u64(&r->xml, "config_hash", UINT64_MAX, &r->box->pub.config_hash, err));
    WW_TRY(ww__activity_get_u32(&r->xml, "sms", MAX_INSTANCES, &r->shape[WW_SCOPE_SM], err));
    WW_TRY(ww__activity_get_u32(&r->xml, "slices", MAX_INSTANCES, &r->shape[WW_SCOPE_SLICE], err));
    WW_TRY(
        ww__activity_get_u32(&r->xml, "channels", MAX_INSTANCES, &r->shape[WW_SCOPE_CHANNEL], err));
    r->shape[WW_SCOPE_CHIP] = 1;
    r->box->pub.gpu = ww_strdup(gpu);
    bool ok = r->box->pub.gpu != NULL;
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        r->seen[s] = ww_arena_alloc(&r->box->arena, (size_t)r->shape[s] + 1, 1);
        r->seen_in_interval[s] = ww_arena_alloc(&r->box->arena, (size_t)r->shape[s] + 1, 1);
        ok = ok && r->seen[s] != NULL && r->seen_in_interval[s] != NULL;
    }
    return ok ? WW_OK : ww__activity_fail(&r->xml, err, WW_ENOMEM, "out of memory");
}

static ww_status read_document(ww__activity_reader *r, ww_error *err)
{
    bool found;
    WW_TRY(ww__activity_next(&r->xml, -1, &found, err));
    if (!found) {
        return ww__activity_fail(&r->xml, err, WW_EPARSE, "not an XML document");
    }
    WW_TRY(ww__activity_expect(&r->xml, "activity", err));
    WW_TRY(read_root_attributes(r, err));
    int depth;
    WW_TRY(ww__activity_first(&r->xml, &depth, &found, err));
    while (found) {
        WW_TRY(read_launch(r, err));
        WW_TRY(ww__activity_next(&r->xml, depth, &found, err));
    }
    return ww__activity_next(&r->xml, -1, &found, err); /* nothing but comments may follow */
}

static ww_status read_activity(const char *name, ww__activity_source from, ww_activity **out,
                               ww_error *err)
{
    ww__activity_reader r = {.xml = {.name = name, .source = from},
                             .box = WW_NEW(ww__activity_box)};
    if (r.box == NULL) {
        return ww_no_memory_in(err, name);
    }
    ww_status status = ww__activity_xml_open(&r.xml, err);
    if (status == WW_OK) {
        status = read_document(&r, err);
        ww__activity_xml_close(&r.xml);
    }
    if (status != WW_OK) {
        ww_activity_destroy(&r.box->pub);
        return status;
    }
    *out = &r.box->pub;
    return WW_OK;
}

ww_status ww_activity_load(const char *path, ww_activity **out, ww_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return ww_fail_at(err, errno == ENOENT || errno == ENOTDIR ? WW_ENOTFOUND : WW_EIO, path, 0,
                          0, "activity file cannot be opened: %s", strerror(errno));
    }
    ww_status status = read_activity(path, (ww__activity_source){.file = file}, out, err);
    fclose(file);
    return status;
}

ww_status ww_activity_parse(const char *name, const char *text, size_t length, ww_activity **out,
                            ww_error *err)
{
    return read_activity(name, (ww__activity_source){.text = text, .left = length}, out, err);
}

void ww_activity_destroy(ww_activity *activity)
{
    if (activity == NULL) {
        return;
    }
    ww__activity_box *box = (ww__activity_box *)(void *)activity; /* pub is its first member */
    for (size_t i = 0; i < activity->launch_count; i++) {
        /* The record shows its counters as constant; the arena holds them as what they are. */
        ww_counter_set set = *activity->launches[i].counters;
        ww_counter_set_fini(&set);
        for (size_t k = 0; k < activity->launches[i].interval_count; k++) {
            set = activity->launches[i].intervals[k].counters;
            ww_counter_set_fini(&set);
        }
    }
    ww_free(activity->launches);
    ww_free(activity->gpu);
    ww_arena_fini(&box->arena);
    ww_free(box);
}
