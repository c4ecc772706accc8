// SPDX-License-Identifier: BSD-2-Clause
// The processor's side of virtualization: what it offers, nested tables, TLB tags, the run loop.
#ifndef HARNESS_SVM_H
#define HARNESS_SVM_H

#include <stdbool.h>
#include <stdint.h>

struct vp;
struct pcpu;

// Ends the run when the processor has no SVM or no nested paging.
void svm_check(void);

// Switches SVM on on this pCPU and gives it a host save area.
void svm_enable(void);

extern bool svm_has_next_rip;      // NRIPS
extern bool svm_has_flush_by_asid; // FlushByAsid
extern uint32_t svm_asids;         // legal guest ASIDs are 1..svm_asids-1

// The bitmaps that all VPs share: every port exits; MSRs exit but for those that VMLOAD and VMSAVE switch.
void svm_make_bitmaps(void);
extern uint64_t svm_iopm_pa, svm_msrpm_pa;

// Nested page table of the partition: guest_size bytes at guest physical address 0.
void npt_make(void);
extern uint64_t npt_root_pa;
extern uint64_t npt_generation; // raised with each change that a processor may still have cached otherwise

// Puts a page of the harness over the page at `gpa` (rights: read, and execute if asked), or takes it away again
// when `page` is null. Returns once no VP can use the old mapping. `gpa` outside the guest's memory is fine.
void npt_overlay(uint64_t gpa, void *page, bool execute);

// Host address of the guest physical page at `gpa` as a VP sees it, overlay pages included; null where nothing is.
const uint8_t *npt_page(uint64_t gpa);

// The frame, its size and the rights to it. False where nothing is.
struct pv_frame;
bool npt_frame(uint64_t gpa, struct pv_frame *frame);

// True when the nested tables map nothing but the guest's own memory and our read-only overlay pages.
bool npt_is_legal(void);

// May any table of a guest lead to this page, and allow writes?
bool npt_may_map(uint64_t hpa, uint64_t size, bool write);

// A fingerprint of the harness's code and constants.
uint64_t svm_checksum(void);

// TLB tags: see svm/asid.c.
void asid_prepare(struct pcpu *me, struct vp *vp);
void asid_flush(struct vp *vp);

// svm/run.S. Runs the guest with all but RAX and RSP in gpr[16], numbered as the processor does.
void svm_vmrun(uint64_t vmcb_pa, uint64_t *gpr);

// Where a pCPU spends its life.
_Noreturn void svm_run_forever(void);

#endif
