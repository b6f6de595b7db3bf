/* error.c - error codes by name, and the thread's last error. */
#include "runtime/core/context.h"

typedef struct error_row {
    cudaError_t code;
    const char *name, *text;
} error_row;

static const error_row rows[] = {
#define X(code, name, text) {code, #name, text},
#include "runtime/core/errors.def"
#undef X
};

static const error_row *find(cudaError_t code)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (rows[i].code == code) {
            return &rows[i];
        }
    }
    return NULL;
}

const char *cudaGetErrorName(cudaError_t code)
{
    const error_row *row = find(code);
    return row != NULL ? row->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t code)
{
    const error_row *row = find(code);
    return row != NULL ? row->text : "unrecognized error code";
}

/* A fault stays until the process ends. */
static cudaError_t current(bool reset)
{
    rt_context *c = rt_lock();
    cudaError_t failure = c->failure;
    rt_unlock();
    cudaError_t last = rt_last_error(reset);
    return failure != cudaSuccess ? failure : last;
}

cudaError_t cudaGetLastError(void)
{
    return current(true);
}

cudaError_t cudaPeekAtLastError(void)
{
    return current(false);
}
