/* array.h - what one memory array costs: energy, delay, leakage and area of SRAM, register-file
 * bank, CAM, cache and flip-flop or latch table, with the partition that serves the objective best.
 * Depends on: tech/node.h. Thread safety: pure on const inputs, no allocation, deterministic.
 *
 * tech/ is silicon without a GPU: processes (node.h), gates and wires (circuit.h), arrays from
 * decoder to sense amplifier (here), arithmetic and flip-flops (logic.h, fu.h), DRAM's energy per
 * command (dram.h). SI units; tables with sources in configs/tech. It knows no component. */
#ifndef WW_TECH_ARRAY_H
#define WW_TECH_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "tech/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_array_kind {
    WW_ARRAY_RAM,      /* SRAM or register file, one word per access */
    WW_ARRAY_CAM,      /* content-addressable: a search compares every word */
    WW_ARRAY_ASSOC,    /* fully associative: CAM tags that select a data row */
    WW_ARRAY_CACHE,    /* set-associative: tag and data arrays */
    WW_ARRAY_FLIPFLOP, /* table of flip-flops with read multiplexers */
    WW_ARRAY_LATCH,    /* table of latches with read multiplexers */
    WW_ARRAY_AUTO,     /* flip-flops below 16 words, else RAM or flip-flops, whichever is cheaper */
    WW_ARRAY_KINDS
} ww_array_kind;

/* How a cache uses tags and data. */
typedef enum ww_array_access {
    WW_ACCESS_NORMAL,     /* all ways are read, the tag match selects the way before the output */
    WW_ACCESS_SEQUENTIAL, /* tags first, then the one way that hit */
    WW_ACCESS_FAST        /* all ways are driven out, selection outside */
} ww_array_access;

/* Whose accounting is followed; docs/models/tech.md lists the differences. */
typedef enum ww_array_style {
    WW_STYLE_WARPWATT, /* the physics, faults of the tools not repeated */
    WW_STYLE_CACTI7,   /* CACTI 7.0 as it computes, faults included */
    WW_STYLE_CACTIP    /* CACTI-P 6.5 (in McPAT 1.3) as it computes */
} ww_array_style;
/** Whether a style's nodes keep the misprints of the published leakage tables (as_published of a
 * ww_node_point; D3 in tests/validation/DEVIATIONS.md). */
bool ww_array_style_as_published(ww_array_style style);

/* Repeated wires of the H-trees. */
typedef enum ww_array_wire {
    WW_WIRES_30, /* repeaters that save energy for at most 30 % more delay (default) */
    WW_WIRES_20,
    WW_WIRES_10,
    WW_WIRES_5,
    WW_WIRES_FAST /* delay-optimal repeaters */
} ww_array_wire;

/* What the partition search minimises. */
typedef enum ww_array_goal {
    WW_GOAL_ED2,     /* energy x delay^2 (default) */
    WW_GOAL_ED,      /* energy x delay */
    WW_GOAL_WEIGHTED /* weighted sum of delay, energy, leakage, cycle time and area, each over its
                        minimum */
} ww_array_goal;

typedef struct ww_array_objective {
    ww_array_goal goal;
    double delay, energy, leakage, cycle, area; /* weights of WW_GOAL_WEIGHTED */
    bool exhaustive; /* works every partition out, where the search skips what its bounds exclude;
                        the answer is the same, and takes a hundred times as long */
} ww_array_objective;

/* How an array is cut: sub-arrays along the wordline (ndwl) and bitline (ndbl), sets per row (nspd,
 * may be a fraction), bitline multiplexing (ndcm) and the two levels behind the sense amplifiers
 * (nsam1, nsam2). All zero: search. */
typedef struct ww_array_partition {
    uint32_t ndwl, ndbl, ndcm, nsam1, nsam2;
    double nspd;
} ww_array_partition;

/* What is wanted. Zero means the default named; start from {0} or ww_array_ram(). */
typedef struct ww_array_spec {
    ww_array_kind kind;
    uint64_t bits;      /* data bits over all banks; 64 (8 B) .. 2^26 (8 MiB); tags come on top */
    uint32_t word_bits; /* bits delivered per access (RAM, flip-flops); for a cache 0: the line */
    uint32_t line_bits; /* cache line */
    uint32_t ways;      /* cache associativity, any number >= 1 */
    uint32_t tag_bits;  /* cache or ASSOC tag; 0: from a 42-bit address, 5 status bits. CAM: the key
                           is word_bits wide */
    uint32_t banks;     /* independently addressed copies joined by an H-tree; 0: 1 */
    uint32_t rw_ports;  /* shared read/write ports; all port counts 0: one rw port */
    uint32_t read_ports;   /* read-only ports */
    uint32_t write_ports;  /* write-only ports */
    uint32_t search_ports; /* CAM, ASSOC; 0: 1 */
    ww_array_access access;
    ww_array_objective objective;
    ww_array_style style;
    ww_array_wire wire;
    ww_wire_layer outside_layer;    /* H-tree metal; WW_WIRE_LOCAL (0) means semi-global */
    bool ecc;                       /* one check bit per eight data bits */
    ww_array_partition data_forced; /* fixed partition of the data array, all zero: search */
    ww_array_partition tag_forced;
} ww_array_spec;

/* Where the joules, watts or seconds of an access go; the members add up to the total beside them.
 */
typedef struct ww_array_terms {
    double htree_in; /* address (and data) distribution: between and inside banks */
    double decoder;  /* predecoders and row decoders */
    double wordline;
    double mux; /* decoders and drivers of the column multiplexers */
    double precharge;
    double bitline;
    double sense_amp;
    double output;    /* multiplexers, output drivers, wire inside the mat */
    double compare;   /* tag comparators, match lines and search lines */
    double cells;     /* storage cells (leakage), clocked state (flip-flops) */
    double htree_out; /* data on its way out (read) or in (write) */
} ww_array_terms;

/* One physical array (data or tag). */
typedef struct ww_array_part {
    ww_array_partition partition;
    uint32_t rows, cols;        /* of a sub-array */
    uint32_t mats, active_mats; /* of a bank */
    uint32_t subarrays_per_mat;
    double read_j, write_j, search_j;
    double leak_w;         /* all banks; each wire once */
    double leak_gate_w;    /* gate part of it */
    double leak_between_w; /* of leak_w: the tree between banks */
    double area_m2, height_m, width_m;
    double access_s, cycle_s, search_s;
    double cell_area_share; /* area of the storage cells over area_m2 */
    ww_array_terms read, write, search, leak;
    ww_array_terms time; /* critical path of a read, and the tag comparison behind it; a fully
                            associative array's is its search */
    ww_array_terms search_time; /* critical path of a search */
} ww_array_part;

typedef struct ww_array_result {
    double read_j;   /* one read of one word (cache: tags of a set and the line of the hit) */
    double write_j;  /* one write of one word */
    double search_j; /* one search (CAM, ASSOC); 0 for others */
    double idle_j;   /* per clock cycle without access (clock pins of flip-flops); 0 for SRAM */
    double leak_w;   /* leak_sub_w + leak_gate_w, all banks */
    double leak_sub_w, leak_gate_w;
    double leak_between_w;             /* of leak_w: the tree between banks */
    double area_m2, height_m, width_m; /* bounding box, all banks */
    double access_s, cycle_s;
    double search_s;    /* one search, data of the hit included (ASSOC); 0 for others */
    ww_array_kind kind; /* the kind built (AUTO decides) */
    bool has_tag;
    ww_array_part data, tag;
    ww_array_terms read, write, search,
        leak; /* data + tag; sum to read_j, write_j, search_j, leak_w */
} ww_array_result;

/** A RAM spec with one read/write port. */
static inline ww_array_spec ww_array_ram(uint64_t bytes, uint32_t word_bits)
{
    return (ww_array_spec){
        .kind = WW_ARRAY_RAM, .bits = bytes * 8, .word_bits = word_bits, .rw_ports = 1};
}

/** A table of entries x entry_bits with separate read and write ports, in the cheaper of RAM and
 * flip-flops. */
static inline ww_array_spec ww_array_table(uint32_t entries, uint32_t entry_bits,
                                           uint32_t read_ports, uint32_t write_ports)
{
    return (ww_array_spec){.kind = WW_ARRAY_AUTO,
                           .bits = (uint64_t)entries * entry_bits,
                           .word_bits = entry_bits,
                           .read_ports = read_ports,
                           .write_ports = write_ports};
}

/** A set-associative cache with one read/write port, read sequentially (tags, then data). */
static inline ww_array_spec ww_array_cache(uint64_t bytes, uint32_t line_bytes, uint32_t ways)
{
    return (ww_array_spec){.kind = WW_ARRAY_CACHE,
                           .bits = bytes * 8,
                           .line_bits = line_bytes * 8,
                           .ways = ways,
                           .rw_ports = 1,
                           .access = WW_ACCESS_SEQUENTIAL};
}

/**
 * Energy, delay, leakage and area of an array.
 * @param spec  what is wanted
 * @param node  technology at its voltage and temperature
 * @param out   written only on WW_OK
 * @error ERANGE: the request is infeasible; names the constraint that failed and the nearest
 * feasible organisation
 * @source Wilton & Jouppi, JSSC 31(5) 1996; Muralimanohar et al., CACTI 6.0, HPL-2009-85;
 * docs/models/tech.md
 */
WW_NODISCARD ww_status ww_array_solve(const ww_array_spec *spec, const ww_node *node,
                                      ww_array_result *out, ww_error *err);

/** Whether two ask for the same: one has the other's answer at a node. */
bool ww_array_same(const ww_array_spec *a, const ww_array_spec *b);

/** Sum of the members. */
double ww_array_terms_sum(const ww_array_terms *terms);

/* One member of ww_array_terms, for printing. */
typedef struct ww_array_term {
    const char *name; /* "bitline" */
    const char *doc;
    const char *source; /* section of docs/models/tech.md and the publication behind it */
    size_t offset;      /* of the double within ww_array_terms */
} ww_array_term;
/** The members of ww_array_terms in order; count into *n. */
const ww_array_term *ww_array_term_list(size_t *n);

/** "ram", "cam", ... */
const char *ww_array_kind_name(ww_array_kind kind);

#ifdef __cplusplus
}
#endif
#endif
