// SPDX-License-Identifier: BSD-2-Clause
// The guest's console, line by line, and the harness's own look at the clock and the keyboard.
#ifndef HARNESS_CONSOLE_H
#define HARNESS_CONSOLE_H

#include <stdint.h>

struct pcpu;

void console_init(uint64_t time_limit_seconds); // 0: none
void console_put(uint32_t vp, uint8_t c);       // a byte that the guest sent
void console_poll(struct pcpu *me);             // now and then, by the first pCPU: input, time limit
void console_flush(void);                       // an unfinished line, on the way down

#endif
