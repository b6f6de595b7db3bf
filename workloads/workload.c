/* workload.c - the table of workloads and the names of the sizes. */
#include "workloads/workload.h"

#include <string.h>

#include "base/suggest.h"
#include "workloads/support.h"

static const ww_workload table[] = {
#define WW_WORKLOAD(id, name_, suite_, description_, small_, std_, study_, default_, independent_, \
                    capability_, kernels_)                                                         \
    {.name = name_,                                                                                \
     .suite = suite_,                                                                              \
     .description = description_,                                                                  \
     .inputs = {small_, std_, study_, default_},                                                   \
     .order_independent = independent_,                                                            \
     .capability = capability_,                                                                    \
     .run = ww_##id##_run},
#include "workloads/workloads.def"
#undef WW_WORKLOAD
};

static const char *const size_names[] = {
    [WW_SIZE_SMALL] = "small",
    [WW_SIZE_STD] = "std",
    [WW_SIZE_STUDY] = "study",
    [WW_SIZE_DEFAULT] = "default",
};

const ww_workload *ww_workload_list(size_t *count)
{
    *count = WW_ARRAY_LEN(table);
    return table;
}

const ww_workload *ww_workload_find(const char *name)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

const char *ww_workload_suggest(const char *name, char *hint, size_t size)
{
    ww_suggest suggest;
    ww_suggest_init(&suggest, name);
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        ww_suggest_offer(&suggest, table[i].name);
    }
    return ww_suggest_text(&suggest, hint, size);
}

const char *ww_workload_size_name(ww_workload_size size)
{
    return size_names[size];
}

ww_status ww_workload_size_parse(const char *text, ww_workload_size *out, ww_error *err)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(size_names); i++) {
        if (strcmp(size_names[i], text) == 0) {
            *out = (ww_workload_size)i;
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND,
                   "no workload size '%s'; there are small, std, study and default", text);
}
