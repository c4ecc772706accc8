// SPDX-License-Identifier: BSD-2-Clause
// How a call of the KVM persona is passed and answered, number by number: no effects.
#ifndef PV_KVM_ABI_H
#define PV_KVM_ABI_H

#include <stdbool.h>
#include "../model.h"
#include "../types.h"

// A register, as a caller of this mode means it.
/*@ assigns  \nothing;
    ensures  kv_abi_1: \result == kvm_reg(long_mode, reg); */
PV_INNER uint64_t pv_kvm_reg(uint32_t long_mode, uint64_t reg);

/*@ assigns  \nothing;
    ensures  kv_abi_3: \result == kvm_u32(reg); */
PV_INNER uint32_t pv_kvm_u32(uint64_t reg);

// The result register: a count, or an error as a negative number.
/*@ requires range: -1000 <= value <= 1000;
    assigns  \nothing;
    ensures  kv_abi_2: \result == kvm_result(long_mode, value); */
PV_INNER uint64_t pv_kvm_result(uint32_t long_mode, int32_t value);

// 0, or the error that a call ends with before it does anything.
/*@ assigns  \nothing;
    ensures  kv_cpl_1: \result == kvm_verdict(cpl, features, number, icr);
    ensures  range: -1000 <= \result <= 0; */
PV_INNER int32_t pv_kvm_verdict(uint32_t cpl, uint32_t features, uint64_t number, uint64_t icr);

// Fields of an ICR value.
/*@ assigns  \nothing;
    ensures  kv_icr_1: \result == icr_vector(icr);
    ensures  range: \result < 256; */
PV_INNER uint32_t pv_icr_vector(uint64_t icr);

/*@ assigns  \nothing;
    ensures  kv_icr_2: \result <==> icr_nmi(icr); */
PV_INNER bool pv_icr_nmi(uint64_t icr);

/*@ assigns  \nothing;
    ensures  kv_ipi_2: \result <==> icr_refused(icr); */
PV_INNER bool pv_icr_refused(uint64_t icr);

/*@ assigns  \nothing;
    ensures  kv_ipi_4: \result <==> icr_void(icr); */
PV_INNER bool pv_icr_void(uint64_t icr);

#endif
