/* foreign_log.c - what GPGPU-Sim, Accel-Sim and AccelWattch print after each kernel.
 *
 * Format, of versions 3.2 to 4.2 (gpgpu-sim/gpu-sim.cc, shader.cc, gpu-cache.cc, dram.cc,
 * accelwattch/gpgpu_sim_wrapper.cc): a block begins with "kernel_name = "; lines read "name =
 * value", with blanks in some names; a DRAM channel has a line "n_cmd=… n_nop=… n_act=…"; the
 * distribution of lanes is "Stall:… W0_Idle:… W0_Scoreboard:… W1:… … W32:…". All but the names of
 * `of_one_kernel` go on counting from kernel to kernel: a launch is the difference to the block
 * before, of cache tables to the last block of the same stream. Cache tables of old versions leave
 * zeros out. */
#include <string.h>

#include "base/num.h"
#include "counters/foreign_parts.h"

enum { MOST_STREAMS = 1024, MOST_NAME = 96 };

typedef struct geometry {
    uint32_t grid[3], block[3];
    uint32_t registers, shared_bytes;
} geometry;

typedef struct reader {
    ww__foreign_table *table;
    ww__foreign_launch *launch; /* NULL before the first block */
    geometry *launched;         /* in the order of launches */
    size_t launched_count, launched_capacity;
    bool distribution; /* the next line is that of lanes */
    int line;
} reader;

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Tokens of a channel are summed over the channels. */
static bool of_a_channel(const char *name, size_t length)
{
    static const char *const names[] = {"n_act",   "n_pre",   "n_rd",      "n_rd_L2_A",
                                        "n_write", "n_wr_bk", "n_activity"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Of AccelWattch's report all, of the log these are of one kernel. */
static bool of_one_kernel(const char *name)
{
    return starts(name, "gpu_sim_") || starts(name, "aw_");
}

static bool of_a_stream(const char *name)
{
    return strstr(name, "_stats_breakdown[") != NULL;
}

/* ---- one line ---- */

static ww_status tell(reader *r, const char *name, size_t length, const char *value,
                      size_t value_length, bool sum, ww_error *err)
{
    ww__told *told = ww__foreign_told(r->table, r->launch, name, length);
    if (told == NULL) {
        return WW_OK;
    }
    double x;
    WW_TRY(ww__foreign_number(r->table, name, length, value, value_length, r->line, &x, err));
    if (sum) {
        *told = (ww__told){.value = told->value + x, .line = r->line};
        return WW_OK;
    }
    return ww__foreign_tell(r->table, told, name, length, x, r->line, err);
}

/* "n_cmd=12 n_nop=3 …" */
static ww_status read_channel(reader *r, const char *p, ww_error *err)
{
    while (*p != '\0' && *p != '\n') {
        size_t name = strcspn(p, "= \n");
        if (p[name] != '=') {
            p += name + (p[name] == ' ');
            continue;
        }
        const char *value = p + name + 1;
        size_t length = strcspn(value, " \n");
        if (of_a_channel(p, name)) {
            WW_TRY(tell(r, p, name, value, length, true, err));
        }
        p = value + length;
        p += strspn(p, " ");
    }
    return WW_OK;
}

/* What no line says as it is. */
static void tell_sum(const reader *r, const char *name, double value)
{
    ww__told *told = ww__foreign_told(r->table, r->launch, name, strlen(name));
    if (told != NULL) {
        *told = (ww__told){.value = value, .line = r->line};
    }
}

/* "Stall:1 W0_Idle:2 W0_Scoreboard:3 W1:4 … W32:5": issue slots of SMs that work, and lanes of the
 * warps that issued. */
static ww_status read_lanes(reader *r, const char *p, ww_error *err)
{
    double lanes = 0, slots = 0;
    while (*p != '\0' && *p != '\n') {
        size_t name = strcspn(p, ":\t\n");
        double warps, size;
        const char *end;
        if (p[name] != ':') {
            break;
        }
        const char *value = p + name + 1;
        size_t length = strcspn(value, "\t \n");
        WW_TRY(ww__foreign_number(r->table, p, name, value, length, r->line, &warps, err));
        slots += warps;
        if (p[0] == 'W' && ww_num_scan(p + 1, &end, &size) && end == p + name) {
            lanes += size * warps;
        }
        p = value + length;
        p += strspn(p, "\t ");
    }
    tell_sum(r, "warp_occupancy_lanes", lanes);
    tell_sum(r, "warp_occupancy_slots", slots);
    return WW_OK;
}

/* "total dram reads = 12" is told as total_dram_reads; names of the power report lose a comma and
 * have "aw_" before them, for they are of one kernel. */
static size_t plain_name(const char *line, size_t length, char out[MOST_NAME])
{
    size_t n = 0;
    bool report = starts(line, "gpu_tot_") && memchr(line, ',', length) != NULL;
    report |= starts(line, "gpu_avg_");
    if (report) {
        memcpy(out, "aw_", 3);
        n = 3;
        line += 4;
        length -= 4;
    }
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == ',')) {
        length--;
    }
    for (size_t i = 0; i < length && n < MOST_NAME - 1; i++) {
        out[n++] = line[i] == ' ' ? '_' : line[i];
    }
    out[n] = '\0';
    return n;
}

static ww_status read_pair(reader *r, const char *line, ww_error *err)
{
    size_t equals = strcspn(line, "=\n");
    if (line[equals] != '=') {
        return WW_OK;
    }
    char name[MOST_NAME];
    size_t length = plain_name(line, equals, name);
    const char *value = line + equals + 1;
    value += strspn(value, " ");
    size_t value_length = strcspn(value, " \t%\r\n");
    return tell(r, name, length, value, value_length, false, err);
}

/* ---- what is launched ---- */

static ww_status add_geometry(reader *r, geometry **out, ww_error *err)
{
    if (r->launched_count == r->launched_capacity) {
        size_t capacity = r->launched_capacity == 0 ? 64 : 2 * r->launched_capacity;
        geometry *grown = capacity > 4 * WW__FOREIGN_MOST_LAUNCHES
                              ? NULL
                              : ww_realloc_array(r->launched, capacity, sizeof *grown);
        if (grown == NULL) {
            return ww_fail_at(err, WW_ENOMEM, r->table->file, r->line, 0, "out of memory");
        }
        r->launched = grown;
        r->launched_capacity = capacity;
    }
    *out = &r->launched[r->launched_count++];
    **out = (geometry){.registers = 0};
    return WW_OK;
}

static ww_status read_count(const reader *r, const char *text, uint32_t *out, ww_error *err)
{
    double x;
    WW_TRY(ww__foreign_number(r->table, "the launch", 10, text, strcspn(text, " \r\n"), r->line, &x,
                              err));
    *out = x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
    return WW_OK;
}

/* GPGPU-Sim: "… pushing kernel 'x' to stream 0, gridDim= (4,1,1) blockDim = (256,1,1)"; Accel-Sim:
 * lines of the trace's head, "-grid dim = (4,1,1)" first. */
static ww_status read_launch(reader *r, const char *line, ww_error *err)
{
    geometry *g = r->launched_count > 0 ? &r->launched[r->launched_count - 1] : NULL;
    const char *end = line + strcspn(line, "\n");
    const char *grid = strstr(line, "gridDim= ("), *block = strstr(line, "blockDim = (");
    if (grid != NULL && grid < end && block != NULL && block < end) {
        WW_TRY(add_geometry(r, &g, err));
        WW_TRY(ww__foreign_extent(r->table, grid + 9, r->line, g->grid, err));
        return ww__foreign_extent(r->table, block + 11, r->line, g->block, err);
    }
    if (starts(line, "-grid dim = ")) {
        WW_TRY(add_geometry(r, &g, err));
        return ww__foreign_extent(r->table, line + 12, r->line, g->grid, err);
    }
    if (g == NULL) {
        return WW_OK;
    }
    if (starts(line, "-block dim = ")) {
        return ww__foreign_extent(r->table, line + 13, r->line, g->block, err);
    }
    if (starts(line, "-nregs = ")) {
        return read_count(r, line + 9, &g->registers, err);
    }
    return starts(line, "-shmem = ") ? read_count(r, line + 9, &g->shared_bytes, err) : WW_OK;
}

/* ---- blocks ---- */

static ww_status begin_block(reader *r, const char *line, ww_error *err)
{
    const char *name = line + strlen("kernel_name = ");
    size_t length = strcspn(name, "\r\n");
    while (length > 0 && name[length - 1] == ' ') {
        length--;
    }
    WW_TRY(ww__foreign_add(r->table, name, length, r->line, &r->launch, err));
    return WW_OK;
}

/* The number of the launch, from 1: whose geometry that is. */
static ww_status read_uid(reader *r, const char *line, ww_error *err)
{
    double uid;
    const char *text = strchr(line, '=') + 1, *end;
    text += strspn(text, " ");
    if (!ww_num_scan(text, &end, &uid) || uid < 1 || uid > (double)r->launched_count) {
        return WW_OK;
    }
    (void)err;
    const geometry *g = &r->launched[(size_t)uid - 1];
    memcpy(r->launch->grid, g->grid, sizeof g->grid);
    memcpy(r->launch->block, g->block, sizeof g->block);
    r->launch->registers = g->registers;
    r->launch->shared_bytes = g->shared_bytes;
    return WW_OK;
}

static ww_status read_stream(reader *r, const char *line, ww_error *err)
{
    double stream;
    const char *text = strchr(line, '=') + 1;
    text += strspn(text, " ");
    WW_TRY(ww__foreign_number(r->table, "kernel_stream_id", 16, text, strcspn(text, " \r\n"),
                              r->line, &stream, err));
    r->launch->stream = (uint64_t)stream;
    return WW_OK;
}

static ww_status read_line(reader *r, const char *line, ww_error *err)
{
    line += strspn(line, " \t");
    if (starts(line, "kernel_name = ")) {
        return begin_block(r, line, err);
    }
    if (r->launch == NULL || *line == '-' || starts(line, "GPGPU-Sim PTX: pushing")) {
        return read_launch(r, line, err);
    }
    if (r->distribution) {
        r->distribution = false;
        return read_lanes(r, line, err);
    }
    if (starts(line, "Warp Occupancy Distribution:")) {
        r->distribution = true;
        return WW_OK;
    }
    if (starts(line, "kernel_launch_uid = ")) {
        return read_uid(r, line, err);
    }
    if (starts(line, "kernel_stream_id = ")) {
        return read_stream(r, line, err);
    }
    bool channel = starts(line, "n_cmd=") || starts(line, "n_activity=");
    return channel ? read_channel(r, line, err) : read_pair(r, line, err);
}

static ww_status read_lines(reader *r, const char *text, ww_error *err)
{
    for (r->line = 1; *text != '\0'; r->line++) {
        WW_TRY(read_line(r, text, err));
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return WW_OK;
}

/* ---- from sums to launches ---- */

typedef struct last_of_stream {
    uint64_t stream[MOST_STREAMS];
    const ww__told *told[MOST_STREAMS]; /* as read */
    size_t count;
} last_of_stream;

static ww_status find_stream(last_of_stream *last, const ww__foreign_table *table,
                             const ww__foreign_launch *launch, size_t *out, ww_error *err)
{
    for (*out = 0; *out < last->count; ++*out) {
        if (last->stream[*out] == launch->stream) {
            return WW_OK;
        }
    }
    if (last->count == MOST_STREAMS) {
        return ww_fail_at(err, WW_ERANGE, table->file, launch->line, 0, "more than %d streams",
                          MOST_STREAMS);
    }
    last->stream[last->count] = launch->stream;
    last->told[last->count++] = NULL;
    return WW_OK;
}

/* A table of a cache that leaves out what is 0 tells 0 of it, if it tells anything. */
static void tell_zeros(const ww__foreign_table *table, ww__foreign_launch *launch)
{
    static const char *const tables[] = {"Total_core_cache_stats_breakdown[",
                                         "L2_cache_stats_breakdown["};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        int line = 0;
        for (size_t i = 0; i < table->names.count; i++) {
            const ww_map_entry *e = &table->names.entries[i];
            if (starts(e->key, tables[t]) && launch->told[e->num].line != 0) {
                line = launch->told[e->num].line;
            }
        }
        for (size_t i = 0; i < table->names.count; i++) {
            const ww_map_entry *e = &table->names.entries[i];
            if (starts(e->key, tables[t]) && launch->told[e->num].line == 0) {
                launch->told[e->num].line = line;
            }
        }
    }
}

/* before: what the last block told, as read. */
static ww_status subtract(const ww__foreign_table *table, ww__foreign_launch *launch,
                          const ww__told *before, const ww__told *before_of_stream, ww_error *err)
{
    for (size_t i = 0; i < table->names.count; i++) {
        const ww_map_entry *e = &table->names.entries[i];
        const ww__told *old = of_a_stream(e->key) ? before_of_stream : before;
        ww__told *now = &launch->told[e->num];
        if (old == NULL || now->line == 0 || of_one_kernel(e->key)) {
            continue;
        }
        if (now->value < old[e->num].value) {
            return ww_fail_at(err, WW_ERANGE, table->file, now->line, 0,
                              "'%s' falls from %.17g (line %d) to %.17g: it should go on counting "
                              "from kernel to kernel",
                              e->key, old[e->num].value, old[e->num].line, now->value);
        }
        now->value -= old[e->num].value;
    }
    return WW_OK;
}

static ww_status to_launches(ww__foreign_table *table, ww_error *err)
{
    last_of_stream *last = WW_ARENA_NEW(&table->arena, last_of_stream);
    if (last == NULL) {
        return ww_no_memory(err);
    }
    const ww__told *before = NULL;
    for (size_t i = 0; i < table->count; i++) {
        ww__foreign_launch *launch = &table->launches[i];
        tell_zeros(table, launch);
        size_t bytes = table->names.count * sizeof *launch->told, stream;
        ww__told *as_read = ww_arena_alloc(&table->arena, bytes + 1, 1);
        if (as_read == NULL) {
            return ww_no_memory(err);
        }
        memcpy(as_read, launch->told, bytes);
        WW_TRY(find_stream(last, table, launch, &stream, err));
        WW_TRY(subtract(table, launch, before, last->told[stream], err));
        before = last->told[stream] = as_read;
    }
    return WW_OK;
}

ww_status ww__foreign_read_log(ww__foreign_table *table, const char *text, ww_error *err)
{
    reader r = {.table = table};
    ww_status status = read_lines(&r, text, err);
    ww_free(r.launched);
    WW_TRY(status);
    if (table->count == 0) {
        return ww_fail_at(err, WW_EPARSE, table->file, 1, 0,
                          "no kernel in it: no line begins with 'kernel_name = '");
    }
    return to_launches(table, err);
}
