// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned failures; // in the test that runs
static const char *running = "start";

void check_that(bool holds, const char *what, const char *file, int line)
{
    if (!holds && failures++ < 10) {
        printf("%s:%d: %s: not so: %s\n", file, line, running, what);
    }
}

void check_equal(uint64_t got, uint64_t want, const char *what, const char *file, int line)
{
    if (got != want && failures++ < 10) {
        printf("%s:%d: %s: %s is 0x%" PRIx64 ", should be 0x%" PRIx64 "\n", file, line, running, what, got,
               want);
    }
}

int run_tests(int argc, char **argv, const struct test *tests, unsigned count)
{
    unsigned passed = 0, failed = 0;
    for (unsigned i = 0; i < count; i++) {
        if (argc > 1 && strstr(tests[i].name, argv[1]) == NULL) {
            continue;
        }
        failures = 0;
        running = tests[i].name;
        tests[i].run();
        printf("%-6s %s\n", failures == 0 ? "ok" : "FAILED", tests[i].name);
        failures == 0 ? passed++ : failed++;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
