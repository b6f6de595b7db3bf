/* settled.h - the temperature that a pass keeps its card's die at. Private to inference/. */
#ifndef WW_INFERENCE_SETTLED_H
#define WW_INFERENCE_SETTLED_H

#include "inference/pass.h"

/**
 * A pass that runs again and again, as cards are measured, warms the die until its power, leakage
 * of that temperature included, flows off: run->arch and run->model become those of that
 * temperature, which the records take. A card whose package nobody described, and one whose
 * temperature a setting names, stay as they are.
 * @param records  of the whole pass, gaps included
 * @error those of ww_thermal_settle_launches, ww_arch_load and ww_power_model_create
 */
WW_NODISCARD ww_status ww__settle_pass(const ww_infer_request *request, ww_launch_record *records,
                                       size_t count, ww_run *run, ww_error *err);

#endif
