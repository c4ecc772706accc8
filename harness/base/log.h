// SPDX-License-Identifier: BSD-2-Clause
// The harness's voice: the first serial port of the machine below. Lines of the harness begin with "proviso: ",
// lines of the guest with its time and VP, so that a reader and a program can tell them apart.
#ifndef HARNESS_LOG_H
#define HARNESS_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

// Sets up COM1 (115200 8N1, polled).
void log_init(void);

// Writes text as it is; `print` understands %s %c %u %d %x %lu %lx %% and a width with leading zeros or spaces.
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

// One whole line "proviso: ...", never mixed with another pCPU's.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

void say_list(const char *format, va_list args);

// A line of the guest's console.
void log_guest_line(uint64_t microseconds, uint32_t vp, const char *text, uint32_t length);

// Takes the lock of the console for good: used on the way down, when no other line may come in between.
void log_seize(void);

// A byte that came in on COM1, or -1.
int log_input(void);

#endif
