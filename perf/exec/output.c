/* output.c - what kernels print, kept until it can be put into an order that no schedule changes.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/room.h"
#include "base/str.h"
#include "perf/exec/exec.h"

typedef struct piece {
    uint32_t cta, warp;
    size_t at, n; /* in the text; later pieces have a larger `at` */
} piece;

struct ww_output {
    pthread_mutex_t lock; /* SMs are simulated by several threads */
    ww_str text;
    piece *piece;
    size_t count, capacity;
};

ww_status ww_output_create(ww_output **out, ww_error *err)
{
    *out = WW_NEW(ww_output);
    if (*out == NULL) {
        return ww_no_memory_for(err, "kernels' output");
    }
    pthread_mutex_init(&(*out)->lock, NULL);
    return WW_OK;
}

void ww_output_destroy(ww_output *output)
{
    if (output != NULL) {
        pthread_mutex_destroy(&output->lock);
        ww_str_fini(&output->text);
        ww_free(output->piece);
        ww_free(output);
    }
}

static ww_status add(ww_output *output, uint32_t cta, uint32_t warp, const char *text, size_t n,
                     ww_error *err)
{
    piece *grown = ww_heap_room(output->piece, output->count, 1, &output->capacity, sizeof *grown);
    if (grown == NULL) {
        return ww_no_memory_for(err, "kernels' output");
    }
    output->piece = grown;
    size_t at = output->text.len;
    ww_str_add_n(&output->text, text, n);
    if (output->text.failed) {
        return ww_no_memory_for(err, "kernels' output");
    }
    output->piece[output->count++] = (piece){cta, warp, at, n};
    return WW_OK;
}

ww_status ww_output_add(ww_output *output, uint32_t cta, uint32_t warp, const char *text, size_t n,
                        ww_error *err)
{
    pthread_mutex_lock(&output->lock);
    ww_status st = add(output, cta, warp, text, n, err);
    pthread_mutex_unlock(&output->lock);
    return st;
}

static int by_place_and_time(const void *left, const void *right)
{
    const piece *a = left;
    const piece *b = right;
    if (a->cta != b->cta) {
        return a->cta < b->cta ? -1 : 1;
    }
    if (a->warp != b->warp) {
        return a->warp < b->warp ? -1 : 1;
    }
    return a->at < b->at ? -1 : a->at > b->at;
}

void ww_output_flush(ww_output *output, ww_print_fn *print, void *user)
{
    if (output->count > 1) {
        qsort(output->piece, output->count, sizeof *output->piece, by_place_and_time);
    }
    for (size_t k = 0; k < output->count && print != NULL; k++) {
        if (output->piece[k].n > 0) {
            print(user, output->text.data + output->piece[k].at, output->piece[k].n);
        }
    }
    output->count = 0;
    ww_str_clear(&output->text);
}
