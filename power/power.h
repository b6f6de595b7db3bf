/* power.h - energy of a GPU from its activity counters.
 * A model is built once from a machine description: components, their sub-structures, and for each
 * event what one count of it costs. It is then evaluated on any number of counter sets; everything
 * is linear in the counters. Depends on: base, arch, counters, tech. Thread safety: a model is
 * constant after creation. */
#ifndef WW_POWER_POWER_H
#define WW_POWER_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/status.h"
#include "base/str.h"
#include "counters/components.h"
#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_component {
#define X(id, name, doc) WW_COMPONENT_##id,
    WW_COMPONENTS(X)
#undef X
        WW_COMPONENT_COUNT
} ww_component;

/** "RF", "EU", ... */
const char *ww_component_name(ww_component component);
/** What the component consists of. */
const char *ww_component_meaning(ww_component component);

typedef struct ww_power_model ww_power_model;

/**
 * Builds the model of a GPU.
 * @param tech_dir  folder of the technology files; NULL: the one that came with the program
 * @error ENOTFOUND (node or DRAM device unknown), ERANGE (a structure no array can be built for;
 * names it), EPARSE, ESCHEMA, ENOMEM
 * @source docs/models/power.md; sub-structures as in D5.5.3, Table 6
 */
WW_NODISCARD ww_status ww_power_model_create(const ww_arch *arch, const char *tech_dir,
                                             ww_power_model **out, ww_error *err);
/* The overhead model of a mechanism that is not in the table of arch/params.h: an experiment's, a
 * test's. build adds structures at depth 2 and their events (power/component.h). */
struct ww__builder;
typedef struct ww_overhead {
    const char *name, *about;
    void (*build)(struct ww__builder *b);
} ww_overhead;
/** The same with one more mechanism's overhead in MECH. */
WW_NODISCARD ww_status ww_power_model_create_with(const ww_arch *arch, const char *tech_dir,
                                                  const ww_overhead *overhead, ww_power_model **out,
                                                  ww_error *err);
/** Releases a model; NULL allowed. */
void ww_power_model_destroy(ww_power_model *model);

/* ---- what the model consists of; strings and arrays live as long as the model ---- */

/* X(id, key, meaning): what is calibrated together: factors of energies and configured watts, by
 * their keys in the group power of a description. Every event and every structure's leakage belongs
 * to one. */
#define WW_POWER_GROUPS(X)                                                                         \
    X(RF, "rf_factor", "register file")                                                            \
    X(EU, "eu_factor", "control of the pipelines")                                                 \
    X(INT, "int_factor", "integer lanes")                                                          \
    X(FP32, "fp32_factor", "single-precision lanes")                                               \
    X(FP64, "fp64_factor", "double-precision lanes")                                               \
    X(SFU, "sfu_factor", "special functions")                                                      \
    X(CVT, "convert_factor", "conversions between formats")                                        \
    X(MATRIX, "matrix_factor", "matrix units")                                                     \
    X(WCU, "wcu_factor", "warp control")                                                           \
    X(BRANCH, "branch_factor", "control transfers")                                                \
    X(LDST, "ldst_factor", "address generation and coalescing")                                    \
    X(SHARED, "shared_factor", "banks of shared memory")                                           \
    X(CROSSBAR, "crossbar_factor", "crossbar between memory and lanes")                            \
    X(L1, "l1_factor", "L1 data cache")                                                            \
    X(CONST, "const_factor", "constant cache")                                                     \
    X(TEX, "tex_factor", "texture cache")                                                          \
    X(L2, "l2_factor", "L2 cache")                                                                 \
    X(ATOMIC, "atomic_factor", "atomics at the L2")                                                \
    X(NOC, "noc_factor", "interconnect")                                                           \
    X(MC, "mc_factor", "memory controllers")                                                       \
    X(GM, "gm_factor", "DRAM devices")                                                             \
    X(ACTIVE_SM, "sm_activation_w", "an SM that holds a CTA")                                      \
    X(ACTIVE_CLUSTER, "cluster_activation_w", "a cluster with such an SM")                         \
    X(STANDBY, "gm_background_w", "standby of controllers and DRAM")                               \
    X(IDLE_SM, "sm_idle_w", "static power of SMs")                                                 \
    X(CONSTANT, "constant_w", "constant power, leakage outside of SMs within it")                  \
    X(MECH, "mech", "mechanisms")

typedef enum ww_power_group {
#define X(id, key, meaning) WW_GROUP_##id,
    WW_POWER_GROUPS(X)
#undef X
        WW_GROUP_COUNT
} ww_power_group;

/** "rf_factor": the key, without the group's "power.". */
const char *ww_power_group_key(ww_power_group group);
const char *ww_power_group_meaning(ww_power_group group);

/* What kind of energy an event charges. */
typedef enum ww_power_kind {
    WW_POWER_EVENT,     /* work done: count x energy */
    WW_POWER_BACKGROUND /* activation power of SMs and clusters, background power of controllers and
                           DRAM */
} ww_power_kind;

/* What a count is multiplied by. */
typedef enum ww_power_per {
    WW_POWER_PER_COUNT,      /* value: J per count */
    WW_POWER_PER_CORE_CYCLE, /* value: W; counts are core cycles */
    WW_POWER_PER_DRAM_CYCLE  /* value: W; counts are DRAM command cycles */
} ww_power_per;

enum { WW_POWER_TERMS = 4 }; /* counters that one event may sum */

typedef struct ww_power_event {
    const char *name; /* "read" */
    ww_component component;
    size_t structure; /* index of the sub-structure that spends it */
    ww_power_group group;
    ww_power_kind kind;
    ww_power_per per;
    double reference_dram_hz; /* above 0: value goes with the DRAM clock, and holds at this one */
    size_t terms;             /* count = sum of weight x counter */
    ww_counter counter[WW_POWER_TERMS];
    double weight[WW_POWER_TERMS];
    bool values;   /* what the event before it costs more, or less, than at the assumed activity */
    double model;  /* J per count (or W), as the models give it */
    double factor; /* calibration */
    double value;  /* model x factor: what is charged */
    const char *source;
} ww_power_event;

/* X(id, name, meaning): where a structure's area comes from. */
#define WW_AREA_KIND_MAP(X)                                                                        \
    X(CIRCUIT, "circuit", "arrays, gates and wires of the geometry that the description gives")    \
    X(FIT, "fit",                                                                                  \
      "McPAT's published fits: controllers, interfaces, undifferentiated logic, placement and "    \
      "routing")                                                                                   \
    X(REST, "rest", "what is left of a published die: not modelled")

typedef enum ww_area_kind {
#define X(id, name, doc) WW_AREA_##id,
    WW_AREA_KIND_MAP(X)
#undef X
        WW_AREA_KINDS
} ww_area_kind;

/** "circuit", "fit", "rest". */
const char *ww_area_kind_name(ww_area_kind kind);

typedef struct ww_power_structure {
    const char *name; /* "banks" */
    const char *path; /* "LDSTU/shared memory/banks" */
    ww_component component;
    uint32_t depth;     /* 0: the component itself */
    uint32_t instances; /* on the chip */
    double area_m2;     /* of all instances, without the sub-structures below */
    ww_area_kind area_kind;
    bool in_sm;            /* part of a streaming multiprocessor */
    double leakage_w;      /* likewise, as charged */
    ww_power_group group;  /* of the leakage */
    double leakage_factor; /* charged over modelled */
    const char *source;    /* geometry and model */
} ww_power_structure;

/** Sub-structures in tree order: a structure's descendants follow it with greater depth. */
const ww_power_structure *ww_power_structures(const ww_power_model *model, size_t *count);
/** Events in the order of their structures. */
const ww_power_event *ww_power_events(const ww_power_model *model, size_t *count);
/** Bit (1 << component) for each component with an event that reads the counter. */
unsigned ww_power_consumers(const ww_power_model *model, ww_counter counter);
/** Whether the model has the component: always, but for MECH. */
bool ww_power_has(const ww_power_model *model, ww_component component);
/** Modelled area of a component [m^2]; that of DRAM, which lies off the die, is 0. */
double ww_power_area(const ww_power_model *model, ww_component component);
/** The part of it that is of one kind. */
double ww_power_area_of(const ww_power_model *model, ww_component component, ww_area_kind kind);
/** Modelled area of one streaming multiprocessor [m^2], without mechanisms. */
double ww_power_sm_m2(const ww_power_model *model);
/** Static power of the chip [W] and where it comes from. */
double ww_power_static_w(const ww_power_model *model);
/** The same at another clock, voltage and temperature. */
double ww_power_static_at_w(const ww_power_model *model, const ww_point *at);
/** Die area that the structures of the components cover, mechanisms among them; the rest of a known
 * die is not in it. */
double ww_power_modelled_m2(const ww_power_model *model);
const char *ww_power_static_source(const ww_power_model *model);
/** Prints the tree: sub-structures with area and leakage, their events with pJ, calibration factor
 * and source. */
void ww_power_describe(const ww_power_model *model, ww_str *out);

/* ---- evaluation ---- */

/* One component's share of a launch or interval. */
typedef struct ww_power_share {
    double event_j;
    double background_j;
    double leakage_j;
    double dynamic_w; /* (event + background) / time: the component's column in D5.5.3, Table 7 */
    double total_w;   /* with leakage */
    double share;     /* dynamic_w over the sum of all components' dynamic_w; 0 when that is 0 */
} ww_power_share;

typedef struct ww_power_result {
    double time_s;
    ww_power_share component[WW_COMPONENT_COUNT];
    double event_j, background_j, leakage_j, total_j; /* sums over the components */
    double dynamic_w;                                 /* TP of D5.5.3 */
    double static_w;
    double total_w; /* dynamic_w + static_w */
} ww_power_result;

/**
 * Energy of the activity in `counters`; cost: one pass over the events, no allocation. Sums run in
 * table order, so equal counters give equal bits. A launch that ran at several points
 * (ww_launch_varies) costs what its intervals do, a pass each.
 * @param counters  of the GPU the model was built for; increments of any span
 * @param launch    core_hz and dram_hz are read: the clocks during that span; its intervals where
 * counters are its own and they ran at several points, vdd_v being the model's
 * @error ENUMERIC (no core cycle passed, or a clock is not positive), ERANGE (counters of
 * another GPU shape)
 */
WW_NODISCARD ww_status ww_power_evaluate(const ww_power_model *model,
                                         const ww_counter_set *counters,
                                         const ww_launch_record *launch, ww_power_result *out,
                                         ww_error *err);

/** The same of one interval of a launch, at the clock, voltage and temperature that it ran at. */
WW_NODISCARD ww_status ww_power_evaluate_interval(const ww_power_model *model,
                                                  const ww_launch_record *launch,
                                                  const ww_interval *interval, ww_power_result *out,
                                                  ww_error *err);

/** What one of the model's structures leaked in a launch [J]. */
double ww_power_leakage_j(const ww_power_model *model, const ww_power_structure *structure,
                          const ww_launch_record *launch);

/** How often an event happened, and the joules charged for it. Precondition: the launch's clocks
 * are positive. */
double ww_power_event_count(const ww_power_event *event, const ww_counter_set *counters);
double ww_power_event_j(const ww_power_event *event, const ww_counter_set *counters,
                        const ww_launch_record *launch);

/** Of those joules, what values cost more than at the assumed activity, where half of the bits
 * switch; false: bits were not compared, and every energy is that of the assumed activity. */
bool ww_power_values_j(const ww_power_model *model, const ww_counter_set *counters,
                       const ww_launch_record *launch, double *out);

/** Power of the card while it runs nothing, at the machine's clock and voltage: static power, and
 * standby of memory at its clock [W]. */
double ww_power_idle_w(const ww_power_model *model, double dram_hz);

/* ---- how sure an energy is ---- */

/* X(id, name, meaning): where the numbers of a group are from. */
#define WW_POWER_ORIGINS(X)                                                                        \
    X(MEASURED, "measured", "on this card")                                                        \
    X(FITTED, "fitted", "to measurements of this card or a sibling")                               \
    X(PUBLISHED, "published", "of this card or this kind of circuit")                              \
    X(SCALED, "scaled", "from structures, or from another card or technology")                     \
    X(ASSUMED, "assumed", "without a source that can be checked")

typedef enum ww_power_origin {
#define X(id, name, meaning) WW_ORIGIN_##id,
    WW_POWER_ORIGINS(X)
#undef X
        WW_ORIGIN_COUNT
} ww_power_origin;

/** What a description says of its calibration in a word: "calibrated", "borrowed" (from another
 * card), "structural" (not at all). */
const char *ww_calibration_state(const char *calibration);
/** "measured", ... */
const char *ww_power_origin_name(ww_power_origin origin);

/* Joules by component and group: what uncertainties are propagated through. Sums of launches are
 * sums of these. */
typedef struct ww_power_groups {
    double j[WW_COMPONENT_COUNT][WW_GROUP_COUNT];
} ww_power_groups;

/* How sure a sum of joules is. */
typedef struct ww_power_sureness {
    double sigma_j;                   /* standard uncertainty */
    double origin_j[WW_ORIGIN_COUNT]; /* by where their numbers are from */
} ww_power_sureness;

/** Adds the joules of an activity, leakage included, to sum. */
void ww_power_add_groups(const ww_power_model *model, const ww_counter_set *counters,
                         const ww_launch_record *launch, ww_power_groups *sum);
/** Standard uncertainty and origins of joules by group: through the relative covariance of the
 * groups (power.uncertainty) and the scatter of measurements about the model. */
ww_power_sureness ww_power_sure(const ww_power_model *model, const double group_j[WW_GROUP_COUNT]);
/** The same of one component's part of a sum, or of all (WW_COMPONENT_COUNT). */
ww_power_sureness ww_power_sure_of(const ww_power_model *model, const ww_power_groups *sum,
                                   ww_component component);
/* Where errors of energies come from: the groups, and behind them the voltage. */
enum { WW_ERROR_VOLTAGE = WW_GROUP_COUNT, WW_ERROR_COUNT };

/* What a card's energies are uncertain by, apart from its model: results keep it, so that they can
 * be compared with others. */
typedef struct ww_power_errors {
    double sigma[WW_ERROR_COUNT]; /* relative standard uncertainties */
    double correlation[WW_ERROR_COUNT][WW_ERROR_COUNT];
    double per_voltage[WW_GROUP_COUNT]; /* d ln(energy) / d ln(voltage) */
    double scatter;                     /* relative, of what no group explains */
} ww_power_errors;

/** The errors that ww_power_sure propagates. */
void ww_power_errors_of(const ww_power_model *model, ww_power_errors *out);
/* Launches of one kernel, summed; {0} at first. */
typedef struct ww_power_repeated {
    ww_power_groups groups;
    double total_j, work_j; /* work: what goes with counts, not with time */
    double time_s, overhead_s, overhead_j;
} ww_power_repeated;
/** Adds a launch. @error as ww_power_evaluate */
WW_NODISCARD ww_status ww_power_repeat(const ww_power_model *model, const ww_arch *arch,
                                       const ww_launch_record *launch, ww_power_repeated *sum,
                                       ww_error *err);
/** Mean power of these launches on a card that repeats them, without their overhead
 * (sm.kernel_launch_cycles), and its standard uncertainty, in which the cycles are: of work a tenth
 * to a fifth. False: they are no longer than their overhead. */
bool ww_power_repeated_w(const ww_power_model *model, const ww_arch *arch,
                         const ww_power_repeated *sum, double *watts, double *sigma_w);
/** Relative standard uncertainty of an energy of that group alone, and its origin. */
double ww_power_group_sigma(const ww_power_model *model, ww_power_group group,
                            ww_power_origin *origin);

#ifdef __cplusplus
}
#endif
#endif
