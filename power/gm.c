/* gm.c - GM, global memory: energy of the DRAM devices per command by the IDD method (tech/dram.h),
 * their I/O, and background power. Devices lie on the board: they have no die area and no leakage
 * of the chip. */
#include "power/component.h"

/* Inside the devices. Records of currents that were measured with static data lack what switching
 * costs; in others half of the bits switch, and a share of the burst goes with them. */
static void add_inside(ww__builder *b, double read_j, double bits)
{
    const double tsv = b->dram->tsv_j_per_bit, group = b->dram->group_j_per_bit, share = 0.3;
    if (tsv > 0 || group > 0) {
        ww__values_at(b, WW_C_SWITCHED_DRAM_PAIRS, 0, tsv,
                      "through-silicon vias: a bit that is not as two beats before; %s",
                      b->dram->name);
        ww__values_at(b, WW_C_SWITCHED_DRAM_BURST, 0, group,
                      "bank groups: a bit that is not as in the burst before; %s", b->dram->name);
        return;
    }
    ww__values_at(b, WW_C_SWITCHED_DRAM_BURST, WW__RANDOM_TOGGLE,
                  read_j * share / (WW__RANDOM_TOGGLE * bits),
                  "%g of it over half of %g bits: data lines; estimate", share, bits);
}

/* Wires without termination cost per transition. Of terminated ones, 0.65 (GDDR5X) to 0.79 (GDDR5)
 * goes with zeros (tech.md, section 5), the rest with transitions. Energies are those of random
 * data without bus inversion, which is 4 zeros of 8; where there is inversion they are kept, and
 * 837/256 zeros on 9 wires cost as much. */
static void add_wires(ww__builder *b, double read_j, double bits)
{
    const ww_dram_type type = b->arch->mem.type;
    const double zeros = type == WW_DRAM_HBM2 || type == WW_DRAM_HBM3 ? 0 : 0.7;
    const double sent = type == WW_DRAM_GDDR3 ? 0.5 : 837.0 / 256 / 8;
    if (zeros > 0) {
        ww__values_at(b, WW_C_SWITCHED_DRAM_ZEROS, sent, read_j * zeros / (sent * bits),
                      "%g of it over %.4g of %g bits: zeros that are sent", zeros, sent, bits);
    }
    ww__values_at(b, WW_C_SWITCHED_DRAM_WIRES, WW__RANDOM_TOGGLE,
                  read_j * (1 - zeros) / (WW__RANDOM_TOGGLE * bits),
                  "%g of it over half of %g bits: transitions", 1 - zeros, bits);
}

static void add_commands(ww__builder *b)
{
    const ww_dram_device *d = b->dram;
    const ww_mem_params *mem = &b->arch->mem;
    double devices = mem->devices;
    double bits = (double)ww_arch_burst_bytes(b->arch) * 8, device_bits = ww_dram_burst_bits(d);
    double pair_j = ww_dram_activate_precharge_j(d) * devices;
    double open =
        d->tras_s / (d->tras_s + d->trp_s); /* activation's share of the pair, by duration */
    const char *text = ww__text(b, "%s, %s", d->name, d->source);
    ww__structure(b, 1, "devices", mem->channels * mem->devices, 0, 0, "IDD method: %s", text);
    ww__event(b, "activate", WW_C_DRAM_ACT, pair_j * open,
              "IDD method: tRAS share of activate-precharge, %g devices; %s", devices, text);
    ww__event(b, "precharge", WW_C_DRAM_PRE, pair_j * (1 - open),
              "IDD method: tRP share of activate-precharge, %g devices; %s", devices, text);
    ww__event(b, "read burst", WW_C_DRAM_RD, ww_dram_read_j(d) / device_bits * bits,
              "IDD method: (IDD4R - IDD3N) VDD, %g b; %s", bits, text);
    add_inside(b, ww_dram_read_j(d) / device_bits * bits, bits);
    ww__event(b, "write burst", WW_C_DRAM_WR, ww_dram_write_j(d) / device_bits * bits,
              "IDD method: (IDD4W - IDD3N) VDD, %g b; %s", bits, text);
    ww__event(b, "refresh", WW_C_DRAM_REF, ww_dram_refresh_j(d) * devices,
              "IDD method: (IDD5 - IDD2N) VDD tRFC, %g devices; %s", devices, text);
    /* One round of all banks refreshes the rows that one all-bank command does. */
    ww__event(b, "refresh of a bank", WW_C_DRAM_REF_BANK,
              ww_dram_refresh_j(d) * devices / mem->banks, "refresh, by %u banks", mem->banks);
    ww__structure(b, 1, "I/O", mem->channels * mem->devices, 0, 0, "drivers and termination");
    ww__event(b, "read burst", WW_C_DRAM_RD, ww_dram_io_read_j(d) / device_bits * bits, "%g b; %s",
              bits, text);
    add_wires(b, ww_dram_io_read_j(d) / device_bits * bits, bits);
    ww__event(b, "write burst", WW_C_DRAM_WR, ww_dram_io_write_j(d) / device_bits * bits,
              "%g b; %s", bits, text);
}

static void add_background(ww__builder *b)
{
    const ww_dram_device *d = b->dram;
    const ww_power_params *power = &b->arch->power;
    double devices = b->arch->mem.devices, board = devices * b->arch->mem.channels;
    double idle_w = ww_dram_background_w(d, WW_DRAM_PRECHARGED);
    double open_w = ww_dram_background_w(d, WW_DRAM_ACTIVE) - idle_w;
    ww__structure(b, 1, "standby", b->arch->mem.channels * b->arch->mem.devices, 0, 0,
                  "power between commands");
    if (power->gm_background_w > 0) {
        /* A published floor holds for kernels with little traffic, whose rows stay open: it already
         * contains active standby. */
        ww__standby(b, power->gm_background_w, "whole board; %s",
                    ww__config_text(b, "power.gm_background_w"));
        ww__background(b, "rows open", WW_C_DRAM_ACTIVE, WW_POWER_PER_DRAM_CYCLE, 0, b->factor,
                       "contained in power.gm_background_w");
        return;
    }
    ww__background(b, "idle", WW_C_CORE_CYCLES, WW_POWER_PER_CORE_CYCLE, idle_w * board, b->factor,
                   "IDD method: IDD2N VDD, %g devices; %s", board, d->name);
    ww__background(b, "rows open", WW_C_DRAM_ACTIVE, WW_POWER_PER_DRAM_CYCLE,
                   open_w > 0 ? open_w * devices : 0, b->factor,
                   "IDD method: (IDD3N - IDD2N) VDD, %g devices of a channel; %s", devices,
                   d->name);
}

void ww__build_gm(ww__builder *b)
{
    ww__component(b, WW_COMPONENT_GM, b->arch->power.gm_factor);
    add_commands(b);
    add_background(b);
}
