/* device.h - what the products ask of the current device: its kind, kernels, room. */
#ifndef WW_RUNTIME_MATH_DEVICE_H
#define WW_RUNTIME_MATH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/driver_api/calls.h"

typedef struct ww_math_device {
    int capability; /* 80: 8.0 */
    int sms;
    unsigned shared_most; /* bytes of a CTA's shared memory that a kernel may ask for */
} ww_math_device;

/** The device of the current context; NULL: there is none. */
const ww_math_device *ww_math_device_now(void);
/** Launches a kernel of a unit (an operators' unit, or one of this folder); false: it could not. */
bool ww_math_launch(const char *unit, const char *kernel, const unsigned grid[3],
                    const unsigned block[3], unsigned shared_bytes, void **arguments,
                    cudaStream_t stream);
/** Room that later products of the same stream use again; 0 bytes: none. */
bool ww_math_workspace(size_t bytes, cudaStream_t stream, CUdeviceptr *out);

#endif
