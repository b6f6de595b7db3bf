/* htree.h - the tree of repeated wires that carries addresses and data between a bank's edge and
 * its mats, or between banks. Private to tech/. After CACTI 6.0, HPL-2009-85, s. 3.2, with gated
 * nodes. */
#ifndef WW_TECH_HTREE_H
#define WW_TECH_HTREE_H

#include <stdbool.h>

#include "tech/circuit.h"

typedef enum ww_tree_kind {
    WW_TREE_IN, /* fan-out: a NAND at each node forwards to the active half only */
    WW_TREE_OUT /* fan-in: a tri-state buffer at each node */
} ww_tree_kind;

/* Leaves of a tree and the wires they share. */
typedef struct ww_tree_shape {
    double leaf_w, leaf_h; /* mat or bank */
    int cols_log2, rows_log2;
    double fanned_bits; /* address and search wires: split at every fork */
    double data_bits;
    bool between_banks; /* plain repeated wires without node gates */
    bool broadcast;     /* every branch carries every transfer (search) */
} ww_tree_shape;

/* Bounding box of leaves and wires. */
void ww__tree_box(const ww_node *n, const ww_tree_shape *shape, double pitch, double *height,
                  double *width);

/* One wire of the tree, root to leaf. */
typedef struct ww_tree_cost {
    double delay_s;
    double energy_j; /* one bit along one path; broadcast: along all paths */
    ww_leak leak;    /* all branches of one bit */
} ww_tree_cost;

ww_tree_cost ww__tree_cost(const ww_node *n, const ww_layout *l, const ww_repeated *wire,
                           const ww_tree_shape *shape, ww_tree_kind kind, double height,
                           double width);
/** The same without the leakage of its nodes, which takes most of the time. */
ww_tree_cost ww__tree_path(const ww_node *n, const ww_layout *l, const ww_repeated *wire,
                           const ww_tree_shape *shape, ww_tree_kind kind, double height,
                           double width);

#endif
