/* component.h - what a component of the power model must provide, and what it is built with;
 * private to power/. A component is one function that adds its sub-structures and their events to
 * the model under construction. Failures stick to the builder, so that components read as plain
 * lists. */
#ifndef WW_POWER_COMPONENT_H
#define WW_POWER_COMPONENT_H

#include "base/mem.h"
#include "power/power.h"
#include "tech/array.h"
#include "tech/dram.h"
#include "tech/fu.h"
#include "tech/logic.h"
#include "tech/node.h"
#include "tech/structures.h"

/* The die at the voltage and temperature it runs at (supply.c): circuits are those of chip.vdd_v
 * and of the reference temperature, whose energies and leakage are multiplied. 1 where they are the
 * same. */
typedef struct ww__supply {
    double energy;  /* square of the voltage */
    double leakage; /* by the laws of the node */
    double voltage; /* leakage at the reference temperature: of what does not warm up */
    double clock;   /* of what switches with the core clock all the time: frequency and energy */
    double leakage_per_v, voltage_per_v; /* d ln(leakage) / d ln(voltage), and of voltage */
} ww__supply;

/* What it takes to go to other points from the one that the model was built for (point.c). */
typedef struct ww__die {
    ww_node warm[11];  /* at 300 K, 310 K, ... and the described voltage */
    ww_node reference; /* at the reference temperature */
    double described_v, described_hz;
    ww__supply supply;                   /* as built */
    ww_point own;                        /* likewise */
    double leaks_w, voltage_w, clocks_w; /* of the constant power, as described */
} ww__die;

struct ww_power_model {
    ww_arena arena;
    ww_power_structure *structures;
    size_t structure_count, structure_capacity;
    ww_power_event *events;
    size_t event_count, event_capacity;
    uint32_t shape[WW_SCOPE_COUNT]; /* of the counter sets it takes */
    unsigned consumers[WW_COUNTER_COUNT];
    double component_leakage_w[WW_COMPONENT_COUNT];
    double static_w;
    size_t constant; /* index of the structure that holds the rest of power.constant_w; none: the
                        count of structures or beyond */
    const char *static_source;
    ww_power_origin origin[WW_GROUP_COUNT];
    double covariance[WW_GROUP_COUNT][WW_GROUP_COUNT]; /* relative */
    double scatter;                                    /* relative, of what no group explains */
    double per_voltage[WW_GROUP_COUNT];                /* d ln(energy) / d ln(voltage) */
    double voltage_sigma;                              /* of the voltage, relative */
    ww__die die;
};

/* ---- evaluation at other points (point.c) ---- */

/* Of the constant power behind its parts, and of every other structure: a ratio, or seconds. */
typedef struct ww__leakage {
    double die, constant;
} ww__leakage;

/** Joules of so many counts of an event, in a launch that ran at one point or has one interval. */
double ww__event_j_of(const ww_power_event *event, double count, const ww_launch_record *launch);

/** Leakage at a point over that of the model's own. */
ww__leakage ww__leakage_at(const ww_power_model *model, const ww_point *at);
/** Seconds at the model's own point in which as much would leak as did in the launch. */
ww__leakage ww__leaking_s(const ww_power_model *model, const ww_counter_set *counters,
                          const ww_launch_record *launch);
/** Whether the counters are a launch's that ran at several points. */
bool ww__varies(const ww_counter_set *counters, const ww_launch_record *launch);

/* Arrays that have been solved for a model: several of one make are solved once. */
typedef struct ww__solved {
    ww_arena *arena; /* while the model is built */
    struct ww__solved_array {
        struct ww__solved_array *next;
        ww_array_spec spec;
        ww_array_result result;
    } * first;
} ww__solved;

/* What is known of the card as described, found out while that card is built. A machine that
 * settings make of it is another only in what they change: the rest of its die, its regulators and
 * how far its circuits leak more or less than modelled stay the card's. */
typedef struct ww__card {
    bool known;        /* the machine that is built is another than the card */
    double rest_m2;    /* of the die */
    double rest_w;     /* its modelled leakage, of fast devices */
    double gate;       /* leakage of SMs over the modelled one */
    double constant_w; /* of the known constant power, what its parts leave; reference point */
    double scale;      /* static power over the modelled one */
    double sms_w;      /* idle power of all SMs, where power.sm_idle_w says it; reference point */
    double outside_w;  /* modelled leakage outside of the SMs; reference point */
} ww__card;

typedef struct ww__builder {
    const ww_arch *arch;
    const ww_node *node;
    const ww_fu_table *fu;
    const ww_dram_device *dram;
    const ww_dram_table *dram_table;
    const ww_structures *structures; /* of published mechanisms; NULL: none is active */
    const ww_overhead *overhead;     /* beside those of arch->mechs; NULL: none */
    ww_power_model *model;
    ww__solved *solved;
    const char *node_text; /* "40 nm hp 1.05 V" */
    double slow_leakage;   /* leakage of a device off the critical path over that of a fast one */
    double warming;        /* leakage at the reference temperature over that of the idle board */
    ww__supply supply;
    ww_component component;
    double factor;           /* calibration of the events to come */
    double component_factor; /* what the component's events share of it */
    ww_power_group group;    /* of the events to come */
    ww__card card;
    double chip_side_m;               /* set for the NOC, which is built last */
    double regfile_m2, arithmetic_m2; /* of the chip: how far control wires reach */
    bool in_sm;                       /* the structures to come lie in an SM */
    ww_status status;                 /* first failure; later calls do nothing */
    ww_error *err;
} ww__builder;

/** Of what an idle board is known to draw, what leaks outside of the SMs, at the reference
 * temperature [W]. */
double ww__idle_leakage_w(const ww__builder *b);

/* ---- construction ---- */

/** Starts a component: its root structure at depth 0. Event energies are multiplied by factor from
 * here on. */
void ww__component(ww__builder *b, ww_component component, double factor);

/** The events to come are calibrated with a group of the component's: its factor times this one. */
void ww__group(ww__builder *b, ww_power_group group, double factor);

/** Adds a sub-structure at a depth >= 1; area and leakage are those of one of the instances.
 * Returns its index. */
size_t ww__structure(ww__builder *b, uint32_t depth, const char *name, uint32_t instances,
                     double area_m2, double leak_w, const char *source_fmt, ...) WW_PRINTF(7, 8);

/** Adds an event of the newest structure: energy_j for each count of one counter. */
void ww__event(ww__builder *b, const char *name, ww_counter counter, double energy_j,
               const char *source_fmt, ...) WW_PRINTF(5, 6);

/* A sum of counters. */
typedef struct ww__sum {
    size_t terms;
    ww_counter counter[WW_POWER_TERMS];
    double weight[WW_POWER_TERMS];
} ww__sum;

/** The same for a sum of counters. */
void ww__event_sum(ww__builder *b, const char *name, ww__sum count, double energy_j,
                   const char *source_fmt, ...) WW_PRINTF(5, 6);

/**
 * Says how the energy of the newest event follows the values that it moves: `share` of it goes with
 * bits that switch, of `bits` that one count compares, and holds where half of them do. Adds an
 * event of the difference, which is nothing where no bits were compared.
 * @param switched  counter of the bits that switch; the next one is of those compared
 */
void ww__values(ww__builder *b, ww_counter switched, double bits, double share,
                const char *source_fmt, ...) WW_PRINTF(5, 6);
/* A part of an event's energy and the bits that it goes with, as above. */
typedef struct ww__value_part {
    ww_counter switched;
    double bits, share;
} ww__value_part;
/** The same of energy that goes with bits of two kinds. */
void ww__values_both(ww__builder *b, ww__value_part first, ww__value_part second,
                     const char *source_fmt, ...) WW_PRINTF(4, 5);
/* What goes with data in an array: bitlines, sense amplifiers and decoders do not, which work in
 * differential, precharged pairs. */
#define WW__ARRAY_DATA "data outputs or inputs, and the tree to them"
/* Of latches: their clock pins switch whatever they hold. Estimates, between 0.5 and 0.9. */
#define WW__LATCH_DATA    0.7
#define WW__MULTIPLY_DATA 0.8
#define WW__MATRIX_DATA   0.6
/* Bits of a multiplication as matrix units count them (perf/sm/values_matrix.c). */
#define WW__MATRIX_PARTS 20
#define WW__LATCH_TEXT   "latches, without their clock pins; estimate"
/** The same in general: every bit that switches beyond the share `assumed` of those compared costs
 * energy_j. */
void ww__values_at(ww__builder *b, ww_counter switched, double assumed, double energy_j,
                   const char *source_fmt, ...) WW_PRINTF(5, 6);
/** The share of an array's read or write that its data outputs, or inputs, are. */
double ww__data_share(const ww_array_terms *terms);
/** The same of a buffer that is written and read as often. */
double ww__buffer_share(const ww_array_result *buffer);

/** Adds background energy to the newest structure: power_w while the counter's cycles pass (per
 * says which clock's); with WW_POWER_PER_COUNT joules per count. `factor` multiplies it instead of
 * the component's own. */
void ww__background(ww__builder *b, const char *name, ww_counter counter, ww_power_per per,
                    double value, double factor, const char *source_fmt, ...) WW_PRINTF(7, 8);

/** Background power of the DRAM clock: watts at the description's reference, less at a lower one.
 */
void ww__standby(ww__builder *b, double w, const char *source_fmt, ...) WW_PRINTF(3, 4);

/** Core clock at which configured watts hold. */
double ww__reference_hz(const ww__builder *b);
/** The voltage over that at which they hold. */
double ww__over_reference_v(const ww__builder *b);
/** What a configured power costs per core cycle, J: watts at the reference clock and voltage, with
 * the clock and the square of the voltage. */
double ww__activation_j(const ww__builder *b, double w);

/** Says where the newest structure's area comes from; circuits unless said. */
void ww__area_kind(ww__builder *b, ww_area_kind kind);
/** Adds what placement and routing take beside the present component's structures, in an SM or
 * outside of it as b->in_sm says (area.c). */
void ww__placement(ww__builder *b);
/** McPAT's scaling of logic area from 90 nm to the node. */
double ww__logic_scaling(const ww_node *node);
/** Leakage of logic that fills an area, of which `density` is gates. */
double ww__logic_leak_w(const ww_node *node, double area_m2, double density);

/** Text in the model's arena; "" after a failure. */
const char *ww__text(ww__builder *b, const char *fmt, ...) WW_PRINTF(2, 3);

/* ---- parts shared by components (parts.c) ---- */

/** Solves an array; what names it in errors. Zero result for 0 bits and after a failure. */
ww_array_result ww__array(ww__builder *b, const char *what, const ww_array_spec *spec);
/** Solves a set-associative cache; a zero result when it is absent. */
ww_array_result ww__cache(ww__builder *b, const char *what, const ww_cache_params *cache);
/** "array model: 8 KiB ram, 128 b words, 40 nm" */
const char *ww__array_text(ww__builder *b, const ww_array_spec *spec);
/** A value's source note in the configuration, with the key. */
const char *ww__config_text(ww__builder *b, const char *key);

/* Assumed: control word of a decoded instruction, predicates and immediate included, bits. */
enum { WW__DECODED_BITS = 200 };

/* Share of the wires of a data bus that toggle per transfer of uncorrelated data. */
#define WW__RANDOM_TOGGLE 0.5

/* ---- asynchronous engines, of machines that have them; else nothing (engines.c) ---- */
bool ww__has_engines(const ww_arch *arch);
/** Products of warp groups, to be added to the matrix units. */
void ww__build_matrix_engine(ww__builder *b);
/** Operands that it reads from shared memory, whose banks were added last. */
void ww__build_operand_rows(ww__builder *b, double bank_read_j, const char *text);
/** Bulk copies and mbarriers. */
void ww__build_copy_engine(ww__builder *b);
/** Messages from SM to SM, multicasts, clusters' barriers, and what goes over in the L2. */
void ww__build_between_sms(ww__builder *b);

/* ---- the components, in the order of power.h ---- */
void ww__build_rf(ww__builder *b);
void ww__build_eu(ww__builder *b);
void ww__build_wcu(ww__builder *b);
void ww__build_bp(ww__builder *b);
void ww__build_ldstu(ww__builder *b);
void ww__build_cp(ww__builder *b);
void ww__build_noc(ww__builder *b);
/** Its two networks as meshes; end_flits: buffer of an input or output. */
void ww__build_noc_mesh(ww__builder *b, uint32_t end_flits);
void ww__build_mc(ww__builder *b);
void ww__build_gm(ww__builder *b);

/** Overhead of active mechanisms (mech.c, overhead.h). */
void ww__build_mech(ww__builder *b);

/** The rest of a known die, of which `made` models what was made (area.c). */
void ww__build_rest(ww__builder *b, const ww_power_model *made);
/** How energies and leakage change with the voltage and the temperature that the machine runs at
 * (supply.c). node: as the circuits were chosen, warm: at the machine's temperature. */
ww__supply ww__supply_of(const ww_arch *arch, const ww_node *node, const ww_node *warm);
/** Whether the newest events are those of circuits on the die's supply. */
bool ww__on_die(const ww__builder *b);
/* Leakage of the structures of a group together [W]. */
double ww__group_leakage_w(const ww_power_model *model, ww_power_group group);
/** Takes leakage and constant power to that voltage, and how sure they are of it. */
void ww__take_supply(ww__builder *b);
/** Keeps what point.c evaluates from. @error as ww_node_at */
WW_NODISCARD ww_status ww__keep_points(ww__builder *b, const ww_node_table *nodes, ww_error *err);
/** Sums leakage, scales it to a known static power (static.c). */
void ww__build_static(ww__builder *b);

/** Reads power.uncertainty, or assumes. */
WW_NODISCARD ww_status ww__load_uncertainty(ww_power_model *model, const ww_arch *arch,
                                            ww_error *err);

/** Runs all of the above (chip.c). */
void ww__build_chip(ww__builder *b);

#endif
