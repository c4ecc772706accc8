// SPDX-License-Identifier: BSD-2-Clause
#include "vmexit.h"
#include "../base/bits.h"

enum { DR7_OFF = 0x400, RFLAGS_VM = 0x20000 };
#define EVENT_V 0x80000000u
#define CR0_PG  0x80000000u

/*@ assigns  \nothing;
    ensures  nv_vback_1: \result == v_intr_back(asked, ran); */
static uint64_t v_intr_back(uint64_t asked, uint64_t ran)
{
    return asked - asked % 16u - 0x100u * (asked / 0x100u % 2u) + ran % 16u + 0x100u * (ran / 0x100u % 2u);
}

/*@ assigns  \nothing;
    ensures  nv_event_1: \result == event_done(event); */
static uint64_t event_done(uint64_t event)
{
    return event - EVENT_V * (event / EVENT_V % 2u);
}

void pv_vmcb_exit(struct pv_vmcb *c, const struct pv_vmcb *from, const struct pv_exit *exit)
{
    const uint64_t v_intr = from->v_intr, rflags = from->rflags, shadow = from->interrupt_state % 2u;
    const uint64_t code = exit->code, info1 = exit->info1, info2 = exit->info2, event = exit->event;
    c->cpl = (uint8_t)(from->ss.attrib / 32u % 4u);
    c->rflags = rflags;
    c->v_intr = v_intr_back(c->v_intr, v_intr);
    c->interrupt_state = shadow;
    c->exit_code = code;
    c->exit_info1 = info1;
    c->exit_info2 = info2;
    c->exit_int_info = event;
    c->event_inject = event_done(c->event_inject);
}

void pv_vmcb_exit_invalid(struct pv_vmcb *c)
{
    c->exit_code = PV_EXIT_INVALID;
    c->exit_info1 = 0;
    c->exit_info2 = 0;
    c->exit_int_info = 0;
    c->event_inject = event_done(c->event_inject);
}

bool pv_vmcb_host(struct pv_vmcb *own, uint32_t address_bits)
{
    own->cr0 = own->cr0 - own->cr0 % 2u + 1u;
    own->rflags = own->rflags - RFLAGS_VM * (own->rflags / RFLAGS_VM % 2u);
    own->dr7 = DR7_OFF;
    own->cpl = 0;
    own->interrupt_state = 0;
    return own->cr0 / CR0_PG % 2u == 0 || own->cr3 < pv_bit_value(address_bits);
}
