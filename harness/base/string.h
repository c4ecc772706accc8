// SPDX-License-Identifier: BSD-2-Clause
// The few words of libc that a freestanding program cannot do without.
#ifndef HARNESS_STRING_H
#define HARNESS_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t n); // the compiler calls these by name
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

// By qwords as far as it goes: an emulator takes a step for each element.
static inline void memory_copy(void *to, const void *from, size_t n)
{
    size_t qwords = n / 8, rest = n % 8;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(qwords) : : "memory");
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(rest) : : "memory");
}
static inline void memory_zero(void *to, size_t n)
{
    size_t qwords = n / 8, rest = n % 8;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(qwords) : "a"(0ull) : "memory");
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(rest) : "a"(0) : "memory");
}

size_t string_length(const char *s);
bool string_equal(const char *a, const char *b);

// The value of `name=` in a list of words with spaces in between; null when it is not there. Ends at a space.
const char *option_text(const char *options, const char *name);
bool option_is(const char *options, const char *name, const char *value);
uint64_t option_number(const char *options, const char *name, uint64_t otherwise);

#endif
