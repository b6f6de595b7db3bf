/* waits.h - what the live warps of a chip wait for, those alike together, so that a report of
 * thousands of warps stays short and still counts every one. Depends on: base, perf/exec. */
#ifndef WW_PERF_EXEC_WAITS_H
#define WW_PERF_EXEC_WAITS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WW_WAIT_KINDS = 16, /* told apart; warps of further kinds are counted */
    WW_WAIT_CTAS = 3,   /* named of each kind; further ones are counted */
};

#define WW_WAIT_NO_SM UINT32_MAX /* a CTA that runs without time */

typedef struct ww_wait_cta {
    uint32_t sm, id[3];
    uint64_t warps; /* bit: warp within the CTA */
} ww_wait_cta;

/* Warps that stand at the same instruction for the same reason. */
typedef struct ww_wait {
    char text[352]; /* "line 7, bar.sync 0: barrier 0, 2 of 3 warps there" */
    uint32_t warps, ctas;
    const void *last;              /* CTA added to last; identity only */
    ww_wait_cta cta[WW_WAIT_CTAS]; /* the first ones */
} ww_wait;

/* Zero-initialise. */
typedef struct ww_waits {
    ww_wait kind[WW_WAIT_KINDS];
    uint32_t kinds;
    uint32_t warps, ctas; /* live */
} ww_waits;

struct ww_warp;
struct ww_cta;
struct ww_kernel;

/** Counts a warp on an SM, or on none, that waits as text says. CTAs come one after the other. */
void ww_waits_add(ww_waits *waits, const char *text, uint32_t sm, const struct ww_warp *warp);
/** What a warp at a barrier waits for: "barrier 0, 2 of 3 warps there". Returns buf. */
char *ww_waits_at_barrier(const struct ww_warp *warp, char *buf, size_t size);
/** What who tests an mbarrier at that offset of its CTA's shared memory waits for: "mbarrier 0x40,
 * phase 2: 1 of 4 arrivals missing, 1024 bytes to come" (phases modulo 8). Returns buf. */
char *ww_waits_for_object(const struct ww_cta *cta, uint32_t object, char *buf, size_t size);
/** Of a warp whose lanes have parted, where the others wait: " (some lanes; others wait at line 12
 * for them)", or nothing. A warp that spins on a lock which one of its own lanes holds ends like
 * this. Returns buf. */
char *ww_waits_lanes_apart(const struct ww_warp *warp, const struct ww_kernel *kernel, char *buf,
                           size_t size);
/** Writes two lines per kind, each begun by a newline, as many whole kinds as fit, and how many
 * warps the others hold. Returns buf, always terminated. */
char *ww_waits_format(const ww_waits *waits, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
