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
#include "setup/partition.h"
#include "kvm/kvm.h"

// ---- set-up, before any VP runs -------------------------------------------------------------------------------

// True iff the configuration is one that the core can serve: gva_bits 48 or 57, gpa_bits 32..52, rep_budget at least
// 1, max_vps 1..4096, offers without unknown bits. (SU-CFG-1)
/*@ requires valid: \valid_read(config);
    assigns  \nothing;
    ensures  su_cfg_1: \result <==> config_ok(config); */
bool pv_config_valid(const struct pv_config *config);

// Makes *p an empty partition with this valid configuration, whose VPs will live in vps[0..capacity-1]
// (capacity 1..4096).
/*@ requires valid: \valid(p) && \valid_read(config) && \valid(vps + (0 .. capacity - 1));
    requires apart: \separated(p, config, vps + (0 .. capacity - 1));
    requires config: config_ok(config);
    requires room: 1 <= capacity <= 4096;
    assigns  p->config, p->guest_os_id, p->hypercall_msr, p->vp_count, p->vp_capacity, p->present.banks;
    assigns  p->vps \from vps;
    ensures  copied: same_config{Post, Pre}(&p->config, config);
    ensures  array: p->vps == vps && p->vp_capacity == capacity && p->vp_count == 0;
    ensures  nobody: \forall integer v; !set_has(&p->present, v);
    ensures  nameless: p->guest_os_id == 0 && p->hypercall_msr == 0;
    ensures  ok: partition_ok(p); */
void pv_partition_init(struct pv_partition *p, const struct pv_config *config, struct pv_vp *vps, uint32_t capacity);

// Adds a VP at the next free place of the array. False, and nothing changed, when the array is full, the index is
// max_vps or above, or the index exists already. (SU-VP-1)
/*@ requires valid: \valid(p);
    requires ok: partition_ok(p);
    assigns  p->vps[p->vp_count], p->position[vp_index], p->present.banks, p->present.word[vp_index / 64],
             p->vp_count;
    ensures  ok: partition_ok(p);
    ensures  su_vp_1: \result <==> addable{Pre}(p, vp_index);

    behavior refused:
      assumes  !addable(p, vp_index);
      assigns  \nothing;

    behavior added:
      assumes  addable(p, vp_index);
      ensures  count: p->vp_count == \old(p->vp_count) + 1;
      ensures  place: p->position[vp_index] == \old(p->vp_count);
      ensures  fresh: vp_fresh(p->vps + \old(p->vp_count));
      ensures  names: vp_named(p->vps + \old(p->vp_count), vp_index, apic_id);
      ensures  member: \forall integer v; set_has(&p->present, v) <==> v == vp_index || set_has{Pre}(&p->present, v);

    complete behaviors;
    disjoint behaviors; */
bool pv_partition_add_vp(struct pv_partition *p, uint32_t vp_index, uint32_t apic_id);

// CPUID leaves 0x40000000..0x4000FFFF of the Hyper-V interface; all zero for a leaf that is not implemented.
/*@ requires valid: \valid_read(p) && \valid(out) && \separated(p, out);
    assigns  *out;
    ensures  cp_zero_1: out->eax == cpuid_eax(p->config.offers, p->config.privileges, p->config.hints,
                                              p->config.max_vps, leaf)
               && out->ebx == cpuid_ebx(p->config.offers, p->config.spin_count, leaf)
               && out->ecx == cpuid_ecx(leaf)
               && out->edx == cpuid_edx(p->config.offers, p->config.features, leaf);
    ensures  cp_max_1: leaf == leaf_base ==> out->eax == highest_leaf(p->config.offers);
    ensures  ne_leaf_3: leaf == leaf_nested ==> out->eax == nested_eax(p->config.offers);
    ensures  cp_vend_1: leaf == leaf_base ==>
               out->ebx == vendor_ebx && out->ecx == vendor_ecx && out->edx == vendor_edx;
    ensures  cp_iface_1: leaf == leaf_interface ==> out->eax == interface;
    ensures  cp_priv_3: leaf == leaf_features ==> out->ebx == 0;
    ensures  cp_vps_1: leaf == leaf_limits ==> out->eax == p->config.max_vps; */
void pv_cpuid(const struct pv_partition *p, uint32_t leaf, struct pv_cpuid *out);

// MSRs 0x40000000 (GUEST_OS_ID), 0x40000001 (HYPERCALL), 0x40000002 (VP_INDEX).
/*@ requires valid: \valid_read(p) && \valid_read(vp) && \valid(value) && \separated(value, p, vp);
    assigns  *value;
    ensures  su_read_1: \result == msr_read_result(msr);
    ensures  value: *value == msr_read_value(p->guest_os_id, p->hypercall_msr, vp->vp_index, msr); */
enum pv_msr_result pv_msr_read(const struct pv_partition *p, const struct pv_vp *vp, uint32_t msr, uint64_t *value);

// Both MSRs belong to the partition: two VPs may write them at the same moment, so the embedder calls pv_msr_write
// under a lock of the partition's, and pv_msr_read and pv_hypercall_page too. A hypercall in progress sees GUEST_OS_ID
// as it was before or after.
/*@ requires valid: \valid(p);
    requires ok: config_ok(&p->config) && page_ok(p);
    assigns  p->guest_os_id, p->hypercall_msr;
    ensures  ok: page_ok(p);
    ensures  su_gpfn_1: \result == msr_write_result(p->config.offers, p->config.gpa_bits, \old(p->hypercall_msr),
                                                    msr, value);
    ensures  su_osid_1: \result == PV_MSR_DONE || \result == PV_MSR_DONE_PAGE ==>
               p->guest_os_id == os_id_after(\old(p->guest_os_id), msr, value);
    ensures  su_ena_1: \result == PV_MSR_DONE || \result == PV_MSR_DONE_PAGE ==>
               p->hypercall_msr == hypercall_after(\old(p->guest_os_id), \old(p->hypercall_msr), msr, value);
    ensures  unchanged: \result == PV_MSR_FAULT_GP || \result == PV_MSR_UNKNOWN ==>
               p->guest_os_id == \old(p->guest_os_id) && p->hypercall_msr == \old(p->hypercall_msr); */
enum pv_msr_result pv_msr_write(struct pv_partition *p, uint32_t msr, uint64_t value);

// True when the hypercall page is in place; *gpa is then where its overlay lies. (SU-PAGE-1)
/*@ requires valid: \valid_read(p) && \valid(gpa) && \separated(p, gpa);
    assigns  *gpa;
    ensures  su_page_1: \result <==> page_enabled(p->hypercall_msr);
    ensures  where: \result ==> *gpa == page_gpa(p->hypercall_msr);
    ensures  unchanged: !\result ==> *gpa == \old(*gpa); */
bool pv_hypercall_page(const struct pv_partition *p, uint64_t *gpa);

// ---- running --------------------------------------------------------------------------------------------------

// The guest executed the hypercall instruction. `context` is PV_CONTEXT_L1, or PV_CONTEXT_L2 when the caller is a
// nested guest whose flushes mean its own translations. When this returns PV_DONE with status 0, every VP the call
// named that could run guest code has been outside the guest since the call began, and flushes before its next entry.
enum pv_outcome pv_hypercall(struct pv_partition *p, uint32_t context, struct pv_call *call,
                             struct pv_scratch *scratch);

// Marks the VP as in the guest, with a full memory barrier behind the store.
void pv_vp_run(struct pv_vp *vp);

// Takes everything that is pending for the VP in this context. False: nothing was pending, and
// *work says so: no flush, no range, no vector. Taken is taken: whoever then does not enter the guest must still flush.
bool pv_vp_take(struct pv_vp *vp, uint32_t context, struct pv_work *work);

// Marks the VP as outside the guest. Its translations may stay; they are older than nothing that was promised.
void pv_vp_stop(struct pv_vp *vp);

#endif
