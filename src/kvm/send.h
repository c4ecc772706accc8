// SPDX-License-Identifier: BSD-2-Clause
// SEND_IPI: an interrupt for the VPs whose APIC ids stand in a bitmap.
#ifndef PV_KVM_SEND_H
#define PV_KVM_SEND_H

#include "kvm.h"

// Sends what `icr` says to the VPs that the two words name from APIC id `least` on, `cluster` (32 or 64) ids a word.
// How many accepted it.
PV_INNER uint64_t pv_kvm_send(struct pv_partition *p, const struct pv_kvm *k, uint64_t low, uint64_t high,
                              uint32_t least, uint32_t cluster, uint32_t icr);

// An ICR value that SEND_IPI does not take.
PV_INNER bool pv_kvm_icr_refused(uint32_t icr);

#endif
