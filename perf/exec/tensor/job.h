/* job.h - private to perf/exec: what one lane asks of a tensor copy. */
#ifndef WW_PERF_EXEC_TENSOR_JOB_H
#define WW_PERF_EXEC_TENSOR_JOB_H

#include "perf/exec/memory/bulk.h"
#include "perf/exec/tensor/box.h"

typedef struct ww_tensor_job {
    unsigned lane;
    ww_tensor_map map;
    ww_tensor_box box;  /* by the map above: a job stays where it was made */
    ww_delivery to;     /* of a load */
    uint32_t inside;    /* offset in shared memory, of other copies */
    uint64_t row_known; /* number of the row below; UINT64_MAX: none */
    ww_tensor_row row;
} ww_tensor_job;

/** What the lane asks for. @error EFAULT, EALIGN: no map, a wrong one, or no place for the box */
WW_NODISCARD ww_status ww__tensor_job(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                      ww_tensor_job *job);

#endif
