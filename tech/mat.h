/* mat.h - one mat: up to two by two sub-arrays around a predecoder, with their bitlines, sense
 * amplifiers and output drivers. Private to tech/. */
#ifndef WW_TECH_MAT_H
#define WW_TECH_MAT_H

#include <stdbool.h>
#include <stdint.h>

#include "tech/array.h"
#include "tech/decode.h"
#include "tech/mat_memo.h"

/* Transistor widths in minimum PMOS widths (CACTI 5.1, HPL-2008-20, table of peripheral circuits).
 */
#define WW__PRECHARGE_MIN 6.0 /* a precharge transistor */
#define WW__EQUALIZE_MIN  1.0
/* A decoder's cells are four memory cells high. */
#define WW__DECODER_PITCH 4

/* What all mats of one search share. */
typedef struct ww_mat_site {
    const ww_node *n;
    ww_layout l;
    ww_repeated wire;     /* H-trees */
    ww_repeated out_wire; /* from sense amplifiers to the mat's edge */
    ww_wire_layer outside;
    const ww_tool_faults *faults;
    double rw, rd, wr, se; /* ports */
    double cell_h, cell_w; /* storage cell with its ports */
    double beside_w;       /* extra width of a sub-array: match logic of a CAM */
    bool tag;
    double tag_bits; /* compared per way */
    double ways;     /* comparators per access of a tag array */
} ww_mat_site;

/* One way to cut a mat. */
typedef struct ww_mat_cut {
    uint32_t rows, cols;       /* of a sub-array */
    uint32_t dummy_rows;       /* of these: rows that no decoder selects (timing row of a CAM) */
    uint32_t search_bits;      /* search wires routed over the mat per search port; 0: no CAM */
    uint32_t per_mat, per_row; /* sub-arrays */
    uint32_t ndcm, nsam1, nsam2;
    uint32_t nsam1_free; /* part of nsam1 that the address, not the way, selects */
    uint32_t way_select; /* way-select wires; 0: none */
    uint32_t bits_out, bits_in;
    uint32_t address_bits;
} ww_mat_cut;

/* Times inside a mat. */
typedef struct ww_mat_time {
    double predecode, row; /* address to NAND input, NAND input to wordline */
    double bitline, sense;
    double column, mux1, mux2; /* address to multiplexer gates */
    double output;             /* sense amplifier to the mat's edge */
    double wordline_reset, restore;
    double compare;
    double column_predecode, mux1_predecode, mux2_predecode;
} ww_mat_time;

typedef struct ww_mat {
    double height, width; /* of the mat */
    double sub_h, sub_w;
    ww_mat_time t;
    ww_array_terms read;  /* per access, one mat; H-tree members 0 */
    double write_bitline; /* bitlines of the written columns */
    double half_selected; /* bitlines that the write's wordline opens but does not write */
    ww_array_terms leak_sub, leak_gate; /* one mat */
} ww_mat;

/** Cell of a storage array with ports: every further port adds two wordline or bitline tracks. */
void ww__cell_with_ports(const ww_node *n, const ww_cell *cell, double rw, double rd, double wr,
                         double *height, double *width);

/* A mat is worked out in three steps, so that a search can share the first two and stop after
 * either. */

/* Step 1: rows, precharge, cells; independent of multiplexing. */
typedef struct ww_mat_rows {
    ww_mat mat;         /* so far */
    double row_ramp;    /* of the wordline */
    double center_area; /* predecoder */
    double decoders_w;  /* row decoders beside a sub-array */
    double bitline_f;   /* cells and wire of a bitline */
    double r_bitline;
    ww_mat_memo *memo; /* that it was worked out with; NULL: none */
} ww_mat_rows;

/* Step 2: bitlines, bitline multiplexers, sense amplifiers. */
typedef struct ww_mat_columns {
    ww_mat mat; /* so far */
    double center_area;
    double decoders_w;
    double written_f;   /* capacitance a write swings, per bitline */
    double sense_mux_f; /* drain of a first-level multiplexer transistor */
    ww_mat_memo *memo;  /* as above */
} ww_mat_columns;

/** Load [F] and resistance [ohm] of a wordline over that many columns. */
double ww__wordline_f(const ww_mat_site *site, uint32_t cols);
double ww__wordline_ohm(const ww_mat_site *site, uint32_t cols);
/** What the number of columns decides alone; memo: of this site, or NULL. */
ww_column_drive ww__column_drive(const ww_mat_site *site, ww_mat_memo *memo, uint32_t cols);
/** Step 1; of cut only rows, cols, per_mat and per_row are read. memo: of this site, or NULL. */
void ww__mat_rows(const ww_mat_site *site, const ww_mat_cut *cut, ww_mat_memo *memo,
                  ww_mat_rows *out);
/** Step 2; of cut also ndcm is read. */
void ww__mat_columns(const ww_mat_site *site, const ww_mat_cut *cut, const ww_mat_rows *rows,
                     ww_mat_columns *out);
/** Step 3: output multiplexers and drivers, comparators, size. */
void ww__mat_finish(const ww_mat_site *site, const ww_mat_cut *cut, const ww_mat_columns *columns,
                    ww_mat *out);
/** All three steps. */
void ww__mat(const ww_mat_site *site, const ww_mat_cut *cut, ww_mat *out);
/** Height that precharge and sense amplifiers add to a sub-array at least, however columns are
 * multiplexed. */
double ww__foot_bound(const ww_mat_site *site);
/** Time constants in which bitlines swing as far as is sensed. */
double ww__swing_constants(const ww_node *n);
/** Least bitline delay and energy per column that any multiplexing of these rows can have.
 * constants: of the swing. */
void ww__bitline_bound(const ww_mat_site *site, double rows, double constants, double *delay_s,
                       double *column_j);

#endif
