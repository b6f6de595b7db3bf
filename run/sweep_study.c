/* sweep_study.c - the part of a sweep file that studies read: choices, measures, classes, figures.
 */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "run/sweep_parser.h"

static ww_status read_choice(ww_sweep_parser *p, const ww_xml_node *node)
{
    ww_sweep *s = p->sweep;
    s->choice =
        ww_arena_room(&s->arena, s->choice, s->choice_count, &p->choice_room, sizeof *s->choice);
    if (s->choice == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    ww_sweep_choice *c = &s->choice[s->choice_count++];
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "name"), &c->name));
    return ww__sweep_copy(p, ww_xml_attr(node, "of"), &c->of);
}

static ww_status read_measure(ww_sweep_parser *p, const ww_xml_node *node)
{
    ww_sweep *s = p->sweep;
    s->measure = ww_arena_room(&s->arena, s->measure, s->measure_count, &p->measure_room,
                               sizeof *s->measure);
    if (s->measure == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    ww_sweep_measure *m = &s->measure[s->measure_count++];
    const char *unit = ww_xml_attr(node, "unit");
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "name"), &m->name));
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "value"), &m->value));
    return ww__sweep_copy(p, unit != NULL ? unit : "", &m->unit);
}

static ww_status read_bound(ww_sweep_parser *p, const ww_xml_node *node, const char *name,
                            double *out)
{
    const char *text = ww_xml_attr(node, name);
    return text != NULL ? ww_num_parse_double(text, out, p->err) : WW_OK;
}

static ww_status read_class(ww_sweep_parser *p, const ww_xml_node *node)
{
    ww_sweep *s = p->sweep;
    s->class_ =
        ww_arena_room(&s->arena, s->class_, s->class_count, &p->class_room, sizeof *s->class_);
    if (s->class_ == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    ww_sweep_class *c = &s->class_[s->class_count++];
    const char *of = ww_xml_attr(node, "of");
    *c = (ww_sweep_class){.from = -(double)INFINITY, .below = (double)INFINITY};
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "name"), &c->name));
    WW_TRY(ww__sweep_copy(p, ww_xml_attr(node, "value"), &c->value));
    WW_TRY(ww__sweep_copy(p, of != NULL ? of : "all", &c->of));
    WW_TRY(read_bound(p, node, "from", &c->from));
    return read_bound(p, node, "below", &c->below);
}

static ww_status read_parts(ww_sweep_parser *p, const ww_xml_node *node, ww_sweep_figure *f)
{
    size_t room = 0;
    for (const ww_xml_node *c = ww_xml_child(node); c != NULL; c = ww_xml_next(c)) {
        f->part = ww_arena_room(&p->sweep->arena, f->part, f->part_count, &room, sizeof *f->part);
        if (f->part == NULL) {
            return ww__sweep_no_memory(p->err);
        }
        ww_sweep_part *part = &f->part[f->part_count++];
        WW_TRY(ww__sweep_copy(p, ww_xml_attr(c, "name"), &part->name));
        WW_TRY(ww__sweep_copy(p, ww_xml_attr(c, "value"), &part->value));
    }
    if ((f->value != NULL) == (f->part_count > 0)) {
        return ww_xml_fail(p->xml, node, p->err, WW_ESCHEMA,
                           "figure %s needs either a value or parts", f->name);
    }
    return WW_OK;
}

static ww_status read_figure(ww_sweep_parser *p, const ww_xml_node *node)
{
    ww_sweep *s = p->sweep;
    s->figure =
        ww_arena_room(&s->arena, s->figure, s->figure_count, &p->figure_room, sizeof *s->figure);
    if (s->figure == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    ww_sweep_figure *f = &s->figure[s->figure_count++];
    *f = (ww_sweep_figure){.name = NULL};
    const char *one = ww_xml_attr(node, "against_one");
    f->against_one = one != NULL && strcmp(one, "true") == 0;
    const struct {
        const char *name, *otherwise;
        const char **out;
    } text[] = {{"name", NULL, &f->name},    {"title", NULL, &f->title}, {"axis", "", &f->axis},
                {"value", NULL, &f->value},  {"of", NULL, &f->of},       {"over", "all", &f->over},
                {"means", "all", &f->means}, {"mean", "geo", &f->mean}};
    for (size_t i = 0; i < WW_ARRAY_LEN(text); i++) {
        const char *given = ww_xml_attr(node, text[i].name);
        WW_TRY(ww__sweep_copy(p, given != NULL ? given : text[i].otherwise, text[i].out));
    }
    return read_parts(p, node, f);
}

ww_status ww__sweep_study(ww_sweep_parser *p, const ww_xml_node *node)
{
    const char *tag = ww_xml_tag(node);
    return strcmp(tag, "choice") == 0    ? read_choice(p, node)
           : strcmp(tag, "measure") == 0 ? read_measure(p, node)
           : strcmp(tag, "figure") == 0  ? read_figure(p, node)
                                         : read_class(p, node);
}
