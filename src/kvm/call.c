// SPDX-License-Identifier: BSD-2-Clause
// The hypercalls of the KVM persona.
#include "kvm.h"
#include "../base/bits.h"
#include "../base/clamp.h"
#include "../platform.h"
#include "features.h"
#include "send.h"

enum { CALL_VAPIC_POLL_IRQ = 1, CALL_KICK_CPU = 5, CALL_SEND_IPI = 10, CALL_SCHED_YIELD = 11 };

#define ERROR_PERM  (UINT64_MAX)        // -1
#define ERROR_INVAL (UINT64_MAX - 21u)  // -22
#define ERROR_NOSYS (UINT64_MAX - 999u) // -1000

// The place of the VP with this APIC id; vp_count if there is none.
PV_HELPER uint32_t place_of_id(const struct pv_partition *p, const struct pv_kvm *k, uint64_t id)
{
    if (id >= k->ids) {
        return p->vp_count;
    }
    const uint32_t place = k->place[pv_index_clamp((uint32_t)id, k->ids)];
    return place < p->vp_count ? place : p->vp_count;
}

PV_HELPER void yield_to(const struct pv_partition *p, const struct pv_vp *caller, struct pv_vp *vp)
{
    if (vp->vp_index != caller->vp_index) {
        pv_platform_yield_to(p, vp);
    }
}

PV_HELPER void kick(struct pv_partition *p, const struct pv_kvm *k, const struct pv_vp *caller, uint64_t id)
{
    const uint32_t place = place_of_id(p, k, id);
    if (place < p->vp_count) {
        struct pv_vp *vp = &p->vps[pv_index_clamp(place, p->vp_count)];
        pv_platform_unhalt(p, vp);
        yield_to(p, caller, vp);
    }
}

PV_HELPER void give_way(struct pv_partition *p, const struct pv_kvm *k, const struct pv_vp *caller, uint64_t id)
{
    const uint32_t place = place_of_id(p, k, id);
    if (place < p->vp_count) {
        yield_to(p, caller, &p->vps[pv_index_clamp(place, p->vp_count)]);
    }
}

// An argument, as a caller of this mode means it.
PV_HELPER uint64_t argument(uint64_t reg, uint32_t long_mode)
{
    return long_mode != 0 ? reg : reg % 0x100000000u;
}

PV_HELPER uint64_t serve(struct pv_partition *p, const struct pv_kvm *k, const struct pv_vp *caller,
                         const struct pv_call *call)
{
    const uint32_t mode = call->long_mode;

    if (call->cpl != 0) {
        return ERROR_PERM;
    }
    switch (argument(call->rax, mode)) {
    case CALL_VAPIC_POLL_IRQ:
        return 0;
    case CALL_KICK_CPU:
        if (!pv_bit_test(k->features, KVM_PV_UNHALT)) {
            return ERROR_NOSYS;
        }
        kick(p, k, caller, call->rcx % 0x100000000u);
        return 0;
    case CALL_SEND_IPI:
        if (!pv_bit_test(k->features, KVM_PV_SEND_IPI)) {
            return ERROR_NOSYS;
        }
        if (pv_kvm_icr_refused((uint32_t)(call->rsi % 0x100000000u))) {
            return ERROR_INVAL;
        }
        return pv_kvm_send(p, k, argument(call->rbx, mode), argument(call->rcx, mode),
                           (uint32_t)(call->rdx % 0x100000000u), mode != 0 ? 64 : 32,
                           (uint32_t)(call->rsi % 0x100000000u));
    case CALL_SCHED_YIELD:
        if (!pv_bit_test(k->features, KVM_PV_SCHED_YIELD)) {
            return ERROR_NOSYS;
        }
        give_way(p, k, caller, argument(call->rbx, mode));
        return 0;
    default:
        return ERROR_NOSYS;
    }
}

void pv_kvm_hypercall(struct pv_partition *p, const struct pv_kvm *k, struct pv_vp *caller, struct pv_call *call)
{
    const uint64_t result = serve(p, k, caller, call);

    call->rax = call->long_mode != 0 ? result : result % 0x100000000u;
}
