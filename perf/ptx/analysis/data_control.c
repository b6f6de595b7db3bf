/* data_control.c - what runs, or has its value, only as loaded data decides: the affine warp would
 * have to wait there for the masks of the kernel's warps (Wang and Lin, section 4.5). */
#include <string.h>

#include "perf/ptx/analysis/decouple.h"
#include "perf/ptx/analysis/internal.h"

typedef struct finder {
    const ww_view *view;
    const ww_chains *chains;
    const ww_affine *affine;
    uint64_t *marked; /* [instruction] */
} finder;

/* A branch or an exit whose lanes no comparison of affine values gives, or one that is marked. */
static bool decided_by_data(const finder *f, uint32_t i)
{
    return !ww_affine_guard_known(f->affine, i) || ww__has_bit(f->marked, i);
}

static bool runs_by_data(const finder *f, uint32_t i)
{
    const ww_dominance *d = &f->view->dominance;
    uint32_t block = ww_view_block(f->view, i);
    for (uint32_t k = d->control_at[block]; k < d->control_at[block + 1]; k++) {
        if (decided_by_data(f, f->view->cfg.block[d->control[k]].last - 1)) {
            return true;
        }
    }
    return false;
}

/* Whether a read sees a known value of a marked instruction. */
static bool reads_marked(const finder *f, uint32_t access)
{
    uint32_t n;
    const uint32_t *def = ww_chain(f->chains, access, &n);
    for (uint32_t k = 0; k < n; k++) {
        if (def[k] != WW_DEF_ENTRY && ww_affine_known(f->affine->access[def[k]]) &&
            ww__has_bit(f->marked, f->view->access[def[k]].inst)) {
            return true;
        }
    }
    return false;
}

static bool depends_on_data(const finder *f, uint32_t i)
{
    bool marked = runs_by_data(f, i);
    for (uint32_t a = f->view->reads[i]; a < f->view->writes[i] && !marked; a++) {
        marked = reads_marked(f, a);
    }
    return marked;
}

static void mark_reachable(const finder *f, uint32_t from)
{
    const ww_view *v = f->view;
    uint64_t *marked = f->marked;
    for (uint32_t i = from; i < v->cfg.block[ww_view_block(v, from)].last; i++) {
        ww__add_bit(marked, i);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < v->cfg.block_count; b++) {
            const ww_block *block = &v->cfg.block[b];
            for (uint32_t k = 0; k < block->succ_count && ww__has_bit(marked, block->last - 1);
                 k++) {
                const ww_block *next = &v->cfg.block[ww_block_successor(block, k)];
                for (uint32_t i = next->first; i < next->last; i++) {
                    changed = changed || !ww__has_bit(marked, i);
                    ww__add_bit(marked, i);
                }
            }
        }
    }
}

void ww_mark_data_control(const ww_affine *affine, const ww_chains *chains, uint64_t *marked)
{
    const ww_view *v = affine->view;
    finder f = {.view = v, .chains = chains, .affine = affine, .marked = marked};
    memset(marked, 0, ((size_t)v->inst_count / 64 + 1) * sizeof *marked);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < v->inst_count; i++) {
            if (ww__has_bit(marked, i) || !depends_on_data(&f, i)) {
                continue;
            }
            ww__add_bit(marked, i);
            changed = true;
            if (v->inst[i].op == WW_OP_BAR) { /* requests behind it wait for it */
                mark_reachable(&f, i);
            }
        }
    }
}
