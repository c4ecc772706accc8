// SPDX-License-Identifier: BSD-2-Clause
// The persona "hyperv": hypercalls and the set-up registers go to the core; what the core leaves to its embedder
// (clocks, APIC registers, VP assist page) is here.
#ifndef HARNESS_HYPERV_H
#define HARNESS_HYPERV_H

#include <stdbool.h>
#include <stdint.h>

struct vp;
struct pv_config;

// The configuration that the harness offers its guests.
struct pv_config hyperv_config(uint32_t max_vps, uint32_t gpa_bits);

// After the clocks are known and the partition is made.
void hyperv_init(void);

// One line for tests/harness/judge: the configuration as the oracle reads it.
void hyperv_print_config(void);

// False: #GP.
bool hyperv_msr_read(struct vp *vp, uint32_t msr, uint64_t *value);
bool hyperv_msr_write(struct vp *vp, uint32_t msr, uint64_t value);

#endif
