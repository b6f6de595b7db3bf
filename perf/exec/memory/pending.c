/* pending.c - effects on global memory kept back until the edge of a window, and then made. */
#include "perf/exec/memory/pending.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"

enum { FIRST_WORDS = 1024 };

ww_status ww_pending_create(ww_pending **out, ww_error *err)
{
    ww_pending *pending = WW_NEW(ww_pending);
    if (pending == NULL) {
        return ww_no_memory_for(err, "pending stores");
    }
    ww_pending_clear(pending);
    *out = pending;
    return WW_OK;
}

void ww_pending_destroy(ww_pending *pending)
{
    if (pending != NULL) {
        ww_free(pending->word);
        ww_free(pending);
    }
}

bool ww_pending_empty(const ww_pending *pending)
{
    return pending->used == 0;
}

void ww_pending_clear(ww_pending *pending)
{
    pending->used = 0;
    pending->lowest = UINT64_MAX;
    pending->end = 0;
}

ww_status ww__pending_no_memory(const ww_exec_ctx *x)
{
    return ww_fail(x->err, WW_ENOMEM, "kernel %s: out of memory for pending stores.",
                   x->env->launch->kernel->name);
}

/* ---- recording ---- */

static bool reserve(ww_pending *pending, size_t words)
{
    if (pending->capacity - pending->used >= words) {
        return true;
    }
    size_t capacity = pending->capacity != 0 ? pending->capacity : FIRST_WORDS;
    while (capacity - pending->used < words) {
        capacity *= 2;
    }
    uint64_t *word = ww_realloc_array(pending->word, capacity, sizeof *word);
    if (word == NULL) {
        return false;
    }
    pending->word = word;
    pending->capacity = capacity;
    return true;
}

ww_effect *ww__pending_add(ww_pending *pending, ww_effect_kind kind, const ww_exec_ctx *x,
                           const uint64_t *address, uint32_t lanes, uint32_t bytes,
                           uint32_t data_bytes)
{
    uint32_t count = address != NULL ? (uint32_t)__builtin_popcount(lanes) : 0;
    uint32_t words = (uint32_t)(sizeof(ww_effect) / 8) + count + (data_bytes + 7) / 8;
    if (!reserve(pending, words)) {
        return NULL;
    }
    WW_ASSERT(pending->used + words <= pending->capacity);
    ww_effect *e = (void *)(pending->word + pending->used);
    pending->used += words;
    pending->launch = x->env->launch;
    *e = (ww_effect){.cycle = x->env->cycle,
                     .lowest = UINT64_MAX,
                     .warp = x->warp,
                     .pc = x->out->pc,
                     .lanes = lanes,
                     .words = words,
                     .count = count,
                     .bytes = bytes,
                     .kind = kind};
    uint64_t *place = ww__effect_addresses(e);
    uint64_t highest = 0;
    for (uint32_t m = count > 0 ? lanes : 0; m != 0; m &= m - 1) {
        uint64_t a = address[__builtin_ctz(m)];
        *place++ = a;
        e->lowest = a < e->lowest ? a : e->lowest;
        highest = a > highest ? a : highest;
    }
    if (count > 0) {
        e->end = highest + bytes;
        pending->lowest = e->lowest < pending->lowest ? e->lowest : pending->lowest;
        pending->end = e->end > pending->end ? e->end : pending->end;
    }
    return e;
}

/* ---- looking for a read's bytes ---- */

static bool meets(ww_effect *e, const uint64_t *address, uint32_t lanes, uint32_t bytes)
{
    const uint64_t *place = ww__effect_addresses(e);
    for (uint32_t m = lanes; m != 0; m &= m - 1) {
        uint64_t a = address[__builtin_ctz(m)];
        if (a + bytes <= e->lowest || a >= e->end) {
            continue;
        }
        for (uint32_t k = 0; k < e->count; k++) {
            if (a < place[k] + e->bytes && place[k] < a + bytes) {
                return true;
            }
        }
    }
    return false;
}

bool ww__pending_search(const ww_pending *pending, const uint64_t *address, uint32_t lanes,
                        uint32_t bytes)
{
    bool near = false;
    for (uint32_t m = lanes; m != 0; m &= m - 1) {
        uint64_t a = address[__builtin_ctz(m)];
        near |= a < pending->end && a + bytes > pending->lowest;
    }
    for (size_t at = 0; near && at < pending->used;) {
        ww_effect *e = (void *)(pending->word + at);
        if (e->count > 0 && meets(e, address, lanes, bytes)) {
            return true;
        }
        at += e->words;
        WW_ASSERT(at <= pending->used); /* records follow each other to the end */
    }
    return false;
}

/* ---- the edge ---- */

static void commit_store(ww_effect *e, uintptr_t bias)
{
    const uint64_t *place = ww__effect_addresses(e);
    const unsigned char *data = ww__effect_data(e);
    for (uint32_t k = 0; k < e->count; k++) {
        void *to = (void *)(uintptr_t)(place[k] + bias);
        switch (e->bytes) { /* the common sizes without a call */
        case 4:
            memcpy(to, data, 4);
            break;
        case 8:
            memcpy(to, data, 8);
            break;
        case 16:
            memcpy(to, data, 16);
            break;
        default:
            memcpy(to, data, e->bytes);
            break;
        }
        data += e->bytes;
    }
}

static ww_status commit_call(const ww_launch *launch, ww_effect *e, ww_error *err)
{
    ww_step step = {.pc = e->pc};
    const ww_exec_env env = {.launch = launch, .cycle = e->cycle, .at_edge = true};
    const ww_uop *u = &launch->code->uop[e->pc];
    ww_exec_ctx x = {&env, launch->code, e->warp, &step, err, e->lanes, e->lanes, false};
    return u->run(&x, u);
}

/* The records of one cycle at the start of a list; *at moves behind them. */
static ww_status commit_cycle(ww_pending *pending, size_t *at, uint64_t cycle,
                              const ww_launch *launch, ww_error *err)
{
    while (*at < pending->used) {
        ww_effect *e = (void *)(pending->word + *at);
        if (e->cycle != cycle) {
            break;
        }
        *at += e->words;
        WW_ASSERT(*at <= pending->used);
        switch ((ww_effect_kind)e->kind) {
        case WW_EFFECT_STORE:
            commit_store(e, launch->code->bias);
            break;
        case WW_EFFECT_ATOMIC:
            ww__atomic_commit(launch->code, e);
            break;
        case WW_EFFECT_CALL:
            WW_TRY(commit_call(launch, e, err));
            break;
        }
    }
    return WW_OK;
}

static uint64_t cycle_at(const ww_pending *pending, size_t at)
{
    return at < pending->used ? ((const ww_effect *)(const void *)(pending->word + at))->cycle
                              : UINT64_MAX;
}

ww_status ww_pending_commit(ww_pending *const *list, uint32_t n, ww_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        list[i]->at = 0;
    }
    for (;;) {
        uint64_t cycle = UINT64_MAX;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t c = cycle_at(list[i], list[i]->at);
            cycle = c < cycle ? c : cycle;
        }
        if (cycle == UINT64_MAX) {
            break;
        }
        for (uint32_t i = 0; i < n; i++) {
            WW_TRY(commit_cycle(list[i], &list[i]->at, cycle, list[i]->launch, err));
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        ww_pending_clear(list[i]);
    }
    return WW_OK;
}
