// SPDX-License-Identifier: BSD-2-Clause
// A VP that is a hypervisor itself. L1 is what runs in the VP, L2 its guest. There are two control blocks for the processor:
// VMCB01 for L1, and VMCB02 for L2; vp->vmcb is the one in use. What L1 wrote is VMCB12: it is copied once at VMRUN, and only
// the copy is looked at. The decisions are the core's (src/nested).
#ifndef HARNESS_NESTED_H
#define HARNESS_NESTED_H

#include "../../src/nested/enlightened.h"
#include "../../src/nested/fault.h"
#include "contexts.h"
#include "../../src/nested/vmexit.h"
#include "exits.h"
#include "vp.h"

enum { NESTED_ASIDS = 64, NESTED_POOL_PAGES = 256 };

struct nested_tag {
    uint64_t owner; // as vp->asid_owner
    uint32_t asid;
};

struct nested {
    struct pv_nested core;
    struct pv_pool pool;
    struct pv_vmcb *vmcb01, *vmcb02;
    uint64_t vmcb01_pa, vmcb02_pa;
    struct pv_vmcb copy; // of VMCB12
    uint64_t vmcb12;     // its guest physical address
    uint8_t *msrpm;      // for L2: ours and L1's
    struct msrpm_of {    // whose it is: L1's block, the map that it names, and whether it uses it
        uint64_t vmcb12, base;
        uint32_t used;
    } msrpm_of;
    struct pv_enlightened enlightened; // of the copy
    struct nested_tag tag[PV_MMUS][PV_ROOTS];
    // In L2: the context and its root in use, as pv_nested_* say at VMRUN; the tag; and whose L1's tag is, which stays in VMCB01
    uint32_t context, slot;
    struct pv_root *root;
    struct nested_tag *l2_tag;
    uint64_t l1_tag_owner;
    uint64_t npt_generation;   // of the partition's table, when the shadow was last made sure of
    uint64_t event;            // what was being delivered when L2 was left, in EXITINTINFO's form; 0: nothing
    uint64_t given, given_rip; // the event given at this entry, in EVENTINJ's form, and where L2 stood
    bool window;               // V_IRQ is ours, to see when L2 takes interrupts
    bool v_irq_held;           // L1's V_IRQ is kept from the processor: it may not be taken yet
    bool svme;                 // EFER.SVME as L1 sees it
    bool l1_wants_long_mode;
    uint64_t vm_cr, hsave_pa;
};

// Kept apart from the ways of exits that know nothing of nesting, which it would make longer otherwise.
#define NESTED_APART __attribute__((noinline))

extern bool nested_offered;

void nested_make(struct vp *vp);
void nested_reset(struct vp *vp); // INIT: L1 runs, nothing is known of an L2

// MSRs of SVM. False: #GP, or no such register.
NESTED_APART bool nested_msr_read(const struct vp *vp, uint32_t msr, uint64_t *value);
NESTED_APART bool nested_msr_write(struct vp *vp, uint32_t msr, uint64_t value);
NESTED_APART bool nested_write_svme(struct vp *vp, bool on); // EFER.SVME
bool nested_sees_svme(const struct vp *vp);

// The instructions of SVM, executed by L1 (or by an L2 whose L1 does not intercept them).
NESTED_APART void nested_instruction(struct vp *vp, uint32_t code);

// INIT ends the guest of this VP, and waits until L1 sets GIF.
bool nested_wants_init(const struct vp *vp);
// L2 must not be entered: L1 has an INIT, NMI or interrupt that it intercepts. The code of its exit, or 0.
uint32_t nested_interrupted(const struct vp *vp);
// L2's translations were asked to be flushed (PV_FLUSH_*): all its roots owe it, not the current one alone.
NESTED_APART void nested_flush(struct vp *vp, uint32_t flush);
// Before an entry of L2, when the VP is marked as running: makes good what the current root owes.
void nested_prepare(struct vp *vp);
void nested_give_events(struct vp *vp);
void nested_after_guest(struct vp *vp);
NESTED_APART bool nested_ends_idling(const struct vp *vp);

// An exit of L2. True: it was L1's, or is dealt with.
NESTED_APART bool nested_exit(struct vp *vp);

// Hyper-V's flush calls of L2 (vm/nested_direct.c): at VMRUN, what L2 is about to run, if it or the last one has a name; and a
// VMMCALL of L2's: true, it was answered.
NESTED_APART void nested_direct_load(struct vp *vp);
NESTED_APART bool nested_direct_call(struct vp *vp);

// Ends L2 with this exit.
NESTED_APART void nested_vmexit(struct vp *vp, uint64_t code, uint64_t info1, uint64_t info2);

// We raise an exception for L2. True: L1 wanted to see it.
NESTED_APART bool nested_exception(struct vp *vp, uint32_t vector, uint64_t error);

// L2's physical address to L1's. False: it leads nowhere.
NESTED_APART bool nested_address(const struct vp *vp, uint64_t gpa, uint64_t *l1);

// True when what the processor is given for L2 leads to nothing but the guest's memory and our own maps and tables.
bool nested_is_legal(const struct vp *vp);

#endif
