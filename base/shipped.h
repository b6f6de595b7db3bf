/* shipped.h - the configuration files that came with this build. They were checked against their
 * schemas when it was made, so that a file whose bytes are theirs need not be checked again each
 * time it is read: compiling a schema costs more than all else that a small run does. */
#ifndef WW_BASE_SHIPPED_H
#define WW_BASE_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file's bytes. */
typedef struct ww_shipped_file {
    const unsigned char *bytes;
    size_t length;
} ww_shipped_file;

/* Ends with a row of no bytes; that alone where the build had no program to check them with. */
extern const ww_shipped_file ww__shipped_files[];

/** True where a text is, byte for byte, one of the shipped files. */
bool ww_is_shipped(const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
