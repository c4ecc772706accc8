// SPDX-License-Identifier: BSD-2-Clause
// Registers, priorities and end of interrupt. Interrupt commands: vapic_ipi.c; the timer: vapic_timer.c.
#include "../base/x86.h"
#include "../base/pcpu.h"
#include "../vm/vp.h"
#include "../vm/timer.h"
#include "vapic.h"
#include "vapic_timer.h"

enum {
    REG_ID = 0x02,
    REG_VERSION = 0x03,
    REG_TPR = 0x08,
    REG_APR = 0x09,
    REG_PPR = 0x0A,
    REG_EOI = 0x0B,
    REG_LDR = 0x0D,
    REG_DFR = 0x0E,
    REG_SVR = 0x0F,
    REG_ISR = 0x10,
    REG_TMR = 0x18,
    REG_IRR = 0x20,
    REG_ESR = 0x28,
    REG_ICR = 0x30,
    REG_ICR_HIGH = 0x31,
    REG_LVT = 0x32,
    REG_INITIAL = 0x38,
    REG_CURRENT = 0x39,
    REG_DIVIDE = 0x3E,
    REG_SELF_IPI = 0x3F
};
enum { BASE_BSP = 1 << 8, BASE_X2 = 1 << 10, BASE_ON = 1 << 11 };
enum { SVR_ON = 1 << 8, LVT_MASKED = 1 << 16 };
enum { VERSION = 0x00050014 }; // version 0x14, entries 0..5

int vapic_highest(const uint64_t set[4])
{
    for (int i = 3; i >= 0; i--)
        if (set[i] != 0)
            return i * 64 + 63 - __builtin_clzll(set[i]);
    return -1;
}

void vapic_reset(struct vp *vp, bool power_on)
{
    struct vapic *a = &vp->apic;
    uint64_t base = power_on ? VAPIC_BASE | BASE_ON | (vp->index == 0 ? BASE_BSP : 0) : a->base_msr;
    *a = (struct vapic){.base_msr = base, .dfr = 0xFFFFFFFF, .svr = 0xFF};
    for (uint32_t i = 0; i < LVTS; i++)
        a->lvt[i] = LVT_MASKED;
    vp->core->apic_enabled = 0;
    timer_arm(vp, ~0ull);
}

bool vapic_enabled(const struct vp *vp)
{
    return (vp->apic.base_msr & BASE_ON) != 0;
}

bool vapic_is_x2(const struct vp *vp)
{
    return (vp->apic.base_msr & BASE_X2) != 0;
}

bool vapic_write_base(struct vp *vp, uint64_t value)
{
    struct vapic *a = &vp->apic;
    uint64_t known = BASE_BSP | BASE_X2 | BASE_ON | 0x000FFFFFFFFFF000ull;
    bool on = (value & BASE_ON) != 0, x2 = (value & BASE_X2) != 0;
    bool was_on = vapic_enabled(vp), was_x2 = vapic_is_x2(vp);
    // Off -> x2APIC, x2APIC -> xAPIC and "x2APIC but off" are illegal; the base cannot be moved in this machine.
    if ((value & ~known) != 0 || (x2 && !on) || (x2 && !was_on) || (was_x2 && on && !x2) ||
        (value & 0x000FFFFFFFFFF000ull) != VAPIC_BASE)
        return false;
    if (was_on && !on)
        vapic_reset(vp, true);
    a->base_msr = (value & ~(uint64_t)BASE_BSP) | (a->base_msr & BASE_BSP);
    return true;
}

static int priority(const struct vapic *a)
{
    int in_service = vapic_highest(a->isr);
    int class = in_service < 0 ? 0 : in_service & 0xF0;
    return (int)(a->tpr & 0xF0) >= class ? (int)a->tpr : class;
}

int vapic_highest_requested(const struct vapic *a)
{
    int v = vapic_highest(a->irr), in_service = vapic_highest(a->isr);
    return v >= 0 && (v & 0xF0) > (in_service < 0 ? 0 : in_service & 0xF0) ? v : -1;
}

int vapic_pending(const struct vp *vp)
{
    int v = vapic_requested(&vp->apic);
    return v >= 0 && (v & 0xF0) > (int)(vp->apic.tpr & 0xF0) ? v : -1;
}

void vapic_accept(struct vp *vp, uint32_t vector)
{
    vp->apic.irr[vector / 64] &= ~(1ull << (vector % 64));
    vp->apic.isr[vector / 64] |= 1ull << (vector % 64);
}

static bool is_empty(const uint64_t set[4])
{
    return (set[0] | set[1] | set[2] | set[3]) == 0;
}

static void spare_no_eoi(struct vp *vp)
{
    if (vp->eoi_spared)
        __atomic_fetch_and(vp->eoi_word, ~1u, __ATOMIC_SEQ_CST);
    vp->eoi_spared = false;
}

void vapic_eoi_word(struct vp *vp, uint32_t *word)
{
    spare_no_eoi(vp);
    vp->eoi_word = word;
    if (word != 0)
        __atomic_fetch_and(word, ~1u, __ATOMIC_SEQ_CST);
}

// An EOI may be spared when nothing waits for it: the interrupt is the only one that is requested or in service. It is
// offered only where the guest takes it before its next instruction, so no other EOI can find the bit.
void vapic_spare_eoi(struct vp *vp)
{
    const struct vapic *a = &vp->apic;
    if (vp->eoi_spared) {
        if (!is_empty(a->irr))
            spare_no_eoi(vp);
        return;
    }
    if (vp->offered < 0 || !is_empty(a->isr))
        return;
    uint64_t others = 0;
    for (int i = 0; i < 4; i++)
        others |= a->irr[i] & ~(vp->offered / 64 == i ? 1ull << (vp->offered % 64) : 0);
    if (others != 0)
        return;
    __atomic_fetch_or(vp->eoi_word, 1u, __ATOMIC_SEQ_CST);
    vp->eoi_spared = true;
}

void vapic_look_for_spared_eoi(struct vp *vp, bool taken)
{
    if (!taken) {
        spare_no_eoi(vp);
    } else if ((__atomic_load_n(vp->eoi_word, __ATOMIC_SEQ_CST) & 1) == 0) {
        vp->eoi_spared = false;
        vapic_eoi(vp);
        this_pcpu()->count.events[EV_EOI_SPARED]++;
    }
}

void vapic_eoi(struct vp *vp)
{
    spare_no_eoi(vp);
    int v = vapic_highest(vp->apic.isr);
    if (v >= 0)
        vp->apic.isr[v / 64] &= ~(1ull << (v % 64));
}

static uint32_t word(const uint64_t set[4], uint32_t i)
{
    return (uint32_t)(set[i / 2] >> (i % 2 * 32));
}

static uint32_t logical_id(const struct vp *vp)
{
    return vapic_is_x2(vp) ? (vp->apic_id >> 4) << 16 | 1u << (vp->apic_id & 15) : vp->apic.ldr;
}

bool vapic_read(struct vp *vp, uint32_t reg, uint64_t *value)
{
    struct vapic *a = &vp->apic;
    vp_take_vectors(vp); // the request register as a reader expects it
    if (reg >= REG_ISR && reg < REG_ISR + 8)
        *value = word(a->isr, reg - REG_ISR);
    else if (reg >= REG_TMR && reg < REG_TMR + 8)
        *value = 0; // all of our interrupts are edge triggered
    else if (reg >= REG_IRR && reg < REG_IRR + 8)
        *value = word(a->irr, reg - REG_IRR);
    else if (reg >= REG_LVT && reg < REG_LVT + LVTS)
        *value = a->lvt[reg - REG_LVT];
    else
        switch (reg) {
        case REG_ID:
            *value = vapic_is_x2(vp) ? vp->apic_id : vp->apic_id << 24;
            break;
        case REG_VERSION:
            *value = VERSION;
            break;
        case REG_TPR:
            *value = a->tpr;
            break;
        case REG_PPR:
            *value = (uint32_t)priority(a);
            break;
        case REG_LDR:
            *value = logical_id(vp);
            break;
        case REG_SVR:
            *value = a->svr;
            break;
        case REG_ESR:
            *value = a->esr;
            break;
        case REG_ICR:
            *value = vapic_is_x2(vp) ? a->icr : (uint32_t)a->icr;
            break;
        case REG_INITIAL:
            *value = a->initial_count;
            break;
        case REG_CURRENT:
            *value = vapic_timer_count(vp);
            break;
        case REG_DIVIDE:
            *value = a->divide;
            break;
        case REG_APR:
        case REG_DFR:
        case REG_ICR_HIGH:
            if (vapic_is_x2(vp))
                return false;
            *value = reg == REG_DFR ? a->dfr : reg == REG_ICR_HIGH ? (uint32_t)(a->icr >> 32) : 0;
            break;
        default:
            return false;
        }
    return true;
}

static bool write_lvt(struct vp *vp, uint32_t i, uint64_t value)
{
    // Vector, mask, and: timer mode (timer), delivery mode (others), polarity and trigger (LINT). Delivery status
    // (bit 12) and remote IRR (14) are read-only: writing them is no fault.
    static const uint32_t writable[LVTS] = {0x700FF, 0x107FF, 0x107FF, 0x1A7FF, 0x1A7FF, 0x100FF};
    if (vapic_is_x2(vp) && (value & ~(uint64_t)(writable[i] | 1u << 12 | 1u << 14)) != 0)
        return false;
    uint32_t v = (uint32_t)value & writable[i];
    if ((vp->apic.svr & SVR_ON) == 0)
        v |= LVT_MASKED;
    uint32_t old = vp->apic.lvt[i];
    vp->apic.lvt[i] = v;
    if (i == LVT_TIMER)
        vapic_timer_mode_changed(vp, old);
    return true;
}

static bool write_svr(struct vp *vp, uint64_t value)
{
    if (vapic_is_x2(vp) && (value & ~0x1FFull) != 0)
        return false;
    vp->apic.svr = (uint32_t)value & 0x1FF;
    bool on = (value & SVR_ON) != 0;
    __atomic_store_n(&vp->core->apic_enabled, on ? 1u : 0u, __ATOMIC_RELAXED);
    if (!on)
        for (uint32_t i = 0; i < LVTS; i++)
            vp->apic.lvt[i] |= LVT_MASKED;
    return true;
}

bool vapic_write(struct vp *vp, uint32_t reg, uint64_t value)
{
    struct vapic *a = &vp->apic;
    bool x2 = vapic_is_x2(vp);
    if (x2 && reg != REG_ICR && value >> 32 != 0)
        return false;
    if (reg >= REG_LVT && reg < REG_LVT + LVTS)
        return write_lvt(vp, reg - REG_LVT, value);
    switch (reg) {
    case REG_TPR:
        if (x2 && (value & ~0xFFull) != 0)
            return false;
        a->tpr = (uint32_t)value & 0xFF;
        return true;
    case REG_EOI:
        if (x2 && value != 0)
            return false;
        vapic_eoi(vp);
        return true;
    case REG_SVR:
        return write_svr(vp, value);
    case REG_ESR:
        if (x2 && value != 0)
            return false;
        a->esr = a->esr_new;
        a->esr_new = 0;
        return true;
    case REG_ICR:
        // Reserved: 31:20, 17:16, 13, and 12, which is read-only.
        if (x2 && (value & 0xFFF32000ull) != 0)
            return false;
        a->icr = x2 ? value & ~(1ull << 12) : (a->icr & ~0xFFFFFFFFull) | (uint32_t)(value & ~(1ull << 12));
        // The memory form keeps the destination in bits 63:56.
        vapic_command(vp, x2 ? a->icr : (a->icr & 0xFFFFFFFF) | (a->icr >> 56 << 32));
        return true;
    case REG_INITIAL:
        vapic_timer_start(vp, (uint32_t)value);
        return true;
    case REG_DIVIDE:
        if (x2 && (value & ~0xBull) != 0)
            return false;
        a->divide = (uint32_t)value & 0xB;
        return true;
    case REG_SELF_IPI:
        if (!x2 || (value & ~0xFFull) != 0)
            return false;
        vapic_command(vp, (value & 0xFF) | 1u << 18);
        return true;
    case REG_LDR:
    case REG_DFR:
    case REG_ICR_HIGH:
        if (x2)
            return false;
        if (reg == REG_LDR)
            a->ldr = (uint32_t)value & 0xFF000000;
        else if (reg == REG_DFR)
            a->dfr = (uint32_t)value | 0x0FFFFFFF;
        else
            a->icr = (a->icr & 0xFFFFFFFF) | value << 32;
        return true;
    default:
        return false;
    }
}
