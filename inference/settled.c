/* settled.c - see settled.h. */
#include "inference/settled.h"

#include <string.h>

#include "arch/param.h"
#include "base/mem.h"
#include "base/num.h"
#include "power/thermal.h"

static const char temperature[] = "chip.temperature_k";

static bool is_default(const ww_arch *arch, const char *key)
{
    return strcmp(ww_arch_value_at(arch, ww_param_index(key)).file, "default") == 0;
}

static bool settles(const ww_infer_request *request, const ww_arch *arch)
{
    return !ww_settings_name(request->settings, request->setting_count, temperature) &&
           !is_default(arch, "chip.rise_k") && !is_default(arch, "chip.inlet_k");
}

static ww_status load_at(const ww_infer_request *request, double temp_k, ww_run *run, ww_error *err)
{
    char text[WW_NUM_CHARS];
    ww_arena arena = {0};
    ww_arch *arch = NULL;
    ww_power_model *model = NULL;
    const size_t count = request->setting_count;
    ww_setting *settings = WW_ARENA_NEW_ARRAY(&arena, ww_setting, count + 1);
    ww_status status = settings != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK) {
        if (count > 0) {
            memcpy(settings, request->settings, count * sizeof *settings);
        }
        settings[count] = (ww_setting){.key = temperature, .value = ww_num_format(temp_k, text)};
        status = ww_arch_load(request->gpu, settings, count + 1, &arch, err);
    }
    status = status == WW_OK ? ww_power_model_create(arch, NULL, &model, err) : status;
    ww_arena_fini(&arena);
    if (status != WW_OK) {
        ww_arch_destroy(arch);
        return status;
    }
    arch->config_hash = run->arch->config_hash; /* the temperature follows from the pass */
    ww_power_model_destroy(run->model);
    ww_arch_destroy(run->arch);
    run->model = model;
    run->arch = arch;
    return WW_OK;
}

ww_status ww__settle_pass(const ww_infer_request *request, ww_launch_record *records, size_t count,
                          ww_run *run, ww_error *err)
{
    if (!settles(request, run->arch)) {
        return WW_OK;
    }
    ww_thermal_point point;
    WW_TRY(ww_thermal_settle_launches(run->arch, run->model, records, count, &point, err));
    WW_TRY(load_at(request, point.model_k, run, err));
    for (size_t i = 0; i < count; i++) {
        records[i].temperature_k = point.model_k;
    }
    return WW_OK;
}
