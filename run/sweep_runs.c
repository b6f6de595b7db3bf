/* sweep_runs.c - the runs of a sweep: what each is made of, in parameters and in text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/sweep_parser.h"

/* ---- words ---- */

static bool same(const char *text, const char *word, size_t length)
{
    return strlen(text) == length && memcmp(text, word, length) == 0;
}

/* The next word of a list; NULL: none. */
static const char *next_word(const char *at, size_t *length)
{
    at += strspn(at, " ,");
    *length = strcspn(at, " ,");
    return *length > 0 ? at : NULL;
}

bool ww_sweep_item_is(const ww_sweep_item *item, const char *word, size_t length)
{
    if (same("all", word, length) || same(item->label, word, length) ||
        (item->workload != NULL && same(item->workload->name, word, length))) {
        return true;
    }
    size_t n;
    for (const char *c = next_word(item->classes, &n); c != NULL; c = next_word(c + n, &n)) {
        if (n == length && memcmp(c, word, n) == 0) {
            return true;
        }
    }
    return false;
}

bool ww_sweep_item_in(const ww_sweep_item *item, const char *words)
{
    size_t n;
    for (const char *w = next_word(words, &n); w != NULL; w = next_word(w + n, &n)) {
        if (ww_sweep_item_is(item, w, n)) {
            return true;
        }
    }
    return false;
}

static bool runs(const ww_sweep_set *set, const ww_sweep_item *item)
{
    return set->only == NULL || ww_sweep_item_in(item, set->only);
}

/* ---- what determines a run ---- */

static const char *sampling(const ww_sweep *s)
{
    if (s->sample_time) {
        return s->sample_kernels ? "fast" : s->sample_ctas ? "ctas" : "time";
    }
    if (s->sample_ctas) {
        return s->sample_kernels ? "auto" : "ctas";
    }
    return s->sample_kernels ? "kernels" : "none";
}

static const char *isa_name(const ww_sweep_run *run, ww_isa_mode isa)
{
    return ww_isa_name(isa == WW_ISA_DESCRIBED ? run->described_isa : isa);
}

uint64_t ww_sweep_budget(const ww_sweep *sweep, const ww_sweep_item *item)
{
    return item->max_instructions > 0 ? item->max_instructions : sweep->max_instructions;
}

size_t ww_sweep_shares(const ww_sweep *sweep, const ww_sweep_item *item, ww_budget_share *out)
{
    const double budget = (double)ww_sweep_budget(sweep, item);
    for (size_t i = 0; i < item->share_count; i++) {
        const ww_sweep_share *share = &item->share[i];
        out[i] = (ww_budget_share){.kernel = share->kernel,
                                   .from = share->from,
                                   .instructions = (uint64_t)ceil(share->part * budget)};
    }
    return item->share_count;
}

static const char *add_budget(ww_sweep *s, const ww_sweep_item *item, const char *text)
{
    ww_budget_share share[WW_SWEEP_SHARES];
    const uint64_t budget = ww_sweep_budget(s, item);
    if (text == NULL || budget == 0) {
        return text;
    }
    text =
        ww_arena_printf(&s->arena, "%smax_instructions %llu\n", text, (unsigned long long)budget);
    const size_t count = ww_sweep_shares(s, item, share);
    for (size_t i = 0; text != NULL && i < count; i++) {
        text = ww_arena_printf(&s->arena, "%sshare %s from %u %llu\n", text, share[i].kernel,
                               (unsigned)share[i].from, (unsigned long long)share[i].instructions);
    }
    return text;
}

static const char *describe(ww_sweep *s, const ww_sweep_run *run, const char *version)
{
    const ww_sweep_item *item = run->item;
    const char *machine = ww_arena_printf(&s->arena, "warpwatt %s\ngpu %s %016llx\n", version,
                                          run->set->gpu, (unsigned long long)run->config_hash);
    if (machine == NULL) {
        return NULL;
    }
    if (item->pass != NULL) {
        const char *pass = ww__sweep_describe_pass(s, item->pass);
        return pass != NULL ? ww_arena_printf(&s->arena, "%s%s", machine, pass) : NULL;
    }
    return add_budget(
        s, item,
        ww_arena_printf(&s->arena,
                        "%sworkload %s %s\nisa %s\ninterval %llu\nmax_cycles %llu\nsample %s%s\n",
                        machine, item->workload->name, ww_workload_size_name(item->size),
                        isa_name(run, s->isa), (unsigned long long)s->interval_cycles,
                        (unsigned long long)s->max_cycles, sampling(s), s->sample_aim));
}

/* What a description's own file gets wrong is located there; the rest is this file's. */
static void locate(const ww_sweep *s, const ww_sweep_set *set, ww_error *err)
{
    if (err->file[0] == '\0' || strcmp(err->file, "--set") == 0) {
        snprintf(err->file, sizeof err->file, "%s", s->file);
        err->line = set->line;
        err->column = 0;
    }
}

static ww_status hash_of(const ww_sweep *s, ww_sweep_run *run, ww_arch_family *family,
                         ww_error *err)
{
    ww_arch *arch = NULL;
    ww_status status =
        ww_arch_family_load(family, run->set->gpu, run->settings, run->setting_count, &arch, err);
    if (status != WW_OK) {
        ww_error_prefix(err, "configuration '%s': ", run->set->name);
        locate(s, run->set, err);
        return status;
    }
    run->config_hash = arch->config_hash;
    run->described_isa = ww_isa_resolve(arch, WW_ISA_DESCRIBED);
    run->capability = arch->chip.compute_capability;
    run->has_mechanism = arch->mechs != 0;
    ww_arch_destroy(arch);
    return WW_OK;
}

static ww_status add_settings(ww_sweep *s, ww_sweep_run *run, const ww_setting *chosen,
                              ww_error *err)
{
    const ww_sweep_set *set = run->set;
    const ww_sweep_item *item = run->item;
    size_t count = set->setting_count + set->chosen_count + item->setting_count;
    ww_setting *at = WW_ARENA_NEW_ARRAY(&s->arena, ww_setting, count + 1);
    if (at == NULL) {
        return ww__sweep_no_memory(err);
    }
    run->settings = at;
    run->setting_count = count;
    for (size_t i = 0; i < set->setting_count; i++) {
        *at++ = set->settings[i];
    }
    for (size_t i = 0; i < set->chosen_count; i++) {
        *at++ = chosen[i];
    }
    for (size_t i = 0; i < item->setting_count; i++) {
        *at++ = item->settings[i];
    }
    return WW_OK;
}

/* A sweep's workloads are for all of its machines that can run them. */
static ww_status leave_out(ww_sweep *s, ww_sweep_run *run, ww_error *err)
{
    const unsigned needs = run->item->workload->capability;
    run->left_out = ww_arena_printf(&s->arena, "%s: needs compute capability %u.%u, %s has %u.%u",
                                    run->item->workload->name, needs / 10, needs % 10,
                                    run->set->gpu, run->capability / 10, run->capability % 10);
    return run->left_out != NULL ? WW_OK : ww__sweep_no_memory(err);
}

ww_status ww__sweep_define(ww_sweep *s, ww_sweep_run *run, const ww_setting *chosen,
                           const char *version, ww_arch_family *family, ww_error *err)
{
    const ww_sweep_run *before = run > s->run ? run - 1 : NULL;
    bool plain = run->set->chosen_count == 0 && run->item->setting_count == 0;
    bool same = plain && before != NULL && before->set == run->set && before->spec != NULL &&
                before->item->setting_count == 0; /* and so is the machine */
    WW_TRY(add_settings(s, run, chosen, err));
    if (same) {
        run->config_hash = before->config_hash;
        run->described_isa = before->described_isa;
        run->capability = before->capability;
        run->has_mechanism = before->has_mechanism;
    } else {
        ww_error why = {0};
        ww_status status = hash_of(s, run, family, &why);
        if (status != WW_OK && run->set->optional) {
            run->left_out = ww_arena_strndup(&s->arena, why.what, strlen(why.what));
            return run->left_out != NULL ? WW_OK : ww__sweep_no_memory(err);
        }
        if (status != WW_OK) {
            if (err != NULL) {
                *err = why;
            }
            return status;
        }
    }
    if (run->item->workload != NULL && !ww_workload_runs_on(run->item->workload, run->capability)) {
        return leave_out(s, run, err);
    }
    run->spec = describe(s, run, version);
    return run->spec != NULL ? WW_OK : ww__sweep_no_memory(err);
}

/* ---- all of them ---- */

/* Of a run whose machine is not known yet. */
static bool asks_for_mechanism(const ww_sweep_set *set)
{
    for (size_t k = 0; k < set->setting_count; k++) {
        if (strcmp(set->settings[k].key, "mech.active") == 0) {
            return true;
        }
    }
    return false;
}

static ww_status add_runs_of(ww_sweep_parser *p, const ww_sweep_set *set, const char *version)
{
    ww_sweep *s = p->sweep;
    for (size_t i = 0; i < s->item_count; i++) {
        const ww_sweep_item *item = &s->item[i];
        if (!runs(set, item)) {
            continue;
        }
        ww_sweep_run *run = &s->run[s->run_count++];
        *run = (ww_sweep_run){.set = set, .item = item, .has_mechanism = asks_for_mechanism(set)};
        run->id = ww_arena_printf(&s->arena, "%s/%s", set->name, item->name);
        if (run->id == NULL) {
            return ww__sweep_no_memory(p->err);
        }
        if (set->chosen_count == 0) {
            WW_TRY(ww__sweep_define(s, run, NULL, version, &p->family, p->err));
        }
    }
    return WW_OK;
}

static ww_status add_all(ww_sweep_parser *p, bool waiting, const char *version)
{
    const ww_sweep *s = p->sweep;
    for (size_t i = 0; i < s->set_count; i++) {
        if ((s->set[i].chosen_count > 0) == waiting) {
            WW_TRY(add_runs_of(p, &s->set[i], version));
        }
    }
    return WW_OK;
}

ww_status ww__sweep_runs(ww_sweep_parser *p, const char *version)
{
    ww_sweep *s = p->sweep;
    size_t count = 0;
    for (size_t i = 0; i < s->set_count; i++) {
        for (size_t k = 0; k < s->item_count; k++) {
            count += runs(&s->set[i], &s->item[k]);
        }
    }
    if (count > WW_SWEEP_MAX_RUNS) {
        return ww_xml_fail(p->xml, ww_xml_root(p->xml), p->err, WW_ERANGE,
                           "%zu configurations of %zu workloads and passes are more than %d runs",
                           s->set_count, s->item_count, WW_SWEEP_MAX_RUNS);
    }
    s->run = WW_ARENA_NEW_ARRAY(&s->arena, ww_sweep_run, count + 1);
    if (s->run == NULL) {
        return ww__sweep_no_memory(p->err);
    }
    WW_TRY(add_all(p, false, version));
    return add_all(p, true, version);
}
