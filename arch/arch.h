/* arch.h - the machine description that perf and power share: one validated, constant struct per
 * GPU.
 *
 * arch/ turns a file of configs/gpu and what it extends into that struct: rows of params.h (and of
 * each mechanism's room) are parameters with unit, range and meaning, from which loader, schema,
 * --set and the reference page derive; each value keeps where it came from (config.h). check.c
 * refuses combinations that no machine has, clock.c knows what follows from frequency and voltage.
 * Depends on: base. */
#ifndef WW_ARCH_ARCH_H
#define WW_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/params.h"
#include "arch/warp.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WW_ENUM_VALUE(id, text, doc) id,
#define WW_ENUM_TYPE(tag)            typedef enum ww_##tag{WW_ENUM_##tag(WW_ENUM_VALUE)} ww_##tag;
WW_ENUMS(WW_ENUM_TYPE)
#undef WW_ENUM_TYPE
#undef WW_ENUM_VALUE
#define WW_MECH_ENUM(tag)                                                                          \
    typedef enum ww_##tag                                                                          \
    {
#define WW_MECH_VALUE(tag, enumerator, text, doc) enumerator,
#define WW_MECH_ENUM_END(tag)                                                                      \
    }                                                                                              \
    ww_##tag;
#include "mech/rows.h"

#define WW_FIELD_U(name, unit, lo, hi, doc) uint32_t name; /* doc in params.h */
#define WW_FIELD_R(name, unit, lo, hi, doc) double name;
#define WW_FIELD_B(name, doc)               bool name;
#define WW_FIELD_E(name, tag, doc)          ww_##tag name;
#define WW_FIELD_S(name, doc)               const char *name;
#define WW_STRUCT(type, FIELDS)                                                                    \
    typedef struct type {                                                                          \
        FIELDS(WW_FIELD_U, WW_FIELD_R, WW_FIELD_B, WW_FIELD_E, WW_FIELD_S)                         \
    } type;
WW_STRUCT(ww_chip_params, WW_CHIP_FIELDS)
WW_STRUCT(ww_clock_params, WW_CLOCK_FIELDS)
WW_STRUCT(ww_sm_params, WW_SM_FIELDS)
WW_STRUCT(ww_regfile_params, WW_REGFILE_FIELDS)
WW_STRUCT(ww_units_params, WW_UNITS_FIELDS)
WW_STRUCT(ww_ldst_params, WW_LDST_FIELDS)
WW_STRUCT(ww_cache_params, WW_CACHE_FIELDS)
WW_STRUCT(ww_async_params, WW_ASYNC_FIELDS)
WW_STRUCT(ww_icnt_params, WW_ICNT_FIELDS)
WW_STRUCT(ww_mem_params, WW_MEM_FIELDS)
WW_STRUCT(ww_power_params, WW_POWER_FIELDS)
WW_STRUCT(ww_peer_params, WW_PEER_FIELDS)
WW_STRUCT(ww_mech_params, WW_MECH_FIELDS)
#undef WW_STRUCT
#undef WW_FIELD_U
#undef WW_FIELD_R
#undef WW_FIELD_B
#undef WW_FIELD_E
#undef WW_FIELD_S

/* Parameters of a mechanism: struct ww_NAME_params. */
#define WW_MECH(ID, name, doc)                                                                     \
    typedef struct ww_##name##_params {                                                            \
        char room; /* C has no empty struct */
#define WW_MECH_U(name, field, unit, lo, hi, doc) uint32_t field;
#define WW_MECH_R(name, field, unit, lo, hi, doc) double field;
#define WW_MECH_B(name, field, doc)               bool field;
#define WW_MECH_E(name, field, tag, doc)          ww_##tag field;
#define WW_MECH_END(ID, name)                                                                      \
    }                                                                                              \
    ww_##name##_params;
#include "mech/rows.h"

/* Published mechanisms. */
typedef enum ww_mech_id {
#define WW_MECH(ID, name, doc) WW_MECH_##ID,
#include "mech/rows.h"
    WW_MECH_COUNT
} ww_mech_id;

/** "nlp" */
const char *ww_mech_name(ww_mech_id id);
/** What it does, in a line. */
const char *ww_mech_about(ww_mech_id id);
/** Name i that stands for several mechanisms, and which ("cap,pas"); NULL behind the last one. */
const char *ww_mech_alias(size_t i, const char **rooms, const char **about);

struct ww_arch;
/** The setting that makes an active mechanism one that may supply wrong results,
 * "dart.seed=report"; NULL: they are all right, or there is a defect. */
const char *ww_mech_unsound(const struct ww_arch *arch);

/* Conditions at which the watts of a description hold. */
typedef struct ww_reference {
    double core_hz, dram_hz, vdd_v, temp_k;
    uint32_t channels;
} ww_reference;

enum { WW_ARCH_CLUSTERS = 16 }; /* whose SMs can be listed */

/* One GPU. Constant after ww_arch_load; all values validated. */
typedef struct ww_arch {
#define WW_MEMBER(path, member, FIELDS, type, doc) type member;
    WW_GROUPS(WW_MEMBER)
#undef WW_MEMBER
#define WW_MECH(ID, name, doc) ww_##name##_params name; /* of those that are active */
#include "mech/rows.h"
    double described_hz;    /* core clock that the files say, whatever --set says */
    ww_reference reference; /* power.reference_*, or what the files say, whatever --set says */
    uint64_t mechs;         /* bit 1 << ww_mech_id for each active mechanism, from mech.active */
    uint32_t cluster_end[WW_ARCH_CLUSTERS]; /* of sm.cluster_sms: the first SM behind each; all 0:
                                               even */
    uint32_t extra_warps; /* warp slots for mechanisms' own warps, beyond sm.max_warps */
    /* The card as its files have it, under what the settings say of chip, clock and power; NULL:
     * this one, no setting makes another machine of it. Owned. */
    struct ww_arch *described;
    struct ww_config *config; /* resolved configuration with provenance; owned */
    uint64_t config_hash;     /* of every resolved value, for activity files */
} ww_arch;

/* The parameter that --mech sets. */
#define WW_MECH_KEY "mech.active"

/* One "--set key=value". */
typedef struct ww_setting {
    const char *key;   /* dotted path from the GPU element: "sm.schedulers" */
    const char *value; /* as on the command line, units allowed: "48 KiB" */
} ww_setting;

/** Whether one of the settings has a key that begins so. */
bool ww_settings_name(const ww_setting *settings, size_t count, const char *key);

/**
 * Loads a GPU description: resolves extends=, validates each file against the schema, adds the
 * mechanisms that mech.active names (mech/NAME/NAME.xml), applies settings, checks ranges and
 * cross-parameter consistency.
 * @param name_or_path  a name in the configuration directory ("gtx580") or a path to an XML file
 * @error ENOTFOUND (no such GPU, with a suggestion), EPARSE, ESCHEMA (file, line), ERANGE (key,
 * value, bounds, and where it was set)
 */
WW_NODISCARD ww_status ww_arch_load(const char *name_or_path, const ww_setting *settings,
                                    size_t setting_count, ww_arch **out, ww_error *err);
/** The same, and every fault is handed over, not the first alone; the error counts them. A fault
 * that hides others, such as XML that is not well formed, is the error itself. */
WW_NODISCARD ww_status ww_arch_load_checked(const char *name_or_path, const ww_setting *settings,
                                            size_t setting_count,
                                            void (*on_fault)(void *user, const ww_error *fault),
                                            void *user, ww_arch **out, ww_error *err);
/** The same from text; name is its path for messages, and extends= is looked up beside it. */
WW_NODISCARD ww_status ww_arch_parse(const char *name, const char *text, size_t length,
                                     const ww_setting *settings, size_t setting_count,
                                     ww_arch **out, ww_error *err);
/* Descriptions read once, for many machines that differ in settings; {0} is empty. One thread. */
typedef struct ww_arch_family {
    ww_map bases; /* by name and mechanisms */
} ww_arch_family;

/** As ww_arch_load, but files that the family has read are not read again. The machine is released
 * before the family. */
WW_NODISCARD ww_status ww_arch_family_load(ww_arch_family *family, const char *name_or_path,
                                           const ww_setting *settings, size_t setting_count,
                                           ww_arch **out, ww_error *err);
void ww_arch_family_fini(ww_arch_family *family);

/** Releases a description; NULL allowed. */
void ww_arch_destroy(ww_arch *arch);

/** Makes the card of a machine that settings changed: what is known of a whole is known of it. */
void ww_arch_forget_described(ww_arch *arch);
/** Name of the description ("gtx580-d553"), not of the product. */
const char *ww_arch_name(const ww_arch *arch);

/* One description in the configuration directory. */
typedef struct ww_arch_entry {
    const char *name; /* what ww_arch_load takes */
    const char *path;
    const char *about; /* one line for people */
} ww_arch_entry;

/** The GPUs that ship with WarpWatt, sorted by name, without those that only serve as a base; in
 * arena. */
WW_NODISCARD ww_status ww_arch_list(ww_arena *arena, ww_arch_entry **out, size_t *count,
                                    ww_error *err);

/* Where a resolved value comes from. */
typedef struct ww_arch_value {
    const char *key;   /* "sm.schedulers" */
    const char *value; /* canonical text, SI; NULL: of a mechanism that is not active */
    const char *unit;
    const char *source; /* the source="…" nearest to the value in the XML */
    const char *file;   /* file that set it, or "--set" */
    int line;
    const char *doc;
} ww_arch_value;

/** Number of parameters; the same for every GPU. */
size_t ww_arch_param_count(void);
/** The i-th parameter's resolved value and provenance; strings live as long as arch. */
ww_arch_value ww_arch_value_at(const ww_arch *arch, size_t i);
/** Source note of one key ("power.sm_activation_w"), "" when unknown. */
const char *ww_arch_source(const ww_arch *arch, const char *key);

/** Text of an enumerator, e.g. ww_scheduler_name(WW_SCHED_GTO) = "gto". */
#define WW_ENUM_NAME(tag) const char *ww_##tag##_name(ww_##tag value);
WW_ENUMS(WW_ENUM_NAME)
#undef WW_ENUM_NAME

/* ---- clock and voltage ---- */

/* The core clocks that a card can be set to. */
typedef struct ww_clock_range {
    double lowest_hz, highest_hz;
    double step_hz; /* clocks are lowest + k steps, and the description's own; 0: any */
} ww_clock_range;

/** Range of the card's core clocks: the ends of clock.voltage, or 0.3 to 1.15 of the described
 * clock where that is assumed. */
ww_clock_range ww_arch_clocks(const ww_arch *arch);
/** The highest clock of the card that is not above hz; the lowest where none is. */
double ww_arch_clock_below(const ww_arch *arch, double hz);
/**
 * Voltage of the die at a core clock, by clock.voltage.
 * @param core_hz  in the range of ww_arch_clocks
 */
double ww_arch_voltage(const ww_arch *arch, double core_hz);
/** Relative standard uncertainty of that voltage over chip.vdd_v; 0 at the described clock. */
double ww_arch_voltage_sigma(const ww_arch *arch, double core_hz);
/** Voltage that the machine runs at. */
static inline double ww_arch_core_v(const ww_arch *arch)
{
    return arch->clock.core_v > 0 ? arch->clock.core_v : arch->chip.vdd_v;
}

/* ---- derived quantities ---- */
/** The cluster (GPC) of an SM: pairs of SMs, which are never apart, spread evenly unless
 * sm.cluster_sms lists them. */
uint32_t ww_arch_cluster_of(const ww_arch *arch, uint32_t sm);
/** The part of the L2 to which an SM, a slice belongs (mem.l2_parts). */
uint32_t ww_arch_sm_part(const ww_arch *arch, uint32_t sm);
uint32_t ww_arch_slice_part(const ww_arch *arch, uint32_t slice);
/** Memory partitions seen by the interconnect (channels x slices). */
static inline uint32_t ww_arch_slices(const ww_arch *arch)
{
    return arch->mem.channels * arch->mem.slices;
}
/** Bytes of the L2, all slices together. */
static inline uint64_t ww_arch_l2_bytes(const ww_arch *arch)
{
    return (uint64_t)arch->l2.bytes * ww_arch_slices(arch);
}
/** Bytes one DRAM burst moves. */
static inline uint32_t ww_arch_burst_bytes(const ww_arch *arch)
{
    return arch->mem.bus_bits / 8 * arch->mem.burst_length;
}
/** Bytes per second of all data pins. */
double ww_arch_dram_bandwidth(const ww_arch *arch);

/* What one level of the memory's hierarchy can have on its way to DRAM at a time. */
typedef struct ww_arch_flight {
    const char *key; /* the parameter that bounds it */
    double held;     /* bytes that misses can wait for at a time, on the whole chip */
    double needed;   /* bytes on the way when DRAM delivers what a card's does: that bandwidth times
                        the latency (Little's law) */
    double latency_s;
} ww_arch_flight;

/** The levels of this machine: misses of the L2, and of the L1D where it caches global memory.
 * Where less is held than needed, no program's reads use the bandwidth. Returns how many. */
size_t ww_arch_flights(const ww_arch *arch, ww_arch_flight out[2]);

#ifdef __cplusplus
}
#endif
#endif
