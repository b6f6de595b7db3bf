/* fake_device.h - a device API whose kernels do nothing: it checks calls, counts them and fails on
 * demand. */
#ifndef WW_TESTS_WORKLOADS_FAKE_DEVICE_H
#define WW_TESTS_WORKLOADS_FAKE_DEVICE_H

#include <stddef.h>

#include "perf/api/device.h"

#define FAKE_MAX_BUFFERS 32

struct ww_module {
    const char *text;
    char variable[8192]; /* stands for every module variable */
};

struct ww_device {
    struct ww_module module;
    void *buffers[FAKE_MAX_BUFFERS];
    size_t sizes[FAKE_MAX_BUFFERS];
    unsigned buffer_count; /* live ones */
    unsigned texture_count;
    bool freed_out_of_order;
    unsigned launches;
    unsigned calls;   /* so far, of any function that can fail, ww_device_free aside */
    unsigned fail_at; /* > 0: this call fails with EFAULT */
};

#endif
