/* module.c - loaded PTX modules: variables in device memory, kernels built on first use. */
#include <string.h>

#include "base/mem.h"
#include "perf/api/device_state.h"
#include "perf/ptx/analysis/scalar.h"

static bool in_memory(const ww_symbol *s)
{
    return s->space == WW_SPACE_GLOBAL || s->space == WW_SPACE_CONST;
}

/* What no unit of the module defines cannot come from anywhere else. */
static ww_status place_variable(ww_device *device, const ww_ptx_module *ptx, ww_symbol *s,
                                ww_error *err)
{
    enum { VARIABLE_ALIGN = 256 };
    if (s->is_extern) {
        return ww_fail_at(err, WW_EUNSUP, ptx->file, (int)s->line, 0,
                          "variable %s is external, and nothing in this module defines it",
                          s->name);
    }
    uint64_t bytes = s->bytes > 0 ? s->bytes : 1;
    uint64_t align = s->align > VARIABLE_ALIGN ? s->align : VARIABLE_ALIGN;
    WW_TRY(ww_devmem_alloc(device->mem, bytes, align, &s->address, err));
    ww_device_written(device, s->address, bytes); /* zero where the module does not say */
    void *data = ww_devmem_at(device->mem, s->address, bytes);
    if (data != NULL && s->init != NULL) {
        memcpy(data, s->init, s->init_bytes < s->bytes ? s->init_bytes : s->bytes);
    }
    return WW_OK;
}

/* Initialisers that hold addresses, once every variable has one. */
static ww_status patch_addresses(ww_device *device, const ww_ptx_module *ptx, const ww_symbol *s,
                                 ww_error *err)
{
    for (uint32_t i = 0; i < s->reloc_count; i++) {
        const ww_reloc *r = &s->reloc[i];
        uint64_t value = r->target->address + (uint64_t)r->addend;
        void *at = ww_devmem_at(device->mem, s->address + r->offset, sizeof value);
        if (at == NULL) {
            return ww_fail_at(err, WW_ERANGE, ptx->file, (int)s->line, 0,
                              "an address in the initialiser of %s lies beyond its end", s->name);
        }
        memcpy(at, &value, sizeof value);
    }
    return WW_OK;
}

static ww_status place_variables(ww_device *device, ww_ptx_module *ptx, ww_error *err)
{
    for (uint32_t i = 0; i < ptx->symbol_count; i++) {
        if (ptx->symbol[i].space == WW_SPACE_TEX) {
            WW_TRY(ww_texture_add(device->textures, NULL, &ptx->symbol[i].address, err));
        }
        if (in_memory(&ptx->symbol[i])) {
            WW_TRY(place_variable(device, ptx, &ptx->symbol[i], err));
        }
    }
    for (uint32_t i = 0; i < ptx->symbol_count; i++) {
        if (in_memory(&ptx->symbol[i])) {
            WW_TRY(patch_addresses(device, ptx, &ptx->symbol[i], err));
        }
    }
    return WW_OK;
}

static ww_status parse_units(const char *name, const char *const *texts, const size_t *lengths,
                             size_t count, ww_ptx_module **out, ww_error *err)
{
    ww_ptx_text *units = WW_NEW_ARRAY(ww_ptx_text, count + 1);
    if (units == NULL) {
        return ww_no_memory_for(err, "module %s", name);
    }
    for (size_t i = 0; i < count; i++) {
        units[i] = (ww_ptx_text){texts[i], lengths[i]};
    }
    ww_status status = ww_ptx_parse_units(name, units, count, out, err);
    ww_free(units);
    return status;
}

/* For profiles, which show it line by line. */
static ww_status keep_text(ww_module *module, const char *text, size_t length, ww_error *err)
{
    module->text = WW_NEW_ARRAY(char, length + 1);
    if (module->text == NULL) {
        return ww_no_memory_for(err, "the text of a module");
    }
    memcpy(module->text, text, length);
    return WW_OK;
}

ww_status ww_module_create(ww_device *device, const char *name, const char *const *texts,
                           const size_t *lengths, size_t count, ww_module **out, ww_error *err)
{
    ww_module *module = WW_NEW(ww_module);
    if (module == NULL) {
        return ww_no_memory_for(err, "module %s", name);
    }
    module->copied = device->host_bytes;
    ww_status st = parse_units(name, texts, lengths, count, &module->ptx, err);
    if (st == WW_OK && device->options.profile && count == 1) {
        st = keep_text(module, texts[0], lengths[0], err);
    }
    if (st == WW_OK) {
        st = place_variables(device, module->ptx, err);
    }
    if (st != WW_OK) {
        ww_module_destroy(module, device->mem);
        return st;
    }
    *out = module;
    return WW_OK;
}

static void destroy_built(ww_built *b)
{
    ww_program_fini(&b->program);
    ww_free(b->profile);
    ww_arena_fini(&b->arena);
    ww_free(b);
}

void ww_module_destroy(ww_module *module, ww_devmem *mem)
{
    if (module == NULL) {
        return;
    }
    for (ww_built *b = module->built; b != NULL;) {
        ww_built *next = b->next;
        destroy_built(b);
        b = next;
    }
    for (uint32_t i = 0; module->ptx != NULL && i < module->ptx->symbol_count; i++) {
        const ww_symbol *s = &module->ptx->symbol[i];
        if (in_memory(s) && s->address != 0) {
            WW_CERTAIN(ww_devmem_free(mem, s->address, NULL)); /* allocated when it was loaded */
        }
    }
    ww_ptx_destroy(module->ptx);
    ww_free(module->text);
    ww_free(module);
}

/* Takes the kernel's number of registers from the options, where it is there. */
static void take_known_registers(const ww_device_options *options, ww_built *b)
{
    for (size_t i = 0; i < options->registers_count; i++) {
        if (strcmp(options->registers[i].kernel, b->kernel->name) == 0) {
            b->registers = options->registers[i].registers;
            b->registers_given = true;
        }
    }
}

/* Registers that count for occupancy. The PTX stream's virtual registers are not what a machine
 * allocates: there the lowered kernel's count is used, as ptxas would have found it. */
static ww_status allocated_registers(ww_module *module, const ww_arch *arch, ww_built *b,
                                     ww_error *err)
{
    const ww_kernel *k = b->kernel;
    b->registers = k->registers;
    if (k->scalar_base > 0 && arch->sm.core == WW_CORE_LANES) { /* a share of a register each */
        uint32_t scalars = k->registers - k->scalar_base;
        b->registers = k->vector_registers + (scalars + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    }
    if (!k->lowered) {
        ww_kernel *lowered;
        WW_TRY(ww_ptx_build_kernel(module->ptx, k->name, WW_CODE_LOWERED, arch, &lowered, err));
        b->registers = lowered->registers;
    }
    if (b->kernel->pool_registers > 0) { /* what warps have when they start */
        b->registers = b->kernel->pool_registers;
    }
    return WW_OK;
}

static bool waits_for_grid(const ww_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        const ww_inst *inst = &kernel->code[i];
        for (uint32_t k = 0; k < inst->src_count; k++) {
            if (inst->src[k].kind == WW_OPD_SREG &&
                (inst->src[k].reg == WW_SREG_ENVREG1 || inst->src[k].reg == WW_SREG_ENVREG2)) {
                return true;
            }
        }
    }
    return false;
}

/* Code comes with its module, by a copy from the host like any other: where it is said to be left
 * in the L2, it is there until as much has been copied since. */
static void place_code(ww_device *device, const ww_module *module, uint64_t base, uint64_t bytes)
{
    const ww_arch *arch = device->arch;
    uint64_t since = device->host_bytes - module->copied;
    if (device->gpu != NULL && arch->mem.modules_fill_l2 &&
        since + bytes <= ww_arch_l2_bytes(arch)) {
        ww_memsys_host_copy(device->gpu->memory, base, bytes);
    }
}

/* most_registers: of a thread. */
static ww_status build(ww_device *device, ww_module *module, const char *name,
                       uint32_t most_registers, int varying, ww_built *b, ww_error *err)
{
    static const ww_code codes[] = {[WW_ISA_LOWERED] = WW_CODE_LOWERED,
                                    [WW_ISA_GT200] = WW_CODE_GT200,
                                    [WW_ISA_PTX] = WW_CODE_PTX};
    const ww_code code = codes[device->options.isa];
    ww_kernel *kernel;
    ww_arch arch = *device->arch;
    arch.sm.max_thread_registers = most_registers;
    if (varying >= 0) {
        WW_TRY(ww_ptx_build_scalarized(module->ptx, name, code, &arch, (unsigned)varying, &kernel,
                                       err));
    } else {
        WW_TRY(ww_ptx_build_kernel(module->ptx, name, code, &arch, &kernel, err));
    }
    b->kernel = kernel;
    b->waits_for_grid = waits_for_grid(kernel);
    WW_TRY(allocated_registers(module, &arch, b, err));
    take_known_registers(&device->options, b);
    if (!device->options.functional_only) {
        WW_TRY(ww__run_passes(device->gpu, b, err));
    }
    WW_TRY(ww_program_init(&b->program, b->kernel, device->arch, device->code_bytes, err));
    b->program.notes = b->notes;
    b->program.owner = device->owners;
    device->owners += ww_profile_rows(&b->program);
    uint64_t align = device->arch->sm.code_align;
    uint64_t bytes = (uint64_t)b->kernel->code_count * device->arch->sm.instruction_bytes;
    place_code(device, module, b->program.code_base, bytes);
    device->code_bytes += (bytes + align - 1) / align * align;
    return WW_OK;
}

/* The kernel as it is, or as it was cut for CTAs of so many threads; built if it was not yet. */
static ww_status find_or_build(ww_device *device, ww_module *module, const char *name,
                               uint32_t threads, uint32_t most_registers, int varying,
                               ww_built **out, ww_error *err)
{
    for (ww_built *b = module->built; b != NULL; b = b->next) {
        if (b->threads == threads && b->varying == varying && strcmp(b->kernel->name, name) == 0) {
            *out = b;
            return WW_OK;
        }
    }
    ww_built *b = WW_NEW(ww_built);
    if (b == NULL) {
        return ww_no_memory_for(err, "kernel %s", name);
    }
    ww_status st = build(device, module, name, most_registers, varying, b, err);
    if (st != WW_OK) {
        destroy_built(b);
        return st;
    }
    b->threads = threads;
    b->varying = varying;
    b->next = module->built;
    module->built = b;
    *out = b;
    return WW_OK;
}

ww_status ww_module_kernel(ww_device *device, ww_module *module, const char *name, ww_built **out,
                           ww_error *err)
{
    return find_or_build(device, module, name, 0, device->arch->sm.max_thread_registers, -1, out,
                         err);
}

/* What varies in the warps of such blocks, as far as scalarization is to know; -1: it is off. */
static int varying_in(const ww_device *device, ww_dim3 block)
{
    unsigned varying = ww_scalar_varying(block.x, block.y, block.z);
    bool on = device->options.isa != WW_ISA_PTX && ww__scalarized(device->gpu, &varying);
    return on ? (int)varying : -1;
}

uint32_t ww_built_warp_words(const ww_arch *arch, const ww_built *built)
{
    const ww_kernel *k = built->kernel;
    if (built->registers_given || k->scalar_base == 0 || arch->sm.core != WW_CORE_LANES) {
        return built->registers * WW_WARP_SIZE;
    }
    return k->vector_registers * WW_WARP_SIZE + (k->registers - k->scalar_base);
}

ww_status ww_module_kernel_for(ww_device *device, ww_module *module, const char *name,
                               ww_dim3 block, ww_built **out, ww_error *err)
{
    const ww_arch *arch = device->arch;
    uint32_t threads = block.x * block.y * block.z;
    int varying = varying_in(device, block);
    WW_TRY(
        find_or_build(device, module, name, 0, arch->sm.max_thread_registers, varying, out, err));
    uint32_t warps = ww_warps_of(threads);
    if ((*out)->registers_given || warps == 0 || threads > arch->sm.max_cta_threads ||
        ww_occupancy_of_words(arch, threads, ww_built_warp_words(arch, *out), 0).ctas > 0) {
        return WW_OK;
    }
    uint32_t unit = arch->sm.register_unit;
    uint32_t most = arch->sm.registers / warps / unit * unit / WW_WARP_SIZE;
    return find_or_build(device, module, name, warps * WW_WARP_SIZE, most, varying, out, err);
}

const ww_symbol *ww_module_variable_at(const ww_device *device, uint64_t address)
{
    for (const ww_module *m = device->modules; m != NULL; m = m->next) {
        for (uint32_t i = 0; i < m->ptx->symbol_count; i++) {
            if (in_memory(&m->ptx->symbol[i]) && m->ptx->symbol[i].address == address) {
                return &m->ptx->symbol[i];
            }
        }
    }
    return NULL;
}

bool ww_module_has(const ww_device *device, uint64_t address)
{
    for (const ww_module *m = device->modules; m != NULL; m = m->next) {
        for (uint32_t i = 0; i < m->ptx->symbol_count; i++) {
            const ww_symbol *s = &m->ptx->symbol[i];
            if (in_memory(s) && address - s->address < s->bytes) {
                return true;
            }
        }
    }
    return false;
}
