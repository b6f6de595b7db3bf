/* program.h - a kernel as the timing model sees it: one compact descriptor per static instruction.
 * Built once per launch configuration, constant afterwards, shared by all SMs; the cycle loop reads
 * nothing of ww_inst. Depends on: base, isa, arch, perf/ptx (ir.h). */
#ifndef WW_PERF_SM_PROGRAM_H
#define WW_PERF_SM_PROGRAM_H

#include <stdint.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "base/status.h"
#include "isa/isa.h"
#include "perf/ptx/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Address regions that only caches and memory controllers see (never user data). */
#define WW_CODE_PHYSICAL                                                                           \
    0x0000620000000000ull /* instructions: + kernel's base + pc x instruction_bytes */
#define WW_PARAM_PHYSICAL                                                                          \
    0x0000640000000000ull /* constant bank of kernel parameters: + byte offset */

/* Kinds of pipelines: the units, integer pipelines where a machine has its own, and those of its
 * FP32 lanes that multiply integers where only some of them do. */
enum { WW_PIPE_INT = WW_UNIT_COUNT, WW_PIPE_IMUL, WW_PIPE_KINDS };

/* What the pipeline must know of an instruction beyond numbers. */
enum {
    WW_SM_OP_MEMORY = 1u << 0,    /* carries addresses (ww_step.is_memory) */
    WW_SM_OP_LONG = 1u << 1,      /* reads off-chip memory: consumers wait long, raw_long */
    WW_SM_OP_FENCE = 1u << 2,     /* warp waits for its outstanding memory operations */
    WW_SM_OP_BRANCH = 1u << 3,    /* counts as a control transfer */
    WW_SM_OP_BYPASS_L1 = 1u << 4, /* .cg, .cv, .volatile: not looked up in the L1D */
    WW_SM_OP_TEXTURE = 1u << 5,   /* reads through the texture cache */
    WW_SM_OP_PREFETCH = 1u << 6,
    WW_SM_OP_ADDRESSED = 1u << 7, /* addresses come from a mechanism */
    WW_SM_OP_ONCE = 1u << 8,      /* scalarization: one thread executes it for its warp */
    WW_SM_OP_CROSSES = 1u << 9,   /* lanes see each other's values, outside the memory unit */
    WW_SM_OP_COPY = 1u << 10,     /* cp.async */
    WW_SM_OP_GROUP = 1u << 11,    /* ends a group of its copies, or waits for groups */
    WW_SM_OP_TILE = 1u << 12,     /* moves a tile as Volta does (volta_tile.h) */
    WW_SM_OP_ENGINE = 1u << 13,   /* leaves something to an asynchronous engine, or waits for it */
    WW_SM_OP_FORK = 1u << 14,     /* fetch does not go past it before it has issued */
    WW_SM_OP_FOLDED = 1u << 15,   /* reads a word of shared memory as an operand */
    WW_SM_OP_TRACKED = 1u << 16,  /* hardware keeps account of its result */
};

/* Bits of one 64-bit word of a warp's pending-register set (ww_program_bit). */
typedef struct ww_reg_bits {
    uint64_t mask;
    uint32_t word;
} ww_reg_bits;

/* The first line of the host's caches that begins at p or behind it. */
static inline void *ww_to_line(void *p)
{
    return (unsigned char *)p + (-(uintptr_t)p & 63);
}

enum { WW_MANY_WORDS = UINT8_MAX };

typedef struct ww_sm_op {
    _Alignas(64) uint64_t hazard_mask; /* all registers named, where they lie in one word; */
    uint64_t reserve_mask;             /* those written, where they do */
    uint32_t reserve; /* first entry in ww_program.bits: of those written; of all named, behind */
    uint32_t src_banks,
        dst_banks; /* first entry in ww_program.banks: banks for warp slot 0, one mask per pass */
    uint32_t constants;    /* first entry in ww_program.constants */
    uint32_t flags;        /* WW_SM_OP_* */
    uint16_t event;        /* ww_counter of the lane operation; WW_COUNTER_COUNT: none */
    uint16_t lane_work;    /* counts of it per lane: 1, or a lane's share of a matrix product */
    uint16_t thread_class; /* WW_C_THREAD_* */
    uint16_t pipe;         /* ww_counter of its pipelines' kind, as unit has it */
    uint16_t latency, interval; /* core cycles; 0 for CTRL; of LDST: the port of a partition */
    uint8_t unit; /* ww_unit or WW_PIPE_*, after FP64 and tensor fall back to SP where the SM has
                     none */
    uint8_t hazard_count, reserve_count;
    uint8_t src_levels, dst_levels; /* passes: the most operands that share one bank */
    uint8_t src_words, dst_words;   /* 32-bit warp operands */
    uint8_t src_scalars;            /* of src_words, those that hold one value per warp */
    uint8_t extra_rounds;           /* collector refills beyond the first */
    uint8_t constant_count;         /* constant-cache lines that its operands touch */
    uint8_t element_bytes;          /* of a memory instruction's type */
    uint8_t results;                /* registers of the instruction stream that it writes */
    uint8_t hazard_word;            /* of hazard_mask; WW_MANY_WORDS: they lie in several */
    uint8_t reserve_word;           /* of reserve_mask; likewise */
    uint8_t line_left;              /* instructions to the end of its line, itself too */
} ww_sm_op;

_Static_assert(sizeof(ww_sm_op) == 64, "a descriptor fits a cache line");

typedef struct ww_program {
    const ww_kernel *kernel; /* borrowed */
    ww_arena arena;
    ww_sm_op *uop; /* [count] */
    uint32_t count;
    ww_reg_bits *bits;
    uint64_t *banks;
    uint64_t *constants;      /* line addresses */
    uint32_t pending_words;   /* 64-bit words of a pending set */
    uint32_t *bit;            /* [registers + predicates] their bits in it (ww_program_bit) */
    uint32_t levels;          /* largest src_levels or dst_levels */
    bool asynchronous;        /* some instruction is WW_SM_OP_ENGINE */
    uint64_t code_base;       /* address of instruction 0 */
    uint32_t owner;           /* of requests: that of instruction 0 (perf/mem/charges.h) */
    const void *const *notes; /* [mechanism, in the order of attachment] what its pass left */
    /* Places of instructions in the code, where a mechanism's pass has taken some out; NULL: each
     * has its own number as its place. */
    uint32_t *inst;  /* [count] the instruction in a place */
    uint32_t *place; /* [code_count + 1] where an instruction, or the next present one, is */
} ww_program;

static inline uint32_t ww_program_inst(const ww_program *p, uint32_t place)
{
    return p->inst != NULL && place < p->count ? p->inst[place] : place;
}

/* Bit of a register in a pending set, or of a predicate: those come behind the registers. */
static inline uint32_t ww_program_bit(const ww_program *p, uint32_t reg)
{
    return p->bit[reg];
}

static inline uint32_t ww_program_predicate_bit(const ww_program *p, uint32_t predicate)
{
    return p->bit[p->kernel->registers + predicate];
}

/* The registers that an instruction writes, reserve_count entries, and all that it names,
 * hazard_count. */
static inline const ww_reg_bits *ww_program_written(const ww_program *p, const ww_sm_op *uop)
{
    return p->bits + uop->reserve;
}

static inline const ww_reg_bits *ww_program_named(const ww_program *p, const ww_sm_op *uop)
{
    return p->bits + uop->reserve + uop->reserve_count;
}

static inline uint32_t ww_program_place(const ww_program *p, uint32_t inst)
{
    return p->place != NULL && inst <= p->kernel->code_count ? p->place[inst] : inst;
}

/** Banks that a warp's registers are spread over. */
uint32_t ww_register_banks(const ww_arch *arch);

/** Registers that the instruction in a place reads from the register file, each once: how many; 0
 * where there are more than `most`. */
uint32_t ww_program_reads(const ww_program *p, uint32_t place, uint32_t most, uint32_t *reg);

/**
 * Describes every instruction of a kernel for one architecture.
 * @param code_base  byte offset of the kernel's code in the instruction region
 * @param out        caller's storage; release with ww_program_fini
 * @error ENOMEM; EUNSUP for an instruction with more operands than the descriptor holds
 */
WW_NODISCARD ww_status ww_program_init(ww_program *out, const ww_kernel *kernel,
                                       const ww_arch *arch, uint64_t code_base, ww_error *err);
void ww_program_fini(ww_program *program);

/* ---- timing.c ---- */
/* Unit, interval and latency of an instruction, and counts per lane. */
void ww__op_timing(const ww_arch *arch, const ww_inst *inst, const ww_form *form, ww_sm_op *uop);
/* Whether integers are multiplied in pipelines of their own (WW_PIPE_IMUL). */
bool ww__multiplies_apart(const ww_units_params *u);
/* Moves an instruction that may run as a multiply-add to those pipelines or to the integer ones. */
void ww__op_on_pipe(const ww_arch *arch, bool multiply_add, ww_sm_op *uop);

/* ---- balance.c ---- */
/* Chooses for a described kernel what the assembler writes as multiply-adds; for machines with
 * integer pipelines. */
void ww__balance_pipes(ww_program *p, const ww_arch *arch);

#ifdef __cplusplus
}
#endif
#endif
