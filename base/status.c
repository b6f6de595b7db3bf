/* status.c - status texts and error formatting. */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#include "base/visible.h"

const char *ww_status_text(ww_status code)
{
    switch (code) {
#define X(id, number, text)                                                                        \
    case WW_##id:                                                                                  \
        return text;
        WW_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

static const char *status_id(ww_status code)
{
    switch (code) {
#define X(id, number, text)                                                                        \
    case WW_##id:                                                                                  \
        return #id;
        WW_STATUS_MAP(X)
#undef X
    }
    return "?";
}

static void fill(ww_error *err, ww_status code, const char *file, int line, int column,
                 const char *fmt, va_list args) WW_PRINTF(6, 0);

static void fill(ww_error *err, ww_status code, const char *file, int line, int column,
                 const char *fmt, va_list args)
{
    if (err == NULL) {
        return;
    }
    memset(err, 0, sizeof *err);
    err->code = code;
    err->line = line;
    err->column = column;
    if (file != NULL) {
        snprintf(err->file, sizeof err->file, "%s", file);
    }
    vsnprintf(err->what, sizeof err->what, fmt, args);
}

ww_status ww_fail(ww_error *err, ww_status code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, code, NULL, 0, 0, fmt, args);
    va_end(args);
    return code;
}

ww_status ww_fail_at(ww_error *err, ww_status code, const char *file, int line, int column,
                     const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, code, file, line, column, fmt, args);
    va_end(args);
    return code;
}

ww_status ww_no_memory(ww_error *err)
{
    return ww_fail(err, WW_ENOMEM, "out of memory");
}

ww_status ww_no_memory_for(ww_error *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(err, WW_ENOMEM, NULL, 0, 0, fmt, args);
    va_end(args);
    ww_error_prefix(err, "out of memory for ");
    return WW_ENOMEM;
}

ww_status ww_no_memory_in(ww_error *err, const char *file)
{
    return ww_fail_at(err, WW_ENOMEM, file, 0, 0, "out of memory");
}

void ww_error_prefix(ww_error *err, const char *fmt, ...)
{
    if (err == NULL) {
        return;
    }
    char text[sizeof err->what];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text) {
        return;
    }
    snprintf(text + n, sizeof text - (size_t)n, "%s", err->what);
    memcpy(err->what, text, sizeof text);
}

char *ww_error_format(const ww_error *err, char *buf, unsigned long size)
{
    char where[3 * sizeof err->file + 64] = "", file[3 * sizeof err->file], what[sizeof err->what];
    ww_visible(err->file, file, sizeof file);
    ww_visible(err->what[0] != '\0' ? err->what : ww_status_text(err->code), what, sizeof what);
    if (err->file[0] != '\0' && err->line > 0 && err->column > 0) {
        snprintf(where, sizeof where, "%s:%d:%d: ", file, err->line, err->column);
    } else if (err->file[0] != '\0' && err->line > 0) {
        snprintf(where, sizeof where, "%s:%d: ", file, err->line);
    } else if (err->file[0] != '\0') {
        snprintf(where, sizeof where, "%s: ", file);
    }
    snprintf(buf, size, "%serror: %s [%s]", where, what, status_id(err->code));
    return buf;
}
