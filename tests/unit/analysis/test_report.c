/* Is the page self-contained, safe against hostile names and the same bytes each time, and do its
 * data hold? */
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_name.h"
#include "analysis/report.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/xml.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

enum { KERNELS = 4, INTERVALS = 1000 };

#define HOSTILE "<script>alert(1)</script>"

static const ww_report_options options = {.version = "test", .resamples = 50, .seed = 1};

static void put(const char *dir, const char *name, const ww_str *text)
{
    ww_error err = {0};
    ww_arena arena = {0};
    assert_ok(ww_write_file(ww_path_join(&arena, dir, name), ww_str_text(text), text->len, &err),
              err);
    ww_arena_fini(&arena);
}

static char *get(const char *dir, const char *name)
{
    ww_error err = {0};
    ww_arena arena = {0};
    char *text = NULL;
    size_t length = 0;
    assert_ok(ww_read_file(ww_path_join(&arena, dir, name), 1 << 26, &text, &length, &err), err);
    ww_arena_fini(&arena);
    return text;
}

/* A result folder as a run writes it: four kernels, two components, power that steps up during each
 * launch. */
static void make_folder(const char *dir, double watts)
{
    ww_error err = {0};
    ww_str kernels = {0}, power = {0}, trace = {0}, area = {0}, run = {0};
    assert_ok(ww_make_dirs(dir, &err), err);
    ww_str_add(&kernels,
               "workload,kernel,launch,cycles [cycle],time [s],IPC,TI,AI,BI,MI,CE,SU,PS,AW\n");
    ww_str_add(&power, "workload,kernel,launch,component,event_energy [J],background_energy "
                       "[J],leakage_energy [J]\n");
    ww_str_add(&trace,
               "workload,kernel,launch,start [s],end [s],RF [W],GM [W],static [W],total [W]\n");
    for (int k = 0; k < KERNELS; k++) {
        ww_str_addf(&kernels, "%s,k%d,0,1000,1e-6,%d,1,.5,.1,.%d,,32,.%d,8\n", HOSTILE, k,
                    100 * k + 50, k + 1, 9 - k);
        ww_str_addf(&power, "%s,k%d,0,RF,%g,0,0\n%s,k%d,0,GM,0,%ge-6,0\n%s,k%d,0,TOTAL,0,0,1e-6\n",
                    HOSTILE, k, watts * k * 1e-6, HOSTILE, k, watts, HOSTILE, k);
        for (int i = 0; i < INTERVALS; i++) {
            ww_str_addf(&trace, "%s,k%d,0,%d.0e-9,%d.0e-9,%d,%g,1,0\n", HOSTILE, k, i, i + 1,
                        i % 7 + k, watts);
        }
    }
    ww_str_addf(
        &run,
        "{\"schema_version\": 1, \"warpwatt\": \"t\", \"command\": \"%s\", \"gpu\": "
        "\"g%g\", \"config_hash\": \"%g\", \"parameters\": ["
        "{\"key\": \"sm.count\", \"value\": \"16\", \"unit\": \"1\", \"source\": \"%s\", "
        "\"file\": \"f.xml\", \"line\": 3},"
        "{\"key\": \"sm.schedulers\", \"value\": \"2\", \"unit\": \"1\", \"source\": "
        "\"s\", \"file\": \"f.xml\", \"line\": 4},"
        "{\"key\": \"l2.bytes\", \"value\": \"%g\", \"unit\": \"B\", \"source\": \"s\", \"file\": "
        "\"f.xml\", \"line\": 5}]}",
        HOSTILE, watts, watts, HOSTILE, watts);
    put(dir, "kernels.csv", &kernels);
    put(dir, "power.csv", &power);
    put(dir, "trace.csv", &trace);
    ww_str_addf(&area,
                "component,structure,instances [1],kind,area [mm2],leakage [W],source\n"
                "RF,RF,1,circuit,0,0,\nRF,RF/banks,4,circuit,%g,1,s\n"
                "RF,RF/placement,1,fit,2,0,s\nBP,BP/rest,1,rest,100,0,s\n",
                watts);
    put(dir, "area.csv", &area);
    ww_str_fini(&area);
    put(dir, "run.json", &run);
    ww_str_fini(&kernels);
    ww_str_fini(&power);
    ww_str_fini(&trace);
    ww_str_fini(&run);
}

typedef struct place {
    char dir[FOLDER_PATH], a[80], b[80], c[80], html[80], again[80];
} place;

static int open_place(void **state)
{
    static place p;
    assert_int_equal(folder_create(p.dir), 0);
    snprintf(p.a, sizeof p.a, "%s/a", p.dir);
    snprintf(p.b, sizeof p.b, "%s/b", p.dir);
    snprintf(p.html, sizeof p.html, "%s/report.html", p.dir);
    snprintf(p.again, sizeof p.again, "%s/again.html", p.dir);
    make_folder(p.a, 5);
    make_folder(p.b, 7);
    snprintf(p.c, sizeof p.c, "%s/c", p.dir);
    make_folder(p.c, 9);
    *state = &p;
    return 0;
}

static int close_place(void **state)
{
    return folder_remove(((place *)*state)->dir);
}

static void write_report(const char *const *dirs, size_t count, const char *html)
{
    ww_error err = {0};
    ww_report *report = NULL;
    assert_ok(ww_report_create(&report, &err), err);
    for (size_t i = 0; i < count; i++) {
        assert_ok(ww_report_add_results(report, dirs[i], &err), err);
    }
    assert_ok(ww_report_write(report, html, &options, &err), err);
    ww_report_destroy(report);
}

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;
    for (const char *p = strstr(text, needle); p != NULL; p = strstr(p + 1, needle)) {
        count++;
    }
    return count;
}

static void page_is_self_contained_and_safe(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a};
    write_report(dirs, 1, p->html);
    char *page = get(p->dir, "report.html");
    assert_null(strstr(page, "<script>alert"));
    assert_non_null(strstr(page, "&lt;script&gt;alert"));
    assert_int_equal(count_of(page, "<script>"), 1); /* our own */
    assert_int_equal(count_of(page, "http"),
                     count_of(page, "http://www.w3.org/2000/svg") + 1); /* http-equiv */
    assert_int_equal(count_of(page, "src="), 0);
    assert_int_equal(count_of(page, "url("), 0);
    assert_int_equal(count_of(page, "nan"), 0);
    assert_int_equal(count_of(page, "<h3>"), 9); /* energy, breakdown, categories, correlation,
                                                    scatter, trace, area, metrics, configuration */
    assert_int_equal(count_of(page, "<svg"), count_of(page, "<desc"));
    assert_non_null(strstr(page, "f.xml:3"));
    ww_free(page);
}

/* Drawings have colours of their own on a dark screen, within what asks for one. */
static void drawings_are_dark_on_a_dark_screen(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a};
    write_report(dirs, 1, p->html);
    char *page = get(p->dir, "report.html"), *dark = page;
    const char *rule = "svg.plot .bg{fill:#14171b}";
    assert_non_null(strstr(page, rule));
    do {
        dark = strstr(dark + 1, "(prefers-color-scheme:dark)");
        assert_non_null(dark);
    } while (strstr(dark + 1, "(prefers-color-scheme:dark)") != NULL);
    assert_true(strstr(page, rule) > dark);
    ww_free(page);
}

/* Each figure's numbers can be taken from the page. */
static void figures_offer_their_data(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a};
    write_report(dirs, 1, p->html);
    char *page = get(p->dir, "report.html");
    /* but of the configuration, which is a table */
    assert_int_equal(count_of(page, "<a download=") + 1, count_of(page, "<h3>"));
    ww_free(page);
}

/* k1 becomes a kernel of C++ in every table of the folder. */
static void rename_kernel(const char *dir)
{
    static const char *const files[] = {"kernels.csv", "power.csv", "trace.csv"};
    for (size_t i = 0; i < 3; i++) {
        char *text = get(dir, files[i]);
        ww_str out = {0};
        const char *from = text;
        for (const char *at; (at = strstr(from, ",k1,")) != NULL; from = at + 4) {
            ww_str_add_n(&out, from, (size_t)(at - from));
            ww_str_add(&out, ",_Z4calcILi4EEvPfi,");
        }
        ww_str_add(&out, from);
        put(dir, files[i], &out);
        ww_str_fini(&out);
        ww_free(text);
    }
}

/* As people write them in what people read, as the PTX has them in what programs read. */
static void kernels_have_their_names(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->c};
    ww_arena arena = {0};
    assert_string_equal(ww_kernel_plain(&arena, "w/k"), "w/k");
    const char *plain = ww_kernel_plain(&arena, "w/_Z4calcILi4EEvPfi");
    if (strcmp(plain, "w/calc") != 0) { /* no C++ library */
        assert_string_equal(plain, "w/_Z4calcILi4EEvPfi");
        ww_arena_fini(&arena);
        skip();
    }
    rename_kernel(p->c);
    write_report(dirs, 1, p->html);
    char *page = get(p->dir, "report.html");
    assert_true(count_of(page, "/calc<") > 2); /* labels of charts, rows of tables */
    assert_null(strstr(page, "_Z4calc"));
    ww_free(page);
    char *table = get(p->dir, "report-files/metrics.csv");
    assert_non_null(strstr(table, "_Z4calcILi4EEvPfi"));
    ww_free(table);
    ww_arena_fini(&arena);
}

static void same_input_same_bytes(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a, p->b};
    write_report(dirs, 2, p->html);
    write_report(dirs, 2, p->again);
    char *one = get(p->dir, "report.html"), *two = get(p->dir, "again.html");
    assert_string_equal(one, two);
    assert_non_null(strstr(one, "id=\"s0-comparison\""));
    ww_free(one);
    ww_free(two);
}

/* One number of a CSV that a report left, by name of its row. */
static double number_in(const char *dir, const char *name, const char *row, const char *column)
{
    ww_error err = {0};
    ww_csv *csv = NULL;
    char *text = get(dir, name);
    size_t at;
    double value = 0;
    assert_ok(ww_csv_parse(name, text, strlen(text), &csv, &err), err);
    assert_ok(ww_csv_find(csv, column, &at, &err), err);
    size_t i = 0;
    while (i < ww_csv_rows(csv) && strcmp(ww_csv_text(csv, i, 0), row) != 0) {
        i++;
    }
    assert_ok(ww_csv_double(csv, i, at, &value, &err), err);
    ww_csv_destroy(csv);
    ww_free(text);
    return value;
}

/* The figures hold what area.csv holds: kinds apart for one machine, sums for several. */
static void dies_are_summed(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a, p->b};
    write_report(dirs, 1, p->html);
    double banks = number_in(p->dir, "report-files/area.csv", "RF", "circuit");
    assert_true(banks > 0);
    assert_near(number_in(p->dir, "report-files/area.csv", "RF", "fit"), 2, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/area.csv", "not modelled", "rest"), 100, 1e-12, 0);
    write_report(dirs, 2, p->html);
    assert_near(number_in(p->dir, "report-files/areas.csv", "a", "RF"), banks + 2, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/areas.csv", "b", "not modelled"), 100, 1e-12, 0);
}

/* The first figure is joules: of kernel 1 5 + 5 uJ and 1 uJ of static power; the table of metrics
 * has them beside the watts. */
static void energy_comes_first(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a};
    const char *k1 = HOSTILE "/k1";
    write_report(dirs, 1, p->html);
    assert_near(number_in(p->dir, "report-files/energy.csv", k1, "total"), 11e-6, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/energy.csv", k1, "RF"), 5e-6, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/energy.csv", k1, "static"), 1e-6, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/metrics.csv", k1, "energy"), 11, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/metrics.csv", k1, "total"), 11, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/breakdown.csv", k1, "total"), 11, 1e-12, 0);
    char *page = get(p->dir, "report.html");
    assert_true(strstr(page, "id=\"s1-energy\"") < strstr(page, "id=\"s1-breakdown\""));
    assert_non_null(strstr(page, "Mean total power"));
    assert_non_null(strstr(page, "register file: banks")); /* of the glossary */
    assert_null(strstr(page, "network on chip"));          /* no such component on this page */
    assert_non_null(strstr(page, "mean resident warps of an active SM"));
    assert_null(strstr(page, "createElement('button')")); /* lost in heads repeated in print */
    ww_free(page);
}

/* The points of a set, whose number is `at`, are those of its row. */
static void assert_drawn_as_listed(const char *dir, const char *drawing, const char *set, int at)
{
    static const char *const quantities[] = {"time", "power", "energy"};
    char name[80], tip[80];
    snprintf(name, sizeof name, "report-files/%s", drawing);
    char *svg = get(dir, name);
    for (size_t q = 0; q < WW_ARRAY_LEN(quantities); q++) {
        snprintf(tip, sizeof tip, "%s at %d: %.3f", quantities[q], at,
                 number_in(dir, "report-files/swept.csv", set, quantities[q]));
        assert_non_null(strstr(svg, tip));
    }
    ww_free(svg);
}

/* Three machines that differ in one number are points of a line, in its order. */
static void a_swept_parameter_is_an_axis(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->b, p->c, p->a};
    write_report(dirs, 2, p->html);
    char *page = get(p->dir, "report.html");
    assert_null(strstr(page, "Over l2.bytes")); /* two are a comparison */
    ww_free(page);
    write_report(dirs, 3, p->html);
    page = get(p->dir, "report.html");
    assert_non_null(strstr(page, "Over l2.bytes"));
    assert_non_null(strstr(page, "l2.bytes [B]"));
    ww_free(page);
    char *csv = get(p->dir, "report-files/swept.csv");
    assert_true(strstr(csv, "\na,5,") < strstr(csv, "\nb,7,"));
    assert_true(strstr(csv, "\nb,7,") < strstr(csv, "\nc,9,"));
    assert_near(number_in(p->dir, "report-files/swept.csv", "b", "energy"), 1, 1e-12, 0);
    assert_true(number_in(p->dir, "report-files/swept.csv", "c", "energy") > 1);
    ww_free(csv);
    assert_drawn_as_listed(p->dir, "swept-mean.svg", "a", 5);
    assert_drawn_as_listed(p->dir, "swept-mean.svg", "b", 7);
    assert_drawn_as_listed(p->dir, "swept-mean.svg", "c", 9);
}

/* Sets behind the base are in the parameter's order, and what differs is a table: not where more
 * than one thing does. */
static void sets_are_in_the_parameters_order(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->b, p->c, p->a};
    write_report(dirs, 3, p->html);
    char *csv = get(p->dir, "report-files/differences.csv");
    assert_string_equal(csv, "set,parameter,value,of the base,unit\n"
                             "a,l2.bytes,5,7,B\nc,l2.bytes,9,7,B\n");
    ww_free(csv);
    char *page = get(p->dir, "report.html");
    assert_true(strstr(page, "id=\"s1-set\">b<") < strstr(page, "id=\"s2-set\">a<"));
    assert_true(strstr(page, "id=\"s2-set\">a<") < strstr(page, "id=\"s3-set\">c<"));
    assert_null(strstr(page, " instead of "));
    ww_free(page);
    write_report(dirs, 2, p->html);
    page = get(p->dir, "report.html");
    assert_non_null(strstr(page, "id=\"s2-set\">c<")); /* of two, as they were given */
    ww_free(page);
}

/* Ticks of bytes are read in KiB, the data stay in bytes; lines that cover each other are told: all
 * kernels take as long on all machines. */
static void a_swept_axis_tells_units_and_hidden_lines(void **state)
{
    place *p = *state;
    const double kib[] = {64, 16, 32};
    const char *const dirs[] = {p->a, p->b, p->c};
    for (size_t i = 0; i < WW_ARRAY_LEN(kib); i++) {
        make_folder(dirs[i], 1024 * kib[i]);
    }
    write_report(dirs, 3, p->html);
    char *page = get(p->dir, "report.html");
    assert_non_null(strstr(page, "l2.bytes [KiB]"));
    assert_null(strstr(page, "l2.bytes [B]"));
    assert_non_null(strstr(page, "The lines of IPC and time lie on each other."));
    assert_non_null(strstr(page, "The lines of power, energy and EDP lie on each other."));
    ww_free(page);
    assert_drawn_as_listed(p->dir, "swept-mean.svg", "b", 16);
    assert_drawn_as_listed(p->dir, "swept-mean.svg", "a", 64);
    assert_near(number_in(p->dir, "report-files/swept.csv", "b", "l2.bytes"), 16384, 1e-12, 0);
    char *csv = get(p->dir, "report-files/differences.csv");
    assert_non_null(strstr(csv, "b,l2.bytes,16,64,KiB"));
    ww_free(csv);
}

/* Two launches of a kernel, whose mechanism came to these values; one of them told nothing. */
static void put_measures(const char *dir, const char *mech, double first, double second)
{
    ww_str text = {0};
    ww_str_addf(&text,
                "workload,kernel,launch,mechanism,measure,value,unit,meaning\n"
                "w,k,0,%s,coverage,%g,1,m\nw,k,0,%s,distance,,cycle,m\n"
                "w,k,1,%s,coverage,%g,1,m\nw,k,1,%s,distance,40,cycle,m\n",
                mech, first, mech, mech, second, mech);
    put(dir, "mechanisms.csv", &text);
    ww_str_fini(&text);
}

/* What mechanisms came to stands by kernel, the sets one below the other; without a mechanism there
 * is no such section. */
static void mechanisms_are_listed_by_kernel_and_set(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a, p->b, p->c};
    write_report(dirs, 3, p->html);
    char *page = get(p->dir, "report.html");
    assert_null(strstr(page, ">Mechanisms<"));
    ww_free(page);
    put_measures(p->b, "nlp", 0.25, 0.75);
    put_measures(p->c, "intra", 0.5, 1);
    write_report(dirs, 3, p->html);
    page = get(p->dir, "report.html");
    assert_int_equal(count_of(page, ">Mechanisms</h3>"), 1);
    ww_free(page);
    char *csv = get(p->dir, "report-files/mechanisms.csv");
    assert_non_null(strstr(csv, "\nw/k,coverage,b,nlp,0.5,1,2,m\nw/k,coverage,c,intra,0.75,1,2,m\n"
                                "w/k,distance,b,nlp,40,cycle,1,m\n"));
    ww_free(csv);
    write_report(&dirs[1], 1, p->html);
    page = get(p->dir, "report.html");
    assert_non_null(strstr(page, "id=\"s1-mechanisms\""));
    ww_free(page);
    ww_str bad = {0};
    ww_str_add(&bad, "workload,kernel,launch,mechanism,measure,value,unit,meaning\n"
                     "w,k,0,nlp,coverage,much,1,m\n");
    put(p->a, "mechanisms.csv", &bad);
    ww_str_fini(&bad);
    ww_error err = {0};
    ww_report *report = NULL;
    assert_ok(ww_report_create(&report, &err), err);
    assert_int_equal(ww_report_add_results(report, p->a, &err), WW_EPARSE);
    assert_int_equal(err.line, 2);
    ww_report_destroy(report);
}

/* Bars of a kernel stand together, one per set: 5 and 7 W of GM on one axis. */
static void components_stand_side_by_side(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a, p->b};
    write_report(dirs, 2, p->html);
    char *csv = get(p->dir, "report-files/components.csv");
    assert_int_equal(count_of(csv, "\n"), 1 + 2 * KERNELS);
    assert_near(number_in(p->dir, "report-files/components.csv", HOSTILE "/k1", "total"), 11, 1e-12,
                0);
    assert_near(number_in(p->dir, "report-files/components.csv", HOSTILE "/k1", "static"), 1, 1e-12,
                0);
    assert_true(strstr(csv, "/k1,b,") < strstr(csv, "/k2,a,"));
    ww_free(csv);
    char *svg = get(p->dir, "report-files/components.svg");
    assert_int_equal(count_of(svg, "class=\"hd\""), KERNELS); /* a heading each */
    const char *a = strstr(svg, "/k1 \xC2\xB7 a \xC2\xB7 GM: 5.0 W");
    const char *b = strstr(svg, "/k1 \xC2\xB7 b \xC2\xB7 GM: 7.0 W");
    assert_true(a != NULL && b != NULL && a < b);
    ww_free(svg);
}

/* A model's pass is listed operator by operator, what passes between kernels last. */
static void a_pass_is_listed(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a};
    ww_str text = {0};
    ww_str_add(&text, "operator,kind,count [1],time [s],energy [J],flops [1],bytes [B],peak_flops "
                      "[1],memory_bytes [B],joules_per_flop [J],joules_per_byte [J],idle_power "
                      "[W]\n"
                      "dense,gemm,3,0.25,8,1e9,1e6,1e12,1e9,1e-12,1e-11,40\n"
                      "between,,1,0.125,5,,,,1e9,1e-12,1e-11,40\n");
    put(p->a, "operators.csv", &text);
    ww_str_fini(&text);
    write_report(dirs, 1, p->html);
    assert_near(number_in(p->dir, "report-files/pass.csv", "dense", "count"), 3, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/pass.csv", "dense", "time"), 0.25, 1e-12, 0);
    assert_near(number_in(p->dir, "report-files/pass.csv", "between", "energy"), 5, 1e-12, 0);
}

static void drawings_are_well_formed(void **state)
{
    static const char *const names[] = {
        "report-files/breakdown.svg",   "report-files/categories.svg",
        "report-files/correlation.svg", "report-files/scatter-RF.svg",
        "report-files/scatter-TP.svg",  "report-files/trace.svg",
        "report-files/area.svg"};
    place *p = *state;
    const char *const dirs[] = {p->a};
    write_report(dirs, 1, p->html);
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ww_error err = {0};
        ww_xml *xml = NULL;
        char *text = get(p->dir, names[i]);
        assert_ok(ww_xml_parse(names[i], text, strlen(text), &xml, &err), err);
        ww_xml_destroy(xml);
        ww_free(text);
    }
}

/* 4000 intervals become 400 steps; the energy stays. */
static void resampling_keeps_the_energy(void **state)
{
    place *p = *state;
    const char *const dirs[] = {p->a};
    ww_error err = {0};
    ww_csv *csv = NULL;
    double energy_j = 0, expected_j = 0;
    write_report(dirs, 1, p->html);
    char *text = get(p->dir, "report-files/trace.csv");
    assert_ok(ww_csv_parse("trace", text, strlen(text), &csv, &err), err);
    assert_int_equal(ww_csv_rows(csv), 400);
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        double start, end, rf;
        assert_ok(ww_csv_double(csv, row, 0, &start, &err), err);
        assert_ok(ww_csv_double(csv, row, 1, &end, &err), err);
        assert_ok(ww_csv_double(csv, row, 2, &rf, &err), err);
        energy_j += rf * (end - start);
    }
    for (int k = 0; k < KERNELS; k++) {
        for (int i = 0; i < INTERVALS; i++) {
            expected_j += (i % 7 + k) * 1e-9;
        }
    }
    assert_near(energy_j, expected_j, 1e-9, 0);
    ww_csv_destroy(csv);
    ww_free(text);
    /* Below it each kernel has its band. */
    size_t bands = 0;
    text = get(p->dir, "report-files/trace.svg");
    for (const char *at = text; (at = strstr(at, "class=\"band\"")) != NULL; at++) {
        bands++;
    }
    assert_int_equal(bands, KERNELS);
    ww_free(text);
}

static void faults_are_errors(void **state)
{
    place *p = *state;
    ww_error err = {0};
    ww_report *report = NULL;
    ww_str text = {0};
    assert_ok(ww_report_create(&report, &err), err);
    assert_int_equal(ww_report_write(report, p->html, &options, &err), WW_ERANGE);
    assert_int_equal(ww_report_add_results(report, "/nowhere", &err), WW_ENOTFOUND);
    ww_str_add(&text,
               "workload,kernel,launch,start [s],end [s],RF [W]\nw,k,0,0,1,1\nw,k,0,2,3,1\n");
    put(p->a, "trace.csv", &text);
    assert_ok(ww_report_add_results(report, p->a, &err), err);
    assert_int_equal(ww_report_write(report, p->html, &options, &err), WW_ESCHEMA);
    assert_int_equal(err.line, 3);
    ww_str_fini(&text);
    ww_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(page_is_self_contained_and_safe, open_place, close_place),
        cmocka_unit_test_setup_teardown(drawings_are_dark_on_a_dark_screen, open_place,
                                        close_place),
        cmocka_unit_test_setup_teardown(figures_offer_their_data, open_place, close_place),
        cmocka_unit_test_setup_teardown(same_input_same_bytes, open_place, close_place),
        cmocka_unit_test_setup_teardown(kernels_have_their_names, open_place, close_place),
        cmocka_unit_test_setup_teardown(dies_are_summed, open_place, close_place),
        cmocka_unit_test_setup_teardown(energy_comes_first, open_place, close_place),
        cmocka_unit_test_setup_teardown(a_swept_parameter_is_an_axis, open_place, close_place),
        cmocka_unit_test_setup_teardown(sets_are_in_the_parameters_order, open_place, close_place),
        cmocka_unit_test_setup_teardown(a_swept_axis_tells_units_and_hidden_lines, open_place,
                                        close_place),
        cmocka_unit_test_setup_teardown(mechanisms_are_listed_by_kernel_and_set, open_place,
                                        close_place),
        cmocka_unit_test_setup_teardown(components_stand_side_by_side, open_place, close_place),
        cmocka_unit_test_setup_teardown(a_pass_is_listed, open_place, close_place),
        cmocka_unit_test_setup_teardown(drawings_are_well_formed, open_place, close_place),
        cmocka_unit_test_setup_teardown(resampling_keeps_the_energy, open_place, close_place),
        cmocka_unit_test_setup_teardown(faults_are_errors, open_place, close_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
