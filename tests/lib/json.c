// SPDX-License-Identifier: BSD-2-Clause
#include "json.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 1 << 16, DEPTH = 16 };
static struct json nodes[NODES];
static uint32_t used, depth;
static char *at;
static const char *wrong;

static struct json *value(void);

static void space(void)
{
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
        at++;
    }
}

static struct json *bad(const char *reason)
{
    wrong = wrong == NULL ? reason : wrong;
    return NULL;
}

// The text between quotes, ended in place; escapes other than \" and \\ are not used here.
static const char *text(void)
{
    char *start = ++at, *to = at;
    while (*at != '"') {
        if (*at == '\0') {
            return bad("a text without an end"), NULL;
        }
        at += *at == '\\' && at[1] != '\0';
        *to++ = *at++;
    }
    at++;
    *to = '\0';
    return start;
}

static struct json *members(struct json *node, char end)
{
    struct json **last = &node->first;
    if (++depth > DEPTH) {
        return bad("too deep");
    }
    at++;
    space();
    for (bool more = *at != end; more;) {
        const char *key = NULL;
        space();
        if (end == '}') {
            if (*at != '"' || (key = text()) == NULL) {
                return bad("a member without a name");
            }
            space();
            if (*at++ != ':') {
                return bad("a name without a colon");
            }
        }
        struct json *item = value();
        if (item == NULL) {
            return NULL;
        }
        item->key = key;
        *last = item;
        last = &item->next;
        node->items++;
        space();
        more = *at == ',';
        at += more;
    }
    if (*at != end) {
        return bad("a list or object without an end");
    }
    at++;
    depth--;
    return node;
}

static struct json *value(void)
{
    if (used == NODES) {
        return bad("too long");
    }
    struct json *node = &nodes[used++];
    *node = (struct json){.kind = JSON_NULL};
    space();
    if (*at == '{' || *at == '[') {
        node->kind = *at == '{' ? JSON_OBJECT : JSON_LIST;
        return members(node, *at == '{' ? '}' : ']');
    }
    if (*at == '"') {
        node->kind = JSON_TEXT;
        node->text = text();
        return node->text == NULL ? NULL : node;
    }
    if (isdigit((unsigned char)*at)) {
        node->kind = JSON_NUMBER;
        node->number = strtoull(at, &at, 10);
        return *at == '.' || *at == 'e' ? bad("a number that is not whole") : node;
    }
    static const struct {
        const char *word;
        enum json_kind kind;
        uint64_t number;
    } words[] = {{"true", JSON_NUMBER, 1}, {"false", JSON_NUMBER, 0}, {"null", JSON_NULL, 0}};
    for (unsigned i = 0; i < 3; i++) {
        if (strncmp(at, words[i].word, strlen(words[i].word)) == 0) {
            at += strlen(words[i].word);
            node->kind = words[i].kind;
            node->number = words[i].number;
            return node;
        }
    }
    return bad("no value");
}

struct json *json_read(char *line, const char **error)
{
    at = line;
    used = depth = 0;
    wrong = NULL;
    struct json *node = value();
    space();
    if (node != NULL && *at != '\0') {
        node = bad("more after the value");
    }
    *error = wrong;
    return node;
}

const struct json *json_member(const struct json *object, const char *key)
{
    for (const struct json *m = object->first; m != NULL; m = m->next) {
        if (m->key != NULL && strcmp(m->key, key) == 0) {
            return m;
        }
    }
    return NULL;
}
