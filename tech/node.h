/* node.h - technology nodes: devices, wires and memory cells of one process at one voltage and
 * temperature. Depends on: base. Thread safety: a table is constant after loading; every function
 * is pure on const inputs. Per-width quantities are per metre of gate width; R and C of wires per
 * metre of length. */
#ifndef WW_TECH_NODE_H
#define WW_TECH_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ITRS device classes: high performance, low standby power, low operating power. */
typedef enum ww_device_flavour {
    WW_DEVICE_HP,
    WW_DEVICE_LSTP,
    WW_DEVICE_LOP,
    WW_DEVICE_FLAVOURS
} ww_device_flavour;

/* Metal layer classes. */
typedef enum ww_wire_layer {
    WW_WIRE_LOCAL,
    WW_WIRE_SEMIGLOBAL,
    WW_WIRE_GLOBAL,
    WW_WIRE_LAYERS
} ww_wire_layer;

/* Projection of interconnect materials: the ITRS optimistic and pessimistic sets (Ho, Mai, Horowitz
 * 2001). */
typedef enum ww_wire_projection {
    WW_WIRE_CONSERVATIVE,
    WW_WIRE_AGGRESSIVE,
    WW_WIRE_PROJECTIONS
} ww_wire_projection;

/* One transistor class, NMOS unless the name says otherwise. */
typedef struct ww_device {
    double vdd_v;             /* supply the device runs at */
    double vth_v;             /* saturation threshold */
    double l_phys_m;          /* physical gate length */
    double l_elec_m;          /* electrical channel length */
    double c_gate_f_per_m;    /* ideal gate capacitance */
    double c_fringe_f_per_m;  /* one side */
    double c_overlap_f_per_m; /* gate-drain overlap */
    double c_junction_f_per_m2;
    double c_sidewall_f_per_m;
    double c_oxide_f_per_m2;
    double mobility_m2_per_vs;
    double i_on_a_per_m;   /* saturation current at vdd_v */
    double i_off_a_per_m;  /* sub-threshold current at vdd_v and the node's temperature */
    double i_gate_a_per_m; /* gate leakage of a conducting transistor */
    double r_n_ohm_m;      /* effective switching resistance, NMOS */
    double r_p_ohm_m;      /* effective switching resistance, PMOS */
    double n_to_p;         /* PMOS width for equal drive over NMOS width */
    double sense_p_to_n;   /* PMOS over NMOS transconductance of a sense-amplifier latch */
    double vdsat_v;
    double long_channel_leakage; /* leakage of a long-channel device over the nominal one, 0..1 */
} ww_device;

/* One metal layer at minimum pitch. */
typedef struct ww_wire {
    double pitch_m;
    double r_ohm_per_m;
    double c_f_per_m;
    double aspect;      /* thickness over width */
    double width_m;     /* half the pitch */
    double thickness_m; /* aspect * width */
    double barrier_m;   /* diffusion barrier on each side */
    double dishing_m;   /* loss of height in polishing */
    double resistivity_ohm_m;
    double scatter;          /* multiplier for surface scattering */
    double miller;           /* coupling factor of simultaneous switching */
    double ild_m;            /* dielectric thickness to the next layer */
    double eps_horizontal;   /* relative permittivity between neighbours */
    double eps_vertical;     /* relative permittivity between layers */
    double c_fringe_f_per_m; /* fringe capacitance */
} ww_wire;

/* One storage cell with a single port. */
typedef struct ww_cell {
    double height_m;
    double width_m;
    double access_w_m; /* access transistor width */
    double nmos_w_m;   /* pull-down width */
    double pmos_w_m;   /* pull-up width */
} ww_cell;

/* A technology node evaluated at one voltage and temperature: what every model of this folder
 * takes. */
typedef struct ww_node {
    double feature_m;  /* the node's name: 7e-9 */
    double geometry_m; /* F of layout rules; below 22 nm larger than the name, see
                          docs/models/tech.md */
    double temp_k;
    double vdd_v;         /* supply of the periphery */
    double vdd_nominal_v; /* of the periphery's flavour */
    ww_device_flavour flavour;
    ww_device peri; /* logic and array periphery */
    ww_device cell; /* transistors of the memory cells */
    ww_cell sram;
    ww_cell cam;
    ww_wire wire[WW_WIRE_LAYERS];
    double v_sense_v;      /* bitline swing the sense amplifier needs */
    double v_precharge_v;  /* bitline precharge level */
    double gm_sense_s;     /* transconductance of the sense-amplifier latch */
    double sense_delay_s;  /* low-swing receiver */
    double sense_energy_j; /* low-swing receiver */
    double fo4_s;          /* delay of an inverter that drives four of its kind */
    double k_inv_s;        /* 0.69 R C of a minimum inverter driving one of its kind */
    double min_w_m;        /* minimum NMOS width */
    double logic_area;     /* synthesised-logic area over that at 90 nm */
    double tx_per_m2;      /* transistor density of synthesised logic */
    double short_circuit;  /* multiplier on dynamic energy for short-circuit current */
    double r_nominal;      /* on-resistance at the nominal supply over that at vdd_v: layout is
                              sized once, not for every supply it runs at */
} ww_node;

typedef struct ww_node_table ww_node_table; /* one node's records, from XML */

/** Nodes that configs/tech describes, in metres, descending; count into *n. */
const double *ww_node_features(size_t *n);

/**
 * Loads the records of one node.
 * @param dir        folder of the technology files (configs/tech)
 * @param feature_m  90e-9 ... 5e-9; one of ww_node_features
 * @error ENOTFOUND (no such node; names the neighbours), EIO, EPARSE, ESCHEMA (file, line)
 */
WW_NODISCARD ww_status ww_node_load(const char *dir, double feature_m, ww_node_table **out,
                                    ww_error *err);
/** Releases a table; NULL allowed. */
void ww_node_destroy(ww_node_table *table);

/** Feature size of a loaded table [m]. */
double ww_node_feature(const ww_node_table *table);
/** Where the numbers come from: "table", "interpolated 45/32", "scaled from 22"; and the cited
 * source. */
const char *ww_node_basis(const ww_node_table *table);
const char *ww_node_source(const ww_node_table *table);

/**
 * Evaluates a node at one operating point.
 * @param flavour  device class of cells and periphery
 * @param vdd_v    supply; 0: the flavour's nominal. Drive follows the alpha-power law (Sakurai &
 * Newton 1990), sub-threshold leakage drain-induced barrier lowering, gate leakage the square of
 * the voltage.
 * @param temp_k   junction temperature, 300..400; leakage is interpolated in its logarithm between
 * the table's points
 * @error ERANGE (temperature, or a voltage outside threshold+0.1 V .. 1.5 x nominal)
 */
WW_NODISCARD ww_status ww_node_at(const ww_node_table *table, ww_device_flavour flavour,
                                  double vdd_v, double temp_k, ww_node *out, ww_error *err);
/** Leakage power of a circuit at another supply over that at the node's own: sub-threshold current
 * by drain-induced barrier lowering, gate current by the square of the voltage, times the voltage.
 */
double ww_node_leakage_over(const ww_node *node, double vdd_v);
/** The same of a circuit at another temperature: warm is the node at that one, at the same supply.
 */
double ww_node_leakage_warm(const ww_node *node, const ww_node *warm);

/* An operating point in full. */
typedef struct ww_node_point {
    ww_device_flavour cell; /* device class of the memory cells */
    ww_device_flavour peri; /* device class of everything else */
    ww_wire_projection projection;
    bool as_published; /* keep the misprints of the published leakage tables, as CACTI does */
    double vdd_v;      /* 0: nominal; applied to cells and periphery in proportion to their nominal
                          supplies */
    double temp_k;
} ww_node_point;

/** As ww_node_at, everything chosen. */
WW_NODISCARD ww_status ww_node_at_point(const ww_node_table *table, const ww_node_point *point,
                                        ww_node *out, ww_error *err);

/** "hp", "lstp", "lop". */
const char *ww_device_flavour_name(ww_device_flavour flavour);
/** "local", "semiglobal", "global". */
const char *ww_wire_layer_name(ww_wire_layer layer);

#ifdef __cplusplus
}
#endif
#endif
