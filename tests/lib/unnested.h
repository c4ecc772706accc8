// SPDX-License-Identifier: BSD-2-Clause
// What a program without guests of guests answers to the core's questions about nesting (src/platform.h). Included once, by a .c file.
#ifndef TESTS_UNNESTED_H
#define TESTS_UNNESTED_H

#include "platform.h"

bool pv_platform_table_read(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t *entry)
{
    (void)p, (void)gpa, (void)bytes, (void)entry;
    return false;
}
bool pv_platform_table_set(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t seen,
                           uint64_t bits)
{
    (void)p, (void)gpa, (void)bytes, (void)seen, (void)bits;
    return false;
}
bool pv_platform_frame(const struct pv_partition *p, uint64_t gpa, struct pv_frame *frame)
{
    (void)p, (void)gpa, (void)frame;
    return false;
}
bool pv_platform_vmcb_read(const struct pv_partition *p, uint64_t gpa, struct pv_vmcb *copy)
{
    (void)p, (void)gpa, (void)copy;
    return false;
}

#endif
