/* activity_components.c - reads the counters of an activity document: stats, components, sampling.
 */
#include "counters/activity_read.h"

#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "base/suggest.h"

static ww_status find_counter(ww__activity_reader *r, const char *name, ww_counter *out,
                              ww_error *err)
{
    for (int k = 0; k < WW_COUNTER_COUNT; k++) {
        int c = (r->expected + k) % WW_COUNTER_COUNT;
        if (strcmp(ww_counter_describe((ww_counter)c)->name, name) == 0) {
            r->expected = c + 1;
            *out = (ww_counter)c;
            return WW_OK;
        }
    }
    *out = ww_counter_find(name);
    if (*out != WW_COUNTER_COUNT) {
        return WW_OK;
    }
    ww_suggest suggest;
    ww_suggest_init(&suggest, name);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_suggest_offer(&suggest, ww_counter_describe((ww_counter)c)->name);
    }
    char hint[128];
    return ww__activity_fail(&r->xml, err, WW_ENOTFOUND, "unknown counter '%.64s'%s", name,
                             ww_suggest_text(&suggest, hint, sizeof hint));
}

/* scope: that of the counters allowed here; WW_SCOPE_COUNT: all are. */
static ww_status read_stat(ww__activity_reader *r, ww_scope scope, ww_counter_block *block,
                           bool *given, ww_error *err)
{
    static const char *const known[] = {"name", "value", NULL};
    WW_TRY(ww__activity_expect(&r->xml, "stat", err));
    WW_TRY(ww__activity_attributes(&r->xml, known, err));
    char name[WW__ACTIVITY_MAX_ATTRIBUTE];
    WW_TRY(ww__activity_get(&r->xml, "name", name, err));
    ww_counter counter;
    WW_TRY(find_counter(r, name, &counter, err));
    if (scope != WW_SCOPE_COUNT && ww_counter_describe(counter)->scope != scope) {
        return ww__activity_fail(&r->xml, err, WW_ESCHEMA,
                                 "counter '%.64s' does not belong to a %s", name,
                                 ww__scope_prefix[scope]);
    }
    if (given[counter]) {
        return ww__activity_fail(&r->xml, err, WW_ESCHEMA, "counter '%.64s' is given twice", name);
    }
    given[counter] = true;
    WW_TRY(ww__activity_get_u64(&r->xml, "value", UINT64_MAX, &block->v[counter], err));
    int depth;
    bool found;
    WW_TRY(ww__activity_first(&r->xml, &depth, &found, err));
    return found ? ww__activity_fail(&r->xml, err, WW_ESCHEMA, "<stat> holds nothing") : WW_OK;
}

/* Splits "sm12" into scope and instance. */
static ww_status find_instance(const ww__activity_reader *r, const char *name, ww_scope *scope,
                               uint32_t *instance, ww_error *err)
{
    size_t letters = strcspn(name, "0123456789");
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        if (strlen(ww__scope_prefix[s]) != letters ||
            strncmp(name, ww__scope_prefix[s], letters) != 0) {
            continue;
        }
        uint64_t number = 0;
        const char *digits = name + letters;
        bool chip = s == WW_SCOPE_CHIP;
        if (chip ? *digits != '\0' : ww_num_parse_u64(digits, &number, NULL) != WW_OK) {
            break;
        }
        if (number >= r->shape[s]) {
            return ww__activity_fail(&r->xml, err, WW_ERANGE,
                                     "component '%.64s': the file announces %" PRIu32 " %ss", name,
                                     r->shape[s], ww__scope_prefix[s]);
        }
        *scope = (ww_scope)s;
        *instance = (uint32_t)number;
        return WW_OK;
    }
    return ww__activity_fail(
        &r->xml, err, WW_ENOTFOUND,
        "unknown component '%.64s'; they are total, or chip, sm0, slice0, channel0 and so on",
        name);
}

static ww_status read_stats(ww__activity_reader *r, ww_scope scope, ww_counter_block *block,
                            ww_error *err)
{
    bool given[WW_COUNTER_COUNT] = {false};
    int depth;
    bool found;
    r->expected = 0;
    WW_TRY(ww__activity_first(&r->xml, &depth, &found, err));
    while (found) {
        WW_TRY(read_stat(r, scope, block, given, err));
        WW_TRY(ww__activity_next(&r->xml, depth, &found, err));
    }
    return WW_OK;
}

/* Counters of the whole GPU, of who does not know them by instance: they count for the first
 * instance of each, which is the same to every energy and metric. */
static ww_status read_total(ww__activity_reader *r, ww_counter_set *set, unsigned char *const *seen,
                            ww_error *err)
{
    ww_counter_block total = {0};
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        for (uint32_t i = 0; i < r->shape[s]; i++) {
            if (seen[s][i] != 0) {
                return ww__activity_fail(&r->xml, err, WW_ESCHEMA,
                                         "component 'total' goes with no other");
            }
            seen[s][i] = 1;
        }
    }
    WW_TRY(read_stats(r, WW_SCOPE_COUNT, &total, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        set->block[ww_counter_describe((ww_counter)c)->scope][0].v[c] = total.v[c];
    }
    return WW_OK;
}

/* Into set; seen marks the instances that it has had. */
ww_status ww__activity_read_component(ww__activity_reader *r, ww_counter_set *set,
                                      unsigned char *const *seen, ww_error *err)
{
    static const char *const known[] = {"name", NULL};
    WW_TRY(ww__activity_expect(&r->xml, "component", err));
    WW_TRY(ww__activity_attributes(&r->xml, known, err));
    char name[WW__ACTIVITY_MAX_ATTRIBUTE];
    WW_TRY(ww__activity_get(&r->xml, "name", name, err));
    if (strcmp(name, "total") == 0) {
        return read_total(r, set, seen, err);
    }
    ww_scope scope = WW_SCOPE_CHIP;
    uint32_t instance = 0;
    WW_TRY(find_instance(r, name, &scope, &instance, err));
    if (seen[scope][instance] != 0) {
        return ww__activity_fail(&r->xml, err, WW_ESCHEMA, "component '%.64s' is given twice",
                                 name);
    }
    seen[scope][instance] = 1;
    return read_stats(r, scope, &set->block[scope][instance], err);
}

/* What was extrapolated, and the errors of that. */
ww_status ww__activity_read_sampling(ww__activity_reader *r, ww_error *err)
{
    static const char *const known[] = {"extrapolated", NULL};
    ww_extrapolation *sampling = &r->launch->sampling;
    WW_TRY(ww__activity_attributes(&r->xml, known, err));
    if (sampling->share > 0) {
        return ww__activity_fail(&r->xml, err, WW_ESCHEMA, "<sampling> is given twice");
    }
    WW_TRY(ww__activity_get_positive(&r->xml, "extrapolated", &sampling->share, err));
    if (sampling->share > 1) {
        return ww__activity_fail(&r->xml, err, WW_ERANGE, "attribute 'extrapolated' is above 1");
    }
    return read_stats(r, WW_SCOPE_COUNT, &sampling->error, err);
}
