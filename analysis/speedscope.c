/* speedscope.c - see speedscope.h. Frames are numbered as they are first met, so that equal lines
 * give equal bytes. */
#include "analysis/speedscope.h"

#include "base/file.h"
#include "base/json.h"
#include "base/map.h"

enum { DEEPEST = 6 }; /* workload, kernel, function, source line, PTX line, component */

/* A profile under way: frames go to one text, samples and weights to others. */
typedef struct scope {
    ww_map frames; /* their numbers */
    ww_str names, samples, weights;
    ww_json frame, sample, weight;
    double end;
} scope;

/* The number of a frame; file NULL: it has none. */
static ww_status frame_of(scope *s, const char *name, const char *file, uint32_t line,
                          uint32_t *number, ww_error *err)
{
    ww_str key = {0};
    bool added = false;
    ww_str_addf(&key, "%s\t%s\t%u", name, file != NULL ? file : "", line);
    ww_map_entry *entry = key.failed ? NULL : ww_map_add(&s->frames, ww_str_text(&key), &added);
    ww_str_fini(&key);
    if (entry == NULL) {
        return ww_no_memory_for(err, "the frames of a profile");
    }
    if (added) {
        entry->num = (int64_t)s->frames.count - 1;
        ww_json_object(&s->frame, NULL);
        ww_json_text(&s->frame, "name", name);
        if (file != NULL) {
            ww_json_text(&s->frame, "file", file);
            ww_json_u64(&s->frame, "line", line);
        }
        ww_json_end(&s->frame);
    }
    *number = (uint32_t)entry->num;
    return WW_OK;
}

static bool says(const char *text)
{
    return text != NULL && *text != '\0';
}

/* The frames of a line, outermost first, without the component. */
static ww_status stack_of(scope *s, const ww_line *line, uint32_t *stack, size_t *depth,
                          ww_error *err)
{
    ww_str name = {0};
    ww_status status = frame_of(s, line->workload, NULL, 0, &stack[(*depth)++], err);
    if (status == WW_OK && says(line->kernel)) {
        status = frame_of(s, line->kernel, NULL, 0, &stack[(*depth)++], err);
    }
    if (status == WW_OK && says(line->function)) {
        status = frame_of(s, line->function, NULL, 0, &stack[(*depth)++], err);
    }
    if (status == WW_OK && line->source_line != 0) {
        ww_str_addf(&name, "%s:%u", ww_path_base(line->source), line->source_line);
        status = frame_of(s, ww_str_text(&name), line->source, line->source_line,
                          &stack[(*depth)++], err);
    }
    if (status == WW_OK) {
        const bool is_place = line->line != 0;
        status = frame_of(s, line->text, is_place ? line->file : NULL, line->line,
                          &stack[(*depth)++], err);
    }
    ww_str_fini(&name);
    return status;
}

static ww_status put_line(scope *s, const ww_line *line, ww_error *err)
{
    static const double nano = 1e9;
    uint32_t stack[DEEPEST];
    size_t depth = 0;
    if (ww_line_j(line) <= 0) {
        return WW_OK;
    }
    WW_TRY(stack_of(s, line, stack, &depth, err));
    for (int p = 0; p < WW_PART_COUNT; p++) {
        if (line->joules[p] <= 0) {
            continue;
        }
        uint32_t component;
        WW_TRY(frame_of(s, ww_line_part_name((ww_line_part)p), NULL, 0, &component, err));
        ww_json_array(&s->sample, NULL);
        for (size_t i = 0; i < depth; i++) {
            ww_json_u64(&s->sample, NULL, stack[i]);
        }
        ww_json_u64(&s->sample, NULL, component);
        ww_json_end(&s->sample);
        ww_json_double(&s->weight, NULL, nano * line->joules[p]);
        s->end += nano * line->joules[p];
    }
    return WW_OK;
}

static ww_status put_all(scope *s, const ww_lines *lines, ww_error *err)
{
    ww_json *parts[] = {&s->frame, &s->sample, &s->weight};
    ww_str *texts[] = {&s->names, &s->samples, &s->weights};
    for (size_t i = 0; i < WW_ARRAY_LEN(parts); i++) {
        ww_json_init(parts[i], texts[i], 0);
        ww_json_array(parts[i], NULL);
    }
    for (size_t i = 0; i < lines->count; i++) {
        WW_TRY(put_line(s, &lines->line[i], err));
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(parts); i++) {
        ww_json_end(parts[i]);
        WW_TRY(ww_json_finish(parts[i], err));
    }
    return WW_OK;
}

/* The document around the three lists. */
static void put_document(const scope *s, const char *exporter, ww_str *out)
{
    ww_str_addf(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n");
    ww_str_addf(out, "\"exporter\":\"%s\",\n\"shared\":{\"frames\":%s},\n", exporter,
                ww_str_text(&s->names));
    ww_str_addf(out, "\"activeProfileIndex\":0,\n\"profiles\":[{\"type\":\"sampled\",");
    ww_str_addf(out, "\"name\":\"energy in nJ\",\"unit\":\"none\",\"startValue\":0,\"endValue\":");
    ww_str_add_double(out, s->end);
    ww_str_addf(out, ",\n\"samples\":%s,\n\"weights\":%s}]}\n", ww_str_text(&s->samples),
                ww_str_text(&s->weights));
}

ww_status ww_lines_speedscope(const ww_lines *lines, const char *exporter, ww_str *out,
                              ww_error *err)
{
    scope s = {0};
    ww_status status = put_all(&s, lines, err);
    if (status == WW_OK && !(s.end > 0)) {
        status = ww_fail(err, WW_ESCHEMA, "the lines have no joules: there is nothing to show");
    }
    if (status == WW_OK) {
        put_document(&s, exporter, out);
        status = ww_str_check(out, err);
    }
    ww_str_fini(&s.names);
    ww_str_fini(&s.samples);
    ww_str_fini(&s.weights);
    ww_map_fini(&s.frames);
    return status;
}
