// SPDX-License-Identifier: BSD-2-Clause
// The tests' own assertions: a test is a function, a program is a table of tests.
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct test {
    const char *name;
    void (*run)(void);
};

// Says where and what, and counts; the test goes on, so that one run shows all that is wrong.
void check_that(bool holds, const char *what, const char *file, int line);
void check_equal(uint64_t got, uint64_t want, const char *what, const char *file, int line);

#define CHECK(condition)    check_that(condition, #condition, __FILE__, __LINE__)
#define CHECK_EQ(got, want) check_equal((uint64_t)(got), (uint64_t)(want), #got, __FILE__, __LINE__)

// Runs every test (or those whose name contains argv[1]); a line each, a verdict at the end.
int run_tests(int argc, char **argv, const struct test *tests, unsigned count);

#endif
