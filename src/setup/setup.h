// SPDX-License-Identifier: BSD-2-Clause
// The parts of set-up that are not the embedder's to call.
#ifndef PV_SETUP_H
#define PV_SETUP_H

#include "../proviso.h"
#include "partition.h"

// Makes *vp a VP that has not run yet.
/*@ requires valid: \valid(vp);
    assigns  *vp;
    ensures  fresh: vp_fresh(vp);
    ensures  named: vp_named(vp, vp_index, apic_id);
    ensures  ok: vp_ok(vp); */
void pv_vp_init(struct pv_vp *vp, uint32_t vp_index, uint32_t apic_id);

// Registers of the CPUID leaves that are put together from the configuration.
/*@ assigns  \nothing;
    ensures  cp_priv_1: \result == features_eax(privileges); */
uint32_t pv_cpuid_privileges(uint32_t privileges);

/*@ assigns  \nothing;
    ensures  cp_feat_1: \result == features_edx(offers, features); */
uint32_t pv_cpuid_features(uint32_t offers, uint32_t features);

/*@ assigns  \nothing;
    ensures  cp_hint_2: \result <==> flush_served(offers); */
bool pv_flush_served(uint32_t offers);

/*@ assigns  \nothing;
    ensures  cp_hint_3: \result <==> ipi_served(offers); */
bool pv_ipi_served(uint32_t offers);

/*@ assigns  \nothing;
    ensures  cp_hint_1: \result == hints_eax(offers, privileges, hints); */
uint32_t pv_cpuid_hints(uint32_t offers, uint32_t privileges, uint32_t hints);

/*@ assigns  \nothing;
    ensures  cp_spin_1: \result == hints_ebx(offers, spin_count); */
uint32_t pv_cpuid_spin_count(uint32_t offers, uint32_t spin_count);

// What a nested hypervisor may use.
/*@ assigns  \nothing;
    ensures  ne_leaf_3: \result <==> gpa_served(offers); */
bool pv_gpa_served(uint32_t offers);

/*@ assigns  \nothing;
    ensures  ne_leaf_4: \result <==> direct_served(offers); */
bool pv_direct_served(uint32_t offers);

/*@ assigns  \nothing;
    ensures  bitmap: \result <==> bitmap_served(offers); */
bool pv_bitmap_served(uint32_t offers);

/*@ assigns  \nothing;
    ensures  npt_tlb: \result <==> npt_tlb_served(offers); */
bool pv_npt_tlb_served(uint32_t offers);

/*@ assigns  \nothing;
    ensures  ne_leaf_1: \result == nested_eax(offers); */
uint32_t pv_cpuid_nested(uint32_t offers);

/*@ assigns  \nothing;
    ensures  ne_leaf_2: \result == highest_leaf(offers); */
uint32_t pv_cpuid_highest(uint32_t offers);

// What the HYPERCALL MSR says.
/*@ assigns  \nothing;
    ensures  su_lock_1: \result <==> locked(offers, hypercall); */
bool pv_page_locked(uint32_t offers, uint64_t hypercall);

/*@ requires width: 32 <= gpa_bits <= 52;
    assigns  \nothing;
    ensures  su_gpfn_1: \result <==> frame_inside(gpa_bits, hypercall); */
bool pv_frame_inside(uint32_t gpa_bits, uint64_t hypercall);

/*@ assigns  \nothing;
    ensures  off: \result == disabled(hypercall); */
uint64_t pv_page_disabled(uint64_t hypercall);

#endif
