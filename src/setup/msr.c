// SPDX-License-Identifier: BSD-2-Clause
// The three MSRs with which a guest sets the interface up, and the hypercall page that two of them govern.
#include "../base/bits.h"
#include "../base/shared.h"
#include "offers.h"
#include "setup.h"

enum {
    MSR_GUEST_OS_ID = 0x40000000,
    MSR_HYPERCALL = 0x40000001,
    MSR_VP_INDEX = 0x40000002,
    PAGE_SIZE = 4096,
};

// Bits of MSR_HYPERCALL. Bit 0 (enable) is the value's parity.
enum { HYPERCALL_LOCKED = 1 };

enum pv_msr_result pv_msr_read(const struct pv_partition *p, const struct pv_vp *vp, uint32_t msr, uint64_t *value)
{
    switch (msr) {
    case MSR_GUEST_OS_ID:
        *value = p->guest_os_id;
        return PV_MSR_DONE;
    case MSR_HYPERCALL:
        *value = p->hypercall_msr;
        return PV_MSR_DONE;
    case MSR_VP_INDEX:
        *value = vp->vp_index;
        return PV_MSR_DONE;
    default:
        *value = 0;
        return PV_MSR_UNKNOWN;
    }
}

uint64_t pv_page_disabled(uint64_t hypercall)
{
    return hypercall - hypercall % 2;
}

bool pv_page_locked(uint32_t offers, uint64_t hypercall)
{
    return pv_bit_test(offers, OFFER_HYPERCALL_LOCK) && pv_bit_test(hypercall, HYPERCALL_LOCKED);
}

bool pv_frame_inside(uint32_t gpa_bits, uint64_t hypercall)
{
    return hypercall / PAGE_SIZE < pv_bit_value(gpa_bits - 12);
}

enum pv_msr_result pv_msr_write(struct pv_partition *p, uint32_t msr, uint64_t value)
{
    switch (msr) {
    case MSR_GUEST_OS_ID:
        pv_shared_set_os_id(p, value);
        if (value != 0) {
            return PV_MSR_DONE;
        }
        p->hypercall_msr = pv_page_disabled(p->hypercall_msr);
        return PV_MSR_DONE_PAGE;
    case MSR_HYPERCALL:
        if (pv_page_locked(p->config.offers, p->hypercall_msr) || !pv_frame_inside(p->config.gpa_bits, value)) {
            return PV_MSR_FAULT_GP;
        }
        p->hypercall_msr = p->guest_os_id == 0 ? pv_page_disabled(value) : value;
        return PV_MSR_DONE_PAGE;
    case MSR_VP_INDEX:
        return PV_MSR_FAULT_GP;
    default:
        return PV_MSR_UNKNOWN;
    }
}

bool pv_hypercall_page(const struct pv_partition *p, uint64_t *gpa)
{
    if (p->hypercall_msr % 2 == 0) {
        return false;
    }
    *gpa = p->hypercall_msr / PAGE_SIZE * PAGE_SIZE;
    return true;
}
