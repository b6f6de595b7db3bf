/* device.c - modules, workspaces and kinds of devices, of which all are kept until the program
 * ends. */
#include "runtime/math/products/device.h"

#include <pthread.h>
#include <string.h>

#include "workloads/operators/operators.h"

enum { MOST_UNITS = 64, MOST_STREAMS = 64, MOST_DEVICES = 16 };

#define WW_UNIT(id) extern const ww_operator_unit ww__operator_##id;
#include "runtime/math/products/units.def"
#undef WW_UNIT

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const ww_operator_unit *find_unit(const char *name)
{
    static const ww_operator_unit *const own[] = {
#define WW_UNIT(id) &ww__operator_##id,
#include "runtime/math/products/units.def"
#undef WW_UNIT
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(own[i]->name, name) == 0) {
            return own[i];
        }
    }
    return ww_operator_unit_find(name);
}

/* ---- devices ---- */

const ww_math_device *ww_math_device_now(void)
{
    enum { SMS = 16, MAJOR = 75, MINOR = 76, SHARED_MOST = 97 }; /* CUdevice_attribute */
    static ww_math_device devices[MOST_DEVICES];
    CUdevice device;
    int major = 0, minor = 0, sms = 0, shared = 0;
    if (cuInit(0) != 0 || cuCtxGetDevice(&device) != 0 || device < 0 || device >= MOST_DEVICES ||
        cuDeviceGetAttribute(&major, MAJOR, device) != 0 ||
        cuDeviceGetAttribute(&minor, MINOR, device) != 0 ||
        cuDeviceGetAttribute(&sms, SMS, device) != 0 ||
        cuDeviceGetAttribute(&shared, SHARED_MOST, device) != 0) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    devices[device] = (ww_math_device){10 * major + minor, sms, (unsigned)shared};
    pthread_mutex_unlock(&lock);
    return &devices[device];
}

/* ---- kernels ---- */

typedef struct loaded {
    const ww_operator_unit *unit;
    CUcontext context;
    CUmodule module;
} loaded;

/* The module of a unit in the current context. */
static bool load(const char *name, CUmodule *out)
{
    static loaded modules[MOST_UNITS];
    static size_t count;
    CUcontext context = NULL;
    const ww_operator_unit *unit = find_unit(name);
    if (unit == NULL || cuCtxGetCurrent(&context) != 0) {
        return false;
    }
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < count && (modules[i].unit != unit || modules[i].context != context)) {
        i++;
    }
    bool there = i < count;
    if (!there && count < MOST_UNITS && cuModuleLoadData(&modules[i].module, unit->text) == 0) {
        modules[i].unit = unit;
        modules[i].context = context;
        count++;
        there = true;
    }
    *out = there ? modules[i].module : NULL;
    pthread_mutex_unlock(&lock);
    return there;
}

bool ww_math_launch(const char *unit, const char *kernel, const unsigned grid[3],
                    const unsigned block[3], unsigned shared_bytes, void **arguments,
                    cudaStream_t stream)
{
    enum { PLAIN_SHARED = 48 << 10, MOST_DYNAMIC_SHARED = 8 }; /* CUfunction_attribute */
    CUmodule module;
    CUfunction function;
    return load(unit, &module) && cuModuleGetFunction(&function, module, kernel) == 0 &&
           (shared_bytes <= PLAIN_SHARED ||
            cuFuncSetAttribute(function, MOST_DYNAMIC_SHARED, (int)shared_bytes) == 0) &&
           cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          shared_bytes, stream, arguments, NULL) == 0;
}

/* ---- room ---- */

typedef struct room {
    cudaStream_t stream;
    CUcontext context;
    CUdeviceptr at;
    size_t bytes;
} room;

/* A smaller one from before is not freed: captured graphs may hold it. */
bool ww_math_workspace(size_t bytes, cudaStream_t stream, CUdeviceptr *out)
{
    static room rooms[MOST_STREAMS];
    static size_t count;
    CUcontext context = NULL;
    *out = 0;
    if (bytes == 0) {
        return true;
    }
    if (cuCtxGetCurrent(&context) != 0) {
        return false;
    }
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < count && (rooms[i].stream != stream || rooms[i].context != context)) {
        i++;
    }
    bool there = i < count || count < MOST_STREAMS;
    if (there && (i == count || rooms[i].bytes < bytes)) {
        room made = {stream, context, 0, bytes};
        there = cuMemAlloc_v2(&made.at, bytes) == 0;
        if (there) {
            rooms[i] = made;
            count += i == count;
        }
    }
    *out = there ? rooms[i].at : 0;
    pthread_mutex_unlock(&lock);
    return there;
}
