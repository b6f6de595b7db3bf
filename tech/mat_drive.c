/* mat_drive.c - what drives the columns of a sub-array: its wordline and its precharge. */
#include <math.h>

#include "tech/mat.h"

double ww__wordline_f(const ww_mat_site *s, uint32_t cols)
{
    return cols * (2 * ww__gate_f(&s->n->cell, s->n->sram.access_w_m) +
                   s->cell_w * s->n->wire[WW_WIRE_LOCAL].c_f_per_m);
}

double ww__wordline_ohm(const ww_mat_site *s, uint32_t cols)
{
    return cols * s->cell_w * s->n->wire[WW_WIRE_LOCAL].r_ohm_per_m;
}

static double wordline_reset_s(const ww_mat_site *s, const ww_layout *l, uint32_t cols)
{
    const ww_node *n = s->n;
    double load_f = ww__wordline_f(s, cols), height = WW__DECODER_PITCH * s->cell_h;
    ww_chain chain = ww__chain_size(n, l, 2, load_f);
    double w_n = chain.w_n[chain.stages - 1];
    double own =
        ww__drain_f(n, l, &n->peri, w_n * n->peri.n_to_p, 1, ww__fold_w(l, WW_PMOS, height)) +
        ww__drain_f(n, l, &n->peri, w_n, 1, ww__fold_w(l, WW_NMOS, height));
    double tf = ww__r_on(&n->peri, w_n, WW_NMOS, 1) * (own + load_f) +
                ww__wordline_ohm(s, cols) * load_f / 2;
    return ww__horowitz_s(0, tf);
}

static ww_column_drive column_drive(const ww_mat_site *s, const ww_layout *l, uint32_t cols)
{
    const ww_node *n = s->n;
    const ww_device *d = &n->peri;
    const ww_wire *outside = &n->wire[s->outside];
    double p_min = d->n_to_p * n->min_w_m;
    double gate_f = cols * ww__gate_f(d, (2 * WW__PRECHARGE_MIN + WW__EQUALIZE_MIN) * p_min);
    double run = cols * s->cell_w;
    double wire_f = run * outside->c_f_per_m;
    ww_chain chain = ww__chain_size(n, l, 1, gate_f + wire_f);
    ww_chain_cost c =
        ww__chain_cost(n, l, &chain, gate_f + wire_f,
                       run * outside->r_ohm_per_m * (wire_f / 2 + gate_f), 0, l->cell_height);
    return (ww_column_drive){.reset_s = wordline_reset_s(s, l, cols),
                             .precharge_f = c.internal_f + gate_f + wire_f,
                             .precharge_s = c.delay_s,
                             .precharge_leak = c.leak};
}

ww_column_drive ww__column_drive(const ww_mat_site *s, ww_mat_memo *memo, uint32_t cols)
{
    if (memo == NULL) {
        return column_drive(s, &s->l, cols);
    }
    bool known;
    ww_column_drive *kept = ww__memo_drive(memo, cols, &known);
    if (!known) {
        *kept = column_drive(s, &s->l, cols);
    }
    return *kept;
}
