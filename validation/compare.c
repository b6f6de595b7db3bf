/* compare.c - see compare.h. */
#include "validation/compare.h"

#include "base/file.h"

enum { MOST_KERNELS = 1 << 20 }; /* bytes of a file of PTX */

ww_status ww_validation_file(ww_arena *arena, const char *name, const char **out, ww_error *err)
{
    const char *exe = ww_path_exe_dir(arena);
    const char *beside =
        exe != NULL ? ww_path_join(arena, exe, "../share/warpwatt/validation") : NULL;
    const char *const dirs[] = {WW_VALIDATION_SOURCE, beside, WW_VALIDATION_INSTALL};
    for (size_t i = 0; i < WW_ARRAY_LEN(dirs); i++) {
        const char *path =
            dirs[i] != NULL && dirs[i][0] != '\0' ? ww_path_join(arena, dirs[i], name) : NULL;
        if (path != NULL && ww_file_exists(path)) {
            *out = path;
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND,
                   "no reference table %s in " WW_VALIDATION_INSTALL "; name one with --reference",
                   name);
}

ww_status ww_validation_kernels(ww_arena *arena, const char *name, ww_device *device,
                                ww_module **out, ww_error *err)
{
    const char *path;
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_validation_file(arena, name, &path, err));
    WW_TRY(ww_read_file(path, MOST_KERNELS, &text, &length, err));
    ww_status status = ww_device_load_ptx(device, path, text, length, out, err);
    ww_free(text);
    return status;
}

ww_status ww__shipped_bars(ww_arena *arena, ww_bars **out, ww_error *err)
{
    const char *path;
    WW_TRY(ww_validation_file(arena, "bars.csv", &path, err));
    return ww_bars_load(path, out, err);
}

static ww_status open_tables(ww__comparing *c, const ww__comparison *d, ww_error *err)
{
    const char *path = c->asked->reference;
    WW_TRY(path != NULL ? WW_OK : ww_validation_file(&c->arena, d->table, &path, err));
    WW_TRY(ww_refs_load(path, d->reference, d->references, &c->refs, err));
    return ww__shipped_bars(&c->arena, &c->bars, err);
}

static ww_status go_through(ww__comparing *c, const ww__comparison *d, ww_error *err)
{
    const ww_output *output = &c->asked->output;
    WW_TRY(open_tables(c, d, err));
    for (size_t i = 0; i < ww_refs_rows(c->refs); i++) {
        WW_TRY(d->take(c, i, err));
    }
    WW_TRY(d->sum_up != NULL && c->rows.count > 0 ? d->sum_up(c, err) : WW_OK);
    WW_TRY(ww_rows_print(&c->rows, d->title, d->shown, d->columns, output, err));
    if (d->tell != NULL && ww_output_is_text(output)) {
        WW_TRY(d->tell(c, output->to, err));
        fflush(output->to); /* before the verdict on the error stream */
    }
    return ww_judge_all(&c->rows, &c->statistics, ww_refs_path(c->refs), err);
}

ww_status ww__compare(const ww__comparison *description, const ww_validation *asked, void *own,
                      ww_error *err)
{
    ww__comparing c = {.asked = asked, .own = own, .rows = {.partial = description->partial}};
    ww_status status = go_through(&c, description, err);
    ww_rows_fini(&c.rows);
    ww_rows_fini(&c.statistics);
    ww_refs_destroy(c.refs);
    ww_bars_destroy(c.bars);
    ww_arena_fini(&c.arena);
    return status;
}

ww_status ww__add_statistic(ww__comparing *c, const char *comparison, const char *what,
                            double value, size_t of, ww_error *err)
{
    ww_row row = ww_row_of("", what, "");
    const ww_bar *bar;
    row.ours = value;
    row.of = of;
    WW_TRY(ww_bars_find(c->bars, comparison, what, &bar, err));
    ww_judge(&row, bar, value);
    return ww_rows_add(&c->statistics, &row, err);
}

ww_status ww__tell_left_out(const ww__comparing *c, FILE *to)
{
    if (c->rows.absent.len > 0) {
        fprintf(to, "neither program nor results (--programs DIR, --results DIR): %s\n",
                ww_str_text(&c->rows.absent));
    }
    return WW_OK;
}
