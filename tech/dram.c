/* dram.c - energy of DRAM commands from supply currents. */
#include "tech/dram.h"

static bool current_above(double current, double standby, double *out)
{
    *out = current - standby;
    return *out > 0;
}

double ww_dram_burst_bits(const ww_dram_device *d)
{
    return (double)d->width_bits * d->burst_length;
}

double ww_dram_burst_s(const ww_dram_device *d)
{
    return d->burst_length / d->data_rate_hz;
}

double ww_dram_activate_precharge_j(const ww_dram_device *d)
{
    double row_cycle = d->tras_s + d->trp_s;
    double charge = d->idd0_a * row_cycle - d->idd3n_a * d->tras_s - d->idd2n_a * d->trp_s;
    double pumped = d->vpp_v * d->ipp0_a * row_cycle;
    return (charge > 0 ? charge * d->vdd_v : 0) + pumped;
}

static double column_j(const ww_dram_device *d, double current)
{
    double above;
    return current_above(current, d->idd3n_a, &above) ? above * d->vdd_v * ww_dram_burst_s(d) : 0;
}

double ww_dram_read_j(const ww_dram_device *d)
{
    return column_j(d, d->idd4r_a);
}

double ww_dram_write_j(const ww_dram_device *d)
{
    return column_j(d, d->idd4w_a);
}

double ww_dram_refresh_j(const ww_dram_device *d)
{
    double above;
    return current_above(d->idd5_a, d->idd2n_a, &above) ? above * d->vdd_v * d->trfc_s : 0;
}

double ww_dram_refresh_w(const ww_dram_device *d)
{
    return d->trefi_s > 0 ? ww_dram_refresh_j(d) / d->trefi_s : 0;
}

double ww_dram_background_w(const ww_dram_device *d, ww_dram_state state)
{
    switch (state) {
    case WW_DRAM_ACTIVE:
        return d->idd3n_a * d->vdd_v;
    case WW_DRAM_PRECHARGED_POWER_DOWN:
        return d->idd2p_a * d->vdd_v;
    case WW_DRAM_ACTIVE_POWER_DOWN:
        return d->idd3p_a * d->vdd_v;
    case WW_DRAM_SELF_REFRESH:
        return d->idd6_a * d->vdd_v;
    case WW_DRAM_PRECHARGED:
    default:
        return d->idd2n_a * d->vdd_v;
    }
}

double ww_dram_io_read_j(const ww_dram_device *d)
{
    return d->io_read_j_per_bit * ww_dram_burst_bits(d);
}

double ww_dram_io_write_j(const ww_dram_device *d)
{
    return d->io_write_j_per_bit * ww_dram_burst_bits(d);
}

double ww_dram_link_j_per_bit(double vddq_v, double r_driver_ohm, double r_term_ohm, double c_f,
                              double bit_s)
{
    /* Pseudo-open drain: current flows through driver and termination while the line is low, half
     * of the bits. */
    double r = r_driver_ohm + r_term_ohm;
    double low_j = r > 0 ? 0.5 * vddq_v * vddq_v / r * bit_s : 0;
    /* A terminated line swings from VDDQ to the divider's level. */
    double swing = r > 0 ? vddq_v * r_term_ohm / r : vddq_v;
    return low_j + 0.25 * c_f * vddq_v * swing;
}
