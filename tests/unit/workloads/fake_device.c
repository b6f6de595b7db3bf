/* fake_device.c - the device API for driver tests; see fake_device.h. */
#include "tests/unit/workloads/fake_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ww_status count_call(ww_device *device, ww_error *err)
{
    device->calls++;
    if (device->calls == device->fail_at) {
        return ww_fail(err, WW_EFAULT, "call %u fails by request", device->calls);
    }
    return WW_OK;
}

static ww_devptr address_of(void *p)
{
    return (ww_devptr)(uintptr_t)p;
}

/* The bytes at p, or NULL when the range lies in no buffer and not in the variable. */
static char *bytes_at(ww_device *device, ww_devptr p, size_t bytes)
{
    for (unsigned i = 0; i < device->buffer_count; i++) {
        const ww_devptr start = address_of(device->buffers[i]);
        if (p >= start && p + bytes <= start + device->sizes[i]) {
            return (char *)device->buffers[i] + (p - start);
        }
    }
    const ww_devptr start = address_of(device->module.variable);
    if (p >= start && p + bytes <= start + sizeof device->module.variable) {
        return device->module.variable + (p - start);
    }
    return NULL;
}

ww_status ww_device_load_ptx(ww_device *device, const char *name, const char *text, size_t length,
                             ww_module **out, ww_error *err)
{
    WW_TRY(count_call(device, err));
    if (strlen(text) != length) {
        return ww_fail(err, WW_EPARSE, "%s: %zu bytes, said to be %zu", name, strlen(text), length);
    }
    device->module.text = text;
    *out = &device->module;
    return WW_OK;
}

ww_status ww_device_malloc(ww_device *device, size_t bytes, ww_devptr *out, ww_error *err)
{
    WW_TRY(count_call(device, err));
    if (bytes == 0 || device->buffer_count == FAKE_MAX_BUFFERS) {
        return ww_fail(err, WW_ERANGE, "buffer of %zu bytes", bytes);
    }
    void *buffer = calloc(1, bytes);
    if (!buffer) {
        return ww_fail(err, WW_ENOMEM, "buffer of %zu bytes", bytes);
    }
    device->buffers[device->buffer_count] = buffer;
    device->sizes[device->buffer_count] = bytes;
    device->buffer_count++;
    *out = address_of(buffer);
    return WW_OK;
}

ww_status ww_device_free(ww_device *device, ww_devptr p, ww_error *err)
{
    for (unsigned i = 0; i < device->buffer_count; i++) {
        if (address_of(device->buffers[i]) == p) {
            device->freed_out_of_order |= i + 1 != device->buffer_count;
            free(device->buffers[i]);
            device->buffer_count--;
            device->buffers[i] = device->buffers[device->buffer_count];
            device->sizes[i] = device->sizes[device->buffer_count];
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND, "no such buffer");
}

ww_status ww_device_write(ww_device *device, ww_devptr dst, const void *src, size_t bytes,
                          ww_error *err)
{
    WW_TRY(count_call(device, err));
    char *p = bytes_at(device, dst, bytes);
    if (!p) {
        return ww_fail(err, WW_ERANGE, "write of %zu bytes outside any buffer", bytes);
    }
    memcpy(p, src, bytes);
    return WW_OK;
}

ww_status ww_device_read(ww_device *device, void *dst, ww_devptr src, size_t bytes, ww_error *err)
{
    WW_TRY(count_call(device, err));
    const char *p = bytes_at(device, src, bytes);
    if (!p) {
        return ww_fail(err, WW_ERANGE, "read of %zu bytes outside any buffer", bytes);
    }
    memcpy(dst, p, bytes);
    return WW_OK;
}

ww_status ww_device_memset(ww_device *device, ww_devptr dst, int value, size_t bytes, ww_error *err)
{
    WW_TRY(count_call(device, err));
    char *p = bytes_at(device, dst, bytes);
    if (!p) {
        return ww_fail(err, WW_ERANGE, "memset of %zu bytes outside any buffer", bytes);
    }
    memset(p, value, bytes);
    return WW_OK;
}

ww_status ww_device_symbol(ww_device *device, ww_module *module, const char *name,
                           ww_devptr *address, size_t *bytes, ww_error *err)
{
    WW_TRY(count_call(device, err));
    char declaration[128];
    snprintf(declaration, sizeof declaration, " %s[", name);
    const char *found = strstr(module->text, declaration);
    if (!found) {
        return ww_fail(err, WW_ENOTFOUND, "no variable %s", name);
    }
    *address = address_of(module->variable);
    *bytes = strtoul(found + strlen(declaration), NULL, 10);
    return WW_OK;
}

ww_status ww_device_texture_create(ww_device *device, const ww_texture *texture, uint64_t *handle,
                                   ww_error *err)
{
    WW_TRY(count_call(device, err));
    const size_t row = (size_t)texture->width * texture->channels * texture->channel_bits / 8;
    const size_t rows = texture->height > 1 ? texture->height : 1;
    if (row == 0 || !bytes_at(device, texture->address, (rows - 1) * texture->pitch + row)) {
        return ww_fail(err, WW_ERANGE, "texture outside any buffer");
    }
    *handle = ++device->texture_count;
    return WW_OK;
}

ww_status ww_device_texture_destroy(ww_device *device, uint64_t handle, ww_error *err)
{
    if (handle == 0 || handle > device->texture_count) {
        return ww_fail(err, WW_ENOTFOUND, "no such texture");
    }
    device->freed_out_of_order |= handle != device->texture_count;
    device->texture_count--;
    return WW_OK;
}

/* Number of parameters that the PTX declares for a kernel; -1: no such kernel. */
static int parameter_count(const char *text, const char *kernel)
{
    char entry[128];
    snprintf(entry, sizeof entry, ".entry %s(", kernel);
    const char *p = strstr(text, entry);
    if (!p) {
        return -1;
    }
    const char *end = strchr(p, ')');
    int count = 0;
    for (p = strstr(p, ".param"); p && p < end; p = strstr(p + 1, ".param")) {
        count++;
    }
    return count;
}

ww_status ww_device_launch(ww_device *device, ww_module *module, const char *kernel, ww_dim3 grid,
                           ww_dim3 block, size_t dynamic_shared, const void *const *args,
                           size_t arg_count, ww_error *err)
{
    WW_TRY(count_call(device, err));
    device->launches++;
    const int parameters = parameter_count(module->text, kernel);
    if (parameters < 0) {
        return ww_fail(err, WW_ENOTFOUND, "no kernel %s", kernel);
    }
    if ((size_t)parameters != arg_count || !args) {
        return ww_fail(err, WW_ERANGE, "%s: %zu arguments for %d parameters", kernel, arg_count,
                       parameters);
    }
    const unsigned threads = block.x * block.y * block.z;
    const bool hopper = strstr(device->module.text, "\n.target sm_90") != NULL;
    const size_t most = hopper ? 227 << 10 : 48 << 10; /* dynamic shared memory of a CTA */
    if (threads == 0 || threads > 1024 || grid.x * grid.y * grid.z == 0 || dynamic_shared > most) {
        return ww_fail(err, WW_ERANGE, "%s: bad geometry", kernel);
    }
    return WW_OK;
}

ww_device_shape ww_device_shape_of(const ww_device *device)
{
    (void)device;
    return (ww_device_shape){.sms = 2, .l2_bytes = 65536};
}
