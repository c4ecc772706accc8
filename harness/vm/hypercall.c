// SPDX-License-Identifier: BSD-2-Clause
// The hypercall instruction, carried out by the core; and what the core asks of the harness (src/platform.h).
#include "../base/x86.h"
#include "exits.h"
#include "guest.h"
#include "hypercall.h"
#include "kvm.h"
#include "sched.h"
#include "vp.h"
#include "../base/end.h"
#include "../base/lapic.h"
#include "../base/log.h"
#include "../base/pcpu.h"
#include "../base/string.h"
#include "../base/trace.h"
#include "../svm/svm.h"

static uint32_t call_row(uint64_t input)
{
    enum { OTHER = COUNT_CALLS - 1 };
    static const uint8_t rows[0x18] = {OTHER, OTHER, 0,     1, OTHER, OTHER, OTHER, OTHER,
                                       2,     OTHER, OTHER, 3, OTHER, OTHER, OTHER, OTHER,
                                       OTHER, OTHER, OTHER, 4, 5,     6,     OTHER, OTHER};
    if ((uint16_t)input < sizeof rows)
        return rows[(uint16_t)input];
    return (uint16_t)input == 0x00AF ? 7 : (uint16_t)input == 0x00B0 ? 8 : OTHER;
}

static void count_call(struct counters *count, uint64_t input, enum pv_outcome outcome, uint64_t status)
{
    uint32_t column = outcome == PV_FAULT_UD ? COUNT_STATUSES - 1
                      : status < 7           ? (uint32_t)status
                                             : COUNT_STATUSES - 2;
    count->calls[call_row(input)][column]++;
}

enum after_exit exit_vmmcall(struct pcpu *me, struct vp *vp)
{
    // A guest that has switched Hyper-V's hypercalls on makes those; with persona kvm beside it, all others are KVM's.
    if (persona_kvm && !(persona_hyperv && (partition->hypercall_msr & 1) != 0))
        return kvm_call(me, vp);
    if (!persona_hyperv) {
        vp_inject_ud(vp);
        return AFTER_CONTINUE;
    }
    struct pv_call call;
    call_read(vp, &call);
    const uint64_t input = call_input(&call);
    trace(TRACE_CALL, vp->index, input);
    enum pv_outcome outcome = pv_hypercall(partition, PV_CONTEXT_L1, &call, &me->scratch);
    trace(TRACE_DONE, vp->index, call.rax);
    if (outcome != PV_CONTINUE)
        count_call(&me->count, input, outcome, (call.long_mode ? call.rax : (uint32_t)call.rax) & 0xFFFF);
    if (outcome == PV_FAULT_UD) {
        vp_inject_ud(vp);
        return AFTER_CONTINUE;
    }
    call_write(vp, &call, outcome == PV_CONTINUE);
    if (outcome == PV_CONTINUE) {
        me->count.events[EV_CONTINUE]++;
        return AFTER_CONTINUE;
    }
    guest_skip(vp, 3);
    return vp->slice_used ? AFTER_GIVE_WAY : AFTER_CONTINUE;
}

// ---- platform.h -------------------------------------------------------------------------------------------------

static struct vp *vp_of(const struct pv_partition *p, const struct pv_vp *core)
{
    return &vps[core - p->vps];
}

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    const uint64_t *from = guest_at(gpa, (uint64_t)qwords * 8);
    if (from == 0)
        return false;
    // Each qword once, whatever other VPs write meanwhile.
    from += qwords;
    to += qwords;
    for (int64_t i = -(int64_t)qwords; i != 0; i++)
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    return true;
}

#ifndef HARNESS_BREAK_KICK
// The VP on whose behalf a pCPU acts, for the trace.
static uint32_t who_acts(const struct pcpu *me)
{
    return me->loaded != 0 ? me->loaded->index : 0;
}
#endif

#ifdef HARNESS_BREAK_KICK
// Only for the test that shows what a missing kick does (tests/harness): no kick, and nobody waits for its effect.
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *core)
{
    (void)p;
    (void)core;
}
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *core)
{
    (void)p;
    (void)core;
}
#else
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *core)
{
    struct pcpu *me = this_pcpu();
    me->count.events[EV_KICK]++;
    trace(TRACE_KICK, who_acts(me), vp_of(p, core)->index);
    // If the VP moves to another pCPU meanwhile, it has been outside the guest, which is all that is wanted.
    lapic_kick(pcpus[__atomic_load_n(&vp_of(p, core)->pcpu, __ATOMIC_ACQUIRE)]->apic_id);
}

// QEMU changes a processor's interrupt request word at VMRUN without a lock, so that an interrupt which comes at that
// very moment may be forgotten: who waits for long calls again.
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *core)
{
    enum { CALL_AGAIN_US = 200, PATIENCE_S = 20 };
    this_pcpu()->count.events[EV_WAIT]++;
    trace(TRACE_WAIT, who_acts(this_pcpu()), vp_of(p, core)->index);
    uint32_t run = __atomic_load_n(&core->run, __ATOMIC_SEQ_CST);
    uint64_t now = rdtsc(), again = now + tsc_hz / 1000000 * CALL_AGAIN_US,
             patience = now + PATIENCE_S * tsc_hz;
    while ((run & 1) != 0 && __atomic_load_n(&core->run, __ATOMIC_SEQ_CST) == run) {
        if (now > patience)
            end_run(END_HARNESS_FAULT, "VP %u does not leave the guest", vp_of(p, core)->index);
        if (now > again) {
            pv_platform_kick(p, core);
            again = now + tsc_hz / 1000000 * CALL_AGAIN_US;
        }
        pause();
        now = rdtsc();
    }
    trace(TRACE_ACK, who_acts(this_pcpu()), vp_of(p, core)->index);
}
#endif

bool pv_platform_table_read(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t *entry)
{
    (void)p;
    const void *at = guest_at(gpa, bytes);
    if (at == 0)
        return false;
    *entry = bytes == 8 ? __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED)
                        : __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
    return true;
}

bool pv_platform_table_set(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t seen,
                           uint64_t bits)
{
    (void)p;
    void *at = guest_at(gpa, bytes);
    if (at == 0)
        return false;
    if (bytes == 8)
        return __atomic_compare_exchange_n((uint64_t *)at, &seen, seen | bits, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST);
    uint32_t seen4 = (uint32_t)seen;
    return __atomic_compare_exchange_n((uint32_t *)at, &seen4, seen4 | (uint32_t)bits, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool pv_platform_frame(const struct pv_partition *p, uint64_t gpa, struct pv_frame *frame)
{
    (void)p;
    return npt_frame(gpa, frame);
}

void pv_platform_wake(const struct pv_partition *p, struct pv_vp *core)
{
    sched_wake(vp_of(p, core));
}

void pv_platform_yield(const struct pv_partition *p)
{
    (void)p;
    struct vp *vp = this_pcpu()->loaded;
    this_pcpu()->count.events[EV_YIELD]++;
    vp->slice_used = sched_others_ready();
}

void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *core)
{
    vp_post_event(vp_of(p, core), EVENT_NMI);
}

void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *core)
{
    this_pcpu()->count.events[EV_UNHALT]++;
    vp_post_event(vp_of(p, core), EVENT_UNHALT);
}

void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *core)
{
    struct vp *vp = this_pcpu()->loaded;
    if (!sched_next_is(vp_of(p, core)))
        return;
    this_pcpu()->count.events[EV_YIELD]++;
    vp->slice_used = true;
}
