/* run_id.c - the name of a run: a hash of everything that its results follow from. */
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "run/launch_file.h"
#include "run/run.h"

enum { MOST_PROGRAM_BYTES = 1 << 30, MOST_INPUT_BYTES = 256 << 20 };

/* Every part ends with its length, so that parts cannot be cut otherwise and hash the same. */
static uint64_t add_bytes(uint64_t h, const void *data, size_t n)
{
    const uint64_t length = n;
    return ww_hash_bytes(ww_hash_bytes(h, data, n), &length, sizeof length);
}

static uint64_t add_text(uint64_t h, const char *text)
{
    return add_bytes(h, text, strlen(text));
}

static uint64_t add_number(uint64_t h, uint64_t n)
{
    return add_bytes(h, &n, sizeof n);
}

static ww_status add_file(uint64_t *h, const char *path, size_t most, ww_error *err)
{
    char *data = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(path, most, &data, &length, err));
    *h = add_bytes(*h, data, length);
    ww_free(data);
    return WW_OK;
}

static uint64_t add_options(uint64_t h, const ww_run_request *r)
{
    h = add_number(h, (uint64_t)r->isa);
    h = add_number(h, r->functional_only);
    h = add_number(h, r->interval_cycles);
    h = add_number(h, r->max_cycles);
    h = add_number(h, r->max_instructions);
    h = add_number(h, r->sample_ctas);
    h = add_number(h, r->sample_time);
    h = add_number(h, r->sample_kernels);
    h = add_bytes(h, &r->sample_error, sizeof r->sample_error);
    h = add_number(h, r->concurrent);
    h = add_number(h, r->memcheck);
    h = add_number(h, r->profile);
    h = r->toggles ? add_number(h, 2) : h;
    h = r->governed ? add_text(h, r->govern_name) : h;
    h = r->timeline ? add_number(h, (uint64_t)r->timeline_cta + 1) : h;
    h = r->device_bytes > 0 ? add_number(h, r->device_bytes) : h;
    for (size_t i = 0; i < r->share_count; i++) {
        h = add_text(h, r->shares[i].kernel);
        h = add_number(h, r->shares[i].from);
        h = add_number(h, r->shares[i].instructions);
    }
    for (size_t i = 0; i < r->registers_count; i++) {
        h = add_text(h, r->registers[i].kernel);
        h = add_number(h, r->registers[i].registers);
    }
    return h;
}

/* The launch file, and what its buffers hold, be it from other files. */
static ww_status add_launches(uint64_t *h, const char *path, ww_error *err)
{
    ww_launch_plan *plan = NULL;
    WW_TRY(add_file(h, path, MOST_INPUT_BYTES, err));
    WW_TRY(ww_launch_plan_load(path, &plan, err));
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        const ww_launch_buffer *b = &plan->buffers[i];
        if (b->from_host) {
            *h = add_bytes(*h, b->data, b->count * ww_scalar_bytes(b->type));
        }
    }
    ww_launch_plan_destroy(plan);
    return WW_OK;
}

static ww_status add_program(uint64_t *h, const char *program, const char *const *argv, size_t argc,
                             ww_error *err)
{
    WW_TRY(add_file(h, program, MOST_PROGRAM_BYTES, err));
    for (size_t i = 1; i < argc; i++) {
        *h = add_text(*h, argv[i]);
        if (ww_file_exists(argv[i])) {
            /* One that cannot be read, or is huge, counts by its name. */
            WW_DROP(add_file(h, argv[i], MOST_INPUT_BYTES, NULL));
        }
    }
    return WW_OK;
}

ww_status ww_run_id(const ww_run_request *request, const ww_arch *arch, const char *version,
                    const char *program, const char *const *argv, size_t argc, uint64_t *out,
                    ww_error *err)
{
    uint64_t h = add_text(WW_HASH_INIT, version);
    h = add_options(add_number(h, arch->config_hash), request);
    for (size_t i = 0; i < request->item_count; i++) {
        h = add_text(h, request->items[i].workload->name);
        h = add_text(h, ww_workload_size_name(request->items[i].size));
    }
    if (request->ptx_path != NULL) {
        h = add_text(h, ww_path_base(request->ptx_path)); /* it names the workload */
        WW_TRY(add_file(&h, request->ptx_path, MOST_INPUT_BYTES, err));
        WW_TRY(add_launches(&h, request->launch_path, err));
    }
    if (argc > 0) {
        WW_TRY(add_program(&h, program, argv, argc, err));
    }
    *out = h;
    return WW_OK;
}
