/* parts.c - arrays and provenance texts that several components use. */
#include "power/component.h"

#include <string.h>

#include "base/units.h"

static const char *bytes_text(uint64_t bits, char *buf, size_t size)
{
    return bits % 8 == 0 ? ww_units_format((double)bits / 8, "B", buf, size)
                         : ww_units_format((double)bits, "bit", buf, size);
}

const char *ww__array_text(ww__builder *b, const ww_array_spec *spec)
{
    char size[48];
    bytes_text(spec->bits, size, sizeof size);
    if (spec->kind == WW_ARRAY_CACHE) {
        return ww__text(b, "array model: %s cache, %u B lines, %u ways, %s", size,
                        (unsigned)(spec->line_bits / 8), (unsigned)spec->ways, b->node_text);
    }
    uint32_t rw = spec->rw_ports, r = spec->read_ports, w = spec->write_ports;
    return ww__text(b, "array model: %s %s, %u b words, %uRW%uR%uW, %s", size,
                    ww_array_kind_name(spec->kind), (unsigned)spec->word_bits,
                    (unsigned)(rw + r + w == 0 ? 1 : rw), (unsigned)r, (unsigned)w, b->node_text);
}

static const ww_array_result *find_solved(const ww__solved *solved, const ww_array_spec *spec)
{
    for (const struct ww__solved_array *s = solved->first; s != NULL; s = s->next) {
        if (ww_array_same(&s->spec, spec)) {
            return &s->result;
        }
    }
    return NULL;
}

static ww_status solve(ww__builder *b, const ww_array_spec *spec, ww_array_result *out)
{
    const ww_array_result *known = find_solved(b->solved, spec);
    if (known != NULL) {
        WW_ASSERT(spec->kind == WW_ARRAY_AUTO || known->kind == spec->kind);
        *out = *known;
        return WW_OK;
    }
    WW_TRY(ww_array_solve(spec, b->node, out, b->err));
    struct ww__solved_array *s = WW_ARENA_NEW(b->solved->arena, struct ww__solved_array);
    if (s == NULL) {
        return ww_no_memory(b->err);
    }
    *s = (struct ww__solved_array){.next = b->solved->first, .spec = *spec, .result = *out};
    b->solved->first = s;
    return WW_OK;
}

ww_array_result ww__array(ww__builder *b, const char *what, const ww_array_spec *spec)
{
    ww_array_result result = {0};
    if (b->status != WW_OK || spec->bits == 0) {
        return result;
    }
    ww_array_spec at_least =
        *spec; /* the array model starts at 64 bits: a single short entry counts as that */
    at_least.bits = spec->bits < 64 ? 64 : spec->bits;
    b->status = solve(b, &at_least, &result);
    if (b->status != WW_OK) {
        ww_error_prefix(b->err, "%s, %s: ", ww_component_name(b->component), what);
        result = (ww_array_result){0};
    }
    return result;
}

double ww__reference_hz(const ww__builder *b)
{
    double hz = b->arch->reference.core_hz;
    return hz > 0 ? hz : b->arch->clock.core_hz;
}

double ww__over_reference_v(const ww__builder *b)
{
    double v = b->arch->reference.vdd_v;
    return v > 0 ? b->arch->chip.vdd_v / v : 1;
}

double ww__activation_j(const ww__builder *b, double w)
{
    double v = ww__over_reference_v(b);
    return w / ww__reference_hz(b) * v * v;
}

ww_array_result ww__cache(ww__builder *b, const char *what, const ww_cache_params *cache)
{
    ww_array_spec spec = ww_array_cache(cache->bytes, cache->line_bytes, cache->ways);
    return ww__array(b, what, &spec);
}

const char *ww__config_text(ww__builder *b, const char *key)
{
    const char *source = b->arch->config != NULL ? ww_arch_source(b->arch, key) : "";
    return source[0] != '\0' ? ww__text(b, "%s: %s", key, source) : ww__text(b, "%s", key);
}
