/* ptx.h - what perf/ptx offers: PTX text in, executable kernels out.
 *
 * perf/ptx parses and links text from any hand (every fault has file, line and column), builds the
 * control flow with its points of reconvergence, lowers to what an assembler would make, and gives
 * registers; analysis/ answers what mechanisms ask of a kernel. It executes nothing. Depends on:
 * base, isa, arch. */
#ifndef WW_PERF_PTX_PTX_H
#define WW_PERF_PTX_PTX_H

#include "perf/ptx/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ww_arch;

/* A module-level .global or .const variable, or (space TEX) a texture or surface reference, whose
 * "address" is the handle that stands for it. */
typedef struct ww_symbol {
    const char *name;
    ww_space space;
    uint64_t bytes;
    uint32_t align;
    uint64_t address;          /* set by the loader before kernels are built: device address */
    const unsigned char *init; /* initial bytes, NULL: zero */
    uint64_t init_bytes;
    /* Initialisers that hold another symbol's address: patch 8 bytes at offset with address of
     * target + addend. */
    const struct ww_reloc *reloc;
    uint32_t reloc_count;
    bool is_extern;
    uint32_t line;
} ww_symbol;

typedef struct ww_reloc {
    uint64_t offset;
    const ww_symbol *target;
    int64_t addend;
} ww_reloc;

/* A parsed module. Owns everything reachable from it. */
typedef struct ww_ptx_module {
    ww_arena arena;
    const char *file;
    unsigned version_major, version_minor; /* .version */
    unsigned target_sm;                    /* .target sm_NN */
    ww_symbol *symbol; /* .global and .const variables, texture references, in order */
    uint32_t symbol_count;
    const char **kernel_name; /* .entry names, in order */
    uint32_t kernel_count;
    ww_source_map source;   /* empty when the module is of several texts, whose lines overlap */
    struct ww_ptx_ast *ast; /* private to perf/ptx */
} ww_ptx_module;

/* One of the texts that make up a module. */
typedef struct ww_ptx_text {
    const char *text; /* need not be terminated */
    size_t length;
} ww_ptx_text;

/**
 * Parses and links the texts of separately compiled units: .extern declarations of one stand for
 * what another defines .visible, .weak or .common; other names are each unit's own.
 * @error as for ww_ptx_parse; EPARSE for what two units define
 */
WW_NODISCARD ww_status ww_ptx_parse_units(const char *file, const ww_ptx_text *units, size_t count,
                                          ww_ptx_module **out, ww_error *err);

/**
 * Parses PTX text (untrusted; need not be terminated).
 * @error EPARSE with file, line, column and the offending text; EUNSUP for a directive that is not
 * supported
 */
WW_NODISCARD ww_status ww_ptx_parse(const char *file, const char *text, size_t length,
                                    ww_ptx_module **out, ww_error *err);
void ww_ptx_destroy(ww_ptx_module *module);
/** Whether a kernel's parameter is declared as one number in floating point (.f32, .f64); false
 * where there is no such parameter. */
bool ww_ptx_param_floats(const ww_ptx_module *module, const char *kernel, uint32_t index);

/* One thing in a module that cannot be executed (for `warpwatt check`). */
typedef struct ww_ptx_problem {
    const char *kernel; /* function that holds it */
    int line;
    char what[160]; /* the form and why */
} ww_ptx_problem;

/** All unsupported forms of a module, not only the first; *problems lives in the module's arena. */
WW_NODISCARD ww_status ww_ptx_check(ww_ptx_module *module, ww_ptx_problem **problems, size_t *count,
                                    ww_error *err);

/* What kernels are built as. */
typedef enum ww_code {
    WW_CODE_PTX,     /* the PTX stream as written */
    WW_CODE_LOWERED, /* machine-like instructions, allocated registers */
    WW_CODE_GT200,   /* the same with the operand forms of compute capability 1.3: perf/ptx/lower */
} ww_code;

/**
 * Builds one kernel for execution. Symbol addresses must be set.
 * @param arch     register limit, families (borrowed for the call)
 * @error ENOTFOUND (no such kernel), EUNSUP (form or construct: names it and the line)
 */
WW_NODISCARD ww_status ww_ptx_build_kernel(ww_ptx_module *module, const char *name, ww_code code,
                                           const struct ww_arch *arch, ww_kernel **out,
                                           ww_error *err);

/**
 * The same in machine-like instructions, with registers and instructions that hold or compute one
 * value per warp apart (ww_kernel.scalar_base, WW_MOD_ONCE); the kernel without that is built as
 * well, for comparison (ww_kernel.plain_registers).
 * @param code     LOWERED or GT200
 * @param varying  what differs within a warp: WW_VARIES_* of perf/ptx/analysis/scalar.h
 */
WW_NODISCARD ww_status ww_ptx_build_scalarized(ww_ptx_module *module, const char *name,
                                               ww_code code, const struct ww_arch *arch,
                                               unsigned varying, ww_kernel **out, ww_error *err);

/** Name of the kernel whose address, as other kernels see it, that is; NULL: there is none. */
const char *ww_ptx_kernel_at(const ww_ptx_module *module, uint64_t address);

/* ---- stages, for tests and analyses ---- */

/** PTX function to virtual registers: symbols and parameters resolved, one ww_inst per PTX
 * instruction. */
WW_NODISCARD ww_status ww_ptx_translate(ww_ptx_module *module, const char *name, ww_function **out,
                                        ww_error *err);

/* Control-flow graph of a function. */
typedef struct ww_block {
    uint32_t first, last; /* instructions [first, last) */
    uint32_t succ[2];     /* block indices, WW_NO_TARGET: none; the first two of them */
    uint32_t succ_count;
    const uint32_t *more; /* all of them */
    const uint32_t *pred; /* predecessors */
    uint32_t pred_count;
    uint32_t ipdom; /* block of the immediate post-dominator; WW_NO_TARGET: exit */
} ww_block;

/** Successor k of a block, k < succ_count. */
static inline uint32_t ww_block_successor(const ww_block *block, uint32_t k)
{
    return block->more[k];
}

typedef struct ww_cfg {
    ww_block *block;
    uint32_t block_count;
    uint32_t *block_of; /* [instruction] */
} ww_cfg;

/** CFG with immediate post-dominators (Cooper, Harvey, Kennedy on the reverse graph). */
WW_NODISCARD ww_status ww_cfg_build(const ww_function *f, ww_arena *arena, ww_cfg *out,
                                    ww_error *err);
/** Sets ww_inst.reconv of every branch. */
WW_NODISCARD ww_status ww_cfg_set_reconvergence(ww_function *f, ww_arena *arena, ww_error *err);

/* Live virtual registers: bit sets of vreg_count bits, in 64-bit words. */
typedef struct ww_liveness {
    uint32_t words;
    uint64_t *live_in;  /* [block][words] */
    uint64_t *live_out; /* [block][words] */
} ww_liveness;
/** Backward data-flow over the CFG; a guarded definition does not kill. */
WW_NODISCARD ww_status ww_liveness_build(const ww_function *f, const ww_cfg *cfg, ww_arena *arena,
                                         ww_liveness *out, ww_error *err);

/** Lowering: rewrites f (and its callees) into machine forms: perf/ptx/lower_*.c. code: LOWERED or
 * GT200. */
WW_NODISCARD ww_status ww_lower(ww_function *f, ww_arena *arena, ww_code code,
                                const struct ww_arch *arch, ww_error *err);
/** Register allocation onto 32-bit registers and 7 predicates, with spilling:
 * perf/ptx/regalloc/regalloc.c. On return every operand names a physical register; *registers,
 * *predicates, *spill_bytes are for this function alone. */
WW_NODISCARD ww_status ww_allocate_registers(ww_function *f, ww_arena *arena,
                                             uint32_t register_limit, uint32_t *registers,
                                             uint32_t *predicates, uint32_t *spill_bytes,
                                             ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
