// SPDX-License-Identifier: BSD-2-Clause
// One-shot, periodic and TSC-deadline timer of the virtual APIC. All moments are kept as host TSC values.
#include "../base/x86.h"
#include "../base/lapic.h"
#include "../vm/vp.h"
#include "../vm/timer.h"
#include "vapic.h"
#include "vapic_timer.h"

enum timer_mode { ONE_SHOT = 0, PERIODIC = 1, DEADLINE = 2 };
enum { LVT_MASKED = 1 << 16 };

static uint64_t tsc_per_tick, tick_per_tsc; // of VAPIC_HZ, 24 and 32 fraction bits

void vapic_timer_init(void)
{
    tsc_per_tick = (tsc_hz << 24) / VAPIC_HZ;
    tick_per_tsc = ((uint64_t)VAPIC_HZ << 32) / tsc_hz;
}

static enum timer_mode mode_of(uint32_t lvt)
{
    return (enum timer_mode)(lvt >> 17 & 3);
}

static unsigned shift_of(const struct vapic *a)
{
    unsigned code = (a->divide & 3) | (a->divide >> 1 & 4); // bits 3, 1, 0
    return (code + 1) & 7;                                  // 000 is /2, 110 is /128, 111 is /1
}

static uint64_t duration(const struct vapic *a)
{
    return mul_shift((uint64_t)a->initial_count << shift_of(a), tsc_per_tick, 24);
}

void vapic_timer_start(struct vp *vp, uint32_t initial_count)
{
    struct vapic *a = &vp->apic;
    if (mode_of(a->lvt[LVT_TIMER]) == DEADLINE)
        return;
    a->initial_count = initial_count;
    a->count_start = rdtsc();
    timer_arm(vp, initial_count == 0 ? ~0ull : a->count_start + duration(a));
}

uint32_t vapic_timer_count(const struct vp *vp)
{
    const struct vapic *a = &vp->apic;
    if (a->initial_count == 0 || mode_of(a->lvt[LVT_TIMER]) == DEADLINE)
        return 0;
    uint64_t gone = mul_shift(rdtsc() - a->count_start, tick_per_tsc, 32) >> shift_of(a);
    if (mode_of(a->lvt[LVT_TIMER]) == PERIODIC)
        gone %= a->initial_count;
    return gone >= a->initial_count ? 0 : a->initial_count - (uint32_t)gone;
}

void vapic_timer_mode_changed(struct vp *vp, uint32_t old_lvt)
{
    // Going to or from TSC-deadline mode disarms the timer.
    if ((mode_of(old_lvt) == DEADLINE) != (mode_of(vp->apic.lvt[LVT_TIMER]) == DEADLINE)) {
        vp->apic.initial_count = 0;
        vp->apic.deadline_guest = 0;
        timer_arm(vp, ~0ull);
    }
}

uint64_t vapic_read_deadline(const struct vp *vp)
{
    return __atomic_load_n(&vp->apic.deadline_guest, __ATOMIC_RELAXED);
}

void vapic_write_deadline(struct vp *vp, uint64_t value)
{
    if (mode_of(vp->apic.lvt[LVT_TIMER]) != DEADLINE)
        return;
    __atomic_store_n(&vp->apic.deadline_guest, value, __ATOMIC_RELAXED);
    uint64_t at = value - vp->own->tsc_offset;
    uint64_t now = rdtsc();
    if (value != 0 && (int64_t)(value - (now + vp->own->tsc_offset)) <= 0)
        at = now; // already past
    timer_arm(vp, value == 0 ? ~0ull : at);
}

uint64_t vapic_timer_fired(struct vp *vp, uint64_t due, uint64_t now)
{
    struct vapic *a = &vp->apic;
    uint32_t lvt = __atomic_load_n(&a->lvt[LVT_TIMER], __ATOMIC_RELAXED);
    if (mode_of(lvt) != PERIODIC) // before the vector: the VP may set a new one as soon as it has that
        __atomic_store_n(&a->deadline_guest, 0ull, __ATOMIC_RELAXED);
    if ((lvt & LVT_MASKED) == 0 && (lvt & 0xFF) >= 16)
        vp_post_timer(vp, lvt & 0xFF);
    if (mode_of(lvt) != PERIODIC)
        return ~0ull;
    uint64_t period = duration(a);
    // A period shorter than the harness's own pace would only pile up: what was missed is left out.
    uint64_t next = due + (period == 0 ? 1 : period);
    return next > now ? next : now + (period < tsc_hz / 100000 ? tsc_hz / 100000 : period);
}
