/* organise.h - one array (data or tags) cut one way: banks of mats with their H-trees. Private to
 * tech/. */
#ifndef WW_TECH_ORGANISE_H
#define WW_TECH_ORGANISE_H

#include "tech/mat.h"

/* One physical array that is to be cut. */
typedef struct ww_org_site {
    ww_mat_site mat;
    double bank_bits;  /* data or tag bits of a bank, check bits not counted */
    double set_bits;   /* bits of one set in a row: line x ways, or tag x ways */
    double sets;       /* of a bank */
    uint32_t out_bits; /* delivered per access */
    uint32_t ways;     /* that share a data row and are selected late; 1: none */
    uint32_t tag_ways; /* tag array: ways compared; 0: data array */
    uint32_t tag_bits;
    uint32_t banks;
    bool fast; /* all ways leave the array */
    bool ecc;
    uint32_t min_rows;
    uint32_t min_cut; /* least Ndwl and Ndbl */
    double slack_wire;
} ww_org_site;

/* An array cut one way. */
typedef struct ww_org {
    ww_array_part part;
    double before_output; /* address to sense amplifier or multiplexer */
    double way_ready;     /* address to way multiplexer */
    double after_output;  /* sense amplifier to the array's edge */
} ww_org;

/* Why a cut is impossible. */
typedef enum ww_org_fault {
    WW_ORG_OK,
    WW_ORG_FEW_ROWS,
    WW_ORG_FEW_COLUMNS,
    WW_ORG_NARROW_MAT, /* a mat delivers fewer bits than it has sub-arrays, or less than a tag */
    WW_ORG_TOO_WIDE,   /* a mat delivers more than is asked */
    WW_ORG_MATS,       /* more active mats than a row of mats has */
    WW_ORG_WAYS,       /* fewer multiplexed columns than ways */
    WW_ORG_FAULTS
} ww_org_fault;

/** Cuts, or says why not. columns: of this partition's mats when already known, or NULL. */
ww_org_fault ww__organise(const ww_org_site *site, const ww_array_partition *p,
                          const ww_mat_columns *columns, ww_org *out);
/** Rows and columns of a sub-array with check bits, and sub-arrays per mat and per row of a mat;
 * rest of the cut unset. */
ww_org_fault ww__subarray(const ww_org_site *site, const ww_array_partition *p, ww_mat_cut *cut);

/** Bits that the active mats deliver together. */
double ww__org_wanted(const ww_org_site *site);
/**
 * Columns of a sub-array, check bits not counted. Where the degree of multiplexing would leave a
 * fraction of a bit per mat, columns are added: an odd word is built like the next even one.
 * @param active  mats that deliver the word; 0: the ratio is no whole number, nothing is added
 */
uint32_t ww__org_padded(const ww_org_site *site, const ww_array_partition *p, uint32_t per_mat,
                        double degree, uint32_t *active);
/** Levels of the tree between banks: returns horizontal ones. tall: a bank is higher than wide. */
int ww__split_banks(uint32_t banks, bool tall, int *vertical);
/** Bits with one check bit per eight, where the array has them. */
uint32_t ww__org_with_ecc(const ww_org_site *site, uint32_t bits);

/** The part of the check that needs no circuit: rows, columns, active mats. */
ww_org_fault ww__cut(const ww_org_site *site, const ww_array_partition *p, ww_mat_cut *cut,
                     uint32_t *active_mats);

/** Folds the part's terms into its totals: read_j, write_j, leak_w, leak_gate_w. */
void ww__part_totals(ww_array_part *part);

#endif
