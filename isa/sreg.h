/* sreg.h - the special registers: names, and what the value of each depends on. */
#ifndef WW_ISA_SREG_H
#define WW_ISA_SREG_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a special register's value depends on. */
typedef enum ww_sreg_kind {
    WW_SREG_KIND_THREAD,    /* the thread's place in its CTA */
    WW_SREG_KIND_CTA,       /* the CTA's place in the grid */
    WW_SREG_KIND_DIMENSION, /* nothing: the extents of CTAs and of the grid */
    WW_SREG_KIND_SHARED,    /* nothing: bytes of shared memory */
    WW_SREG_KIND_LAUNCH,    /* nothing: others that are one value for a launch */
    WW_SREG_KIND_LANE,      /* the lane */
    WW_SREG_KIND_PLACE,     /* where the warp runs */
    WW_SREG_KIND_TIME,      /* when it is read */
    WW_SREG_KIND_CLUSTER,   /* the CTA's place in its cluster, the cluster's in the grid */
} ww_sreg_kind;

/* X(ID, "ptx", KIND). %envreg hold the address of the workspace of grid-wide barriers, upper
 * and lower half: where CUDA's cooperative groups, whose code is in the PTX, look for it. */
#define WW_SREG_MAP(X)                                                                             \
    X(TID_X, "%tid.x", THREAD)                                                                     \
    X(TID_Y, "%tid.y", THREAD)                                                                     \
    X(TID_Z, "%tid.z", THREAD)                                                                     \
    X(NTID_X, "%ntid.x", DIMENSION)                                                                \
    X(NTID_Y, "%ntid.y", DIMENSION)                                                                \
    X(NTID_Z, "%ntid.z", DIMENSION)                                                                \
    X(CTAID_X, "%ctaid.x", CTA)                                                                    \
    X(CTAID_Y, "%ctaid.y", CTA)                                                                    \
    X(CTAID_Z, "%ctaid.z", CTA)                                                                    \
    X(NCTAID_X, "%nctaid.x", DIMENSION)                                                            \
    X(NCTAID_Y, "%nctaid.y", DIMENSION)                                                            \
    X(NCTAID_Z, "%nctaid.z", DIMENSION)                                                            \
    X(LANEID, "%laneid", LANE)                                                                     \
    X(WARPID, "%warpid", PLACE)                                                                    \
    X(NWARPID, "%nwarpid", LAUNCH)                                                                 \
    X(SMID, "%smid", PLACE)                                                                        \
    X(NSMID, "%nsmid", LAUNCH)                                                                     \
    X(GRIDID, "%gridid", LAUNCH)                                                                   \
    X(LANEMASK_EQ, "%lanemask_eq", LANE)                                                           \
    X(LANEMASK_LE, "%lanemask_le", LANE)                                                           \
    X(LANEMASK_LT, "%lanemask_lt", LANE)                                                           \
    X(LANEMASK_GE, "%lanemask_ge", LANE)                                                           \
    X(LANEMASK_GT, "%lanemask_gt", LANE)                                                           \
    X(CLOCK, "%clock", TIME)                                                                       \
    X(CLOCK_HI, "%clock_hi", TIME)                                                                 \
    X(CLOCK64, "%clock64", TIME)                                                                   \
    X(GLOBALTIMER, "%globaltimer", TIME)                                                           \
    X(GLOBALTIMER_LO, "%globaltimer_lo", TIME)                                                     \
    X(GLOBALTIMER_HI, "%globaltimer_hi", TIME)                                                     \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size", SHARED)                                             \
    X(TOTAL_SMEM_SIZE, "%total_smem_size", SHARED)                                                 \
    X(ENVREG1, "%envreg1", LAUNCH)                                                                 \
    X(ENVREG2, "%envreg2", LAUNCH)                                                                 \
    X(CLUSTERID_X, "%clusterid.x", CLUSTER)                                                        \
    X(CLUSTERID_Y, "%clusterid.y", CLUSTER)                                                        \
    X(CLUSTERID_Z, "%clusterid.z", CLUSTER)                                                        \
    X(CLUSTER_CTAID_X, "%cluster_ctaid.x", CLUSTER)                                                \
    X(CLUSTER_CTAID_Y, "%cluster_ctaid.y", CLUSTER)                                                \
    X(CLUSTER_CTAID_Z, "%cluster_ctaid.z", CLUSTER)                                                \
    X(CLUSTER_CTARANK, "%cluster_ctarank", CLUSTER)                                                \
    X(NCLUSTERID_X, "%nclusterid.x", LAUNCH)                                                       \
    X(NCLUSTERID_Y, "%nclusterid.y", LAUNCH)                                                       \
    X(NCLUSTERID_Z, "%nclusterid.z", LAUNCH)                                                       \
    X(CLUSTER_NCTAID_X, "%cluster_nctaid.x", LAUNCH)                                               \
    X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y", LAUNCH)                                               \
    X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z", LAUNCH)                                               \
    X(CLUSTER_NCTARANK, "%cluster_nctarank", LAUNCH)                                               \
    X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster", LAUNCH) /* a predicate */

typedef enum ww_sreg {
#define X(id, text, kind) WW_SREG_##id,
    WW_SREG_MAP(X)
#undef X
        WW_SREG_COUNT
} ww_sreg;

/** "%tid.x"; "?" for no special register. */
const char *ww_sreg_name(ww_sreg sreg);
/** That of a name, percent sign included; WW_SREG_COUNT when unknown. */
ww_sreg ww_sreg_find(const char *name, size_t length);
/** LAUNCH for no special register. */
ww_sreg_kind ww_sreg_kind_of(ww_sreg sreg);

#ifdef __cplusplus
}
#endif
#endif
