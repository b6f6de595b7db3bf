/* limits.h - properties of the device as CUDA programs see it that no GPU description states. */
#ifndef WW_RUNTIME_CORE_LIMITS_H
#define WW_RUNTIME_CORE_LIMITS_H

#include <stddef.h>

#define RT_DEVICE_BYTES        ((size_t)4 << 30) /* device memory, unless the user says otherwise */
#define RT_MAX_PITCH           ((size_t)0x7fffffff)
#define RT_CONST_BYTES         ((size_t)64 << 10)
#define RT_POLICY_WINDOW_BYTES ((size_t)128 << 20) /* of L2, where there are such windows */
#define RT_GRANULARITY         ((size_t)2 << 20)   /* of mapped memory: the page size of GPUs */

enum {
    RT_PITCH = 512,              /* rows of pitched memory are aligned to this many bytes */
    RT_TEXTURE_PITCH = 32,       /* rows of arrays */
    RT_TEXTURE_LINEAR = 1 << 28, /* elements of a texture in linear memory */
    RT_HANDLE_TYPE_FD = 1,       /* of shared memory: a POSIX file descriptor */
    RT_RUNTIME_VERSION = 13000
};

#endif
