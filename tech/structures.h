/* structures.h - the tables and units that published mechanisms add to an SM, as named array
 * specifications with the figures that their papers print. Depends on: tech/array.h, tech/fu.h.
 * Thread safety: a list is constant after loading. */
#ifndef WW_TECH_STRUCTURES_H
#define WW_TECH_STRUCTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tech/array.h"
#include "tech/fu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One structure of configs/tech/structures.xml; strings belong to the list. */
typedef struct ww_structure {
    const char *name;   /* "dac-atq" */
    const char *group;  /* "dac": structures whose sum a paper prints */
    const char *what;   /* what it holds */
    const char *source; /* paper, section */
    bool is_unit;       /* a functional unit, not an array */
    ww_fu_op op;        /* is_unit: what it computes */
    ww_array_spec spec; /* one copy */
    uint32_t entries;
    uint32_t entry_bits; /* tag included */
    uint32_t match_bits; /* > 0: a read compares so many bits of every entry */
    uint32_t copies;     /* per SM; an access goes to one of them */
    double feature_m;    /* what the paper's estimate is for */
    double temp_k;
    ww_device_flavour device;
} ww_structure;

/* What one structure costs. */
typedef struct ww_structure_cost {
    double read_j, write_j; /* one access to one copy; a unit: one operation */
    double idle_j;          /* per clock cycle, all copies */
    double leak_w, area_m2; /* all copies */
    double access_s;        /* 0 for a unit */
    double bytes;           /* all copies; 0 for a unit */
} ww_structure_cost;

/* X(id, name, SI unit): what a paper prints of a structure. */
#define WW_FIGURE_QUANTITIES(X)                                                                    \
    X(WW_FIGURE_READ, "read", "J")                                                                 \
    X(WW_FIGURE_WRITE, "write", "J")                                                               \
    X(WW_FIGURE_ACCESS, "access", "J") /* mean of a read and a write */                            \
    X(WW_FIGURE_LEAKAGE, "leakage", "W")                                                           \
    X(WW_FIGURE_AREA, "area", "m^2")                                                               \
    X(WW_FIGURE_STORAGE, "storage", "B")

typedef enum ww_figure_quantity {
#define X(id, name, unit) id,
    WW_FIGURE_QUANTITIES(X)
#undef X
        WW_FIGURE_QUANTITY_COUNT
} ww_figure_quantity;

/* A number printed in a paper. */
typedef struct ww_figure {
    const char *of; /* a structure, or a group: the sum over its structures */
    ww_figure_quantity quantity;
    double value;      /* SI */
    bool at_most;      /* the paper gives a bound */
    uint32_t accesses; /* that an energy is the sum of */
    const char *source;
    const char *assumption; /* why ours differs, or under which reading it agrees */
} ww_figure;

typedef struct ww_structures ww_structures;

/** Loads configs/tech/structures.xml from the folder. ENOTFOUND, EIO, EPARSE, ESCHEMA. */
WW_NODISCARD ww_status ww_structures_load(const char *dir, ww_structures **out, ww_error *err);
/** Releases a list; NULL allowed. */
void ww_structures_destroy(ww_structures *list);

size_t ww_structures_count(const ww_structures *list);
/** NULL beyond the last. */
const ww_structure *ww_structures_at(const ww_structures *list, size_t index);
/** By name; ENOTFOUND with a suggestion. */
WW_NODISCARD ww_status ww_structures_find(const ww_structures *list, const char *name,
                                          const ww_structure **out, ww_error *err);

/** The same table with so many entries of so many bits, tag included (at least a bit of data): its
 * kind, ports and wires stay. For an array. */
void ww_structure_resize(ww_structure *s, uint32_t entries, uint32_t entry_bits);

/** Cost at a node of the caller's choice; an array of less than 64 bits costs as one of 64. fu may
 * be NULL unless s->is_unit. */
WW_NODISCARD ww_status ww_structure_cost_at(const ww_structure *s, const ww_node *node,
                                            const ww_fu_table *fu, ww_structure_cost *out,
                                            ww_error *err);
/** Cost at the structure's own node, found in dir (configs/tech). */
WW_NODISCARD ww_status ww_structure_cost_own(const ww_structure *s, const char *dir,
                                             ww_structure_cost *out, ww_error *err);

size_t ww_structures_figures(const ww_structures *list);
/** NULL beyond the last. */
const ww_figure *ww_structures_figure(const ww_structures *list, size_t index);
/** Our value of a figure [SI], every structure at its own node. */
WW_NODISCARD ww_status ww_structures_ours(const ww_structures *list, const ww_figure *figure,
                                          const char *dir, double *out, ww_error *err);

const char *ww_figure_quantity_name(ww_figure_quantity quantity);
/** "J", "W", "m^2", "B". */
const char *ww_figure_quantity_unit(ww_figure_quantity quantity);

#ifdef __cplusplus
}
#endif
#endif
