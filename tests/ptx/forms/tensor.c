/* tensor.c - boxes of tensors of one to five dimensions: tiles and im2col columns that reach over
 * the edges, loaded, stored and reduced, against a walk over every element; and tensor maps changed
 * on the device. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"
#include "isa/tensor_map.h"

enum { THREADS = 64, TENSOR = 1 << 18, ROOM = 8192, CTAS = 2, BAR = ROOM, PARTS = 4 };

static unsigned char tensor[TENSOR], before[TENSOR], boxes[CTAS][ROOM], inside[ROOM];

/* What a kernel is about. */
typedef struct job {
    ww_tensor_map map;
    int32_t at[WW_TENSOR_RANK];
    uint16_t shift[WW_TENSOR_SPATIAL];
    unsigned rank;
    bool columns, loads, reduces, prefetches, multicast;
} job;

static unsigned rank_of(const char *form)
{
    const char *p = strstr(form, ".tensor.");
    return p != NULL ? (unsigned)(p[8] - '0') : 0;
}

/* f16 tiles in all swizzles; 32-bit integers where they are reduced. */
static job job_of(const char *form)
{
    job j = {.rank = rank_of(form),
             .columns = strstr(form, "im2col") != NULL,
             .reduces = strncmp(form, "cp.reduce", 9) == 0,
             .prefetches = form_has(form, "prefetch"),
             .multicast = form_has(form, "multicast::cluster")};
    j.loads = form_has(form, "mbarrier::complete_tx::bytes");
    unsigned bytes = j.reduces ? 4 : 2;
    ww_tensor_map *m = &j.map;
    static const uint32_t dims[] = {40, 9, 7, 5, 3}, boxes_of[] = {32, 5, 3, 2, 2};
    static const int32_t ats[] = {16, -2, 5, 3, 1};
    m->type = j.reduces ? (form_has(form, "add") || form_has(form, "min") || form_has(form, "max")
                               ? WW_TENSOR_S32
                               : WW_TENSOR_U32)
                        : WW_TENSOR_F16;
    m->rank = (uint8_t)j.rank;
    m->swizzle = j.reduces ? WW_SWIZZLE_128B : j.rank % 2 == 0 ? WW_SWIZZLE_64B : WW_SWIZZLE_NONE;
    m->fill = !j.reduces && j.rank == 3;
    m->stride[0] = bytes;
    for (unsigned i = 0; i < j.rank; i++) {
        m->dim[i] = dims[i];
        m->box[i] = boxes_of[i];
        m->step[i] = i == 1 && !j.columns ? 2 : 1;
        j.at[i] = ats[i];
        if (i > 0) {
            m->stride[i] = i == 1 ? 40 * bytes + 16 : m->stride[i - 1] * dims[i - 1];
        }
    }
    if (j.columns) {
        m->im2col = true;
        m->pixels = 40;
        for (unsigned i = 0; i + 2 < j.rank; i++) {
            m->lower[i] = -1;
            m->upper[i] = i == 0 ? -1 : 0;
            j.at[i + 1] = i == 0 ? 2 : -1;
            j.shift[i] = (uint16_t)(i + 1);
        }
        j.at[j.rank - 1] = 0;
    }
    return j;
}

/* An element of the box: its linear number, and where it lies in the tensor; < 0: outside. */
typedef void visitor(void *user, unsigned number, int64_t offset);

static int64_t offset_of(const ww_tensor_map *m, const int64_t *place)
{
    int64_t offset = 0;
    for (unsigned i = 0; i < m->rank; i++) {
        if (place[i] < 0 || place[i] >= (int64_t)m->dim[i]) {
            return -1;
        }
        offset += place[i] * (int64_t)m->stride[i];
    }
    return offset;
}

static void visit_tile(const job *j, visitor *see, void *user)
{
    const ww_tensor_map *m = &j->map;
    uint32_t index[WW_TENSOR_RANK] = {0};
    unsigned number = 0;
    for (bool more = true; more;) {
        int64_t place[WW_TENSOR_RANK];
        for (unsigned i = 0; i < m->rank; i++) {
            place[i] = j->at[i] + (int64_t)index[i] * (i == 0 ? 1 : m->step[i]);
        }
        see(user, number++, offset_of(m, place));
        more = false;
        for (unsigned i = 0; i < m->rank && !more; i++) {
            uint32_t step = i == 0 ? 1 : m->step[i];
            more = ++index[i] < (m->box[i] + step - 1) / step;
            index[i] = more ? index[i] : 0;
        }
    }
}

static void visit_column(const job *j, visitor *see, void *user)
{
    const ww_tensor_map *m = &j->map;
    int64_t base[WW_TENSOR_RANK];
    unsigned last = m->rank - 1u, number = 0;
    for (unsigned i = 0; i < m->rank; i++) {
        base[i] = j->at[i];
    }
    for (unsigned pixel = 0; pixel < m->pixels; pixel++) {
        for (unsigned c = 0; c < m->box[0]; c++) {
            int64_t place[WW_TENSOR_RANK];
            memcpy(place, base, sizeof place);
            place[0] += c;
            for (unsigned i = 1; i < last && (j->loads || j->prefetches); i++) {
                place[i] += j->shift[i - 1];
            }
            see(user, number++, offset_of(m, place));
        }
        bool carry = true;
        for (unsigned i = 1; i < last && carry; i++) {
            carry = ++base[i] >= (int64_t)m->dim[i] + m->upper[i - 1];
            base[i] = carry ? m->lower[i - 1] : base[i];
        }
        base[last] += carry;
    }
}

static void visit(const job *j, visitor *see, void *user)
{
    (j->columns ? visit_column : visit_tile)(j, see, user);
}

/* Rows follow each other; of a swizzle, 16-byte groups of a span change places by bits 7 and up. */
static unsigned shared_place(const job *j, unsigned number)
{
    unsigned at = number * (unsigned)j->map.stride[0], span = 16u << j->map.swizzle;
    return j->map.swizzle == 0 ? at : at ^ ((at / 128 % (span / 16)) * 16);
}

static void count_bytes(void *user, unsigned number, int64_t offset)
{
    (void)offset;
    *(unsigned *)user = number + 1;
}

typedef struct expectation {
    const job *j;
    const char *form;
    unsigned char *box, *tensor;
} expectation;

static void expect_load(void *user, unsigned number, int64_t offset)
{
    const expectation *e = user;
    uint16_t v = e->j->map.fill != 0 ? 0x7ff7 : 0;
    if (offset >= 0) {
        memcpy(&v, tensor + offset, sizeof v);
    }
    memcpy(e->box + shared_place(e->j, number), &v, sizeof v);
}

static void expect_store(void *user, unsigned number, int64_t offset)
{
    const expectation *e = user;
    if (offset >= 0) {
        memcpy(e->tensor + offset, inside + shared_place(e->j, number), e->j->map.stride[0]);
    }
}

static void expect_reduction(void *user, unsigned number, int64_t offset)
{
    const expectation *e = user;
    uint32_t v, old;
    if (offset < 0) {
        return;
    }
    memcpy(&v, inside + shared_place(e->j, number), sizeof v);
    memcpy(&old, e->tensor + offset, sizeof old);
    bool less = (int32_t)v < (int32_t)old;
    uint32_t now = form_has(e->form, "add")   ? old + v
                   : form_has(e->form, "min") ? (less ? v : old)
                   : form_has(e->form, "max") ? (less ? old : v)
                   : form_has(e->form, "inc") ? (old >= v ? 0 : old + 1)
                   : form_has(e->form, "dec") ? (old == 0 || old > v ? v : old - 1)
                   : form_has(e->form, "and") ? (old & v)
                   : form_has(e->form, "or")  ? (old | v)
                                              : (old ^ v);
    memcpy(e->tensor + offset, &now, sizeof now);
}

/* ---- kernels: p0 the tensor, p1 its map, p2 a box to store, p3 boxes loaded, one for each CTA
 * ----
 */

static void place_map(ptx_run *r, uint64_t *params, void *user)
{
    job *j = user;
    j->map.address = params[0];
    assert_null(ww_tensor_map_problem(&j->map));
    ww_tensor_map_encode(&j->map, run_at(r, params[1], WW_TENSOR_MAP_BYTES));
}

static void add_place(ww_str *t, const job *j)
{
    ww_str_add(t, "[%q1, {");
    for (unsigned i = 0; i < j->rank; i++) {
        ww_str_addf(t, "%s%%r%u", i > 0 ? ", " : "", 10 + i);
    }
    ww_str_add(t, "}]");
}

/* The first offset as a register, the others as numbers. */
static void add_shift(ww_str *t, const job *j)
{
    ww_str_add(t, j->columns ? ", {%h2" : "");
    for (unsigned i = 1; j->columns && i + 2 < j->rank; i++) {
        ww_str_addf(t, ", %u", j->shift[i]);
    }
    ww_str_add(t, j->columns ? "}" : "");
}

static void make_text(ww_str *t, const char *form, const job *j, unsigned bytes)
{
    ww_str_addf(t, ".shared .align 1024 .b8 s[%d]; .shared .align 8 .b64 bar;\n", ROOM);
    ww_str_add(t, FORM_BEGIN);
    for (unsigned i = 0; i < j->rank; i++) {
        ww_str_addf(t, "mov.u32 %%r%u, %d; ", 10 + i, j->at[i]);
    }
    /* the box to store comes into shared memory first */
    ww_str_addf(
        t,
        "\nmov.u32 %%r1, s; mov.u32 %%r2, bar; mul.lo.u32 %%r3, %%t, 16; add.u32 %%r4, %%r1, "
        "%%r3; add.u32 %%r9, %%r1, %d; cvt.u64.u32 %%q10, %%r3; add.u64 %%q11, %%q2, %%q10; "
        "mov.u32 %%r30, %%cluster_ctarank; mul.wide.u32 %%q12, %%r30, %d; add.u64 %%q12, "
        "%%q12, %%q3; add.u64 %%q12, %%q12, %%q10;\n"
        "L: ld.global.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%q11]; st.shared.v4.u32 [%%r4], "
        "{%%r20, %%r21, %%r22, %%r23}; add.u64 %%q11, %%q11, 1024; add.u32 %%r4, %%r4, 1024; "
        "setp.lt.u32 %%p1, %%r4, %%r9; @%%p1 bra L;\n"
        "setp.ne.u32 %%p2, %%t, 0; @%%p2 bra READY; mbarrier.init.shared.b64 [%%r2], 1; "
        "fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 _, [%%r2], %u;\n"
        "READY: barrier.cluster.arrive; barrier.cluster.wait; mov.u16 %%h1, 3; mov.u16 %%h2, "
        "%u;\n",
        ROOM, ROOM, j->loads ? bytes : 0, j->shift[0]);
    ww_str_add(t, j->multicast ? "setp.ne.or.u32 %p2, %r30, 0, %p2;\n" : "");
    ww_str_addf(t, "@%%p2 bra ISSUED; %s ", form);
    if (j->loads) {
        ww_str_add(t, "[%r1], ");
        add_place(t, j);
        ww_str_add(t, ", [%r2]");
        add_shift(t, j);
        ww_str_add(t, j->multicast ? ", %h1" : "");
    } else {
        add_place(t, j);
        if (j->prefetches) {
            add_shift(t, j);
        } else {
            ww_str_add(t, ", [%r1]");
        }
    }
    ww_str_addf(
        t, ";\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nISSUED: "
           "mbarrier.try_wait.parity.shared.b64 %%p3, [%%r2], 0; @!%%p3 bra ISSUED;\n"
           "add.u32 %%r4, %%r1, %%r3;\n"
           "O: ld.shared.v4.u32 {%%r20, %%r21, %%r22, %%r23}, [%%r4]; st.global.v4.u32 [%%q12], "
           "{%%r20, %%r21, %%r22, %%r23}; add.u64 %%q12, %%q12, 1024; add.u32 %%r4, %%r4, 1024; "
           "setp.lt.u32 %%p1, %%r4, %%r9; @%%p1 bra O; barrier.cluster.arrive; "
           "barrier.cluster.wait;\n");
    ww_str_add(t, FORM_END);
}

static void compare(const char *form, bool lowered, const char *what, const unsigned char *got,
                    const unsigned char *want, size_t bytes, form_log *log)
{
    for (size_t i = 0; i < bytes; i++) {
        if (got[i] != want[i]) {
            form_fail(log, form, "lowered %d: %s, byte %zu is %02x, not %02x", lowered, what, i,
                      got[i], want[i]);
            return;
        }
    }
}

static void check_copy(const char *form, bool lowered, form_log *log)
{
    static unsigned char want[CTAS][ROOM];
    static unsigned char map[WW_TENSOR_MAP_BYTES];
    job j = job_of(form);
    uint64_t state = 0x9e3779b97f4a7c15;
    unsigned elements = 0;
    for (unsigned i = 0; i < TENSOR; i++) {
        tensor[i] = (unsigned char)(form_random(&state) >> 20);
        inside[i % ROOM] = (unsigned char)(form_random(&state) >> 23);
    }
    memcpy(before, tensor, sizeof tensor);
    visit(&j, count_bytes, &elements);
    unsigned bytes = elements * (unsigned)j.map.stride[0], ctas = j.multicast ? CTAS : 1;
    assert_true(bytes <= ROOM && j.map.stride[j.rank - 1] * j.map.dim[j.rank - 1] <= TENSOR);
    for (unsigned k = 0; k < ctas; k++) {
        memcpy(want[k], inside, ROOM);
        expectation e = {&j, form, want[k], before};
        if (j.loads) {
            visit(&j, expect_load, &e);
        } else if (!j.prefetches) {
            visit(&j, j.reduces ? expect_reduction : expect_store, &e);
        }
    }
    ww_str text = {0};
    make_text(&text, form, &j, bytes);
    form_launch l = {.text = ww_str_text(&text),
                     .grid = ctas,
                     .block = THREADS,
                     .cluster = ctas,
                     .buffer_count = 4,
                     .buffer = {{tensor, sizeof tensor},
                                {map, sizeof map},
                                {inside, sizeof inside},
                                {boxes, sizeof boxes}},
                     .prepare = place_map,
                     .user = &j};
    if (form_run(&l, form, lowered, log)) {
        compare(form, lowered, "the tensor", tensor, before, TENSOR, log);
        compare(form, lowered, "the box", boxes[0], want[0], (size_t)ctas * ROOM, log);
    }
    ww_str_fini(&text);
}

/* ---- maps: p1 one to change, p3 what became of it ---- */

static void check_map(const char *form, bool lowered, form_log *log)
{
    static const char *const fields[] = {
#define X(id, text, ordinals) text,
        WW_TENSOR_FIELD_MAP(X)
#undef X
    };
    static const uint64_t values[] = {0x7654321000, 3, 24, 77, 8192, 5, 10, 1, 2, 1};
    static const unsigned ordinals[] = {0, 0, 3, 2, 1, 4, 0, 0, 0, 0};
    static unsigned char map[WW_TENSOR_MAP_BYTES], got[WW_TENSOR_MAP_BYTES],
        want[WW_TENSOR_MAP_BYTES];
    bool replaces = strncmp(form, "tensormap.replace", 17) == 0;
    bool copies = strncmp(form, "tensormap.cp", 12) == 0, fences = form[0] == 'f';
    unsigned field = 0;
    while (replaces && !form_has(form, fields[field])) {
        field++;
    }
    job j = job_of("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group");
    j.map.address = 0x10000;
    ww_tensor_map_encode(&j.map, map);
    assert_true(
        ww_tensor_map_replace(&j.map, (ww_tensor_field)field, ordinals[field], values[field]));
    ww_tensor_map_encode(&j.map, want);
    bool wide = field == WW_TENSOR_FIELD_GLOBAL_ADDRESS || field == WW_TENSOR_FIELD_GLOBAL_STRIDE;
    bool immediate = field >= WW_TENSOR_FIELD_ELEMTYPE;
    bool global = replaces && form_has(form, "global");
    bool ordinal = field >= WW_TENSOR_FIELD_BOX_DIM && field <= WW_TENSOR_FIELD_ELEMENT_STRIDE &&
                   field != WW_TENSOR_FIELD_ELEMTYPE;
    const char *replace =
        replaces ? form : "tensormap.replace.tile.global_address.shared::cta.b1024.b64";
    const char *copy = copies ? form
                              : "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
                                "release.gpu.sync.aligned";
    ww_str t = {0};
    ww_str_add(&t, ".shared .align 128 .b8 s[128];\n" FORM_BEGIN);
    ww_str_addf(
        &t,
        "mov.u32 %%r1, s; mad.lo.u32 %%r2, %%t, 4, %%r1; mul.wide.u32 %%q10, %%t, 4; add.u64 "
        "%%q11, %%q1, %%q10; ld.global.u32 %%r3, [%%q11]; st.shared.u32 [%%r2], %%r3; bar.sync "
        "0; mov.u64 %%q20, %llu; mov.u32 %%r20, %llu; setp.ne.u32 %%p1, %%t, 0;\n",
        (unsigned long long)values[field], (unsigned long long)values[field]);
    ww_str_addf(&t, "@!%%p1 %s [%s]", replace, global ? "%q1" : "%r1");
    if (ordinal) {
        ww_str_addf(&t, ", %u", ordinals[field]);
    }
    if (immediate) {
        ww_str_addf(&t, ", %llu;\n", (unsigned long long)values[field]);
    } else {
        ww_str_addf(&t, ", %s;\n", wide ? "%q20" : "%r20");
    }
    if (global) {
        ww_str_add(&t, "bar.sync 0; ld.global.u32 %r3, [%q11]; st.shared.u32 [%r2], %r3;\n");
    }
    ww_str_addf(&t, "bar.sync 0; %s [%%q3], [%%r1], 128;\n", copy);
    if (fences) {
        ww_str_addf(&t, "%s%s;\n", form, strstr(form, "acquire") != NULL ? " [%q3], 128" : "");
    }
    ww_str_add(&t, FORM_END);
    form_launch l = {.text = ww_str_text(&t),
                     .grid = 1,
                     .block = 32,
                     .buffer_count = 4,
                     .buffer = {{map, 8}, {map, sizeof map}, {map, 8}, {got, sizeof got}}};
    memset(got, 0, sizeof got);
    if (form_run(&l, form, lowered, log)) {
        compare(form, lowered, "the map", got, want, sizeof want, log);
    }
    ww_str_fini(&t);
}

static bool claims(const char *form)
{
    return strstr(form, ".tensor.") != NULL || strncmp(form, "tensormap.", 10) == 0 ||
           strncmp(form, "fence.proxy.tensormap", 21) == 0;
}

static void check(const char *form, bool lowered, form_log *log)
{
    (rank_of(form) > 0 ? check_copy : check_map)(form, lowered, log);
}

const form_family form_tensor = {"tensor copies and maps", claims, check};
