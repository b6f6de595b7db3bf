/* values.h - bits that switch on the way between the SMs' ports and DRAM. The memory system carries
 * addresses; the bytes behind them are as device memory holds them when they pass, which between
 * the edges of windows does not change. State is a port's, a slice's or a channel's own. Private to
 * perf/mem. */
#ifndef WW_PERF_MEM_VALUES_H
#define WW_PERF_MEM_VALUES_H

#include "base/mem.h"
#include "perf/mem/charges.h"
#include "perf/mem/mem.h"

enum { WW_VALUE_BYTES = 128 }; /* widest place: a flit, a sector or a burst */

typedef struct ww_mem_values ww_mem_values;

/* Bits of one transfer. */
typedef struct ww_switches {
    uint64_t switched, compared;
} ww_switches;

/* Those of a burst on a channel's wires. */
typedef struct ww_burst_switches {
    ww_switches plain; /* between beats */
    ww_switches pairs; /* between a beat and the one before the last */
    ww_switches zeros; /* that are sent, flags of bus inversion too; where they cost */
} ww_burst_switches;

/* What passed a place last. */
typedef struct ww_passed {
    unsigned char byte[WW_VALUE_BYTES];
} ww_passed;

/* What a protocol's wires cost, and how bytes are coded for it (JESD212). */
typedef enum ww_bus_coding {
    WW_BUS_PLAIN,     /* transitions alone: stacks, whose inversion is an option that no
                         measurement shows in use */
    WW_BUS_ZEROS,     /* terminated, so that zeros cost: as they are */
    WW_BUS_FEW_ZEROS, /* terminated: a byte with more than four is inverted */
} ww_bus_coding;

/* The data wires of a channel, a byte lane each 8 wires: consecutive bytes of a burst follow each
 * other on one lane. */
typedef struct ww_wires {
    unsigned char lane[WW_VALUE_BYTES];   /* what was on them last */
    unsigned char before[WW_VALUE_BYTES]; /* and before that */
} ww_wires;

struct ww_mem_values {
    ww_data data;
    uint32_t flit_bytes;         /* of data */
    uint32_t burst_bytes, beats; /* beats: of a burst, on a lane */
    ww_bus_coding coding;
    ww_passed *request;      /* [sm] */
    ww_switches *requested;  /* [sm] */
    ww_passed *reply;        /* [slice] */
    ww_passed *read, *write; /* [slice] */
    ww_passed *burst;        /* [channel] */
    ww_wires *wires;         /* [channel] */
};

/** Of a machine, in the arena; NULL when out of memory. */
ww_mem_values *ww__values_create(const ww_arch *arch, ww_data data, ww_arena *arena);
/** Bytes of an address pass a place, so many at a time. Nothing is compared where they are no
 * data of a kernel's (code, parameters, local memory). */
ww_switches ww__values_pass(const ww_mem_values *v, ww_passed *place, uint64_t address,
                            uint32_t bytes, uint32_t width);
/** Data on its way to the L2 passes an SM's port; counted until they are fetched, because SMs
 * inject while another thread may be writing their counters. */
void ww__values_request(ww_mem_values *v, uint32_t sm, const ww_mem_req *req,
                        const ww_charges *charges);
/** Adds what an SM's port has counted since the last time to its counters; v may be NULL. */
void ww__values_sync(ww_mem_values *v, uint32_t sm, uint64_t *counters);
/** A burst passes the wires of a channel. */
ww_burst_switches ww__values_wires(const ww_mem_values *v, ww_wires *wires, uint64_t address,
                                   uint32_t bytes);

/** Zeros on nine wires behind bus inversion: a byte with more than four is sent inverted, its flag
 * as a zero (JESD212). */
uint32_t ww__inversion_zeros(unsigned byte);

#endif
