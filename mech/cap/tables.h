/* tables.h - the state machine of the CTA-aware prefetcher, apart from the machine around it: the
 * PerCTA and DIST tables of an SM, what a load does to them, and the addresses that follow from
 * them alone. Koo et al., IPDPS 2018, section V-B (tables) and V-C (cases of figure 9). */
#ifndef WW_MECH_CAP_TABLES_H
#define WW_MECH_CAP_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"

enum { CAP_MOST_REQUESTS = 8, CAP_MOST_WARPS = 64, CAP_MISPREDICTS_MOST = 255 };

/* A load as the tables see it. */
typedef struct cap_load {
    uint32_t pc;
    uint32_t cta;   /* slot */
    uint32_t warp;  /* index in the CTA */
    uint32_t count; /* requests: runs of addresses, or lines */
    uint64_t address[CAP_MOST_REQUESTS];
    uint32_t bytes[CAP_MOST_REQUESTS];
} cap_load;

/* PerCTA: where the first warp of a CTA that came to a load found its data. */
typedef struct cap_base {
    bool valid;
    uint32_t pc;
    uint32_t lead;  /* the warp */
    uint32_t count; /* of the base vector */
    uint64_t address[CAP_MOST_REQUESTS];
    uint32_t bytes[CAP_MOST_REQUESTS]; /* lengths of the runs */
    uint64_t updated;
    uint64_t marked; /* warps whose lines are to be requested */
    bool again;      /* taken anew by its leading warp */
    uint64_t issued; /* warps that have issued the load from this base on */
    uint64_t past;   /* warps that have issued the load, or were served, from this base on */
    uint64_t turn;   /* of the marks: the earliest is served first */
} cap_base;

/* DIST: how far the addresses of neighbouring warps lie apart, in all CTAs. */
typedef struct cap_dist {
    bool valid;
    uint32_t pc;
    int32_t stride;
    uint8_t mispredicts;
    uint64_t updated;
} cap_dist;

/* What a load cost. */
typedef struct cap_events {
    uint32_t lookups;     /* of PerCTA and DIST together */
    uint32_t base_writes; /* PerCTA entries */
    uint32_t dist_writes; /* DIST entries: strides and counters */
    uint32_t walks;       /* PerCTA tables of other CTAs that were searched */
    uint32_t mispredicts;
    /* what figure 5 shows: distances between first addresses of a load in one CTA and the CTA
     * before, and those that are the distance before once more */
    uint32_t distances, repeats;
    /* whether lines were, or were to be, requested for the warp, and rightly */
    bool requested;
} cap_events;

typedef struct cap_shape {
    uint32_t ctas;      /* slots */
    uint32_t bases;     /* entries of a CTA */
    uint32_t strides;   /* entries of DIST */
    uint32_t threshold; /* mispredictions that a load may have */
    bool keep;          /* entries in use stay; else the least recently updated gives way */
    bool ahead_only;    /* nothing is requested for warps that have issued the load already */
    bool loops;         /* a base taken anew by its leading warp sets off prefetches */
    bool all_at_once;   /* a stride marks all trailing warps of the other CTAs, not one of each */
    bool first_only;    /* of a warp's executions the first from a base alone is compared */
} cap_shape;

/* The first addresses of a load from CTA to CTA: watched for figure 5, no part of the hardware. */
typedef struct cap_way {
    uint64_t address;   /* of the latest CTA */
    int64_t distance;   /* from the one before */
    uint32_t addresses; /* 0, 1, more */
    uint64_t born;      /* of that CTA */
} cap_way;

typedef struct cap_tables {
    cap_shape shape;
    cap_base *base; /* [ctas][bases] */
    cap_dist *dist; /* [strides] */
    uint16_t *lead; /* [pcs] CTA slot that leads at a load; CAP_NO_CTA: none */
    cap_way *way;   /* [pcs] */
    uint32_t pcs;
    uint64_t *born;  /* [ctas] order of arrival; 0: no CTA */
    uint32_t *warps; /* [ctas] warps of the CTA */
    uint64_t clock;
    uint32_t marks; /* entries with marked warps */
    /* the generator: request of the entry and warp under way, and piece of it */
    const cap_base *walking;
    uint32_t walking_warp, request;
    uint64_t offset;
} cap_tables;

#define CAP_NO_CTA UINT16_MAX

/** @error ENOMEM */
WW_NODISCARD ww_status cap_tables_init(cap_tables *t, cap_shape shape, ww_error *err);
void cap_tables_fini(cap_tables *t);
/** A kernel begins: empty tables. @param pcs  instructions of its code @error ENOMEM */
WW_NODISCARD ww_status cap_tables_begin(cap_tables *t, uint32_t pcs, ww_error *err);

void cap_tables_cta_started(cap_tables *t, uint32_t cta, uint32_t warps);
void cap_tables_cta_ended(cap_tables *t, uint32_t cta);
/** An eligible load was issued. */
void cap_tables_load(cap_tables *t, const cap_load *load, cap_events *events);

/* The generator's next address. */
typedef struct cap_request {
    uint64_t address;
    uint32_t cta, warp; /* whom it is for: slot, index */
} cap_request;

/** False: nothing is to be requested. Pieces of a run are `grain` bytes, aligned. */
bool cap_tables_next(cap_tables *t, uint32_t grain, cap_request *out);
/** The address has been dealt with. */
void cap_tables_advance(cap_tables *t, uint32_t grain);

#endif
