// SPDX-License-Identifier: BSD-2-Clause
// The enlightened part of an L1's VMCB, and what L1 lets us leave out or answer for it. Each is served only where leaf
// 0x4000000A shows it; without that the bytes are the software's own, and all is as on a processor.
#ifndef PV_ENLIGHTENED_H
#define PV_ENLIGHTENED_H

#include "../model.h"
#include "../types.h"

// What L1 uses for an L2 (bits of pv_enlightened.controls).
enum {
    PV_ENLIGHTENED_FLUSH = 1,      // its flush calls are answered without L1
    PV_ENLIGHTENED_MSR_BITMAP = 2, // L1 says when the MSR bitmap has changed
    PV_ENLIGHTENED_NPT_TLB = 4     // L1 flushes its nested tables by 0x00AF and 0x00B0
};

struct pv_enlightened {
    uint64_t vm_id;       // L1's name of the VM
    uint64_t assist_page; // partition assist page, an address of L1's
    uint32_t vp_id;       // L1's number of the VP in that VM
    uint32_t controls;    // PV_ENLIGHTENED_*
};

// Reads the four qwords at 0x3E0 of the copy of a VMCB. What is not offered is not used; reserved bits mean nothing.
/*@ requires valid: \valid_read(area + (0 .. 3)) && \valid(e) && \separated(area + (0 .. 3), e);
    assigns  *e;
    ensures  ne_area_1: e->controls == area_controls(offers, area[0]) <= 7;
    ensures  ne_area_2: e->vp_id == area_vp(area[0]) && e->vm_id == area[1] && e->assist_page == area[2]; */
void pv_enlightened_read(uint32_t offers, const uint64_t *area, struct pv_enlightened *e);

// Does L0 answer this call of L2's? features: the dword at 32 of L1's VP assist page, 0 while there is none.
/*@ requires valid: \valid_read(e);
    assigns  \nothing;
    ensures  ne_direct_1: \result <==> direct_wanted(e->controls, e->assist_page, features, code); */
bool pv_direct_wanted(const struct pv_enlightened *e, uint32_t features, uint32_t code);

// May the copy of L1's MSR bitmap be used again? clean: the VMCB's clean bits. same: that copy was made for this VMCB of
// L1's, from the address that it still names.
/*@ requires valid: \valid_read(e);
    assigns  \nothing;
    ensures  ne_bitmap_1: \result <==> bitmap_kept(e->controls, clean, same ? 1 : 0); */
bool pv_bitmap_kept(const struct pv_enlightened *e, uint32_t clean, bool same);

// What L1's flush of an ASID does to the roots used under it: PV_SYNC_TAG, and PV_SYNC_TABLES too unless L1 said that it
// needs not.
/*@ requires valid: \valid_read(e);
    assigns  \nothing;
    ensures  ne_tlb_1: \result == asid_flush_sync(e->controls); */
uint32_t pv_asid_flush_sync(const struct pv_enlightened *e);

// NE-EXIT-1: the #VMEXIT that L1 gets after a flush of L2's while it holds the lock of its partition assist page. RIP is
// behind L2's instruction.
enum { PV_EXIT_INFO1_FLUSHED = 1, PV_EXIT_INFO2_FLUSHED = 0 };
#define PV_EXIT_ENLIGHTENED UINT64_C(0xF0000000)

#endif
