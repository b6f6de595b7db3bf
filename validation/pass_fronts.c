/* pass_fronts.c - see pass_fronts.h. */
#include "validation/pass_fronts.h"

#include <string.h>

#include "analysis/pass_front.h"
#include "analysis/result_store.h"
#include "base/file.h"

/* One model's, or one file's. */
typedef struct front {
    const ww_paper *paper;
    ww_arena *arena;
    const ww_sweep_item *first; /* of them */
    size_t passes, fronts;      /* of this front; of the sweep */
    ww_pass_point *point;
    size_t count;
} front;

static bool alike(const ww_sweep_item *a, const ww_sweep_item *b)
{
    return a->pass != NULL && b->pass != NULL && strcmp(a->label, b->label) == 0;
}

static size_t count_alike(const ww_sweep *s, const ww_sweep_item *item)
{
    size_t n = 0;
    for (size_t i = 0; i < s->item_count; i++) {
        n += alike(&s->item[i], item);
    }
    return n;
}

/* The first of its model or file. */
static bool begins(const ww_sweep *s, const ww_sweep_item *item)
{
    for (const ww_sweep_item *i = s->item; i < item; i++) {
        if (alike(i, item)) {
            return false;
        }
    }
    return item->pass != NULL;
}

/* "a100,clock.set_hz=900MHz" as "a100 900MHz": a drawing has no room for keys, and its table has
 * them. */
static const char *short_name(ww_arena *arena, const char *set)
{
    ww_str text = {0};
    for (const char *at = set; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const char *equals = memchr(at, '=', length);
        const char *value = equals != NULL && at > set ? equals + 1 : at;
        ww_str_addf(&text, "%s%.*s", at > set ? " " : "", (int)(at + length - value), value);
        at += length + (at[length] == ',');
    }
    const char *copy = ww_arena_strndup(arena, ww_str_text(&text), text.len);
    ww_str_fini(&text);
    return copy;
}

/* What tells passes of one model apart: "bf16-8x128". */
static const char *label_of(const front *f, const ww_sweep_run *run)
{
    const char *set = short_name(f->arena, run->set->name);
    const char *sizes = run->item->name + strlen(run->item->label);
    return set == NULL || f->passes < 2
               ? set
               : ww_arena_printf(f->arena, "%s %s", set, sizes + (*sizes == '-'));
}

static ww_status read_run(front *f, const ww_sweep_run *run, ww_error *err)
{
    ww_pass_point *point = &f->point[f->count];
    ww_csv *csv = NULL;
    const char *label = label_of(f, run);
    const char *path = ww_arena_printf(f->arena, "%s/%s/%s", ww_paper_results(f->paper), run->id,
                                       WW_RESULT_OPERATORS);
    if (label == NULL || path == NULL) {
        return ww_no_memory(err);
    }
    if (!ww_file_exists(path)) {
        return WW_OK;
    }
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = ww_pass_point_read(csv, run->id, label, point, err);
    if (status == WW_OK) {
        point->unit = ww_arena_strndup(f->arena, point->unit, strlen(point->unit));
        status = point->unit != NULL ? WW_OK : ww_no_memory(err);
        f->count++;
    }
    ww_csv_destroy(csv);
    return status;
}

static ww_status draw(front *f, ww_study_figure *out, ww_error *err)
{
    ww_str csv = {0};
    const char *label = f->first->label;
    ww_pass_front_mark(f->point, f->count);
    *out = (ww_study_figure){.note = WW_PASS_FRONT_NOTE};
    out->name = f->fronts < 2 ? "passes" : ww_arena_printf(f->arena, "passes-%s", label);
    out->title = ww_arena_printf(f->arena, "Joules against time: %s", label);
    ww_pass_front_csv(f->point, f->count, &csv);
    ww_status status = ww_str_check(&csv, err);
    out->csv = ww_arena_strndup(f->arena, ww_str_text(&csv), csv.len);
    ww_str_fini(&csv);
    WW_TRY(status);
    if (out->name == NULL || out->title == NULL || out->csv == NULL) {
        return ww_no_memory(err);
    }
    return ww_pass_front_chart(f->point, f->count, f->arena, &out->points, err);
}

static ww_status collect(front *f, const ww_sweep *s, ww_error *err)
{
    f->point = WW_ARENA_NEW_ARRAY(f->arena, ww_pass_point, s->run_count + 1);
    if (f->point == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < s->run_count; i++) {
        WW_TRY(alike(s->run[i].item, f->first) ? read_run(f, &s->run[i], err) : WW_OK);
    }
    return WW_OK;
}

ww_status ww__pass_fronts(ww_paper *paper, ww_arena *arena, ww_study_figure *figure, size_t *count,
                          ww_error *err)
{
    const ww_sweep *s = ww_paper_sweep(paper);
    size_t fronts = 0;
    for (size_t i = 0; i < s->item_count; i++) {
        fronts += begins(s, &s->item[i]);
    }
    for (size_t i = 0; i < s->item_count && ww_paper_results(paper) != NULL; i++) {
        if (!begins(s, &s->item[i])) {
            continue;
        }
        front f = {.paper = paper,
                   .arena = arena,
                   .first = &s->item[i],
                   .passes = count_alike(s, &s->item[i]),
                   .fronts = fronts};
        WW_TRY(collect(&f, s, err));
        if (f.count >= 2) {
            WW_TRY(draw(&f, &figure[*count], err));
            (*count)++;
        }
    }
    return WW_OK;
}
