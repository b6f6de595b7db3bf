/* redundancy.h - private to the room: instances of instructions, and whether all warps that
 * executed one had the same values. An *instance* is the n-th execution of an instruction by a warp
 * with all its lanes. */
#ifndef WW_MECH_REDUNDANCY_REDUNDANCY_H
#define WW_MECH_REDUNDANCY_REDUNDANCY_H

#include "mech/mechanisms.h"

/* What a warp had there. */
typedef struct rd_values {
    uint64_t operands, result;
    bool uniform, affine; /* the operands, over the lanes */
} rd_values;

typedef struct rd_instance {
    uint64_t key;      /* 0: none */
    uint32_t warps;    /* that executed it */
    uint32_t operands; /* of the first of them */
    uint32_t result;   /* the same */
    bool operands_differ, differ;
    bool uniform, affine;
} rd_instance;

/* Instances of a block or a grid, by a hash of instruction and number. */
typedef struct rd_table {
    rd_instance *at;
    uint32_t size, count; /* size: a power of two, or 0 */
} rd_table;

/* instances.c */
/* A warp has executed the n-th instance of an instruction; false: there is no room for it. */
bool rd_note(rd_table *t, uint32_t pc, uint32_t n, const rd_values *v);
void rd_forget(rd_table *t);
void rd_free(rd_table *t);

#endif
