/* visible.c - see visible.h. */
#include "base/visible.h"

#include <string.h>

#include "base/str.h"

/* Control characters of ISO 6429, C0 and C1: U+0000 to U+001F, U+007F to U+009F. Of Unicode, the
 * bidirectional ones (UAX 9): U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069. */
bool ww_is_hidden(const char *p, size_t n)
{
    const unsigned char *c = (const unsigned char *)p;
    switch (n) {
    case 0:
        return true;
    case 1:
        return c[0] == 0x7f || (c[0] < 0x20 && c[0] != '\t' && c[0] != '\n');
    case 2:
        return (c[0] == 0xc2 && c[1] < 0xa0) || (c[0] == 0xd8 && c[1] == 0x9c);
    case 3:
        return c[0] == 0xe2 && ((c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f ||
                                                  (c[2] >= 0xaa && c[2] <= 0xae))) ||
                                (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
    default:
        return false;
    }
}

char *ww_visible(const char *text, char *out, size_t size)
{
    static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
    size_t used = 0;
    for (const char *p = text; *p != '\0';) {
        size_t n = ww_utf8_length(p);
        const char *from = ww_is_hidden(p, n) ? replacement : p;
        size_t bytes = from == p ? n : sizeof replacement - 1;
        if (used + bytes >= size) {
            break;
        }
        memcpy(out + used, from, bytes);
        used += bytes;
        p += n > 0 ? n : 1;
    }
    if (size > 0) {
        out[used] = '\0';
    }
    return out;
}
