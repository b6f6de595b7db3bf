/* activity_write.c - writes launches and their counters as an activity file. */
#include "counters/activity.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <libxml/xmlstring.h>

#include "base/file.h"
#include "base/str.h"
#include "base/xml.h"

const char *const ww__scope_prefix[WW_SCOPE_COUNT] = {
    [WW_SCOPE_SM] = "sm",
    [WW_SCOPE_SLICE] = "slice",
    [WW_SCOPE_CHANNEL] = "channel",
    [WW_SCOPE_CHIP] = "chip",
};

/* XML cannot carry control characters, and would turn tab and line end in an attribute into a
 * blank. */
static bool is_xml_text(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20) {
            return false;
        }
    }
    return xmlCheckUTF8((const unsigned char *)text) != 0;
}

static void put_block(ww_str *out, const ww_counter_set *set, ww_scope scope, uint32_t instance)
{
    ww_str_addf(out, "    <component name=\"%s", ww__scope_prefix[scope]);
    if (scope != WW_SCOPE_CHIP) {
        ww_str_addf(out, "%" PRIu32, instance);
    }
    const ww_counter_block *block = &set->block[scope][instance];
    bool empty = true;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        if (info->scope != scope || block->v[c] == 0) {
            continue;
        }
        ww_str_add(out, empty ? "\">\n" : "");
        empty = false;
        ww_str_addf(out, "      <stat name=\"%s\" value=\"%" PRIu64 "\"/>\n", info->name,
                    block->v[c]);
    }
    ww_str_add(out, empty ? "\"/>\n" : "    </component>\n");
}

static void put_sampling(ww_str *out, const ww_extrapolation *sampling)
{
    ww_str_add(out, "    <sampling");
    ww_xml_put_real(out, "extrapolated", sampling->share);
    ww_str_add(out, ">\n");
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        if (sampling->error.v[c] > 0) {
            ww_str_addf(out, "      <stat name=\"%s\" value=\"%" PRIu64 "\"/>\n",
                        ww_counter_describe((ww_counter)c)->name, sampling->error.v[c]);
        }
    }
    ww_str_add(out, "    </sampling>\n");
}

ww_status ww__activity_check(const ww_launch_record *launch, const uint32_t *shape, ww_error *err)
{
    if (!is_xml_text(launch->kernel) || !is_xml_text(launch->workload) ||
        !is_xml_text(launch->occupancy_limit) ||
        (launch->size != NULL && !is_xml_text(launch->size))) {
        return ww_fail(err, WW_ERANGE,
                       "launch %" PRIu32
                       ": a name holds characters that an activity file cannot carry",
                       launch->launch_index);
    }
    if (memcmp(launch->counters->count, shape, sizeof launch->counters->count) != 0) {
        return ww_fail(err, WW_EINTERNAL, "launch %" PRIu32 ": counters of another GPU shape",
                       launch->launch_index);
    }
#define CHECK(field)                                                                               \
    if (!(isfinite(launch->field) && launch->field > 0)) {                                         \
        return ww_fail(err, WW_ENUMERIC, "launch %" PRIu32 ": " #field " is %g, not positive",     \
                       launch->launch_index, launch->field);                                       \
    }
    WW__LAUNCH_REALS(CHECK)
#undef CHECK
    return WW_OK;
}

/* Counters of all instances together, from which energy follows as from each alone: instance by
 * instance, a long trace would be some hundred times as large. */
static void put_interval(ww_str *out, const ww_interval *interval)
{
    ww_str_addf(out, "    <interval first=\"%" PRIu64 "\" last=\"%" PRIu64 "\"",
                interval->first_cycle, interval->last_cycle);
    if (interval->at.core_hz > 0) {
#define PUT(field) ww_xml_put_real(out, #field, interval->at.field);
        WW__POINT_REALS(PUT)
#undef PUT
    }
    ww_str_add(out, ">\n");
    ww_str_add(out, "    <component name=\"total\">\n");
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        uint64_t total = ww_counter_total(&interval->counters, (ww_counter)c);
        if (total != 0) {
            ww_str_addf(out, "      <stat name=\"%s\" value=\"%" PRIu64 "\"/>\n",
                        ww_counter_describe((ww_counter)c)->name, total);
        }
    }
    ww_str_add(out, "    </component>\n    </interval>\n");
}

void ww__activity_put_launch(ww_str *out, const ww_launch_record *launch)
{
    ww_str_addf(out, "  <launch index=\"%" PRIu32 "\"", launch->launch_index);
    ww_xml_put_text(out, "workload", launch->workload);
    if (launch->size != NULL && launch->size[0] != '\0') {
        ww_xml_put_text(out, "size", launch->size);
    }
    ww_xml_put_text(out, "kernel", launch->kernel);
    if (launch->stream != 0) {
        ww_str_addf(out, " stream=\"%" PRIu32 "\"", launch->stream);
    }
    ww_str_addf(out, " grid=\"%" PRIu32 " %" PRIu32 " %" PRIu32 "\"", launch->grid[0],
                launch->grid[1], launch->grid[2]);
    ww_str_addf(out, " block=\"%" PRIu32 " %" PRIu32 " %" PRIu32 "\"", launch->block[0],
                launch->block[1], launch->block[2]);
#define PUT(field) ww_str_addf(out, " " #field "=\"%" PRIu32 "\"", launch->field);
    WW__LAUNCH_COUNTS(PUT)
#undef PUT
    ww_xml_put_text(out, "occupancy_limit", launch->occupancy_limit);
#define PUT(field) ww_xml_put_real(out, #field, launch->field);
    WW__LAUNCH_REALS(PUT)
#undef PUT
    ww_str_add(out, ">\n");
    put_block(out, launch->counters, WW_SCOPE_CHIP, 0);
    for (int s = 0; s < WW_SCOPE_CHIP; s++) {
        for (uint32_t i = 0; i < launch->counters->count[s]; i++) {
            put_block(out, launch->counters, (ww_scope)s, i);
        }
    }
    if (launch->sampling.share > 0) {
        put_sampling(out, &launch->sampling);
    }
}

/* Writes what has been put together, and begins anew. */
static ww_status flush(ww_file_writer *file, ww_str *out, ww_error *err)
{
    WW_TRY(ww_str_check(out, err));
    ww_status status = ww_file_put(file, ww_str_text(out), out->len, err);
    ww_str_clear(out);
    return status;
}

/* Interval by interval: a run of any length needs little memory to be written. */
static ww_status write_launch(ww_file_writer *file, ww_str *out, const ww_launch_record *launch,
                              ww_error *err)
{
    ww__activity_put_launch(out, launch);
    WW_TRY(flush(file, out, err));
    for (size_t i = 0; i < launch->interval_count; i++) {
        put_interval(out, &launch->intervals[i]);
        WW_TRY(flush(file, out, err));
    }
    ww_str_add(out, WW__LAUNCH_END);
    return WW_OK;
}

void ww__activity_put_head(ww_str *out, const char *gpu, uint64_t config_hash,
                           const uint32_t *shape)
{
    ww_str_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<activity schema=\"%d\"",
                WW__ACTIVITY_SCHEMA);
    ww_xml_put_text(out, "gpu", gpu);
    ww_str_addf(out, " config_hash=\"0x%016" PRIx64 "\"", config_hash);
    for (int s = 0; s < WW_SCOPE_CHIP; s++) {
        ww_str_addf(out, " %ss=\"%" PRIu32 "\"", ww__scope_prefix[s], shape[s]);
    }
    ww_str_add(out, ">\n");
}

static ww_status write_document(ww_file_writer *file, const char *gpu, uint64_t config_hash,
                                const ww_launch_record *launches, size_t launch_count,
                                ww_error *err)
{
    static const ww_counter_set none = {0};
    const ww_counter_set *shape = launch_count > 0 ? launches[0].counters : &none;
    ww_str out = {0};
    ww__activity_put_head(&out, gpu, config_hash, shape->count);
    ww_status status = WW_OK;
    for (size_t i = 0; i < launch_count && status == WW_OK; i++) {
        status = write_launch(file, &out, &launches[i], err);
    }
    ww_str_add(&out, WW__ACTIVITY_END);
    if (status == WW_OK) {
        status = flush(file, &out, err);
    }
    ww_str_fini(&out);
    return status;
}

ww_status ww__activity_check_gpu(const char *gpu, ww_error *err)
{
    return is_xml_text(gpu)
               ? WW_OK
               : ww_fail(err, WW_ERANGE,
                         "GPU name holds characters that an activity file cannot carry");
}

ww_status ww_activity_save(const char *path, const char *gpu, uint64_t config_hash,
                           const ww_launch_record *launches, size_t launch_count, ww_error *err)
{
    WW_TRY(ww__activity_check_gpu(gpu, err));
    for (size_t i = 0; i < launch_count; i++) {
        WW_TRY(ww__activity_check(&launches[i], launches[0].counters->count, err));
    }
    ww_file_writer file;
    WW_TRY(ww_file_begin(&file, path, err));
    return ww_file_end(&file, write_document(&file, gpu, config_hash, launches, launch_count, err),
                       err);
}
