/* math.c - what the thin libraries share. */
#include "runtime/math/math.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "runtime/math/kernels.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUmodule module;

int math_lacks(const char *name, int code, const char *answer)
{
    char text[256];
    snprintf(text, sizeof text,
             "%s of " WW_SONAME " is not simulated; it returns %s (docs/cuda-programs.md)", name,
             answer);
    warpwatt_note_missing(name, text);
    return code;
}

void math_says(const char *name)
{
    enum { MOST = 64 };
    static const char *said[MOST];
    static size_t count;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < count && strcmp(said[i], name) != 0) {
        i++;
    }
    bool first = i == count && count < MOST;
    if (first) {
        said[count++] = name;
    }
    pthread_mutex_unlock(&lock);
    if (first) {
        fprintf(stderr,
                "warpwatt: %s runs on a kernel of WarpWatt's own, not on NVIDIA's: its time and "
                "energy are not those of " WW_SONAME "\n",
                name);
    }
}

static bool load(void)
{
    pthread_mutex_lock(&lock);
    bool loaded =
        module != NULL || (cuInit(0) == 0 && cuModuleLoadData(&module, ww_math_kernels) == 0);
    pthread_mutex_unlock(&lock);
    return loaded;
}

bool math_launch_shared(const char *kernel, const unsigned grid[3], const unsigned block[3],
                        unsigned shared_bytes, void **arguments, cudaStream_t stream)
{
    CUfunction function;
    return load() && cuModuleGetFunction(&function, module, kernel) == 0 &&
           cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                          shared_bytes, stream, arguments, NULL) == 0;
}

bool math_launch(const char *kernel, const unsigned grid[3], const unsigned block[3],
                 void **arguments, cudaStream_t stream)
{
    return math_launch_shared(kernel, grid, block, 0, arguments, stream);
}

const char *math_status_text(int code)
{
    return code == 0 ? "success" : "a status of " WW_SONAME;
}
