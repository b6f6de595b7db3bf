/* form_video.c - the dotted names of video instructions, three types each. Of them vabsdiff4 with
 * .add is here, the one that compilers of today still make (from __vsadu4 and its like). */
#include <string.h>

#include "base/compiler.h"
#include "perf/ptx/form.h"

const char *ww__form_decode_video(ptx_words words, ptx_form *out)
{
    ww_type types[3];
    unsigned count = 0;
    bool sums = false;
    const char *text;
    size_t n;
    while (ww__form_next_word(&words, &text, &n)) {
        ww_type type = ww_type_find(text, (unsigned)n);
        if (type == WW_T_U32 || type == WW_T_S32) {
            if (count == WW_ARRAY_LEN(types) || sums) {
                return "is not supported";
            }
            types[count++] = type;
        } else if (n == 3 && memcmp(text, "add", 3) == 0 && !sums) {
            sums = true;
        } else {
            return "is not supported";
        }
    }
    if (count != WW_ARRAY_LEN(types) || types[1] != types[2] || !sums) {
        return "is supported only with three types, the last two alike, and .add";
    }
    out->op = WW_OP_VABSDIFF4;
    out->shape = PTX_SHAPE_SIGNATURE;
    out->signature = "T=SST";
    out->type = (uint8_t)types[0];
    out->type2 = (uint8_t)types[1];
    return NULL;
}
