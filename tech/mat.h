/* mat.h - one mat: up to two by two sub-arrays around a predecoder, with their bitlines, sense amplifiers and output drivers.
 * Private to tech/. */
#ifndef WW_TECH_MAT_H
#define WW_TECH_MAT_H

#include <stdbool.h>
#include <stdint.h>

#include "tech/array.h"
#include "tech/decode.h"

/* What all mats of one search share. */
typedef struct ww_mat_site {
    const ww_node *n;
    ww_layout l;
    ww_repeated wire;     /* H-trees */
    ww_repeated out_wire; /* from sense amplifiers to the mat's edge */
    ww_wire_layer outside;
    ww_array_style style;
    double rw, rd, wr, se; /* ports */
    double cell_h, cell_w; /* storage cell with its ports */
    double beside_w;       /* extra width of a sub-array: match logic of a CAM */
    bool tag;
    double tag_bits;       /* compared per way */
    double ways;           /* comparators per access of a tag array */
} ww_mat_site;

/* One way to cut a mat. */
typedef struct ww_mat_cut {
    uint32_t rows, cols;   /* of a sub-array */
    uint32_t per_mat, per_row; /* sub-arrays */
    uint32_t ndcm, nsam1, nsam2;
    uint32_t nsam1_free;   /* part of nsam1 that the address, not the way, selects */
    uint32_t way_select;   /* way-select wires; 0: none */
    uint32_t bits_out, bits_in;
    uint32_t address_bits;
} ww_mat_cut;

/* Times inside a mat. */
typedef struct ww_mat_time {
    double predecode, row; /* address to NAND input, NAND input to wordline */
    double bitline, sense;
    double column, mux1, mux2; /* address to multiplexer gates */
    double output;         /* sense amplifier to the mat's edge */
    double wordline_reset, restore;
    double compare;
    double column_predecode, mux1_predecode, mux2_predecode;
} ww_mat_time;

typedef struct ww_mat {
    double height, width;         /* of the mat */
    double sub_h, sub_w;
    ww_mat_time t;
    ww_array_terms read;          /* per access, one mat; H-tree members 0 */
    double write_bitline;         /* bitlines of the written columns */
    double half_selected;         /* bitlines that the write's wordline opens but does not write */
    ww_array_terms leak_sub, leak_gate; /* one mat */
} ww_mat;

/** Cell of a storage array with ports: every further port adds two wordline or bitline tracks. */
void ww__cell_with_ports(const ww_node *n, const ww_cell *cell, double rw, double rd, double wr,
                         double *height, double *width);

/** Cost of one mat. */
void ww__mat(const ww_mat_site *site, const ww_mat_cut *cut, ww_mat *out);

#endif
