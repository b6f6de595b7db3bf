/* driver.c - replays a corpus through a fuzz target, each file as it is and then under a fixed
 * sequence of mutations. Usage: fuzz_x FOLDER [MUTATIONS PER FILE]. What goes wrong shows as a
 * crash or as a sanitizer's report. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 20, DEFAULT_MUTATIONS = 400 };

static uint64_t next_random(uint64_t *state)
{
    /* xorshift64: Marsaglia, J. Stat. Software 8(14), 2003 */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The next decimal digit from `at` on becomes another: register numbers, sizes, offsets. */
static void change_digit(uint8_t *data, size_t size, size_t at, uint64_t *random)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t *p = &data[(at + i) % size];
        if (*p >= '0' && *p <= '9') {
            *p = (uint8_t)('0' + next_random(random) % 10);
            return;
        }
    }
}

/* The line that holds `at` is repeated behind itself. Returns the new size. */
static size_t double_line(uint8_t *data, size_t size, size_t room, size_t at)
{
    size_t first = at, end = at;
    while (first > 0 && data[first - 1] != '\n') {
        first--;
    }
    while (end < size && data[end] != '\n') {
        end++;
    }
    end += end < size;
    size_t length = end - first;
    if (size + length > room) {
        return size;
    }
    memmove(data + end, data + first, size - first);
    return size + length;
}

/* One edit of data[0..size): a byte or digit changed, a stretch or line removed, doubled or copied
 * elsewhere. Returns the new size. */
static size_t mutate(uint8_t *data, size_t size, size_t room, uint64_t *random)
{
    if (size == 0) {
        data[0] = (uint8_t)next_random(random);
        return 1;
    }
    size_t at = next_random(random) % size;
    size_t length = 1 + next_random(random) % 32;
    length = length < size - at ? length : size - at;
    switch (next_random(random) % 8) {
    case 5:
    case 6:
        change_digit(data, size, at, random);
        return size;
    case 7:
        return double_line(data, size, room, at);
    case 0:
        data[at] = (uint8_t)next_random(random);
        return size;
    case 1:
        data[at] = (uint8_t)(data[at] ^ (1u << next_random(random) % 8));
        return size;
    case 2:
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 3:
        if (size + length > room) {
            return size;
        }
        memmove(data + at + length, data + at, size - at);
        return size + length;
    default: {
        size_t to = next_random(random) % size;
        length = length < size - to ? length : size - to;
        memmove(data + to, data + at, length);
        return size;
    }
    }
}

/* The target sees a block of exactly its size, so that reading past the end is found. */
static int run(const uint8_t *data, size_t size)
{
    uint8_t *copy = ww_alloc_array(size + (size == 0), 1);
    if (copy == NULL) {
        return 1;
    }
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    ww_free(copy);
    return 0;
}

static int run_file(const char *path, unsigned long mutations, uint64_t *random)
{
    char *text;
    size_t length;
    ww_error err = {0};
    if (ww_read_file(path, MOST_BYTES, &text, &length, &err) != WW_OK) {
        fprintf(stderr, "%s: %s\n", path, err.what);
        return 1;
    }
    size_t room = 2 * length + 64;
    uint8_t *data = ww_alloc_array(room, 1);
    int failed = data == NULL || run((const uint8_t *)text, length) != 0;
    for (unsigned long i = 0; i < mutations && !failed; i++) {
        size_t size = length;
        memcpy(data, text, length);
        for (uint64_t edits = 1 + next_random(random) % 4; edits > 0; edits--) {
            size = mutate(data, size, room, random);
        }
        failed = run(data, size);
    }
    ww_free(data);
    ww_free(text);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER [MUTATIONS]\n", argv[0]);
        return 2;
    }
    unsigned long mutations = argc > 2 ? strtoul(argv[2], NULL, 10) : DEFAULT_MUTATIONS;
    ww_arena arena = {0};
    const char **names;
    size_t count;
    ww_error err = {0};
    if (ww_list_dir(argv[1], "", &arena, &names, &count, &err) != WW_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], err.what);
        return 1;
    }
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    int failed = count == 0;
    for (size_t i = 0; i < count && !failed; i++) {
        char *path = ww_path_join(&arena, argv[1], names[i]);
        failed = path == NULL || (!ww_dir_exists(path) && run_file(path, mutations, &random) != 0);
    }
    printf("%zu corpus files, %lu mutations each\n", count, mutations);
    ww_arena_fini(&arena);
    return failed;
}
