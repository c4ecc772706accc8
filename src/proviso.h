// SPDX-License-Identifier: BSD-2-Clause
// Proviso's core: everything an embedder calls. What the embedder provides stands in platform.h.
//
// The way of a VP, in the order that the flush protocol needs (docs/protocol.md):
//   pv_vp_run(vp)                      mark the VP as in the guest; full barrier
//   while (pv_vp_take(vp, ctx, &work)) flush and queue the interrupts that `work` names
//   ... run the guest until it exits ...
//   pv_vp_stop(vp)                     the VP is outside the guest
#ifndef PROVISO_H
#define PROVISO_H

#include "types.h"
#include "platform.h"

// ---- set-up, before any VP runs -------------------------------------------------------------------------------

// True iff the configuration is one that the core can serve: gva_bits 48 or 57, gpa_bits 32..52, rep_budget at least
// 1, max_vps 1..4096, offers without unknown bits. (SU-CFG-1)
bool pv_config_valid(const struct pv_config *config);

// Makes *p an empty partition with this valid configuration, whose VPs will live in vps[0..capacity-1]
// (capacity 1..4096).
void pv_partition_init(struct pv_partition *p, const struct pv_config *config, struct pv_vp *vps, uint32_t capacity);

// Adds a VP at the next free place of the array. False, and nothing changed, when the array is full, the index is
// max_vps or above, or the index exists already. (SU-VP-1)
bool pv_partition_add_vp(struct pv_partition *p, uint32_t vp_index, uint32_t apic_id);

// CPUID leaves 0x40000000..0x4000FFFF of the Hyper-V interface; all zero for a leaf that is not implemented.
struct pv_cpuid {
    uint32_t eax, ebx, ecx, edx;
};
void pv_cpuid(const struct pv_partition *p, uint32_t leaf, struct pv_cpuid *out);

// MSRs 0x40000000 (GUEST_OS_ID), 0x40000001 (HYPERCALL), 0x40000002 (VP_INDEX).
enum pv_msr_result {
    PV_MSR_DONE = 0,      // carried out
    PV_MSR_FAULT_GP = 1,  // inject #GP(0); nothing changed
    PV_MSR_UNKNOWN = 2,   // not one of the core's MSRs
    PV_MSR_DONE_PAGE = 3, // carried out, and the hypercall page may have moved: see pv_hypercall_page
};
enum pv_msr_result pv_msr_read(const struct pv_partition *p, const struct pv_vp *vp, uint32_t msr, uint64_t *value);
enum pv_msr_result pv_msr_write(struct pv_partition *p, uint32_t msr, uint64_t value);

// True when the hypercall page is in place; *gpa is then where its overlay lies. (SU-PAGE-1)
bool pv_hypercall_page(const struct pv_partition *p, uint64_t *gpa);

// ---- running --------------------------------------------------------------------------------------------------

// The guest executed the hypercall instruction. `context` is PV_CONTEXT_L1, or PV_CONTEXT_L2 when the caller is a
// nested guest whose flushes mean its own translations. When this returns PV_DONE with status 0, every VP the call
// named that could run guest code has been outside the guest since the call began, and flushes before its next entry.
enum pv_outcome pv_hypercall(struct pv_partition *p, uint32_t context, struct pv_call *call,
                             struct pv_scratch *scratch);

// Marks the VP as in the guest, with a full memory barrier behind the store.
void pv_vp_run(struct pv_vp *vp);

// Takes everything that is pending for the VP in this context. False: nothing was pending, *work is all zero.
bool pv_vp_take(struct pv_vp *vp, uint32_t context, struct pv_work *work);

// Marks the VP as outside the guest. Its translations may stay; they are older than nothing that was promised.
void pv_vp_stop(struct pv_vp *vp);

#endif
