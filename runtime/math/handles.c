/* handles.c - cuSPARSE, thin: handles come and go, streams are set, and nothing else is there. */
#include <stdlib.h>

#include "runtime/math/math.h"

typedef struct math_handle {
    cudaStream_t stream;
    int pointer_mode;
} * math_handle;

#if defined(WW_CUSPARSE)
MADE(cusparseCreate)(math_handle *out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? 0 : 2;
}
MADE(cusparseDestroy)(math_handle h)
{
    free(h);
    return 0;
}
MADE(cusparseSetStream)(math_handle h, cudaStream_t stream)
{
    h->stream = stream;
    return 0;
}
MADE(cusparseGetStream)(math_handle h, cudaStream_t *stream)
{
    *stream = h->stream;
    return 0;
}
MADE(cusparseSetPointerMode)(math_handle h, int mode)
{
    h->pointer_mode = mode;
    return 0;
}
MADE(cusparseGetPointerMode)(math_handle h, int *mode)
{
    *mode = h->pointer_mode;
    return 0;
}
MADE(cusparseGetVersion)(math_handle h, int *version)
{
    (void)h;
    *version = WW_VERSION_NUMBER;
    return 0;
}
MATH_API const char *cusparseGetErrorName(int code) /* MADE(cusparseGetErrorName) */
{
    return math_status_text(code);
}
MATH_API const char *cusparseGetErrorString(int code) /* MADE(cusparseGetErrorString) */
{
    return math_status_text(code);
}
#endif
