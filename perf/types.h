/* types.h - what the device API and the executor below it both speak of: addresses, shapes,
 * textures, findings. */
#ifndef WW_PERF_TYPES_H
#define WW_PERF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t ww_devptr; /* generic device address, 0 is never valid */

typedef struct ww_dim3 {
    uint32_t x, y, z; /* all >= 1 */
} ww_dim3;

/* What memcheck found at one place of a kernel. */
typedef struct ww_finding {
    char *text;     /* the first access: where, what, CTA, thread, address */
    uint64_t count; /* accesses */
} ww_finding;

typedef enum ww_tex_mode { WW_TEX_WRAP, WW_TEX_CLAMP, WW_TEX_MIRROR, WW_TEX_BORDER } ww_tex_mode;
typedef enum ww_tex_channel { WW_TEX_SIGNED, WW_TEX_UNSIGNED, WW_TEX_FLOAT } ww_tex_channel;

/* What a handle stands for: memory read as an array of elements of up to four channels. Element
 * (x, y, z) lies at address + x * element size + y * pitch + z * slice. */
typedef struct ww_texture {
    uint64_t address; /* device address; 0: nothing bound */
    uint32_t width;   /* elements */
    uint32_t height;  /* 0 and 1 for one dimension */
    uint32_t depth;   /* of a volume; layers of a layered texture; 6 times them for cubes; 0 as 1 */
    uint64_t pitch, slice; /* bytes */
    uint8_t channels;      /* 1, 2 or 4 */
    uint8_t channel_bits;  /* 8, 16 or 32 */
    uint8_t channel;       /* ww_tex_channel */
    uint8_t mode[3];       /* ww_tex_mode of x, y, z; cubes and layers do not use theirs */
    bool blocks; /* in time, lies as CUDA arrays do: blocks of 16 B x 8 rows, side by side; so that
                    a line holds elements that are near in two dimensions */
    bool linear; /* filtering; else the nearest element */
    bool normalized_coordinates;
    bool normalized_read; /* integers as numbers of [0,1] or [-1,1]; needed for linear filtering of
                             them */
    float border[4];
} ww_texture;

#endif
