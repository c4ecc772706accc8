// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "kvm.h"
#include "guest.h"
#include "topology.h"
#include "vp.h"
#include "../base/end.h"
#include "../base/lapic.h"
#include "../base/memory.h"
#include "../base/pcpu.h"
#include "../base/rtc.h"
#include "../base/string.h"
#include "../base/trace.h"

enum {
    KVM_WALL_CLOCK_OLD = 0x11,
    KVM_SYSTEM_TIME_OLD = 0x12,
    KVM_WALL_CLOCK = 0x4B564D00,
    KVM_SYSTEM_TIME = 0x4B564D01,
    KVM_STEAL_TIME = 0x4B564D03,
    KVM_PV_EOI = 0x4B564D04
};
enum { ENABLE = 1 };
enum {
    FEATURES = PV_KVM_CLOCKSOURCE | PV_KVM_NOP_IO_DELAY | PV_KVM_CLOCKSOURCE2 | PV_KVM_STEAL_TIME |
               PV_KVM_PV_EOI | PV_KVM_PV_UNHALT | PV_KVM_PV_TLB_FLUSH | PV_KVM_PV_SEND_IPI |
               PV_KVM_PV_SCHED_YIELD | PV_KVM_CLOCKSOURCE_STABLE
};
enum { BASE_ALONE = 0x40000000, BASE_BEHIND_HYPERV = 0x40000100 };

// The records in guest memory (Documentation of KVM's MSRs). A version that is odd says: being written.
struct kvm_wall_clock {
    uint32_t version, seconds, nanoseconds;
};
struct kvm_clock {
    uint32_t version, reserved;
    uint64_t tsc_timestamp, system_time;
    uint32_t mul;
    int8_t shift;
    uint8_t flags, reserved2[2];
};
struct kvm_steal {
    uint64_t steal; // ns
    uint32_t version, flags;
    uint8_t preempted, reserved[47];
};
enum { CLOCK_STABLE = 1 };

struct pv_kvm kvm;
static uint32_t clock_mul;
static int8_t clock_shift;
static uint64_t wall_at_start; // seconds since 1970 when the guest's TSC was 0

void kvm_init(void)
{
    uint32_t features = (uint32_t)option_number(boot_options, "features", FEATURES) & FEATURES;
    if (!pv_kvm_init(&kvm, partition, persona_hyperv ? BASE_BEHIND_HYPERV : BASE_ALONE, features, 0,
                     place_of_apic_id, topology.ids))
        end_run(END_BAD_OPTION, "the core refuses the features %x of persona kvm", features);
    pv_kvm_clock_scale(tsc_hz, &clock_mul, &clock_shift);
    wall_at_start = rtc_seconds() - (rdtsc() + tsc_offset) / tsc_hz;
}

static uint64_t nanoseconds(uint64_t ticks)
{
    return mul_shift(clock_shift < 0 ? ticks >> -clock_shift : ticks << clock_shift, clock_mul, 32);
}

static void begin_write(uint32_t *version)
{
    __atomic_store_n(version, *version | 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end_write(uint32_t *version)
{
    __atomic_store_n(version, (*version | 1) + 1, __ATOMIC_RELEASE);
}

static void write_wall_clock(uint64_t gpa)
{
    struct kvm_wall_clock *to = guest_at(gpa, sizeof *to);
    if (to == 0 || gpa % 4 != 0)
        return;
    begin_write(&to->version);
    to->seconds = (uint32_t)wall_at_start;
    to->nanoseconds = 0;
    end_write(&to->version);
}

// All VPs have one line from TSC to time; who has changed its TSC begins elsewhere on it. So their clocks never differ.
static void write_clock(struct vp *vp)
{
    struct kvm_clock *to = vp->kvm_clock;
    if (to == 0)
        return;
    begin_write(&to->version);
    to->tsc_timestamp = vp->own->tsc_offset - tsc_offset;
    to->system_time = 0;
    to->mul = clock_mul;
    to->shift = clock_shift;
    to->flags = (kvm.features & PV_KVM_CLOCKSOURCE_STABLE) != 0 ? CLOCK_STABLE : 0;
    end_write(&to->version);
}

void kvm_clock_moved(struct vp *vp)
{
    write_clock(vp);
}

void kvm_forget(struct vp *vp)
{
    vp->kvm_clock = 0;
    vp->kvm_steal = 0;
    vp->kvm_clock_msr = vp->kvm_steal_msr = vp->kvm_eoi_msr = 0;
}

bool kvm_msr_read(const struct vp *vp, uint32_t msr, uint64_t *value)
{
    if (pv_kvm_msr_check(&kvm, msr, 0) != PV_MSR_DONE) // zero is legal for each that is offered
        return false;
    switch (msr) {
    case KVM_SYSTEM_TIME_OLD:
    case KVM_SYSTEM_TIME:
        *value = vp->kvm_clock_msr;
        break;
    case KVM_STEAL_TIME:
        *value = vp->kvm_steal_msr;
        break;
    case KVM_PV_EOI:
        *value = vp->kvm_eoi_msr;
        break;
    default:
        *value = 0; // the wall clock's register holds nothing
        break;
    }
    return true;
}

bool kvm_msr_write(struct vp *vp, uint32_t msr, uint64_t value)
{
    if (pv_kvm_msr_check(&kvm, msr, value) != PV_MSR_DONE)
        return false;
    bool enable = (value & ENABLE) != 0;
    switch (msr) {
    case KVM_WALL_CLOCK_OLD:
    case KVM_WALL_CLOCK:
        write_wall_clock(value);
        return true;
    case KVM_SYSTEM_TIME_OLD:
    case KVM_SYSTEM_TIME:
        vp->kvm_clock_msr = value;
        vp->kvm_clock = enable && value % 4 == ENABLE ? guest_at(value - ENABLE, sizeof *vp->kvm_clock) : 0;
        write_clock(vp);
        return true;
    case KVM_STEAL_TIME: {
        struct kvm_steal *to = enable ? guest_at(value - ENABLE, sizeof *to) : 0;
        if (enable && to == 0)
            return false;
        vp->kvm_steal_msr = value;
        vp->kvm_steal = to;
        if (to != 0)
            kvm_runs_again(vp);
        return true;
    }
    default: { // KVM_PV_EOI
        uint32_t *to = enable ? guest_at(value - ENABLE, sizeof *to) : 0;
        if (enable && to == 0)
            return false;
        vp->kvm_eoi_msr = value;
        vapic_eoi_word(vp, to);
        return true;
    }
    }
}

// Exchange first, flush second, enter third: a sender that still finds the mark of before the exchange has its flush.
void kvm_runs_again(struct vp *vp)
{
    struct kvm_steal *s = vp->kvm_steal;
    if (pv_kvm_steal_enter(&s->preempted) && (kvm.features & PV_KVM_PV_TLB_FLUSH) != 0) {
        asid_flush(vp);
        this_pcpu()->count.events[EV_FLUSH_PREEMPTED]++;
    }
    if (vp->ready_since == 0)
        return;
    begin_write(&s->version);
    s->steal += nanoseconds(rdtsc() - vp->ready_since);
    end_write(&s->version);
    vp->ready_since = 0;
}

void kvm_preempted(struct vp *vp)
{
    this_pcpu()->count.events[EV_MARKED_PREEMPTED]++;
    pv_kvm_steal_leave(&vp->kvm_steal->preempted);
}

// ---- hypercalls -------------------------------------------------------------------------------------------------

static void count_call(struct counters *count, const struct pv_call *call, uint64_t number)
{
    uint32_t row = number == 1    ? KVM_ROW_POLL
                   : number == 5  ? KVM_ROW_KICK
                   : number == 10 ? KVM_ROW_SEND_IPI
                   : number == 11 ? KVM_ROW_YIELD
                                  : KVM_ROW_OTHER;
    int64_t result = call->long_mode ? (int64_t)call->rax : (int32_t)call->rax;
    count->kvm_calls[row][result < 0]++;
}

__attribute__((noinline)) enum after_exit kvm_call(struct pcpu *me, struct vp *vp)
{
    struct pv_vmcb *v = vp->vmcb;
    struct pv_call call = {
        .rax = v->rax,
        .rbx = vp->gpr[3],
        .rcx = vp->gpr[1],
        .rdx = vp->gpr[2],
        .rsi = vp->gpr[6],
        .cpl = vp_cpl(vp),
        .protected_mode = 1,
        .long_mode = vp_is_64bit(vp),
    };
    uint64_t number = call.long_mode ? call.rax : (uint32_t)call.rax;
    trace(TRACE_CALL, vp->index, number);
    pv_kvm_hypercall(partition, &kvm, vp->core, &call);
    trace(TRACE_DONE, vp->index, call.rax);
    count_call(&me->count, &call, number);
    v->rax = call.rax;
    guest_skip(vp, 3);
    return vp->slice_used ? AFTER_GIVE_WAY : AFTER_CONTINUE;
}
