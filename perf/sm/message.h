/* message.h - what the SMs of a cluster's CTAs send each other: a message leaves its SM within a
 * window, is handed over at the window's edge, and acts in the cycle in which it arrives. The way
 * takes longer than a window. Depends on: perf/exec. */
#ifndef WW_PERF_SM_MESSAGE_H
#define WW_PERF_SM_MESSAGE_H

#include "perf/exec/engines.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_message_kind {
    WW_MESSAGE_OBJECT,   /* an operation on an mbarrier */
    WW_MESSAGE_END,      /* the same, once what its sender has written here before is written */
    WW_MESSAGE_DATA,     /* bytes for shared memory */
    WW_MESSAGE_DELIVERY, /* the same, of a multicast: they come by the way of replies */
    WW_MESSAGE_STORE,    /* the same, of a warp: acknowledged */
    WW_MESSAGE_READ,     /* words of shared memory are asked for */
    WW_MESSAGE_REPLY,    /* to a store or a read */
    WW_MESSAGE_PART,     /* of a multicast, for its sender itself */
    WW_MESSAGE_OPEN,     /* the cluster's barrier opens */
} ww_message_kind;

typedef struct ww_message {
    uint64_t at;         /* cycle in which it arrives */
    uint64_t order;      /* of those that arrive in one cycle: sender, number of its message */
    struct ww_cta *from; /* as sent */
    struct ww_cta *to;   /* as handed over */
    uint8_t kind;        /* ww_message_kind */
    uint8_t from_rank, to_rank;
    uint8_t rows;    /* cycles that it takes of the port of shared memory */
    uint16_t bytes;  /* of data, that it brings or asks for */
    uint32_t row;    /* of the instruction that it is charged to, + 1; 0: it is nobody's */
    uint32_t token;  /* what a reply answers; the copy that a part belongs to */
    ww_object_op op; /* of OBJECT and END */
} ww_message;

/* A list of them. */
typedef struct ww_messages {
    ww_message *at;
    uint32_t count;
    size_t room;
} ww_messages;

#ifdef __cplusplus
}
#endif
#endif
