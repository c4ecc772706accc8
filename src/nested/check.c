// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"
#include "../base/mask.h"
#include "../platform.h"

enum { CR0_NW = 0x20000000, CR4_PAE = 0x20, EFER_LME = 0x100, EFER_SVME = 0x1000 };
enum { CODE_64 = 0x200, CODE_32 = 0x400, IOPM_BYTES = 0x3000, MSRPM_BYTES = 0x2000 };
#define CR0_CD  0x40000000u
#define CR0_PG  0x80000000u
#define EVENT_V 0x80000000u
#define HIGH    0x100000000u

bool pv_event_valid(uint64_t event)
{
    const uint64_t kind = event / 0x100u % 8u;
    const uint64_t vector = event % 0x100u;
    if (event / EVENT_V % 2u == 0 || kind == 0 || kind == 2 || kind == 4) {
        return true;
    }
    return kind == 3 && vector != 2 && vector < 32;
}

// [page of base, + size) is below the end of the physical addresses; the low 12 bits of base do not count.
/*@ requires bits: address_bits < 64 && 4096 <= size <= 16384;
    assigns  \nothing;
    ensures  nv_chk_5: \result <==> fits(base, size, address_bits); */
static bool fits(uint64_t base, uint64_t size, uint32_t address_bits)
{
    const uint64_t end = pv_bit_value(address_bits);
    const uint64_t page = base - base % 0x1000u;
    return page < end && size <= end - page;
}

/*@ requires bits: address_bits < 64;
    assigns  \nothing;
    ensures  below: \result <==> address < pow2(address_bits); */
static bool is_physical(uint64_t address, uint32_t address_bits)
{
    return address < pv_bit_value(address_bits);
}

/*@ requires valid: \valid_read(c) && \valid_read(caps);
    requires caps: caps_ok(caps);
    assigns  \nothing;
    ensures  nv_chk_6: \result <==>
               control_valid(caps->address_bits, caps->asids, caps->npt, c->intercepts4, c->asid, c->tlb_control,
                             c->iopm_base, c->msrpm_base, c->nested_control, c->nested_cr3); */
static bool control_valid(const struct pv_vmcb *c, const struct pv_svm_caps *caps)
{
    if (c->intercepts4 % 2u == 0 || c->asid == 0 || c->asid >= caps->asids) {
        return false;
    }
    if (c->tlb_control != 0 && c->tlb_control != 1 && c->tlb_control != 3 && c->tlb_control != 7) {
        return false;
    }
    if (!fits(c->iopm_base, IOPM_BYTES, caps->address_bits) ||
        !fits(c->msrpm_base, MSRPM_BYTES, caps->address_bits)) {
        return false;
    }
    if (c->nested_control % 2u == 0) {
        return true;
    }
    return caps->npt != 0 && is_physical(c->nested_cr3, caps->address_bits);
}

/*@ assigns  \nothing;
    ensures  nv_chk_2: \result <==> efer_valid(efer); */
static bool efer_valid(uint64_t efer)
{
    return efer / EFER_SVME % 2u == 1 && efer < 0x8000 && efer / 0x2000u % 2u == 0 && efer / 0x200u % 2u == 0 &&
           efer / 2u % 0x80u == 0;
}

/*@ requires valid: \valid_read(c);
    requires bits: cr4_bits < 4294967296;
    assigns  \nothing;
    ensures  nv_chk_2: \result <==> registers_valid(cr4_bits, c->cr0, c->cr4, c->dr6, c->dr7); */
static bool registers_valid(const struct pv_vmcb *c, uint64_t cr4_bits)
{
    if (c->cr0 / CR0_CD % 2u == 0 && c->cr0 / CR0_NW % 2u == 1) {
        return false;
    }
    if (c->cr0 >= HIGH || c->dr6 >= HIGH || c->dr7 >= HIGH || c->cr4 >= HIGH) {
        return false;
    }
    return pv_under_mask((uint32_t)c->cr4, (uint32_t)cr4_bits) == (uint32_t)c->cr4;
}

/*@ requires valid: \valid_read(c);
    requires bits: address_bits < 64;
    assigns  \nothing;
    ensures  nv_chk_3: \result <==> long_mode_valid(address_bits, c->efer, c->cr0, c->cr3, c->cr4, c->cs.attrib); */
static bool long_mode_valid(const struct pv_vmcb *c, uint32_t address_bits)
{
    if (c->efer / EFER_LME % 2u == 0 || c->cr0 / CR0_PG % 2u == 0) {
        return true;
    }
    if (c->cr4 / CR4_PAE % 2u == 0 || c->cr0 % 2u == 0 || !is_physical(c->cr3, address_bits)) {
        return false;
    }
    return c->cs.attrib / CODE_64 % 2 == 0 || c->cs.attrib / CODE_32 % 2 == 0;
}

bool pv_vmcb_valid(const struct pv_vmcb *c, const struct pv_svm_caps *caps)
{
    return control_valid(c, caps) && pv_event_valid(c->event_inject) && efer_valid(c->efer) &&
           registers_valid(c, caps->cr4) && long_mode_valid(c, caps->address_bits);
}

enum pv_vmrun pv_vmcb_take(const struct pv_partition *p, uint64_t gpa, const struct pv_svm_caps *caps,
                           struct pv_vmcb *copy)
{
    if (!pv_platform_vmcb_read(p, gpa, copy)) {
        return PV_VMRUN_FAULT_GP;
    }
    return pv_vmcb_valid(copy, caps) ? PV_VMRUN_ENTER : PV_VMRUN_INVALID;
}
