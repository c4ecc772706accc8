// SPDX-License-Identifier: BSD-2-Clause
#include "abi.h"
#include "../base/bits.h"
#include "features.h"
#include "calls.h"

enum { MODE_FIXED = 0, MODE_NMI = 4 };
enum { ERROR_PERM = -1, ERROR_INVAL = -22, ERROR_NOSYS = -1000 };

uint64_t pv_kvm_reg(uint32_t long_mode, uint64_t reg)
{
    return long_mode != 0 ? reg : reg % 0x100000000u;
}

uint32_t pv_kvm_u32(uint64_t reg)
{
    return (uint32_t)(reg % 0x100000000u);
}

uint64_t pv_kvm_result(uint32_t long_mode, int32_t value)
{
    if (value >= 0) {
        return (uint64_t)value;
    }
    const uint64_t below = (uint64_t)(-1 - value); // -1 is the highest number of its width, and so on downwards
    return (long_mode != 0 ? UINT64_MAX : (uint64_t)UINT32_MAX) - below;
}

/*@ assigns  \nothing;
    ensures  kv_gate_1: \result <==> kvm_offered(features, number); */
PV_HELPER bool call_offered(uint32_t features, uint64_t number)
{
    switch (number) {
    case CALL_VAPIC_POLL_IRQ:
        return true;
    case CALL_KICK_CPU:
        return pv_bit_test(features, KVM_PV_UNHALT);
    case CALL_SEND_IPI:
        return pv_bit_test(features, KVM_PV_SEND_IPI);
    case CALL_SCHED_YIELD:
        return pv_bit_test(features, KVM_PV_SCHED_YIELD);
    default:
        return false;
    }
}

int32_t pv_kvm_verdict(uint32_t cpl, uint32_t features, uint64_t number, uint64_t icr)
{
    if (cpl != 0) {
        return ERROR_PERM;
    }
    if (!call_offered(features, number)) {
        return ERROR_NOSYS;
    }
    return number == CALL_SEND_IPI && pv_icr_refused(icr) ? ERROR_INVAL : 0;
}

/*@ assigns  \nothing;
    ensures  mode: \result == icr / 256 % 8; */
PV_HELPER uint64_t delivery_mode(uint64_t icr)
{
    return icr / 0x100u % 8u;
}

uint32_t pv_icr_vector(uint64_t icr)
{
    return (uint32_t)(icr % 256u);
}

bool pv_icr_nmi(uint64_t icr)
{
    return delivery_mode(icr) == MODE_NMI;
}

bool pv_icr_refused(uint64_t icr)
{
    const uint64_t mode = delivery_mode(icr);
    return (mode != MODE_FIXED && mode != MODE_NMI) || icr / 0x800u % 2u != 0 || icr / 0x40000u % 4u != 0;
}

bool pv_icr_void(uint64_t icr)
{
    return delivery_mode(icr) == MODE_FIXED && icr / 0x8000u % 2u == 1 && icr / 0x4000u % 2u == 0;
}
