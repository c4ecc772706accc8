// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "guest.h"
#include "hyperv.h"
#include "nested.h"
#include "vp.h"
#include "../base/lapic.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/pcpu.h"
#include "../base/string.h"
#include "../svm/svm.h"

enum {
    HV_TIME_REF_COUNT = 0x40000020,
    HV_REFERENCE_TSC = 0x40000021,
    HV_TSC_FREQUENCY = 0x40000022,
    HV_APIC_FREQUENCY = 0x40000023,
    HV_EOI = 0x40000070,
    HV_ICR = 0x40000071,
    HV_TPR = 0x40000072,
    HV_VP_ASSIST_PAGE = 0x40000073,
    HV_GUEST_IDLE = 0x400000F0,
    HV_TSC_INVARIANT = 0x40000118
};
// CPUID 0x40000003 EAX: what we serve beside the core's own bits
enum {
    P_REFERENCE_COUNTER = 1 << 1,
    P_APIC_REGISTERS = 1 << 4,
    P_REFERENCE_TSC = 1 << 9,
    P_GUEST_IDLE = 1 << 10,
    P_FREQUENCIES = 1 << 11,
    P_TSC_INVARIANT = 1 << 15
};
enum { F_FREQUENCIES = 1 << 8 }; // EDX
// CPUID 0x40000004 EAX
enum {
    H_REMOTE_FLUSH = 1 << 2,
    H_APIC_REGISTERS = 1 << 3,
    H_RELAXED_TIMING = 1 << 5,
    H_NO_AUTO_EOI = 1 << 9,
    H_CLUSTER_IPI = 1 << 10,
    H_EX_MASKS = 1 << 11
};
enum {
    HINTS = H_REMOTE_FLUSH | H_APIC_REGISTERS | H_RELAXED_TIMING | H_NO_AUTO_EOI | H_CLUSTER_IPI | H_EX_MASKS
};

// TLFS: reference TSC page, time = (tsc * scale >> 64) + offset in units of 100 ns.
struct reference_tsc {
    uint32_t sequence, reserved;
    uint64_t scale;
    int64_t offset;
};

enum { OFFERS = PV_OFFER_ALL & ~(PV_OFFER_EXTENDED_RANGES | PV_OFFER_HYPERCALL_LOCK) };
// What is served of CPUID 0x4000000A, to a guest that may be a hypervisor.
enum {
    NESTED_OFFERS = PV_OFFER_NESTING | PV_OFFER_FLUSH_GPA_SPACE | PV_OFFER_FLUSH_GPA_LIST |
                    PV_OFFER_DIRECT_FLUSH | PV_OFFER_MSR_BITMAP | PV_OFFER_NPT_TLB
};

static uint8_t *hypercall_page;
static struct reference_tsc *reference_page;
static uint64_t reference_msr, invariant_msr;
static uint64_t hypercall_at, reference_at; // where the overlays lie
static bool hypercall_on, reference_on;
static struct lock overlays;

struct pv_config hyperv_config(uint32_t max_vps, uint32_t gpa_bits)
{
    const uint32_t most = OFFERS | (nested_offered ? NESTED_OFFERS : 0);
    return (struct pv_config){
        .offers = (uint32_t)option_number(boot_options, "offers", most) & most,
        .gva_bits = 48,
        .rep_budget = 64,
        .max_vps = max_vps,
        .gpa_bits = gpa_bits,
        .privileges = P_REFERENCE_COUNTER | P_APIC_REGISTERS | P_REFERENCE_TSC | P_GUEST_IDLE |
                      P_FREQUENCIES | P_TSC_INVARIANT,
        .features = F_FREQUENCIES,
        .hints = (uint32_t)option_number(boot_options, "hints", HINTS) & HINTS,
        .spin_count = 0xFFF,
    };
}

void hyperv_print_config(void)
{
    const struct pv_config *c = &partition->config;
    print("@config {\"offers\":%u,\"gva_bits\":%u,\"rep_budget\":%u,\"gpa_bits\":%u,\"max_vps\":%u,",
          c->offers, c->gva_bits, c->rep_budget, c->gpa_bits, c->max_vps);
    print("\"privileges\":%u,\"features\":%u,\"hints\":%u,\"spin_count\":%u}\n", c->privileges, c->features,
          c->hints, c->spin_count);
}

void hyperv_init(void)
{
    hypercall_page = memory_pages(1);
    for (uint32_t i = 0; i < PAGE; i++)
        hypercall_page[i] = 0xCC;
    static const uint8_t call[] = {0x0F, 0x01, 0xD9, 0xC3}; // VMMCALL; RET
    for (uint32_t i = 0; i < sizeof call; i++)
        hypercall_page[i] = call[i];

    reference_page = memory_pages(1);
    // floor(10^7 * 2^64 / tsc_hz), by long division: the TSC is faster than 10 MHz.
    uint64_t rest = 10000000, scale = 0;
    for (uint32_t i = 0; i < 64; i++) {
        rest <<= 1;
        scale = scale << 1 | (rest >= tsc_hz);
        if (rest >= tsc_hz)
            rest -= tsc_hz;
    }
    reference_page->scale = scale;
    reference_page->offset = 0; // the guest's TSC starts at 0 with the partition
    reference_page->sequence = 1;
}

static uint64_t reference_time(void)
{
    return mul_shift(rdtsc() + tsc_offset, reference_page->scale, 64);
}

// Brings the nested tables in line with the two registers that name overlay pages.
static void place_overlays(void)
{
    lock(&overlays);
    uint64_t at = 0;
    bool on = pv_hypercall_page(partition, &at);
    if (hypercall_on && (!on || at != hypercall_at))
        npt_overlay(hypercall_at, 0, false);
    uint64_t msr = __atomic_load_n(&reference_msr, __ATOMIC_ACQUIRE); // another VP may write it: one look
    bool want_reference = (msr & 1) != 0;
    uint64_t reference_want = msr & ~(uint64_t)(PAGE - 1);
    if (reference_on && (!want_reference || reference_want != reference_at))
        npt_overlay(reference_at, 0, false);
    if (want_reference && !(reference_on && reference_want == reference_at))
        npt_overlay(reference_want, reference_page, false);
    if (on && !(hypercall_on && at == hypercall_at))
        npt_overlay(at, hypercall_page, true);
    hypercall_on = on;
    hypercall_at = at;
    reference_on = want_reference;
    reference_at = reference_want;
    unlock(&overlays);
}

bool hyperv_msr_read(struct vp *vp, uint32_t msr, uint64_t *value)
{
    switch (msr) {
    case HV_TIME_REF_COUNT:
        *value = reference_time();
        return true;
    case HV_REFERENCE_TSC:
        *value = reference_msr;
        return true;
    case HV_TSC_FREQUENCY:
        *value = tsc_hz;
        return true;
    case HV_APIC_FREQUENCY:
        *value = VAPIC_HZ;
        return true;
    case HV_ICR:
        *value = vapic_is_x2(vp) ? (vp->apic.icr & 0xFFFFFFFF) | vp->apic.icr >> 32 << 56 : vp->apic.icr;
        return true;
    case HV_TPR:
        *value = vp->apic.tpr;
        return true;
    case HV_VP_ASSIST_PAGE:
        *value = vp->assist_page;
        return true;
    case HV_GUEST_IDLE: // reading it is going idle; unlike HLT, an interrupt wakes even with IF = 0
        vp->activity = VP_HALTED;
        vp->idle_ignores_if = true;
        *value = 0;
        return true;
    case HV_TSC_INVARIANT:
        *value = invariant_msr;
        return true;
    default:
        return pv_msr_read(partition, vp->core, msr, value) == PV_MSR_DONE;
    }
}

bool hyperv_msr_write(struct vp *vp, uint32_t msr, uint64_t value)
{
    switch (msr) {
    case HV_REFERENCE_TSC:
        __atomic_store_n(&reference_msr, value, __ATOMIC_RELEASE);
        place_overlays();
        return true;
    case HV_EOI:
        if (value >> 32 != 0)
            return false;
        vapic_eoi(vp);
        return true;
    case HV_ICR: // the memory form: destination in 63:56
        this_pcpu()->count.events[EV_IPI_HV_MSR]++;
        vapic_command(vp, (value & 0xFFFFFFFF) | value >> 56 << 32);
        return true;
    case HV_TPR:
        if (value >> 8 != 0)
            return false;
        vp->apic.tpr = (uint32_t)value;
        return true;
    case HV_VP_ASSIST_PAGE: // its first word is the only one that we use
        vp->assist_page = value;
        vapic_eoi_word(vp, (value & 1) != 0 ? guest_at(value & ~(uint64_t)(PAGE - 1), PAGE) : 0);
        return true;
    case HV_TSC_INVARIANT:
        if ((value & ~1ull) != 0)
            return false;
        invariant_msr = value;
        return true;
    default:
        break;
    }
    lock(&overlays); // the core's set-up registers are shared by all VPs
    enum pv_msr_result r = pv_msr_write(partition, msr, value);
    unlock(&overlays);
    if (r == PV_MSR_DONE_PAGE)
        place_overlays();
    return r == PV_MSR_DONE || r == PV_MSR_DONE_PAGE;
}
