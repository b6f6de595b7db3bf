/* svg_style.c - the colours of all drawings, light and dark. */
#include <string.h>

#include "analysis/svg.h"

/* Series colours are Paul Tol's "muted" scheme (Colour Schemes, SRON/EPS/TN/09-002), which stays
 * distinct under the common kinds of colour blindness, ordered so that neighbours differ in
 * lightness too; the dark theme lightens its dark members. */
static const struct rule {
    const char *selector;
    const char *light;
    const char *dark; /* NULL: as light */
} rules[] = {
    {"text",
     "font-family:system-ui,\"Segoe UI\",Helvetica,Arial,sans-serif;font-size:12px;fill:#1b1f24",
     "font-family:system-ui,\"Segoe UI\",Helvetica,Arial,sans-serif;font-size:12px;fill:#e6e8eb"},
    {".bg", "fill:#fff", "fill:#14171b"},
    {".s0", "fill:#332288", "fill:#7f74e0"},
    {".s1", "fill:#88ccee", NULL},
    {".s2", "fill:#117733", "fill:#2f9e58"},
    {".s3", "fill:#ddcc77", NULL},
    {".s4", "fill:#cc6677", NULL},
    {".s5", "fill:#44aa99", NULL},
    {".s6", "fill:#882255", "fill:#c0508a"},
    {".s7", "fill:#999933", NULL},
    {".s8", "fill:#aa4499", "fill:#c36ab4"},
    {".s9", "fill:#c4c7cc", "fill:#5b626b"},
    {".s10", "fill:#ee7733", NULL},
    {".s11", "fill:#8d7b68", "fill:#a8967f"},
    {".sep", "stroke:#fff;stroke-width:.6", "stroke:#14171b;stroke-width:.6"},
    {".gd", "stroke:#e3e6ea;stroke-width:1", "stroke:#2a3037;stroke-width:1"},
    {".ax", "stroke:#8a929c;stroke-width:1", "stroke:#6d7681;stroke-width:1"},
    {".mu", "fill:#59636e;font-size:11px", "fill:#a3acb6;font-size:11px"},
    {".sm", "font-size:11px", NULL},
    {".hd", "font-weight:600", NULL},
    {".nu", "font-size:11px;font-variant-numeric:tabular-nums", NULL},
    {".inv", "font-size:11px;font-variant-numeric:tabular-nums;fill:#fff",
     "font-size:11px;font-variant-numeric:tabular-nums;fill:#fff"},
    {".weak", "font-size:11px;font-style:italic;font-variant-numeric:tabular-nums;fill:#57606a",
     "font-size:11px;font-style:italic;font-variant-numeric:tabular-nums;fill:#a3acb6"},
    {".on", "fill:#1b1f24", "fill:#e6e8eb"},
    {".deep", "fill:#fff", NULL},
    {".pos", "fill:#0b5cad", "fill:#3b8fe0"},
    {".neg", "fill:#b3400f", "fill:#e0703a"},
    {".cell", "fill:none;stroke:#d5d9de;stroke-width:.6",
     "fill:none;stroke:#333a42;stroke-width:.6"},
    {".pt", "fill:#332288;fill-opacity:.72", "fill:#9a90f0;fill-opacity:.8"},
    {".fit", "stroke:#b3400f;stroke-width:1.5;fill:none",
     "stroke:#e88a5a;stroke-width:1.5;fill:none"},
    {".ls0", "stroke:#332288;stroke-width:2;fill:none", "stroke:#7f74e0;stroke-width:2;fill:none"},
    {".ls1", "stroke:#88ccee;stroke-width:2;fill:none", NULL},
    {".ls2", "stroke:#117733;stroke-width:2;fill:none", "stroke:#2f9e58;stroke-width:2;fill:none"},
    {".ls3", "stroke:#ddcc77;stroke-width:2;fill:none", NULL},
    {".ls4", "stroke:#cc6677;stroke-width:2;fill:none", NULL},
    {".ls5", "stroke:#44aa99;stroke-width:2;fill:none", NULL},
    {".ls6", "stroke:#882255;stroke-width:2;fill:none", "stroke:#c0508a;stroke-width:2;fill:none"},
    {".ls7", "stroke:#999933;stroke-width:2;fill:none", NULL},
    {".band", "fill:#8a929c;fill-opacity:.16", "fill:#a3acb6;fill-opacity:.16"},
    {".eb", "stroke:#1b1f24;stroke-width:1.2;stroke-opacity:.75",
     "stroke:#e6e8eb;stroke-width:1.2;stroke-opacity:.8"},
    {".one", "stroke:#1b1f24;stroke-width:1;stroke-dasharray:3 3",
     "stroke:#e6e8eb;stroke-width:1;stroke-dasharray:3 3"},
};

void ww_svg_style(ww_str *out, ww_svg_theme theme, const char *prefix)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(rules); i++) {
        bool dark = theme == WW_SVG_DARK;
        if (!dark || rules[i].dark != NULL) {
            ww_str_addf(out, "%s%s{%s}\n", prefix, rules[i].selector,
                        dark ? rules[i].dark : rules[i].light);
        }
    }
}

const char *ww_svg_series(const char *name, size_t i)
{
    static const char *const classes[] = {"s0 sep", "s1 sep", "s2 sep",  "s3 sep",
                                          "s4 sep", "s5 sep", "s6 sep",  "s7 sep",
                                          "s8 sep", "s9 sep", "s10 sep", "s11 sep"};
    static const char *const names[] = {"RF",  "EU", "WCU", "BP",     "LDSTU", "CP",
                                        "NOC", "MC", "GM",  "static", "MECH",  "REST"};
    for (size_t k = 0; k < WW_ARRAY_LEN(names); k++) {
        if (strcmp(name, names[k]) == 0) {
            return classes[k];
        }
    }
    return strcmp(name, "not modelled") == 0 ? classes[9] : classes[i % WW_ARRAY_LEN(classes)];
}
