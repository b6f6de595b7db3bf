/* mat_memo.c - see mat_memo.h. */
#include "tech/mat_memo.h"

#include "base/assert.h"

/* Fibonacci hashing (Knuth, The Art of Computer Programming 3, s. 6.4): the upper bits of a product
 * with 2^64 over the golden ratio. */
static uint32_t slot_of(uint64_t key)
{
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 57);
    WW_ASSERT(slot < WW_MEMO_SLOTS);
    return slot;
}
_Static_assert(WW_MEMO_SLOTS == 1 << (64 - 57), "a slot for every value of the hash");

static uint64_t bits_of(double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {.value = value};
    return u.bits;
}

ww_decode_cost ww__memo_predecode(ww_mat_memo *memo, const ww_node *n, const ww_layout *l,
                                  uint32_t bits, uint32_t per_mat, uint64_t rows_passed,
                                  const ww_decode_load *load)
{
    if (memo == NULL) {
        return ww__predecode(n, l, bits, load);
    }
    ww_kept_predecode *kept = &memo->predecode[slot_of(rows_passed << 8 ^ bits << 3 ^ per_mat)];
    if (kept->rows_passed != rows_passed || kept->bits != bits || kept->per_mat != per_mat) {
        *kept = (ww_kept_predecode){rows_passed, bits, per_mat, ww__predecode(n, l, bits, load)};
    }
    WW_ASSERT(kept < memo->predecode + WW_MEMO_SLOTS);
    return kept->cost;
}

ww_decode_cost ww__memo_line(ww_mat_memo *memo, const ww_node *n, const ww_layout *l, uint32_t cols,
                             const ww_decode_load *load, double ramp_s)
{
    enum { INPUTS = 2 }; /* one of each block of the predecoder */
    if (memo == NULL) {
        return ww__decode_line(n, l, INPUTS, load, ramp_s);
    }
    ww_kept_line *kept = &memo->line[slot_of(bits_of(ramp_s) ^ (uint64_t)cols << 20)];
    if (kept->cols != cols || kept->ramp_s < ramp_s || kept->ramp_s > ramp_s) {
        *kept = (ww_kept_line){cols, ramp_s, ww__decode_line(n, l, INPUTS, load, ramp_s)};
    }
    WW_ASSERT(kept < memo->line + WW_MEMO_SLOTS);
    return kept->cost;
}

ww_column_drive *ww__memo_drive(ww_mat_memo *memo, uint32_t cols, bool *known)
{
    uint32_t i = slot_of(cols);
    *known = memo->columns[i].cols == cols;
    memo->columns[i].cols = cols;
    return &memo->columns[i].drive;
}

ww_mux_decode *ww__memo_mux(ww_mat_memo *memo, const ww_mux_decode *key)
{
    const uint64_t load = bits_of(key->load_f), ohm = bits_of(key->r_ohm);
    ww_mux_decode *kept =
        &memo->mux[slot_of(load ^ ohm << 7 ^ (uint64_t)key->bits << 1 ^ (key->way ? 1 : 0))];
    if (!kept->known || kept->bits != key->bits || kept->way != key->way ||
        bits_of(kept->load_f) != load || bits_of(kept->r_ohm) != ohm) {
        *kept = *key;
        kept->known = false;
    }
    return kept;
}
