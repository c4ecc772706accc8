// SPDX-License-Identifier: BSD-2-Clause
// The control block that runs for L2: what L1 asked for, and what we need in any case. No physical address of L1's gets into
// it (NV-ISO-1), and no intercept of ours is missing (NV-FLOOR-1).
#ifndef PV_NESTED_MERGE_H
#define PV_NESTED_MERGE_H

#include "../model.h"
#include "vmcb.h"

// What we decide for every L2.
struct pv_vmcb_floor {
    uint32_t cr_intercepts, exception_intercepts, intercepts3, intercepts4;
    uint64_t iopm_base;  // every port exits
    uint64_t msrpm_base; // of this VP: see pv_msrpm_merge
    uint64_t nested_cr3; // the partition's table, or the shadow of L1's
    uint64_t g_pat;      // L1's, for an L2 without nested paging
    uint64_t tsc_offset; // L1's own
};

// A segment register's fields, for what a function assigns.
#define PV_SEGMENT(s) s.selector, s.attrib, s.limit, s.base
#define PV_SEGMENTS(c)                                                                                              \
    PV_SEGMENT(c->es), PV_SEGMENT(c->cs), PV_SEGMENT(c->ss), PV_SEGMENT(c->ds), PV_SEGMENT(c->gdtr),                \
        PV_SEGMENT(c->idtr)

/*@ // Every bit of an intercept word that runs is L1's or ours.
    predicate joined(integer run, integer asked, integer own) =
      \forall integer i; 0 <= i < 32 ==> (mbit(run, i) <==> run_bit(asked, own, i));

    predicate intercepts_joined{L}(struct pv_vmcb *to, struct pv_vmcb *c, struct pv_vmcb_floor *f) =
      joined(to->cr_intercepts, c->cr_intercepts, f->cr_intercepts) && to->dr_intercepts == c->dr_intercepts &&
      joined(to->exception_intercepts, c->exception_intercepts, f->exception_intercepts) &&
      joined(to->intercepts3, c->intercepts3, f->intercepts3) &&
      joined(to->intercepts4, asked4(c->intercepts4), f->intercepts4) && to->intercepts5 == asked5(c->intercepts5);

    predicate addresses_ours{L}(struct pv_vmcb *to, struct pv_vmcb_floor *f) =
      to->iopm_base == f->iopm_base && to->msrpm_base == f->msrpm_base && to->nested_cr3 == f->nested_cr3;

    // What `a` points at is now what `b` pointed at then.
    predicate same_segment{L, M}(struct pv_segment *a, struct pv_segment *b) =
      \at(a->selector, L) == \at(b->selector, M) && \at(a->attrib, L) == \at(b->attrib, M) &&
      \at(a->limit, L) == \at(b->limit, M) && \at(a->base, L) == \at(b->base, M);
    predicate same_segments{L, M}(struct pv_vmcb *a, struct pv_vmcb *b) =
      same_segment{L, M}(\at(&a->es, L), \at(&b->es, M)) && same_segment{L, M}(\at(&a->cs, L), \at(&b->cs, M)) && same_segment{L, M}(\at(&a->ss, L), \at(&b->ss, M)) &&
      same_segment{L, M}(\at(&a->ds, L), \at(&b->ds, M)) && same_segment{L, M}(\at(&a->gdtr, L), \at(&b->gdtr, M)) &&
      same_segment{L, M}(\at(&a->idtr, L), \at(&b->idtr, M));
    predicate same_registers{L, M}(struct pv_vmcb *a, struct pv_vmcb *b) =
      \at(a->efer, L) == \at(b->efer, M) && \at(a->cr0, L) == \at(b->cr0, M) && \at(a->cr2, L) == \at(b->cr2, M) &&
      \at(a->cr3, L) == \at(b->cr3, M) && \at(a->cr4, L) == \at(b->cr4, M) && \at(a->dr6, L) == \at(b->dr6, M) &&
      \at(a->dr7, L) == \at(b->dr7, M) && \at(a->rip, L) == \at(b->rip, M) && \at(a->rsp, L) == \at(b->rsp, M) &&
      \at(a->rax, L) == \at(b->rax, M); */

// What VMRUN and #VMEXIT switch, from one control block to another: RFLAGS and CPL are their callers' (15.5.1).
/*@ requires valid: \valid(to) && \valid_read(from) && \separated(to, from);
    assigns  PV_SEGMENTS(to);
    ensures  nv_state_1_es: same_segment{Here, Pre}(&to->es, &from->es);
    ensures  nv_state_1_cs: same_segment{Here, Pre}(&to->cs, &from->cs);
    ensures  nv_state_1_ss: same_segment{Here, Pre}(&to->ss, &from->ss);
    ensures  nv_state_1_ds: same_segment{Here, Pre}(&to->ds, &from->ds);
    ensures  nv_state_1_gdtr: same_segment{Here, Pre}(&to->gdtr, &from->gdtr);
    ensures  nv_state_1_idtr: same_segment{Here, Pre}(&to->idtr, &from->idtr); */
void pv_vmcb_segments(struct pv_vmcb *to, const struct pv_vmcb *from);
/*@ requires valid: \valid(to) && \valid_read(from) && \separated(to, from);
    assigns  to->efer, to->cr0, to->cr2, to->cr3, to->cr4, to->dr6, to->dr7, to->rip, to->rsp, to->rax;
    ensures  nv_state_1: same_registers{Here, Pre}(to, from); */
void pv_vmcb_registers(struct pv_vmcb *to, const struct pv_vmcb *from);

// `to` is what runs; `c` is the checked copy of what L1 wrote. The merge is in three parts beside the two above, each of
// which has fields of its own, in any order. ASID and TLB_CONTROL of `to` stay as they are: the embedder's. So do all fields
// that are not named: they are for features that L1 is not offered, and 0 (NV-FEAT-1).

/*@ requires valid: \valid(to) && \valid_read(c) && \valid_read(f);
    requires apart: \separated(to, c) && \separated(to, f);
    assigns  to->cr_intercepts, to->dr_intercepts, to->exception_intercepts, to->intercepts3, to->intercepts4,
             to->intercepts5;
    ensures  nv_floor_1: intercepts_joined(to, c, f); */
void pv_vmcb_merge_intercepts(struct pv_vmcb *to, const struct pv_vmcb *c, const struct pv_vmcb_floor *f);

/*@ requires valid: \valid(to) && \valid_read(c) && \valid_read(f);
    requires apart: \separated(to, c) && \separated(to, f);
    assigns  to->pause_threshold, to->pause_count, to->iopm_base, to->msrpm_base, to->tsc_offset, to->v_intr,
             to->interrupt_state, to->nested_control, to->avic_bar, to->ghcb, to->event_inject, to->nested_cr3,
             to->lbr_control, to->clean;
    ensures  nv_iso_1: addresses_ours(to, f) && to->avic_bar == 0 && to->ghcb == 0;
    ensures  nv_tsc_1: to->tsc_offset == tsc_sum(c->tsc_offset, f->tsc_offset);
    ensures  nv_vintr_1: to->v_intr == run_v_intr(c->v_intr) && to->interrupt_state == c->interrupt_state % 2;
    ensures  nv_feat_1: to->nested_control == PV_NP_ENABLE && to->lbr_control == 0 && to->clean == 0 &&
                        to->pause_threshold == 0 && to->pause_count == 0;
    ensures  nv_inject_1: to->event_inject == c->event_inject; */
void pv_vmcb_merge_control(struct pv_vmcb *to, const struct pv_vmcb *c, const struct pv_vmcb_floor *f);

/*@ requires valid: \valid(to) && \valid_read(c) && \valid_read(f);
    requires apart: \separated(to, c) && \separated(to, f);
    assigns  to->cpl, to->rflags, to->g_pat;
    ensures  nv_state_1: to->cpl == c->cpl && to->rflags == run_rflags(c->rflags);
    ensures  nv_pat_1: to->g_pat == (c->nested_control % 2 == 1 ? c->g_pat : f->g_pat); */
void pv_vmcb_merge_rest(struct pv_vmcb *to, const struct pv_vmcb *c, const struct pv_vmcb_floor *f);

#endif
