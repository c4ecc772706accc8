// SPDX-License-Identifier: BSD-2-Clause
#include "string.h"

// The compiler calls these of its own accord, after link-time optimization has seen who calls what: they stay.
__attribute__((used)) void *memcpy(void *to, const void *from, size_t n)
{
    memory_copy(to, from, n);
    return to;
}

__attribute__((used)) void *memset(void *to, int c, size_t n)
{
    void *p = to;
    size_t qwords = n / 8, rest = n % 8;
    uint64_t pattern = 0x0101010101010101 * (uint8_t)c;
    __asm__ volatile("rep stosq" : "+D"(p), "+c"(qwords) : "a"(pattern) : "memory");
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(rest) : "a"(pattern) : "memory");
    return to;
}

__attribute__((used)) int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

size_t string_length(const char *s)
{
    size_t n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

bool string_equal(const char *a, const char *b)
{
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *option_text(const char *o, const char *name)
{
    size_t n = string_length(name);
    while (*o != 0) {
        while (*o == ' ')
            o++;
        size_t i = 0;
        while (i < n && o[i] == name[i])
            i++;
        if (i == n && o[i] == '=')
            return o + n + 1;
        while (*o != 0 && *o != ' ')
            o++;
    }
    return 0;
}

bool option_is(const char *options, const char *name, const char *value)
{
    const char *t = option_text(options, name);
    if (t == 0)
        return false;
    while (*value != 0 && *t == *value) {
        t++;
        value++;
    }
    return *value == 0 && (*t == 0 || *t == ' ');
}

uint64_t option_number(const char *options, const char *name, uint64_t otherwise)
{
    const char *t = option_text(options, name);
    if (t == 0 || *t < '0' || *t > '9')
        return otherwise;
    uint64_t v = 0;
    for (; *t >= '0' && *t <= '9'; t++)
        v = v * 10 + (uint64_t)(*t - '0');
    return v;
}
