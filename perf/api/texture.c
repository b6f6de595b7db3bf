/* texture.c - the device API's textures and surfaces. */
#include <string.h>

#include "perf/api/device_state.h"

ww_status ww_device_texture_create(ww_device *device, const ww_texture *texture, uint64_t *handle,
                                   ww_error *err)
{
    return ww_texture_add(device->textures, texture, handle, err);
}

ww_status ww_device_texture_destroy(ww_device *device, uint64_t handle, ww_error *err)
{
    return ww_texture_remove(device->textures, handle, err);
}

ww_status ww_device_texture_bind(ww_device *device, ww_module *module, const char *name,
                                 const ww_texture *texture, ww_error *err)
{
    for (uint32_t i = 0; i < module->ptx->symbol_count; i++) {
        const ww_symbol *s = &module->ptx->symbol[i];
        if (s->space == WW_SPACE_TEX && strcmp(s->name, name) == 0) {
            return ww_texture_set(device->textures, s->address, texture, err);
        }
    }
    return ww_fail(err, WW_ENOTFOUND, "Module %s has no texture or surface reference %s.",
                   module->ptx->file, name);
}
