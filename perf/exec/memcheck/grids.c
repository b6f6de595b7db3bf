/* grids.c - does a grid that may begin early touch what the grids before it have in hand?
 *
 * A launch with programmatic stream serialization begins when every CTA of the grid before it has
 * issued griddepcontrol.launch_dependents or ended, and sees what that grid has written behind
 * griddepcontrol.wait alone, also when that grid never let it begin (CUDA C++ Programming Guide,
 * "Programmatic Dependent Launch"; PTX ISA, "griddepcontrol"). Reading or overwriting what it has
 * written before the wait is therefore a race, and so is overwriting what a CTA of it has read
 * that had let others begin: one that had not has ended. What the grids before that one have in
 * hand counts as well, unless every CTA in between has waited before it let others begin.
 *
 * Grids run in order here; of each is kept what it touches of global memory, word by word. A warp's
 * wait is an agent of the clocks (shadow.h), so that who meets it at a barrier behind the wait has
 * waited too, and so has who reads, by an access that may, what the other grid has left by such a
 * one: the guide allows other means than the wait. */
#include <string.h>

#include "base/mem.h"
#include "perf/exec/memcheck/shadow.h"

enum { PAGE_BYTES = 1 << 16, WORD = 4, PAGES = 1 << 20 };

/* The latest access to a word. */
typedef struct mark {
    uint32_t cta;
    uint32_t pc : 27, strong : 1, bytes : WORD;
    uint16_t grid; /* from 1; 0: there was none */
    uint16_t thread;
} mark;

typedef struct page {
    struct page *next; /* of all */
    mark read[PAGE_BYTES / WORD], write[PAGE_BYTES / WORD];
} page;

typedef struct grid {
    ww_shadow_grid is;
    uint32_t before;     /* it need not wait for that one's end; NONE: nothing is under way */
    bool lets_through;   /* one of its CTAs let others begin, or ended, and had not waited */
    unsigned char *lets; /* bit per CTA: it let others begin; NULL: none does */
} grid;

enum { NONE = UINT16_MAX };

struct ww_grids {
    grid *grid;
    uint32_t count, current; /* NONE: what runs is not of them */
    page *all;
    page *page[PAGES];
};

ww_grids *ww__grids_create(uint32_t count)
{
    ww_grids *g = count < NONE ? WW_NEW(ww_grids) : NULL;
    if (g != NULL) {
        g->grid = WW_NEW_ARRAY(grid, count);
        g->count = count;
        g->current = NONE;
    }
    if (g != NULL && g->grid == NULL) {
        ww_free(g);
        return NULL;
    }
    return g;
}

void ww__grids_destroy(ww_grids *g)
{
    if (g == NULL) {
        return;
    }
    for (page *p = g->all, *next; p != NULL; p = next) {
        next = p->next;
        ww_free(p);
    }
    for (uint32_t k = 0; k < g->count; k++) {
        ww_free(g->grid[k].lets);
    }
    ww_free(g->grid);
    ww_free(g);
}

void ww__grids_next(ww_grids *g, uint32_t k, const uint32_t *before)
{
    g->current = k;
    g->grid[k].before = before != NULL ? *before : NONE;
}

static uint64_t ctas_of(const ww_launch *launch)
{
    return (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
}

ww_status ww__grids_launched(const ww_launch *launch, ww_error *err)
{
    ww_grids *g = ww__memcheck_grids(launch->memcheck);
    if (g == NULL || g->current == NONE) {
        return WW_OK;
    }
    grid *now = &g->grid[g->current];
    if (now->is.kernel != NULL) { /* a kernel's own launches are none of the list */
        g->current = NONE;
        return WW_OK;
    }
    now->is = (ww_shadow_grid){launch->kernel, launch->grid, launch->block, launch->id};
    bool lets = false;
    for (uint32_t k = 0; k < launch->kernel->code_count; k++) {
        const ww_inst *inst = &launch->kernel->code[k];
        lets |= inst->op == WW_OP_GRID_CONTROL && inst->sub == WW_SUB_LAUNCH;
    }
    now->lets = lets ? WW_NEW_ARRAY(unsigned char, ctas_of(launch) / 8 + 1) : NULL;
    return !lets || now->lets != NULL ? WW_OK : ww_no_memory_for(err, "the memory check of grids");
}

static ww_grids *of(const ww_exec_ctx *x)
{
    return ww__memcheck_grids(x->env->launch->memcheck);
}

static bool has_let(const grid *k, uint32_t cta)
{
    return k->lets != NULL && (k->lets[cta / 8] >> cta % 8 & 1) != 0;
}

/* A CTA lets others begin, or has ended. */
static void lets_others(ww_grids *g, const ww_cta *cta)
{
    const struct ww_shadow *s = cta->shadow;
    for (uint32_t w = 0; w < s->warps; w++) {
        if (ww__shadow_seen(s, w, ww__shadow_before(s), false) > 0) {
            return;
        }
    }
    g->grid[g->current].lets_through = true;
}

ww_status ww__checked_grid_control(ww_exec_ctx *x, const ww_uop *u)
{
    ww_grids *g = of(x);
    const ww_cta *cta = x->warp->cta;
    if (g != NULL && g->current != NONE && x->exec != 0) {
        grid *now = &g->grid[g->current];
        if (u->inst->sub == WW_SUB_WAIT) {
            ww__shadow_waited(cta->shadow, x->warp->index, true);
        } else if (!has_let(now, cta->linear)) {
            now->lets[cta->linear / 8] |= (unsigned char)(1u << cta->linear % 8);
            lets_others(g, cta);
        }
    }
    return ww__shadow_run_inner(x, u);
}

void ww__grids_cta_exited(const ww_exec_ctx *x)
{
    ww_grids *g = of(x);
    if (g != NULL && g->current != NONE && !has_let(&g->grid[g->current], x->warp->cta->linear)) {
        lets_others(g, x->warp->cta);
    }
}

/* Whether the grid that made the mark may be under way beside the current one. */
static bool is_beside(const ww_grids *g, const mark *m)
{
    uint32_t k = g->grid[g->current].before;
    while (k != NONE && k + 1 != m->grid) {
        k = g->grid[k].lets_through ? g->grid[k].before : NONE;
    }
    return k != NONE;
}

/* The part of a page where an address is; NULL: it is not followed, for want of memory too. */
static page *page_of(ww_grids *g, uint64_t address)
{
    const uint64_t k = (address - WW_GLOBAL_BASE) / PAGE_BYTES;
    if (address < WW_GLOBAL_BASE || k >= PAGES) {
        return NULL;
    }
    if (g->page[k] == NULL) {
        g->page[k] = WW_NEW(page);
        if (g->page[k] != NULL) {
            g->page[k]->next = g->all;
            g->all = g->page[k];
        }
    }
    return g->page[k];
}

static void keep(mark *m, const mark *now)
{
    const unsigned bytes = m->grid == now->grid ? m->bytes | now->bytes : now->bytes;
    *m = *now;
    m->bytes = bytes & 0xf;
}

static bool meets(const ww_grids *g, const mark *m, const mark *now)
{
    return m->grid != 0 && m->grid != now->grid && (m->bytes & now->bytes) != 0 && is_beside(g, m);
}

/* What an access to a word races with; *other: the access that it does. */
static ww_hazard hazard_of(const ww_grids *g, const page *p, uint32_t k, const mark *now,
                           const ww_touching *how, const mark **other)
{
    *other = &p->write[k];
    if (meets(g, *other, now) && !((*other)->strong && now->strong)) {
        return how->writes ? WW_HAZARD_WAW : WW_HAZARD_RAW;
    }
    *other = &p->read[k];
    if (how->writes && meets(g, *other, now) && !((*other)->strong && now->strong) &&
        has_let(&g->grid[(*other)->grid - 1], (*other)->cta)) {
        return WW_HAZARD_WAR;
    }
    return WW_HAZARD_NONE;
}

static mark mark_of(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                    const ww_touching *how)
{
    return (mark){.cta = x->warp->cta->linear,
                  .pc = x->out->pc & ((1u << 27) - 1),
                  .strong = how->atomic || (u->inst->mods & WW_MOD_VOLATILE) != 0,
                  .grid = (uint16_t)(of(x)->current + 1),
                  .thread = (uint16_t)(x->warp->index * WW_LANES + t->lane)};
}

/* A word of an access that nothing before has waited for. */
static ww_hazard look(const ww_exec_ctx *x, const ww_uop *u, const page *p, uint32_t k,
                      const mark *now, const ww_touching *how, const mark **other)
{
    const ww_grids *g = of(x);
    struct ww_shadow *s = x->warp->cta->shadow;
    const mark *written = &p->write[k];
    if (now->strong && how->reads && written->strong && meets(g, written, now)) {
        ww__shadow_waited(s, x->warp->index, (u->inst->mods & WW_MOD_ORDERED) != 0);
    }
    return hazard_of(g, p, k, now, how, other);
}

void ww__grids_touch(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                     const ww_touching *how)
{
    ww_grids *g = of(x);
    const struct ww_shadow *s = x->warp->cta->shadow;
    if (g == NULL || g->current == NONE) {
        return;
    }
    mark now = mark_of(x, u, t, how);
    bool told = g->grid[g->current].before == NONE ||
                ww__shadow_seen(s, x->warp->index, ww__shadow_before(s), false) > 0;
    const uint64_t end = t->address + t->bytes;
    for (uint64_t at = t->address & ~(uint64_t)(WORD - 1); at < end; at += WORD) {
        page *p = page_of(g, at);
        const uint32_t k = (uint32_t)(at % PAGE_BYTES) / WORD;
        const unsigned first = at < t->address ? (unsigned)(t->address - at) : 0;
        const unsigned last = end - at < WORD ? (unsigned)(end - at) : WORD;
        const mark *other;
        if (p == NULL) {
            continue;
        }
        now.bytes = (0xfu << first & 0xfu >> (WORD - last)) & 0xf;
        const ww_hazard hazard = told ? WW_HAZARD_NONE : look(x, u, p, k, &now, how, &other);
        if (hazard != WW_HAZARD_NONE) {
            told = true;
            ww__memcheck_grid(x, u, t, hazard, &g->grid[other->grid - 1].is, other->pc, other->cta,
                              other->thread);
        }
        keep(how->writes ? &p->write[k] : &p->read[k], &now);
    }
}
