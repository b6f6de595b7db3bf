/* node_table.h - what one technology file holds, as read; private to tech/. */
#ifndef WW_TECH_NODE_TABLE_H
#define WW_TECH_NODE_TABLE_H

#include "tech/node.h"

enum { WW_NODE_MAX_TEMPS = 16 };

/* Leakage of one device class over temperature. */
typedef struct ww_leakage_curve {
    int count;
    double temp_k[WW_NODE_MAX_TEMPS]; /* ascending */
    double i_off[WW_NODE_MAX_TEMPS];
    double i_off_published[WW_NODE_MAX_TEMPS]; /* as printed, where a misprint was corrected */
    double i_gate[WW_NODE_MAX_TEMPS];
} ww_leakage_curve;

/* Cell geometry in units of F. */
typedef struct ww_cell_record {
    double area_f2;
    double aspect;
    double access_f, nmos_f, pmos_f;
} ww_cell_record;

struct ww_node_table {
    double feature_m;
    double geometry_m;
    char basis[32];
    char source[512];
    ww_device device[WW_DEVICE_FLAVOURS]; /* at nominal supply; leakage currents unset */
    ww_leakage_curve leakage[WW_DEVICE_FLAVOURS];
    ww_cell_record sram, cam;
    ww_wire wire[WW_WIRE_PROJECTIONS][WW_WIRE_LAYERS];
    double logic_area, tx_per_m2, short_circuit, sense_delay_s, sense_energy_j;
};

#endif
