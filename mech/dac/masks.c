/* masks.c - one bit for each thread of a pass, and values that are tuples chosen by such masks. */
#include <string.h>

#include "base/assert.h"
#include "mech/dac/dac.h"

/* A walk over the pass written out, for what every instruction of the affine warp does. */
#define FOR_WARPS(s, w)                                                                            \
    for (uint32_t at_ = 0; at_ < WW_WARPS_WORDS; at_++)                                            \
        for (uint64_t m_ = (s)->pass.word[at_]; m_ != 0; m_ &= m_ - 1)                             \
            for (uint32_t w = 64 * at_ + (uint32_t)__builtin_ctzll(m_), once_ = 1; once_ > 0;      \
                 once_ = 0)

bool dac_masks_empty(const dac *s, const dac_masks *m)
{
    uint32_t any = 0;
    FOR_WARPS(s, w)
    {
        any |= m->of[w];
    }
    return any == 0;
}

bool dac_masks_cover(const dac *s, const dac_masks *m)
{
    uint32_t missing = 0;
    FOR_WARPS(s, w)
    {
        missing |= s->live.of[w] & ~m->of[w];
    }
    return missing == 0;
}

void dac_masks_and(const dac *s, dac_masks *to, const dac_masks *with)
{
    FOR_WARPS(s, w)
    {
        to->of[w] &= with->of[w];
    }
}

void dac_masks_without(const dac *s, dac_masks *to, const dac_masks *lanes)
{
    FOR_WARPS(s, w)
    {
        to->of[w] &= ~lanes->of[w];
    }
}

void dac_masks_or(const dac *s, dac_masks *to, const dac_masks *with)
{
    FOR_WARPS(s, w)
    {
        to->of[w] |= with->of[w];
    }
}

/* ---- values ---- */

dac_word dac_scalar(uint64_t value, unsigned bits)
{
    return (dac_word){.form = DAC_WORD, .tuple = ww_tuple_scalar(value, bits)};
}

static bool same_word(const dac_word *a, const dac_word *b)
{
    return a->form == b->form && a->shift == b->shift && ww_tuple_equal(&a->tuple, &b->tuple) &&
           (a->form != DAC_CARRY || ww_tuple_equal(&a->other, &b->other));
}

void dac_copy_value(dac_value *to, const dac_value *from)
{
    to->count = from->count;
    to->everywhere = from->everywhere;
    memcpy(to->word, from->word, from->count * sizeof *to->word);
    if (!from->everywhere) {
        memcpy(to->where, from->where, from->count * sizeof *to->where);
    }
}

static void drop(dac_value *v, uint32_t i)
{
    WW_ASSERT(i < v->count);
    v->count--;
    if (i != v->count) {
        v->word[i] = v->word[v->count];
        v->where[i] = v->where[v->count];
    }
}

/* Takes threads out of what they held. */
static void vacate(const dac *s, dac_value *v, const dac_masks *m)
{
    if (v->everywhere) {
        v->where[0] = s->live;
        v->everywhere = false;
    }
    for (uint32_t i = v->count; i-- > 0;) {
        dac_masks_without(s, &v->where[i], m);
        if (dac_masks_empty(s, &v->where[i])) {
            drop(v, i);
        }
    }
}

void dac_write(dac *s, dac_value *v, const dac_masks *m, const dac_word *word)
{
    if (dac_masks_cover(s, m)) {
        v->count = 1;
        v->everywhere = true;
        v->word[0] = *word;
        return;
    }
    vacate(s, v, m);
    for (uint32_t i = 0; i < v->count; i++) {
        if (same_word(&v->word[i], word)) {
            dac_masks_or(s, &v->where[i], m);
            return;
        }
    }
    if (v->count == DAC_TUPLES) {
        drop(v, 0); /* the oldest: of threads that are elsewhere */
    }
    WW_ASSERT(v->count < DAC_TUPLES);
    v->word[v->count] = *word;
    v->where[v->count++] = *m;
}

void dac_indices(const dac *s, uint32_t warp, uint32_t lane, uint32_t index[WW_INDEX_COUNT])
{
    const ww_warp *w = ww_mech_warp(s->sm, warp);
    const uint16_t *tid = s->tid[w->index].of[lane];
    index[WW_INDEX_TX] = tid[0];
    index[WW_INDEX_TY] = tid[1];
    index[WW_INDEX_TZ] = tid[2];
    index[WW_INDEX_BX] = w->cta->id[0];
    index[WW_INDEX_BY] = w->cta->id[1];
    index[WW_INDEX_BZ] = w->cta->id[2];
}

uint64_t dac_word_at(const dac *s, const dac_word *word, uint32_t warp, uint32_t lane)
{
    uint32_t index[WW_INDEX_COUNT];
    dac_indices(s, warp, lane, index);
    uint64_t v = ww_tuple_at(&word->tuple, index);
    switch ((dac_form)word->form) {
    case DAC_HIGH:
        return v >> 32;
    case DAC_RAISED:
        return (v >> 32 << word->shift) & UINT32_MAX;
    case DAC_SPILL:
        return v >> word->shift;
    case DAC_WORD:
    case DAC_CARRY:
    case DAC_LOST:
        break;
    }
    return v;
}

bool dac_value_at(const dac *s, const dac_value *v, uint32_t warp, uint32_t lane, uint64_t *out)
{
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->everywhere || (v->where[i].of[warp] >> lane & 1) != 0) {
            *out = dac_word_at(s, &v->word[i], warp, lane);
            return v->word[i].form != DAC_LOST;
        }
    }
    *out = 0;
    return false;
}
