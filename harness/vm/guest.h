// SPDX-License-Identifier: BSD-2-Clause
// The guest's memory as the harness sees it: by guest physical address, and by the VP's own page tables.
#ifndef HARNESS_GUEST_H
#define HARNESS_GUEST_H

#include <stdbool.h>
#include <stdint.h>

struct vp;

// Host address of [gpa, gpa + size), or null when any byte is outside the guest's memory.
void *guest_at(uint64_t gpa, uint64_t size);

// Guest virtual (linear) to guest physical address by the VP's page tables, as they are now. False: not mapped.
// Rights are not looked at: this serves instruction fetches that the processor itself has just made.
// `entry_at` (may be null) is set to the last entry of a long-mode walk, or to null where there is none.
bool guest_translate(const struct vp *vp, uint64_t linear, uint64_t *gpa, const uint64_t **entry_at);

// The instruction bytes at RIP; how many of the `n` asked could be read.
uint32_t guest_fetch(const struct vp *vp, uint8_t *bytes, uint32_t n);

// Advances RIP over an instruction whose opcode and operands take `length` bytes, and the prefixes before it.
void guest_skip(struct vp *vp, uint32_t length);

#endif
