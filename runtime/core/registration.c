/* registration.c - what a program registers before main: fat binaries, kernels and variables. */
#include <string.h>

#include "runtime/core/context.h"
#include "runtime/core/fatbin.h"

enum { WRAPPER_LINKED = 2 }; /* wrapper version: more points at the units' fat binaries */
#define WRAPPER_MAGIC 0x466243b1u

void **__cudaRegisterFatBinary(void *wrapper)
{
    const cudaFatWrapper *w = wrapper;
    rt_module *module = WW_NEW(rt_module);
    if (module == NULL) {
        return NULL;
    }
    module->images = module->image;
    if (w != NULL && w->magic == WRAPPER_MAGIC) {
        module->image[0] = w->data;
        if (w->version == WRAPPER_LINKED && w->more != NULL) {
            module->images = w->more; /* data holds the machine code that came of linking them */
        }
    }
    rt_context *c = rt_lock();
    module->next = c->modules;
    c->modules = module;
    rt_unlock();
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* The context outlives it: launches are reported when the process ends. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *bdim, void *gdim,
                            int *wsize)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)bdim, (void)gdim, (void)wsize;
    rt_kernel *kernel = WW_NEW(rt_kernel);
    if (kernel == NULL) {
        return;
    }
    *kernel = (rt_kernel){.host = host, .name = name, .module = (rt_module *)(void *)handle};
    rt_context *c = rt_lock();
    kernel->next = c->kernels;
    c->kernels = kernel;
    rt_unlock();
}

static void add_variable(void **handle, const void *host, void **managed, const char *name)
{
    rt_variable *variable = WW_NEW(rt_variable);
    if (variable == NULL) {
        return;
    }
    *variable = (rt_variable){
        .host = host, .managed = managed, .name = name, .module = (rt_module *)(void *)handle};
    rt_context *c = rt_lock();
    variable->next = c->variables;
    c->variables = variable;
    rt_unlock();
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    add_variable(handle, host, NULL, name);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    add_variable(handle, (const void *)host, host, name);
}

void __cudaRegisterHostVar(void **handle, const char *name, void *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

void __cudaRegisterUnifiedTable(void **handle, void *table)
{
    (void)handle, (void)table;
}

char __cudaInitModule(void **handle)
{
    rt_context *c = rt_enter();
    cudaError_t code =
        c->failure != cudaSuccess ? c->failure : rt_load(c, (rt_module *)(void *)handle);
    return rt_leave(c, code) == cudaSuccess;
}

rt_kernel *rt_find_kernel(rt_context *c, const void *host)
{
    for (rt_kernel *k = c->kernels; k != NULL; k = k->next) {
        if (k == host || (host != NULL && k->host == host)) {
            return k;
        }
    }
    return NULL;
}

rt_variable *rt_find_variable(rt_context *c, const void *host)
{
    for (rt_variable *v = c->variables; v != NULL; v = v->next) {
        if (v->host == host || (v->managed != NULL && *v->managed == host)) {
            return v;
        }
    }
    return NULL;
}

/* Managed variables live in the module; the program reads them through a pointer. */
static cudaError_t publish_managed(rt_context *c, const rt_module *module)
{
    for (rt_variable *v = c->variables; v != NULL; v = v->next) {
        if (v->module != module || v->managed == NULL) {
            continue;
        }
        ww_devptr address;
        size_t bytes;
        if (ww_device_symbol(c->device, module->module, v->name, &address, &bytes, NULL) != WW_OK) {
            return cudaErrorInvalidSymbol;
        }
        *v->managed = ww_device_host(c->device, address, bytes);
    }
    return cudaSuccess;
}

static ww_status find_ptx(const rt_context *c, const void *image, ww_fatbin_entry *out,
                          ww_error *err)
{
    uint64_t bytes;
    WW_TRY(ww_fatbin_size(image, WW_FATBIN_HEADER_BYTES, &bytes, err));
    return ww_fatbin_find_ptx(image, (size_t)bytes, c->arch->chip.compute_capability, out, err);
}

/* PTX texts of a module's units. */
typedef struct units {
    char **text;
    size_t *length;
    size_t count;
} units;

/* Units without device code have no PTX; at least one must have some. */
static ww_status unpack(rt_context *c, rt_module *module, units *u, ww_error *err)
{
    ww_status missing = WW_OK;
    for (const void *const *image = module->images; *image != NULL; image++) {
        ww_fatbin_entry entry;
        ww_status status = find_ptx(c, *image, &entry, err);
        if (status == WW_ENOTFOUND) {
            missing = status;
            continue;
        }
        WW_TRY(status);
        WW_TRY(ww_fatbin_unpack(&entry, &u->text[u->count], &u->length[u->count], err));
        /* Stored text is padded with zero bytes. */
        u->length[u->count] = strlen(u->text[u->count]);
        u->count++;
        module->target = entry.target > module->target ? entry.target : module->target;
    }
    return u->count == 0 ? missing : WW_OK;
}

static ww_status load_texts(rt_context *c, rt_module *module, ww_error *err)
{
    size_t *length = WW_NEW_ARRAY(size_t, module->text_count);
    if (length == NULL) {
        return ww_no_memory_for(err, "PTX");
    }
    for (size_t i = 0; i < module->text_count; i++) {
        length[i] = strlen(module->text[i]);
    }
    ww_status status =
        ww_device_load_units(c->device, rt_program_name(), (const char *const *)module->text,
                             length, module->text_count, &module->module, err);
    ww_free(length);
    return status;
}

static ww_status load(rt_context *c, rt_module *module, ww_error *err)
{
    if (module->text_count > 0) {
        return load_texts(c, module, err);
    }
    size_t most = 0;
    while (module->images[most] != NULL) {
        most++;
    }
    if (most == 0) {
        return ww_fail(err, WW_EUNSUP, "A fat binary of an unknown kind was registered.");
    }
    units u = {.text = WW_NEW_ARRAY(char *, most), .length = WW_NEW_ARRAY(size_t, most)};
    ww_status status = u.text == NULL || u.length == NULL ? ww_no_memory_for(err, "PTX")
                                                          : unpack(c, module, &u, err);
    if (status == WW_OK) {
        status = ww_device_load_units(c->device, rt_program_name(), (const char *const *)u.text,
                                      u.length, u.count, &module->module, err);
    }
    for (size_t i = 0; i < u.count; i++) {
        ww_free(u.text[i]);
    }
    ww_free(u.text);
    ww_free(u.length);
    return status;
}

cudaError_t rt_load(rt_context *c, rt_module *module)
{
    if (module == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    if (module->tried) {
        return module->failure;
    }
    module->tried = true;
    ww_error err = {0};
    ww_status status = load(c, module, &err);
    if (status == WW_ENOTFOUND) { /* no PTX: nothing of this module can ever run */
        err.code = WW_EUNSUP;
        (void)rt_failed(c, WW_EUNSUP, &err);
        module->failure = cudaErrorNoKernelImageForDevice;
    } else {
        module->failure = rt_failed(c, status, &err);
    }
    if (module->failure == cudaSuccess) {
        module->failure = publish_managed(c, module);
    }
    return module->failure;
}

unsigned rt_highest_target(const rt_context *c)
{
    unsigned highest = 0;
    for (const rt_module *m = c->modules; m != NULL; m = m->next) {
        for (const void *const *image = m->images; *image != NULL; image++) {
            ww_fatbin_entry entry;
            if (find_ptx(c, *image, &entry, NULL) == WW_OK && entry.target > highest) {
                highest = entry.target;
            }
        }
    }
    return highest;
}
