/* memo.c - a folder of entries. A file: magic, length of the key, key, facts, and per scope the
 * number of instances and of counters that are not 0, each as its place and its value; a checksum
 * ends it. Numbers are as this machine has them: an entry of another kind of machine has another
 * build in its key. */
#include "inference/memo.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

static const char magic[8] = "WWmemo1";

enum { MOST_INSTANCES = 1 << 14, MOST_BYTES = 1 << 28 };

struct ww__memo {
    ww_arena arena;
    char *folder;
    uint64_t build;
    void (*warn)(void *user, const char *text);
    void *user;
    bool told; /* that it cannot be written: once is enough */
};

static void tell(const ww__memo *memo, const char *what, const char *path, const char *why)
{
    ww_str text = {0};
    ww_str_addf(&text, "%s %s: %s", what, path, why);
    if (memo->warn != NULL) {
        memo->warn(memo->user, ww_str_text(&text));
    }
    ww_str_fini(&text);
}

/* ---- the build ---- */

/* The file that this code was loaded from, as the system tells; false: it does not. */
static bool own_file(char path[PATH_MAX])
{
    const uintptr_t here = (uintptr_t)magic;
    char line[PATH_MAX + 128];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t first = 0, end = 0;
        int at = 0;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &first, &end, &at) == 2 &&
            here >= first && here < end && line[at] == '/') {
            line[strcspn(line, "\n")] = '\0';
            found = snprintf(path, PATH_MAX, "%s", line + at) < PATH_MAX;
        }
    }
    if (maps != NULL) {
        (void)fclose(maps);
    }
    return found;
}

static ww_status find_build(uint64_t *out, ww_error *err)
{
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t length = 0;
    if (!own_file(path)) {
        return ww_fail(err, WW_EIO, "the system does not tell which program this is");
    }
    WW_TRY(ww_read_file(path, (size_t)1 << 30, &bytes, &length, err));
    *out = ww_hash_bytes(WW_HASH_INIT, bytes, length);
    ww_free(bytes);
    return WW_OK;
}

ww__memo *ww__memo_open(const char *folder, void (*warn)(void *user, const char *text), void *user)
{
    ww_error err = {0};
    ww__memo *memo = WW_NEW(ww__memo);
    if (memo == NULL) {
        return NULL;
    }
    memo->warn = warn;
    memo->user = user;
    memo->folder = ww_path_join(&memo->arena, "", folder);
    ww_status status = memo->folder == NULL ? ww_no_memory(&err) : ww_make_dirs(folder, &err);
    if (status == WW_OK) {
        status = find_build(&memo->build, &err);
    }
    if (status != WW_OK) {
        tell(memo, "operators are not remembered in", folder, err.what);
        ww__memo_close(memo);
        return NULL;
    }
    return memo;
}

void ww__memo_close(ww__memo *memo)
{
    if (memo != NULL) {
        ww_arena_fini(&memo->arena);
        ww_free(memo);
    }
}

void ww__memo_key(const ww__memo *memo, ww_str *key)
{
    ww_str_addf(key, " build %016" PRIx64, memo->build);
}

/* A path in the arena; NULL: no memory. */
static char *path_of(ww__memo *memo, const char *key)
{
    uint64_t name = ww_hash_bytes(WW_HASH_INIT, key, strlen(key));
    return ww_arena_printf(&memo->arena, "%s/%016" PRIx64, memo->folder, name);
}

/* ---- reading ---- */

typedef struct reader {
    const char *at, *end;
    bool good;
} reader;

static void take(reader *r, void *to, size_t bytes)
{
    r->good = r->good && (size_t)(r->end - r->at) >= bytes;
    if (r->good) {
        memcpy(to, r->at, bytes);
        r->at += bytes;
    }
}

static void take_scope(reader *r, ww__scaled *sum, int scope)
{
    uint32_t used = 0, instances = 0;
    take(r, &instances, sizeof instances);
    take(r, &used, sizeof used);
    if (!r->good || instances == 0 || instances > MOST_INSTANCES) {
        r->good = false;
        return;
    }
    const size_t count = (size_t)instances * WW_COUNTER_COUNT;
    sum->count[scope] = instances;
    sum->v[scope] = WW_NEW_ARRAY(double, count);
    r->good = sum->v[scope] != NULL;
    for (uint32_t i = 0; r->good && i < used; i++) {
        uint32_t place = 0;
        double value = 0;
        take(r, &place, sizeof place);
        take(r, &value, sizeof value);
        r->good = r->good && place < count;
        if (r->good) {
            sum->v[scope][place] = value;
        }
    }
}

/* Whether the bytes are an entry of that key; damaged: they are no entry at all. */
static bool parse(const char *bytes, size_t length, const char *key, ww__scaled *sum,
                  ww__memo_facts *facts, bool *damaged)
{
    char start[sizeof magic];
    uint32_t key_length = 0;
    uint64_t check = 0;
    *damaged = true;
    if (length < sizeof magic + sizeof check) {
        return false;
    }
    length -= sizeof check;
    memcpy(&check, bytes + length, sizeof check);
    reader r = {bytes, bytes + length, check == ww_hash_bytes(WW_HASH_INIT, bytes, length)};
    take(&r, start, sizeof start);
    take(&r, &key_length, sizeof key_length);
    if (!r.good || memcmp(start, magic, sizeof magic) != 0 || (size_t)(r.end - r.at) < key_length) {
        return false;
    }
    if (key_length != strlen(key) || memcmp(r.at, key, key_length) != 0) {
        *damaged = false; /* another's, of the same hash */
        return false;
    }
    r.at += key_length;
    take(&r, facts, sizeof *facts);
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        take_scope(&r, sum, scope);
    }
    return r.good && r.at == r.end;
}

bool ww__memo_find(ww__memo *memo, const char *key, ww__scaled *sum, ww__memo_facts *facts)
{
    const char *path = path_of(memo, key);
    char *bytes = NULL;
    size_t length = 0;
    bool damaged = false;
    ww_error err = {0};
    if (path == NULL || !ww_file_exists(path)) {
        return false;
    }
    if (ww_read_file(path, MOST_BYTES, &bytes, &length, &err) != WW_OK) {
        tell(memo, "cannot be read and is simulated anew:", path, err.what);
        return false;
    }
    bool found = parse(bytes, length, key, sum, facts, &damaged);
    ww_free(bytes);
    if (!found) {
        ww__scaled_fini(sum);
    }
    if (!found && damaged) {
        tell(memo, "remembered operator", path, "damaged, and simulated anew");
    }
    return found;
}

/* ---- writing ---- */

static void put(ww_str *out, const void *from, size_t bytes)
{
    ww_str_add_n(out, from, bytes);
}

static void put_scope(ww_str *out, const ww__scaled *sum, int scope)
{
    const uint32_t count = sum->count[scope] * WW_COUNTER_COUNT;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        used += sum->v[scope][i] != 0;
    }
    put(out, &sum->count[scope], sizeof sum->count[scope]);
    put(out, &used, sizeof used);
    for (uint32_t i = 0; i < count; i++) {
        if (sum->v[scope][i] != 0) {
            put(out, &i, sizeof i);
            put(out, &sum->v[scope][i], sizeof sum->v[scope][i]);
        }
    }
}

void ww__memo_keep(ww__memo *memo, const char *key, const ww__scaled *sum,
                   const ww__memo_facts *facts)
{
    const char *path = path_of(memo, key);
    const uint32_t key_length = (uint32_t)strlen(key);
    ww_str text = {0};
    ww_error err = {0};
    if (path == NULL || memo->told) {
        return;
    }
    put(&text, magic, sizeof magic);
    put(&text, &key_length, sizeof key_length);
    put(&text, key, key_length);
    put(&text, facts, sizeof *facts);
    for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
        put_scope(&text, sum, scope);
    }
    uint64_t check = ww_hash_bytes(WW_HASH_INIT, ww_str_text(&text), text.len);
    put(&text, &check, sizeof check);
    ww_status status = ww_write_text(path, &text, &err);
    if (status != WW_OK) {
        tell(memo, "operators are not remembered in", memo->folder, err.what);
        memo->told = true;
    }
    ww_str_fini(&text);
}
