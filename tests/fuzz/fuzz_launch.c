/* fuzz_launch.c - does the launch-file reader survive any bytes, and accept only plans that can be
 * carried out? */
#include <stdint.h>
#include <stdlib.h>

#include "run/launch_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_launch_plan *plan = NULL;
    ww_error err = {0};
    ww_status status =
        ww_launch_plan_parse("fuzz.xml", (const char *)(const void *)data, size, &plan, &err);
    if (status != WW_OK) {
        require(plan == NULL && err.code == status && err.what[0] != '\0');
        return 0;
    }
    require(plan->step_count > 0);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const ww_launch_step *step = &plan->steps[i];
        require(step->grid.x > 0 && step->block.x > 0 && step->repeat > 0 && step->kernel != NULL);
        for (uint32_t k = 0; k < step->argument_count; k++) {
            require(step->arguments[k].buffer == UINT32_MAX ||
                    step->arguments[k].buffer < plan->buffer_count);
        }
    }
    for (uint32_t i = 0; i < plan->dump_count; i++) {
        const ww_launch_dump *dump = &plan->dumps[i];
        require(dump->buffer < plan->buffer_count && dump->count > 0 &&
                dump->first + dump->count <= plan->buffers[dump->buffer].count);
    }
    ww_launch_plan_destroy(plan);
    return 0;
}
