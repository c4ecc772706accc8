// SPDX-License-Identifier: BSD-2-Clause
// The least embedder that there can be, for small programs on libproviso.a: one page of guest memory, and nobody runs.
#ifndef TESTS_QUIET_H
#define TESTS_QUIET_H

#include "json.h"
#include "proviso.h"

extern uint64_t quiet_page[512]; // what the page holds
extern uint64_t quiet_gpa;       // where it lies; 1: nowhere

// A register or another word in hexadecimal digits, 0 if it is not there.
uint64_t quiet_word(const struct json *object, const char *key);

// The page from a vector's "mem": a list of [address, [word, ...]], all in one page, the rest of which is zero.
void quiet_memory(const struct json *mem);

// A vector's "config", and the index of one of its "vps".
struct pv_config quiet_config(const struct json *config);
uint32_t quiet_vp(const struct json *vp);

// The caller of a vector: its "regs", "xmm" and "mode".
struct pv_call quiet_call(const struct json *vector);

// Prints ,"flush":[...],"vectors":[...]: what is pending for the VPs, as an outcome says it.
void quiet_told(const struct pv_partition *p);

#endif
