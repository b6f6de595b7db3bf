/* memcheck.c - the list of findings, and which bytes of global memory have been written: a bit per
 * byte of the device's address range, of which the host only backs what is used. */
#include "perf/exec/memcheck/memcheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "perf/exec/memcheck/shadow.h"

#define COVERED_BYTES (64ull << 30) /* all that device memory reserves */
#define MAP_BYTES     (COVERED_BYTES / 8)

enum { MOST_FINDINGS = 100 };

/* A place: what was found, at which line of which kernel, and against which other line. */
typedef struct place {
    char *kernel;
    uint32_t line, other_line;
    ww_hazard hazard; /* NONE: an uninitialized read, or: */
    ww_meeting meeting;
    ww_space space;
} place;

struct ww_memcheck {
    unsigned char *map; /* bit per byte from WW_GLOBAL_BASE on */
    ww_finding finding[MOST_FINDINGS];
    place place[MOST_FINDINGS];
    size_t count, last; /* found; the one found last */
    ww_grids *grids;    /* NULL: no launch may begin early */
    uint64_t more;
};

ww_status ww_memcheck_create(ww_memcheck **out, ww_error *err)
{
    ww_memcheck *check = WW_NEW(ww_memcheck);
    if (check == NULL) {
        return ww_no_memory_for(err, "the memory check");
    }
    void *p = mmap(NULL, (size_t)MAP_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        ww_free(check);
        return ww_fail(err, WW_ENOMEM, "Cannot reserve %llu MiB of address space for --memcheck.",
                       MAP_BYTES >> 20);
    }
    check->map = p;
    *out = check;
    return WW_OK;
}

void ww_memcheck_destroy(ww_memcheck *check)
{
    if (check == NULL) {
        return;
    }
    munmap(check->map, (size_t)MAP_BYTES);
    ww__grids_destroy(check->grids);
    for (size_t k = 0; k < check->count; k++) {
        ww_free(check->finding[k].text);
        ww_free(check->place[k].kernel);
    }
    ww_free(check);
}

const ww_finding *ww_memcheck_findings(const ww_memcheck *check, size_t *count, uint64_t *more)
{
    *count = check->count;
    *more = check->more;
    return check->finding;
}

/* ---- launches that may begin early ---- */

ww_status ww_memcheck_grids_begin(ww_memcheck *check, size_t count, ww_error *err)
{
    check->grids = count <= UINT32_MAX ? ww__grids_create((uint32_t)count) : NULL;
    return check->grids != NULL ? WW_OK
                                : ww_no_memory_for(err, "the memory check of %zu launches", count);
}

void ww_memcheck_grids_next(ww_memcheck *check, size_t number, const uint32_t *before)
{
    ww__grids_next(check->grids, (uint32_t)number, before);
}

void ww_memcheck_grids_end(ww_memcheck *check)
{
    ww__grids_destroy(check->grids);
    check->grids = NULL;
}

ww_grids *ww__memcheck_grids(const ww_memcheck *check)
{
    return check->grids;
}

/* ---- the map ---- */

/* The part of [address, address + bytes) that the map covers, from its start. */
static bool covered(uint64_t address, uint64_t bytes, uint64_t *first, uint64_t *end)
{
    *first = address - WW_GLOBAL_BASE;
    if (address < WW_GLOBAL_BASE || *first >= COVERED_BYTES || bytes == 0) {
        return false;
    }
    *end = bytes < COVERED_BYTES - *first ? *first + bytes : COVERED_BYTES;
    return true;
}

/* Bits [from, to) of a byte. */
static unsigned char bits(unsigned from, unsigned to)
{
    return (unsigned char)((0xffu << from) & (0xffu >> (8 - to)));
}

static void set(ww_memcheck *check, uint64_t address, uint64_t bytes, bool written)
{
    uint64_t at;
    uint64_t end;
    if (!covered(address, bytes, &at, &end)) {
        return;
    }
    while (at < end) {
        if (at % 8 == 0 && end - at >= 8) {
            memset(check->map + at / 8, written ? 0xff : 0, (size_t)((end - at) / 8));
            at = end & ~7ull;
            continue;
        }
        uint64_t until = (at / 8 + 1) * 8 < end ? (at / 8 + 1) * 8 : end;
        unsigned char mask = bits((unsigned)(at % 8), (unsigned)(until - at / 8 * 8));
        unsigned char old = check->map[at / 8];
        check->map[at / 8] = (unsigned char)(written ? old | mask : old & ~mask);
        at = until;
    }
}

void ww_memcheck_written(ww_memcheck *check, uint64_t address, uint64_t bytes)
{
    set(check, address, bytes, true);
}

void ww_memcheck_forget(ww_memcheck *check, uint64_t address, uint64_t bytes)
{
    set(check, address, bytes, false);
}

bool ww__memcheck_is_written(const ww_memcheck *check, uint64_t address, uint32_t bytes)
{
    uint64_t at;
    uint64_t end;
    if (!covered(address, bytes, &at, &end)) {
        return true;
    }
    for (; at < end; at++) {
        if ((check->map[at / 8] >> (at % 8) & 1) == 0) {
            return false;
        }
    }
    return true;
}

/* ---- the list ---- */

static bool is_at(const place *p, const ww_kernel *kernel, const place *key)
{
    return p->line == key->line && p->other_line == key->other_line && p->hazard == key->hazard &&
           p->meeting == key->meeting && p->space == key->space &&
           strcmp(p->kernel, kernel->name) == 0;
}

/* Counts another access at a place; true when the place is new and has room for its text. */
static bool is_new(ww_memcheck *check, const ww_kernel *kernel, const place *key)
{
    if (check->last < check->count && is_at(&check->place[check->last], kernel, key)) {
        check->finding[check->last].count++;
        return false;
    }
    for (size_t k = 0; k < check->count; k++) {
        if (is_at(&check->place[k], kernel, key)) {
            check->last = k;
            check->finding[k].count++;
            return false;
        }
    }
    if (check->count == MOST_FINDINGS) {
        check->more++;
        return false;
    }
    return true;
}

static char *copy_of(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = WW_NEW_ARRAY(char, n);
    if (copy != NULL) {
        memcpy(copy, text, n);
    }
    return copy;
}

static void add(ww_memcheck *check, const ww_kernel *kernel, const place *key, const char *text)
{
    char *copy = copy_of(text);
    char *name = copy_of(kernel->name);
    if (copy == NULL || name == NULL) {
        ww_free(copy);
        ww_free(name);
        check->more++;
        return;
    }
    check->finding[check->count] = (ww_finding){.text = copy, .count = 1};
    check->place[check->count] = *key;
    check->place[check->count].kernel = name;
    check->last = check->count++;
}

enum { PLACE_TEXT = 400 };

void ww__memcheck_uninitialized(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch)
{
    const ww_launch *launch = x->env->launch;
    const ww_kernel *kernel = launch->kernel;
    const place key = {.line = u->inst->line, .space = touch->space};
    if (!is_new(launch->memcheck, kernel, &key)) {
        return;
    }
    char where[PLACE_TEXT];
    char what[160];
    char text[1024];
    uint32_t tid[3];
    const uint32_t *cta = x->warp->cta->id;
    ww__thread_of(x, touch->lane, tid);
    snprintf(text, sizeof text,
             "%s: kernel %.200s: uninitialized read by %s of %u bytes in %s memory at 0x%" PRIx64
             ", CTA (%u,%u,%u), thread (%u,%u,%u): %s.",
             ww__source_place(kernel, u->inst->line, where, sizeof where), kernel->name,
             ww_op_name((ww_op)u->inst->op), touch->bytes, ww_space_name(touch->space),
             touch->address, cta[0], cta[1], cta[2], tid[0], tid[1], tid[2],
             ww__describe_space(x, touch->space, touch->address, what, sizeof what));
    add(launch->memcheck, kernel, &key, text);
}

/* What a hazard is called, and what is not there. */
static const struct {
    const char *name, *lacks;
} hazards[] = {
    [WW_HAZARD_NONE] = {"", ""},
    [WW_HAZARD_RAW] = {"RAW hazard", "nothing that orders them"},
    [WW_HAZARD_WAR] = {"WAR hazard", "nothing that orders them"},
    [WW_HAZARD_WAW] = {"WAW hazard", "nothing that orders them"},
    [WW_HAZARD_PROXY] = {"missing proxy fence", "no fence.proxy.async behind the store"},
    [WW_HAZARD_EXIT] = {"exit of a CTA of a cluster",
                        "no barrier of the cluster before the CTA's end"},
    [WW_HAZARD_IN_FLIGHT] = {"", ""},
    [WW_HAZARD_UNFENCED] = {"", ""},
};

/* What orders accesses of engines: their completion. */
static const char *lacking(ww_hazard hazard, const ww_inst *before)
{
    const ww_effects e = ww_inst_effects(before);
    bool engine = ww_effects_asynchronous(&e);
    return engine && (hazard == WW_HAZARD_RAW || hazard == WW_HAZARD_WAR || hazard == WW_HAZARD_WAW)
               ? "no wait for its end between them"
               : hazards[hazard].lacks;
}

/* Where an instruction races with one before it. */
static place between(const ww_inst *inst, const ww_inst *before, ww_hazard hazard, ww_space space)
{
    return (place){
        .line = inst->line, .other_line = before->line, .hazard = hazard, .space = space};
}

void ww__memcheck_race(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch,
                       ww_hazard hazard, const ww_mark *other)
{
    const ww_launch *launch = x->env->launch;
    const ww_kernel *kernel = launch->kernel;
    const ww_inst *before = &kernel->code[other->pc];
    const place key = between(u->inst, before, hazard, touch->space);
    if (!is_new(launch->memcheck, kernel, &key)) {
        return;
    }
    char where[PLACE_TEXT];
    char there[PLACE_TEXT];
    char rank[32] = "";
    char text[1400];
    uint32_t tid[3];
    const ww_cta *own = x->warp->cta;
    const uint32_t per = own->shadow->per, warp = other->issuer % per;
    const uint32_t *cta = own->id;
    const uint32_t *first = x->code->tid + warp * 3u * WW_LANES + other->lane;
    if (other->issuer / per != own->rank) {
        snprintf(rank, sizeof rank, " of rank %u", other->issuer / per);
    }
    ww__thread_of(x, touch->lane, tid);
    snprintf(text, sizeof text,
             "%s: kernel %.200s: %s in shared memory at 0x%" PRIx64
             ", CTA (%u,%u,%u): %s of %u bytes by thread (%u,%u,%u) and, before it, %s by thread "
             "(%u,%u,%u)%s at %s, with %s.",
             ww__source_place(kernel, u->inst->line, where, sizeof where), kernel->name,
             hazards[hazard].name, touch->address, cta[0], cta[1], cta[2],
             ww_op_name((ww_op)u->inst->op), touch->bytes, tid[0], tid[1], tid[2],
             ww_op_name((ww_op)before->op), first[0], first[WW_LANES], first[2 * WW_LANES], rank,
             ww__source_place(kernel, before->line, there, sizeof there), lacking(hazard, before));
    add(launch->memcheck, kernel, &key, text);
}

/* Place k of a shape whose places are counted along x, then y, then z. */
static void place_in(ww_dim3 shape, uint32_t k, uint32_t at[3])
{
    at[0] = k % shape.x;
    at[1] = k / shape.x % shape.y;
    at[2] = k / shape.x / shape.y;
}

void ww__memcheck_grid(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch,
                       ww_hazard hazard, const ww_shadow_grid *grid, uint32_t pc, uint32_t cta,
                       uint32_t thread)
{
    const ww_launch *launch = x->env->launch;
    const ww_kernel *kernel = launch->kernel;
    const ww_inst *before = &grid->kernel->code[pc];
    const place key = between(u->inst, before, hazard, touch->space);
    if (!is_new(launch->memcheck, kernel, &key)) {
        return;
    }
    char where[PLACE_TEXT];
    char there[PLACE_TEXT];
    char text[1800];
    uint32_t tid[3], first[3], of[3];
    const uint32_t *own = x->warp->cta->id;
    ww__thread_of(x, touch->lane, tid);
    place_in(grid->block, thread, first);
    place_in(grid->grid, cta, of);
    snprintf(text, sizeof text,
             "%s: kernel %.200s (launch %" PRIu64 "): %s in global memory at 0x%" PRIx64
             ": %s of %u bytes by thread (%u,%u,%u) of CTA (%u,%u,%u) and, before it, %s by thread "
             "(%u,%u,%u) of CTA (%u,%u,%u) of kernel %.200s (launch %" PRIu64
             ") at %s, with no griddepcontrol.wait between them: the launch may begin early.",
             ww__source_place(kernel, u->inst->line, where, sizeof where), kernel->name, launch->id,
             hazards[hazard].name, touch->address, ww_op_name((ww_op)u->inst->op), touch->bytes,
             tid[0], tid[1], tid[2], own[0], own[1], own[2], ww_op_name((ww_op)before->op),
             first[0], first[1], first[2], of[0], of[1], of[2], grid->kernel->name, grid->id,
             ww__source_place(grid->kernel, before->line, there, sizeof there));
    add(launch->memcheck, kernel, &key, text);
}

void ww__memcheck_register(const ww_exec_ctx *x, const ww_uop *u, uint32_t reg, ww_hazard hazard)
{
    const ww_launch *launch = x->env->launch;
    const ww_kernel *kernel = launch->kernel;
    const place key = {.line = u->inst->line, .hazard = hazard};
    if (!is_new(launch->memcheck, kernel, &key)) {
        return;
    }
    char where[PLACE_TEXT];
    char text[1024];
    uint32_t tid[3];
    const ww_cta *cta = x->warp->cta;
    const struct ww_shadow *s = cta->shadow;
    uint32_t group = s->in_flight[(size_t)x->warp->index * s->registers + reg];
    ww__thread_of(x, (unsigned)__builtin_ctz(x->exec), tid);
    int n = snprintf(text, sizeof text,
                     "%s: kernel %.200s: %s by thread (%u,%u,%u) of CTA (%u,%u,%u), warp %u: ",
                     ww__source_place(kernel, u->inst->line, where, sizeof where), kernel->name,
                     ww_op_name((ww_op)u->inst->op), tid[0], tid[1], tid[2], cta->id[0], cta->id[1],
                     cta->id[2], (unsigned)x->warp->index);
    if (n > 0 && hazard == WW_HAZARD_IN_FLIGHT) {
        snprintf(text + n, sizeof text - (size_t)n,
                 "register r%u is an accumulator of wgmma's group %u, which has not been waited "
                 "for.",
                 reg, group);
    } else if (n > 0) {
        snprintf(text + n, sizeof text - (size_t)n,
                 "register r%u of its products has been used since the last wgmma.fence.", reg);
    }
    add(launch->memcheck, kernel, &key, text);
}

/* Behind the thread's name: of the mask or the count, and of the lanes. */
static void describe_meeting(char *text, size_t size, ww_meeting fault, uint32_t mask,
                             uint32_t lanes)
{
    switch (fault) {
    case WW_MEETING_GONE:
        snprintf(text, size,
                 "its mask 0x%08" PRIx32 " names lanes 0x%08" PRIx32
                 ", which have exited or are not there.",
                 mask, lanes);
        break;
    case WW_MEETING_ELSEWHERE:
        snprintf(text, size,
                 "its mask 0x%08" PRIx32 " names lanes 0x%08" PRIx32
                 ", which are on another path: a GPU waits for them, here nothing does.",
                 mask, lanes);
        break;
    case WW_MEETING_UNNAMED:
        snprintf(text, size,
                 "its mask 0x%08" PRIx32 " does not name lanes 0x%08" PRIx32 ", which execute it.",
                 mask, lanes);
        break;
    case WW_MEETING_DIVERGED:
        snprintf(text, size,
                 "lanes 0x%08" PRIx32
                 " of the warp are on another path: undefined for bar and barrier….aligned, and "
                 "here warps arrive whole.",
                 lanes);
        break;
    case WW_MEETING_COUNT:
        snprintf(text, size, "its %" PRIu32 " threads are no whole warps.", mask);
        break;
    case WW_MEETING_RIGHT:
        break;
    }
}

void ww__memcheck_meeting(const ww_exec_ctx *x, const ww_uop *u, ww_meeting fault, uint32_t mask,
                          uint32_t lanes)
{
    const ww_launch *launch = x->env->launch;
    const ww_kernel *kernel = launch->kernel;
    const place key = {.line = u->inst->line, .meeting = fault};
    if (!is_new(launch->memcheck, kernel, &key)) {
        return;
    }
    char where[PLACE_TEXT];
    char what[200] = "";
    char text[1200];
    uint32_t tid[3];
    const uint32_t *cta = x->warp->cta->id;
    ww__thread_of(x, (unsigned)__builtin_ctz(x->exec), tid);
    describe_meeting(what, sizeof what, fault, mask, lanes);
    snprintf(text, sizeof text,
             "%s: kernel %.200s: %s by thread (%u,%u,%u) of CTA (%u,%u,%u), warp %u: %s",
             ww__source_place(kernel, u->inst->line, where, sizeof where), kernel->name,
             ww_op_name((ww_op)u->inst->op), tid[0], tid[1], tid[2], cta[0], cta[1], cta[2],
             (unsigned)x->warp->index, what);
    add(launch->memcheck, kernel, &key, text);
}
