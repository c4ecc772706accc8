// SPDX-License-Identifier: BSD-2-Clause
// What has been counted between two marks of a guest, and for how long no pCPU had anything to do.
#ifndef HARNESS_SPAN_H
#define HARNESS_SPAN_H

#include <stdint.h>

// A guest writes these to the port. Spans do not nest; the number, below 128, is for whoever reads the log.
enum { SPAN_PORT = 0xF5, SPAN_END = 0x80 };

// A guest's mark: the begin of span `mark`, or, with SPAN_END, its end, which prints "@span" and a JSON object. In it
// `ticks` is the time between the marks by the TSC, and `idle` the part in which all pCPUs slept.
void span_mark(uint32_t mark);

// Around the HLT of a pCPU that has nothing to do.
void idle_begins(void);
void idle_ends(void);

#endif
