/* device.h - what a warpwatt_device is; private to api/. */
#ifndef WW_API_DEVICE_H
#define WW_API_DEVICE_H

#include <signal.h>

#include "api/warpwatt.h"
#include "run/run.h"

struct warpwatt_device {
    ww_arch *arch;
    ww_power_model *model; /* NULL: a functional device */
    ww_device *device;
    const char *label; /* workload that runs; "": the caller's own launches */
    const char *size;  /* of its input; NULL: none */
    ww_launch_record *launches;
    size_t launch_count;
    uint64_t interval_bytes;
    void (*print)(void *user, const char *text, size_t n);
    double (*governor)(void *user, const warpwatt_interval *interval);
    void *user;
    ww_govern govern;                  /* where there is a governor, or heat */
    volatile sig_atomic_t interrupted; /* by warpwatt_interrupt */
};

/** Fills the caller's error from ours; returns its status. */
warpwatt_status ww__api_status(ww_status status, const ww_error *from, warpwatt_error *to);

#endif
