/* dram.h - energy of a DRAM device from its supply currents, one function per command (the IDD
 * method). The method follows Micron TN-41-01 (calculating DDR3 power) and Vogelsang, MICRO-43
 * 2010: each command costs the current above the standby current of its duration, times the supply.
 * All functions concern one device (chip or pseudo-channel) and are pure. Records with sources:
 * configs/tech/dram.xml. Depends on: base. */
#ifndef WW_TECH_DRAM_H
#define WW_TECH_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How far a record can be trusted. */
typedef enum ww_dram_quality {
    WW_DRAM_MEASURED,    /* currents measured on silicon */
    WW_DRAM_DATASHEET,   /* vendor's data-sheet maxima, as other simulators transcribe them */
    WW_DRAM_EXTRAPOLATED /* scaled from another device; the record says how */
} ww_dram_quality;

/* One DRAM device. Currents in ampere, times in seconds. */
typedef struct ww_dram_device {
    char name[64];
    char protocol[16];
    char source[256];
    ww_dram_quality quality;
    uint32_t width_bits;   /* data pins */
    uint32_t burst_length; /* transfers per pin and command */
    uint32_t banks;
    uint32_t row_bytes;   /* page of this device */
    double clock_s;       /* command clock period */
    double data_rate_hz;  /* transfers per second and pin */
    double vdd_v;         /* core supply */
    double vpp_v, ipp0_a; /* pumped wordline supply; 0: none */
    double idd0_a;        /* one bank, activate-precharge at tRC */
    double idd2p_a;       /* precharge power-down */
    double idd2n_a;       /* precharge standby */
    double idd3p_a;       /* active power-down */
    double idd3n_a;       /* active standby */
    double idd4r_a;       /* continuous reads */
    double idd4w_a;       /* continuous writes */
    double idd5_a;        /* during an all-bank refresh */
    double idd6_a;        /* self refresh */
    double tras_s, trp_s, trfc_s, trefi_s;
    double vddq_v;             /* I/O supply */
    double io_read_j_per_bit;  /* output driver and termination at the reader, random data */
    double io_write_j_per_bit; /* driver at the controller and on-die termination, random data */
    double tsv_j_per_bit;      /* of a bit that differs from the one two beats before */
    double group_j_per_bit;    /* of a bit that differs from its place in the burst before: both are
                                  added to currents of static data; 0: those are of changing data */
    double vdd_scale;          /* currents are for vdd_v; 1 unless evaluated elsewhere */
} ww_dram_device;

/** Devices described in dir/dram.xml. */
typedef struct ww_dram_table ww_dram_table;
WW_NODISCARD ww_status ww_dram_load(const char *dir, ww_dram_table **out, ww_error *err);
void ww_dram_destroy(ww_dram_table *table);
size_t ww_dram_count(const ww_dram_table *table);
const ww_dram_device *ww_dram_at(const ww_dram_table *table, size_t index);
/** ENOTFOUND names the known devices. */
WW_NODISCARD ww_status ww_dram_find(const ww_dram_table *table, const char *name,
                                    const ww_dram_device **out, ww_error *err);

/* What the device is doing between commands. */
typedef enum ww_dram_state {
    WW_DRAM_PRECHARGED, /* all banks closed, clock running */
    WW_DRAM_ACTIVE,     /* a bank open */
    WW_DRAM_PRECHARGED_POWER_DOWN,
    WW_DRAM_ACTIVE_POWER_DOWN,
    WW_DRAM_SELF_REFRESH
} ww_dram_state;

/** Opening a row and closing it again: (IDD0 tRC - IDD3N tRAS - IDD2N tRP) VDD + IPP0 tRC VPP. */
double ww_dram_activate_precharge_j(const ww_dram_device *device);
/** One read burst inside the device: (IDD4R - IDD3N) VDD t_burst; I/O comes on top. */
double ww_dram_read_j(const ww_dram_device *device);
/** One write burst inside the device: (IDD4W - IDD3N) VDD t_burst; I/O comes on top. */
double ww_dram_write_j(const ww_dram_device *device);
/** One all-bank refresh command: (IDD5 - IDD2N) VDD tRFC. */
double ww_dram_refresh_j(const ww_dram_device *device);
/** Mean power of refreshing every tREFI; 0 where the device refreshes itself or tREFI is unknown.
 */
double ww_dram_refresh_w(const ww_dram_device *device);
/** Power between commands: IDD2N, IDD3N, IDD2P, IDD3P or IDD6 times VDD. */
double ww_dram_background_w(const ww_dram_device *device, ww_dram_state state);
/** Drivers and termination of one read burst. */
double ww_dram_io_read_j(const ww_dram_device *device);
/** Drivers and termination of one write burst. */
double ww_dram_io_write_j(const ww_dram_device *device);
/** Duration of a burst on the data bus. */
double ww_dram_burst_s(const ww_dram_device *device);
/** Bits one burst moves. */
double ww_dram_burst_bits(const ww_dram_device *device);

/** Energy per I/O bit of a terminated point-to-point link with random data: the driver's and the
 * termination's static current for half of the bits of a pseudo-open-drain link, and the line's
 * switching (a quarter of the bits charge it). r_driver_ohm, r_term_ohm 0: unterminated. */
double ww_dram_link_j_per_bit(double vddq_v, double r_driver_ohm, double r_term_ohm, double c_f,
                              double bit_s);

#ifdef __cplusplus
}
#endif
#endif
