// SPDX-License-Identifier: BSD-2-Clause
// The machine's memory: the guest gets one contiguous block at the top of the largest region, 2 MiB aligned; the
// harness takes pages of its own from below it. The two never meet, and memory_check says so.
#ifndef HARNESS_MEMORY_H
#define HARNESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MIB (1024ul * 1024)

struct module {
    const uint8_t *data;
    uint64_t size;
    const char *text; // what followed the file's name
};
enum { MAX_MODULES = 4 };
extern struct module modules[MAX_MODULES];
extern uint32_t module_count;
extern const char *boot_options;

// Reads what multiboot left, and extends the host's identity map to all memory. Ends the run when it is not there.
void memory_init(uint32_t magic, uintptr_t information);

// Gives the harness's own pages their rights (base/protect.c).
void memory_protect(void);

// The guest's block: `size` bytes at guest physical address 0. Ends the run when there is not enough for it and for `own`
// bytes of the harness.
void memory_make_guest(uint64_t size, uint64_t own);
extern uint8_t *guest_base;
extern uint64_t guest_size;

// Zeroed pages of the harness, never given back.
void *memory_pages(uint32_t pages);
void *memory_aligned(size_t size, size_t alignment);
uint64_t memory_left(void); // bytes of our own that nobody has taken yet

// True when [hpa, hpa + size) belongs to the guest's block, and so to nothing of ours.
bool memory_is_guest(uint64_t hpa, uint64_t size);

#endif
