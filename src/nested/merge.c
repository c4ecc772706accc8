// SPDX-License-Identifier: BSD-2-Clause
#include "merge.h"
#include "join.h"

#define LOW       0x100000000u
#define V_MASKING 0x1000000u

// a + b, as the processor adds: without a carry out.
/*@ assigns  \nothing;
    ensures  nv_tsc_1: \result == tsc_sum(a, b); */
static uint64_t tsc_sum(uint64_t a, uint64_t b)
{
    const uint64_t low = a % LOW + b % LOW;
    const uint64_t high = a / LOW + b / LOW + low / LOW;
    //@ assert parts: a == a / 4294967296 * 4294967296 + a % 4294967296 && b == b / 4294967296 * 4294967296 + b % 4294967296;
    //@ assert carry: low == low / 4294967296 * 4294967296 + low % 4294967296;
    //@ assert whole: a + b == high * 4294967296 + low % 4294967296;
    //@ assert top: high == high / 4294967296 * 4294967296 + high % 4294967296;
    //@ assert split: a + b == high / 4294967296 * 18446744073709551616 + (high % 4294967296 * 4294967296 + low % 4294967296);
    return high % LOW * LOW + low % LOW;
}

/*@ assigns  \nothing;
    ensures  nv_vintr_1: \result == run_v_intr(asked); */
static uint64_t run_v_intr(uint64_t asked)
{
    return asked % 16u + 0x100u * (asked / 0x100u % 2u) + 0x10000u * (asked / 0x10000u % 32u) + V_MASKING +
           LOW * (asked / LOW % 256u);
}

// All is read before anything is written: then the prover need not tell the two apart, and the processor does not wait.
void pv_vmcb_segments(struct pv_vmcb *to, const struct pv_vmcb *from)
{
    const uint16_t es_selector = from->es.selector;
    const uint16_t cs_selector = from->cs.selector;
    const uint16_t ss_selector = from->ss.selector;
    const uint16_t ds_selector = from->ds.selector;
    const uint16_t gdtr_selector = from->gdtr.selector;
    const uint16_t idtr_selector = from->idtr.selector;
    const uint16_t es_attrib = from->es.attrib;
    const uint16_t cs_attrib = from->cs.attrib;
    const uint16_t ss_attrib = from->ss.attrib;
    const uint16_t ds_attrib = from->ds.attrib;
    const uint16_t gdtr_attrib = from->gdtr.attrib;
    const uint16_t idtr_attrib = from->idtr.attrib;
    const uint32_t es_limit = from->es.limit;
    const uint32_t cs_limit = from->cs.limit;
    const uint32_t ss_limit = from->ss.limit;
    const uint32_t ds_limit = from->ds.limit;
    const uint32_t gdtr_limit = from->gdtr.limit;
    const uint32_t idtr_limit = from->idtr.limit;
    const uint64_t es_base = from->es.base;
    const uint64_t cs_base = from->cs.base;
    const uint64_t ss_base = from->ss.base;
    const uint64_t ds_base = from->ds.base;
    const uint64_t gdtr_base = from->gdtr.base;
    const uint64_t idtr_base = from->idtr.base;
    to->es.selector = es_selector;
    to->es.attrib = es_attrib;
    to->es.limit = es_limit;
    to->es.base = es_base;
    to->cs.selector = cs_selector;
    to->cs.attrib = cs_attrib;
    to->cs.limit = cs_limit;
    to->cs.base = cs_base;
    to->ss.selector = ss_selector;
    to->ss.attrib = ss_attrib;
    to->ss.limit = ss_limit;
    to->ss.base = ss_base;
    to->ds.selector = ds_selector;
    to->ds.attrib = ds_attrib;
    to->ds.limit = ds_limit;
    to->ds.base = ds_base;
    to->gdtr.selector = gdtr_selector;
    to->gdtr.attrib = gdtr_attrib;
    to->gdtr.limit = gdtr_limit;
    to->gdtr.base = gdtr_base;
    to->idtr.selector = idtr_selector;
    to->idtr.attrib = idtr_attrib;
    to->idtr.limit = idtr_limit;
    to->idtr.base = idtr_base;
}

void pv_vmcb_registers(struct pv_vmcb *to, const struct pv_vmcb *from)
{
    const uint64_t efer = from->efer;
    const uint64_t cr0 = from->cr0;
    const uint64_t cr2 = from->cr2;
    const uint64_t cr3 = from->cr3;
    const uint64_t cr4 = from->cr4;
    const uint64_t dr6 = from->dr6;
    const uint64_t dr7 = from->dr7;
    const uint64_t rip = from->rip;
    const uint64_t rsp = from->rsp;
    const uint64_t rax = from->rax;
    to->efer = efer;
    to->cr0 = cr0;
    to->cr2 = cr2;
    to->cr3 = cr3;
    to->cr4 = cr4;
    to->dr6 = dr6;
    to->dr7 = dr7;
    to->rip = rip;
    to->rsp = rsp;
    to->rax = rax;
}

void pv_vmcb_merge_intercepts(struct pv_vmcb *to, const struct pv_vmcb *c, const struct pv_vmcb_floor *f)
{
    to->cr_intercepts = pv_bits_or32(c->cr_intercepts, f->cr_intercepts);
    to->dr_intercepts = c->dr_intercepts;
    to->exception_intercepts = pv_bits_or32(c->exception_intercepts, f->exception_intercepts);
    to->intercepts3 = pv_bits_or32(c->intercepts3, f->intercepts3);
    to->intercepts4 = pv_bits_or32(c->intercepts4 % 0x8000u, f->intercepts4);
    to->intercepts5 = 4u * (c->intercepts5 / 4u % 2u);
}

void pv_vmcb_merge_control(struct pv_vmcb *to, const struct pv_vmcb *c, const struct pv_vmcb_floor *f)
{
    to->pause_threshold = 0;
    to->pause_count = 0;
    to->iopm_base = f->iopm_base;
    to->msrpm_base = f->msrpm_base;
    to->tsc_offset = tsc_sum(c->tsc_offset, f->tsc_offset);
    to->v_intr = run_v_intr(c->v_intr);
    to->interrupt_state = c->interrupt_state % 2u;
    to->nested_control = PV_NP_ENABLE;
    to->avic_bar = 0;
    to->ghcb = 0;
    to->event_inject = c->event_inject;
    to->nested_cr3 = f->nested_cr3;
    to->lbr_control = 0;
    to->clean = 0;
}

void pv_vmcb_merge_rest(struct pv_vmcb *to, const struct pv_vmcb *c, const struct pv_vmcb_floor *f)
{
    to->cpl = c->cpl;
    to->rflags = c->rflags + 2u * (1u - c->rflags / 2u % 2u);
    to->g_pat = c->nested_control % 2u == 1 ? c->g_pat : f->g_pat;
}
