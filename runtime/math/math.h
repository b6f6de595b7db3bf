/* math.h - private to the thin libraries that stand before cuBLAS, cuRAND and their like: what they
 * cannot do names itself once; what they can runs on kernels of ours, through libcuda.so.1 here. */
#ifndef WW_RUNTIME_MATH_MATH_H
#define WW_RUNTIME_MATH_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/driver_api/calls.h"

/* Their prototypes are in headers of NVIDIA's, which nobody needs to build this. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* Exported, and found by CMakeLists.txt: what a thin library has beside stubs. */
#define MATH_API   __attribute__((visibility("default")))
#define MADE(name) MATH_API int name

/** A call that is not there: says so once, notes it in the run's report, and gives the code.
 * @param answer  the code's name in the library's own header */
int math_lacks(const char *name, int code, const char *answer);
/** Says once that this function runs on a kernel of ours. */
void math_says(const char *name);
/** Launches one of kernels.cu with the arguments; false: it could not be. */
bool math_launch(const char *kernel, const unsigned grid[3], const unsigned block[3],
                 void **arguments, cudaStream_t stream);
/** The same, with so many bytes of dynamic shared memory. */
bool math_launch_shared(const char *kernel, const unsigned grid[3], const unsigned block[3],
                        unsigned shared_bytes, void **arguments, cudaStream_t stream);
/** Texts of a status: "success", or that it is the library's own code. */
const char *math_status_text(int code);

/* In libcuda.so.1 (context.c). */
WW_API void warpwatt_note_missing(const char *name, const char *text);

#endif
