// SPDX-License-Identifier: BSD-2-Clause
// Reads one line of JSON into nodes. Numbers are whole and not negative.
#ifndef TESTS_JSON_H
#define TESTS_JSON_H

#include <stdbool.h>
#include <stdint.h>

enum json_kind { JSON_NULL, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT };

struct json {
    enum json_kind kind;
    const char *key;  // in an object
    const char *text; // JSON_TEXT
    uint64_t number;  // JSON_NUMBER, also true and false
    uint32_t items;   // of a list or object
    struct json *first, *next;
};

// The line's value, or null with a reason in *error. The line is changed, and the nodes live until the next call.
struct json *json_read(char *line, const char **error);

// The member of this name, or null.
const struct json *json_member(const struct json *object, const char *key);

#endif
