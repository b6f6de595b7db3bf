/* names.c - what there is: parameters, components, counters, metrics. */
#include <string.h>

#include "analysis/metrics.h"
#include "api/device.h"

const char *warpwatt_parameter(const warpwatt_device *device, const char *key)
{
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value v = ww_arch_value_at(device->arch, i);
        if (strcmp(v.key, key) == 0) {
            return v.value;
        }
    }
    return NULL;
}

size_t warpwatt_component_count(void)
{
    return WW_COMPONENT_COUNT;
}

const char *warpwatt_component_name(size_t component)
{
    return component < WW_COMPONENT_COUNT ? ww_component_name((ww_component)component) : NULL;
}

const char *warpwatt_component_meaning(size_t component)
{
    return component < WW_COMPONENT_COUNT ? ww_component_meaning((ww_component)component) : NULL;
}

static const ww_counter_info *counter(size_t i)
{
    static const ww_counter_info none = {0};
    return i < WW_COUNTER_COUNT ? ww_counter_describe((ww_counter)i) : &none;
}

size_t warpwatt_counter_count(void)
{
    return WW_COUNTER_COUNT;
}

const char *warpwatt_counter_name(size_t i)
{
    return counter(i)->name;
}

const char *warpwatt_counter_unit(size_t i)
{
    return counter(i)->unit;
}

const char *warpwatt_counter_meaning(size_t i)
{
    return counter(i)->meaning;
}

typedef struct metric_row {
    const char *name, *unit, *meaning;
} metric_row;

static const metric_row metrics[] = {
#define X(field, name, unit, meaning) {name, unit, meaning},
    WW_METRICS(X)
#undef X
};

size_t warpwatt_metric_count(void)
{
    return WW_METRIC_COUNT;
}

const char *warpwatt_metric_name(size_t i)
{
    return i < WW_METRIC_COUNT ? metrics[i].name : NULL;
}

const char *warpwatt_metric_unit(size_t i)
{
    return i < WW_METRIC_COUNT ? metrics[i].unit : NULL;
}

const char *warpwatt_metric_meaning(size_t i)
{
    return i < WW_METRIC_COUNT ? metrics[i].meaning : NULL;
}
