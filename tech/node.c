/* node.c - evaluates a technology node at a supply voltage and a temperature. */
#include "tech/node.h"

#include <math.h>

#include "base/assert.h"
#include "tech/circuit.h"
#include "tech/node_table.h"

/* Velocity-saturation index of the alpha-power law (Sakurai & Newton, JSSC 25(2) 1990) for short
 * channels. */
#define ALPHA_POWER 1.3
/* Threshold drop per volt of drain voltage, and sub-threshold ideality: ITRS 2007 PIDS, typical of
 * bulk below 90 nm. */
#define DIBL             0.1
#define SUBTHRESHOLD_N   1.2
#define BOLTZMANN_OVER_Q 8.617333e-5 /* V/K */
/* Least swing that a latch-type sense amplifier resolves safely, and its share of the supply
 * (CACTI 5.1, HPL-2008-20). */
#define SENSE_MIN_V   0.080
#define SENSE_SHARE   0.05
#define MIN_WIDTH_F   1.5
#define SENSE_LATCH_F 3.75 /* NMOS width of the sense-amplifier latch */

static const double FEATURES[] = {90e-9, 65e-9, 45e-9, 40e-9, 32e-9, 28e-9,
                                  22e-9, 16e-9, 12e-9, 7e-9,  5e-9};

const double *ww_node_features(size_t *n)
{
    *n = WW_ARRAY_LEN(FEATURES);
    return FEATURES;
}

double ww_node_feature(const ww_node_table *table)
{
    return table->feature_m;
}

const char *ww_node_basis(const ww_node_table *table)
{
    return table->basis;
}

const char *ww_node_source(const ww_node_table *table)
{
    return table->source;
}

const char *ww_device_flavour_name(ww_device_flavour flavour)
{
    static const char *const NAMES[] = {"hp", "lstp", "lop"};
    return flavour < WW_DEVICE_FLAVOURS ? NAMES[flavour] : "?";
}

const char *ww_wire_layer_name(ww_wire_layer layer)
{
    static const char *const NAMES[] = {"local", "semiglobal", "global"};
    return layer < WW_WIRE_LAYERS ? NAMES[layer] : "?";
}

/* Leakage currents are nearly exponential in temperature: interpolate their logarithms. */
static double at_temperature(const ww_leakage_curve *c, const double *current, double temp_k)
{
    int i = 1;
    WW_ASSERT(c->count >= 2);
    while (i < c->count - 1 && temp_k > c->temp_k[i]) {
        i++;
    }
    WW_ASSERT(i < c->count && c->temp_k[i] > c->temp_k[i - 1]);
    double share = (temp_k - c->temp_k[i - 1]) / (c->temp_k[i] - c->temp_k[i - 1]);
    if (share <= 0) {
        return current[i - 1];
    }
    if (share >= 1) {
        return current[i];
    }
    return current[i - 1] * exp(share * log(current[i] / current[i - 1]));
}

/* The device at another supply; see docs/models/tech.md, "Voltage". */
static ww_device at_voltage(const ww_device *nominal, double vdd_v, double temp_k)
{
    ww_device d = *nominal;
    double vn = nominal->vdd_v;
    if (vdd_v == vn) {
        return d;
    }
    WW_ASSERT(vdd_v > 0 && vn > d.vth_v && temp_k > 0);
    double drive = pow((vdd_v - d.vth_v) / (vn - d.vth_v), ALPHA_POWER);
    d.vdd_v = vdd_v;
    d.i_on_a_per_m *= drive;
    d.r_n_ohm_m *= vdd_v / vn / drive;
    d.r_p_ohm_m *= vdd_v / vn / drive;
    d.i_off_a_per_m *= exp(DIBL * (vdd_v - vn) / (SUBTHRESHOLD_N * BOLTZMANN_OVER_Q * temp_k));
    d.i_gate_a_per_m *= (vdd_v / vn) * (vdd_v / vn);
    return d;
}

double ww_node_leakage_over(const ww_node *node, double vdd_v)
{
    ww_device at = at_voltage(&node->peri, vdd_v, node->temp_k);
    return (at.i_off_a_per_m + at.i_gate_a_per_m) * vdd_v /
           ((node->peri.i_off_a_per_m + node->peri.i_gate_a_per_m) * node->peri.vdd_v);
}

double ww_node_leakage_warm(const ww_node *node, const ww_node *warm)
{
    return (warm->peri.i_off_a_per_m + warm->peri.i_gate_a_per_m) /
           (node->peri.i_off_a_per_m + node->peri.i_gate_a_per_m);
}

static ww_status device_at(const ww_node_table *table, ww_device_flavour flavour,
                           const ww_node_point *point, double scale, ww_device *out, ww_error *err)
{
    const ww_leakage_curve *c = &table->leakage[flavour];
    ww_device d = table->device[flavour];
    double vdd_v = d.vdd_v * scale;
    if (vdd_v < d.vth_v + 0.1 || scale > 1.5) {
        return ww_fail(err, WW_ERANGE,
                       "supply of %.3g V is outside %.3g..%.3g V of a %s device at %.0f nm", vdd_v,
                       d.vth_v + 0.1, 1.5 * d.vdd_v, ww_device_flavour_name(flavour),
                       table->feature_m * 1e9);
    }
    d.i_off_a_per_m =
        at_temperature(c, point->as_published ? c->i_off_published : c->i_off, point->temp_k);
    d.i_gate_a_per_m = at_temperature(c, c->i_gate, point->temp_k);
    *out = scale == 1 ? d : at_voltage(&d, vdd_v, point->temp_k);
    return WW_OK;
}

static ww_cell cell_of(const ww_cell_record *record, double f)
{
    WW_ASSERT(record->area_f2 > 0 && record->aspect > 0 && f > 0);
    double width = sqrt(record->area_f2 / record->aspect) * f;
    return (ww_cell){.height_m = record->aspect * width,
                     .width_m = width,
                     .access_w_m = record->access_f * f,
                     .nmos_w_m = record->nmos_f * f,
                     .pmos_w_m = record->pmos_f * f};
}

/* Transconductance of the cross-coupled pair: NMOS in saturation, PMOS in proportion (CACTI 5.1,
 * HPL-2008-20, s. 5.2). */
static double sense_gm(const ww_device *d, double f)
{
    double gm_n = d->mobility_m2_per_vs / 2 * d->c_oxide_f_per_m2 *
                  (SENSE_LATCH_F * f / d->l_elec_m) * d->vdsat_v;
    return gm_n * (1 + d->sense_p_to_n);
}

ww_status ww_node_at_point(const ww_node_table *table, const ww_node_point *point, ww_node *out,
                           ww_error *err)
{
    if (point->cell >= WW_DEVICE_FLAVOURS || point->peri >= WW_DEVICE_FLAVOURS ||
        point->projection >= WW_WIRE_PROJECTIONS) {
        return ww_fail(err, WW_ERANGE, "no such device class or wire projection");
    }
    if (!(point->temp_k >= 300 && point->temp_k <= 400)) {
        return ww_fail(err, WW_ERANGE,
                       "temperature of %g K is outside 300..400 K; nearest feasible: %d K",
                       point->temp_k, point->temp_k < 300 ? 300 : 400);
    }
    double nominal = table->device[point->peri].vdd_v;
    double scale = point->vdd_v == 0 ? 1 : point->vdd_v / nominal;
    ww_node n = {.feature_m = table->feature_m,
                 .geometry_m = table->geometry_m,
                 .temp_k = point->temp_k,
                 .vdd_nominal_v = nominal,
                 .flavour = point->peri,
                 .sense_delay_s = table->sense_delay_s,
                 .sense_energy_j = table->sense_energy_j,
                 .min_w_m = MIN_WIDTH_F * table->geometry_m,
                 .logic_area = table->logic_area,
                 .tx_per_m2 = table->tx_per_m2,
                 .short_circuit = table->short_circuit};
    WW_TRY(device_at(table, point->peri, point, scale, &n.peri, err));
    WW_TRY(device_at(table, point->cell, point, scale, &n.cell, err));
    for (int l = 0; l < WW_WIRE_LAYERS; l++) {
        n.wire[l] = table->wire[point->projection][l];
    }
    n.vdd_v = n.peri.vdd_v;
    n.r_nominal = table->device[point->peri].r_n_ohm_m / n.peri.r_n_ohm_m;
    n.sram = cell_of(&table->sram, n.geometry_m);
    n.cam = cell_of(&table->cam, n.geometry_m);
    n.v_sense_v = fmax(SENSE_SHARE * n.cell.vdd_v, SENSE_MIN_V);
    n.v_precharge_v = n.cell.vdd_v;
    n.gm_sense_s = sense_gm(&n.peri, n.geometry_m);
    n.fo4_s = ww__fan_out_delay_s(&n, 4);
    n.k_inv_s = 0.69314718055994531 * ww__r_on(&n.peri, n.min_w_m, WW_NMOS, 1) *
                ww__gate_f(&n.peri, n.min_w_m * (1 + n.peri.n_to_p));
    WW_ASSERT(n.fo4_s > 0 && n.k_inv_s > 0 && n.gm_sense_s > 0);
    *out = n;
    return WW_OK;
}

ww_status ww_node_at(const ww_node_table *table, ww_device_flavour flavour, double vdd_v,
                     double temp_k, ww_node *out, ww_error *err)
{
    ww_node_point point = {.cell = flavour, .peri = flavour, .vdd_v = vdd_v, .temp_k = temp_k};
    return ww_node_at_point(table, &point, out, err);
}
