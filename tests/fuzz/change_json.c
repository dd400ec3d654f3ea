/* Changes of JSON lines that leave them JSON: an odd value in the place of one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rng.h"
#include "tests/fuzz/fuzz.h"

#include <jansson.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));

/* Of all values below an object or array, the one with that number, and where it hangs. */
struct place {
    json_t *in;
    const char *key;
    size_t index;
};

static bool find(json_t *in, size_t *number, struct place *found)
{
    const char *key;
    json_t *value;
    size_t i;
    json_object_foreach(in, key, value) {
        *found = (struct place){in, key, 0};
        if ((*number)-- == 0 || find(value, number, found))
            return true;
    }
    json_array_foreach(in, i, value) {
        *found = (struct place){in, NULL, i};
        if ((*number)-- == 0 || find(value, number, found))
            return true;
    }
    return false;
}

static json_t *odd_value(struct ovl_rng *rng)
{
    static const char *const words[] = {"", "host", "dpu", "ialltoall", "ibarrier", "invalid", "\x1b[2J", "\n", "a/~b"};
    static const double numbers[] = {0, -1, 1e-300, 1e300, 0.5, 1e18, 4294967296.0, -0.0};
    switch (ovl_rng_next(rng) % 8) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(ovl_rng_next(rng) & 1);
    case 2:
        return json_integer((json_int_t)ovl_rng_next(rng) >> ovl_rng_next(rng) % 64);
    case 3:
        return json_real(numbers[ovl_rng_next(rng) % (sizeof numbers / sizeof *numbers)]);
    case 4:
        return json_string(words[ovl_rng_next(rng) % (sizeof words / sizeof *words)]);
    case 5:
        return json_object();
    case 6:
        return json_pack("[f,n,[s]]", 1.5, "x");
    default: {
        char text[601];
        size_t n = ovl_rng_next(rng) % sizeof text;
        memset(text, 'y', n);
        text[n] = '\0';
        return json_string(text);
    }
    }
}

static void change(json_t *line, struct ovl_rng *rng)
{
    struct place at;
    size_t number = ovl_rng_next(rng) % 160;
    while (!find(line, &number, &at))
        if (json_object_size(line) == 0)
            return;
    bool remove = ovl_rng_next(rng) % 4 == 0;
    if (at.key && remove)
        json_object_del(at.in, at.key);
    else if (at.key)
        json_object_set_new_nocheck(at.in, at.key, odd_value(rng));
    else if (remove)
        json_array_remove(at.in, at.index);
    else
        json_array_set_new(at.in, at.index, odd_value(rng));
}

/* Changes a value of one line and keeps it JSON; else, and half of the time, bytes as libFuzzer does. */
size_t fuzz_change_json(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct ovl_rng rng = ovl_rng_seeded(seed);
    size_t lines = 1, start = 0, end;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    for (size_t skip = ovl_rng_next(&rng) % lines; skip > 0; skip--)
        start += (size_t)((uint8_t *)memchr(data + start, '\n', size - start) - (data + start)) + 1;
    const uint8_t *newline = start < size ? memchr(data + start, '\n', size - start) : NULL;
    end = newline ? (size_t)(newline - data) : size;
    json_t *line =
        ovl_rng_next(&rng) & 1 && start < end ? json_loadb((char *)data + start, end - start, 0, NULL) : NULL;
    if (!json_is_object(line)) {
        json_decref(line);
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
    }
    for (size_t n = 1 + ovl_rng_next(&rng) % 3; n > 0; n--)
        change(line, &rng);
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(12));
    size_t length = text ? strlen(text) : 0;
    if (text && size - (end - start) + length <= most) {
        memmove(data + start + length, data + end, size - end);
        memcpy(data + start, text, length);
        size = size - (end - start) + length;
    }
    free(text);
    json_decref(line);
    return size;
}
