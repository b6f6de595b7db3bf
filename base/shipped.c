/* shipped.c - see shipped.h. */
#include "base/shipped.h"

#include <string.h>

bool ww_is_shipped(const char *text, size_t length)
{
    for (const ww_shipped_file *f = ww__shipped_files; f->bytes != NULL; f++) {
        if (f->length == length && memcmp(f->bytes, text, length) == 0) {
            return true;
        }
    }
    return false;
}
